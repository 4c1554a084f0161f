"""Othello on boards of 4, 6 or 8 squares a side, with the rules of OpenSpiel.

The bit of a square is 8 * row + column on every board, row 1 on top as players of this game
write it; a smaller board is the top left corner of the large one:

       a b c d e f g h
    1  . . . . . . . .    bits  0 ..  7
    2  . . . . . . . .    bits  8 .. 15
    3  . . . . . . . .
    4  . . . o x . . .
    5  . . . x o . . .
    6  . . . . . . . .
    7  . . . . . . . .
    8  . . . . . . . .    bits 56 .. 63

Who cannot flip anything must pass, which is a move of its own (its number is the number of
squares).  The game is over when neither player can flip anything, and then at once: nobody
passes twice in a row.  More discs win; how many more matters with `score`
only, and free squares count for nobody.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    GOLDEN,
    ONE,
    ZERO,
    hash_words,
    mark_made,
    mix,
    popcount,
    random_bit,
    to_int,
    unmix,
)
from trellis.game.boards import SQUARE_SYMMETRIES, pieces_on, square_images
from trellis.game.common_rules import list_bits, mapped_bits, pay_lead, rule
from trellis.game.game import Game
from trellis.game.planes import Planes
from trellis.game.rules import (
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
from trellis.games.squares import NOT_A, NOT_H, SIDE, ray, turned

# state: discs of the first player, discs of the second, who moves
FIRST, SECOND, TURN = 0, 1, 2
OVER = np.uint64(2)  # in the place of who moves
PACKED_SQUARES = 16  # the keys of larger boards have to be hashes
_SECOND_AT, _TURN_AT = np.uint64(28), np.uint64(56)  # in a key that is none
# tables.ints: the number of squares, then the move of each bit, the bit of each move, and the
# images of the bits and of the moves under each symmetry
SQUARES, MOVE_OF, BIT_OF, BIT_IMAGES, IMAGES = 0, 1, 65, 129, 641
# tables.words: all squares, the first discs of each player, whether the lead in discs is paid, then
# five rays from each bit
BOARD, HOME_0, HOME_1, BY_MARGIN, RAYS = 0, 1, 2, 3, 4

_EAST, _SOUTH_WEST, _SOUTH, _SOUTH_EAST, _WEST = range(5)
_STEPS = ((0, 1), (1, -1), (1, 0), (1, 1), (0, -1))  # rows, columns of each ray
_UPSIDE_DOWN = 56  # a bit and its image when rows are exchanged differ by this

_S1, _S2, _S4 = np.uint64(1), np.uint64(2), np.uint64(4)
_S7, _S8, _S9, _S14, _S16, _S18 = (np.uint64(step) for step in (7, 8, 9, 14, 16, 18))
_INNER = np.uint64(0x7E7E_7E7E_7E7E_7E7E)  # the columns whose discs can be flanked sideways
# The most moves by side of the board.  Every move closes a line over discs of the other to an own
# disc: an own disc serves one move in each of eight directions, a disc of the other one on each of
# four lines.  Under these conditions an integer program (solved to the end by HiGHS) finds these,
# on any arrangement of discs; with the four squares in the middle filled, as they are in play, it
# is 34 on the large board.  The tests have positions with exactly as many.
MOST_MOVES = {4: 8, 6: 20, 8: 35}


@kernel(inline="always")
def _behind(own: np.uint64, middle: np.uint64, step: np.uint64, double: np.uint64) -> np.uint64:
    """Find what lies behind runs of `middle` that start beside `own`, both ways along a line.

    At most six discs can be flanked: one step, a second, then twice two steps at a time.
    """
    up = middle & (own << step)
    down = middle & (own >> step)
    up |= middle & (up << step)
    down |= middle & (down >> step)
    pairs_up = middle & (middle << step)
    pairs_down = pairs_up >> step
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    return (up << step) | (down >> step)


@kernel(inline="always")
def _options(own: np.uint64, other: np.uint64, board: np.uint64) -> np.uint64:
    """Find the empty squares from which `own` flips something."""
    inner = other & _INNER
    return (
        (
            _behind(own, inner, _S1, _S2)
            | _behind(own, inner, _S7, _S14)
            | _behind(own, other, _S8, _S16)
            | _behind(own, inner, _S9, _S18)
        )
        & ~(own | other)
        & board
    )


@kernel(inline="always")
def _along(own: np.uint64, other: np.uint64, ray: np.uint64) -> np.uint64:
    """Find the discs flipped on one ray that leads to higher bits.

    With everything beside the ray filled, adding 1 carries past the discs of the other to the
    first square of the ray without one; if that has an own disc, all before it are flipped.
    """
    end = ((other | ~ray) + ONE) & ray & own
    return (end - (ONE if end != ZERO else ZERO)) & ray


@kernel(inline="always")
def _flips(tables: Tables, own: np.uint64, other: np.uint64, bit: int | np.int64) -> np.uint64:
    """Find all discs that a disc of `own` on an empty square flips.

    The rays that lead to lower bits lead to higher ones upside down, except the one to the west.
    """
    words = tables.words
    rays = RAYS + 5 * bit
    flips = (
        _along(own, other, words[rays + _EAST])
        | _along(own, other, words[rays + _SOUTH_WEST])
        | _along(own, other, words[rays + _SOUTH])
        | _along(own, other, words[rays + _SOUTH_EAST])
    )
    west = words[rays + _WEST]
    walls = west & ~other
    walls |= walls >> _S1
    walls |= walls >> _S2
    walls = (walls | (walls >> _S4)) & west  # the nearest wall and all that lies beyond it
    nearest = walls & ~(walls >> _S1)
    flips |= (west & ~walls) if nearest & own else ZERO
    rays = RAYS + 5 * (bit ^ _UPSIDE_DOWN)
    own, other = turned(own, SIDE), turned(other, SIDE)
    return flips | turned(
        _along(own, other, words[rays + _SOUTH_WEST])
        | _along(own, other, words[rays + _SOUTH])
        | _along(own, other, words[rays + _SOUTH_EAST]),
        SIDE,
    )


@rule
def start(tables: Tables, state: State) -> None:
    state[FIRST] = tables.words[HOME_0]
    state[SECOND] = tables.words[HOME_1]
    state[TURN] = ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    return NOBODY if state[TURN] == OVER else to_int(state[TURN])


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    turn = np.int64(state[TURN])
    options = _options(state[turn], state[1 - turn], tables.words[BOARD])
    if options == ZERO:
        out[0] = tables.ints[SQUARES]
        return 1
    count = list_bits(options, 0, out, 0)
    for i in range(count):
        out[i] = tables.ints[MOVE_OF + out[i]]
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turn = to_int(state[TURN])
    state[TURN] ^= ONE
    if move == tables.ints[SQUARES]:
        return
    bit = int(tables.ints[BIT_OF + move])
    own, other, board = state[turn], state[1 - turn], tables.words[BOARD]
    flips = _flips(tables, own, other, bit)
    own |= flips | (ONE << np.uint64(bit))
    other &= ~flips
    state[turn], state[1 - turn] = own, other
    if _options(other, own, board) == ZERO and _options(own, other, board) == ZERO:
        state[TURN] = OVER


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    lead = popcount(state[FIRST]) - popcount(state[SECOND])
    pay_lead(lead, tables.words[BY_MARGIN] != ZERO, out)


@kernel(inline="always")
def _random_game(
    tables: Tables, state: State, rng: Random, out: Reals, made: State, marks: bool
) -> int:
    """Play at random with the whole position in registers; write it back at the end.

    Moves are marked where that is asked for, by a constant.
    """
    words = len(made) // 2
    seed = rng[0]
    board = tables.words[BOARD]
    turn = np.int64(state[TURN] & ONE)
    own, other = state[turn], state[1 - turn]
    plies = 0
    while True:
        options = _options(own, other, board)
        if options == ZERO:
            own, other = other, own
            turn ^= 1
            options = _options(own, other, board)
            if options == ZERO:
                break
            if marks:
                mark_made(made, (1 - turn) * words, tables.ints[SQUARES])
            plies += 1
        seed += GOLDEN
        bit = np.int64(random_bit(options, mix(seed)))
        if marks:
            mark_made(made, turn * words, tables.ints[MOVE_OF + bit])
        flips = _flips(tables, own, other, bit)
        own, other = other & ~flips, own | flips | (ONE << np.uint64(bit))
        turn ^= 1
        plies += 1
    rng[0] = seed
    state[turn], state[1 - turn], state[TURN] = own, other, OVER
    payoffs(tables, state, out)
    return plies


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
    out[TURN] = state[TURN]
    for player in (FIRST, SECOND):
        out[player] = mapped_bits(state[player], tables.ints, BIT_IMAGES + SIDE * SIDE * index)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[IMAGES + index * (tables.ints[SQUARES] + 1) + move]


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Hash the words; on the smallest board scramble them side by side."""
    if tables.ints[SQUARES] <= PACKED_SQUARES:
        return mix(state[FIRST] | (state[SECOND] << _SECOND_AT) | (state[TURN] << _TURN_AT))
    return hash_words(state, 3)


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Put moves first that leave the other player few answers; those in corners count twice."""
    turn = to_int(state[TURN])
    own, other, board = state[turn], state[1 - turn], tables.words[BOARD]
    inside = (board << _S1) & NOT_A & (board >> _S1) & NOT_H
    corners = board & ~inside & ~((board << _S8) & (board >> _S8))
    for i in range(count):
        move = to_int(moves[i])
        if move == tables.ints[SQUARES]:
            continue
        bit = to_int(tables.ints[BIT_OF + move])
        flips, disc = _flips(tables, own, other, bit), ONE << np.uint64(bit)
        answers = _options(other & ~flips, own | flips | disc, board)
        scores[i] = -8 * (popcount(answers) + popcount(answers & corners))
        if disc & corners != ZERO:
            scores[i] += 4
    return 0


RULES = Rules(
    start, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move, marked_playout=marked_playout,
    hint=hint,
)  # fmt: skip


class Othello(Game):
    """Othello: flank discs of the other colour to flip them; more discs at the end win.

    With `score` the payoff is how many discs more.
    """

    name = "othello"

    def __init__(self, board_size: int = 8, score: bool = False) -> None:
        squares = board_size * board_size
        most = float(squares) if score else 1.0
        bits = [SIDE * (cell // board_size) + cell % board_size for cell in range(squares)]
        codes = [bits.index(bit) if bit in bits else 0 for bit in range(SIDE * SIDE)]
        low = board_size // 2 - 1
        centre = [1 << SIDE * row + column for row in (low, low + 1) for column in (low, low + 1)]
        images = square_images(board_size)
        bit_images = [bits[image[code]] for image in images for code in codes]
        move_images = [move for image in images for move in (*image, squares)]  # a pass stays one
        rays = [ray(bit, *step) for bit in range(SIDE * SIDE) for step in _STEPS]
        super().__init__(
            RULES,
            tables(
                ints=[squares, *codes, *bits, *[0] * (SIDE * SIDE - squares),
                      *bit_images, *move_images],
                words=[sum(1 << bit for bit in bits), centre[1] | centre[2],
                       centre[0] | centre[3], int(score), *rays],
            ),
            parameters={"board_size": board_size, "score": score},
            payoff_range=(-most, most),
            state_words=3,
            max_moves=MOST_MOVES[board_size],
            move_codes=squares + 1,
            # A disc on every square but the four in the middle, which are never empty, and a pass
            # between any two of them.
            max_plies=2 * (squares - 4) - 1,
            symmetries=SQUARE_SYMMETRIES,
            exact_key=squares <= PACKED_SQUARES,
        )  # fmt: skip
        self.board_size = board_size
        # Bits are those of the squares in the order of moves: eight to a row, row 1 first.
        self.planes = Planes(
            board_size, board_size, lambda row, column: bits[board_size * row + column], second=1
        )
        corner = self.move_name(None, squares - 1)
        self.notation = f"a square, a1 to {corner}, or pass"

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: discs of the first player, of the second, who moves."""
        packed, squares = unmix(key), (1 << int(_SECOND_AT)) - 1
        return [packed & squares, packed >> int(_SECOND_AT) & squares, packed >> int(_TURN_AT)]

    def move_name(self, state: State | None, move: int) -> str:
        """Name a square by column letter and row number, row 1 on top."""
        row, column = divmod(move, self.board_size)
        return "pass" if row == self.board_size else f"{'abcdefgh'[column]}{row + 1}"

    def tally(self, state: State) -> str:
        """Count the discs."""
        discs = zip(self.symbols, map(int, state[:2]), strict=True)
        return f"discs: {', '.join(f'{who} {stones.bit_count()}' for who, stones in discs)}"

    def board(self, state: State) -> str:
        """Draw the board with row 1 on top."""
        lines = ["  " + " ".join("abcdefgh"[: self.board_size])]
        for row in range(self.board_size):
            bits = range(SIDE * row, SIDE * row + self.board_size)
            lines.append(f"{row + 1} {' '.join(pieces_on(bits, state[:2], self.symbols))}")
        return "\n".join(lines)
