"""What a whole game is worth, and every position of it, by looking at all of them.

>>> from trellis.loading import load
>>> solution = solve_exactly(load("pig:target=10,horizon=0").start())
>>> solution.solved, round(solution.low, 6), solution.best
(True, 0.418849, 'roll')

Where no position can come back, values follow one after the other from the end (backward
induction).  Where positions can come back, two bounds are improved until they meet (interval
iteration).  The lower bound is what player 0 gets if a game that never ends counts as the least
payoff, the upper bound if it counts as the greatest.  Where both are the same, it does not matter;
where they are not, players may go round for ever, and there is no number to report but these two.
"""

from collections.abc import Callable, Iterator, Mapping
from math import nan
from time import perf_counter

import numpy as np

from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.enumerate import Enumeration
from trellis.game.errors import BadParameter, BrokenContract
from trellis.game.game import Game, Position, position_of
from trellis.search.budget import refuse_hashed_past, refuse_many_values, refuse_over
from trellis.search.report import MoveReport, Report, proven_of_all, sum_of_two
from trellis.search.solve import scc as c
from trellis.search.solve import values as v

_FIRST_SLICE = 1 << 16
_SLICE_SECONDS = 0.02
# Sweeps end where nothing changes by more than this part of the tolerance: they may approach a
# value so slowly that a step is a small part of what is missing.
_STEP = 1e-6
PATIENCE = 1 << 28  # looks at the positions of one cycle: some seconds
_PASSES = 16  # over all marked positions, between two looks at the keyboard


class PositionValues(Mapping[Position, tuple[float, float]]):
    """What player 0 gets from each position, at least and at most."""

    def __init__(self, found: Enumeration, values: v.Values, tolerance: float) -> None:
        self.game = found.game
        self._found = found
        self._values = values
        self._tolerance = tolerance  # in the game's scale

    def __getitem__(self, position: Position) -> tuple[float, float]:
        number = self._found.find(position)
        if number < 0:
            raise KeyError(position)
        # Adding 0 makes 0.0 of -0.0, which reads badly.
        return float(self._values.lows[number]) + 0.0, float(self._values.highs[number]) + 0.0

    def __iter__(self) -> Iterator[Position]:
        return map(self._found.position, range(len(self)))

    def __len__(self) -> int:
        return self._found.positions

    def best(self, position: Position) -> int | None:
        """Return an optimal move, by its number, or None where no player acts.

        Following these moves a player gets what was found, and does not put it off for ever.
        """
        number = self._found.find(position)
        if number < 0:
            raise BadParameter(
                f"position {position.code} cannot be reached from where {self.game.spec} was solved"
            )
        graph, values = self._found.graph, self._values
        actor = int(graph.actors[number])
        if actor < 0:
            return None
        targets = graph.targets[graph.first[number] : graph.first[number + 1]]
        lows, highs = values.lows[targets], values.highs[targets]
        sure, hoped = (lows, highs) if actor == 0 else (-highs, -lows)
        kept = int(values.best[number])
        if kept < 0 or sure[kept] < sure.max() - self._tolerance:
            kept = int(np.lexsort((-hoped, -sure))[0])
        return position.move_codes()[kept]

    def strategy(self) -> Iterator[tuple[Position, str]]:
        """List every position where a player has a choice, with an optimal move by name."""
        graph = self._found.graph
        choices = np.diff(graph.first[: len(self) + 1])
        for number in np.flatnonzero((graph.actors[: len(self)] >= 0) & (choices > 1)):
            position = self._found.position(int(number))
            best = self.best(position)
            if best is not None:
                yield position, position.name(best)


def solve_exactly(
    start: Game | Position | str,
    memory: float = 1024.0,
    tolerance: float = 1e-10,
    progress: Progress | None = None,
    *,
    limit: int | None = None,
) -> Report:
    """Find the value of a position, and of every position that can be reached from it.

    `memory` is how many mebibytes it may take, about; `limit` how many positions there may be.
    Beyond either, LimitReached is raised.  Bounds meet where they differ by no more than
    `tolerance`, a part of the range of payoffs.  `progress(fraction, note)` is called now and then.
    """
    position = position_of(start)
    game = position.game
    if not 0 < tolerance < 1:
        raise BadParameter(f"bad tolerance {tolerance:g}: expected a number above 0 and below 1")
    refuse_many_values(game, f"cannot solve {game.spec} exactly: expected")
    refuse_over(position, "solve")
    began = perf_counter()
    found = Enumeration(position, memory, limit, later=bytes_later(game))
    low, high = game.payoff_range
    close = tolerance * (high - low)
    settled, parts = settle_all(found, _STEP * close, PATIENCE, progress)
    endless = _is_endless(found, settled, parts, close)
    values = PositionValues(found, settled, close)
    cycles = int(parts.registers[c.CYCLIC])
    ends = least, most = values[position]
    value = 0.5 * (least + most) if most - least <= close else None
    total = sum_of_two(game, always_paid=not (cycles or game.open_ends))
    bounds, payoffs, outcome = proven_of_all(game, ends, total, value)
    code = values.best(position)
    best = None if code is None else position.name(code)
    moves = tuple(_move_reports(position, best, values, close))
    report = Report(
        game.spec, position.actor_name(), 0, best, nan if value is None else value, least, most,
        bounds, value is not None, moves, () if best is None else (best,), payoffs, outcome, total,
        seconds=perf_counter() - began, nodes=found.positions, edges=found.edges, cycles=cycles,
        sweeps=int(parts.registers[c.MOST_SWEEPS]), endless=endless, values=values,
    )  # fmt: skip
    # Where nothing follows for the second player, what the first one gets has to do.
    return report.for_player(1) if position.acting == 1 and total is not None else report


def bytes_later(game: Game) -> tuple[int, int]:
    """Return how many bytes solving takes for each position, and for each edge."""
    return v.BYTES[0] + c.BYTES, v.BYTES[1] if game.has_chance else 0


def settle_all(
    found: Enumeration, least_change: float, patience: int, progress: Progress | None
) -> tuple[v.Values, c.Parts]:
    """Find all positions and what each is worth.

    Without chance, a `least_change` of 0 and patience enough give bounds without any rounding:
    each is the payoff of some end, or an end of the range of payoffs.
    """

    def tell(note: str) -> None:
        if progress is not None:
            fraction = int(parts.registers[c.AT]) / max(1, int(parts.registers[c.COMPONENTS]))
            progress(fraction, f"{found.positions:,} positions, {note}")

    refuse_hashed_past(found.game)
    graph = found.run(None if progress is None else lambda _, note: progress(0.0, note))
    parts = c.make_parts(found.positions, least_change, patience)
    reader = v.RulesReader(found)
    values = reader.values
    _in_slices(reader.read, lambda: tell("reading payoffs"))
    _in_slices(lambda size: c.find_components(graph, parts, size), lambda: tell("finding cycles"))
    c.arrange(parts)
    _in_slices(
        lambda size: c.settle(graph, values, parts, size),
        lambda: tell(f"sweep {int(parts.registers[c.SWEEPS]) + 1}"),
    )
    return values, parts


def _in_slices(run: Callable[[int], int], tell: Callable[[], None]) -> None:
    """Run a kernel a little at a time, so that Ctrl-C is heard and progress is seen."""
    slices = Slices(_FIRST_SLICE, each=_SLICE_SECONDS)
    for size in slices:
        status = run(size)
        slices.finish(size)
        tell()
        if status == v.DONE:
            return


def _is_endless(found: Enumeration, values: v.Values, parts: c.Parts, close: float) -> bool:
    """Tell whether play may stay for ever among positions whose bounds do not meet.

    If it may not, the bounds would meet in the end, and only approach each other slowly.
    """
    parts.marks[:] = values.highs - values.lows > close
    if not parts.marks.any():
        return False
    while c.unmark(found.graph, values, parts, _PASSES, close):
        pass
    return bool(parts.marks.any())


def _move_reports(
    position: Position, best: str | None, values: PositionValues, close: float
) -> list[MoveReport]:
    """List what player 0 gets after each move, the best for who moves first."""
    found = []
    for code, probability in position.moves_and_probabilities():
        after, name = position.play(code), position.name(code)
        if after not in values:
            raise BrokenContract(
                f"{position.game.spec}: {name} leads to another position when it is played again: "
                f"expected states that are equal where they are the same (position {position.code})"
            )
        low, high = values[after]
        solved = high - low <= close
        value = 0.5 * (low + high) if solved else nan
        found.append(MoveReport(name, low, high, value, solved, probability=probability))
    if best is not None:
        turned = position.acting == 1
        found.sort(key=lambda line: (line.move != best, line.high if turned else -line.low))
    return found
