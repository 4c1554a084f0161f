"""Pawn whopping: nothing but pawns, moving as in chess, race to the far side.

The bit of a square is 8 * row + column; the first player (x) starts on row 2 and moves up:

    8  . . . . . . . .    bits 56 .. 63
    7  o o o o o o o o
       ...
    2  x x x x x x x x
    1  . . . . . . . .    bits  0 ..  7
       a b c d e f g h

A pawn steps ahead onto an empty square, two of them from where it started, and captures
diagonally; there is no en passant.  Who reaches the far side, or takes the last pawn, wins.  A
player who cannot move passes; when neither can, the game is a draw.

The rules are those of the game of that name among general game players, of which there are two:
in the older one a slip gives the double step to the first player alone.  `double_step=first` is
that game, `double_step=both` the corrected one.

A move is numbered 4 * bit + kind: capture to the left, step, capture to the right, double step.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, key_of_words, mix, to_int
from trellis.game.common_rules import pay_winner, rule
from trellis.game.game import Game
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables
from trellis.games.races import FIRST, SECOND, SYMMETRIES, TURN, start, transform, winner
from trellis.games.squares import (
    FourSets,
    cells,
    draw,
    draw_square,
    pawns_down,
    pawns_up,
    square_name,
)

# tables.words, behind those of all races: the row that the second player's double steps cross, or
# nothing
CROSSED = 5

LEFT, STEP, RIGHT, DOUBLE = 0, 1, 2, 3  # the kinds of moves
PASS = 256

_ROW_1, _ROW_2, _ROW_6, _ROW_7, _ROW_8 = (np.uint64(0xFF << 8 * row) for row in (0, 1, 5, 6, 7))
# How far a step, a double step, a capture to the left and one to the right lead.
_UP, _DOWN = np.array([8, 16, 7, 9], np.uint64), np.array([8, 16, 9, 7], np.uint64)


@kernel(inline="always")
def _upward(own: np.uint64, other: np.uint64) -> FourSets:
    """Return where the first player's captures to the left, steps, and so on, lead."""
    return pawns_up(own, other, ~(own | other))


@kernel(inline="always")
def _downward(own: np.uint64, other: np.uint64, crossed: np.uint64) -> FourSets:
    """Return where the second player's captures to the left, steps, and so on, lead."""
    return pawns_down(own, other, ~(own | other), crossed)


@kernel()
def _stuck(first: np.uint64, second: np.uint64, turn: np.uint64) -> bool:
    """Tell whether a player has no move; without a step there is no double step either."""
    if turn == ZERO:
        left, step, right, _ = _upward(first, second)
    else:
        left, step, right, _ = _downward(second, first, ZERO)
    return left | step | right == ZERO


@kernel()
def _offset(turn: int | np.int64, kind: int) -> int:
    """Return how far the bit of a pawn moves."""
    if kind == DOUBLE:
        return 16 if turn == 0 else -16
    return kind - 1 + (8 if turn == 0 else -8)


@rule
def acting(tables: Tables, state: State) -> int:
    first, second = state[FIRST], state[SECOND]
    if winner(tables, state) != NOBODY:
        return NOBODY
    if _stuck(first, second, ZERO) and _stuck(first, second, ONE):
        return NOBODY
    return to_int(state[TURN])


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    turn = np.int64(state[TURN])
    if turn == 0:
        targets = _upward(state[FIRST], state[SECOND])
    else:
        targets = _downward(state[SECOND], state[FIRST], tables.words[CROSSED])
    count = 0
    for cell in range(64):
        for kind in range(4):
            if (targets[kind] >> np.uint64(cell)) & ONE:
                out[count] = 4 * (cell - _offset(turn, kind)) + kind
                count += 1
    if count == 0:
        out[0] = PASS
        count = 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turn = np.int64(state[TURN])
    if move != PASS:
        cell = move // 4
        target = ONE << np.uint64(cell + _offset(turn, move % 4))
        state[turn] ^= target | (ONE << np.uint64(cell))
        state[1 - turn] &= ~target
    state[TURN] ^= ONE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(winner(tables, state), out)


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Play at random with the whole position in registers; write it back at the end."""
    seed = rng[0]
    crossed = tables.words[CROSSED]
    up, down, turn = state[FIRST], state[SECOND], state[TURN]
    over = winner(tables, state) != NOBODY
    plies = 0
    while not over:
        if turn == ZERO:
            left, step, right, double = _upward(up, down)
            if left | step | right | double != ZERO:
                seed += GOLDEN
                square, which = draw_square(step, double, left, right, mix(seed))
                up ^= square | (square >> _UP[which])
                down &= ~square
            elif _stuck(up, down, ONE):
                break
            plies += 1
            turn = ONE
            if up & _ROW_8 or down == ZERO:
                break
        left, step, right, double = _downward(down, up, crossed)
        if left | step | right | double != ZERO:
            seed += GOLDEN
            square, which = draw_square(step, double, left, right, mix(seed))
            down ^= square | (square << _DOWN[which])
            up &= ~square
        elif _stuck(up, down, ZERO):
            break
        plies += 1
        turn = ZERO
        over = down & _ROW_1 != ZERO or up == ZERO
    state[FIRST], state[SECOND], state[TURN] = up, down, turn
    rng[0] = seed
    payoffs(tables, state, out)
    return plies


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    if move == PASS:
        return PASS
    cell, kind = move // 4, move % 4
    if index & 1:
        cell ^= 7
        if kind != DOUBLE:
            kind = RIGHT - kind
    if index & 2:
        cell ^= 56
    return 4 * cell + kind


RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


class PawnWhopping(Game):
    """Pawn whopping: reach the far side with one pawn, or take every pawn of the opponent."""

    name = "pawn_whopping"
    notation = "two squares, with x between them for a capture, as e2e4 or e4xd5, or pass"

    def __init__(self, double_step: str = "both") -> None:
        both = double_step == "both"
        super().__init__(
            RULES,
            tables(
                ints=[8, 8],
                words=[cells(8, 8), _ROW_2, _ROW_7, _ROW_8, _ROW_1, _ROW_6 if both else 0],
            ),
            parameters={"double_step": double_step},
            state_words=3,
            # Join each pawn of the mover to those it may take: that makes chains from column to
            # column, and the 16 pawns are in two of them at least, so there are 14 captures at
            # most.  With four double steps or fewer that is 14 + 8 + 4.  With 4 + j of them only
            # 4 - j columns are left for victims on the row ahead, and 4 - j other pawns: the
            # captures are 4 * (4 - j) at most, and 8 steps and 4 + j double steps make it less.
            max_moves=14 + 8 + 4,
            move_codes=PASS + 1,
            # Sixteen pawns can each advance five rows before a sixth step ends the game, and no
            # two passes follow each other.
            max_plies=2 * (16 * 5 + 1),
            symmetries=SYMMETRIES if both else SYMMETRIES[:2],
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a move by the squares it leads from and to, with an x for a capture."""
        if move == PASS:
            return "pass"
        cell, kind = move // 4, move % 4
        target = cell + int(_offset(int(state[TURN]), kind))
        return f"{square_name(cell)}{'x' if kind in (LEFT, RIGHT) else ''}{square_name(target)}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom."""
        return draw(8, 8, state[:2], self.symbols)
