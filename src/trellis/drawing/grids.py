"""Boards of squares as pictures: what stands on each square is read from the board as text.

Chess pieces, knights, queens with arrows, numbered stones, marbles, tiles, and pieces of Quarto
are drawn here; `boards` draws stones and discs, from the planes of a game.
"""

import re
from collections.abc import Callable
from string import ascii_lowercase

from trellis.drawing import svg as s
from trellis.game.game import Position

Rows = list[list[str]]  # what stands on the squares, from the top
Draw = Callable[[float, float, str], list[str]]  # of the middle of a square, and what stands there

PAWN = (
    "M0 -0.33a0.14 0.14 0 0 1 0.1 0.24c-0.02 0.02 -0.02 0.03 0 0.05l0.06 0.06h-0.05"
    "c0.02 0.13 0.07 0.2 0.15 0.27v0.07h-0.52v-0.07c0.08 -0.07 0.13 -0.14 0.15 -0.27h-0.05"
    "l0.06 -0.06c0.02 -0.02 0.02 -0.03 0 -0.05a0.14 0.14 0 0 1 0.1 -0.24z"
)
_FOOT = "l0.06 0.1v0.08h-0.64v-0.08l0.06 -0.1z"  # from the lower right of a body 0.52 wide
_CHESS = {
    "p": PAWN,
    "r": "M-0.26 -0.34h0.12v0.08h0.08v-0.08h0.12v0.08h0.08v-0.08h0.12v0.18l-0.08 0.06v0.26"
    "l0.08 0.06" + _FOOT,
    "n": "M-0.08 -0.36l0.08 0.06c0.2 0.02 0.29 0.22 0.26 0.52l-0.52 0c-0.02 -0.14 0.14 -0.2 "
    "0.16 -0.3l-0.14 0.08l-0.08 -0.1l0.16 -0.2zM0.26 0.22" + _FOOT,
    "b": "M0 -0.38c0.22 0.16 0.24 0.3 0.1 0.44l0.16 0.16h-0.52l0.16 -0.16c-0.14 -0.14 -0.12 -0.28 "
    "0.1 -0.44zM0.26 0.22" + _FOOT,
    "q": "M-0.36 -0.24l0.16 0.16l0.04 -0.26l0.12 0.24l0.04 -0.28l0.04 0.28l0.12 -0.24l0.04 0.26"
    "l0.16 -0.16l-0.1 0.46h-0.52zM0.26 0.22" + _FOOT,
    "k": "M-0.04 -0.4h0.08v0.08h0.08v0.08h-0.08v0.08c0.1 -0.08 0.3 -0.06 0.3 0.1c0 0.12 -0.08 0.18 "
    "-0.08 0.28h-0.52c0 -0.1 -0.08 -0.16 -0.08 -0.28c0 -0.16 0.2 -0.18 0.3 -0.1v-0.08h-0.08v-0.08"
    "h0.08zM0.26 0.22" + _FOOT,
}


def chess_piece(x: float, y: float, kind: str, *, first: bool) -> list[str]:
    """Return a piece by its letter; the first player's are white."""
    fill, edge = ("white", "black-edge") if first else ("black", "white-edge")
    at = f"translate({s.num(x)} {s.num(y + 0.02)})"
    return [s.path(_CHESS[kind], fill, stroke=edge, thick=0.03, at=at)]


def rows_of(position: Position) -> Rows:
    """Return what stands on the squares: lines that begin with the number of a row."""
    found, quarters = [], position.game.name == "pentago"
    for text in str(position).splitlines():
        words = text.replace("|", " ").split()
        if len(words) > 1 and words[0].isdigit() and not re.search(r"[a-z]{2}", text):
            # Pentago numbers its quadrants beside the board; tiles of 2048 are numbers themselves.
            found.append([w for w in words[1:] if not (quarters and w.isdigit())])
    return found


def squares(
    rows: Rows, draw: Draw, *, fills: tuple[str, str] = ("light-square", "dark-square"),
    gap: float = 0.0,
) -> tuple[float, float, list[str]]:  # fmt: skip
    """Draw a board of squares with names along its sides; `gap` is between halves of the board."""
    height, width = len(rows), max(map(len, rows))
    left, top = 0.7, 0.15

    def place(i: int, size: int) -> float:
        return i + (gap if i >= size / 2 else 0.0)

    shapes = []
    for i, row in enumerate(rows):
        for j, held in enumerate(row):
            x, y = left + place(j, width), top + place(i, height)
            kind = fills[(height - 1 - i + j) % 2 == 0]
            shapes.append(s.rect(x, y, 1, 1, kind, stroke="cell-edge", thick=0.02))
            if held != ".":
                shapes += draw(x + 0.5, y + 0.5, held)
    for j in range(width):
        x = left + place(j, width) + 0.5
        shapes.append(s.words(x, top + height + gap + 0.35, ascii_lowercase[j], 0.34))
    for i in range(height):
        shapes.append(s.words(0.36, top + place(i, height) + 0.5, str(height - i), 0.34))
    return left + width + gap + 0.15, top + height + gap + 0.7, shapes


def _chess(x: float, y: float, held: str) -> list[str]:
    return chess_piece(x, y, held.lower(), first=held.isupper())


def _knight(x: float, y: float, held: str) -> list[str]:
    return chess_piece(x, y, "n", first=held == "w")


def _pawn(x: float, y: float, held: str) -> list[str]:
    return chess_piece(x, y, "p", first=held == "x")


def _amazon(x: float, y: float, held: str) -> list[str]:
    if held == "#":
        return [s.disc(x, y, 0.2, "red", stroke="red-edge", thick=0.06)]
    return chess_piece(x, y, "q", first=held == "x")


def _stone(x: float, y: float, held: str) -> list[str]:
    """Return a stone of EinStein, with its number."""
    fill, edge, ink = (
        ("white", "white-edge", "black") if held[0] == "w" else ("black", "black-edge", "white")
    )
    return [
        s.rect(x - 0.38, y - 0.38, 0.76, 0.76, fill, round_=0.14, stroke=edge, thick=0.04),
        s.words(x, y + 0.02, held[1:], 0.5, ink),
    ]


def _marble(x: float, y: float, held: str) -> list[str]:
    fill, edge = ("black", "black-edge") if held == "x" else ("white", "white-edge")
    return [
        s.disc(x, y, 0.36, fill, stroke=edge, thick=0.04),
        s.disc(x - 0.12, y - 0.14, 0.06, "faint" if held == "x" else "white"),
    ]


def _mark(x: float, y: float, held: str) -> list[str]:
    if held == "o":
        return [s.disc(x, y, 0.32, "blue"), s.disc(x, y, 0.2, "cell")]
    return [
        s.line(x - 0.26, y - 0.26 * sign, x + 0.26, y + 0.26 * sign, "red", 0.12)
        for sign in (1, -1)
    ]


_WARM = ("white", "yellow", "wood", "dark-square", "red", "green", "blue", "frame")


def _tile(x: float, y: float, held: str) -> list[str]:
    """Return a tile of 2048; the greater, the warmer."""
    step = min(int(held).bit_length() - 1, len(_WARM) - 1)
    return [
        s.rect(x - 0.44, y - 0.44, 0.88, 0.88, _WARM[step], round_=0.1),
        s.words(x, y + 0.02, held, 0.4 if len(held) < 3 else 0.3, "black" if step < 3 else "white"),
    ]


def quarto_piece(x: float, y: float, bits: str) -> list[str]:
    """Return a piece of Quarto: its four properties are colour, height, shape and a hole."""
    dark, tall, square, hole = (bit == "1" for bit in bits)
    fill, edge = ("dark-square", "wood-line") if dark else ("wood", "wood-line")
    size = 0.4 if tall else 0.27
    body = (
        s.rect(x - size, y - size, 2 * size, 2 * size, fill, stroke=edge, thick=0.05)
        if square
        else s.disc(x, y, size, fill, stroke=edge, thick=0.05)
    )
    return [body, *([s.disc(x, y, 0.12, "wood-line")] if hole else [])]


def _quarto(x: float, y: float, held: str) -> list[str]:
    return [] if held == "...." else quarto_piece(x, y, held)


_PALE = ("cell", "cell")
GRIDS: dict[str, tuple[Draw, tuple[str, str], float]] = {
    "capture_the_king": (_chess, ("light-square", "dark-square"), 0.0),
    "knightthrough": (_knight, ("light-square", "dark-square"), 0.0),
    "pawn_whopping": (_pawn, ("light-square", "dark-square"), 0.0),
    "amazons": (_amazon, ("light-square", "dark-square"), 0.0),
    "ein_stein": (_stone, _PALE, 0.0),
    "pentago": (_marble, ("wood", "wood"), 0.2),
    "dice": (_mark, _PALE, 0.0),
    "twenty_forty_eight": (_tile, _PALE, 0.0),
    "quarto": (_quarto, ("light-square", "light-square"), 0.0),
}


def draw_grid(position: Position) -> tuple[float, float, list[str]]:
    """Draw the board of a game that `GRIDS` has, and below it what the text says besides."""
    draw, fills, gap = GRIDS[position.game.name]
    width, height, shapes = squares(rows_of(position), draw, fills=fills, gap=gap)
    told = [
        text.strip() for text in str(position).splitlines() if re.search(r"[a-z]{2}|left:", text)
    ]
    for text in told:
        size = min(0.34, 1.75 * width / max(len(text), 1))
        shapes.append(s.words(width / 2, height + 0.1, text, size, "ink"))
        height += 0.5
    return width, height + 0.1 * bool(told), shapes
