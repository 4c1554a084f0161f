"""What each player can secure in a game without one value, by looking at every position.

>>> from trellis.loading import load
>>> secure_exactly(load("goofspiel:num_cards=2")).bounds
((0.0, 0.0), (0.0, 0.0))
"""

from math import nan
from typing import Any

from trellis._kernel.progress import Progress
from trellis.game.game import Game, Position, position_of
from trellis.game.reductions import paranoid
from trellis.search.budget import refuse_over
from trellis.search.report import Pair, Report, outcome_of, sum_of_two
from trellis.search.solve.value_iteration import solve_exactly


def sides_of(game: Game) -> tuple[bool, ...]:
    """Say when a player has to choose before the others: where all choose at once, also after.

    What it can secure follows from the first, what it can be held to from the last.
    """
    return (True, False) if game.is_simultaneous else (True,)


def secure_exactly(
    start: Game | Position | str,
    memory: float = 1024.0,
    tolerance: float = 1e-10,
    progress: Progress | None = None,
    *,
    limit: int | None = None,
) -> Report:
    """Solve one against all for each player, twice where players choose at once.

    Expectations are computed in floating point: bounds that differ by no more than `tolerance` of
    the range of payoffs are taken for one number.
    """
    position = position_of(start)
    game = position.game
    refuse_over(position, "solve")
    bounds: list[Pair] = []
    reports: list[Report] = []
    best = None
    close = tolerance * (game.payoff_range[1] - game.payoff_range[0])
    for player in range(game.players):
        found = [
            solve_exactly(
                paranoid(game, player, first=first).lift(position), memory, tolerance, progress,
                limit=limit,
            )
            for first in sides_of(game)
        ]  # fmt: skip
        reports += found
        if position.acting == player:
            best = found[0].best
        low, high = found[0].bounds[0][0], found[-1].bounds[0][1]
        if 0 < high - low <= close:
            low = high = 0.5 * (low + high)
        bounds.append((low, high))
    return each_report(
        position, tuple(bounds), best, close,
        seconds=sum(each.seconds for each in reports),
        nodes=max(each.nodes for each in reports), edges=max(each.edges or 0 for each in reports),
    )  # fmt: skip


def each_report(
    position: Position, bounds: tuple[Pair, ...], best: str | None, close: float = 0.0, **work: Any
) -> Report:
    """Report what each player can secure, and be held to, where no one number tells of all.

    What who acts should do secures its own: the bounds of the report are those of who acts.  Where
    all are sure of what there is in all, nobody gets more, up to what sums `close` to each other
    differ by.
    """
    game = position.game
    solved = all(low == high for low, high in bounds)
    values_of = max(position.acting, 0)
    low, high = bounds[values_of]
    payoffs = tuple(low for low, _ in bounds)
    known = solved and game.constant_sum is not None
    if not known or abs(sum(payoffs) - game.constant_sum) > close * game.players:  # type: ignore[operator]
        payoffs = None  # type: ignore[assignment]
    return Report(
        game.spec, position.actor_name(), values_of, best, low if solved else nan, low, high,
        bounds, solved, line=() if best is None else (best,), payoffs=payoffs,
        outcome=None if payoffs is None else outcome_of(game, payoffs),
        constant_sum=sum_of_two(game), **work,
    )  # fmt: skip
