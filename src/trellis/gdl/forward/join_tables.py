"""What an emitted forward chaining program looks things up in.

Facts are numbers here.  What a fact, or a pair of facts, leads to is worked out when it is first
met and remembered: while playing, a join costs a few look-ups and no matching of terms.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from trellis.game.errors import LimitReached
from trellis.gdl.forward.plan import Join
from trellis.gdl.forward.store import MOST_FACTS, Query, Store, Values, check_depth, follow, match
from trellis.gdl.language.terms import Literal, Term, substitute

MOST_REMEMBERED = 1_000_000  # outcomes of a join; then it forgets them all
_WIDEST = 3.0  # ways a fixed relation may branch on average to be followed before a join


Sets = defaultdict[int, set[int]]


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
    return follow(store, join.fixed, join.first.variables, _WIDEST)


def points(join: Join, store: Store) -> bool:
    """Tell whether a fact for the first literal tells which facts it meets for the second."""
    if join.second is None or not join.second.positive:
        return False
    return join.second.variables <= _follow(join, store)[1]


class JoinTables:
    """How the facts of one join meet: the keys they meet under, and the heads they make."""

    changed: Callable[[int], None]  # to be told of a head that follows in more, or fewer, ways

    def __init__(self, join: Join, store: Store, facts: Facts, keys: Facts) -> None:
        self.join = join
        self._store, self._facts, self._keys = store, facts, keys
        self._of_first = join.first.variables
        self._head_query = Query(store, join.fixed, self._of_first)
        # What an emitted program writes into, and reads again:
        self.sets: tuple[Sets, Sets] = (defaultdict(set), defaultdict(set))  # of either place
        self.ready: Sets = defaultdict(set)
        self.waiting: defaultdict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
        self.shared = (Memo(self.heads), Memo(self.second_heads))
        self._second = join.second.sentence if join.second is not None else ""
        self.joins_itself = False
        if join.second is not None and join.second.positive:
            followed, known = _follow(join, store)
            self._meet = sorted(join.second.variables & known)
            self._follow_query = Query(store, followed, self._of_first)
            self._pair_query = Query(store, join.fixed, self._of_first | join.second.variables)
            self.joins_itself = join.first.name == join.second.name

    # Each of these is the work of a memo; numbers of facts come in, numbers go out.

    def heads(self, fact: int) -> tuple[int, ...]:
        """Return what follows from a fact alone: its heads."""
        return self._made(self.join.head, self._head_query, self._values(fact))

    def fits_second(self, fact: int) -> bool:
        """Tell whether a fact can be one for the second literal."""
        return self._values(second=fact) is not None

    def keys(self, place: int, fact: int) -> tuple[int, ...]:
        """Return the keys under which a fact for a literal waits for one for the other."""
        values = self._values(second=fact) if place else self._values(fact)
        if values is None:
            return ()
        if place:
            return (self._key(values),)
        return tuple(dict.fromkeys(map(self._key, self._follow_query.run(values))))

    def pointed(self, fact: int) -> tuple[int, ...]:
        """Return the facts that a fact for the first literal meets, where it tells which."""
        return self._made(self._second, self._follow_query, self._values(fact))

    def pair_heads(self, pair: tuple[int, int]) -> tuple[int, ...]:
        """Return the heads that two facts make."""
        return self._made(self.join.head, self._pair_query, self._values(*pair))

    def second_heads(self, fact: int) -> tuple[int, ...]:
        """Return the heads that a fact for the second literal makes, whatever the first is."""
        return self._made(self.join.head, self._pair_query, self._values(second=fact))

    def opposites(self, fact: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Return what must not hold besides a fact, each with the heads it would keep away."""
        return self._grouped(self._second, self._head_query, self._values(fact))

    def always_opposites(self) -> dict[int, tuple[int, ...]]:
        """Return all that must not hold, where nothing else that changes is asked for."""
        query = Query(self._store, self.join.fixed)
        return dict(self._grouped(self.join.first.sentence, query, {}))

    def _values(self, first: int | None = None, second: int | None = None) -> Values | None:
        """Return what variables stand for in the facts given; None where a fact does not fit."""
        values, terms = Values(), self._facts.terms
        if first is not None and not match(self.join.first.sentence, terms[first], values):
            return None
        if second is not None and not match(self._second, terms[second], values):
            return None
        return values

    def _key(self, values: Values) -> int:
        return self._keys.number(("", *[values[name] for name in self._meet]))

    def _grouped(
        self, sentence: Term, query: Query, values: Values | None
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        found: dict[int, dict[int, None]] = {}
        for solution in query.run(values) if values is not None else ():
            against = self._facts.number(substitute(sentence, solution))
            head = self._facts.number(substitute(self.join.head, solution))
            found.setdefault(against, {})[head] = None
        return tuple((against, tuple(heads)) for against, heads in found.items())

    def _made(self, sentence: Term, query: Query, values: Values | None) -> tuple[int, ...]:
        if values is None:
            return ()
        found = (substitute(sentence, solution) for solution in query.run(values))
        return tuple(map(self._facts.number, dict.fromkeys(found)))
