"""Puzzles: the best way to an end for one player, kept and played once it is found.

Two searches share the time.  One looks at all positions, breadth first, as long as memory allows:
on small puzzles it proves its answer.  The other plays games that learn from the best one so far,
and finds good ways where there are too many positions.  The better way of the two is kept.
"""

from time import perf_counter

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.search.puzzle.breadth_first import BreadthFirst
from trellis.search.puzzle.rollouts import Rollouts


class PuzzleSolver:
    """Looks for the best way from a position, a while at a time."""

    def __init__(self, game: Game, *, seed: int = 0, mebibytes: float = 256.0) -> None:
        if game.players != 1 or game.has_chance:
            raise BadParameter(f"{game.spec} is not a puzzle: expected one player, and no chance")
        self.game = game
        self.best_worth = -float("inf")
        self.proven = False  # no way is better than the best
        self._seed, self._mebibytes = seed, mebibytes
        self._way: list[int] = []  # the best one, from `_at` on
        self._at: Position | None = None
        self._breadth: BreadthFirst | None = None
        self._rollouts: Rollouts | None = None
        self._spent = [0.0, 0.0]  # seconds, on either search

    @property
    def finished(self) -> bool:
        """Tell whether nothing better can be found."""
        return self.proven or self.best_worth >= self.game.payoff_range[1]

    @property
    def way(self) -> list[int]:
        """Return the moves of the best way from the position at hand, by number."""
        return list(self._way)

    @property
    def looked_at(self) -> int:
        """Return how many positions were looked at, and games played."""
        positions = 0 if self._breadth is None else self._breadth.positions
        return positions + (0 if self._rollouts is None else self._rollouts.games)

    def think(self, position: Position, seconds: float) -> None:
        """Look for a better way from a position."""
        until = perf_counter() + seconds
        self._move_to(position)
        while not self.finished and not stop_asked():
            now = perf_counter()
            if now >= until:
                return
            breadth, rollouts = self._searches(position)
            which = 1 if breadth.over or self._spent[1] < self._spent[0] else 0
            search = rollouts if which else breadth
            better = search.think(until)
            self._spent[which] += perf_counter() - now
            if better and search.best_worth > self.best_worth:
                self.best_worth = search.best_worth
                self._way = breadth.way() if search is breadth else list(rollouts.best_moves)
            self.proven = breadth.complete and breadth.best_worth >= self.best_worth

    def next_move(self, position: Position) -> tuple[int, float | None]:
        """Return the first move of the best way, and what it leads to; a legal one without any."""
        self._move_to(position)
        if self._way:
            return self._way[0], self.best_worth
        return position.move_codes()[0], None

    def _move_to(self, position: Position) -> None:
        """Go along the best way; elsewhere, begin anew."""
        if self._at == position:
            return
        here = position if self._at is None else self._at
        for made, code in enumerate(self._way, start=1):
            here = here.play(code)
            if here == position:
                self._way, self._at = self._way[made:], position
                if not self.finished:  # more may be found from here
                    self._begin_at(position)
                return
        self.best_worth, self.proven, self._way, self._at = -float("inf"), False, [], position
        self._begin_at(position)

    def _begin_at(self, position: Position) -> None:
        self._breadth = self._rollouts = None
        self._spent = [0.0, 0.0]

    def _searches(self, position: Position) -> tuple[BreadthFirst, Rollouts]:
        """Return the two searches from a position, made where there are none."""
        if self._breadth is None or self._rollouts is None:
            self._seed += 1
            self._breadth = BreadthFirst(position, self._mebibytes)
            self._rollouts = Rollouts(position, self._seed)
        return self._breadth, self._rollouts
