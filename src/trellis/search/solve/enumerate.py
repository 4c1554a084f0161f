"""Every position that can be reached from one, each once, and where its moves lead.

Positions are numbered as they are found, breadth first, the first one 0.  The moves of position n
are the edges from first[n] up to first[n + 1], in the order in which the game lists them; an edge
is the number of the position it leads to and, where chance acts, its probability.

Positions are found again by a hash of all their words and compared word by word, so two that
share a key are never taken for one.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numba.types as nt
import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel, plain
from trellis.game.bits import ONE, copy_words, hash_words
from trellis.game.errors import BadParameter, BrokenContract, LimitReached, TrellisError
from trellis.game.game import Game, Position
from trellis.game.memory import refuse_too_much
from trellis.game.playouts import BAD_PAYOFFS, no_bounds, no_chances, refuse_failure
from trellis.game.rules import (
    ACTING,
    BOUNDS,
    CHANCE,
    CHANCES,
    MOVES,
    NOBODY,
    PAYOFFS,
    PLAY,
    TABLES,
    Moves,
    Reals,
    State,
    Tables,
)

MEBIBYTE = 1 << 20
_FIRST_ROOM = 1 << 12  # positions
_MOST_ROOM = (1 << 31) - 1  # numbers of positions have 32 bits
_GROWTH = (2.0, 1.5, 1.25, 1.1)  # of an array that is full: the first of these that still fits
_FIRST_SLICE = 1 << 8
_SLICE_SECONDS = 0.02  # short enough for Ctrl-C and for a progress bar
_ROUNDING = 1e-9  # probabilities may miss 1 by this, payoffs their range by this part of it

Progress = Callable[[float, str], None]  # which part is done (0 while nobody knows), and a note


class Unfolded(
    Bundle,
    kinds=(
        nt.uint64, nt.int32, nt.int8, nt.int64, nt.int32, nt.float64, nt.float64, nt.float64,
        nt.int32,
    ),
):  # fmt: skip
    """All positions and edges; values are those of player 0, in the game's own scale."""

    states: npt.NDArray[np.uint64]  # [positions * state_words]
    slots: npt.NDArray[np.int32]  # a position or -1, by hash: a power of two, half empty
    actors: npt.NDArray[np.int8]
    first: npt.NDArray[np.int64]  # [positions + 1]
    targets: npt.NDArray[np.int32]  # [edges]
    shares: npt.NDArray[np.float64]  # [edges], or one where the game has no chance
    lows: npt.NDArray[np.float64]  # what a position is worth at least
    highs: npt.NDArray[np.float64]  # and at most
    best: npt.NDArray[np.int32]  # the move to make, counted from 0 as the game lists them, or -1


UNFOLDED = Unfolded.kernel_type


class UnfoldCalls(Bundle, kinds=(ACTING, MOVES, PLAY, PAYOFFS, CHANCES, BOUNDS)):
    """The functions of a game that are called, none missing."""

    acting: Callable[[Tables, State], int]
    moves: Callable[[Tables, State, Moves], int]
    play: Callable[[Tables, State, int], None]
    payoffs: Callable[[Tables, State, Reals], None]
    chances: Callable[[Tables, State, Reals], None]
    bounds: Callable[[Tables, State, Reals], None]


class Work(
    Bundle, kinds=(nt.int64, nt.float64, nt.uint64, nt.uint64, nt.int32, nt.float64, nt.float64)
):
    """What is going on, and room to work in."""

    counters: npt.NDArray[np.int64]
    limits: npt.NDArray[np.float64]
    here: npt.NDArray[np.uint64]
    there: npt.NDArray[np.uint64]
    buffer: npt.NDArray[np.int32]
    reals: npt.NDArray[np.float64]
    payoffs: npt.NDArray[np.float64]


USED, EDGES, UNFOLDED_SO_FAR, COUNTERS = range(4)
LEAST, MOST, OPEN_ENDS, SUM, LIMITS = range(5)  # the sum is not a number where none is promised
DONE, POSITIONS_FULL, EDGES_FULL, STUCK, BAD_CHANCES, BAD_PAYOFF = range(6)


@kernel(lean=True)
def _slot_of(graph: Unfolded, state: State) -> int:
    """Return the slot that holds a position, or the empty one where it belongs."""
    words, mask = len(state), np.uint64(len(graph.slots) - 1)
    slot = np.uint64(hash_words(state, words)) & mask
    while True:
        found = np.int64(graph.slots[np.int64(slot)])
        if found < 0:
            return np.int64(slot)  # type: ignore[return-value]
        same = True
        for word in range(words):
            same = same and graph.states[found * words + word] == state[word]
        if same:
            return np.int64(slot)  # type: ignore[return-value]
        slot = (slot + ONE) & mask


@kernel(nt.int64(UNFOLDED, nt.Array(nt.uint64, 1, "C")))
def find(graph: Unfolded, state: State) -> int:
    """Return the number of a position, or -1."""
    return np.int64(graph.slots[_slot_of(graph, state)])  # type: ignore[return-value]


@kernel(nt.void(UNFOLDED, nt.Array(nt.uint64, 1, "C"), nt.int64))
def index_again(graph: Unfolded, state: State, used: int) -> None:
    """Fill an empty table of slots; `state` is room for one position."""
    words = len(state)
    for position in range(used):
        for word in range(words):
            state[word] = graph.states[position * words + word]
        graph.slots[_slot_of(graph, state)] = position


@kernel(nt.int64(UnfoldCalls.kernel_type, TABLES, UNFOLDED, Work.kernel_type, nt.int64), lean=True)
def unfold_some(calls: UnfoldCalls, tables: Tables, graph: Unfolded, work: Work, count: int) -> int:
    """List the moves of the next `count` positions; stop early where there is no room."""
    acting, moves, play = calls.acting, calls.moves, calls.play
    payoffs, chances, bounds = calls.payoffs, calls.chances, calls.bounds
    counters, here, there, buffer = work.counters, work.here, work.there, work.buffer
    words = len(here)
    room, edge_room = len(graph.actors), len(graph.targets)
    least, most = work.limits[LEAST], work.limits[MOST]
    last = counters[UNFOLDED_SO_FAR] + count
    while counters[UNFOLDED_SO_FAR] < min(last, counters[USED]):
        at = counters[UNFOLDED_SO_FAR]
        used, edge = counters[USED], counters[EDGES]
        if used + len(buffer) > room:
            return POSITIONS_FULL
        if edge + len(buffer) > edge_room:
            return EDGES_FULL
        for word in range(words):
            here[word] = graph.states[at * words + word]
        actor = acting(tables, here)
        graph.actors[at] = actor
        graph.best[at] = -1
        graph.lows[at], graph.highs[at] = least, most
        if actor == NOBODY:
            payoffs(tables, here, work.payoffs[: len(work.payoffs) >> 1])
            value, slack = work.payoffs[0], _ROUNDING * (most - least)
            if not least - slack <= value <= most + slack:
                return BAD_PAYOFF
            if abs(value + work.payoffs[len(work.payoffs) // 2 - 1] - work.limits[SUM]) > slack:
                return BAD_PAYOFF
            graph.lows[at] = graph.highs[at] = value
            if work.limits[OPEN_ENDS] != 0.0:  # the rules may not say what everybody gets
                bounds(tables, here, work.payoffs)
                graph.lows[at] = max(least, work.payoffs[0])
                graph.highs[at] = min(most, work.payoffs[1])
        else:
            moves_here = moves(tables, here, buffer)
            if moves_here < 1:
                return STUCK
            total = 1.0
            if actor == CHANCE:
                chances(tables, here, work.reals)
                total = 0.0
                for i in range(moves_here):
                    if not work.reals[i] >= 0.0:
                        return BAD_CHANCES
                    total += work.reals[i]
                if not abs(total - 1.0) <= _ROUNDING:
                    return BAD_CHANCES
            for i in range(moves_here):
                copy_words(here, there)
                play(tables, there, np.int64(buffer[i]))  # type: ignore[arg-type]
                slot = _slot_of(graph, there)
                found = np.int64(graph.slots[slot])
                if found < 0:
                    found = used
                    graph.slots[slot] = found
                    for word in range(words):
                        graph.states[found * words + word] = there[word]
                    used += 1
                graph.targets[edge] = found
                if actor == CHANCE:
                    graph.shares[edge] = work.reals[i] / total
                edge += 1
        counters[USED], counters[EDGES] = used, edge
        counters[UNFOLDED_SO_FAR] = at + 1
        graph.first[at + 1] = edge
    return DONE


class Unfolding:
    """Finds all positions that can be reached, in slices, within a bound on memory.

    `later` is how many bytes a position will take beyond the arrays made here.
    """

    def __init__(self, position: Position, memory: float, limit: int | None, later: int) -> None:
        if not memory > 0:
            raise BadParameter(f"bad memory of {memory:g} MiB: expected a number above 0")
        refuse_too_much(memory)
        if limit is not None and limit < 1:
            raise BadParameter(f"bad limit {limit}: expected 1 position or more")
        game = self.game = position.game
        self.tables = game.own_tables()
        self._memory, self._limit, self._later = memory, limit, later
        rules = game.rules
        self._calls = UnfoldCalls(
            rules.acting, rules.moves, rules.play, rules.payoffs, rules.chances or no_chances,
            rules.bounds or no_bounds,
        )  # fmt: skip
        self._kernel = unfold_some if game.compiled else plain(unfold_some)
        self._work = Work(
            np.zeros(COUNTERS, np.int64),
            np.array([*game.payoff_range, rules.bounds is not None, _promised_sum(game)]),
            np.zeros(game.state_words, np.uint64),
            np.zeros(game.state_words, np.uint64),
            np.zeros(game.max_moves, np.int32),
            np.zeros(game.max_moves, np.float64),
            np.zeros(2 * game.players, np.float64),
        )
        self._make_room(position)

    @property
    def positions(self) -> int:
        """Return how many positions are known."""
        return int(self._work.counters[USED])

    @property
    def edges(self) -> int:
        """Return how many moves and outcomes they have together."""
        return int(self._work.counters[EDGES])

    def run(self, progress: Progress | None) -> Unfolded:
        """Find everything."""
        counters, size = self._work.counters, _FIRST_SLICE
        while counters[UNFOLDED_SO_FAR] < counters[USED]:
            before, began = int(counters[UNFOLDED_SO_FAR]), perf_counter()
            with np.errstate(over="ignore"):  # hashes wrap around; in plain Python with a warning
                status = int(self._kernel(self._calls, self.tables, self.graph, self._work, size))
            seconds = perf_counter() - began
            done = int(counters[UNFOLDED_SO_FAR]) - before
            if self._limit is not None and self.positions > self._limit:
                raise LimitReached(
                    f"{self.game.spec} has more than {self._limit:,} positions: expected a larger "
                    "limit or a smaller game"
                )
            if status == DONE:
                rate = done / max(seconds, 1e-9)
                size = max(1, min(4 * size, int(rate * _SLICE_SECONDS)))
            elif status == POSITIONS_FULL:
                self._enlarge_positions()
            elif status == EDGES_FULL:
                self._enlarge_edges()
            else:
                self._refuse(status)
            if progress is not None:
                progress(0.0, f"{self.positions:,} positions found")
        return self.graph

    def _refuse(self, status: int) -> None:
        spec = self.game.spec
        if status == STUCK:
            raise BrokenContract(f"{spec}: somebody acts in a position without legal moves")
        if status == BAD_CHANCES:
            raise TrellisError(f"the probabilities of a chance node of {spec} do not add up to 1")
        refuse_failure(self.game, BAD_PAYOFFS, self._work.here)

    # -- memory -----------------------------------------------------------------------------

    def _make_room(self, position: Position) -> None:
        game = self.game
        room = max(_FIRST_ROOM, 2 * game.max_moves)
        edges = max(4 * _FIRST_ROOM, 2 * game.max_moves)
        self._refuse_beyond(room, edges)
        self.graph = Unfolded(
            np.zeros(room * game.state_words, np.uint64),
            np.full(_slots_for(room), -1, np.int32),
            np.zeros(room, np.int8),
            np.zeros(room + 1, np.int64),
            np.zeros(edges, np.int32),
            np.zeros(edges if game.has_chance else 1, np.float64),
            np.zeros(room, np.float64),
            np.zeros(room, np.float64),
            np.zeros(room, np.int32),
        )
        self.graph.states[: game.state_words] = position.state
        self._work.counters[USED] = 1
        index_again(self.graph, self._work.there, 1)

    def _bytes(self, room: int, edges: int) -> int:
        each = 8 * self.game.state_words + 1 + 8 + 8 + 8 + 4 + self._later
        return (
            room * each + 4 * _slots_for(room) + edges * (12 if self.game.has_chance else 4)
        )  # fmt: skip

    def _refuse_beyond(self, room: int, edges: int) -> None:
        if room > _MOST_ROOM or self._bytes(room, edges) > self._memory * MEBIBYTE:
            raise LimitReached(
                f"{self.game.spec} does not fit into {self._memory:g} MiB: {self.positions:,} "
                "positions found so far, and more to come; expected more memory or a smaller game"
            )

    def _larger(self, size: int, fits: Callable[[int], bool]) -> int:
        """Choose the new size of what is full: the largest that fits, else the least."""
        needed = size + self.game.max_moves
        sizes = [max(needed, int(size * growth)) for growth in _GROWTH]
        return next((larger for larger in sizes if fits(larger)), sizes[-1])

    def _enlarge_positions(self) -> None:
        graph, edges = self.graph, len(self.graph.targets)
        budget = self._memory * MEBIBYTE
        room = self._larger(
            len(graph.actors),
            lambda room: room <= _MOST_ROOM and self._bytes(room, edges) <= budget,
        )
        self._refuse_beyond(room, edges)
        graph.slots = np.full(_slots_for(room), -1, np.int32)
        graph.states = _longer(graph.states, room * self.game.state_words)
        for name in ("actors", "lows", "highs", "best"):
            setattr(graph, name, _longer(getattr(graph, name), room))
        graph.first = _longer(graph.first, room + 1)
        self.graph = Unfolded(*graph)  # kernels look addresses up once for each bundle
        index_again(self.graph, self._work.there, self.positions)

    def _enlarge_edges(self) -> None:
        graph, room = self.graph, len(self.graph.actors)
        edges = self._larger(
            len(graph.targets),
            lambda edges: self._bytes(room, edges) <= self._memory * MEBIBYTE,
        )
        self._refuse_beyond(room, edges)
        graph.targets = _longer(graph.targets, edges)
        if self.game.has_chance:
            graph.shares = _longer(graph.shares, edges)
        self.graph = Unfolded(*graph)


def refuse_unfit(game: Game) -> None:
    """Refuse games whose value is not one number that one player raises and the other lowers."""
    if game.is_simultaneous:
        raise BadParameter(f"cannot solve {game.spec} exactly: players choose at the same moment")
    if game.players > 2 or (game.players == 2 and game.constant_sum is None):
        raise BadParameter(
            f"cannot solve {game.spec} exactly: expected one player, or two whose payoffs always "
            "add up to the same"
        )


def _promised_sum(game: Game) -> float:
    """Return what the payoffs of two players add up to; nothing where ends may leave that open."""
    promised = game.players == 2 and game.constant_sum is not None and game.rules.bounds is None
    return float(game.constant_sum or 0.0) if promised else float("nan")


def _slots_for(room: int) -> int:
    return 1 << (2 * room - 1).bit_length()


def _longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer
