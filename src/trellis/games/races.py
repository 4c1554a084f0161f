"""What Breakthrough and its relatives share: ranks of pieces that race across a board.

The state, the start, who wins, and the symmetries are the same; how pieces move is not.
"""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, hash_words, mix, to_int, unmix
from trellis.game.common_rules import pay_winner, rule
from trellis.game.game import Game, Symmetry
from trellis.game.rules import NOBODY, Reals, Rules, State, Tables, tables
from trellis.games.squares import cells, draw, mirrored, turned

# state: pieces of the first player, pieces of the second, who moves
FIRST, SECOND, TURN = 0, 1, 2
# tables.ints
ROWS, COLUMNS = 0, 1
# tables.words: all squares, where each player starts, where each player wants to be
BOARD, HOME_0, HOME_1, GOAL_0, GOAL_1 = 0, 1, 2, 3, 4

PACKED_SQUARES = 31  # the keys of boards with more have to be hashes
_SECOND_AT, _TURN_AT = np.uint64(31), np.uint64(62)  # in a key that is none

ROWS_FOR_TWO = 6  # boards with fewer rows than this start with one row of pieces a side

SYMMETRIES = (
    Symmetry("identity", (0, 1)),
    Symmetry("mirror", (0, 1)),
    Symmetry("colours exchanged", (1, 0)),
    Symmetry("mirror, colours exchanged", (1, 0)),
)


@kernel()
def winner(tables: Tables, state: State) -> int:
    """Tell who has reached the far side or taken the last piece; else NOBODY."""
    if state[FIRST] & tables.words[GOAL_0] or state[SECOND] == ZERO:
        return 0
    if state[SECOND] & tables.words[GOAL_1] or state[FIRST] == ZERO:
        return 1
    return NOBODY


@rule
def start(tables: Tables, state: State) -> None:
    state[FIRST] = tables.words[HOME_0]
    state[SECOND] = tables.words[HOME_1]
    state[TURN] = ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    return to_int(state[TURN]) if winner(tables, state) == NOBODY else NOBODY


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(winner(tables, state), out)


@kernel()
def loses_to(threats: np.uint64, other: np.uint64, target: np.uint64) -> bool:
    """Tell whether a move to `target` leaves one of the pieces that are about to arrive."""
    several = threats & (threats - ONE) != ZERO
    return threats != ZERO and (several or target & threats == ZERO) and other != target


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Mirror for odd numbers; from 2 on, turn the board upside down and exchange the colours."""
    rows, columns = tables.ints[ROWS], tables.ints[COLUMNS]
    for player in range(2):
        pieces = state[player]
        if index & 1:
            pieces = mirrored(pieces, columns)
        if index & 2:
            pieces = turned(pieces, rows)
        out[player ^ (index >> 1)] = pieces
    out[TURN] = state[TURN] ^ np.uint64(index >> 1)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Hash the words; of a small board scramble the squares, row by row, and who moves."""
    rows, columns = np.int64(tables.ints[ROWS]), np.int64(tables.ints[COLUMNS])
    if rows * columns > PACKED_SQUARES:
        return hash_words(state, 3)
    row_of = (ONE << np.uint64(columns)) - ONE
    first, second = ZERO, ZERO
    for row in range(rows):
        at, to = np.uint64(8 * row), np.uint64(columns * row)
        first |= ((state[FIRST] >> at) & row_of) << to
        second |= ((state[SECOND] >> at) & row_of) << to
    return mix(first | (second << _SECOND_AT) | (state[TURN] << _TURN_AT))


def race_rules(moves: Any, play: Any, playout: Any, map_move: Any, **more: Any) -> Rules:
    """Join the rules of all races with how the pieces of one of them move."""
    return Rules(
        start, acting, moves, play, payoffs, key,
        playout=playout, transform=transform, map_move=map_move, **more,
    )  # fmt: skip


def ranks(rows: int) -> int:
    """Return how many rows of pieces a side starts with."""
    return 2 if rows >= ROWS_FOR_TWO else 1


class Race(Game):
    """The first player starts on the low bits and wants to the high ones, the second back."""

    def __init__(
        self, rules: Rules, rows: int, columns: int, *, max_moves: int, move_codes: int
    ) -> None:
        deep = ranks(rows)
        home, row, far = cells(deep, columns), (1 << columns) - 1, 8 * (rows - 1)
        super().__init__(
            rules,
            tables(
                ints=[rows, columns],
                words=[cells(rows, columns), home, home << 8 * (rows - deep), row << far, row],
            ),
            parameters={"rows": rows, "columns": columns},
            state_words=3,
            max_moves=max_moves,
            move_codes=move_codes,
            # Every move takes a piece a row ahead at least, and all but the last end short of the
            # far side.
            max_plies=2 * columns * sum(rows - 2 - home for home in range(deep)) + 1,
            symmetries=SYMMETRIES,
            exact_key=rows * columns <= PACKED_SQUARES,
        )
        self.rows, self.columns = rows, columns

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: squares of the first player, of the second, who moves."""
        packed, row_of = unmix(key), (1 << self.columns) - 1
        words = [0, 0, packed >> int(_TURN_AT)]
        for player, first in ((FIRST, 0), (SECOND, int(_SECOND_AT))):
            for row in range(self.rows):
                words[player] |= (packed >> first + self.columns * row & row_of) << 8 * row
        return words

    def board(self, state: State) -> str:
        """Draw the board with the row where the first player starts at the bottom."""
        return draw(self.rows, self.columns, state[:2], self.symbols)
