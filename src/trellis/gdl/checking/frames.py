"""Facts that get lost because no rule keeps them: the frame axiom that was forgotten.

A fact that is true and not so in the next state is nothing strange: men are taken, turns go round.
So a loss is told only where much speaks for a slip.

Whether or not some rule keeps such facts in other states:

- the fact is a count or a turn: rules lead from its value to the next one by a relation that never
  changes, it had exactly one value up to here, and now it has none although there is a next one and
  the game goes on; or
- the first state has one fact for each of several places of a board, so has every state up to here,
  and several places that moves can name are empty now although the game goes on (where there is
  but one value, a lamp that is lit, having none is the other); or
- the first state has several facts of the kind, rules need them, and none makes any.

Where no rule of the form "true, hence true next" could have kept the fact:

- the first state has one fact for each of several places of a board, or for each role, and the
  place is empty after the loss; where things move to new places, several are lost at once; or
- such rules keep facts that are the same but for the last name, and nothing takes the place; or
- no rule at all keeps facts of the kind, and some rule needs more of them at once than there ever
  were, or a move makes one that forbids the same move, and ends or goals are told by them.

What cannot be told: a mark that a move sets, and that is meant to last, looks the same as one that
is meant to tell of the last move alone.
"""

from collections import Counter
from collections.abc import Iterable

from trellis.gdl.checking import frame_rules
from trellis.gdl.checking.frame_rules import ANY, Kind, facts_of, kind_of, kind_of_head
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.language.dependencies import rename_apart
from trellis.gdl.language.terms import (
    Rule,
    Term,
    arguments,
    is_ground,
    is_variable,
    substitute_fully,
    unify,
)

_FEWEST_PLACES = 3  # of what is taken for a board
_Facts = Iterable[Term]
_Values = dict[tuple[Kind, tuple[Term, ...]], int]  # of all arguments but the last: how many


class Frames:
    """Looks at steps of play for facts that get lost."""

    def __init__(self, rules: Iterable[Rule], first: _Facts) -> None:
        rules, first = list(rules), list(first)
        self._keepers = frame_rules.keepers_of(rules)
        self._kept_kinds = {kind_of_head(rule) for rule in self._keepers}
        self._forbidding = frame_rules.forbidding(rules) - {kind_of(fact) for fact in first}
        self._most_asked = _most_asked(rules)
        self._most_seen: dict[Kind, int] = {}
        self._lost: dict[Kind, Term] = {}
        self._kept: dict[Term, bool] = {}
        self._moving: set[Kind] = set()  # kinds that come to places which were empty at first
        self._boards = _boards(first, rules)
        self._needed = frame_rules.kinds_needed(rules)
        self._first = _values(first)
        self._counts = frame_rules.Counts(rules)
        self._counted = {
            kind
            for kind in self._counts.kinds
            if {count for (each, _), count in self._first.items() if each == kind} == {1}
        }
        makers = frame_rules.makers_of(rules)
        made = {kind_of_head(rule) for rule in makers}
        self._unmade = {
            kind
            for kind, count in Counter(map(kind_of, first)).items()
            if count > 1 and kind in self._most_asked and not {kind, ANY} & made
        }
        kept = list(map(id, self._keepers))
        self._filled = {kind_of_head(rule) for rule in makers if id(rule) not in kept}

    def look(
        self, before: frozenset[Term], after: frozenset[Term], over: bool, moves: Iterable[Term]
    ) -> list[Term]:
        """Look at one step; return facts that were lost and likely should not have been.

        At most one fact of a kind is ever returned.  `over` tells whether the game is over then,
        `moves` are those that were legal somewhere.
        """
        self._learn(after)
        values = _values(after)
        lost = [
            fact
            for fact in sorted(before - after, key=str)
            if isinstance(fact, tuple) and (kind_of(fact), fact[1:-1]) not in values
        ]
        gone = Counter(kind_of(fact) for fact in lost if not self.is_kept(fact))
        emptied = Counter(map(kind_of, lost))
        found: list[Term] = []
        for fact in lost:
            kind = kind_of(fact)
            if kind in self._lost or self._needed.get(kind, set()) & self._lost.keys():
                continue  # what it is made of got lost before
            stays = kind not in self._moving
            if (
                kind in self._unmade
                or (kind in self._counted and not over and self._counts.goes_on(fact))
                or (
                    not self.is_kept(fact)
                    and (stays or gone[kind] >= _FEWEST_PLACES)
                    and self._is_like_kept(fact)
                )
                or (
                    stays
                    and not over
                    and emptied[kind] >= _FEWEST_PLACES
                    and kind in self._filled
                    and kind in self._boards
                    and _is_used(fact, moves)
                    and len({each[-1] for each in before | after if kind_of(each) == kind}) > 1
                )
            ):
                self._lost[kind] = fact
                found.append(fact)
        return found

    def _learn(self, state: frozenset[Term]) -> None:
        """Take notice of what there is at once, and of what comes to new places."""
        for kind, count in Counter(map(kind_of, state)).items():
            self._most_seen[kind] = max(count, self._most_seen.get(kind, 0))
        for fact in state:
            places = self._boards.get(kind_of(fact), ())
            if isinstance(fact, tuple) and places and fact[:-1] not in places:
                self._moving.add(kind_of(fact))
        self._counted -= {
            key[0] for key, count in _values(state).items() if count > 1 or key not in self._first
        }

    def needed_again(self, fact: Term) -> bool:
        """Tell whether nothing keeps such facts, and rules need more of them than play had.

        Or a move makes them that they should forbid.  To be asked at the end, of facts that got
        lost.
        """
        kind = kind_of(fact)
        if kind in self._lost or {kind, ANY} & self._kept_kinds:
            return False
        asked = self._most_asked.get(kind, 0)
        return kind in self._forbidding or (asked >= 2 and self._most_seen.get(kind, 0) < asked)

    # --- one fact

    def is_kept(self, fact: Term) -> bool:
        """Tell whether some rule could keep a fact, whatever else it asks for."""
        known = self._kept.get(fact)
        if known is None:
            known = self._kept[fact] = any(_may_keep(rule, fact) for rule in self._keepers)
        return known

    def _is_like_kept(self, fact: Term) -> bool:
        if isinstance(fact, tuple) and fact[:-1] in self._boards.get(kind_of(fact), ()):
            return True
        for rule in self._keepers:
            head = rule.arguments[0]
            if kind_of(head) != kind_of(fact):
                continue
            pairs = list(zip(arguments(head), arguments(fact), strict=True))
            differ = [is_ground(one) and one != other for one, other in pairs]
            if len(pairs) > 1 and differ[-1] and sum(differ) == 1:
                return True
        return False


def _most_asked(rules: Iterable[Rule]) -> dict[Kind, int]:
    """Return how many facts of a kind, apart from each other, some rule asks for at once."""
    found: dict[Kind, int] = {}
    for rule in rules:
        asked: dict[Kind, set[Term]] = {}
        for fact in facts_of(rule.body):
            asked.setdefault(kind_of(fact), set()).add(fact)
        for kind, facts in asked.items():
            found[kind] = max(_all_apart(facts, rule), found.get(kind, 0))
    return found


def _values(facts: _Facts) -> _Values:
    """Count the facts that are the same but for their last argument."""
    return Counter((kind_of(fact), fact[1:-1]) for fact in facts if isinstance(fact, tuple))


def _is_used(fact: Term, moves: Iterable[Term]) -> bool:
    """Tell whether some move names the place of a fact: all arguments but the last, in a row."""
    place = arguments(fact)[:-1]
    return any(
        given[i : i + len(place)] == place
        for given in map(arguments, moves)
        for i in range(len(given) - len(place) + 1)
    )


def _may_keep(rule: Rule, fact: Term) -> bool:
    """Tell whether a rule could keep a fact, whatever else it asks for."""
    values: dict[str, Term] = {}
    if not unify(rule.arguments[0], fact, values):
        return False
    for literal in rule.body:
        if literal.name == "distinct" and literal.positive:
            left, right = (substitute_fully(each, values) for each in literal.arguments)
            if left == right:
                return False
    return True


def _boards(first: _Facts, rules: Iterable[Rule]) -> dict[Kind, set[tuple[Term, ...]]]:
    """Return the places of each kind of fact that has exactly one value for each of several.

    Where all roles have one, that is enough: a score, or what they have chosen.
    """
    roles = {rule.arguments for rule in rules if rule.name == "role"} - {(RANDOM,)}
    values: dict[Kind, Counter[tuple[Term, ...]]] = {}
    for fact in first:
        if isinstance(fact, tuple) and len(fact) > 2:
            values.setdefault(kind_of(fact), Counter())[fact[:-1]] += 1
    return {
        kind: set(places)
        for kind, places in values.items()
        if max(places.values()) == 1
        and (len(places) >= _FEWEST_PLACES or {place[1:] for place in places} == roles)
    }


def _all_apart(facts: set[Term], rule: Rule) -> int:
    """Count facts of a body that are never one and the same.

    Two variables that another sentence has beside each other, `(succ ?x ?y)`, are taken to differ.
    """
    beside = [
        set(literal.arguments)
        for literal in rule.body
        if literal.positive and literal.name not in ("true", "does")
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
