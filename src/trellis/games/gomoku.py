"""Gomoku, or any m,n,k-game: m columns, n rows, k stones in a row win; longer rows win too.

Cells are numbered by rows from the top left, as for m = n = 3:

    0 1 2     the state is the set of cells of x, who moves first, and that of o
    3 4 5
    6 7 8
"""

from string import ascii_lowercase

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, lowest_bit, mix, to_int
from trellis.game.boards import SQUARE_SYMMETRIES, draw_board, square_image
from trellis.game.common_rules import pick, rule, runs, start_empty
from trellis.game.planes import Planes
from trellis.game.rules import (
    NEEDLESS,
    PLAYOUT,
    Counts,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
)
from trellis.games.stones import CELLS, WON, WORDS, StoneGame, acting, key, moves, payoffs, place

# tables.ints, behind CELLS and WORDS; from IMAGES on, where each symmetry sends each cell
COLUMNS, ROWS, LENGTH, IMAGES = 2, 3, 4, 5

_S16 = np.uint64(16)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_SYMMETRIES = (0, 2, 4, 5, 1, 3, 6, 7)  # of the square, those of any rectangle first


@kernel()
def _stones_beside(
    tables: Tables, state: State, first: int, cell: int, down: int, right: int
) -> int:
    """Count a player's stones that follow a cell in one direction, up to a winning row.

    The words of the player begin at `first`.
    """
    columns, rows = tables.ints[COLUMNS], tables.ints[ROWS]
    row, column = cell // columns + down, cell % columns + right
    step = down * columns + right
    found = 0
    while found < tables.ints[LENGTH] and 0 <= row < rows and 0 <= column < columns:
        cell += step
        if (state[first + (cell >> 6)] >> np.uint64(cell & 63)) & ONE == ZERO:
            break
        found += 1
        row += down
        column += right
    return found


@kernel()
def _in_a_row(tables: Tables, state: State, first: int, cell: int) -> bool:
    """Tell whether a stone just placed on `cell` makes a row that is long enough."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        ahead = _stones_beside(tables, state, first, cell, down, right)
        behind = _stones_beside(tables, state, first, cell, -down, -right)
        if ahead + behind + 1 >= tables.ints[LENGTH]:
            return True
    return False


@rule
def play(tables: Tables, state: State, move: int) -> None:
    words = tables.ints[WORDS]
    player = place(tables, state, move)
    if _in_a_row(tables, state, player * words, move):
        state[2 * words] += WON * np.uint64(player + 1)


@kernel()
def _write_rows(
    state: State, lines: State, words: int, columns: np.uint64, rows: np.uint64
) -> None:
    """Put the rows of both players, kept in the halves of `lines`, together as a state."""
    for word in range(2 * words):
        state[word] = ZERO
    for row in range(rows):
        cell = np.uint64(row) * columns
        first, shift = np.int64(cell >> np.uint64(6)), cell & np.uint64(63)
        x, o = lines[row] & _LOW, lines[row] >> _HALF
        state[first] |= x << shift
        state[words + first] |= o << shift
        if shift + columns > np.uint64(64):
            state[first + 1] |= x >> (np.uint64(64) - shift)
            state[words + first + 1] |= o >> (np.uint64(64) - shift)


@kernel(inline="always", makes_arrays=True)
def _random_game(
    tables: Tables, state: State, rng: Random, free: Moves,
    columns: np.uint64, rows: np.uint64, length: int, inverse: np.uint64,
) -> int:  # fmt: skip
    """Play at random until a row stands or the board is full.

    Every row, column and diagonal has a word of its own, x in its low half and o in its high
    half, so a new stone touches four words and looks for a run in each, without a branch.
    A run cannot reach from one half into the other: at most 19 of 32 bits are in use.
    The free cells are kept in a list; the one that is drawn makes way for the last one.
    Multiplying by `inverse`, 2^16 / columns rounded up, divides any cell number by `columns`.
    """
    words = tables.ints[WORDS]
    status = 2 * words
    # Where the words of columns begin, and those of the diagonals of either kind.
    across, falling = rows, rows + columns + columns - ONE
    rising = falling + rows
    lines = np.zeros(rising + rows + columns, np.uint64)
    for player in range(2):
        half = np.uint64(32 * player)
        for word in range(words):
            stones = state[player * words + word]
            while stones != ZERO:
                cell = np.uint64(64 * word + lowest_bit(stones))
                stones &= stones - ONE
                row = (cell * inverse) >> _S16
                column = cell - row * columns
                bit = ONE << (column + half)
                lines[row] |= bit
                lines[across + column] |= ONE << (row + half)
                lines[falling + row - column] |= bit
                lines[rising + row + column] |= bit

    seed = rng[0]
    before = moves(tables, state, free)
    left = np.uint64(before)
    half = (state[status] & ONE) * _HALF  # 0 when x moves, 32 when o does
    won = ZERO
    while won == ZERO and left != ZERO:
        seed += GOLDEN
        index = pick(mix(seed), left)
        cell = np.uint64(free[index])
        left -= ONE
        free[index] = free[left]
        row = (cell * inverse) >> _S16
        column = cell - row * columns
        bit = ONE << (column + half)
        in_row = lines[row] | bit
        in_column = lines[across + column] | (ONE << (row + half))
        in_falling = lines[falling + row - column] | bit
        in_rising = lines[rising + row + column] | bit
        lines[row] = in_row
        lines[across + column] = in_column
        lines[falling + row - column] = in_falling
        lines[rising + row + column] = in_rising
        won = (
            runs(in_row, ONE, length)
            | runs(in_column, ONE, length)
            | runs(in_falling, ONE, length)
            | runs(in_rising, ONE, length)
        )
        half ^= _HALF
    rng[0] = seed
    plies = before - to_int(left)
    state[status] += np.uint64(plies)
    if won != ZERO:
        state[status] += WON if half != ZERO else WON + WON  # the loser would move next
    _write_rows(state, lines, words, columns, rows)
    return plies


@kernel(PLAYOUT, makes_arrays=True)
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    columns, rows, length = tables.ints[COLUMNS], tables.ints[ROWS], tables.ints[LENGTH]
    if state[2 * tables.ints[WORDS]] >= np.uint64(tables.ints[CELLS]):
        plies = 0
    elif columns == 15 and rows == 15 and length == 5:
        # The board everybody plays: constants fold places and runs.
        plies = _random_game(
            tables, state, rng, buffer, np.uint64(15), np.uint64(15), 5, np.uint64(4370)
        )
    else:
        plies = _random_game(
            tables, state, rng, buffer, np.uint64(columns), np.uint64(rows), length,
            np.uint64(65536 // columns + 1),
        )  # fmt: skip
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    words, cells = tables.ints[WORDS], tables.ints[CELLS]
    images = IMAGES + index * cells
    out[:] = ZERO
    out[2 * words] = state[2 * words]
    for player in range(2):
        first = player * words
        for word in range(words):
            stones = state[first + word]
            while stones != ZERO:
                image = np.int64(tables.ints[images + 64 * word + lowest_bit(stones)])
                stones &= stones - ONE
                out[first + (image >> 6)] |= ONE << np.uint64(image & 63)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[IMAGES + index * tables.ints[CELLS] + move]


@kernel()
def _promise(tables: Tables, state: State, first: int, cell: int) -> int:
    """Return how much a stone of a player would add to on the four lines through a cell."""
    total = 0
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        beside = _stones_beside(tables, state, first, cell, down, right)
        beside += _stones_beside(tables, state, first, cell, -down, -right)
        total += beside * beside
    return total


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell rows that one stone completes, and moves that leave the other player one."""
    words = to_int(tables.ints[WORDS])
    turn = to_int(state[2 * words] & ONE)
    own, other = turn * words, (1 - turn) * words
    threats, threat = 0, -1
    for i in range(count):
        cell = to_int(moves[i])
        if _in_a_row(tables, state, own, cell):
            return 1
        if _in_a_row(tables, state, other, cell):
            threats, threat = threats + 1, cell
    for i in range(count):
        cell = to_int(moves[i])
        if threats > 1 or (threats == 1 and cell != threat):
            scores[i] = NEEDLESS
        else:
            scores[i] = 2 * _promise(tables, state, own, cell)
            scores[i] += _promise(tables, state, other, cell)
    return 0


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move, hint=hint,
)  # fmt: skip


class Gomoku(StoneGame):
    """Gomoku: place stones in turn; `k` or more in a row, column or diagonal win."""

    name = "gomoku"

    def __init__(self, m: int = 15, n: int = 15, k: int = 5) -> None:
        symmetries = _SYMMETRIES if m == n else _SYMMETRIES[:4]
        places = [(row, column) for row in range(n) for column in range(m)]
        images = [square_image(index, *place, n, m) for index in symmetries for place in places]
        super().__init__(
            RULES,
            n,
            m,
            [m, n, k, *(m * row + column for row, column in images)],
            parameters={"m": m, "n": n, "k": k},
            max_plies=m * n,
            symmetries=[SQUARE_SYMMETRIES[index] for index in symmetries],
        )
        self.planes = Planes(
            n, m, lambda row, column: m * (n - 1 - row) + column, second=(m * n + 63) // 64
        )
        self.columns = m
        self.rows = n
        self.notation = f"a cell, a1 to {self.move_name(None, m - 1)}"

    def move_name(self, state: State | None, move: int) -> str:
        """Name a cell by column letter and row number, row 1 at the bottom."""
        return f"{ascii_lowercase[move % self.columns]}{self.rows - move // self.columns}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom."""
        return draw_board(self.stones(state), self.columns, number_width=2)
