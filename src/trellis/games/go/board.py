"""The board of Go as words: where everything is in a state and in the tables, chains, areas.

A point has a bit, y * (columns + 1) + x with row 1 at the bottom; the column behind the last one is
always empty, so that no neighbour wraps around.  A move is y * columns + x, a pass comes after all.

    state   black words, white words, status, code, count, history
    status  bit 0 who moves (0 black), bits 1-2 passes in a row, bits 8-19 the ko point + 1,
            bits 20-31 the most stones there ever were, bits 32-63 moves made, if counted

The code of a board is a sum of a weight for each stone.  With up to 39 points weights are powers of
three and the code is the board, digit by digit; on larger boards they are random, and two boards
have one code as seldom as a hash of 64 bits allows.  What history is kept, and how, is told in
`history`.
"""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, mix
from trellis.game.rules import State, Tables, tables

LARGEST = 19
MOST_POINTS = LARGEST * LARGEST
MOST_BITS = 384  # 19 rows of 20, in whole words
EXACT_POINTS = 39  # 2 * 3^39 is below 2^64

# tables.ints
ROWS, COLUMNS, STRIDE, WORDS, POINTS, CAP = 0, 1, 2, 3, 4, 5
SUPERKO, SUICIDE, HISTORY, HISTORY_WORDS, KEY_TURN, BY_MARGIN = 6, 7, 8, 9, 10, 11
CODE_OF_BIT = 16  # [MOST_BITS]
BIT_OF_CODE = CODE_OF_BIT + MOST_BITS  # [MOST_POINTS]
IMAGES = 768  # [8, POINTS + 1]: where each symmetry sends each move
# tables.words; from STACK on it is working memory
BOARD = 0  # [6] all points
WEIGHTS = 8  # [2, MOST_BITS] of a stone of each colour
STACK = WEIGHTS + 2 * MOST_BITS  # [MOST_BITS]
MARKS = STACK + MOST_BITS  # [MOST_BITS], all zero between calls
ROOM = MARKS + MOST_BITS  # [10 * 512], for random games
# tables.reals
KOMI = 0

SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2
# How history is kept: not at all, as a list in the order of play, as a sorted list, as a bit for
# each board there is.
NO_HISTORY, IN_ORDER, SORTED, BITMAP = 0, 1, 2, 3
BITMAP_POINTS = 9

SIDE = ONE
PASSES_AT, PASSES = np.uint64(1), np.uint64(3)
KO_AT, KO = np.uint64(8), np.uint64(0xFFF)
MOST_AT, MOST = np.uint64(20), np.uint64(0xFFF)
PLIES_AT = np.uint64(32)

_S6, _S63 = np.uint64(6), np.uint64(63)


def make_tables(
    rows: int, columns: int, *, cap: int, superko: int, suicide: bool, history: int,
    history_words: int, key_turn: bool, by_margin: bool, komi: float, images: list[int],
) -> Tables:  # fmt: skip
    """Lay out what the rules need to know of a board."""
    stride, points = columns + 1, rows * columns
    ints = np.zeros(IMAGES + len(images), np.int32)
    ints[[ROWS, COLUMNS, STRIDE, WORDS]] = rows, columns, stride, words_of(rows, columns)
    ints[[POINTS, CAP, SUPERKO, SUICIDE]] = points, cap, superko, suicide
    ints[[HISTORY, HISTORY_WORDS, KEY_TURN, BY_MARGIN]] = (
        history,
        history_words,
        key_turn,
        by_margin,
    )
    ints[IMAGES:] = images
    words = np.zeros(ROOM + 10 * 512, np.uint64)
    for code in range(points):
        bit = code // columns * stride + code % columns
        ints[CODE_OF_BIT + bit], ints[BIT_OF_CODE + code] = code, bit
        words[BOARD + bit // 64] |= ONE << np.uint64(bit % 64)
        exact = points <= EXACT_POINTS
        for colour in range(2):
            place = WEIGHTS + colour * MOST_BITS + bit
            # Numbers of a fixed generator, so that keys are the same everywhere.
            drawn = int(mix(np.uint64(2 * code + colour + 1)))
            words[place] = (colour + 1) * 3**code if exact else drawn
    return tables(ints, words, [komi])


def words_of(rows: int, columns: int) -> int:
    """Return how many words the stones of one colour take."""
    return (rows * (columns + 1) - 1 + 63) // 64


@kernel(inline="always")
def only(condition: bool, value: np.uint64) -> np.uint64:
    """Return a value, or zero: a select, not a branch."""
    return value if condition else ZERO


@kernel(inline="always")
def has(words: State, first: Any, bit: np.uint64) -> bool:
    """Tell whether a set of points that begins at a word has a point."""
    return (words[first + (bit >> _S6)] >> (bit & _S63)) & ONE != ZERO


@kernel(inline="always")
def beside(bit: np.uint64, direction: int, stride: np.uint64) -> np.uint64:
    """Return a neighbour; below the board it is a huge number."""
    if direction == 0:
        return bit + ONE
    if direction == 1:
        return bit - ONE
    return bit + stride if direction == 2 else bit - stride


@kernel(inline="always")
def is_point(tables: Tables, bit: np.uint64) -> bool:
    """Tell whether a neighbour is on the board."""
    return bool(bit < np.uint64(MOST_BITS)) and has(tables.words, np.uint64(BOARD), bit)


@kernel()
def follow_chain(
    tables: Tables, state: State, own: np.uint64, other: np.uint64, stone: np.uint64,
    put: np.uint64, first: int,
) -> tuple[bool, int]:  # fmt: skip
    """List the chain of a stone from place `first` of the stack on, as if `put` were occupied.

    Returns whether it has a liberty, and where the list ends; it ends early where one is found.
    Stones that were listed stay marked.
    """
    words, stride = tables.words, np.uint64(tables.ints[STRIDE])
    words[STACK + first] = stone
    words[np.uint64(MARKS) + stone] = ONE
    done, end = first, first + 1
    while done < end:
        here = words[STACK + done]
        done += 1
        for direction in range(4):
            near = beside(here, direction, stride)
            if near == put or not is_point(tables, near):
                continue
            if has(state, own, near):
                if words[np.uint64(MARKS) + near] == ZERO:
                    words[np.uint64(MARKS) + near] = ONE
                    words[STACK + end] = near
                    end += 1
            elif not has(state, other, near):
                return True, end
    return False, end


@kernel()
def unmark(tables: Tables, first: int, end: int) -> None:
    """Take the marks off what is listed."""
    words = tables.words
    for i in range(first, end):
        words[np.uint64(MARKS) + words[STACK + i]] = ZERO


@kernel()
def list_taken(
    tables: Tables, state: State, own: np.uint64, other: np.uint64, put: np.uint64
) -> int:
    """List in the stack the stones of the other colour that a stone takes; return how many."""
    stride = np.uint64(tables.ints[STRIDE])
    count = 0
    for direction in range(4):
        near = beside(put, direction, stride)
        if (
            is_point(tables, near)
            and has(state, other, near)
            and tables.words[np.uint64(MARKS) + near] == ZERO
        ):
            alive, end = follow_chain(tables, state, other, own, near, put, count)
            if alive:
                unmark(tables, count, end)
            else:
                count = end
    unmark(tables, 0, count)
    return count


@kernel()
def list_own(
    tables: Tables, state: State, own: np.uint64, other: np.uint64, put: np.uint64
) -> tuple[bool, int]:
    """List in the stack the chain that a stone would belong to; tell whether it has a liberty."""
    alive, end = follow_chain(tables, state, own, other, put, put, 0)
    unmark(tables, 0, end)
    return alive, end


@kernel()
def _region(
    tables: Tables, state: State, bit: np.uint64, stride: np.uint64, white: np.uint64
) -> int:
    """Mark the empty points that hang together with one; return whose they are, counted."""
    words = tables.words
    words[STACK] = bit
    words[np.uint64(MARKS) + bit] = ONE
    done, end = 0, 1
    blacks = whites = False
    while done < end:
        here = words[STACK + done]
        done += 1
        for direction in range(4):
            near = beside(here, direction, stride)
            if not is_point(tables, near):
                continue
            if has(state, ZERO, near):
                blacks = True
            elif has(state, white, near):
                whites = True
            elif words[np.uint64(MARKS) + near] == ZERO:
                words[np.uint64(MARKS) + near] = ONE
                words[STACK + end] = near
                end += 1
    if blacks == whites:
        return 0
    return end if blacks else -end


@kernel()
def area(tables: Tables, state: State) -> int:
    """Return black's stones and what only they surround, minus white's."""
    words, stride = tables.words, np.uint64(tables.ints[STRIDE])
    white = np.uint64(tables.ints[WORDS])
    score = 0
    for code in range(tables.ints[POINTS]):
        bit = np.uint64(tables.ints[BIT_OF_CODE + code])
        if has(state, ZERO, bit):
            score += 1
        elif has(state, white, bit):
            score -= 1
        elif words[np.uint64(MARKS) + bit] == ZERO:
            score += _region(tables, state, bit, stride, white)
    for i in range(MOST_BITS):
        words[MARKS + i] = ZERO
    return score
