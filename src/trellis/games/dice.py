"""Dice: a die chooses the line, the player chooses a free cell on it; k in a row wins.

Cells are numbered by rows from the bottom left, so a set of cells is one word.  Outcomes of the
die come after them, so that no outcome shares its number with a cell; on a board of side 3:

    6 7 8   row 3 is outcome 9 + 2
    3 4 5   row 2 is outcome 9 + 1
    0 1 2   row 1 is outcome 9 + 0
            columns a, b, c are outcomes 9 + 3, 9 + 4, 9 + 5

Who may get which line: `rc` gives rows to the first player and columns to the second, `any`
gives both all of them, `rows` only rows.  A die that shows a full line is rolled again
(`reroll`) or ends the turn (`pass`).
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, hash_pair, mix, to_int, unmix
from trellis.game.boards import draw_board, pieces_on
from trellis.game.common_rules import (
    mapped_bits,
    packed_places,
    pay_winner,
    pick,
    rule,
    runs,
    start_empty,
)
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Symmetry
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

# state: the checkers of each player, then one word that packs
#   bit 0: who is to move; bits 1-5: the line rolled plus 1, 0 before the roll;
#   bits 6-7: how the game ended (in that case all other bits are clear)
STATUS = 2
ROLLED = np.uint64(1)
OVER = np.uint64(6)
RUNNING, FIRST_WON, SECOND_WON, DRAWN = 0, 1, 2, 3
# tables.ints
SIDE, LINE, PASS, SIDES = 0, 1, 2, 3  # SIDES of the die
FROM = 4  # first line of the die of each player: two entries
IMAGES = 6  # of all cells, then of all lines, under each symmetry; then whether players change
# tables.words
FULL, STARTS, MEMBERS = 0, 1, 5  # STARTS: where runs may begin, MEMBERS: cells of each line
PICK = 21  # for each set of up to 8 cells of a line: `packed_places`

PACKED_SIDE = 5  # larger boards do not fit into a key of 64 bits
_SECOND_AT, _STATUS_AT = np.uint64(28), np.uint64(56)  # in such a key

_FOUR = np.uint64(4)
_FIVE_BITS = np.uint64(31)
_FIFTEEN = np.uint64(15)
_HALF = np.uint64(32)


def _starts(m: int, k: int) -> list[int]:
    """List, as sets of cells, where a run of k may begin: across, up, rising, falling."""
    return [
        sum(
            1 << m * row + column
            for row in range(m)
            for column in range(m)
            if 0 <= row + (k - 1) * rows < m and 0 <= column + (k - 1) * columns < m
        )
        for rows, columns in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]


def _members(m: int) -> list[int]:
    """List the cells of each line as sets: rows, then columns; room for 16 lines."""
    rows = [sum(1 << m * row + i for i in range(m)) for row in range(m)]
    columns = [sum(1 << m * i + column for i in range(m)) for column in range(m)]
    return [*rows, *columns, *[0] * (16 - 2 * m)]


_ACROSS_5X4, _UP_5X4, _RISING_5X4, _FALLING_5X4 = map(np.uint64, _starts(5, 4))
_FULL_5 = np.uint64((1 << 25) - 1)


@kernel(inline="always")
def _has_line(
    cells: np.uint64, side: np.uint64, length: int,
    across: np.uint64, up: np.uint64, rising: np.uint64, falling: np.uint64,
) -> bool:  # fmt: skip
    """Tell whether a run stands in any of four directions; each has cells where it may begin."""
    return (
        (runs(cells, ONE, length) & across)
        | (runs(cells, side, length) & up)
        | (runs(cells, side + ONE, length) & rising)
        | (runs(cells, side - ONE, length) & falling)
    ) != ZERO


@kernel()
def _wins(tables: Tables, cells: np.uint64) -> bool:
    words = tables.words
    if tables.ints[SIDE] == 5 and tables.ints[LINE] == 4:
        # The board of the published experiments: constants let the compiler fold the shifts.
        return _has_line(cells, np.uint64(5), 4, _ACROSS_5X4, _UP_5X4, _RISING_5X4, _FALLING_5X4)
    return _has_line(
        cells, np.uint64(tables.ints[SIDE]), tables.ints[LINE],
        words[STARTS], words[STARTS + 1], words[STARTS + 2], words[STARTS + 3],
    )  # fmt: skip


@rule
def acting(tables: Tables, state: State) -> int:
    status = state[STATUS]
    if status >> OVER != ZERO:
        return NOBODY
    return CHANCE if status >> ROLLED == ZERO else to_int(status & ONE)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    side = to_int(tables.ints[SIDE])
    free = tables.words[FULL] & ~(state[0] | state[1])
    status = state[STATUS]
    count = 0
    if status >> ROLLED == ZERO:
        first = to_int(tables.ints[FROM + to_int(status & ONE)])
        for line in range(first, first + tables.ints[SIDES]):
            if tables.ints[PASS] != 0 or free & tables.words[MEMBERS + line] != ZERO:
                out[count] = side * side + line
                count += 1
        return count
    line = to_int(status >> ROLLED) - 1
    cell, step = line * side, 1
    if line >= side:
        cell, step = line - side, side
    for _ in range(side):
        if (free >> np.uint64(cell)) & ONE != ZERO:
            out[count] = cell
            count += 1
        cell += step
    return count


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    """Spread evenly over the lines that `moves` lists."""
    free = tables.words[FULL] & ~(state[0] | state[1])
    first = to_int(tables.ints[FROM + to_int(state[STATUS] & ONE)])
    count = 0
    for line in range(first, first + tables.ints[SIDES]):
        if tables.ints[PASS] != 0 or free & tables.words[MEMBERS + line] != ZERO:
            count += 1
    for i in range(count):
        out[i] = 1.0 / count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    cells = to_int(tables.ints[SIDE]) * to_int(tables.ints[SIDE])
    mover = state[STATUS] & ONE
    if move >= cells:
        line = move - cells
        if tables.words[FULL] & ~(state[0] | state[1]) & tables.words[MEMBERS + line] == ZERO:
            state[STATUS] = mover ^ ONE
        else:
            state[STATUS] = mover | (np.uint64(line + 1) << ROLLED)
        return
    player = to_int(mover)
    state[player] |= ONE << np.uint64(move)
    if _wins(tables, state[player]):
        state[STATUS] = (mover + ONE) << OVER
    elif state[0] | state[1] == tables.words[FULL]:
        state[STATUS] = np.uint64(DRAWN) << OVER
    else:
        state[STATUS] = mover ^ ONE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    ended = to_int(state[STATUS] >> OVER)
    pay_winner(NOBODY if ended == DRAWN else ended - FIRST_WON, out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Scramble all three words side by side: one-to-one where they fit; else hash them."""
    if tables.ints[SIDE] <= PACKED_SIDE:
        return mix(state[0] | (state[1] << _SECOND_AT) | (state[STATUS] << _STATUS_AT))
    return hash_pair(hash_pair(state[0], state[1]), state[STATUS])


@kernel()
def _turned(cells: np.uint64, side: int) -> np.uint64:
    """Exchange rows and columns."""
    out = ZERO
    for row in range(side):
        for column in range(side):
            bit = (cells >> np.uint64(row * side + column)) & ONE
            out |= bit << np.uint64(column * side + row)
    return out


@kernel(inline="always")
def _random_game(
    tables: Tables, state: State, rng: Random, side: np.uint64, length: int, sides: np.uint64,
    across: np.uint64, up: np.uint64, rising: np.uint64, falling: np.uint64, full: np.uint64,
) -> int:  # fmt: skip
    """Play at random with the position in registers; write it back at the end.

    The free cells are kept twice, by rows and by columns, so that those of any line lie side by
    side; they are then an index into a table that names the n-th of them.  A line is drawn among
    all and drawn again while it is full: the same as a draw among those with room.
    """
    seed = rng[0]
    own, other = state[0], state[1]
    mover = to_int(state[STATUS] & ONE)
    rolled = to_int((state[STATUS] >> ROLLED) & _FIVE_BITS)
    if mover == 1:
        own, other = other, own
    own_from = np.uint64(tables.ints[FROM + mover])
    other_from = np.uint64(tables.ints[FROM + 1 - mover])
    passes = tables.ints[PASS] != 0
    by_rows = full & ~(own | other)
    by_columns = _turned(by_rows, to_int(side))
    mask = (ONE << side) - ONE
    plies = 0
    ended = to_int(state[STATUS] >> OVER)
    while ended == RUNNING:
        if rolled != 0:  # only where the playout began after a roll
            line = np.uint64(rolled - 1)
            rolled = 0
            seed += GOLDEN
            draw = mix(seed)
        else:
            seed += GOLDEN
            draw = mix(seed)
            line = own_from + pick(draw, sides)
            plies += 1
        in_row = line < side
        place = line if in_row else line - side
        room = ((by_rows if in_row else by_columns) >> (place * side)) & mask
        if room == ZERO:
            if passes:
                own, other = other, own
                own_from, other_from = other_from, own_from
                mover = 1 - mover
            else:
                plies -= 1
            continue
        names = tables.words[PICK + to_int(room)]
        nth = pick(draw << _HALF, names >> np.uint64(60))
        along = (names >> (_FOUR * nth)) & _FIFTEEN
        straight, turned = place * side + along, along * side + place
        if not in_row:
            straight, turned = turned, straight
        by_rows ^= ONE << straight
        by_columns ^= ONE << turned
        own |= ONE << straight
        plies += 1
        if _has_line(own, side, length, across, up, rising, falling):
            ended = FIRST_WON + mover
        elif by_rows == ZERO:
            ended = DRAWN
        own, other = other, own
        own_from, other_from = other_from, own_from
        mover = 1 - mover
    if mover == 1:
        own, other = other, own
    state[0], state[1] = own, other
    state[STATUS] = np.uint64(ended) << OVER
    rng[0] = seed
    return plies


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    ints, words = tables.ints, tables.words
    if ints[SIDE] == 5 and ints[LINE] == 4:
        plies = _random_game(  # constants again
            tables, state, rng, np.uint64(5), 4, np.uint64(ints[SIDES]),
            _ACROSS_5X4, _UP_5X4, _RISING_5X4, _FALLING_5X4, _FULL_5,
        )  # fmt: skip
    else:
        plies = _random_game(
            tables, state, rng, np.uint64(ints[SIDE]), ints[LINE], np.uint64(ints[SIDES]),
            words[STARTS], words[STARTS + 1], words[STARTS + 2], words[STARTS + 3], words[FULL],
        )  # fmt: skip
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    side = to_int(tables.ints[SIDE])
    cells, lines = side * side, 2 * side
    first = IMAGES + index * (cells + lines + 1)
    changed = to_int(tables.ints[first + cells + lines])
    for player in range(2):
        out[player ^ changed] = mapped_bits(state[player], tables.ints, first)
    status = state[STATUS]
    ended = to_int(status >> OVER)
    if ended != RUNNING:
        if changed != 0 and ended != DRAWN:
            ended = FIRST_WON + SECOND_WON - ended
        out[STATUS] = np.uint64(ended) << OVER
        return
    rolled = to_int(status >> ROLLED)
    if rolled != 0:
        rolled = tables.ints[first + cells + rolled - 1] + 1
    out[STATUS] = ((status & ONE) ^ np.uint64(changed)) | (np.uint64(rolled) << ROLLED)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    side = to_int(tables.ints[SIDE])
    cells = side * side
    image = to_int(tables.ints[IMAGES + index * (cells + 2 * side + 1) + move])
    return image if move < cells else cells + image


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key,
    chances=chances, playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


# Exchanging rows and columns, then turning their order round: what each does to (row, column).
_SQUARE = [(turn, rows, columns) for turn in (0, 1) for rows in (0, 1) for columns in (0, 1)]
_SQUARE_NAMES = (
    "identity", "columns mirrored", "rows mirrored", "half turn",
    "diagonal mirror", "quarter turn", "three-quarter turn", "antidiagonal mirror",
)  # fmt: skip


def _symmetries(m: int, lines: str) -> tuple[list[Symmetry], list[int]]:
    """List the symmetries, and for each the images of cells and lines and whether players change.

    With `rc` turning the board gives rows to the second player, so the players change with it;
    with `any` the two are independent; with `rows` the board cannot be turned.
    """
    symmetries, images = [], []
    for changed in (0, 1):
        for (turn, flip_rows, flip_columns), name in zip(_SQUARE, _SQUARE_NAMES, strict=True):
            if (lines == "rc" and turn != changed) or (lines == "rows" and turn):
                continue
            for cell in range(m * m):
                row, column = divmod(cell, m)
                if turn:
                    row, column = column, row
                row, column = abs(row - flip_rows * (m - 1)), abs(column - flip_columns * (m - 1))
                images.append(m * row + column)
            for line in range(2 * m):
                is_column, place = divmod(line, m)
                is_column ^= turn
                place = abs(place - (flip_columns if is_column else flip_rows) * (m - 1))
                images.append(is_column * m + place)
            images.append(changed)
            full_name = f"{name}, players exchanged" if changed else name
            symmetries.append(Symmetry(full_name, (1, 0) if changed else (0, 1)))
    return symmetries, images


class Dice(Game):
    """Dice: roll for a row or column, place a checker on it; `k` in a row wins."""

    name = "dice"

    def __init__(self, m: int = 5, k: int = 4, lines: str = "rc", full: str = "reroll") -> None:
        if k > m:
            raise BadParameter(f"dice:m={m},k={k}: no line is so long; k must be at most m")
        sides = 2 * m if lines == "any" else m
        symmetries, images = _symmetries(m, lines)
        super().__init__(
            RULES,
            tables(
                ints=[m, k, full == "pass", sides, 0, m if lines == "rc" else 0, *images],
                words=[
                    (1 << m * m) - 1,
                    *_starts(m, k),
                    *_members(m),
                    *map(packed_places, range(1 << m)),
                ],
            ),
            parameters={"m": m, "k": k, "lines": lines, "full": full},
            state_words=3,
            max_moves=sides,  # a line has m cells, the die at least m sides
            move_codes=m * m + 2 * m,
            # A roll and a move for every cell; where full lines pass, dice may pass for ever.
            max_plies=None if full == "pass" else 2 * m * m,
            symmetries=symmetries,
            exact_key=m <= PACKED_SIDE,
        )
        self.m, self.k, self.full = m, k, full
        self.notation = f"a cell, a1 to {self.move_name(None, m * m - 1)}"

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: cells of the first player, of the second, the status."""
        packed, cells = unmix(key), (1 << int(_SECOND_AT)) - 1
        return [packed & cells, packed >> int(_SECOND_AT) & cells, packed >> int(_STATUS_AT)]

    def move_name(self, state: State | None, move: int) -> str:
        """Name a cell by column letter and row number, row 1 at the bottom."""
        return f"{chr(ord('a') + move % self.m)}{move // self.m + 1}"

    def outcome_name(self, state: State, move: int) -> str:
        """Name the line the die shows."""
        line = move - self.m * self.m
        if line < self.m:
            return f"row-{line + 1}"
        return f"column-{chr(ord('a') + line - self.m)}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom, and say what the die shows."""
        by_rows = [
            self.m * row + column for row in reversed(range(self.m)) for column in range(self.m)
        ]
        board = draw_board(pieces_on(by_rows, state[:2], self.symbols), self.m)
        status = int(state[STATUS])
        mover, rolled = self.symbols[status & 1], status >> 1 & 31
        if status >> 6:
            return board
        if rolled:
            shown = self.outcome_name(state, self.m * self.m + rolled - 1)
            return f"{board}\n{mover} has rolled {shown}"
        return f"{board}\n{mover} rolls"
