"""Matrix games, solved exactly: fractions from beginning to end, no rounding anywhere.

Two players choose a row and a column at once; the first gets what stands there, the second the
rest.  Each may leave the choice to dice.  The simplex method finds the best dice of both; with
Bland's rule it never goes round, and with fractions what it finds is the value and not a number
near it.  The answer is checked all the same: no row does better against the dice of the columns,
and no column against those of the rows.

>>> solve_matrix([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).value
Fraction(0, 1)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Rational = int | Fraction


@dataclass(frozen=True)
class Mixed:
    """The value of a matrix game for who chooses the row, and how often both choose what."""

    value: Fraction
    rows: tuple[Fraction, ...]
    columns: tuple[Fraction, ...]


def solve_matrix(matrix: Sequence[Sequence[Rational]]) -> Mixed:
    """Return the value of a matrix game, and dice by which each player gets it."""
    payoffs = [[Fraction(entry) for entry in row] for row in matrix]
    found = _pure(payoffs) or _mixed(payoffs)
    if not is_solution(payoffs, found):
        raise AssertionError("the simplex method found what is no solution")
    return found


def is_solution(payoffs: Sequence[Sequence[Rational]], found: Mixed) -> bool:
    """Tell whether neither player can do better than the value, by definition."""
    for dice in (found.rows, found.columns):
        if sum(dice) != 1 or any(part < 0 for part in dice):
            return False
    wide = range(len(found.columns))
    against = [sum(p * row[j] for p, row in zip(found.rows, payoffs, strict=True)) for j in wide]
    each = [sum(q * entry for q, entry in zip(found.columns, row, strict=True)) for row in payoffs]
    return min(against) == found.value == max(each)


def _pure(payoffs: list[list[Fraction]]) -> Mixed | None:
    """Return a saddle point where there is one: most matrices of games have no need of dice."""
    lows = [min(row) for row in payoffs]
    highs = [max(column) for column in zip(*payoffs, strict=True)]
    row, column = lows.index(max(lows)), highs.index(min(highs))
    if lows[row] != highs[column]:
        return None
    return Mixed(lows[row], _only(row, len(lows)), _only(column, len(highs)))


def _only(chosen: int, count: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(i == chosen)) for i in range(count))


def _mixed(payoffs: list[list[Fraction]]) -> Mixed:
    """Solve the linear program of the columns; the dice of the rows are its dual solution.

    With all payoffs above 0: maximize the sum of y where payoffs times y is at most 1.  The value
    is 1 over that sum.
    """
    shift = 1 - min(min(row) for row in payoffs)
    tall, wide = len(payoffs), len(payoffs[0])
    tableau = [
        [entry + shift for entry in row]
        + [Fraction(int(i == j)) for j in range(tall)]
        + [Fraction(1)]
        for i, row in enumerate(payoffs)
    ]
    costs = [Fraction(-1)] * wide + [Fraction(0)] * (tall + 1)
    basis = [wide + i for i in range(tall)]
    while True:
        entering = next((j for j in range(wide + tall) if costs[j] < 0), None)
        if entering is None:
            break
        _, _, leaving = min(
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(tableau)
            if row[entering] > 0
        )
        _pivot(tableau, costs, leaving, entering)
        basis[leaving] = entering
    total = costs[-1]
    columns = [Fraction(0)] * (wide + tall)
    for i, variable in enumerate(basis):
        columns[variable] = tableau[i][-1] / total
    rows = tuple(costs[wide + i] / total for i in range(tall))
    return Mixed(1 / total - shift, rows, tuple(columns[:wide]))


def _pivot(
    tableau: list[list[Fraction]], costs: list[Fraction], leaving: int, entering: int
) -> None:
    """Exchange a variable of the basis for another one."""
    pivot = tableau[leaving]
    by = pivot[entering]
    pivot[:] = [entry / by for entry in pivot]
    for row in [*(row for i, row in enumerate(tableau) if i != leaving), costs]:
        factor = row[entering]
        if factor:
            row[:] = [entry - factor * other for entry, other in zip(row, pivot, strict=True)]
