"""What each player can secure in a game without one value, by looking at every position.

>>> from trellis.loading import load
>>> secure_exactly(load("goofspiel:num_cards=2").start()).bounds
((0.0, 0.0), (0.0, 0.0))
"""

from dataclasses import dataclass

from trellis._kernel.progress import Progress
from trellis.game.errors import GameOver
from trellis.game.game import Position
from trellis.game.reductions import paranoid
from trellis.search.solve.value_iteration import solve_exactly


@dataclass(frozen=True)
class Secured:
    """For each player: what it can secure, and what the others can hold it to."""

    game: str
    bounds: tuple[tuple[float, float], ...]
    best: str  # what who acts should do to secure it; empty where chance acts
    positions: int
    edges: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Tell whether the two are the same for all players."""
        return all(low == high for low, high in self.bounds)


def secure_exactly(
    position: Position,
    memory: float = 1024.0,
    tolerance: float = 1e-10,
    progress: Progress | None = None,
) -> Secured:
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
    seconds, best = 0.0, ""
    close = tolerance * (game.payoff_range[1] - game.payoff_range[0])
    for player in range(game.players):
        low, high = game.payoff_range
        for first in sides:
            against = paranoid(game, player, first=first).lift(position)
            found = solve_exactly(against, memory, tolerance, progress)
            positions, edges = max(positions, found.positions), max(edges, found.edges)
            seconds += found.seconds
            if first:
                low = found.low
                if position.acting == player and found.best_name is not None:
                    best = found.best_name
            if first == sides[-1]:
                high = found.high
        if 0 < high - low <= close:
            low = high = 0.5 * (low + high)
        bounds.append((low, high))
    return Secured(game.spec, tuple(bounds), best, positions, edges, seconds)
