"""Games in which players choose at once, solved with dice: exact values by backward induction.

Where two players whose payoffs add up to a constant choose at the same moment, a position is a
small matrix game: its entries are the values of what comes after each pair of choices.  Positions
are solved by backward induction, in fractions, chance included; the value is exact, which bounds
by pure play are not (roshambo is worth 0, and pure play secures -1).

>>> from trellis.loading import load
>>> solve_mixed(load("goofspiel:num_cards=2").start()).value
0.0
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from time import perf_counter

from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, BrokenContract, LimitReached
from trellis.game.game import Game, Position
from trellis.game.playouts import ROUNDING
from trellis.game.rules import CHANCE
from trellis.search.budget import is_refused, refuse_endless, refuse_hashed_past, refuse_over
from trellis.search.report import Report, proven_of_all, sum_of_two
from trellis.search.solve.matrix import Mixed, solve_matrix

MOST_POSITIONS = 200_000


@dataclass(frozen=True)
class MixedSolution:
    """The value of a position to player 0, and how often both players choose what in it."""

    report: Report
    value: Fraction
    dice: tuple[dict[str, Fraction], ...]  # for each player who chooses at the start
    positions: int


def refuse_unsuited(game: Game) -> None:
    """Refuse games that are no matrix games, position by position."""
    what = f"cannot solve {game.spec} with dice: expected"
    refuse_hashed_past(game)
    if game.players != 2 or game.constant_sum is None:
        raise BadParameter(f"{what} two players whose payoffs always add up to the same")
    refuse_endless(game, what)
    if game.rules.bounds is not None:
        raise BadParameter(f"{what} ends that say what they pay")


def suits_mixed(game: Game) -> bool:
    """Tell whether positions of a game can be solved as matrix games."""
    return not is_refused(refuse_unsuited, game)


def solve_mixed(
    start: Position, progress: Progress | None = None, limit: int = MOST_POSITIONS
) -> Report:
    """Return the value of a position in which players may choose at once."""
    return solve_with_dice(start, progress, limit).report


def solve_with_dice(
    start: Position, progress: Progress | None = None, limit: int = MOST_POSITIONS
) -> MixedSolution:
    """Return the value of a position, and by which dice both players get it."""
    game = start.game
    refuse_unsuited(game)
    refuse_over(start, "solve")
    if len(start.actors) > 1 and start.acting != start.actors[0]:
        raise BadParameter(
            f"{game.spec}: {game.player_name(start.actors[0])} has chosen already, hidden from the "
            "other: expected a position in which nobody has, or both have"
        )
    began, solver = perf_counter(), _Solver(progress, limit)
    value = solver.solve(start)
    least, greatest = map(Fraction, game.payoff_range)
    if not least <= value <= greatest:
        raise BrokenContract(f"{game.spec}: a position is worth {value}, outside its payoff range")
    dice = solver.dice_at(start)
    real = float(value)
    low = real if Fraction(real) <= value else nextafter(real, -inf)
    high = real if Fraction(real) >= value else nextafter(real, inf)
    total = sum_of_two(game, always_paid=True)
    bounds, payoffs, outcome = proven_of_all(game, (low, high), total, real)
    mover = dice[0] if dice else {}
    best = max(mover, key=lambda move: mover[move]) if mover else None
    details = {
        "method": "mixed", "exact_value": str(value),
        "dice": [{move: str(part) for move, part in each.items() if part} for each in dice],
    }  # fmt: skip
    report = Report(
        game.spec, start.actor_name(), 0, best, real, low, high, bounds, True,
        line=() if best is None or any(part not in (0, 1) for part in mover.values()) else (best,),
        payoffs=payoffs, outcome=outcome if value.denominator == 1 else None, constant_sum=total,
        seconds=perf_counter() - began, nodes=len(solver.values), details=details,
    )  # fmt: skip
    return MixedSolution(report, value, dice, len(solver.values))


class _Solver:
    """Values of positions, the last ones first; without recursion, however long a game is."""

    def __init__(self, progress: Progress | None, limit: int) -> None:
        self.values: dict[Position, Fraction] = {}
        self._progress, self._limit = progress, limit

    def solve(self, start: Position) -> Fraction:
        """Return the value of a position to player 0."""
        waiting = [start]
        while waiting:
            here = waiting[-1]
            if here in self.values:
                waiting.pop()
                continue
            missing = [each for each in _following(here) if each not in self.values]
            if missing:
                waiting += missing
                if len(waiting) > self._limit:
                    raise self._too_many(here.game)
                continue
            self.values[here] = self._value(here)
            if len(self.values) > self._limit:
                raise self._too_many(here.game)
            if self._progress is not None and len(self.values) % 64 == 0:
                self._progress(0.0, f"{len(self.values):,} positions")
        return self.values[start]

    def _too_many(self, game: Game) -> LimitReached:
        return LimitReached(
            f"{game.spec} has more than {self._limit:,} positions: too many for dice"
        )

    def _value(self, here: Position) -> Fraction:
        if here.is_over:
            return _payoff(here)
        if here.is_chance:
            pairs = [
                (Fraction(drawn or 0.0), self.values[here.play(code)])
                for code, drawn in here.moves_and_probabilities()
            ]
            total = sum((part for part, _ in pairs), Fraction(0))
            if total <= 0 or abs(total - 1) > Fraction(ROUNDING):
                raise BrokenContract(
                    f"the probabilities of a chance node of {here.game.spec} do not add up to 1"
                )
            return sum((part * value for part, value in pairs), Fraction(0)) / total
        if len(here.actors) > 1:
            return self.matrix_at(here).value
        best: Callable[..., Fraction] = max if here.acting == 0 else min
        return best(self.values[each] for each in _following(here))

    def matrix_at(self, here: Position) -> Mixed:
        """Solve the matrix of a position in which both choose; rows are player 0's."""
        first = here.acting
        matrix = [
            [self.values[after.play(code)] for code in after.move_codes()]
            for after in map(here.play, here.move_codes())
        ]
        if first == 1:  # the other player is asked first: its choices are the columns
            matrix = [list(row) for row in zip(*matrix, strict=True)]
        return solve_matrix(matrix)

    def dice_at(self, here: Position) -> tuple[dict[str, Fraction], ...]:
        """Return how often each player who chooses in a position chooses what."""
        if here.is_over or here.acting == CHANCE:
            return ()
        if len(here.actors) == 1:
            codes = here.move_codes()
            found = [self.values[here.play(code)] for code in codes]
            wanted = max(found) if here.acting == 0 else min(found)
            chosen = found.index(wanted)
            return ({here.name(code): Fraction(int(i == chosen)) for i, code in enumerate(codes)},)
        mixed, after = self.matrix_at(here), here.play(here.move_codes()[0])
        names = here.moves(), after.moves()
        shares = (mixed.rows, mixed.columns) if here.acting == 0 else (mixed.columns, mixed.rows)
        return tuple(dict(zip(*pair, strict=True)) for pair in zip(names, shares, strict=True))


def _payoff(end: Position) -> Fraction:
    payoffs, game = end.payoffs(), end.game
    least, greatest = game.payoff_range
    slack = ROUNDING * (greatest - least)
    kept = all(least - slack <= each <= greatest + slack for each in payoffs)
    if not kept or abs(sum(payoffs) - (game.constant_sum or 0.0)) > slack:
        raise BrokenContract(f"{game.spec}: payoffs {payoffs} are not what was promised")
    return Fraction(min(max(payoffs[0], least), greatest))


def _following(here: Position) -> list[Position]:
    """List the positions after one, or after both players' choices where they choose at once."""
    if here.is_over:
        return []
    after = [here.play(code) for code in here.move_codes()]
    if len(here.actors) < 2:
        return after
    return [each.play(code) for each in after for code in each.move_codes()]
