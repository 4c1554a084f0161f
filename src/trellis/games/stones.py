"""What Gomoku and Hex share: stones placed one by one on a board of any size, 64 cells to a word.

The state is the words of x, who moves first, the words of o, and the status: the number of stones,
plus WON times (winner + 1) once somebody has won.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ALL, ONE, ZERO, hash_words, mix, to_int, unmix
from trellis.game.boards import pieces_on
from trellis.game.common_rules import list_bits, pay_winner, rule
from trellis.game.game import Game
from trellis.game.rules import NOBODY, Moves, Reals, Rules, State, Tables, tables

WON_AT = np.uint64(16)
WON = ONE << WON_AT
# tables.ints
CELLS, WORDS = 0, 1
# tables.words: the set of all cells

PACKED_CELLS = 32  # the keys of boards with more have to be hashes
_SECOND_AT = np.uint64(32)  # in a key that is none


@rule
def acting(tables: Tables, state: State) -> int:
    status = state[2 * tables.ints[WORDS]]
    if status >= np.uint64(tables.ints[CELLS]):  # the board is full, or somebody has won
        return NOBODY
    return to_int(status & ONE)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    words = tables.ints[WORDS]
    count = 0
    for word in range(words):
        free = tables.words[word] & ~(state[word] | state[words + word])
        count = list_bits(free, 64 * word, out, count)
    return count


@kernel()
def place(tables: Tables, state: State, cell: int) -> int:
    """Place a stone of whoever moves; return who that was."""
    words = tables.ints[WORDS]
    player = to_int(state[2 * words] & ONE)
    state[player * words + (cell >> 6)] |= ONE << np.uint64(cell & 63)
    state[2 * words] += ONE
    return player


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(to_int(state[2 * tables.ints[WORDS]] >> WON_AT) - 1, out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Hash the stones, or scramble both sets side by side; the status follows from them."""
    if tables.ints[CELLS] <= PACKED_CELLS:
        return mix(state[0] | (state[1] << _SECOND_AT))
    return hash_words(state, 2 * tables.ints[WORDS])


class StoneGame(Game):
    """A board of rows and columns; `ints` and `sets` of cells follow in the tables."""

    stones_stay = True

    def __init__(
        self, rules: Rules, rows: int, columns: int, ints: Iterable[int], *sets: int, **facts: Any
    ) -> None:
        cells = rows * columns
        words = (cells + 63) // 64
        super().__init__(
            rules,
            tables(
                ints=[cells, words, *ints],
                words=[
                    cell_set >> 64 * word & int(ALL)
                    for cell_set in ((1 << cells) - 1, *sets)
                    for word in range(words)
                ],
            ),
            state_words=2 * words + 1,
            exact_key=cells <= PACKED_CELLS,
            identity=[ALL] * 2 * words + [ZERO],
            max_moves=cells,  # all cells of an empty board
            move_codes=cells,
            **facts,
        )

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: the stones of x, of o."""
        packed, second = unmix(key), int(_SECOND_AT)
        return [packed & (1 << second) - 1, packed >> second, 0]

    def stones(self, state: State) -> list[str]:
        """Say what stands on each cell, by rows from the top."""
        words = len(state) // 2
        sets = [
            sum(int(word) << 64 * i for i, word in enumerate(state[first : first + words]))
            for first in (0, words)
        ]
        return pieces_on(range(self.move_codes), sets, self.symbols)
