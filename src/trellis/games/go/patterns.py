"""Shapes of three by three points that are worth a move in their middle, as data.

They are of the kinds that the MoGo report has (Gelly, Wang, Munos, Teytaud, "Modification of UCT
with Patterns in Monte-Carlo Go", INRIA RR-6062, 2006): hane, cuts and what is played at the edge;
they were not compared with its figures one by one.  A picture
stands for all its turns and mirror images, with either colour as X; the middle is the move, of
both players unless the picture is marked as one of X or O alone.

    X O  one colour, the other     .  empty      ?  anything, also off the board
    x    anything but X            o  anything but O      -  off the board
"""

from itertools import product

import numpy as np
import numpy.typing as npt

BOTH, ONLY_X, ONLY_O = "both", "X", "O"

PICTURES: tuple[tuple[str, str, str, str], ...] = (
    ("XOX", "...", "???", BOTH),  # hane that encloses
    ("XO.", "...", "?.?", BOTH),  # hane that does not cut
    ("XO?", "X..", "?.?", BOTH),  # a turn around two stones
    ("XOO", "...", "?.?", ONLY_X),  # thin hane
    ("XO?", "O.o", "?o?", BOTH),  # a cut that nobody protects
    ("XO?", "O.X", "???", BOTH),  # a cut that is peeped at
    ("?X?", "O.O", "xxx", BOTH),  # pushing through
    ("X.?", "O.?", "---", BOTH),  # along the edge
    ("OX?", "X.O", "---", BOTH),  # a cut at the edge is blocked
    ("?X?", "x.O", "---", ONLY_X),  # a connection at the edge
    ("?XO", "o.x", "---", ONLY_O),  # descending
    ("?OX", "X.O", "---", ONLY_O),  # a cut at the edge
)

# A code has two bits for each of the eight points around, row by row from the lowest bit points:
# 0 empty, 1 black, 2 white, 3 off the board.
_MEANING = {".": "0", "-": "3", "?": "0123"}
_AS_X = {"X": 1, "O": 2}


def _turn(cells: str) -> str:
    """Turn nine cells by a quarter."""
    return "".join(cells[6 - 3 * (i % 3) + i // 3] for i in range(9))


def _mirror(cells: str) -> str:
    return "".join(cells[3 * (i // 3) + 2 - i % 3] for i in range(9))


def images(cells: str) -> set[str]:
    """Return nine cells turned and mirrored in all ways."""
    found = set()
    for first in (cells, _mirror(cells)):
        image = first
        for _ in range(4):
            found.add(image)
            image = _turn(image)
    return found


def _values(cell: str, x: int) -> tuple[int, ...]:
    """Return what a cell of a picture may be, as in a code, where X is a colour."""
    if cell in _AS_X:
        return (x if cell == "X" else 3 - x,)
    if cell in "xo":
        stone = x if cell == "x" else 3 - x
        return tuple(value for value in range(4) if value != stone)
    return tuple(map(int, _MEANING[cell]))


def pattern_table() -> npt.NDArray[np.uint64]:
    """Return a bit for each code, 1024 words for black to move and as many for white."""
    bits = np.zeros((2, 1 << 16), np.uint8)
    for *rows, who in PICTURES:
        for image in images("".join(rows)):
            around = image[:4] + image[5:]
            for x in (1, 2):
                movers = (0, 1) if who == BOTH else ((x if who == ONLY_X else 3 - x) - 1,)
                choices = [_values(cell, x) for cell in around]
                codes = [sum(v << 2 * i for i, v in enumerate(vs)) for vs in product(*choices)]
                for mover in movers:
                    bits[mover, codes] = 1
    return np.packbits(bits.reshape(-1), bitorder="little").view("<u8").astype(np.uint64)
