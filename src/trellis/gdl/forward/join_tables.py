"""What an emitted forward chaining program looks things up in.

Facts are numbers here.  What a fact, or a pair of facts, leads to is worked out when it is first
met and remembered: while playing, a join costs a few look-ups and no matching of terms.
"""

from collections.abc import Callable
from typing import Any

from trellis.game.errors import LimitReached
from trellis.gdl.forward.plan import Join
from trellis.gdl.forward.store import MOST_FACTS, Query, Store, Values, check_depth, follow, match
from trellis.gdl.language.terms import Literal, Term, name_of, substitute, variables

MOST_REMEMBERED = 1_000_000  # outcomes of a join; then it forgets them all
_WIDEST = 3.0  # ways a fixed relation may branch on average to be followed before a join


class Facts:
    """Facts by number and numbers by fact."""

    def __init__(self, most: int = MOST_FACTS) -> None:
        self.terms: list[Term] = []
        self.counts: list[int] = []  # in how many ways each follows
        self.holds: list[int] = []  # whether each is known to hold
        self.most = most
        self._numbers: dict[Term, int] = {}

    def number(self, fact: Term) -> int:
        """Return the number of a fact, a new one for a new fact."""
        number = self._numbers.get(fact)
        if number is None:
            check_depth(fact)
            number = len(self.terms)
            if number >= self.most:
                raise LimitReached(f"the rules make more than {self.most:,} facts")
            self._numbers[fact] = number
            self.terms.append(fact)
            self.counts.append(0)
            self.holds.append(0)
        return number


class Memo(dict[Any, Any]):
    """A dictionary that works out what it is asked for the first time."""

    def __init__(self, work_out: Callable[[Any], Any]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._work_out(key)
        return value


class Pairs:
    """Memos of what pairs of facts make; together they hold so much and no more."""

    def __init__(self) -> None:
        self._memos: list[Memo] = []
        self._count = 0

    def memo(self, work_out: Callable[[Any], Any]) -> Memo:
        """Return a new memo that is emptied with all others when they hold too much."""

        def counted(key: Any) -> Any:
            self._count += 1
            if self._count > MOST_REMEMBERED:
                self._count = 0
                for each in self._memos:
                    each.clear()
            return work_out(key)

        made = Memo(counted)
        self._memos.append(made)
        return made


def _follow(join: Join, store: Store) -> tuple[list[Literal], set[str]]:
    return follow(store, join.fixed, set(variables(join.first.sentence)), _WIDEST)


def points(join: Join, store: Store) -> bool:
    """Tell whether a fact for the first literal tells which facts it meets for the second."""
    if join.second is None or not join.second.positive:
        return False
    return _follow(join, store)[1].issuperset(variables(join.second.sentence))


class JoinTables:
    """How the facts of one join meet: the keys they meet under, and the heads they make."""

    def __init__(self, join: Join, store: Store, facts: Facts, keys: Facts) -> None:
        self.join = join
        self._store, self._facts, self._keys = store, facts, keys
        self._of_first = set(variables(join.first.sentence))
        self._head_query = Query(store, join.fixed, self._of_first)
        self.joins_itself = False
        if join.second is not None and join.second.positive:
            self._plan_meeting(join, join.second)

    def _plan_meeting(self, join: Join, second: Literal) -> None:
        of_second = set(variables(second.sentence))
        followed, known = _follow(join, self._store)
        self._meet = sorted(of_second & known)
        self._follow_query = Query(self._store, followed, self._of_first)
        self._pair_query = Query(self._store, join.fixed, self._of_first | of_second)
        self.joins_itself = name_of(join.first.sentence) == name_of(second.sentence)

    # Each of these is the work of a memo; numbers of facts come in, numbers go out.

    def heads(self, fact: int) -> tuple[int, ...]:
        """Return what follows from a fact alone: its heads."""
        values: Values = {}
        if not match(self.join.first.sentence, self._facts.terms[fact], values):
            return ()
        return self._heads(self._head_query, values)

    def keys(self, place: int, fact: int) -> tuple[int, ...]:
        """Return the keys of a fact at the first or second place."""
        return self.second_keys(fact) if place else self.first_keys(fact)

    def fits_second(self, fact: int) -> bool:
        """Tell whether a fact can be one for the second literal."""
        second = self.join.second
        return second is not None and match(second.sentence, self._facts.terms[fact], {})

    def first_keys(self, fact: int) -> tuple[int, ...]:
        """Return the keys under which a fact for the first literal waits for one for the second."""
        values: Values = {}
        if not match(self.join.first.sentence, self._facts.terms[fact], values):
            return ()
        found = (self._key(solution) for solution in self._follow_query.run(values))
        return tuple(dict.fromkeys(found))

    def second_keys(self, fact: int) -> tuple[int, ...]:
        """Return the key of a fact for the second literal, or nothing where it does not fit."""
        values: Values = {}
        literal = self.join.second
        if literal is None or not match(literal.sentence, self._facts.terms[fact], values):
            return ()
        return (self._key(values),)

    def pointed(self, fact: int) -> tuple[int, ...]:
        """Return the facts that a fact for the first literal meets, where it tells which."""
        values: Values = {}
        second = self.join.second
        if second is None or not match(self.join.first.sentence, self._facts.terms[fact], values):
            return ()
        found = (substitute(second.sentence, each) for each in self._follow_query.run(values))
        return tuple(map(self._facts.number, dict.fromkeys(found)))

    def pair_heads(self, pair: tuple[int, int]) -> tuple[int, ...]:
        """Return the heads that two facts make."""
        values: Values = {}
        second = self.join.second
        if second is None or not (
            match(self.join.first.sentence, self._facts.terms[pair[0]], values)
            and match(second.sentence, self._facts.terms[pair[1]], values)
        ):
            return ()
        return self._heads(self._pair_query, values)

    def second_heads(self, fact: int) -> tuple[int, ...]:
        """Return the heads that a fact for the second literal makes, whatever the first is."""
        values: Values = {}
        if self.join.second is None or not match(
            self.join.second.sentence, self._facts.terms[fact], values
        ):
            return ()
        return self._heads(self._pair_query, values)

    def opposites(self, fact: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Return what must not hold besides a fact, each with the heads it would keep away."""
        values: Values = {}
        second = self.join.second
        if second is None or not match(self.join.first.sentence, self._facts.terms[fact], values):
            return ()
        return self._grouped(second, self._head_query, values)

    def always_opposites(self) -> dict[int, tuple[int, ...]]:
        """Return all that must not hold, where nothing else that changes is asked for."""
        return dict(self._grouped(self.join.first, Query(self._store, self.join.fixed), {}))

    def _grouped(
        self, literal: Literal, query: Query, values: Values
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        found: dict[int, dict[int, None]] = {}
        for solution in query.run(values):
            against = self._facts.number(substitute(literal.sentence, solution))
            head = self._facts.number(substitute(self.join.head, solution))
            found.setdefault(against, {})[head] = None
        return tuple((against, tuple(heads)) for against, heads in found.items())

    def _heads(self, query: Query, values: Values) -> tuple[int, ...]:
        found = (substitute(self.join.head, solution) for solution in query.run(values))
        return tuple(map(self._facts.number, dict.fromkeys(found)))

    def _key(self, values: Values) -> int:
        return self._keys.number(("", *(values[name] for name in self._meet)))
