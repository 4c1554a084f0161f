"""Boards as people see them: drawn as text, turned and mirrored."""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase
from typing import SupportsInt

from trellis.game.game import Symmetry

# The symmetries of the square: rows and columns are exchanged or not, then the order of the rows
# is reversed or not, then that of the columns.
_SQUARE = (
    ("identity", False, False, False),
    ("quarter turn", True, False, True),
    ("half turn", False, True, True),
    ("three-quarter turn", True, True, False),
    ("left-right mirror", False, False, True),
    ("top-bottom mirror", False, True, False),
    ("diagonal mirror", True, False, False),
    ("antidiagonal mirror", True, True, True),
)
SQUARE_SYMMETRIES = tuple(Symmetry(name, (0, 1)) for name, *_ in _SQUARE)


def square_image(index: int, row: int, column: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the row and column where symmetry number `index` sends a cell.

    A board that is not square has only those symmetries that do not exchange rows and columns.
    """
    _, exchanged, rows_reversed, columns_reversed = _SQUARE[index]
    if exchanged:
        row, column = column, row
    return (
        rows - 1 - row if rows_reversed else row,
        columns - 1 - column if columns_reversed else column,
    )


def square_images(side: int) -> list[list[int]]:
    """List where each of `SQUARE_SYMMETRIES` sends each cell, numbered row by row."""
    places = [divmod(cell, side) for cell in range(side * side)]
    images = [[square_image(index, *place, side, side) for place in places] for index in range(8)]
    return [[side * row + column for row, column in image] for image in images]


def pieces_on(
    cells: Iterable[int], sets: Iterable[SupportsInt], symbols: Sequence[str]
) -> list[str]:
    """Say what stands on each cell: `symbols[i]` where it is in `sets[i]`, a dot where in none."""
    named = [*zip(map(int, sets), symbols, strict=True)]
    return [next((symbol for held, symbol in named if held >> cell & 1), ".") for cell in cells]


def draw_board(cells: Sequence[str], columns: int, *, number_width: int = 1) -> str:
    """Draw a board whose cells are listed by rows from the top left: row 1 is the lowest one.

    Rows are numbered on the left, columns have letters below.
    """
    rows = [cells[first : first + columns] for first in range(0, len(cells), columns)]
    lines = [
        f"{number:{number_width}} {' '.join(row)}"
        for number, row in zip(range(len(rows), 0, -1), rows, strict=True)
    ]
    letters = [
        f"{letter:>{len(cell)}}"
        for letter, cell in zip(ascii_lowercase[:columns], rows[0], strict=True)
    ]
    return "\n".join([*lines, " " * (number_width + 1) + " ".join(letters)])
