"""Gomoku, or any m,n,k-game: m columns, n rows, k stones in a row win; longer rows win too.

Cells are numbered by rows from the top left, as for m = n = 3:

    0 1 2     the state is the set of cells of x, who moves first, and that of o
    3 4 5
    6 7 8
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ALL, GOLDEN, ONE, ZERO, hash_words, lowest_bit, mix, unmix
from trellis.game.game import Game, Symmetry
from trellis.game.rules import (
    ACTING,
    KEY,
    MAP_MOVE,
    MOVES,
    NOBODY,
    PAYOFFS,
    PLAY,
    PLAYOUT,
    START,
    TRANSFORM,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
    tables,
)

# state: the words of x, the words of o, status
# The status is the number of stones, plus WON times (winner + 1) once somebody has a row.
WON = np.uint64(1 << 16)
PACKED_CELLS = 32  # the keys of boards with more have to be hashes
_SECOND_AT = np.uint64(32)  # in a key that is none
_COUNT = np.uint64((1 << 16) - 1)
# tables.ints; from IMAGES on, where each symmetry sends each cell
COLUMNS, ROWS, LENGTH, CELLS, WORDS, IMAGES = 0, 1, 2, 3, 4, 5
# tables.words: the set of all cells

_S16 = np.uint64(16)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_SYMMETRY_NAMES = (
    "identity", "half turn", "left-right mirror", "top-bottom mirror",
    "quarter turn", "three-quarter turn", "diagonal mirror", "antidiagonal mirror",
)  # fmt: skip


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


@kernel()
def _score(tables: Tables, state: State, out: Reals) -> None:
    status = state[2 * tables.ints[WORDS]]
    value = 0.0
    if status >= WON:
        value = 1.0 if status < WON + WON else -1.0
    out[0] = value
    out[1] = -value


@kernel()
def _free_cells(tables: Tables, state: State, out: Moves) -> int:
    words = tables.ints[WORDS]
    count = 0
    for word in range(words):
        free = tables.words[word] & ~(state[word] | state[words + word])
        while free != ZERO:
            out[count] = 64 * word + lowest_bit(free)
            free &= free - ONE
            count += 1
    return count


@kernel(START)
def start(tables: Tables, state: State) -> None:
    state[:] = ZERO


@kernel(ACTING)
def acting(tables: Tables, state: State) -> int:
    status = state[2 * tables.ints[WORDS]]
    if status >= np.uint64(tables.ints[CELLS]):  # the board is full, or somebody has won
        return NOBODY
    return np.int64(status & ONE)  # type: ignore[return-value]


@kernel(MOVES)
def moves(tables: Tables, state: State, out: Moves) -> int:
    return _free_cells(tables, state, out)


@kernel(PLAY)
def play(tables: Tables, state: State, move: int) -> None:
    words = tables.ints[WORDS]
    status = 2 * words
    player = np.int64(state[status] & ONE)
    state[player * words + (move >> 6)] |= ONE << np.uint64(move & 63)
    state[status] += ONE
    if _in_a_row(tables, state, player * words, move):
        state[status] += WON * np.uint64(player + 1)


@kernel(PAYOFFS)
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    _score(tables, state, out)


@kernel(KEY)
def key(tables: Tables, state: State) -> np.uint64:
    """Hash the stones, or scramble both sets side by side; the status follows from them."""
    if tables.ints[CELLS] <= PACKED_CELLS:
        return mix(state[0] | (state[1] << _SECOND_AT))
    return hash_words(state, 2 * tables.ints[WORDS])


@kernel()
def _run(line: np.uint64, length: int) -> np.uint64:
    """Keep the bits that start a run of `length`: doubling what a bit stands for."""
    if length == 5:  # the usual one, without a loop
        line &= line >> ONE
        line &= line >> np.uint64(2)
        return line & (line >> ONE)
    have = 1
    while have < length:
        more = min(have, length - have)
        line &= line >> np.uint64(more)
        have += more
    return line


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
    before = _free_cells(tables, state, free)
    left = np.uint64(before)
    half = (state[status] & ONE) * _HALF  # 0 when x moves, 32 when o does
    won = ZERO
    while won == ZERO and left != ZERO:
        seed += GOLDEN
        index = ((mix(seed) >> _HALF) * left) >> _HALF
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
            _run(in_row, length)
            | _run(in_column, length)
            | _run(in_falling, length)
            | _run(in_rising, length)
        )
        half ^= _HALF
    rng[0] = seed
    plies = before - np.int64(left)
    state[status] += np.uint64(plies)
    if won != ZERO:
        state[status] += WON if half != ZERO else WON + WON  # the loser would move next
    _write_rows(state, lines, words, columns, rows)
    return plies  # type: ignore[return-value]


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
    _score(tables, state, out)
    return plies


@kernel(TRANSFORM)
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


@kernel(MAP_MOVE)
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[IMAGES + index * tables.ints[CELLS] + move]


RULES = Rules(
    start, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


class Gomoku(Game):
    """Gomoku: place stones in turn; `k` or more in a row, column or diagonal win."""

    name = "gomoku"
    symbols = ("x", "o")

    def __init__(self, m: int = 15, n: int = 15, k: int = 5) -> None:
        cells = m * n
        words = (cells + 63) // 64
        names = _SYMMETRY_NAMES if m == n else _SYMMETRY_NAMES[:4]
        images = [
            m * row_image + column_image
            for index in range(len(names))
            for row in range(n)
            for column in range(m)
            for row_image, column_image in [
                [
                    (row, column), (n - 1 - row, m - 1 - column),
                    (row, m - 1 - column), (n - 1 - row, column),
                    (column, m - 1 - row), (n - 1 - column, row),
                    (column, row), (n - 1 - column, m - 1 - row),
                ][index]
            ]
        ]  # fmt: skip
        board = (1 << cells) - 1
        super().__init__(
            RULES,
            tables(
                ints=[m, n, k, cells, words, *images],
                words=[board >> 64 * word & (1 << 64) - 1 for word in range(words)],
            ),
            parameters={"m": m, "n": n, "k": k},
            state_words=2 * words + 1,
            exact_key=cells <= PACKED_CELLS,
            identity=[ALL] * 2 * words + [ZERO],
            max_moves=cells,  # all cells of an empty board
            move_codes=cells,
            max_plies=cells,
            symmetries=[Symmetry(name, (0, 1)) for name in names],
        )
        self.columns = m
        self.rows = n
        self.notation = f"a cell, a1 to {self.move_name(None, m - 1)}"

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: the stones of x, of o."""
        packed, second = unmix(key), int(_SECOND_AT)
        return [packed & (1 << second) - 1, packed >> second, 0]

    def move_name(self, state: State | None, move: int) -> str:
        """Name a cell by column letter and row number, row 1 at the bottom."""
        return f"{chr(ord('a') + move % self.columns)}{self.rows - move // self.columns}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom."""
        words = len(state) // 2
        x, o = (
            sum(int(word) << 64 * i for i, word in enumerate(state[first : first + words]))
            for first in (0, words)
        )
        lines = []
        for row in range(self.rows):
            bits = [1 << self.columns * row + column for column in range(self.columns)]
            cells = (
                self.symbols[0] if x & bit else self.symbols[1] if o & bit else "." for bit in bits
            )
            lines.append(f"{self.rows - row:2} {' '.join(cells)}")
        lines.append("   " + " ".join(chr(ord("a") + column) for column in range(self.columns)))
        return "\n".join(lines)
