"""How much a search may do: simulations, seconds or plies; and what there is nothing to do for."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from trellis.game.errors import BadParameter, GameOver, LimitReached, shorten
from trellis.game.game import Game, Position

_MOST_SIMS = 1 << 40


def check_budget(sims: int | None, seconds: float | None) -> None:
    """Refuse a budget of simulations and seconds that is none."""
    if sims is None and seconds is None:
        raise BadParameter("no budget: expected a number of sims or of seconds")
    _refuse_unless_positive("sims", sims, int | np.integer, "a whole number")
    _refuse_unless_positive("seconds", seconds, Real, "a number")
    if sims is not None and sims > _MOST_SIMS:
        raise LimitReached(f"bad value {sims} for sims: expected at most 2^40")


def check_depth_budget(depth: int | None, seconds: float | None, deepest: int) -> None:
    """Refuse a budget of plies and seconds that is none."""
    if depth is None and seconds is None:
        raise BadParameter("no budget: expected a depth or a number of seconds")
    if depth is not None and not (isinstance(depth, int | np.integer) and 1 <= depth <= deepest):
        raise BadParameter(
            f"bad depth {_shown(depth)}: expected a whole number from 1 to {deepest}"
        )
    _refuse_unless_positive("seconds", seconds, Real, "a number")


def _refuse_unless_positive(name: str, budget: Any, kind: Any, expected: str) -> None:
    if budget is not None and not (isinstance(budget, kind) and budget > 0):
        raise BadParameter(f"bad value {_shown(budget)} for {name}: expected {expected} above 0")


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Real) else shorten(str(value))


def refuse_over(position: Position, what: str = "search") -> None:
    """Refuse a position in which the game is over."""
    if position.is_over:
        raise GameOver(f"nothing to {what}: the game of {position.game.spec} is over")


def refuse_chance(position: Position) -> None:
    """Refuse a position in which nobody chooses."""
    if position.is_chance:
        raise BadParameter(
            f"nothing to choose: chance acts in this position of {position.game.spec}; "
            f"play an outcome first, for instance {position.moves()[0]!r}"
        )


def refuse_hashed_past(game: Game) -> None:
    """Refuse to prove anything where two pasts with one hash would be taken for one."""
    if game.hashed_past:
        raise BadParameter(f"nothing can be proven of {game.spec}: {game.hashed_past}")


def refuse_many_values(game: Game, what: str) -> None:
    """Refuse games whose value is not one number that one player raises and the other lowers."""
    if game.is_simultaneous:
        raise BadParameter(f"{what} players who move one at a time, not at the same moment")
    if game.players > 2 or (game.players == 2 and game.constant_sum is None):
        raise BadParameter(f"{what} one player, or two whose payoffs always add up to the same")


def refuse_endless(game: Game, what: str) -> None:
    """Refuse games in which backward induction ends nowhere, or at ends that leave something open.

    Proofs by it need positions that never come again, hold all that matters, and pay at the end.
    """
    if game.max_plies is None:
        raise BadParameter(f"{what} a game in which no position can come again (max_plies)")
    if game.forgets:
        raise BadParameter(f"{what} positions that hold all that matters: {game.forgets}")
    if game.open_ends:
        raise BadParameter(f"{what} ends that say what they pay")


def is_refused(refuse: Callable[[Game], None], game: Game) -> bool:
    """Tell whether a game is refused, by the function that would say why."""
    try:
        refuse(game)
    except BadParameter:
        return True
    return False
