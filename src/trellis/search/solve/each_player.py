"""What each player can secure in a game without one value, by looking at every position.

>>> from trellis.loading import load
>>> secure_exactly(load("goofspiel:num_cards=2").start()).bounds
((0.0, 0.0), (0.0, 0.0))
"""

from math import nan
from typing import Any

from trellis._kernel.progress import Progress
from trellis.game.errors import GameOver
from trellis.game.game import Position
from trellis.game.reductions import paranoid
from trellis.search.report import Pair, Report
from trellis.search.solve.value_iteration import solve_exactly


def secure_exactly(
    position: Position,
    memory: float = 1024.0,
    tolerance: float = 1e-10,
    progress: Progress | None = None,
) -> Report:
    """Solve one against all for each player, twice where players choose at once.

    Expectations are computed in floating point: bounds that differ by no more than `tolerance` of
    the range of payoffs are taken for one number.
    """
    game = position.game
    if position.is_over:
        raise GameOver(f"nothing to solve: the game of {game.spec} is over")
    sides = (True, False) if game.is_simultaneous else (True,)
    bounds: list[tuple[float, float]] = []
    positions = edges = 0
    seconds, best = 0.0, None
    close = tolerance * (game.payoff_range[1] - game.payoff_range[0])
    for player in range(game.players):
        low, high = game.payoff_range
        for first in sides:
            against = paranoid(game, player, first=first).lift(position)
            found = solve_exactly(against, memory, tolerance, progress)
            positions, edges = max(positions, found.nodes), max(edges, found.edges or 0)
            seconds += found.seconds
            if first:
                low = found.bounds[0][0]
                if position.acting == player:
                    best = found.best
            if first == sides[-1]:
                high = found.bounds[0][1]
        if 0 < high - low <= close:
            low = high = 0.5 * (low + high)
        bounds.append((low, high))
    return each_report(position, tuple(bounds), best, seconds=seconds, nodes=positions, edges=edges)


def each_report(
    position: Position, bounds: tuple[Pair, ...], best: str | None, **work: Any
) -> Report:
    """Report what each player can secure, and be held to, where no one number tells of all.

    What who acts should do secures its own: the bounds of the report are those of who acts.
    """
    solved = all(low == high for low, high in bounds)
    values_of = max(position.acting, 0)
    low, high = bounds[values_of]
    return Report(
        position.game.spec, position.actor_name(), values_of, best, low if solved else nan, low,
        high, bounds, solved, line=() if best is None else (best,), **work,
    )  # fmt: skip
