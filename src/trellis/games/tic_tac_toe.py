"""Tic-tac-toe.  Cells are numbered by rows from the top left; the state is two sets of cells.

0 1 2
3 4 5
6 7 8
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, mix, popcount, unmix
from trellis.game.boards import SQUARE_SYMMETRIES, draw_board, pieces_on, square_images
from trellis.game.common_rules import list_bits, mapped_bits, pay_winner, rule, start_empty
from trellis.game.game import Game
from trellis.game.planes import Planes
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

BOARD = np.uint64(0b111_111_111)
SIZE = 3

# Bit `stones` of this table of 512 bits tells whether a set of cells contains a line.
_LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
_WINS = [any(cells & line == line for line in _LINES) for cells in range(512)]
_WIN_WORDS = [sum(_WINS[64 * i + bit] << bit for bit in range(64)) for i in range(8)]

# tables.ints: where each of the 8 symmetries of the square sends each cell
_IMAGES = [image for images in square_images(SIZE) for image in images]


@kernel()
def _wins(tables: Tables, stones: np.uint64) -> bool:
    return (tables.words[stones >> np.uint64(6)] >> (stones & np.uint64(63))) & ONE != ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    both = state[0] | state[1]
    if both == BOARD or _wins(tables, state[0]) or _wins(tables, state[1]):
        return NOBODY
    return popcount(both) & 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    return list_bits(BOARD & ~(state[0] | state[1]), 0, out, 0)


@rule
def play(tables: Tables, state: State, move: int) -> None:
    state[popcount(state[0] | state[1]) & 1] |= ONE << np.uint64(move)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    winner = 0 if _wins(tables, state[0]) else 1 if _wins(tables, state[1]) else NOBODY
    pay_winner(winner, out)


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Draw a cell of the board, draw again while it is taken: uniform over the free cells."""
    seed = rng[0]
    own, other = state[0], state[1]
    first = popcount(own | other) & 1
    if first == 1:
        own, other = other, own
    plies = 0
    won = _wins(tables, own) or _wins(tables, other)
    while not won and own | other != BOARD:
        stone = ZERO
        while stone == ZERO:
            seed += GOLDEN
            draw = mix(seed)
            # Sixteen draws of four bits each come with one random number.
            for _ in range(16):
                stone = (ONE << (draw & np.uint64(15))) & BOARD & ~(own | other)
                if stone != ZERO:
                    break
                draw >>= np.uint64(4)
        own, other = other, own | stone
        plies += 1
        won = _wins(tables, other)
    rng[0] = seed
    flipped = (first + plies) & 1
    state[flipped], state[1 - flipped] = own, other
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    for player in range(2):
        out[player] = mapped_bits(state[player], tables.ints, index * SIZE * SIZE)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[index * SIZE * SIZE + move]


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Scramble both sets side by side: one-to-one."""
    return mix(state[0] | (state[1] << np.uint64(SIZE * SIZE)))


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


class TicTacToe(Game):
    """Tic-tac-toe: three in a row, column or diagonal wins."""

    name = "tic_tac_toe"
    notation = "a cell, a1 to c3"
    stones_stay = True

    def __init__(self) -> None:
        super().__init__(
            RULES,
            tables(ints=_IMAGES, words=_WIN_WORDS),
            state_words=2,
            max_moves=9,
            move_codes=9,
            max_plies=9,
            exact_key=True,
            symmetries=SQUARE_SYMMETRIES,
        )
        self.planes = Planes(
            SIZE, SIZE, lambda row, column: SIZE * (SIZE - 1 - row) + column, second=1
        )

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: nine bits a player."""
        return [unmix(key) & int(BOARD), unmix(key) >> SIZE * SIZE]

    def move_name(self, state: State, move: int) -> str:
        """Name a cell by column letter and row number, row 1 at the bottom."""
        return f"{'abc'[move % SIZE]}{SIZE - move // SIZE}"

    def board(self, state: State) -> str:
        """Draw the board with row 3 on top."""
        return draw_board(pieces_on(range(SIZE * SIZE), state, self.symbols), SIZE)
