"""What the rules say of how facts go from one state to the next, for those that get lost.

A kind of fact is its name and how many arguments it has.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from trellis.game.errors import TrellisError
from trellis.gdl.forward.store import Store, evaluate, match
from trellis.gdl.language.dependencies import needs, reachable, reaching
from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    is_ground,
    is_variable,
    name_of,
    variables,
)

Kind = tuple[str, int]
_MOST_FACTS = 50_000  # of relations that never change
ANY: Kind = ("", 0)  # of a head that is a variable

_Seen = dict[str, set[tuple[Kind, bool, int]]]


def kind_of(fact: Term) -> Kind:
    """Return the kind of a fact."""
    return ANY if is_variable(fact) else (name_of(fact), len(arguments(fact)))


def kind_of_head(rule: Rule) -> Kind:
    """Return what kind of fact a rule of `next` makes."""
    return kind_of(rule.arguments[0])


def makers_of(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that make facts of the next state."""
    return [rule for rule in rules if rule.name == "next" and rule.arguments]


def facts_of(body: Iterable[Literal]) -> list[Term]:
    """Return the facts of the state that a body needs."""
    return [fact for literal in body if literal.positive for fact in fact_in(literal)]


def fact_in(literal: Literal) -> tuple[Term, ...]:
    """Return the fact of the state that a literal tells of, if it does."""
    return literal.arguments[:1] if literal.name == "true" else ()


def keepers_of(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that keep what is true, by themselves or through a relation."""
    handing_on = _handing_on(rules)

    def keeps(rule: Rule, literal: Literal) -> bool:
        handed = (literal.name, kind_of_head(rule)) in handing_on
        whole = ("true", rule.arguments[0]) == literal.sentence
        return literal.positive and (whole or (handed and rule.variables <= literal.variables))

    return [rule for rule in makers_of(rules) if any(keeps(rule, each) for each in rule.body)]


def _handing_on(rules: Sequence[Rule]) -> set[tuple[str, Kind]]:
    """Return the relations that hold where some fact is true, with all of its arguments."""
    found: set[tuple[str, Kind]] = set()
    while True:
        size = len(found)
        for rule in rules:
            mine = rule.variables
            for literal in rule.body:
                given = literal.variables
                if not literal.positive or not given or not given <= mine:
                    continue
                kinds = [kind for below, kind in found if below == literal.name]
                kinds += map(kind_of, fact_in(literal))
                found.update((rule.name, kind) for kind in kinds)
        if len(found) == size:
            return found


def kinds_needed(rules: Sequence[Rule]) -> dict[Kind, set[Kind]]:
    """Return for each kind of fact the other kinds that rules which make it ask for."""
    edges = needs(rules)
    asked: dict[str, set[Kind]] = {}
    for rule in rules:
        asked.setdefault(rule.name, set()).update(map(kind_of, facts_of(rule.body)))
    found: dict[Kind, set[Kind]] = {}
    for rule in makers_of(rules):
        names = {each.name for each in rule.body} - {"true", "does"}
        mine = found.setdefault(kind_of_head(rule), set())
        mine.update(map(kind_of, facts_of(rule.body)))
        for name in reachable(edges, names):
            mine |= asked.get(name, set())
    return {kind: kinds - {kind} for kind, kinds in found.items()}


# --- counts and turns


class Counts:
    """The kinds whose last argument goes from one value to another, all else as it was.

    Both values stand in a rule, or a relation that never changes leads from one to the other.
    Where some rule asks whether there is any value, having none may be meant.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._changing = reaching(needs(rules), ["true", "does"])
        self._store: Store | None = None
        self._steps: dict[Kind, list[tuple[Term, list[Term]]]] = {}  # a value, what leads on
        for rule in makers_of(rules):
            (head,) = rule.arguments[:1]
            for fact in facts_of(rule.body):
                if kind_of(fact) != kind_of(head) or arguments(fact)[:-1] != arguments(head)[:-1]:
                    continue
                if is_variable(head) or not arguments(head):
                    continue
                old, new = arguments(fact)[-1], arguments(head)[-1]
                links = self._links(rule, old, new)
                if old != new and (links or (is_ground(old) and is_ground(new))):
                    self._steps.setdefault(kind_of(head), []).append((old, links))
        for kind in _asked_whether_there(rules):
            self._steps.pop(kind, None)

    @property
    def kinds(self) -> set[Kind]:
        """All such kinds."""
        return set(self._steps)

    def _links(self, rule: Rule, old: Term, new: Term) -> list[Term]:
        """Return the sentences of a rule that never change and have both values."""
        return [
            literal.sentence
            for literal in rule.body
            if literal.positive
            and literal.name not in self._changing | {"distinct"}
            and {old, new} <= set(literal.arguments)
        ]

    def goes_on(self, fact: Term) -> bool:
        """Tell whether there is a value after that of a fact, or else a count has run out."""
        value = arguments(fact)[-1]
        for old, links in self._steps[kind_of(fact)]:
            values: dict[str, Term] = {}
            if match(old, value, values) and all(self._holds(link, values) for link in links):
                return True
        return False

    def _holds(self, sentence: Term, values: dict[str, Term]) -> bool:
        """Tell whether a sentence that never changes holds for some values of its other names."""
        if self._store is None:
            self._store = Store()
            steps = [step for many in self._steps.values() for step in many]
            names = {name_of(link) for _, links in steps for link in links}
            below = reachable(needs(self._rules), names)
            mine = [rule for rule in self._rules if rule.name in below]
            try:
                evaluate(self._store, mine, _MOST_FACTS)
            except TrellisError:
                self._store = Store()  # nothing is known, so nothing is said
        facts = self._store.facts(name_of(sentence))
        return any(match(sentence, fact, dict(values)) for fact in facts)


def _asked_whether_there(rules: Sequence[Rule]) -> set[Kind]:
    """Return the kinds of facts of which a rule asks for any last argument, whatever it is."""
    found: set[Kind] = set()
    for rule in rules:
        words = Counter(variables(rule.head))
        for literal in rule.body:
            words.update(variables(literal.sentence))
        for literal in rule.body:
            for fact in fact_in(literal):
                if arguments(fact) and words.get(str(arguments(fact)[-1])) == 1:
                    found.add(kind_of(fact))
    return found


# --- moves that make what forbids them


def forbidding(rules: Sequence[Rule]) -> set[Kind]:
    """Return the kinds of facts that a move makes, that forbid it, and that ends or goals need."""
    seen = _seen_through(rules)
    forbid = {
        (kind, kind_of(rule.arguments[1]))
        for rule in rules
        if rule.name == "legal" and len(rule.arguments) == 2
        for literal in rule.body
        for kind, positive, term in _facts_behind(literal, seen)
        if not positive and set(variables(term)) & set(variables(rule.arguments[1]))
    }
    make = {
        (kind_of_head(rule), kind_of(literal.arguments[1]))
        for rule in makers_of(rules)
        for literal in rule.body
        if literal.positive
        and literal.name == "does"
        and len(literal.arguments) == 2
        and set(variables(literal.arguments[1])) & rule.variables
    }
    return {kind for kind, _ in forbid & make} & _deciding(rules)


def _deciding(rules: Sequence[Rule]) -> set[Kind]:
    """Return the kinds of facts that ends or goals depend on, other than by legal moves."""
    edges = {name: below for name, below in needs(rules).items() if name != "legal"}
    below = reachable(edges, ["terminal", "goal"])
    return {
        kind_of(fact)
        for rule in rules
        if rule.name in below
        for literal in rule.body
        for fact in fact_in(literal)
    }


def _facts_behind(literal: Literal, seen: _Seen) -> list[tuple[Kind, bool, Term]]:
    """Return the kinds of facts a literal tells of, whether they must hold, and an argument."""
    given = literal.arguments
    if literal.name == "true" and given:
        return [(kind_of(given[0]), literal.positive, part) for part in arguments(given[0])]
    return [
        (kind, positive == literal.positive, given[place])
        for kind, positive, place in seen.get(literal.name, ())
        if place < len(given)
    ]


def _seen_through(rules: Sequence[Rule]) -> _Seen:
    """Return for relations which of their arguments are arguments of facts of the state.

    With whether such a fact must hold, or must not.
    """
    seen: _Seen = {}
    grown = True
    while grown:
        grown = False
        for rule in rules:
            places = [(i, part) for i, part in enumerate(rule.arguments) if is_variable(part)]
            if not places or rule.name in ("next", "legal", "goal"):
                continue
            known = seen.setdefault(rule.name, set())
            size = len(known)
            for literal in rule.body:
                for kind, positive, term in _facts_behind(literal, seen):
                    known.update((kind, positive, i) for i, part in places if part == term)
            grown |= len(known) > size
    return seen
