"""What players can be sure of in a small game, by definition: every position is looked at.

This is what proofs are compared with, so it shares nothing with them: no search, no table of
bounds, no order of moves.  A position is a `Spot`; values follow backward from the ends.

>>> end = [Spot(pays=(value, 100 - value)) for value in (0, 100)]
>>> pennies = Spot((2, 2), targets=(1, 2, 2, 1))
>>> Graph([pennies, *end], 2, 0, 100).values(0)[0]
(0, 100)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod

import numpy as np

from trellis.game.errors import LimitReached
from trellis.game.game import Position
from trellis.game.rules import CHANCE, NOBODY

Number = int | float | Fraction
Pair = tuple[Number, Number]
Choice = Callable[[Iterator[Number]], Number]

_EXACT_SWEEPS = 12  # with fractions, which grow and grow where play goes round through chance
_SWEEPS = 400_000  # play that goes round a hundred thousand times is settled before
_NOTHING = 1e-13  # what changes by less than this part of the range does not change


@dataclass(frozen=True)
class Spot:
    """A position: how many moves each player has, and where all choices together lead.

    `targets` are counted as digits are: the last player's choice changes fastest, and chance
    faster still.  At an end there is nothing but `pays`.  A player with 0 moves is stuck.
    """

    counts: tuple[int, ...] = ()
    shares: tuple[Number, ...] = (1,)  # the probabilities of what chance draws
    targets: tuple[int, ...] = ()
    pays: tuple[Number, ...] | None = None

    @property
    def is_stuck(self) -> bool:
        """Tell whether the game cannot go on, and is not over."""
        return self.pays is None and not self.targets

    @property
    def choosing(self) -> int:
        """Count the players who have a choice."""
        return sum(count > 1 for count in self.counts)


@dataclass
class Graph:
    """All positions of a game, the first one first."""

    spots: list[Spot]
    players: int
    least: Number  # no payoff is less
    greatest: Number  # nor greater
    exact: bool = True  # becomes False where values are only approached

    def __post_init__(self) -> None:
        self._order, self._rest = self._settle()
        self._known: dict[int, list[Pair]] = {}

    @property
    def is_cyclic(self) -> bool:
        """Tell whether a position can come again."""
        return bool(self._rest)

    def longest(self, weight: Callable[[Spot], int] = lambda spot: 1) -> int | None:
        """Return the length of the longest game, in steps unless they weigh otherwise."""
        if self.is_cyclic:
            return None
        length = [0] * len(self.spots)
        for number in self._order:
            spot = self.spots[number]
            if spot.targets:
                length[number] = weight(spot) + max(length[target] for target in spot.targets)
        return length[0]

    def values(self, player: int) -> list[Pair]:
        """Return what a player gets from each position: (secure, hold).

        `secure` is what the player's own moves guarantee, without chance of their own, where all
        others know each of them beforehand and want the player to get little.  `hold` is what the
        others can hold the player to, if they choose first and the player knows it.  A position
        where somebody is stuck is worth anything, and so is play without an end.
        """
        if player not in self._known:
            secure = self._values(player, self.least, max, min)
            hold = self._values(player, self.greatest, min, max)
            self._known[player] = list(zip(secure, hold, strict=True))
        return self._known[player]

    def _values(self, player: int, unknown: Number, first: Choice, second: Choice) -> list[Number]:
        """Go backward from the ends; whatever nothing is known of is worth `unknown`.

        `first` and `second` are max and min for the player's own choice before the others', min
        and max for the others' before the player's.
        """
        values: list[Number] = [unknown] * len(self.spots)
        own_first = first is max

        def value_of(number: int) -> Number:
            spot = self.spots[number]
            if spot.pays is not None:
                return spot.pays[player]
            if spot.is_stuck:
                return unknown
            rows = _rows(spot.counts, len(spot.shares), player, own_first)
            return first(second(_expected(spot, values, at) for at in row) for row in rows)

        for number in self._order:
            values[number] = value_of(number)
        if self._rest:
            self._go_round(values, value_of)
        return values

    def _go_round(self, values: list[Number], value_of: Callable[[int], Number]) -> None:
        """Repeat what follows from what until nothing changes."""
        nothing = _NOTHING * float(self.greatest - self.least)
        for sweep in range(_SWEEPS):
            changed: float = 0.0
            for number in self._rest:
                before, now = values[number], value_of(number)
                if sweep >= _EXACT_SWEEPS and isinstance(now, Fraction):
                    now = float(now)
                if now != before:
                    changed = max(changed, abs(float(now - before)), 1e-300)
                    values[number] = now
            if not changed:
                return
            if sweep > _EXACT_SWEEPS and changed <= nothing:
                self.exact = False
                return
        raise LimitReached("values approach each other too slowly to say what is true")

    def _settle(self) -> tuple[list[int], list[int]]:
        """Return positions, followers first, and those that lead into a cycle, last found first."""
        left = [len(spot.targets) for spot in self.spots]
        parents: list[list[int]] = [[] for _ in self.spots]
        for number, spot in enumerate(self.spots):
            for target in spot.targets:
                parents[target].append(number)
        order = [number for number, count in enumerate(left) if not count]
        for number in order:  # grows meanwhile
            for parent in parents[number]:
                left[parent] -= 1
                if not left[parent]:
                    order.append(parent)
        return order, [number for number, count in enumerate(left) if count][::-1]


@cache
def _rows(
    counts: tuple[int, ...], draws: int, player: int, own_first: bool
) -> tuple[tuple[int, ...], ...]:
    """Return where the draws of each joint choice begin in `targets`.

    A row for each of the player's moves, in it all choices of the others; or the other way round.
    """
    after = prod(counts[player + 1 :])
    before = prod(counts[:player])
    rows = [
        [
            ((ahead * counts[player] + own) * after + behind) * draws
            for ahead in range(before)
            for behind in range(after)
        ]
        for own in range(counts[player])
    ]
    return tuple(map(tuple, rows if own_first else zip(*rows, strict=True)))


def _expected(spot: Spot, values: Sequence[Number], at: int) -> Number:
    if len(spot.shares) == 1:
        return values[spot.targets[at]]
    total = sum(share * values[spot.targets[at + draw]] for draw, share in enumerate(spot.shares))
    return total.numerator if isinstance(total, Fraction) and total.denominator == 1 else total


def look_at_all(start: Position, limit: int = 100_000) -> tuple[Graph, dict[bytes, int]]:
    """List all positions of a game that can be reached, and where each is, by its words.

    Players who choose at once are asked one after the other by the rules; here they are one step.
    """
    game, rules, tables = start.game, start.game.rules, start.game.tables
    buffer = np.empty(game.max_moves, np.int32)
    weights = np.empty(game.max_moves, np.float64)
    pays = np.zeros(game.players)

    def moves_of(state: np.ndarray) -> list[int]:
        return buffer[: int(rules.moves(tables, state, buffer))].tolist()

    def after(state: np.ndarray, move: int) -> np.ndarray:
        state = state.copy()
        rules.play(tables, state, move)
        return state

    def look(state: np.ndarray) -> tuple[Spot, list[bytes]]:
        acting = int(rules.acting(tables, state))
        counts = [1] * game.players
        if acting == NOBODY:
            rules.payoffs(tables, state, pays)
            return Spot(pays=tuple(pays.tolist())), []
        if acting == CHANCE:
            moves = moves_of(state)
            shares: list[Number] = [1]
            if rules.chances is not None:
                rules.chances(tables, state, weights)
                shares = weights[: len(moves)].tolist()
            found = [after(state, move).tobytes() for move in moves]
            return Spot(tuple(counts), tuple(shares)), found
        asked = 1 << acting if rules.actors is None else int(rules.actors(tables, state))
        reached = [state]
        for player in range(game.players):
            if asked >> player & 1 and reached:
                moves = moves_of(reached[0])
                counts[player] = len(moves)
                reached = [after(each, move) for each in reached for move in moves]
        return Spot(tuple(counts)), [each.tobytes() for each in reached]

    first = start.state.tobytes()
    places, waiting = {first: 0}, [first]
    spots: list[Spot] = []
    for key in waiting:  # grows meanwhile
        spot, found = look(np.frombuffer(key, np.uint64).copy())
        for each in found:
            if each not in places:
                places[each] = len(places)
                waiting.append(each)
        if len(places) > limit:
            raise LimitReached(f"{game.spec} has more than {limit:,} positions")
        targets = tuple(places[each] for each in found)
        spots.append(Spot(spot.counts, spot.shares, targets, spot.pays))
    least, greatest = map(float, game.payoff_range)
    return Graph(spots, game.players, least, greatest), places
