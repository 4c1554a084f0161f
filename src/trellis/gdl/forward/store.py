"""Facts that never change: evaluated once, bottom-up, and found again by any of their arguments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from trellis.game.errors import LimitReached, shorten
from trellis.gdl.language.dependencies import components, needs
from trellis.gdl.language.normal import in_order
from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    name_of,
    rules_by_name,
    substitute,
    variables,
)

MOST_FACTS = 2_000_000
DEEPEST_TERM = 200  # functions inside functions; more is a recursion without end

Values = dict[str, Term]
_Index = dict[tuple[Term, ...], list[tuple[Term, ...]]]
_Key = tuple[str, int, tuple[int, ...]]


class Store:
    """Facts of relations, with indexes made when first asked for."""

    def __init__(self) -> None:
        self._facts: dict[str, dict[tuple[Term, ...], None]] = {}
        self._indexes: dict[_Key, _Index] = {}
        self._of_relation: dict[tuple[str, int], list[_Key]] = {}
        self._count = 0

    def add(self, fact: Term) -> bool:
        """Add a fact; tell whether it is new."""
        name, given = name_of(fact), arguments(fact)
        known = self._facts.setdefault(name, {})
        if given in known:
            return False
        check_depth(fact)
        self._count += 1
        if self._count > MOST_FACTS:
            raise LimitReached(f"the rules make more than {MOST_FACTS:,} facts")
        known[given] = None
        for key in self._of_relation.get((name, len(given)), ()):
            picked = tuple([given[place] for place in key[2]])
            self._indexes[key].setdefault(picked, []).append(given)
        return True

    def __contains__(self, fact: Term) -> bool:
        return arguments(fact) in self._facts.get(name_of(fact), ())

    def facts(self, name: str) -> list[Term]:
        """Return all facts of a relation."""
        return [(name, *given) if given else name for given in self._facts.get(name, ())]

    def forget(self, name: str) -> None:
        """Remove all facts of a relation."""
        self._count -= len(self._facts.pop(name, ()))
        for key, index in self._indexes.items():
            if key[0] == name:
                index.clear()

    def index(self, name: str, arity: int, places: tuple[int, ...]) -> _Index:
        """Return the facts of a relation by some of their arguments."""
        key = (name, arity, places)
        index = self._indexes.get(key)
        if index is None:
            index = self._indexes[key] = {}
            self._of_relation.setdefault((name, arity), []).append(key)
            for given in self._facts.get(name, ()):
                if len(given) == arity:
                    index.setdefault(tuple([given[place] for place in places]), []).append(given)
        return index


def check_depth(term: Term) -> None:
    """Refuse a term that has grown beyond all measure, before Python's own stack does."""
    depth, layer = 0, [term]
    while layer:
        layer = [part for each in layer if isinstance(each, tuple) for part in each[1:]]
        depth += 1
        if depth > DEEPEST_TERM:
            raise LimitReached(f"the rules make terms of more than {DEEPEST_TERM} nested functions")


def match(pattern: Term, fact: Term, values: Values) -> bool:
    """Extend `values` so that a pattern becomes the fact; what was added stays on failure."""
    if isinstance(pattern, str):
        if pattern[:1] != "?":
            return pattern == fact
        known = values.get(pattern)
        if known is None:
            values[pattern] = fact
            return True
        return known == fact
    if isinstance(fact, str) or len(pattern) != len(fact) or pattern[0] != fact[0]:
        return False
    for part, value in zip(pattern[1:], fact[1:], strict=True):
        if isinstance(part, tuple):
            if not match(part, value, values):
                return False
        elif part[:1] != "?":
            if part != value:
                return False
        elif values.setdefault(part, value) != value:
            return False
    return True


class Query:
    """A body, ordered for a given set of variables that will have values."""

    def __init__(self, store: Store, body: Iterable[Literal], bound: Iterable[str] = ()) -> None:
        self._store = store
        self._steps: list[tuple[Literal, _Index | None, list[Term], list[tuple[int, Term]]]] = []
        known = set(bound)
        for literal in in_order(body, known, _cost):
            given = literal.arguments
            index, picked, matched = None, [], []
            if literal.is_generator:
                places = _known_places(given, known)
                index = store.index(literal.name, len(given), places)
                picked = [given[place] for place in places]
                matched = [(i, part) for i, part in enumerate(given) if i not in places]
            self._steps.append((literal, index, picked, matched))
            known |= literal.variables

    def run(self, values: Mapping[str, Term]) -> Iterator[Values]:
        """Yield all values for which the body holds; each is a dictionary of its own."""
        return self._run(0, dict(values))

    def _run(self, number: int, values: Values) -> Iterator[Values]:
        if number == len(self._steps):
            yield values
            return
        literal, index, picked, matched = self._steps[number]
        if index is None:
            if self._holds(literal, values):
                yield from self._run(number + 1, values)
            return
        key = tuple([substitute(part, values) for part in picked])
        for given in index.get(key, ()):
            extended = dict(values)
            if all(match(part, given[place], extended) for place, part in matched):
                yield from self._run(number + 1, extended)

    def _holds(self, literal: Literal, values: Values) -> bool:
        sentence = substitute(literal.sentence, values)
        if name_of(sentence) == "distinct":
            left, right = arguments(sentence)
            return (left != right) == literal.positive
        return (sentence in self._store) == literal.positive


def _known_places(given: tuple[Term, ...], known: set[str]) -> tuple[int, ...]:
    """Return which arguments have all their values."""
    return tuple(i for i, part in enumerate(given) if known.issuperset(variables(part)))


def _cost(literal: Literal, known: set[str]) -> tuple[int, int, int]:
    """Put tests as early as they have values, and generators that add few variables first."""
    mine = literal.variables
    new = mine - known
    if not literal.is_generator:
        return (3 if new else 0, 0, 0)
    return (2 if new == mine and new else 1, len(new), -len(literal.arguments))


def evaluate(store: Store, rules: Sequence[Rule], budget: int = MOST_FACTS) -> set[str]:
    """Add all that follows from rules without negation in a cycle.

    Relations that come to more facts than `budget`, and all that need those, are left out and
    returned.  With the whole budget that is an error instead.
    """
    by_name = rules_by_name(rules)
    edges, left_out = needs(rules), set[str]()
    for names in components(edges):
        if any(below in left_out for name in names for below in edges.get(name, ())):
            left_out.update(names)
            continue
        mine = [rule for name in names for rule in by_name.get(name, ())]
        try:
            _evaluate_component(store, mine, set(names), budget)
        except LimitReached:
            if budget >= MOST_FACTS:
                raise
            left_out.update(names)
            for name in names:
                store.forget(name)
    return left_out


def _evaluate_component(store: Store, rules: list[Rule], inside: set[str], budget: int) -> None:
    new: list[Term] = []
    left = [budget, 10 * budget]  # facts, and ways to derive them

    def take(head: Term, solutions: Iterable[Values]) -> None:
        for values in solutions:
            fact = substitute(head, values)
            left[1] -= 1
            if store.add(fact):
                new.append(fact)
                left[0] -= 1
            if left[0] < 0 or left[1] < 0:
                raise LimitReached(f"the rules of {shorten(name_of(head))} make too many facts")

    for rule in rules:
        # Solutions are gathered first where the rule may look at what it adds.
        query = Query(store, rule.body)
        own = any(literal.name in inside for literal in rule.body)
        take(rule.head, list(islice(query.run({}), left[1] + 2)) if own else query.run({}))
    circular = [
        (literal.sentence, rule.head, Query(store, _without(rule.body, place), literal.variables))
        for rule in rules
        for place, literal in enumerate(rule.body)
        if literal.positive and literal.name in inside
    ]
    while new and circular:
        fact = new.pop()
        for sentence, head, query in circular:
            values: Values = {}
            if match(sentence, fact, values):
                take(head, list(islice(query.run(values), left[1] + 2)))


def _without(body: tuple[Literal, ...], place: int) -> list[Literal]:
    return [*body[:place], *body[place + 1 :]]


def follow(
    store: Store, fixed: Iterable[Literal], known: set[str], widest: float
) -> tuple[list[Literal], set[str]]:
    """Choose literals that give more variables values, in at most `widest` ways on average."""
    left, known = [each for each in fixed if each.is_generator], set(known)
    followed: list[Literal] = []
    while True:
        for literal in left:
            given = literal.arguments
            places = _known_places(given, known)
            if not places:
                continue
            index = store.index(literal.name, len(given), places)
            if sum(map(len, index.values())) <= widest * len(index):
                break
        else:
            return followed, known
        left.remove(literal)
        followed.append(literal)
        known |= literal.variables
