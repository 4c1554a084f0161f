"""Positions as pictures: real boards where the game is known, else what its text shows.

>>> from trellis.loading import load
>>> draw(load("tic_tac_toe").start().play("b2")).startswith("<svg")
True
"""

import math
from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from trellis.drawing import svg as s
from trellis.drawing.grids import GRIDS, PAWN, draw_grid
from trellis.game.game import Position

_GO_LETTERS = ascii_uppercase.replace("I", "")
_MARGIN = 0.75
Cells = list[list[int]]  # rows from the bottom: 0 nobody's, 1 and 2 the players'


def draw(position: Position, scale: float = 40.0) -> str:
    """Return a position as one SVG."""
    name = position.game.name
    drawer = _DRAWERS.get(name)
    shapes: list[str] = []
    if name in GRIDS:
        width, height, shapes = draw_grid(position)
    elif drawer is None or position.game.planes is None:
        return _text_board(position)
    else:
        width, height = drawer(_cells(position), shapes)
    largest = max(width, height)
    return s.picture(
        width, height, shapes, f"{position.game.spec}: {position.code}",
        min(scale, 520.0 / largest),
    )  # fmt: skip


def _cells(position: Position) -> Cells:
    """Return whose stone is on each cell, from the planes of the position."""
    planes = position.game.planes
    if planes is None:  # `draw` has looked
        return []
    own, other, _ = planes.of(position)
    if position.acting == 1:
        own, other = other, own
    found = own.astype(int) + 2 * other.astype(int)
    if position.is_over and planes.relative:  # nobody moves: the last one's stones stand second
        stones = int(found.astype(bool).sum())
        if stones % 2:
            found = np.where(found > 0, 3 - found, 0)
    return found.tolist()


def _stone(x: float, y: float, owner: int, radius: float = 0.46) -> list[str]:
    """Return a stone with an edge and a glint."""
    fill, edge = (("black", "black-edge"), ("white", "white-edge"))[owner - 1]
    glint = "faint" if owner == 1 else "white"
    return [
        s.disc(x, y, radius, fill, stroke=edge, thick=0.035),
        (
            f'<ellipse cx="{s.num(x - 0.15)}" cy="{s.num(y - 0.18)}" rx="0.13" ry="0.08" '
            f'fill="{s.var(glint)}" opacity="0.4" transform="rotate(-35 {s.num(x - 0.15)} '
            f'{s.num(y - 0.18)})"/>'
        ),
    ]


def _wooden(cells: Cells, shapes: list[str], letters: str) -> tuple[float, float]:
    """Draw stones on the crossings of a wooden board."""
    rows, columns = len(cells), len(cells[0])
    left = top = 0.55 + _MARGIN
    width, height = columns - 1 + 2 * left, rows - 1 + 2 * top
    shapes.append(s.rect(0, 0, width, height, "wood", round_=0.18, stroke="wood-line", thick=0.03))
    for column in range(columns):
        x = left + column
        shapes.append(s.line(x, top, x, top + rows - 1, "wood-line", 0.035))
    for row in range(rows):
        y = top + row
        shapes.append(s.line(left, y, left + columns - 1, y, "wood-line", 0.035))
    for row, column in _star_points(rows, columns):
        shapes.append(s.disc(left + column, top + row, 0.1, "wood-line"))
    for column in range(columns):
        for y in (0.42, height - 0.42):
            shapes.append(s.words(left + column, y, letters[column], 0.36, "wood-line"))
    for row in range(rows):
        for x in (0.42, width - 0.42):
            shapes.append(s.words(x, top + rows - 1 - row, str(row + 1), 0.36, "wood-line"))
    for row in range(rows):
        for column in range(columns):
            if cells[row][column]:
                shapes += _stone(left + column, top + rows - 1 - row, cells[row][column])
    return width, height


def _star_points(rows: int, columns: int) -> list[tuple[int, int]]:
    """List the points that are marked on boards of Go of the usual sizes."""
    if rows != columns or rows < 7:
        return []
    edge = 2 if rows < 12 else 3
    middle = [rows // 2] if rows % 2 else []
    lines = sorted({edge, rows - 1 - edge, *middle})
    found = [(a, b) for a in lines for b in lines]
    if rows < 12:
        found = [(a, b) for a, b in found if (a == rows // 2) == (b == rows // 2)]
    return found


def _go(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    return _wooden(cells, shapes, _GO_LETTERS)


def _gomoku(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    return _wooden(cells, shapes, ascii_lowercase)


def _connect_four(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    rows, columns = len(cells), len(cells[0])
    shapes.append(
        s.rect(0.08, 0.08, columns + 0.44, rows + 0.44, "frame", round_=0.3, stroke="frame-edge",
               thick=0.08)
    )  # fmt: skip
    colours = ("hole", "frame-edge"), ("red", "red-edge"), ("yellow", "yellow-edge")
    for row in range(rows):
        for column in range(columns):
            x, y = 0.8 + column, 0.8 + rows - 1 - row
            fill, edge = colours[cells[row][column]]
            shapes.append(s.disc(x, y, 0.4, fill, stroke=edge, thick=0.05))
            if cells[row][column]:
                shapes.append(
                    f'<circle cx="{s.num(x)}" cy="{s.num(y)}" r="0.27" fill="none" '
                    f'stroke="{s.var(edge)}" stroke-width="0.045" opacity="0.75"/>'
                )
    for column in range(columns):
        shapes.append(s.words(0.8 + column, rows + 0.95, ascii_lowercase[column % 26], 0.36))
    return columns + 0.6, rows + 1.25


def _othello(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    n = len(cells)
    left = 0.85
    shapes.append(
        s.rect(left - 0.1, 0.1, n + 0.2, n + 0.2, "green", round_=0.08, stroke="green-line",
               thick=0.12)
    )  # fmt: skip
    for i in range(1, n):
        shapes.append(s.line(left + i, 0.2, left + i, 0.2 + n, "green-line", 0.04))
        shapes.append(s.line(left, 0.2 + i, left + n, 0.2 + i, "green-line", 0.04))
    if n == 8:
        for a in (2, 6):
            shapes += [s.disc(left + a, 0.2 + b, 0.08, "green-line") for b in (2, 6)]
    for row in range(n):
        for column in range(n):
            if cells[row][column]:  # row 1 is on top, as the game names it
                shapes += _stone(left + column + 0.5, 0.2 + row + 0.5, cells[row][column], 0.41)
    for i in range(n):
        shapes.append(s.words(left + i + 0.5, n + 0.65, ascii_lowercase[i], 0.36))
        shapes.append(s.words(left - 0.45, 0.2 + i + 0.5, str(i + 1), 0.36))
    return n + left + 0.2, n + 1.0


def _pawns(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    rows, columns = len(cells), len(cells[0])
    left = 0.7
    for row in range(rows):
        for column in range(columns):
            kind = "dark-square" if (row + column) % 2 == 0 else "light-square"
            shapes.append(s.rect(left + column, rows - 1 - row + 0.15, 1, 1, kind))
            owner = cells[row][column]
            if owner:
                fill, edge = (("black", "white-edge"), ("white", "black-edge"))[owner - 1]
                at = f"translate({s.num(left + column + 0.5)} {s.num(rows - 1 - row + 0.62)})"
                shapes.append(s.path(PAWN, fill, stroke=edge, thick=0.03, at=at))
    shapes.append(
        f'<rect x="{left}" y="0.15" width="{columns}" height="{rows}" fill="none" '
        f'stroke="{s.var("dark-square")}" stroke-width="0.06"/>'
    )
    for column in range(columns):
        shapes.append(s.words(left + column + 0.5, rows + 0.5, ascii_lowercase[column], 0.34))
    for row in range(rows):
        shapes.append(s.words(0.36, rows - 1 - row + 0.65, str(row + 1), 0.34))
    return columns + left + 0.15, rows + 0.85


def _crosses(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    n = len(cells)
    left, top = 0.75, 0.2
    for i in range(1, n):
        shapes.append(s.line(left + i, top + 0.05, left + i, top + n - 0.05, "faint", 0.05))
        shapes.append(s.line(left + 0.05, top + i, left + n - 0.05, top + i, "faint", 0.05))
    for row in range(n):
        for column in range(n):
            x, y = left + column + 0.5, top + n - 1 - row + 0.5
            if cells[row][column] == 1:
                for sign in (1, -1):
                    shapes.append(
                        s.line(x - 0.26, y - 0.26 * sign, x + 0.26, y + 0.26 * sign, "red", 0.12)
                    )
            elif cells[row][column] == 2:
                shapes.append(
                    f'<circle cx="{s.num(x)}" cy="{s.num(y)}" r="0.28" fill="none" '
                    f'stroke="{s.var("blue")}" stroke-width="0.12"/>'
                )
    for i in range(n):
        shapes.append(s.words(left + i + 0.5, top + n + 0.3, ascii_lowercase[i], 0.26))
        shapes.append(s.words(left - 0.3, top + n - 1 - i + 0.5, str(i + 1), 0.26))
    return n + left + 0.2, n + top + 0.6


def _hex(cells: Cells, shapes: list[str]) -> tuple[float, float]:
    """Draw a rhombus of hexagons; each player's colour is along the sides to be joined."""
    n = len(cells)
    radius, across = 0.58, 0.58 * math.sqrt(3)

    def centre(row: int, column: int) -> tuple[float, float]:
        return 1.3 + across * (column + row / 2), 1.25 + 1.5 * radius * row

    def corners(x: float, y: float) -> list[tuple[float, float]]:
        angles = [math.radians(60 * i - 90) for i in range(6)]  # from the top, clockwise
        return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]

    for i in range(n):  # the sides: top and bottom the first player's, left and right the other's
        for (row, column), used, colour in (
            ((0, i), (5, 0, 1), "red"), ((n - 1, i), (2, 3, 4), "red"),
            ((i, 0), (3, 4, 5), "blue"), ((i, n - 1), (0, 1, 2), "blue"),
        ):  # fmt: skip
            points = corners(*centre(row, column))
            d = "M" + "L".join(f"{s.num(points[j][0])} {s.num(points[j][1])}" for j in used)
            shapes.append(s.path(d, "", stroke=colour, thick=0.3))
    for row in range(n):
        for column in range(n):
            x, y = centre(row, column)
            shapes.append(s.shape(corners(x, y), "cell", stroke="cell-edge", thick=0.045))
            owner = cells[row][column]
            if owner:
                fill, edge = (("red", "red-edge"), ("blue", "blue-edge"))[owner - 1]
                shapes.append(s.disc(x, y, 0.37, fill, stroke=edge, thick=0.05))
    for i in range(n):
        x, y = centre(0, i)
        shapes.append(s.words(x - 0.28, y - 0.98, ascii_lowercase[i], 0.32))
        x, y = centre(i, 0)
        shapes.append(s.words(x - 0.95, y, str(i + 1), 0.32))
    x, y = centre(n - 1, n - 1)
    return x + across / 2 + 0.45, y + radius + 0.35


def _text_board(position: Position) -> str:
    """Return the board as its text, where nothing better is known."""
    lines = str(position).splitlines() or [""]
    shapes = [
        f'<text x="0.5" y="{s.num(1.0 + 1.25 * i)}" font-size="1" '
        f'style="font-family:ui-monospace,monospace;text-anchor:start" xml:space="preserve" '
        f'fill="{s.var("ink")}">{_escaped(row)}</text>'
        for i, row in enumerate(lines)
    ]
    width = 0.62 * max(map(len, lines)) + 1
    return s.picture(width, 1.25 * len(lines) + 0.6, shapes, position.game.spec, 15.0)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


_DRAWERS: dict[str, Callable[[Cells, list[str]], tuple[float, float]]] = {
    "go": _go, "gomoku": _gomoku, "connect_four": _connect_four, "othello": _othello,
    "breakthrough": _pawns, "tic_tac_toe": _crosses, "hex": _hex,
}  # fmt: skip
