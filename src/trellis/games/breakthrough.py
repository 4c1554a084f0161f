"""Breakthrough: pawns that step ahead or diagonally, capture diagonally, and race across.

Rows are numbered from the top, where the first player (b) starts and moves down; the bit of a
square is 8 * row + column on every board, so that every step is a shift by a constant:

    8  b b b b b b b b    bits  0 ..  7
    7  b b b b b b b b    bits  8 .. 15
       ...
    2  w w w w w w w w    bits 48 .. 55
    1  w w w w w w w w    bits 56 .. 63
       a b c d e f g h

A player who reaches the far side or takes the last piece wins.  Nobody is ever stuck: of a
player's foremost pieces, one always has a free or hostile square diagonally ahead.
As in OpenSpiel, boards of fewer than six rows start with one row of pieces a side, and a move is
numbered ((row * columns + column) * 6 + direction) * 2 + capture.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, lowest_bit, mark_made, mix, to_int
from trellis.game.common_rules import rule
from trellis.game.planes import Planes
from trellis.game.rules import (
    NEEDLESS,
    Counts,
    Moves,
    Random,
    Reals,
    State,
    Tables,
    words_of_codes,
)
from trellis.games import races
from trellis.games.races import BOARD, COLUMNS, FIRST, GOAL_0, GOAL_1, ROWS, SECOND, TURN, payoffs
from trellis.games.squares import NOT_A, NOT_H, cells, draw, draw_square, turned

DIRECTIONS = 6  # down-left, down, down-right for the first player; up-left, up, up-right

_LEFT_DOWN, _DOWN, _RIGHT_DOWN = np.uint64(7), np.uint64(8), np.uint64(9)
_LEFT_UP, _UP, _RIGHT_UP = np.uint64(9), np.uint64(8), np.uint64(7)
_ALL_8X8 = np.uint64(cells(8, 8))
_WORDS_8X8 = words_of_codes(64 * DIRECTIONS * 2)
_TOP_8X8, _BOTTOM_8X8 = np.uint64(0xFF), np.uint64(0xFF << 56)


@kernel()
def _target(cell: int, direction: int) -> int:
    """Return the bit of the square that lies in a direction."""
    step = 7 + direction if direction < 3 else direction - 12
    return cell + step


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    rows, columns = tables.ints[ROWS], tables.ints[COLUMNS]
    turn = np.int64(state[TURN])
    own, other = state[turn], state[1 - turn]
    ahead = 1 if turn == 0 else -1
    count = 0
    for row in range(max(0, -ahead), min(rows, rows - ahead)):
        for column in range(columns):
            cell = 8 * row + column
            if not (own >> np.uint64(cell)) & ONE:
                continue
            for side in range(3):
                if not 0 <= column + side - 1 < columns:
                    continue
                square = np.uint64(cell + 8 * ahead + side - 1)
                capture = np.int64((other >> square) & ONE)
                if (own >> square) & ONE or (capture and side == 1):
                    continue
                direction = 3 * turn + side
                out[count] = ((row * columns + column) * DIRECTIONS + direction) * 2 + capture
                count += 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    columns = tables.ints[COLUMNS]
    place = move // (2 * DIRECTIONS)
    cell = 8 * (place // columns) + place % columns
    target = ONE << np.uint64(_target(cell, move // 2 % DIRECTIONS))
    turn = np.int64(state[TURN])
    state[turn] ^= target | (ONE << np.uint64(cell))
    state[1 - turn] &= ~target
    state[TURN] ^= ONE


@kernel(inline="always")
def _mark(
    made: State, first: int, columns: int, piece: np.uint64, direction: int, taken: np.uint64
) -> None:
    """Mark the move of a piece; `taken` is the piece it takes, or nothing."""
    cell = lowest_bit(piece)
    place = (cell >> 3) * columns + (cell & 7)
    mark_made(made, first, (place * DIRECTIONS + direction) * 2 + (1 if taken != ZERO else 0))


@kernel(inline="always")
def _random_game(
    state: State, rng: Random, board: np.uint64, goal_0: np.uint64, goal_1: np.uint64,
    columns: int, words: int, made: State, marks: bool,
) -> int:  # fmt: skip
    """Play at random with the whole position in registers; write it back at the end.

    Moves are marked where that is asked for, by a constant.
    """
    seed = rng[0]
    down, up = state[FIRST], state[SECOND]
    turn = state[TURN]
    over = (down & goal_0) | (up & goal_1) != ZERO or ZERO in (down, up)
    plies = 0
    while not over:
        if turn == ZERO:
            free = board & ~down
            square, side = draw_square(
                ((down & NOT_A) << _LEFT_DOWN) & free,
                (down << _DOWN) & free & ~up,
                ((down & NOT_H) << _RIGHT_DOWN) & free,
                ZERO,
                mix(seed + GOLDEN),
            )
            seed += GOLDEN
            if marks:
                _mark(made, 0, columns, square >> (_LEFT_DOWN + side), to_int(side), square & up)
            down ^= square | (square >> (_LEFT_DOWN + side))
            up &= ~square
            plies += 1
            turn = ONE
            if down & goal_0 or up == ZERO:
                break
        free = board & ~up
        square, side = draw_square(
            ((up & NOT_A) >> _LEFT_UP) & free,
            (up >> _UP) & free & ~down,
            ((up & NOT_H) >> _RIGHT_UP) & free,
            ZERO,
            mix(seed + GOLDEN),
        )
        seed += GOLDEN
        if marks:
            _mark(
                made, words, columns, square << (_LEFT_UP - side), 3 + to_int(side), square & down
            )
        up ^= square | (square << (_LEFT_UP - side))
        down &= ~square
        plies += 1
        turn = ZERO
        over = up & goal_1 != ZERO or down == ZERO
    state[FIRST], state[SECOND], state[TURN] = down, up, turn
    rng[0] = seed
    return plies


@kernel(inline="always")
def _finish(tables: Tables, state: State, rng: Random, out: Reals, made: State, marks: bool) -> int:
    board, goal_0, goal_1 = tables.words[BOARD], tables.words[GOAL_0], tables.words[GOAL_1]
    if board == _ALL_8X8:
        # The board everybody plays: constants save the masks their registers.
        plies = _random_game(
            state, rng, _ALL_8X8, _BOTTOM_8X8, _TOP_8X8, 8, _WORDS_8X8, made, marks
        )
    else:
        columns, words = int(tables.ints[COLUMNS]), len(made) // 2
        plies = _random_game(state, rng, board, goal_0, goal_1, columns, words, made, marks)
    payoffs(tables, state, out)
    return plies


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    return _finish(tables, state, rng, out, state, False)


@rule
def marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    return _finish(tables, state, rng, out, made, True)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    rows, columns = tables.ints[ROWS], tables.ints[COLUMNS]
    capture, direction = move % 2, move // 2 % DIRECTIONS
    place = move // (2 * DIRECTIONS)
    row, column = place // columns, place % columns
    if index & 1:
        column = columns - 1 - column
        direction += 2 - 2 * (direction % 3)
    if index & 2:
        row = rows - 1 - row
        direction = (direction + 3) % DIRECTIONS
    return ((row * columns + column) * DIRECTIONS + direction) * 2 + capture


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell who is one step from the goal, and moves that leave it there; captures first."""
    rows, columns = to_int(tables.ints[ROWS]), to_int(tables.ints[COLUMNS])
    if columns < 2 or rows < 4:  # else a piece one step from its goal always has a step diagonally
        return 0
    turn = to_int(state[TURN])
    own, other = state[turn], state[1 - turn]
    row = (ONE << np.uint64(columns)) - ONE
    near, far = row << np.uint64(8 * (rows - 2)), row << np.uint64(8)
    if turn != 0:
        near, far = far, near
    if own & near != ZERO:
        return 1
    threats = other & far
    for i in range(count):
        move = to_int(moves[i])
        place = move // (2 * DIRECTIONS)
        cell = 8 * (place // columns) + place % columns
        target = ONE << np.uint64(_target(cell, move // 2 % DIRECTIONS))
        ahead = place // columns + 1 if turn == 0 else rows - place // columns
        if races.loses_to(threats, other, target):
            scores[i] = NEEDLESS
        else:
            scores[i] = 64 * (move % 2) + 4 * ahead
    return 0


RULES = races.race_rules(moves, play, playout, map_move, marked_playout=marked_playout, hint=hint)


class Breakthrough(races.Race):
    """Breakthrough: reach the far side with one pawn, or take every pawn of the opponent."""

    name = "breakthrough"
    notation = "two squares, and * for a capture, as a2a3 or a4b5*"
    symbols = ("b", "w")

    def __init__(self, rows: int = 8, columns: int = 8) -> None:
        super().__init__(
            RULES,
            rows,
            columns,
            # A piece has three squares ahead of it, or two at an edge; two columns are all edge.
            max_moves=races.ranks(rows) * columns * (3 if columns > 2 else 2),
            move_codes=rows * columns * DIRECTIONS * 2,
        )
        self.planes = Planes(
            rows, columns, lambda row, column: 8 * (rows - 1 - row) + column, second=1
        )

    def _square(self, cell: int) -> str:
        return f"{'abcdefgh'[cell % 8]}{self.rows - cell // 8}"

    def move_name(self, state: State, move: int) -> str:
        """Name a move by the squares it leads from and to; a star marks a capture."""
        place = move // (2 * DIRECTIONS)
        cell = 8 * (place // self.columns) + place % self.columns
        target = int(_target(cell, move // 2 % DIRECTIONS))
        return f"{self._square(cell)}{self._square(target)}{'*' if move % 2 else ''}"

    def board(self, state: State) -> str:
        """Draw the board with row 1, where the second player starts, at the bottom."""
        pieces = [turned(state[player], self.rows) for player in (FIRST, SECOND)]
        return draw(self.rows, self.columns, pieces, self.symbols)
