"""All positions of a game for one player, breadth first, until an end is as good as can be.

Every position is looked at once, found again by all its words; the first way to an end is one of
the shortest.  Where all positions have been seen, the best end is proven to be the best there is.
"""

from time import perf_counter

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import kernel, plain
from trellis.game.calls import calls_of
from trellis.game.enumerate import Enumeration, Positions
from trellis.game.errors import LimitReached
from trellis.game.game import Position
from trellis.game.rules import NOBODY, Calls, State, Tables

_FIRST_CHUNK = 64  # positions
_CHUNK_SECONDS = 0.05


@kernel(entry=True, lean=True)
def _best_end(
    calls: Calls, tables: Tables, graph: Positions, begin: int, end: int, state: State,
    out: npt.NDArray[np.float64], bounded: bool,
) -> int:  # fmt: skip
    """Return the first of the best ends among some positions, or -1; `out[0]` is its worth."""
    words, best, worth = len(state), -1, 0.0
    for at in range(begin, end):
        if graph.actors[at] != NOBODY:
            continue
        for word in range(words):
            state[word] = graph.states[at * words + word]
        if bounded:
            calls.bounds(tables, state, out)
        else:
            calls.payoffs(tables, state, out)
        if best < 0 or out[0] > worth:
            best, worth = at, out[0]
    out[0] = worth
    return best


class BreadthFirst:
    """Looks at positions a while at a time."""

    def __init__(self, position: Position, mebibytes: float) -> None:
        game = self.game = position.game
        self.complete = False  # all positions have been seen
        self.gave_up = False  # there is no memory for more
        self.best_worth = -np.inf
        self._best = -1
        self._start = position
        self._found = Enumeration(position, mebibytes)
        self._tables = game.own_tables()
        self._calls = calls_of(game)
        self._best_end = _best_end if game.compiled else plain(_best_end)
        self._looked = self._expanded = 0
        self._chunk = _FIRST_CHUNK

    @property
    def positions(self) -> int:
        """Return how many positions are known."""
        return self._found.positions

    @property
    def over(self) -> bool:
        """Tell whether there is nothing left to do."""
        return self.complete or self.gave_up

    def think(self, until: float) -> bool:
        """Look at some more positions, for a moment; return whether a better end was found."""
        before = self.best_worth
        began = perf_counter()
        last = min(self._expanded + self._chunk, self._found.positions)
        try:
            self._found.run(last=last)
        except (LimitReached, MemoryError):
            self.gave_up = True
            return False
        finally:
            self._look()
        self._expanded = last
        took = max(perf_counter() - began, 1e-6)
        most = min(_CHUNK_SECONDS, max(until - perf_counter(), 1e-3))
        self._chunk = max(16, min(4 * self._chunk, int(self._chunk * most / took)))
        self.complete = self._expanded >= self._found.positions
        return self.best_worth > before

    def _look(self) -> None:
        """Look at the ends among positions that are new."""
        out = np.zeros(2 * self.game.players)
        state = np.zeros(self.game.state_words, np.uint64)
        last = self._found.positions
        best = int(
            self._best_end(
                self._calls, self._tables, self._found.graph, self._looked, last, state, out,
                self.game.rules.bounds is not None,
            )
        )  # fmt: skip
        if best >= 0 and out[0] > self.best_worth:
            self._best, self.best_worth = best, float(out[0])
        self._looked = last

    def way(self) -> list[int]:
        """Return the moves to the best end."""
        graph, edges = self._found.graph, self._found.edges
        path, at = [], self._best
        targets = graph.targets[:edges]
        first = graph.first
        while at > 0:  # the first edge into a position is the one that found it
            edge = int(np.flatnonzero(targets == at)[0])
            before = int(np.searchsorted(first[: self._expanded + 1], edge, side="right")) - 1
            path.append((before, edge - int(first[before])))
            at = before
        moves = []
        for before, index in reversed(path):
            moves.append(self._found.position(before).move_codes()[index])
        return moves
