"""Knightthrough: Breakthrough with knights that only ever jump ahead.

The bit of a square is 8 * row + column on every board; the first player (w) starts at the bottom:

    8  b b b b b b b b    bits 56 .. 63
    7  b b b b b b b b
       ...
    2  w w w w w w w w
    1  w w w w w w w w    bits  0 ..  7
       a b c d e f g h

A knight jumps one row ahead and two columns aside, or two rows ahead and one aside, onto any
square its own side does not hold, and takes what stands there.  Who reaches the far side, or
takes the last piece, wins.  The rules are those of the game of that name among general game
players; as in Breakthrough, boards of fewer than six rows start with one row of pieces a side.

On boards of four columns or more nobody is ever stuck: a foremost knight can always jump two
columns aside.  (On three columns it could not, which is why there are at least four.)
A move is numbered 4 * bit + direction: far left, near left, near right, far right.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, mix, to_int
from trellis.game.common_rules import rule
from trellis.game.rules import NEEDLESS, Counts, Moves, Random, Reals, State, Tables
from trellis.games import races
from trellis.games.races import BOARD, COLUMNS, FIRST, GOAL_0, GOAL_1, ROWS, SECOND, TURN, payoffs
from trellis.games.squares import FILE_A, FILE_H, NOT_A, NOT_H, cells, draw_square, square_name

# The most moves by rows (4 to 8) and columns (4 to 8).  Four jumps a knight would be 64 on the
# usual board, but edges and own knights are in the way.  Whether a jump is free depends on three
# neighbouring rows only, so going up row by row finds the maximum over all ways to place the
# knights; the tests do that, and have a position for each size.
MOST_MOVES = {
    4: (12, 16, 20, 24, 28),
    5: (12, 18, 22, 26, 30),
    6: (20, 28, 36, 44, 52),
    7: (22, 31, 39, 48, 57),
    8: (24, 34, 42, 51, 60),
}
FEWEST_COLUMNS = 4

_NOT_AB = ~(FILE_A | FILE_A << ONE)
_NOT_GH = ~(FILE_H | FILE_H >> ONE)
# The distance of a jump up the board; down the board they are the same in reverse order.
_FAR_LEFT, _NEAR_LEFT, _NEAR_RIGHT, _FAR_RIGHT = (np.uint64(step) for step in (6, 15, 17, 10))
_JUMPS = np.array([_FAR_LEFT, _NEAR_LEFT, _NEAR_RIGHT, _FAR_RIGHT], np.uint64)
_ALL_8X8 = np.uint64(cells(8, 8))
_TOP_8X8, _BOTTOM_8X8 = np.uint64(0xFF << 56), np.uint64(0xFF)


@kernel()
def _jump(turn: int | np.int64, direction: int) -> tuple[int, int]:
    """Return how many rows up and columns right a jump leads."""
    rows = 1 if direction in (0, 3) else 2
    columns = direction - 2 if direction < 2 else direction - 1
    return (rows if turn == 0 else -rows), columns


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    rows, columns = tables.ints[ROWS], tables.ints[COLUMNS]
    turn = np.int64(state[TURN])
    own = state[turn]
    count = 0
    for cell in range(8 * rows):
        if not (own >> np.uint64(cell)) & ONE:
            continue
        for direction in range(4):
            up, right = _jump(turn, direction)
            row, column = cell // 8 + up, cell % 8 + right
            if 0 <= row < rows and 0 <= column < columns:
                if not (own >> np.uint64(8 * row + column)) & ONE:
                    out[count] = 4 * cell + direction
                    count += 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turn = np.int64(state[TURN])
    up, right = _jump(turn, move % 4)
    cell = move // 4
    target = ONE << np.uint64(cell + 8 * up + right)
    state[turn] ^= target | (ONE << np.uint64(cell))
    state[1 - turn] &= ~target
    state[TURN] ^= ONE


@kernel(inline="always")
def _random_game(
    state: State, rng: Random, board: np.uint64, goal_0: np.uint64, goal_1: np.uint64
) -> int:
    """Play at random with the whole position in registers; write it back at the end."""
    seed = rng[0]
    up, down = state[FIRST], state[SECOND]
    turn = state[TURN]
    over = (up & goal_0) | (down & goal_1) != ZERO or ZERO in (up, down)
    plies = 0
    while not over:
        if turn == ZERO:
            free = board & ~up
            square, which = draw_square(
                ((up & _NOT_AB) << _FAR_LEFT) & free,
                ((up & NOT_A) << _NEAR_LEFT) & free,
                ((up & NOT_H) << _NEAR_RIGHT) & free,
                ((up & _NOT_GH) << _FAR_RIGHT) & free,
                mix(seed + GOLDEN),
            )
            seed += GOLDEN
            up ^= square | (square >> _JUMPS[which])
            down &= ~square
            plies += 1
            turn = ONE
            if up & goal_0 or down == ZERO:
                break
        free = board & ~down
        # A jump down to the right goes as far as one up to the left, so the sets change places.
        square, which = draw_square(
            ((down & _NOT_GH) >> _FAR_LEFT) & free,
            ((down & NOT_H) >> _NEAR_LEFT) & free,
            ((down & NOT_A) >> _NEAR_RIGHT) & free,
            ((down & _NOT_AB) >> _FAR_RIGHT) & free,
            mix(seed + GOLDEN),
        )
        seed += GOLDEN
        down ^= square | (square << _JUMPS[which])
        up &= ~square
        plies += 1
        turn = ZERO
        over = down & goal_1 != ZERO or up == ZERO
    state[FIRST], state[SECOND], state[TURN] = up, down, turn
    rng[0] = seed
    return plies


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    board, goal_0, goal_1 = tables.words[BOARD], tables.words[GOAL_0], tables.words[GOAL_1]
    if board == _ALL_8X8:
        # The board everybody plays: constants save the masks their registers.
        plies = _random_game(state, rng, _ALL_8X8, _TOP_8X8, _BOTTOM_8X8)
    else:
        plies = _random_game(state, rng, board, goal_0, goal_1)
    payoffs(tables, state, out)
    return plies


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    direction = move % 4
    row, column = move // 32, move // 4 % 8
    if index & 1:
        column = tables.ints[COLUMNS] - 1 - column
        direction = 3 - direction
    if index & 2:
        row = tables.ints[ROWS] - 1 - row
    return 4 * (8 * row + column) + direction


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell who is one jump from the goal, and moves that leave it there; captures first."""
    rows, turn = to_int(tables.ints[ROWS]), to_int(state[TURN])
    own, other = state[turn], state[1 - turn]
    # From the last two rows before the goal there is always a jump onto it.
    two = np.uint64(0xFFFF)
    near, far = two << np.uint64(8 * (rows - 3)), two << np.uint64(8)
    if turn != 0:
        near, far = far, near
    if own & near != ZERO:
        return 1
    for i in range(count):
        move = to_int(moves[i])
        up, right = _jump(turn, move % 4)
        row = move // 32 + up
        target = ONE << np.uint64(move // 4 + 8 * up + right)
        if races.loses_to(other & far, other, target):
            scores[i] = NEEDLESS
        else:
            ahead = row if turn == 0 else rows - 1 - row
            scores[i] = 4 * ahead + (64 if other & target != ZERO else 0)
    return 0


RULES = races.race_rules(moves, play, playout, map_move, hint=hint)


class Knightthrough(races.Race):
    """Knightthrough: reach the far side with one knight, or take every knight of the opponent."""

    name = "knightthrough"
    notation = "two squares, with x between them for a capture, as b1c3 or b5xc7"
    symbols = ("w", "b")

    def __init__(self, rows: int = 8, columns: int = 8) -> None:
        super().__init__(
            RULES,
            rows,
            columns,
            max_moves=MOST_MOVES[rows][columns - FEWEST_COLUMNS],
            move_codes=4 * 8 * rows,
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a move by the squares it leads from and to, with an x for a capture."""
        turn = int(state[TURN])
        up, right = _jump(turn, move % 4)
        cell = move // 4
        target = cell + 8 * up + right
        capture = int(state[1 - turn]) >> target & 1
        return f"{square_name(cell)}{'x' if capture else ''}{square_name(target)}"
