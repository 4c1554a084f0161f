"""Pentago: place a marble on the 6 by 6 board, then turn one of its four quadrants.

Each quadrant has nine bits: eight around the rim, clockwise, then the middle.  A quarter turn
is a rotation of the eight bits by two.

    quadrant 0 | quadrant 1        0 1 2
    -----------+-----------        7 8 3     the bits of quadrant 0; those of quadrant q
    quadrant 3 | quadrant 2        6 5 4     are 9 q places higher
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, mark_made, mix, popcount, to_int, unmix
from trellis.game.boards import SQUARE_SYMMETRIES, pieces_on, square_images
from trellis.game.common_rules import pay_winner, rule, start_empty
from trellis.game.game import Game
from trellis.game.rules import (
    NOBODY,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
    tables,
    words_of_codes,
)

SIZE = 6
CELLS = 36
TURNS = 8  # of a move code: twice the quadrant, plus 1 where it turns clockwise
CODES = CELLS * TURNS
FIRST_FIVE = 9  # marbles on the board when one player may have five

# state: the marbles of the first player, with the outcome on top, and those of the second
OUTCOME = np.uint64(40)
RUNNING, FIRST_WON, SECOND_WON, DRAWN = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)

_BOARD = np.uint64((1 << CELLS) - 1)
_RIM = np.uint64(0xFF)
_QUADRANT = np.uint64(0x1FF)
_NINE = np.uint64(9)
_THREE = np.uint64(3)
_SEVEN = np.uint64(7)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_CODES = np.uint64(CODES)
_WORDS_OF_CODES = words_of_codes(CODES)

# -- geometry, worked out once -----------------------------------------------------------------

_RIM_PLACES = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (1, 1))
_CORNERS = ((0, 0), (0, 3), (3, 3), (3, 0))  # top left cell of each quadrant
_PLACE_OF_BIT = [(top + r, left + c) for top, left in _CORNERS for r, c in _RIM_PLACES]
_BIT_OF_PLACE = {place: bit for bit, place in enumerate(_PLACE_OF_BIT)}
_PLACES = [(row, column) for row in range(SIZE) for column in range(SIZE)]

_LINES = [
    sum(1 << _BIT_OF_PLACE[row + i * down, column + i * right] for i in range(5))
    for row, column in _PLACES
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if (row + 4 * down, column + 4 * right) in _BIT_OF_PLACE
]  # 32 of them


_CELL_IMAGES = square_images(SIZE)
_BIT_IMAGES = [
    [_BIT_OF_PLACE[_PLACES[images[SIZE * row + column]]] for row, column in _PLACE_OF_BIT]
    for images in _CELL_IMAGES
]
_QUADRANT_IMAGES = [[images[9 * quadrant] // 9 for quadrant in range(4)] for images in _BIT_IMAGES]


def _code_image(index: int, code: int) -> int:
    cell, turn = divmod(code, TURNS)
    clockwise = turn & 1 ^ (index >= 4)  # a mirror reverses the sense of turning
    quadrant = _QUADRANT_IMAGES[index][turn >> 1]
    return _CELL_IMAGES[index][cell] * TURNS + 2 * quadrant + clockwise


# tables.ints: the bit of each cell; the image of each move code, quadrant, and the nine bits of a
# quadrant, under each symmetry.  All quadrants are numbered alike, so one table serves all four.
# Then the cell of each bit.
BITS, CODE_IMAGES = 0, CELLS
QUADRANT_IMAGES = CODE_IMAGES + 8 * CODES
PATTERN_IMAGES = QUADRANT_IMAGES + 8 * 4
CELLS_OF_BITS = PATTERN_IMAGES + 8 * 512
_INTS = [
    *(_BIT_OF_PLACE[place] for place in _PLACES),
    *(_code_image(index, code) for index in range(8) for code in range(CODES)),
    *(quadrant for images in _QUADRANT_IMAGES for quadrant in images),
    *(
        sum((pattern >> bit & 1) << images[bit] % 9 for bit in range(9))
        for images in _BIT_IMAGES
        for pattern in range(512)
    ),
    *(_PLACES.index(place) for place in _PLACE_OF_BIT),
]

# tables.words: for each quadrant and each pattern in it, the set of lines that do not fail there.
# A line that no quadrant fails is complete, so five in a row are found by four look-ups.
_WORDS = [
    sum(
        1 << number
        for number, line in enumerate(_LINES)
        if (line >> 9 * quadrant & 511) & ~pattern == 0
    )
    for quadrant in range(4)
    for pattern in range(512)
]
# Then each pattern read as a number of nine digits, of which none is above 2: a cell has three
# states, and 36 such digits fit into a word.
TERNARY = len(_WORDS)
PATTERNS = 3**9
_WORDS += [int(f"{pattern:b}", 3) for pattern in range(512)]


@kernel(inline="always")
def _five(tables: Tables, marbles: np.uint64) -> bool:
    """Tell whether five marbles stand in a row."""
    return (
        tables.words[marbles & _QUADRANT]
        & tables.words[np.uint64(512) + ((marbles >> _NINE) & _QUADRANT)]
        & tables.words[np.uint64(1024) + ((marbles >> np.uint64(18)) & _QUADRANT)]
        & tables.words[np.uint64(1536) + ((marbles >> np.uint64(27)) & _QUADRANT)]
    ) != ZERO


@kernel(inline="always")
def _turned(marbles: np.uint64, turn: np.uint64) -> np.uint64:
    """Turn a quadrant: its rim moves on by two of eight bits, or by six for anticlockwise."""
    shift = np.uint64(6) - ((turn & ONE) << np.uint64(2))
    rim = _RIM << ((turn >> ONE) * _NINE)
    part = marbles & rim
    return (marbles ^ part) | (((part << shift) | (part >> (np.uint64(8) - shift))) & rim)


@kernel(inline="always")
def _outcome(first_five: bool, second_five: bool, full: bool) -> np.uint64:
    """Tell the result after a turn: fives of both are a draw, and so is a full board."""
    if first_five or second_five:
        if first_five and second_five:
            return DRAWN
        return FIRST_WON if first_five else SECOND_WON
    return DRAWN if full else RUNNING


@rule
def acting(tables: Tables, state: State) -> int:
    if state[0] >> OUTCOME != RUNNING:
        return NOBODY
    return popcount(state[0] | state[1]) & 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    both = state[0] | state[1]
    count = 0
    for cell in range(CELLS):
        for turn in range(TURNS):  # written over by the next free cell where this one is taken
            out[count + turn] = cell * TURNS + turn
        count += TURNS * to_int(~(both >> np.uint64(tables.ints[BITS + cell])) & ONE)
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    count = popcount(state[0] | state[1])
    turn = np.uint64(move & 7)
    state[count & 1] |= ONE << np.uint64(tables.ints[BITS + (move >> 3)])
    first, second = _turned(state[0], turn), _turned(state[1], turn)
    outcome = _outcome(_five(tables, first), _five(tables, second), count + 1 == CELLS)
    state[0] = first | (outcome << OUTCOME)
    state[1] = second


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    outcome = state[0] >> OUTCOME
    pay_winner(0 if outcome == FIRST_WON else 1 if outcome == SECOND_WON else NOBODY, out)


@kernel(inline="always")
def _random_game(
    tables: Tables, state: State, rng: Random, out: Reals, made: State, marks: bool
) -> int:
    """Draw a cell and a turn at once, draw again where the cell is taken.

    The marbles of the player to move are always called `own`, so that nothing depends on whose
    turn it is until the end.  Moves are marked where that is asked for, by a constant.
    """
    if state[0] >> OUTCOME != RUNNING:
        payoffs(tables, state, out)
        return 0
    seed = rng[0]
    before = popcount(state[0] | state[1])
    own, other = state[before & 1], state[1 - (before & 1)]
    count = before
    own_five = other_five = False
    while not own_five and not other_five and count < CELLS:
        taken = own | other
        while True:
            # Two draws of 32 bits each; the second counts where the cell of the first is taken.
            seed += GOLDEN
            draw = mix(seed)
            code = ((draw >> _HALF) * _CODES) >> _HALF
            second = ((draw & _LOW) * _CODES) >> _HALF
            code ^= (code ^ second) & (ZERO - ((taken >> (code >> _THREE)) & ONE))
            if (taken >> (code >> _THREE)) & ONE == ZERO:
                break
        turn = code & _SEVEN
        if marks:
            cell = np.int64(tables.ints[np.uint64(CELLS_OF_BITS) + (code >> _THREE)])
            mark_made(made, (count & 1) * _WORDS_OF_CODES, cell * TURNS + np.int64(turn))
        placed = _turned(own | (ONE << (code >> _THREE)), turn)
        own, other = _turned(other, turn), placed
        count += 1
        if count >= FIRST_FIVE:
            own_five, other_five = _five(tables, own), _five(tables, other)
    rng[0] = seed
    if count & 1 == 1:
        own, other = other, own
        own_five, other_five = other_five, own_five
    state[0] = own | (_outcome(own_five, other_five, count == CELLS) << OUTCOME)
    state[1] = other
    payoffs(tables, state, out)
    return count - before


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    return _random_game(tables, state, rng, out, state, False)


@rule
def marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    return _random_game(tables, state, rng, out, made, True)


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    out[0] = (state[0] >> OUTCOME) << OUTCOME
    out[1] = ZERO
    for player in range(2):
        for quadrant in range(4):
            pattern = np.int64((state[player] >> np.uint64(9 * quadrant)) & _QUADRANT)
            image = np.uint64(tables.ints[PATTERN_IMAGES + index * 512 + pattern])
            place = np.uint64(tables.ints[QUADRANT_IMAGES + index * 4 + quadrant])
            out[player] |= image << (place * _NINE)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[CODE_IMAGES + index * CODES + move]


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Scramble the outcome and the board, a digit of 0, 1 or 2 a cell: one-to-one."""
    words = tables.words
    packed = state[0] >> OUTCOME
    for quadrant in range(4):
        place = np.uint64(9 * quadrant)
        first = words[np.uint64(TERNARY) + ((state[0] >> place) & _QUADRANT)]
        second = words[np.uint64(TERNARY) + ((state[1] >> place) & _QUADRANT)]
        packed = packed * np.uint64(PATTERNS) + first + second + second
    return mix(packed)


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move, marked_playout=marked_playout,
)  # fmt: skip


class Pentago(Game):
    """Pentago: five in a row win, counted after the turn; fives of both players are a draw."""

    name = "pentago"
    notation = "a cell, a quadrant from 1 to 4, L or R for its turn: c4-2R"

    def __init__(self) -> None:
        super().__init__(
            RULES,
            tables(ints=_INTS, words=_WORDS),
            state_words=2,
            max_moves=CODES,  # every cell of an empty board, with every turn
            move_codes=CODES,
            max_plies=CELLS,
            exact_key=True,
            symmetries=SQUARE_SYMMETRIES,
        )

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart, digit by digit, the last quadrant first."""
        packed, marbles = unmix(key), [0, 0]
        for quadrant in reversed(range(4)):
            for bit in range(9):
                packed, digit = divmod(packed, 3)
                if digit:
                    marbles[digit - 1] |= 1 << 9 * quadrant + bit
        return [marbles[0] | packed << int(OUTCOME), marbles[1]]

    def move_name(self, state: State, move: int) -> str:
        """Name a cell, row 1 at the bottom, a quadrant in reading order, and the turn."""
        cell, turn = divmod(move, TURNS)
        quadrant = (1, 2, 4, 3)[turn >> 1]
        return f"{'abcdef'[cell % SIZE]}{SIZE - cell // SIZE}-{quadrant}{'LR'[turn & 1]}"

    def board(self, state: State) -> str:
        """Draw the four quadrants with their numbers beside them, row 1 at the bottom."""
        lines = []
        for row in range(SIZE):
            bits = [_BIT_OF_PLACE[row, column] for column in range(SIZE)]
            cells = pieces_on(bits, state, self.symbols)
            left, right = {1: ("1 ", " 2"), 4: ("3 ", " 4")}.get(row, ("  ", ""))
            lines.append(f"{left}{SIZE - row} {' '.join(cells[:3])} | {' '.join(cells[3:])}{right}")
            if row == 2:
                lines.append("    ------+------")
        return "\n".join([*lines, "    a b c   d e f"])
