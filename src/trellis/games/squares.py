"""Boards of up to eight by eight squares in one word: bit 8 * row + column, whatever the size.

With a fixed distance between rows every step is a shift by a constant, for all sizes.
"""

from collections.abc import Iterable, Sequence
from typing import SupportsInt

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, nth_bit, popcount
from trellis.game.boards import draw_board, pieces_on
from trellis.game.common_rules import pick

FourSets = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

SIDE = 8
FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = np.uint64(0x8080_8080_8080_8080)
NOT_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)

_S1, _S2, _S4, _S8 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
_S7, _S9, _S16, _S32 = np.uint64(7), np.uint64(9), np.uint64(16), np.uint64(32)
_THREE = np.uint64(3)
_ROW_3 = np.uint64(0xFF << 16)
_ODD_BITS = np.uint64(0x5555_5555_5555_5555)
_ODD_PAIRS = np.uint64(0x3333_3333_3333_3333)
_ODD_NIBBLES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_ODD_BYTES = np.uint64(0x00FF_00FF_00FF_00FF)
_ODD_SHORTS = np.uint64(0x0000_FFFF_0000_FFFF)


@kernel()
def mirrored(word: np.uint64, columns: int) -> np.uint64:
    """Exchange left and right on a board of so many columns."""
    word = ((word >> _S1) & _ODD_BITS) | ((word & _ODD_BITS) << _S1)
    word = ((word >> _S2) & _ODD_PAIRS) | ((word & _ODD_PAIRS) << _S2)
    word = ((word >> _S4) & _ODD_NIBBLES) | ((word & _ODD_NIBBLES) << _S4)
    return word >> np.uint64(SIDE - columns)


@kernel()
def turned(word: np.uint64, rows: int) -> np.uint64:
    """Exchange top and bottom on a board of so many rows."""
    word = ((word >> _S8) & _ODD_BYTES) | ((word & _ODD_BYTES) << _S8)
    word = ((word >> _S16) & _ODD_SHORTS) | ((word & _ODD_SHORTS) << _S16)
    word = (word >> _S32) | (word << _S32)
    return word >> np.uint64(SIDE * (SIDE - rows))


@kernel()
def reversed_bits(word: np.uint64) -> np.uint64:
    """Turn a full board by 180 degrees: bit k goes to bit 63 - k."""
    return turned(mirrored(word, SIDE), SIDE)


@kernel(inline="always")
def nth_square(word: np.uint64, n: np.uint64) -> np.uint64:
    """Return the n-th set bit of a word as a word with that bit alone."""
    return ONE << nth_bit(word, n)


@kernel(inline="always")
def pawns_up(pawns: np.uint64, other: np.uint64, empty: np.uint64) -> FourSets:
    """Return where captures to the left, steps, captures to the right and double steps lead."""
    step = (pawns << _S8) & empty
    left = ((pawns & NOT_A) << _S7) & other
    right = ((pawns & NOT_H) << _S9) & other
    return left, step, right, ((step & _ROW_3) << _S8) & empty


@kernel(inline="always")
def pawns_down(
    pawns: np.uint64, other: np.uint64, empty: np.uint64, crossed: np.uint64
) -> FourSets:
    """Return the same down the board; double steps cross the row `crossed`."""
    step = (pawns >> _S8) & empty
    left = ((pawns & NOT_A) >> _S9) & other
    right = ((pawns & NOT_H) >> _S7) & other
    return left, step, right, ((step & crossed) >> _S8) & empty


@kernel(inline="always")
def draw_square(
    first: np.uint64, second: np.uint64, third: np.uint64, fourth: np.uint64, draw: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Draw one square out of four sets of target squares; return it and which set that was, from 0.

    The number of a move is drawn among all, and the sets are counted to find it: every legal
    move is as likely as any other.
    """
    in_one = np.uint64(popcount(first))
    in_two = in_one + np.uint64(popcount(second))
    in_three = in_two + np.uint64(popcount(third))
    n = pick(draw, in_three + np.uint64(popcount(fourth)))
    squares, before, which = first, ZERO, ZERO
    if n >= in_one:
        squares, before, which = second, in_one, ONE
    if n >= in_two:
        squares, before, which = third, in_two, _S2
    if n >= in_three:
        squares, before, which = fourth, in_three, _THREE
    return nth_square(squares, n - before), which


def cells(rows: int, columns: int) -> int:
    """Return the set of all squares of a board."""
    return sum(((1 << columns) - 1) << SIDE * row for row in range(rows))


def ray(cell: int, rows: int, columns: int, occupied: int = 0) -> int:
    """Return the squares from a square on in one direction, as far as something stands there."""
    row, column = cell // SIDE + rows, cell % SIDE + columns
    squares = 0
    while 0 <= row < SIDE and 0 <= column < SIDE:
        bit = 1 << SIDE * row + column
        squares |= bit
        if occupied & bit:
            break
        row, column = row + rows, column + columns
    return squares


def square_name(cell: int) -> str:
    """Name a square by column letter and row number; bit 0 is a1."""
    return f"{'abcdefgh'[cell % SIDE]}{cell // SIDE + 1}"


def draw(rows: int, columns: int, pieces: Iterable[SupportsInt], symbols: Sequence[str]) -> str:
    """Draw a board, row 1 at the bottom: `symbols[i]` where `pieces[i]` stand."""
    bits = [SIDE * row + column for row in reversed(range(rows)) for column in range(columns)]
    return draw_board(pieces_on(bits, pieces, symbols), columns)
