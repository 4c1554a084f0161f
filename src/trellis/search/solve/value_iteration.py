"""What a whole game is worth, and every position of it, by looking at all of them.

>>> from trellis.loading import load
>>> solution = solve_exactly(load("pig:target=10,horizon=0").start())
>>> solution.exact, round(solution.low, 6), solution.best_name
(True, 0.418849, 'roll')

Where no position can come back, values follow one after the other from the end (backward
induction).  Where positions can come back, two bounds are improved until they meet (interval
iteration).  The lower bound is what player 0 gets if a game that never ends counts as the least
payoff, the upper bound if it counts as the greatest.  Where both are the same, it does not matter;
where they are not, players may go round for ever, and there is no number to report but these two.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

import numpy as np

from trellis.game.errors import BadParameter, BrokenContract, GameOver
from trellis.game.game import Game, Position
from trellis.search.solve import scc as c
from trellis.search.solve.enumerate import Progress, Unfolded, Unfolding, find, refuse_unfit

_FIRST_SLICE = 1 << 16
_SLICE_SECONDS = 0.02
# Sweeps end where nothing changes by more than this part of the tolerance: they may approach a
# value so slowly that a step is a small part of what is missing.
_STEP = 1e-6
_PATIENCE = 1 << 28  # looks at the positions of one cycle: some seconds
_PASSES = 16  # over all marked positions, between two looks at the keyboard


@dataclass(frozen=True)
class ExactMove:
    """One move or outcome of the first position, and what player 0 gets after it."""

    code: int
    name: str
    low: float
    high: float
    share: float | None = None  # its probability, where chance acts


class ExactValues(Mapping[Position, tuple[float, float]]):
    """What player 0 gets from each position, at least and at most."""

    def __init__(self, game: Game, graph: Unfolded, positions: int, tolerance: float) -> None:
        self.game = game
        self._graph = graph
        self._positions = positions
        self._tolerance = tolerance  # in the game's scale

    def _number(self, position: Position) -> int:
        if position.game != self.game:
            return -1
        return int(find(self._graph, position.state))

    def __getitem__(self, position: Position) -> tuple[float, float]:
        number = self._number(position)
        if number < 0:
            raise KeyError(position)
        # Adding 0 makes 0.0 of -0.0, which reads badly.
        return float(self._graph.lows[number]) + 0.0, float(self._graph.highs[number]) + 0.0

    def __iter__(self) -> Iterator[Position]:
        words = self.game.state_words
        for number in range(self._positions):
            state = self._graph.states[number * words : (number + 1) * words]
            yield Position(self.game, state.copy())

    def __len__(self) -> int:
        return self._positions

    def best(self, position: Position) -> int | None:
        """Return an optimal move, by its number, or None where no player acts.

        Following these moves a player gets what was found, and does not put it off for ever.
        """
        number = self._number(position)
        if number < 0:
            raise BadParameter(
                f"position {position.code} cannot be reached from where {self.game.spec} was solved"
            )
        actor = int(self._graph.actors[number])
        if actor < 0:
            return None
        first, last = self._graph.first[number], self._graph.first[number + 1]
        targets = self._graph.targets[first:last]
        lows, highs = self._graph.lows[targets], self._graph.highs[targets]
        sure, hoped = (lows, highs) if actor == 0 else (-highs, -lows)
        kept = int(self._graph.best[number])
        if kept < 0 or sure[kept] < sure.max() - self._tolerance:
            kept = int(np.lexsort((-hoped, -sure))[0])
        return position.move_codes()[kept]

    def strategy(self) -> Iterator[tuple[Position, str]]:
        """List every position where a player has a choice, with an optimal move by name."""
        choices = np.diff(self._graph.first[: self._positions + 1])
        acting = self._graph.actors[: self._positions]
        words = self.game.state_words
        for number in np.flatnonzero((acting >= 0) & (choices > 1)):
            state = self._graph.states[number * words : (number + 1) * words]
            position = Position(self.game, state.copy())
            best = self.best(position)
            if best is not None:
                yield position, position.name(best)


@dataclass(frozen=True)
class ExactSolution:
    """What a game is worth to player 0, in the game's own scale."""

    game: str
    value: float | None  # None where the bounds do not meet
    low: float  # what player 0 gets if a game without an end counts as the least payoff
    high: float  # and as the greatest
    endless: bool  # somewhere play may go on for ever, and it matters what that counts
    best: int | None
    best_name: str | None
    moves: tuple[ExactMove, ...]  # of the first position, or its outcomes
    positions: int
    edges: int
    cyclic: bool  # some position can come back
    cycles: int  # sets of positions that can all reach each other
    sweeps: int  # that the set took which took most
    seconds: float
    values: ExactValues = field(repr=False, compare=False)

    @property
    def exact(self) -> bool:
        """Tell whether the value is known."""
        return self.value is not None

    @property
    def positions_per_second(self) -> float:
        """Return how many positions were found and settled in a second."""
        return self.positions / self.seconds if self.seconds > 0 else 0.0

    def payoff_of_second(self, game: Game) -> float | None:
        """Return what player 1 gets, where it follows from what player 0 does.

        Play that goes round for ever, or stops without an end, pays nobody: then payoffs add up
        to nothing, and only where the sum is that of the least and the greatest payoff does one
        player's least stand for the other's greatest.
        """
        if self.value is None or game.constant_sum is None:
            return None
        if (self.cyclic or game.open_ends) and game.constant_sum != sum(game.payoff_range):
            return None
        return game.constant_sum - self.value

    def facts(self) -> dict[str, Any]:
        """Return everything but the values of all positions, for JSON."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        del found["values"]
        return found | {"moves": [vars(move) for move in self.moves]}

    def sentence(self) -> str:
        """Say in one line what was found."""
        if self.value is not None:
            return f"{self.game} is worth {self.value:.10g} to its first player"
        between = f"{self.game} is worth {self.low:.10g} to {self.high:.10g} to its first player"
        if self.endless:
            return f"{between}, depending on what a game that goes round for ever counts"
        return f"{between}: the bounds approach each other too slowly to say more"


def solve_exactly(
    start: Game | Position,
    memory: float = 1024.0,
    tolerance: float = 1e-10,
    progress: Progress | None = None,
    *,
    limit: int | None = None,
) -> ExactSolution:
    """Find the value of a position, and of every position that can be reached from it.

    `memory` is how many mebibytes it may take, about; `limit` how many positions there may be.
    Beyond either, LimitReached is raised.  Bounds meet where they differ by no more than
    `tolerance`, a part of the range of payoffs.  `progress(share, note)` is called now and then.
    """
    position = start if isinstance(start, Position) else start.start()
    game = position.game
    if not 0 < tolerance < 1:
        raise BadParameter(f"bad tolerance {tolerance:g}: expected a number above 0 and below 1")
    refuse_unfit(game)
    if position.is_over:
        raise GameOver(f"nothing to solve: the game of {game.spec} is over")
    began = perf_counter()
    unfolding = Unfolding(position, memory, limit, later=c.BYTES)
    graph = unfolding.run(progress)
    positions = unfolding.positions
    low, high = game.payoff_range
    close = tolerance * (high - low)
    parts = c.make_parts(positions, _STEP * close, _PATIENCE)

    def tell(note: str) -> None:
        if progress is not None:
            share = int(parts.registers[c.AT]) / max(1, int(parts.registers[c.COMPONENTS]))
            progress(share, f"{positions:,} positions, {note}")

    _in_slices(lambda size: c.find_components(graph, parts, size), lambda: tell("finding cycles"))
    c.arrange(parts)
    _in_slices(
        lambda size: c.settle(graph, parts, size),
        lambda: tell(f"sweep {int(parts.registers[c.SWEEPS]) + 1}"),
    )
    endless = _is_endless(graph, parts, positions, close)
    values = ExactValues(game, graph, positions, close)
    least, most = values[position]
    best = values.best(position)
    return ExactSolution(
        game=game.spec,
        value=0.5 * (least + most) if most - least <= close else None,
        low=least,
        high=most,
        endless=endless,
        best=best,
        best_name=None if best is None else position.name(best),
        moves=tuple(_moves(position, values)),
        positions=positions,
        edges=unfolding.edges,
        cyclic=bool(parts.registers[c.CYCLIC]),
        cycles=int(parts.registers[c.CYCLIC]),
        sweeps=int(parts.registers[c.MOST_SWEEPS]),
        seconds=perf_counter() - began,
        values=values,
    )


def _in_slices(run: Callable[[int], int], tell: Callable[[], None]) -> None:
    """Run a kernel a little at a time, so that Ctrl-C is heard and progress is seen."""
    size = _FIRST_SLICE
    while True:
        began = perf_counter()
        status = run(size)
        seconds = perf_counter() - began
        tell()
        if status == c.DONE:
            return
        size = max(1, min(4 * size, int(size * _SLICE_SECONDS / max(seconds, 1e-9))))


def _is_endless(graph: Unfolded, parts: c.Parts, positions: int, close: float) -> bool:
    """Tell whether play may stay for ever among positions whose bounds do not meet.

    If it may not, the bounds would meet in the end, and only approach each other slowly.
    """
    parts.marks[:] = graph.highs[:positions] - graph.lows[:positions] > close
    if not parts.marks.any():
        return False
    while c.unmark(graph, parts, _PASSES, close):
        pass
    return bool(parts.marks.any())


def _moves(position: Position, values: ExactValues) -> Iterator[ExactMove]:
    shares: list[Any] = [*position.probabilities()] or [None] * len(position.move_codes())
    for code, share in zip(position.move_codes(), shares, strict=True):
        after = position.play(code)
        if after not in values:
            raise BrokenContract(
                f"{position.game.spec}: {position.name(code)} leads to another position when it is "
                f"played again: expected states that are equal where they are the same "
                f"(position {position.code})"
            )
        low, high = values[after]
        yield ExactMove(code, position.name(code), low, high, share)
