"""Every position that can be reached from one, each once, and where its moves lead.

Positions are numbered as they are found, breadth first, the first one 0.  The moves of position n
are the edges from first[n] up to first[n + 1], in the order in which the game lists them; an edge
is the number of the position it leads to.

Positions are found again by a hash of all their words and compared word by word, so two that
share a key are never taken for one.

>>> from trellis.loading import load
>>> found = Enumeration(load("tic_tac_toe").start())
>>> found.run().first[:3].tolist(), found.positions
([0, 9, 17], 5478)
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel, plain
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.bits import ONE, copy_words, hash_words
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Position
from trellis.game.memory import MIB, memory_of_machine, refuse_too_much
from trellis.game.rules import NOBODY, Calls, State, Tables

_FIRST_ROOM = 1 << 12  # positions
_MOST_ROOM = (1 << 31) - 1  # numbers of positions have 32 bits
_GROWTH = (2.0, 1.5, 1.25, 1.1)  # of an array that is full: the first of these that still fits
_FIRST_SLICE = 1 << 8
_SLICE_SECONDS = 0.02  # short enough for Ctrl-C and for a progress bar


class Positions(Bundle):
    """All positions and edges; there may be room for more."""

    states: npt.NDArray[np.uint64]  # [positions * state_words]
    slots: npt.NDArray[np.int32]  # a position or -1, by hash: a power of two, half empty
    actors: npt.NDArray[np.int8]
    first: npt.NDArray[np.int64]  # [positions + 1]
    targets: npt.NDArray[np.int32]  # [edges]


class _Work(Bundle):
    """What is going on, and room to work in."""

    counters: npt.NDArray[np.int64]
    here: npt.NDArray[np.uint64]
    there: npt.NDArray[np.uint64]
    buffer: npt.NDArray[np.int32]


_USED, _EDGES, _EXPANDED, _COUNTERS = range(4)
_DONE, _POSITIONS_FULL, _EDGES_FULL = range(3)


@kernel(lean=True)
def _slot_of(graph: Positions, state: State) -> int:
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


@kernel(entry=True)
def _find(graph: Positions, state: State) -> int:
    """Return the number of a position, or -1."""
    return np.int64(graph.slots[_slot_of(graph, state)])  # type: ignore[return-value]


@kernel(entry=True)
def _index_again(graph: Positions, state: State, used: int) -> None:
    """Fill an empty table of slots; `state` is room for one position."""
    words = len(state)
    for position in range(used):
        for word in range(words):
            state[word] = graph.states[position * words + word]
        graph.slots[_slot_of(graph, state)] = position


@kernel(entry=True, lean=True)
def _expand(calls: Calls, tables: Tables, graph: Positions, work: _Work, last: int) -> int:
    """List the moves of all positions before the `last` one; stop where there is no room."""
    acting, moves, play = calls.acting, calls.moves, calls.play
    counters, here, there, buffer = work.counters, work.here, work.there, work.buffer
    words = len(here)
    room, edge_room = len(graph.actors), len(graph.targets)
    for at in range(counters[_EXPANDED], last):
        used, edge = counters[_USED], counters[_EDGES]
        if used + len(buffer) > room:
            return _POSITIONS_FULL
        if edge + len(buffer) > edge_room:
            return _EDGES_FULL
        if graph.actors[at] != NOBODY:
            for word in range(words):
                here[word] = graph.states[at * words + word]
            for i in range(moves(tables, here, buffer)):
                copy_words(here, there)
                play(tables, there, np.int64(buffer[i]))  # type: ignore[arg-type]
                slot = _slot_of(graph, there)
                found = np.int64(graph.slots[slot])
                if found < 0:
                    found = used
                    graph.slots[slot] = found
                    for word in range(words):
                        graph.states[found * words + word] = there[word]
                    graph.actors[found] = acting(tables, there)
                    used += 1
                graph.targets[edge] = found
                edge += 1
        counters[_USED], counters[_EDGES] = used, edge
        counters[_EXPANDED] = at + 1
        graph.first[at + 1] = edge
    return _DONE


class Enumeration:
    """Finds all positions that can be reached, in slices, within bounds on memory and number.

    `memory` is in mebibytes, all that the machine has unless it is given; `later` is how many
    bytes a position, and an edge, will take beyond the arrays made here.  More than `limit`
    positions are refused by a message that ends in `advice`.
    """

    def __init__(
        self,
        position: Position,
        memory: float | None = None,
        limit: int | None = None,
        *,
        later: tuple[int, int] = (0, 0),
        advice: str = "expected a larger limit or a smaller game",
    ) -> None:
        memory = memory_of_machine() if memory is None else memory
        if not memory > 0:
            raise BadParameter(f"bad memory of {memory:g} MiB: expected a number above 0")
        refuse_too_much(memory)
        if limit is not None and limit < 1:
            raise BadParameter(f"bad limit {limit}: expected 1 position or more")
        game = self.game = position.game
        self.tables = game.own_tables()
        self._memory, self._limit, self._later, self._advice = memory, limit, later, advice
        self._calls = calls_of(game)
        self._kernel = _expand if game.compiled else plain(_expand)
        self._work = _Work.make(
            counters=_COUNTERS, here=game.state_words, there=game.state_words, buffer=game.max_moves
        )
        self._make_room(position)

    @property
    def positions(self) -> int:
        """Return how many positions are known."""
        return int(self._work.counters[_USED])

    @property
    def edges(self) -> int:
        """Return how many moves and outcomes they have together."""
        return int(self._work.counters[_EDGES])

    def position(self, number: int) -> Position:
        """Return the position with a number."""
        words = self.game.state_words
        return Position(self.game, self.graph.states[number * words : (number + 1) * words])

    def find(self, position: Position) -> int:
        """Return the number of a position, or -1."""
        return int(_find(self.graph, position.state)) if position.game == self.game else -1

    def run(self, progress: Progress | None = None, last: int | None = None) -> Positions:
        """Find everything, or all that one move leads to from positions before the `last` one."""
        counters, slices = self._work.counters, Slices(_FIRST_SLICE, each=_SLICE_SECONDS)
        for size in slices:
            before, goal = int(counters[_EXPANDED]), self.positions if last is None else last
            if before >= goal:
                break
            with np.errstate(over="ignore"):  # hashes wrap around; in plain Python with a warning
                status = int(
                    self._kernel(
                        self._calls, self.tables, self.graph, self._work, min(before + size, goal)
                    )
                )
            expanded = int(counters[_EXPANDED])
            if self._limit is not None and self.positions > self._limit:
                raise LimitReached(
                    f"{self.game.spec} has more than {self._limit:,} positions: {self._advice}"
                )
            if status != _DONE:
                self._enlarge(status == _POSITIONS_FULL)
            slices.finish(expanded - before)
            if progress is not None:
                fraction = expanded / (self.positions if last is None else last)
                progress(fraction, f"{self.positions:,} positions found")
        return self.graph

    # -- memory -----------------------------------------------------------------------------

    def _make_room(self, position: Position) -> None:
        game = self.game
        room = max(_FIRST_ROOM, 2 * game.max_moves)
        edges = max(4 * _FIRST_ROOM, 2 * game.max_moves)
        self._refuse_beyond(room, edges)
        slots = np.full(_slots_for(room), -1, np.int32)
        self.graph = Positions.make(
            states=room * game.state_words, slots=slots, actors=room, first=room + 1, targets=edges
        )
        self.graph.states[: game.state_words] = position.state
        self.graph.actors[0] = position.acting
        self._work.counters[_USED] = 1
        _index_again(self.graph, self._work.there, 1)

    def _fits(self, room: int, edges: int) -> bool:
        each = 8 * self.game.state_words + 1 + 8 + self._later[0]
        needed = room * each + 4 * _slots_for(room) + edges * (4 + self._later[1])
        return room <= _MOST_ROOM and needed <= self._memory * MIB

    def _refuse_beyond(self, room: int, edges: int) -> None:
        if not self._fits(room, edges):
            raise LimitReached(
                f"{self.game.spec} does not fit into {self._memory:g} MiB: {self.positions:,} "
                "positions found so far, and more to come; expected more memory or a smaller game"
            )

    def _enlarge(self, positions: bool) -> None:
        """Make more room for positions or for edges: the most that fits, else the least."""
        graph = self.graph
        room, edges = len(graph.actors), len(graph.targets)
        size = room if positions else edges
        sizes = [max(size + self.game.max_moves, int(size * growth)) for growth in _GROWTH]
        pairs = [(larger, edges) if positions else (room, larger) for larger in sizes]
        room, edges = next((pair for pair in pairs if self._fits(*pair)), pairs[-1])
        self._refuse_beyond(room, edges)
        if positions:
            graph.slots = np.full(_slots_for(room), -1, np.int32)
            graph.states = _longer(graph.states, room * self.game.state_words)
            graph.actors = _longer(graph.actors, room)
            graph.first = _longer(graph.first, room + 1)
        else:
            graph.targets = _longer(graph.targets, edges)
        self.graph = Positions(*graph)  # kernels look addresses up once for each bundle
        if positions:
            _index_again(self.graph, self._work.there, self.positions)


def _slots_for(room: int) -> int:
    return 1 << (2 * room - 1).bit_length()


def _longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer
