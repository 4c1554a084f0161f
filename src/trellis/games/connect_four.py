"""Connect Four on any board of up to 64 bits: rows, columns and the length of a line.

Bits run up the columns, with one bit above each column that always stays clear, so that a line
can never wrap from one column into the next:

    6 13 20 27 34 41 48   <- always clear
    5 12 19 26 33 40 47   row 6
    ...
    0  7 14 21 28 35 42   row 1
    a  b  c  d  e  f  g
"""

from string import ascii_lowercase

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    ALL,
    GOLDEN,
    ONE,
    ZERO,
    copy_words,
    mark_made,
    mix,
    popcount,
    to_int,
    unmix,
)
from trellis.game.boards import pieces_on
from trellis.game.common_rules import pay_winner, rule, runs, start_empty
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Symmetry
from trellis.game.planes import Planes
from trellis.game.rules import (
    NEEDLESS,
    NOBODY,
    Counts,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
    tables,
)

# state: stones of the player to move, stones of both, status
OWN, BOTH, STATUS = 0, 1, 2
RUNNING, WON, DRAWN = np.uint64(0), np.uint64(1), np.uint64(2)  # WON: by the player who just moved
# tables.ints
HEIGHT, COLUMNS, LINE = 0, 1, 2  # HEIGHT: rows and the clear bit above them
# tables.words
BOTTOM, FULL = 0, 1

_HALF = np.uint64(32)
_TWO, _THREE = np.uint64(2), np.uint64(3)
_HIGHEST_HINTED = np.uint64(20)
_WORD = np.uint64(64)
_FULL_6X7 = np.uint64(sum(0b111111 << 7 * column for column in range(7)))


@kernel()
def _run(stones: np.uint64, step: np.uint64, length: int) -> np.uint64:
    """Keep the stones that start a run of `length`; none does that is longer than the board."""
    return runs(stones, step, length) if np.uint64(length - 1) * step < _WORD else ZERO


@kernel()
def _has_line(stones: np.uint64, height: np.uint64, length: int) -> bool:
    """Tell whether `length` stones stand in a row in any of the four directions."""
    if length == 4 and height < np.uint64(31):  # without loops; and no shift reaches 64
        upright = stones & (stones >> ONE)
        level = stones & (stones >> height)
        falling = stones & (stones >> (height - ONE))
        rising = stones & (stones >> (height + ONE))
        return (
            (upright & (upright >> np.uint64(2)))
            | (level & (level >> (np.uint64(2) * height)))
            | (falling & (falling >> (np.uint64(2) * (height - ONE))))
            | (rising & (rising >> (np.uint64(2) * (height + ONE))))
        ) != ZERO
    return (
        _run(stones, ONE, length)
        | _run(stones, height - ONE, length)
        | _run(stones, height, length)
        | _run(stones, height + ONE, length)
    ) != ZERO


@kernel()
def _parity(stones: np.uint64) -> np.uint64:
    """Tell whose turn it is by counting stones: an even number, the first player's."""
    for shift in (32, 16, 8, 4, 2, 1):
        stones ^= stones >> np.uint64(shift)
    return stones & ONE


@kernel()
def _mover(tables: Tables, state: State) -> int:
    return to_int(_parity(state[BOTH]))


@rule
def acting(tables: Tables, state: State) -> int:
    return _mover(tables, state) if state[STATUS] == RUNNING else NOBODY


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    height = np.uint64(tables.ints[HEIGHT])
    top = state[BOTH] >> (height - np.uint64(2))
    count = 0
    for column in range(tables.ints[COLUMNS]):
        if not (top >> (np.uint64(column) * height)) & ONE:
            out[count] = column
            count += 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    height = np.uint64(tables.ints[HEIGHT])
    both = state[BOTH]
    cells = ((ONE << (height - ONE)) - ONE) << (np.uint64(move) * height)
    after = both | ((both + tables.words[BOTTOM]) & cells)
    own = state[OWN] | (after ^ both)
    state[OWN] = both ^ state[OWN]
    state[BOTH] = after
    if _has_line(own, height, tables.ints[LINE]):
        state[STATUS] = WON
    elif after == tables.words[FULL]:
        state[STATUS] = DRAWN


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(1 - _mover(tables, state) if state[STATUS] == WON else NOBODY, out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Hash own stones plus all stones plus the bottom row: one-to-one for a board."""
    return mix(state[OWN] + state[BOTH] + tables.words[BOTTOM])


@kernel(inline="always")
def _random_game(
    state: State, rng: Random, height: np.uint64, columns: np.uint64, length: int, full: np.uint64,
    made: State, marks: bool,
) -> int:  # fmt: skip
    """Play at random with the whole position in registers; write it back at the end.

    A column is drawn among all and drawn again while it is full: the same distribution as a
    draw among the open ones, and cheaper, because few columns fill up before a game ends.
    A stone lands where adding 1 at the foot of its column carries to; in a full column that is
    the clear bit on top, which `full` does not contain.  Moves are marked where that is asked for,
    by a constant.
    """
    seed = rng[0]
    own, both, status = state[OWN], state[BOTH], state[STATUS]
    plies = 0
    who = _parity(both)
    while status == RUNNING:
        stone = column = ZERO
        while stone & full == ZERO:
            seed += GOLDEN
            column = ((mix(seed) >> _HALF) * columns) >> _HALF
            stone = (both + (ONE << (column * height))) & ~both
        own = both ^ own  # now the stones of the opponent of the one who is moving
        both |= stone
        plies += 1
        if marks:
            mark_made(made, who, np.int64(column))
            who ^= ONE
        if _has_line(both ^ own, height, length):
            status = WON
        elif both == full:
            status = DRAWN
    state[OWN], state[BOTH], state[STATUS] = own, both, status
    rng[0] = seed
    return plies


@kernel(inline="always")
def _finish(tables: Tables, state: State, rng: Random, out: Reals, made: State, marks: bool) -> int:
    height, columns = tables.ints[HEIGHT], tables.ints[COLUMNS]
    length, full = tables.ints[LINE], tables.words[FULL]
    if height == 7 and columns == 7 and length == 4:
        # The board everybody plays: constants let the compiler fold every shift.
        plies = _random_game(state, rng, np.uint64(7), np.uint64(7), 4, _FULL_6X7, made, marks)
    else:
        plies = _random_game(
            state, rng, np.uint64(height), np.uint64(columns), length, full, made, marks
        )
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
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    height, columns = tables.ints[HEIGHT], tables.ints[COLUMNS]
    copy_words(state, out)
    if index == 1:
        cells = (ONE << np.uint64(height)) - ONE
        for word in (OWN, BOTH):
            out[word] = ZERO
            for column in range(columns):
                stones = (state[word] >> np.uint64(column * height)) & cells
                out[word] |= stones << np.uint64((columns - 1 - column) * height)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[COLUMNS] - 1 - move if index == 1 else move


@kernel()
def _spots(stones: np.uint64, height: np.uint64) -> np.uint64:
    """Return where one more stone completes four in a row, whether there is room for it or not."""
    spots = (stones << ONE) & (stones << _TWO) & (stones << _THREE)
    for step in (height, height - ONE, height + ONE):
        behind = (stones << step) & (stones << (_TWO * step))
        spots |= behind & (stones << (_THREE * step))
        spots |= behind & (stones >> step)
        ahead = (stones >> step) & (stones >> (_TWO * step))
        spots |= ahead & (stones << step)
        spots |= ahead & (stones >> (_THREE * step))
    return spots


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell wins, moves that leave the other player one, and threats; in the middle first."""
    height, columns = np.uint64(tables.ints[HEIGHT]), to_int(tables.ints[COLUMNS])
    if tables.ints[LINE] != 4 or height > _HIGHEST_HINTED:  # then no shift reaches 64
        return 0
    own, both, full = state[OWN], state[BOTH], tables.words[FULL]
    free = full & ~both
    landing = (both + tables.words[BOTTOM]) & full
    if _spots(own, height) & landing != ZERO:
        return 1
    danger = _spots(both ^ own, height) & free
    forced = landing & danger
    safe = landing
    if forced != ZERO:  # where the other player would win there is nothing to choose
        safe = forced if forced & (forced - ONE) == ZERO else ZERO
    safe &= ~(danger >> ONE)
    for i in range(count):
        column = to_int(moves[i])
        stone = landing & (((ONE << height) - ONE) << (np.uint64(column) * height))
        if stone & safe == ZERO:
            scores[i] = NEEDLESS
        else:
            threats = popcount(_spots(own | stone, height) & free & ~stone)
            scores[i] = 64 * to_int(threats) + 32 - abs(2 * column - (columns - 1))
    return 0


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key, playout=playout, transform=transform,
    map_move=map_move, marked_playout=marked_playout, hint=hint,
)  # fmt: skip


class ConnectFour(Game):
    """Connect Four: drop a disc into a column; a line of `x_in_row` wins."""

    name = "connect_four"
    stones_stay = True

    def __init__(self, rows: int = 6, columns: int = 7, x_in_row: int = 4) -> None:
        if (rows + 1) * columns > 64:
            raise BadParameter(
                f"connect_four:rows={rows},columns={columns} does not fit: "
                f"(rows + 1) x columns must be at most 64, not {(rows + 1) * columns}"
            )
        height = rows + 1
        bottom = sum(1 << column * height for column in range(columns))
        super().__init__(
            RULES,
            tables(ints=[height, columns, x_in_row], words=[bottom, bottom * ((1 << rows) - 1)]),
            parameters={"rows": rows, "columns": columns, "x_in_row": x_in_row},
            state_words=3,
            max_moves=columns,
            move_codes=columns,
            max_plies=rows * columns,
            exact_key=True,
            identity=(ALL, ALL, ZERO),  # the status follows from the stones
            symmetries=(Symmetry("identity", (0, 1)), Symmetry("mirror", (0, 1))),
        )
        self.rows = rows
        self.columns = columns
        self.planes = Planes(
            rows, columns, lambda row, column: column * height + row, second=1, relative=True
        )
        self.notation = f"a column, a to {self.move_name(None, columns - 1)}"

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: in each column a bit above own stones shows how high it is."""
        packed, own, both = unmix(key), 0, 0
        for column in range(self.columns):
            foot = column * (self.rows + 1)
            stones = packed >> foot & (1 << self.rows + 1) - 1
            high = 1 << max(stones.bit_length() - 1, 0)
            own |= (stones - high) << foot
            both |= (high - 1) << foot
        return [own, both, 0]

    def cells_of(self, move: int) -> list[tuple[int, int]]:
        """List the places of a column, from the bottom."""
        return [(row, 2 * move) for row in reversed(range(self.rows))]

    def move_name(self, state: State | None, move: int) -> str:
        """Name a column by its letter."""
        return ascii_lowercase[move]

    def other_names(self, move: int) -> tuple[str, ...]:
        """Return the number of a column from the left: 444 are three discs in the middle."""
        return (str(move + 1),)

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom."""
        own, both = int(state[OWN]), int(state[BOTH])
        stones = (own, both ^ own) if both.bit_count() % 2 == 0 else (both ^ own, own)
        lines = []
        for row in reversed(range(self.rows)):
            bits = [column * (self.rows + 1) + row for column in range(self.columns)]
            lines.append(" ".join(pieces_on(bits, stones, self.symbols)))
        return "\n".join([*lines, " ".join(ascii_lowercase[: self.columns])])
