"""2048: slide all tiles one way, equal ones merge; chance adds a 2 or, one time in ten, a 4.

     0  1  2  3      moves are 0 up, 1 right, 2 down, 3 left;
     4  5  6  7      outcome 2c puts a 2 on cell c, 2c + 1 a 4
     8  9 10 11
    12 13 14 15      a cell is four bits of one word: 0, or k for the tile 2^k

Rules and numbers are OpenSpiel's, on boards of 2 to 4 rows and columns: two tiles are dealt, and
the game ends when the target tile is made or nothing can move.  There a number means a move or an
outcome, whatever the position expects, so the game offers no symmetries.  One thing differs:
OpenSpiel 2.0.2 does not list a move whose only effect is to merge with a tile that the last move
made, although it can make it; ours lists whatever changes the board.

What it pays: with `goal=score` the points, 2^k for each tile made by merging, as OpenSpiel does;
with `goal=tile` 1 for the target tile and 0 without it.  Points are bounded, see `score_bound`.
They need no counter: a tile 2^k made from twos has brought (k - 1) 2^k points, and each 4 that
chance dealt has brought 4 less.  So only dealt fours are part of a position, and with `goal=tile`
not even they.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    GOLDEN,
    ONE,
    ZERO,
    hash_pair,
    lowest_bit,
    mix,
    popcount,
    random_bit,
    to_int,
)
from trellis.game.boards import draw_board
from trellis.game.common_rules import rule, start_empty
from trellis.game.errors import BadParameter
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
# state: the board, then what comes next in bits 0-1 and the fours dealt in bits 32-63
BOARD, STATUS = 0, 1
FIRST_TILE, TILE, MOVE, OVER = 0, 1, 2, 3
# tables.ints
ROWS, COLUMNS, TARGET, SCORED, ACROSS, DOWNWARD = 0, 1, 2, 3, 4, 5  # TARGET: its k
SLIDES = 6  # lines slid to their low end, then to their high end, for rows; then for columns
# tables.words
CELLS = 0  # the lowest bit of every cell

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_THREE, _FOUR = np.uint64(3), np.uint64(4)
_FIFTEEN = np.uint64(15)
_S2, _S12, _S24 = np.uint64(2), np.uint64(12), np.uint64(24)
# What stays, goes up and goes down when the cells, then the quarters, of a 4 by 4 board change.
_KEEP_CELLS, _UP_CELLS, _DOWN_CELLS = map(
    np.uint64, (0xF0F0_0F0F_F0F0_0F0F, 0x0000_F0F0_0000_F0F0, 0x0F0F_0000_0F0F_0000)
)
_KEEP_QUARTERS, _UP_QUARTERS, _DOWN_QUARTERS = map(
    np.uint64, (0xFF00_FF00_00FF_00FF, 0x0000_0000_FF00_FF00, 0x00FF_00FF_0000_0000)
)


@kernel()
def _filled(board: np.uint64) -> np.uint64:
    """Set the lowest bit of every cell that has a tile."""
    some = board | (board >> ONE)
    return (some | (some >> _S2)) & np.uint64(0x1111_1111_1111_1111)


@kernel()
def _turned(board: np.uint64, rows: int, columns: int) -> np.uint64:
    """Exchange rows and columns."""
    if rows == 4 and columns == 4:
        board = (
            (board & _KEEP_CELLS)
            | ((board & _UP_CELLS) << _S12)
            | ((board & _DOWN_CELLS) >> _S12)
        )  # fmt: skip
        return (
            (board & _KEEP_QUARTERS)
            | ((board & _UP_QUARTERS) << _S24)
            | ((board & _DOWN_QUARTERS) >> _S24)
        )
    result = ZERO
    for row in range(rows):
        for column in range(columns):
            tile = (board >> np.uint64(4 * (row * columns + column))) & _FIFTEEN
            result |= tile << np.uint64(4 * (column * rows + row))
    return result


@kernel()
def _slid_lines(ints: Any, first: int, board: np.uint64, lines: int, cells: int) -> np.uint64:
    """Slide every line of `cells` cells; what becomes of a line is looked up."""
    width = np.uint64(4 * cells)
    mask = (ONE << width) - ONE
    result = ZERO
    for line in range(lines):
        shift = np.uint64(line) * width
        result |= np.uint64(ints[first + to_int((board >> shift) & mask)]) << shift
    return result


@kernel()
def _slid(ints: Any, board: np.uint64, direction: int) -> np.uint64:
    """Say what the board looks like once all tiles have slid one way."""
    rows, columns = to_int(ints[ROWS]), to_int(ints[COLUMNS])
    to_high_end = direction in (RIGHT, DOWN)
    if direction in (LEFT, RIGHT):
        first = to_int(ints[ACROSS]) + (1 << 4 * columns if to_high_end else 0)
        return _slid_lines(ints, first, board, rows, columns)
    first = to_int(ints[DOWNWARD]) + (1 << 4 * rows if to_high_end else 0)
    turned = _slid_lines(ints, first, _turned(board, rows, columns), columns, rows)
    return _turned(turned, columns, rows)


@kernel()
def _holds(board: np.uint64, k: np.uint64) -> bool:
    """Tell whether the tile 2^k is on the board."""
    differs = _filled(board ^ (k * np.uint64(0x1111_1111_1111_1111)))
    return differs != np.uint64(0x1111_1111_1111_1111)


@kernel()
def _is_stuck(ints: Any, board: np.uint64) -> bool:
    changed = ZERO
    for direction in range(4):
        changed |= _slid(ints, board, direction) ^ board
    return changed == ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    phase = to_int(state[STATUS] & _THREE)
    if phase == OVER:
        return NOBODY
    return 0 if phase == MOVE else CHANCE


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    board = state[BOARD]
    count = 0
    if state[STATUS] & _THREE == np.uint64(MOVE):
        for direction in range(4):
            if _slid(tables.ints, board, direction) != board:
                out[count] = direction
                count += 1
        return count
    empty = tables.words[CELLS] & ~_filled(board)
    while empty != ZERO:
        outcome = lowest_bit(empty) >> 1  # bit 4c becomes outcome 2c
        empty &= empty - ONE
        out[count] = outcome
        out[count + 1] = outcome + 1
        count += 2
    return count


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    cells = popcount(tables.words[CELLS] & ~_filled(state[BOARD]))
    for cell in range(cells):
        out[2 * cell] = 0.9 / cells
        out[2 * cell + 1] = 0.1 / cells


@rule
def play(tables: Tables, state: State, move: int) -> None:
    ints, status = tables.ints, state[STATUS]
    phase = to_int(status & _THREE)
    following = TILE
    if phase == MOVE:
        state[BOARD] = _slid(ints, state[BOARD], move)
        if _holds(state[BOARD], np.uint64(ints[TARGET])):
            following = OVER
    else:
        four = np.uint64(move & 1)
        state[BOARD] |= (ONE + four) << np.uint64(4 * (move >> 1))
        if ints[SCORED] != 0:
            status += four << _HALF
        if phase == TILE:
            following = OVER if _is_stuck(ints, state[BOARD]) else MOVE
    state[STATUS] = (status & ~_THREE) | np.uint64(following)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    board = state[BOARD]
    if tables.ints[SCORED] == 0:
        out[0] = 1.0 if _holds(board, np.uint64(tables.ints[TARGET])) else 0.0
        return
    points = -4 * to_int(state[STATUS] >> _HALF)
    while board != ZERO:
        k = to_int(board & _FIFTEEN)
        if k > 1:
            points += (k - 1) << k
        board >>= _FOUR
    out[0] = np.float64(points)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    return hash_pair(state[BOARD], state[STATUS])


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Deal with one random number: the high half picks the cell, the low one a 2 or a 4.

    A direction is drawn until one moves something, which is fair to all that do.
    """
    ints = tables.ints
    seed = rng[0]
    board, status = state[BOARD], state[STATUS]
    target = np.uint64(ints[TARGET])
    fours = ZERO
    phase = to_int(status & _THREE)
    plies = 0
    while phase != OVER:
        seed += GOLDEN
        draw = mix(seed)
        if phase == MOVE:
            tried = 0
            phase = OVER
            while tried != 15:
                direction = to_int(draw & _THREE)
                draw >>= _S2
                if draw == ZERO:
                    seed += GOLDEN
                    draw = mix(seed)
                slid = _slid(ints, board, direction)
                if slid != board:
                    board = slid
                    plies += 1
                    phase = OVER if _holds(board, target) else TILE
                    break
                tried |= 1 << direction
        else:
            place = random_bit(tables.words[CELLS] & ~_filled(board), draw)
            four = ONE if (draw & _LOW) * np.uint64(10) < ONE << _HALF else ZERO
            board |= (ONE + four) << place
            fours += four
            plies += 1
            phase = TILE if phase == FIRST_TILE else MOVE
    rng[0] = seed
    state[BOARD] = board
    if ints[SCORED] != 0:
        status += fours << _HALF
    state[STATUS] = (status & ~_THREE) | np.uint64(OVER)
    payoffs(tables, state, out)
    return plies


RULES = Rules(start_empty, acting, moves, play, payoffs, key, chances=chances, playout=playout)


def _slides(cells: int) -> npt.NDArray[np.int64]:
    """Say for every line of cells what sliding to its low end, then to its high end, makes of it.

    All lines at once: tile after tile is taken up, from the end that they slide to.
    """
    lines = np.arange(1 << 4 * cells)
    tiles = [lines >> 4 * cell & 15 for cell in range(cells)]
    slid = []
    for order in (range(cells), range(cells - 1, -1, -1)):
        result = np.zeros((cells, len(lines)), np.int64)
        place = np.zeros(len(lines), np.int64)  # where the next tile goes
        waiting = np.zeros(len(lines), np.int64)  # the last tile, while it may still merge
        for cell in order:
            tile = tiles[cell]
            # No game goes on with two tiles 2^15, so they need not merge.
            merges = (tile > 0) & (tile == waiting) & (tile < 15)
            alone = (tile > 0) & ~merges
            result[place[merges] - 1, merges] += 1
            result[place[alone], alone] = tile[alone]
            place += alone
            waiting = np.where(merges, 0, np.where(alone, tile, waiting))
        ends = [*order]
        slid.append(np.sum([result[i] << 4 * ends[i] for i in range(cells)], axis=0))
    return np.concatenate(slid)


def largest_tile(cells: int) -> int:
    """Return the largest tile that fits: with two fours on the last two cells, all others double.

    For a tile 2^k two of 2^(k-1) must lie side by side, the second made while the first was
    there, and so on down to two fours: k - 1 cells.
    """
    return 1 << cells + 1


def score_bound(cells: int, target: int) -> int:
    """Return a bound on the points: no board is worth more, whatever path led to it.

    By the argument of `largest_tile` the m-th smallest tile is at most 2^(m+1), and before the
    last move no tile is above half of the target.  That board, made without dealt fours, has
    brought (k - 1) 2^k for each tile 2^k; the last move brings at most the sum of all tiles.
    """
    tiles = [min(m + 1, target.bit_length() - 2) for m in range(1, cells + 1)]
    return sum((k - 1 << k) + (1 << k) for k in tiles)


class TwentyFortyEight(Game):
    """2048: slide and merge tiles until the target tile is made or nothing moves."""

    name = "twenty_forty_eight"
    notation = "up, right, down or left"
    symbols = ("p",)
    pieces = ()

    def __init__(
        self, rows: int = 4, columns: int = 4, target: int = 2048, goal: str = "score"
    ) -> None:
        cells = rows * columns
        if goal == "tile" and target > largest_tile(cells):
            raise BadParameter(
                f"twenty_forty_eight:rows={rows},columns={columns},target={target},goal=tile: no "
                f"such tile fits; expected a target of at most {largest_tile(cells)}"
            )
        slides = [_slides(columns)] if rows == columns else [_slides(columns), _slides(rows)]
        across = SLIDES
        downward = across if rows == columns else across + len(slides[0])
        most = float(score_bound(cells, target)) if goal == "score" else 1.0
        half = min(target // 2, largest_tile(cells))
        super().__init__(
            RULES,
            tables(
                ints=np.concatenate(
                    [
                        [rows, columns, target.bit_length() - 1, goal == "score", across, downward],
                        *slides,
                    ]
                ),
                words=[sum(1 << 4 * cell for cell in range(cells))],
            ),
            parameters={"rows": rows, "columns": columns, "target": target, "goal": goal},
            players=1,
            payoff_range=(0.0, most),
            constant_sum=None,
            state_words=2,
            max_moves=2 * cells,  # the first tile; the four directions are never more
            move_codes=2 * cells,
            # The sum of all tiles, at most `half` on every cell before the last move, grows by 2
            # or 4 with every tile dealt; moves are fewer than tiles.
            max_plies=cells * half,
        )
        self.rows, self.columns = rows, columns

    def move_name(self, state: State, move: int) -> str:
        """Name a direction."""
        return ("up", "right", "down", "left")[move]

    def outcome_name(self, state: State, move: int) -> str:
        """Name a tile and its cell, row 1 at the bottom."""
        row, column = divmod(move // 2, self.columns)
        return f"{2 + 2 * (move % 2)}@{'abcd'[column]}{self.rows - row}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom, and say what comes next."""
        board, status = int(state[BOARD]), int(state[STATUS])
        tiles = [board >> 4 * cell & 15 for cell in range(self.rows * self.columns)]
        drawing = draw_board([f"{1 << k if k else '.':>5}" for k in tiles], self.columns)
        said = ("a tile is dealt", "a tile is dealt", "slide", "the game is over")[status & 3]
        if self.parameters["goal"] == "score":
            points = np.zeros(1)
            self.rules.payoffs(self.tables, state, points)
            said += f", {points[0]:.0f} points"
        return f"{drawing}\n{said}"
