"""What can be said of a position without a single simulation: one look at each of its moves.

Where time or memory allowed nothing else, a move must be named all the same.  One that ends the
game is worth what it pays; of others the game itself may know bounds; and where nothing tells moves
apart the first legal one is named, and it is said that it was.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from trellis.game.game import Position
from trellis.game.rules import NOBODY

_GRACE = 0.01  # seconds that looks may take; the clock has run out already

NO_SIMULATION = "no simulation was possible"


@dataclass(frozen=True)
class Glance:
    """What one look at each move shows: its bounds for who moves, by code, and which is best."""

    best: int
    bounds: dict[int, tuple[float, float]]
    note: str


def glance(position: Position, *, quick: bool) -> Glance:
    """Look at the moves of who acts, for a moment; only list them where rules are not quick."""
    began = perf_counter()
    codes = position.move_codes()
    least, greatest = map(float, position.game.payoff_range)
    bounds: dict[int, tuple[float, float]] = {}
    for code in codes if quick else ():
        bounds[code] = _look(position, code)
        if bounds[code][0] == greatest:
            return Glance(code, bounds, f"{NO_SIMULATION}: a move that wins at once")
        if perf_counter() - began > _GRACE:
            break
    unknown = least, greatest
    best = max(codes, key=lambda code: bounds.get(code, unknown))
    if all(bounds.get(code, unknown) == unknown for code in codes):
        return Glance(codes[0], bounds, f"{NO_SIMULATION}: the first legal move")
    note = f"{NO_SIMULATION}: the best of what one look at each move shows"
    return Glance(best, bounds, note)


def _look(position: Position, code: int) -> tuple[float, float]:
    """Return what who acts gets after a move, at least and at most."""
    game, mover = position.game, position.acting
    least, greatest = map(float, game.payoff_range)
    tables, state = game.tables, position.state
    game.rules.play(tables, state, code)
    if game.rules.bounds is not None:
        ends = np.zeros(2 * game.players)
        game.rules.bounds(tables, state, ends)
        return max(least, float(ends[2 * mover])), min(greatest, float(ends[2 * mover + 1]))
    if int(game.rules.acting(tables, state)) != NOBODY:
        return least, greatest
    paid = np.zeros(game.players)
    game.rules.payoffs(tables, state, paid)
    return float(paid[mover]), float(paid[mover])
