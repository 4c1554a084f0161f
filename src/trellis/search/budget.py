"""How much a search may do: simulations, seconds or plies; and what there is nothing to do for."""

from trellis.game.errors import BadParameter, GameOver, LimitReached
from trellis.game.game import Position

_MOST_SIMS = 1 << 40


def check_budget(sims: int | None, seconds: float | None) -> None:
    """Refuse a budget of simulations and seconds that is none."""
    if sims is None and seconds is None:
        raise BadParameter("no budget: expected a number of sims or of seconds")
    for name, budget in (("sims", sims), ("seconds", seconds)):
        if budget is not None and not budget > 0:
            raise BadParameter(f"bad value {budget} for {name}: expected a number above 0")
    if sims is not None and sims > _MOST_SIMS:
        raise LimitReached(f"bad value {sims} for sims: expected at most 2^40")


def check_depth_budget(depth: int | None, seconds: float | None, deepest: int) -> None:
    """Refuse a budget of plies and seconds that is none."""
    if depth is None and seconds is None:
        raise BadParameter("no budget: expected a depth or a number of seconds")
    if depth is not None and not 1 <= depth <= deepest:
        raise BadParameter(f"bad depth {depth}: expected a whole number from 1 to {deepest}")
    if seconds is not None and not seconds > 0:
        raise BadParameter(f"bad value {seconds} for seconds: expected a number above 0")


def refuse_over(position: Position) -> None:
    """Refuse a position in which the game is over."""
    if position.is_over:
        raise GameOver(f"nothing to search: the game of {position.game.spec} is over")


def refuse_chance(position: Position) -> None:
    """Refuse a position in which nobody chooses."""
    if position.is_chance:
        raise BadParameter(
            f"nothing to choose: chance acts in this position of {position.game.spec}; "
            f"play an outcome first, for instance {position.moves()[0]!r}"
        )
