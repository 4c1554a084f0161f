"""Amazons on boards of 5 to 10 squares a side, with the rules of OpenSpiel.

A turn is three moves, each the number of a square: which amazon, where it goes, where it shoots.
Amazons go and shoot like a queen of chess, past nothing; an arrow blocks its square for ever,
and the square an amazon has left is free for its own arrow.  Who cannot move an amazon at the
start of a turn loses.  Squares are numbered by rows from the top:

    10  . . . o . . o . . .      0 ..  9
     9  . . . . . . . . . .     10 .. 19
     8  . . . . . . . . . .
     7  o . . . . . . . . o     30 .. 39
     6  . . . . . . . . . .
     5  . . . . . . . . . .
     4  x . . . . . . . . x     60 .. 69
     3  . . . . . . . . . .
     2  . . . . . . . . . .
     1  . . . x . . x . . .     90 .. 99
        a b c d e f g h i j

Four amazons a side stand on the two edges of its half, k squares from its corners, where k is
the side less one divided by three, rounded down.  That is where OpenSpiel has them on boards of
6, 8 and 10; it has no others.

The state is three words: the squares that are taken (100 bits) with what is left of the turn on
top, and a byte for the square of each amazon, in rising order for each player, so that it does
not matter which of them went where.
Colours are not exchanged by any symmetry here: the number of arrows tells who moves.
"""

from itertools import chain

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    BYTE,
    BYTE_TOPS,
    BYTES,
    GOLDEN,
    ONE,
    ZERO,
    key_of_words,
    mark_made,
    mix,
    popcount,
    to_int,
)
from trellis.game.boards import SQUARE_SYMMETRIES, draw_board, square_images
from trellis.game.common_rules import pay_winner, rule
from trellis.game.game import Game
from trellis.game.rules import (
    MARKED_PLAYOUT,
    NOBODY,
    PLAYOUT,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
    tables,
)

# state: squares taken, 64 to a word; squares of amazons, first player's in the low four bytes
LOW, HIGH, AMAZONS = 0, 1, 2
# state[HIGH], above the squares: the amazon being moved, what to choose next, who moves, the end
_CHOSEN, _STEP, _TURN, _OVER = np.uint64(40), np.uint64(48), np.uint64(50), np.uint64(51)
WHICH, WHERE, ARROW = 0, 1, 2  # what to choose next
# tables.ints: the side; the distance of neighbours in each direction; for each square how far
# the edge is in each direction, then the four lines through it (16 * line + place on it); the
# images of the squares under each symmetry; the lines with all places beyond their ends taken
SIDE, STEPS, EDGES = 0, 1, 9
# tables.words: the start position, then the neighbours of each square as two words
START_AT, NEAR = 0, 3

MOST_SQUARES, MOST_LINES = 100, 64
PLACES = 10  # on the longest line
LINES = EDGES + 8 * MOST_SQUARES
IMAGES = LINES + 4 * MOST_SQUARES
EMPTY_LINES = IMAGES + 8 * MOST_SQUARES
# West, east, north, south, north-east, south-west, north-west, south-east: each line both ways.
_DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1), (-1, -1), (1, 1))

_S2, _S3, _S4, _S8, _S10 = (np.uint64(shift) for shift in (2, 3, 4, 8, 10))
_S16, _S32, _S48, _S56 = (np.uint64(shift) for shift in (16, 32, 48, 56))
_TWO, _THREE, _FOUR = np.uint64(2), np.uint64(3), np.uint64(4)
_LOW_32, _HIGH_SQUARES = np.uint64(0xFFFF_FFFF), np.uint64((1 << 36) - 1)
_IN_WORD = 63
_PLACE_BITS = np.uint64(15)
_LINES_AT, _STEPS_AT = np.uint64(LINES), np.uint64(STEPS)  # unsigned: an index without a check


def _reach(taken: int, place: int) -> int:
    """Count the free places before (low byte) and after (high byte) a place of a line."""
    before = next((n for n in range(place) if taken >> place - 1 - n & 1), place)
    after = next(
        (n for n in range(PLACES - 1 - place) if taken >> place + 1 + n & 1), PLACES - 1 - place
    )
    return before | after << 8


# Entry 1024 * place + taken: how far an amazon on a place of a line can go both ways.
_REACH = np.array(
    [_reach(taken, place) for place in range(PLACES) for taken in range(1 << PLACES)], np.uint16
)


@kernel()
def _taken(state: State, square: int) -> bool:
    return (state[square >> 6] >> np.uint64(square & _IN_WORD)) & ONE != ZERO


@kernel()
def _can_move(tables: Tables, state: State, square: int) -> bool:
    """Tell whether any neighbour of a square is free."""
    near = NEAR + 2 * square
    return (tables.words[near] & ~state[LOW]) | (tables.words[near + 1] & ~state[HIGH]) != ZERO


@kernel()
def _amazon(state: State, index: int) -> int:
    return to_int((state[AMAZONS] >> np.uint64(8 * index)) & BYTE)


@kernel()
def _turn(state: State) -> int:
    return to_int((state[HIGH] >> _TURN) & ONE)


@kernel()
def _step(state: State) -> int:
    return to_int((state[HIGH] >> _STEP) & _THREE)


@kernel()
def _chosen(state: State) -> int:
    return to_int((state[HIGH] >> _CHOSEN) & BYTE)


@kernel()
def _relocated(amazons: np.uint64, turn: int, old: int, new: int) -> np.uint64:
    """Replace one square of a player's amazons and restore their order."""
    squares = (amazons >> np.uint64(32 * turn)) & _LOW_32
    rest, done = ZERO, False
    place = ZERO
    for index in range(4):
        square = np.int64((squares >> np.uint64(8 * index)) & BYTE)
        if square == old:
            continue
        if not done and new < square:
            rest |= np.uint64(new) << place
            place += _S8
            done = True
        rest |= np.uint64(square) << place
        place += _S8
    if not done:
        rest |= np.uint64(new) << place
    return (amazons & (_LOW_32 << np.uint64(32 - 32 * turn))) | (rest << np.uint64(32 * turn))


@kernel()
def _flip(state: State, square: int) -> None:
    state[square >> 6] ^= ONE << np.uint64(square & _IN_WORD)


@rule
def play(tables: Tables, state: State, move: int) -> None:
    """Carry out one of the three choices of a turn."""
    step, turn, chosen = _step(state), _turn(state), _chosen(state)
    state[HIGH] &= _HIGH_SQUARES
    _flip(state, move)
    if step != ARROW:
        if step == WHERE:
            state[AMAZONS] = _relocated(state[AMAZONS], turn, chosen, move)
        state[HIGH] |= (np.uint64(move) << _CHOSEN) | (np.uint64(step + 1) << _STEP)
    else:
        turn = 1 - turn
        stuck = True
        for index in range(4 * turn, 4 * turn + 4):
            stuck = stuck and not _can_move(tables, state, _amazon(state, index))
        if stuck:
            state[HIGH] |= ONE << _OVER
    state[HIGH] |= np.uint64(turn) << _TURN


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    count = 0
    if _step(state) == WHICH:
        turn = _turn(state)
        for index in range(4 * turn, 4 * turn + 4):
            square = _amazon(state, index)
            if _can_move(tables, state, square):
                out[count] = square
                count += 1
        return count
    chosen = _chosen(state)
    for direction in range(8):
        square = chosen
        for _ in range(tables.ints[EDGES + 8 * chosen + direction]):
            square += int(tables.ints[STEPS + direction])
            if _taken(state, square):
                break
            out[count] = square
            count += 1
    return count


@rule
def start(tables: Tables, state: State) -> None:
    for word in range(3):
        state[word] = tables.words[START_AT + word]


@rule
def acting(tables: Tables, state: State) -> int:
    return NOBODY if (state[HIGH] >> _OVER) & ONE else _turn(state)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(1 - _turn(state), out)


@kernel(inline="always")
def _reaches(tables: Tables, lines: Moves, square: np.uint64) -> np.uint64:
    """Count how far a queen on a square reaches, one byte for each direction."""
    at = _LINES_AT + (square << _S2)
    a = np.uint64(tables.ints[at])
    b = np.uint64(tables.ints[at + ONE])
    c = np.uint64(tables.ints[at + _TWO])
    d = np.uint64(tables.ints[at + _THREE])
    return (
        np.uint64(_REACH[((a & _PLACE_BITS) << _S10) | np.uint64(lines[a >> _S4])])
        | (np.uint64(_REACH[((b & _PLACE_BITS) << _S10) | np.uint64(lines[b >> _S4])]) << _S16)
        | (np.uint64(_REACH[((c & _PLACE_BITS) << _S10) | np.uint64(lines[c >> _S4])]) << _S32)
        | (np.uint64(_REACH[((d & _PLACE_BITS) << _S10) | np.uint64(lines[d >> _S4])]) << _S48)
    )


@kernel(inline="always")
def _target(tables: Tables, square: np.uint64, reaches: np.uint64, half: np.uint64) -> np.uint64:
    """Draw one of the squares within reach; `half` is 32 random bits.

    A multiplication adds the counts up over the directions, and a comparison in all bytes at
    once tells in which direction the square that was drawn lies.
    """
    sums = reaches * BYTES
    rank = (half * (sums >> _S56)) >> _S32
    before = ((rank * BYTES | BYTE_TOPS) - sums) & BYTE_TOPS
    direction = np.uint64(popcount(before))
    rank -= ((sums << _S8) >> (direction << _S3)) & BYTE
    step = np.uint64(np.int64(tables.ints[_STEPS_AT + direction]))
    return square + step * (rank + ONE)


@kernel(inline="always")
def _toggle(tables: Tables, lines: Moves, square: np.uint64) -> None:
    """Take or free a square on the four lines through it."""
    at = _LINES_AT + (square << _S2)
    for line in range(4):
        entry = np.uint64(tables.ints[at + np.uint64(line)])
        lines[entry >> _S4] ^= np.int32(1) << np.int32(entry & _PLACE_BITS)


@kernel()
def _write_back(tables: Tables, state: State, lines: Moves, amazons: State, turn: int) -> None:
    """Turn the rows and amazons of a finished playout into a state."""
    side = int(tables.ints[SIDE])
    state[:] = ZERO
    for row in range(side):
        for column in range(side):
            if lines[row] >> column & 1:
                _flip(state, row * side + column)
    state[HIGH] |= (np.uint64(turn) << _TURN) | (ONE << _OVER)
    for index in range(8):
        rank = index & 4
        for other in range(index & 4, (index & 4) + 4):
            if amazons[other] < amazons[index]:
                rank += 1
        state[AMAZONS] |= amazons[index] << np.uint64(8 * rank)


@kernel(inline="always")
def _random_game(
    tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals, made: State, marks: bool
) -> int:
    """Play at random on lines instead of squares; write the position back at the end.

    Each row, column and diagonal is a small number with a bit for each place that is taken, so
    that a table tells how far an amazon reaches.  Moves are marked where that is asked for, by a
    constant.
    """
    plies = 0
    words = np.uint64(len(made) >> 1)
    seed = rng[0]
    while _step(state) != WHICH:
        # Finish the turn that the position is in the middle of.
        count = moves(tables, state, buffer)
        seed += GOLDEN
        index = ((mix(seed) >> _S32) * np.uint64(count)) >> _S32
        if marks:
            mark_made(made, _turn(state) * np.int64(words), buffer[index])
        play(tables, state, int(buffer[index]))
        plies += 1
    side = int(tables.ints[SIDE])
    lines = np.empty(MOST_LINES, np.int32)
    for line in range(6 * side - 2):
        lines[line] = tables.ints[EMPTY_LINES + line]
    for square in range(side * side):
        if _taken(state, square):
            _toggle(tables, lines, np.uint64(square))
    amazons = np.empty(8, np.uint64)
    for amazon in range(8):
        amazons[amazon] = np.uint64(_amazon(state, amazon))
    first = np.uint64(4 * _turn(state))  # the first amazon of the mover
    while True:
        # An amazon that cannot move goes behind those not yet tried: each that can move is
        # found first with the same probability.
        left = _FOUR
        place = square_from = reaches = ZERO
        seed += GOLDEN
        draw = mix(seed)
        while left != ZERO:
            place = first + (((draw >> _S32) * left) >> _S32)
            square_from = amazons[place]
            reaches = _reaches(tables, lines, square_from)
            if reaches != ZERO:
                break
            left -= ONE
            amazons[place] = amazons[first + left]
            amazons[first + left] = square_from
            seed += GOLDEN
            draw = mix(seed)
        if left == ZERO:
            break
        square_to = _target(tables, square_from, reaches, draw & _LOW_32)
        amazons[place] = square_to
        _toggle(tables, lines, square_from)
        _toggle(tables, lines, square_to)
        seed += GOLDEN
        reaches = _reaches(tables, lines, square_to)
        arrow = _target(tables, square_to, reaches, mix(seed) >> _S32)
        _toggle(tables, lines, arrow)
        if marks:
            own = (first >> _S2) * words
            mark_made(made, own, square_from)
            mark_made(made, own, square_to)
            mark_made(made, own, arrow)
        first ^= _FOUR
        plies += 3
    rng[0] = seed
    _write_back(tables, state, lines, amazons, 0 if first == ZERO else 1)
    payoffs(tables, state, out)
    return plies


@kernel(PLAYOUT, makes_arrays=True)
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    return _random_game(tables, state, rng, buffer, out, state, False)


@kernel(MARKED_PLAYOUT, makes_arrays=True)
def marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    return _random_game(tables, state, rng, buffer, out, made, True)


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    side = tables.ints[SIDE]
    images = IMAGES + side * side * index
    out[:] = ZERO
    for square in range(side * side):
        if _taken(state, square):
            _flip(out, tables.ints[images + square])
    out[HIGH] |= (state[HIGH] >> _STEP) << _STEP
    if _step(state) != WHICH:
        out[HIGH] |= np.uint64(tables.ints[images + _chosen(state)]) << _CHOSEN
    for amazon in range(8):
        image = tables.ints[images + _amazon(state, amazon)]
        rank = amazon & 4
        for other in range(amazon & 4, (amazon & 4) + 4):
            if tables.ints[images + _amazon(state, other)] < image:
                rank += 1
        out[AMAZONS] |= np.uint64(image) << np.uint64(8 * rank)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[IMAGES + tables.ints[SIDE] * tables.ints[SIDE] * index + move]


RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words,
    playout=playout, transform=transform, map_move=map_move, marked_playout=marked_playout,
)  # fmt: skip


def _edges(side: int, square: int) -> list[int]:
    """Count the squares from a square to the edge, in each direction."""
    row, column = divmod(square, side)
    return [
        min(
            (row if down < 0 else side - 1 - row) if down else side,
            (column if right < 0 else side - 1 - column) if right else side,
        )
        for down, right in _DIRECTIONS
    ]


def _lines(side: int, square: int) -> list[int]:
    """Return the four lines through a square, each as 16 * line + place on it."""
    row, column = divmod(square, side)
    return [
        16 * row + column,
        16 * (side + column) + row,
        16 * (2 * side + row + column) + row - max(0, row + column - side + 1),
        16 * (5 * side - 2 + row - column) + min(row, column),
    ]


class Amazons(Game):
    """Amazons: move a queen, then shoot an arrow that blocks a square; who cannot move loses."""

    name = "amazons"

    def __init__(self, board_size: int = 10) -> None:
        side, squares = board_size, board_size * board_size
        corner = (side - 1) // 3
        top = [corner, side - 1 - corner, side * corner, side * corner + side - 1]
        bottom = sorted(squares - 1 - square for square in top)
        taken = sum(1 << square for square in top + bottom)
        amazons = sum(square << 8 * index for index, square in enumerate(bottom + top))
        joined = chain.from_iterable
        through = [_lines(side, square) for square in range(squares)]
        lines = [(1 << PLACES) - 1] * MOST_LINES
        for entry in joined(through):
            lines[entry >> 4] &= ~(1 << (entry & 15))
        edges = [_edges(side, square) for square in range(squares)]
        steps = [down * side + right for down, right in _DIRECTIONS]
        near = [
            sum(1 << square + steps[way] for way in range(8) if edges[square][way])
            for square in range(squares)
        ]
        rest = MOST_SQUARES - squares
        super().__init__(
            RULES,
            tables(
                ints=[
                    side, *steps,
                    *joined(edges), *[0] * (8 * rest),
                    *joined(through), *[0] * (4 * rest),
                    *joined(square_images(side)), *[0] * (8 * rest),
                    *lines,
                ],
                words=[
                    taken & (1 << 64) - 1, taken >> 64, amazons,
                    *(word for mask in near for word in (mask & (1 << 64) - 1, mask >> 64)),
                ],
            ),
            parameters={"board_size": board_size},
            state_words=3,
            # A queen in the middle of an empty board: a row, a column and two diagonals, the
            # second of them shorter where the middle is not a square.
            max_moves=4 * side - 4 if side % 2 else 4 * side - 5,
            move_codes=squares,
            # Every turn of three moves takes one of the squares that are free at the start.
            max_plies=3 * (squares - 8),
            symmetries=SQUARE_SYMMETRIES,
        )  # fmt: skip
        self.board_size = board_size
        self.notation = f"a square, a1 to {self.move_name(None, side - 1)}"

    def move_name(self, state: State | None, move: int) -> str:
        """Name a square by column letter and row number, row 1 at the bottom."""
        row, column = divmod(move, self.board_size)
        return f"{'abcdefghij'[column]}{self.board_size - row}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom; # is an arrow, the last line the turn so far."""
        side = self.board_size
        taken = int(state[LOW]) | (int(state[HIGH]) & (1 << 36) - 1) << 64
        cells = ["#" if taken >> square & 1 else "." for square in range(side * side)]
        for index in range(8):
            square = int(state[AMAZONS]) >> 8 * index & 0xFF
            cells[square] = self.symbols[index // 4]
        board = draw_board(cells, side, number_width=2)
        step = _step(state)
        if step == WHICH:
            return board
        chosen = self.move_name(None, _chosen(state))
        return f"{board}\n{chosen} {'goes' if step == WHERE else 'aims'}"
