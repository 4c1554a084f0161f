"""Facts that get lost because no rule keeps them: the frame axiom that was forgotten.

A fact that is true and not so in the next state is nothing strange: men are taken, turns go round.
So a loss is told only where much speaks for a slip.  No rule of the form "true, hence true next"
could have kept the fact, and

- the first state has one fact for each of several places of a board, and the place is empty after
  the loss; where things move to new places, several are lost at once; or
- such rules keep facts that are the same but for the last name, and nothing takes the place; or
- no rule at all keeps facts of the kind, and some rule needs more of them at once than there ever
  were.
"""

from collections.abc import Iterable

from trellis.gdl.language.dependencies import rename_apart
from trellis.gdl.language.terms import (
    Rule,
    Term,
    arguments,
    is_ground,
    is_variable,
    name_of,
    substitute_fully,
    unify,
    variables,
)

_FEWEST_PLACES = 3  # of what is taken for a board
_Kind = tuple[str, int]
_Facts = Iterable[Term]


class Frames:
    """Looks at steps of play for facts that get lost."""

    def __init__(self, rules: Iterable[Rule], first: _Facts) -> None:
        self._keepers: list[Rule] = []
        self._most_asked: dict[_Kind, int] = {}
        self._most_seen: dict[_Kind, int] = {}
        self._lost: dict[_Kind, Term] = {}
        self._kept: dict[Term, bool] = {}
        self._moving: set[_Kind] = set()  # kinds that come to places which were empty at first
        rules = list(rules)
        self._find_keepers(rules)
        for rule in rules:
            asked: dict[_Kind, set[Term]] = {}
            for literal in rule.body:
                if literal.positive and name_of(literal.sentence) == "true":
                    (fact,) = arguments(literal.sentence)[:1] or ("",)
                    asked.setdefault(_kind(fact), set()).add(fact)
            for kind, facts in asked.items():
                apart = _all_apart(facts, rule)
                self._most_asked[kind] = max(apart, self._most_asked.get(kind, 0))
        self._boards = _boards(first)

    def _find_keepers(self, rules: list[Rule]) -> None:
        """Collect the rules that keep what is true, by themselves or through a relation."""
        handing_on = _handing_on(rules)
        for rule in rules:
            if name_of(rule.head) != "next":
                continue
            (head,) = arguments(rule.head)[:1] or ("",)
            wanted = set(variables(head))
            for literal in rule.body:
                handed = (name_of(literal.sentence), _kind(head)) in handing_on
                handed &= wanted <= set(variables(literal.sentence))
                if literal.positive and (literal.sentence == ("true", head) or handed):
                    self._keepers.append(rule)
                    break

    def look(self, before: frozenset[Term], after: frozenset[Term]) -> list[Term]:
        """Look at one step; return facts that were lost and likely should not have been.

        At most one fact of a kind is ever returned.
        """
        counts: dict[_Kind, int] = {}
        for fact in after:
            kind = _kind(fact)
            counts[kind] = counts.get(kind, 0) + 1
        for kind, count in counts.items():
            self._most_seen[kind] = max(count, self._most_seen.get(kind, 0))
        found: list[Term] = []
        gone = [fact for fact in sorted(before - after, key=str) if not self._is_kept(fact)]
        for fact in after:
            places = self._boards.get(_kind(fact), ())
            if isinstance(fact, tuple) and places and fact[:-1] not in places:
                self._moving.add(_kind(fact))
        for fact in gone:
            kind = _kind(fact)
            if kind in self._lost or not kind[1]:
                continue
            at_once = sum(_kind(other) == kind for other in gone)
            sure = kind not in self._moving or at_once >= _FEWEST_PLACES
            if sure and self._place_is_empty(fact, after) and self._is_like_kept(fact):
                self._lost[kind] = fact
                found.append(fact)
        return found

    def never_enough(self, fact: Term) -> bool:
        """Tell whether nothing keeps such facts, and rules need more of them than play had.

        To be asked at the end, of facts that got lost.
        """
        kind = _kind(fact)
        if kind in self._lost or any(_kind_of_head(rule) in (kind, _ANY) for rule in self._keepers):
            return False
        asked = self._most_asked.get(kind, 0)
        return asked >= 2 and self._most_seen.get(kind, 0) < asked

    # --- one fact

    def _is_kept(self, fact: Term) -> bool:
        known = self._kept.get(fact)
        if known is None:
            known = self._kept[fact] = any(_may_keep(rule, fact) for rule in self._keepers)
        return known

    def _place_is_empty(self, fact: Term, after: frozenset[Term]) -> bool:
        """Tell whether no fact is left that differs from this one in its last argument only."""
        return not any(
            isinstance(other, tuple) and isinstance(fact, tuple) and other[:-1] == fact[:-1]
            for other in after
            if _kind(other) == _kind(fact)
        )

    def _is_like_kept(self, fact: Term) -> bool:
        if isinstance(fact, tuple) and fact[:-1] in self._boards.get(_kind(fact), ()):
            return True
        for rule in self._keepers:
            head = arguments(rule.head)[0]
            if _kind(head) != _kind(fact):
                continue
            pairs = list(zip(arguments(head), arguments(fact), strict=True))
            differ = [is_ground(one) and one != other for one, other in pairs]
            if len(pairs) > 1 and differ[-1] and sum(differ) == 1:
                return True
        return False


_ANY: _Kind = ("", 0)


def _kind(fact: Term) -> _Kind:
    return name_of(fact), len(arguments(fact))


def _handing_on(rules: list[Rule]) -> set[tuple[str, _Kind]]:
    """Return the relations that hold where some fact is true, with all of its arguments."""
    found: set[tuple[str, _Kind]] = set()
    while True:
        size = len(found)
        for rule in rules:
            mine = set(variables(rule.head))
            for literal in rule.body:
                given = set(variables(literal.sentence))
                if not literal.positive or not given or not given <= mine:
                    continue
                name = name_of(literal.sentence)
                kinds = [kind for below, kind in found if below == name]
                if name == "true" and arguments(literal.sentence):
                    kinds.append(_kind(arguments(literal.sentence)[0]))
                found.update((name_of(rule.head), kind) for kind in kinds)
        if len(found) == size:
            return found


def _kind_of_head(rule: Rule) -> _Kind:
    head = arguments(rule.head)[0]
    return _ANY if is_variable(head) else _kind(head)


def _may_keep(rule: Rule, fact: Term) -> bool:
    """Tell whether a rule could keep a fact, whatever else it asks for."""
    values: dict[str, Term] = {}
    if not unify(arguments(rule.head)[0], fact, values):
        return False
    for literal in rule.body:
        if name_of(literal.sentence) == "distinct" and literal.positive:
            left, right = (substitute_fully(each, values) for each in arguments(literal.sentence))
            if left == right:
                return False
    return True


def _boards(first: _Facts) -> dict[_Kind, set[tuple[Term, ...]]]:
    """Return the places of each kind of fact that has exactly one value for each of several."""
    values: dict[_Kind, dict[tuple[Term, ...], int]] = {}
    for fact in first:
        if isinstance(fact, tuple) and len(fact) > 2:
            places = values.setdefault(_kind(fact), {})
            places[fact[:-1]] = places.get(fact[:-1], 0) + 1
    return {
        kind: set(places)
        for kind, places in values.items()
        if len(places) >= _FEWEST_PLACES and max(places.values()) == 1
    }


def _all_apart(facts: set[Term], rule: Rule) -> int:
    """Count facts of a body that are never one and the same.

    Two variables that another sentence has beside each other, `(succ ?x ?y)`, are taken to differ.
    """
    beside = [
        set(arguments(literal.sentence))
        for literal in rule.body
        if literal.positive and name_of(literal.sentence) not in ("true", "does")
    ]
    apart: list[Term] = []
    for fact in sorted(facts, key=str):
        if not any(_may_be_one(fact, other, beside) for other in apart):
            apart.append(fact)
    return len(apart)


def _may_be_one(one: Term, other: Term, beside: list[set[Term]]) -> bool:
    if not unify(rename_apart(other), one, {}):
        return False
    for a, b in zip(arguments(one), arguments(other), strict=True):
        if a != b and is_variable(a) and is_variable(b) and any({a, b} <= two for two in beside):
            return False
    return True
