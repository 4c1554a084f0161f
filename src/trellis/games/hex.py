"""Hex on a rhombus of up to 19 by 19 hexagons.

Cells are numbered by rows from the top left:

    0 1 2          x, who moves first, connects top and bottom,
     3 4 5         o connects left and right;
      6 7 8        4 touches 1, 2, 3, 5, 6 and 7.

Who has connected is found without following any chain.  Put three neighbours that touch each
other, a cell, its right and its lower neighbour, to a vote, for all cells at once, with stones
of x beyond the bottom and stones of o beyond the right side: that gives a board on which the
same side is connected (the "micro-reduction" that Schensted and Titus found for the game of Y,
of which Hex is a part).  After 2n - 2 votes the cell in the corner alone tells the winner.
A whole board votes in a few instructions a word, and nothing about chains has to be kept.
"""

from string import ascii_lowercase

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, copy_words, mix, popcount, to_int
from trellis.game.common_rules import rule
from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Symmetry
from trellis.game.planes import Planes
from trellis.game.rules import (
    HINT,
    NEEDLESS,
    Counts,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
)
from trellis.games import hex_links
from trellis.games.squares import reversed_bits
from trellis.games.stones import CELLS, WON, WORDS, StoneGame, acting, key, moves, payoffs, place

_COUNT = np.uint64((1 << 16) - 1)  # of stones, in the status
# tables.ints, behind CELLS and WORDS
SIDE, OPENING, DRAW_BITS = 2, 3, 4
# tables.words: three sets of cells, one after the other
BOARD, INNER, BOTTOM = 0, 1, 2  # INNER: all but the right-most column; BOTTOM: the lowest row

_S6 = np.uint64(6)
_S63 = np.uint64(63)
_WORD = np.uint64(64)
_CELLS_11 = 121
_HIGH_11 = np.uint64((1 << _CELLS_11 - 64) - 1)
_INNER_11 = sum(1 << cell for cell in range(_CELLS_11) if cell % 11 != 10)
_INNER_11_LOW = np.uint64(_INNER_11 & (1 << 64) - 1)
_INNER_11_HIGH = np.uint64(_INNER_11 >> 64)
_BOTTOM_11_HIGH = np.uint64(((1 << 11) - 1) << 110 - 64)


@kernel()
def _majority(a: np.uint64, b: np.uint64, c: np.uint64) -> np.uint64:
    return (a & b) | (c & (a | b))


@kernel(inline="always")
def _vote_1(stones: np.uint64, side: int, inner: np.uint64, bottom: np.uint64) -> bool:
    """Tell whether these stones connect top and bottom, on a board that fits into one word."""
    for _ in range(2 * side - 2):
        right = (stones >> ONE) & inner
        below = (stones >> np.uint64(side)) | bottom
        stones = _majority(stones, right, below)
    return stones & ONE != ZERO


@kernel(inline="always")
def _vote_2(
    low: np.uint64, high: np.uint64, side: int,
    inner_low: np.uint64, inner_high: np.uint64, bottom_low: np.uint64, bottom_high: np.uint64,
) -> bool:  # fmt: skip
    """Do the same on a board that fits into two words."""
    across = np.uint64(64 - side)
    for _ in range(2 * side - 2):
        right_low = ((low >> ONE) | (high << _S63)) & inner_low
        right_high = (high >> ONE) & inner_high
        below_low = (low >> np.uint64(side)) | (high << across) | bottom_low
        below_high = (high >> np.uint64(side)) | bottom_high
        low = _majority(low, right_low, below_low)
        high = _majority(high, right_high, below_high)
    return low & ONE != ZERO


@kernel()
def _vote(tables: Tables, stones: State) -> bool:
    """Do the same on any board, in place: word by word upwards, so the next one is still old."""
    side, words = tables.ints[SIDE], tables.ints[WORDS]
    step = np.uint64(side)
    across = np.uint64(64 - side)
    for vote in range(2 * side - 2):
        # Cells in rows below this one can no longer reach the corner.
        last_row = min(side - 1, 2 * side - 2 - vote)
        live = ((last_row + 1) * side + 63) >> 6
        here = stones[0]
        for word in range(live):
            after = stones[word + 1] if word + 1 < words else ZERO
            right = ((here >> ONE) | (after << _S63)) & tables.words[INNER * words + word]
            below = (here >> step) | (after << across) | tables.words[BOTTOM * words + word]
            stones[word] = _majority(here, right, below)
            here = after
    return stones[0] & ONE != ZERO


@kernel(makes_arrays=True)
def _connected(tables: Tables, state: State, player: int) -> bool:
    """Tell whether a player's chain joins both sides: free cells count for the opponent."""
    words = tables.ints[WORDS]
    if words == 1:
        stones = state[0] if player == 0 else tables.words[BOARD] & ~state[1]
        side, inner, bottom = tables.ints[SIDE], tables.words[INNER], tables.words[BOTTOM]
        return _vote_1(stones, side, inner, bottom) == (player == 0)
    copy = np.empty(words, np.uint64)
    for word in range(words):
        if player == 0:
            copy[word] = state[word]
        else:
            copy[word] = tables.words[BOARD * words + word] & ~state[words + word]
    if words == 2:
        inner, bottom = 2 * INNER, 2 * BOTTOM
        x_joined = _vote_2(
            copy[0], copy[1], tables.ints[SIDE],
            tables.words[inner], tables.words[inner + 1],
            tables.words[bottom], tables.words[bottom + 1],
        )  # fmt: skip
        return x_joined == (player == 0)
    return _vote(tables, copy) == (player == 0)


@rule
def play(tables: Tables, state: State, move: int) -> None:
    status = 2 * tables.ints[WORDS]
    player = place(tables, state, move)
    # Nobody connects a board of n rows with fewer than n stones.
    if (state[status] + ONE) >> ONE >= np.uint64(tables.ints[SIDE]):
        if _connected(tables, state, player):
            state[status] += WON * np.uint64(player + 1)


@rule
def start(tables: Tables, state: State) -> None:
    state[:] = ZERO
    if tables.ints[OPENING] >= 0:
        play(tables, state, tables.ints[OPENING])


# How a playout fills the board.  The cells still free go to both sides in turn, so all that a
# random order decides is *which half* of them x gets, and every half is equally likely.  Toss a
# coin for each free cell, all at once; one side has then more than its share; take random cells
# from it until the shares are right.  By symmetry every half is still equally likely, and only
# some sqrt(cells) / 2 cells have to be drawn one by one.
#
# The game is over before the board is full, but stones placed after that cannot undo a chain,
# and a full board has exactly one winner: the result is the one that stopping would have given.


@kernel(inline="always")
def _refilled(
    seed: np.uint64, draw: np.uint64, left: np.int64, bits: np.uint64
) -> tuple[np.uint64, np.uint64, np.int64]:
    """Return random bits and how many draws they are good for: new ones where none is left.

    Whoever has used a draw shifts it away afterwards: nobody waits for that.
    """
    if left == 0:
        seed += GOLDEN
        return seed, mix(seed), np.int64(_WORD // bits)
    return seed, draw, left


@kernel(inline="always")
def _fill_1(
    state: State, rng: Random, side: int, board: np.uint64,
    inner: np.uint64, bottom: np.uint64, draw_bits: np.uint64,
) -> int:  # fmt: skip
    seed = rng[0]
    free = board & ~(state[0] | state[1])
    count = popcount(free)
    share = (count + 1 - np.int64(state[2] & ONE)) >> 1  # how many of them x gets
    seed += GOLDEN
    rich = mix(seed) & free
    surplus = popcount(rich) - share
    x_is_rich = surplus >= 0
    if not x_is_rich:
        rich ^= free
        surplus = -surplus
    mask = (ONE << draw_bits) - ONE
    draw, left = ZERO, np.int64(0)
    while surplus > 0:
        seed, draw, left = _refilled(seed, draw, left, draw_bits)
        taken = (ONE << (draw & mask)) & rich
        rich ^= taken
        surplus -= np.int64(taken != ZERO)
        draw >>= draw_bits
        left -= 1
    rng[0] = seed
    state[0] |= rich if x_is_rich else free ^ rich
    state[1] = board ^ state[0]
    x_wins = _vote_1(state[0], side, inner, bottom)
    state[2] += np.uint64(count) + (WON if x_wins else WON + WON)
    return count


@kernel(inline="always")
def _fill_2(
    state: State, rng: Random, side: int, board_low: np.uint64, board_high: np.uint64,
    inner_low: np.uint64, inner_high: np.uint64, bottom_low: np.uint64, bottom_high: np.uint64,
) -> int:  # fmt: skip
    seed = rng[0]
    free_low = board_low & ~(state[0] | state[2])
    free_high = board_high & ~(state[1] | state[3])
    count = popcount(free_low) + popcount(free_high)
    share = (count + 1 - np.int64(state[4] & ONE)) >> 1
    seed += GOLDEN
    low = mix(seed) & free_low
    seed += GOLDEN
    high = mix(seed) & free_high
    surplus = popcount(low) + popcount(high) - share
    x_is_rich = surplus >= 0
    if not x_is_rich:
        low ^= free_low
        high ^= free_high
        surplus = -surplus
    draw, left = ZERO, np.int64(0)
    while surplus > 0:
        seed, draw, left = _refilled(seed, draw, left, np.uint64(7))
        # Seven bits name one of 128 cells: six the place in a word, the last one which word.
        bit = ONE << (draw & _S63)
        second = ZERO - ((draw >> _S6) & ONE)  # all ones for the high word
        taken_low = bit & low & ~second
        taken_high = bit & high & second
        low ^= taken_low
        high ^= taken_high
        surplus -= np.int64((taken_low | taken_high) != ZERO)
        draw >>= np.uint64(7)
        left -= 1
    rng[0] = seed
    state[0] |= low if x_is_rich else free_low ^ low
    state[1] |= high if x_is_rich else free_high ^ high
    state[2] = board_low ^ state[0]
    state[3] = board_high ^ state[1]
    x_wins = _vote_2(
        state[0], state[1], side, inner_low, inner_high, bottom_low, bottom_high
    )  # fmt: skip
    state[4] += np.uint64(count) + (WON if x_wins else WON + WON)
    return count


@kernel(makes_arrays=True)
def _fill(tables: Tables, state: State, rng: Random) -> int:
    """Fill any board; `half` holds what the richer side gets, then what votes."""
    words, cells = tables.ints[WORDS], np.uint64(tables.ints[CELLS])
    draw_bits = np.uint64(tables.ints[DRAW_BITS])
    status = 2 * words
    half = np.empty(words, np.uint64)
    seed = rng[0]
    count = tables.ints[CELLS] - np.int64(state[status] & _COUNT)
    surplus = -((count + 1 - np.int64(state[status] & ONE)) >> 1)
    for word in range(words):
        seed += GOLDEN
        free = tables.words[word] & ~(state[word] | state[words + word])
        half[word] = mix(seed) & free
        surplus += popcount(half[word])
    x_is_rich = surplus >= 0
    if not x_is_rich:
        surplus = -surplus
        for word in range(words):
            half[word] ^= tables.words[word] & ~(state[word] | state[words + word])
    mask = (ONE << draw_bits) - ONE
    draw, left = ZERO, np.int64(0)
    while surplus > 0:
        seed, draw, left = _refilled(seed, draw, left, draw_bits)
        cell = draw & mask
        if cell < cells:
            taken = (ONE << (cell & _S63)) & half[cell >> _S6]
            half[cell >> _S6] ^= taken
            surplus -= np.int64(taken != ZERO)
        draw >>= draw_bits
        left -= 1
    rng[0] = seed
    for word in range(words):
        board = tables.words[word]
        if x_is_rich:
            state[word] |= half[word]
        else:
            state[word] = board & ~(state[words + word] | half[word])
        state[words + word] = board ^ state[word]
        half[word] = state[word]
    x_wins = _vote(tables, half)
    state[status] += np.uint64(count) + (WON if x_wins else WON + WON)
    return count


@kernel(inline="always")
def _pay_full(tables: Tables, state: State, out: Reals) -> None:
    """Pay for a full board, on which somebody has won: `payoffs` with one question less."""
    value = 1.0 if state[2 * tables.ints[WORDS]] < WON + WON else -1.0
    out[0], out[1] = value, -value


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Fill the board and look once who is connected; the moves returned are all that filled it."""
    side, words = tables.ints[SIDE], tables.ints[WORDS]
    if state[2 * words] >= WON:
        plies = 0
    elif words == 1:
        plies = _fill_1(
            state, rng, side, tables.words[BOARD], tables.words[INNER], tables.words[BOTTOM],
            np.uint64(tables.ints[DRAW_BITS]),
        )  # fmt: skip
    elif side == 11:
        # The board everybody plays: constants let the compiler unroll all votes.
        plies = _fill_2(
            state, rng, 11, ~ZERO, _HIGH_11, _INNER_11_LOW, _INNER_11_HIGH, ZERO, _BOTTOM_11_HIGH
        )
    elif words == 2:
        plies = _fill_2(
            state, rng, side, tables.words[0], tables.words[1], tables.words[2],
            tables.words[3], tables.words[4], tables.words[5],
        )  # fmt: skip
    else:
        plies = _fill(tables, state, rng)
    _pay_full(tables, state, out)
    return plies


@rule
def marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    """Fill the board as `playout` does: who owns a cell at the end has taken it."""
    words = tables.ints[WORDS]
    for word in range(2 * words):
        made[word] = state[word]
    plies = playout(tables, state, rng, buffer, out)
    for word in range(2 * words):
        made[word] ^= state[word]
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Turn the board by 180 degrees: the whole string of bits is reversed.

    Exchanging colours and mirroring at the long diagonal is a symmetry of the rules too, but it
    is not offered: it leads from a position where one side moves to one where the other does
    with as many stones, which the same game never reaches, so it would never join two positions.
    """
    words = tables.ints[WORDS]
    copy_words(state, out)
    if index == 1:
        gap = np.uint64(64 * words - tables.ints[CELLS])
        for player in range(2):
            first = player * words
            for word in range(words):
                image = reversed_bits(state[first + words - 1 - word]) >> gap
                if gap > ZERO and word + 1 < words:
                    image |= reversed_bits(state[first + words - 2 - word]) << (_WORD - gap)
                out[first + word] = image


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[CELLS] - 1 - move if index == 1 else move


@kernel(HINT, makes_arrays=True, later=True)  # only solvers ask for it
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell who has linked the own sides, and leave out moves that do not meet a half link."""
    turn = to_int(state[2] & ONE)
    board = hex_links.make_board(
        to_int(tables.ints[SIDE]), tables.words[BOARD], tables.words[INNER]
    )
    x, o = hex_links.fill_in(board, state[0], state[1])
    own, other = (x, o) if turn == 0 else (o, x)
    links, theirs = hex_links.make_links(board), hex_links.make_links(board)
    half, linked = hex_links.HALF, hex_links.LINKED
    if hex_links.find_links(board, links, turn, own, other, half) >= half:
        return 1
    region = board.cells & ~(x | o)
    if hex_links.find_links(board, theirs, 1 - turn, other, own, linked) == linked:
        region = ZERO
    else:
        region &= hex_links.must_play(board, theirs)
    for i in range(count):
        cell = to_int(moves[i])
        if (region >> np.uint64(cell)) & ONE == ZERO:
            scores[i] = NEEDLESS
        else:
            scores[i] = hex_links.nearness(links, cell) + hex_links.nearness(theirs, cell)
    return 0


RULES = Rules(
    start, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move, marked_playout=marked_playout,
)  # fmt: skip
_HINTED = RULES._replace(hint=hint)


class Hex(StoneGame):
    """Hex: the first player joins top and bottom, the second left and right; nobody swaps."""

    name = "hex"

    def __init__(self, board_size: int = 11, opening: str = "none") -> None:
        self.board_size = board_size
        cells = board_size**2
        names = [self.move_name(None, cell) for cell in range(cells)]
        if opening.casefold() not in ("none", *names):
            raise BadParameter(
                f"bad value {shorten(opening)} for hex:opening: expected none or a cell, "
                f"a1 to {names[-1]}"
            )
        first = -1 if opening.casefold() == "none" else names.index(opening.casefold())
        right = sum(1 << board_size * row + board_size - 1 for row in range(board_size))
        super().__init__(
            _HINTED if board_size <= hex_links.LARGEST else RULES,
            board_size,
            board_size,
            [board_size, first, (cells - 1).bit_length()],
            (1 << cells) - 1 & ~right,
            (1 << board_size) - 1 << cells - board_size,
            parameters={"board_size": board_size, "opening": opening.casefold()},
            max_plies=cells if first < 0 else cells - 1,
            symmetries=(Symmetry("identity", (0, 1)), Symmetry("half turn", (0, 1))),
        )
        self.planes = Planes(
            board_size, board_size, lambda row, column: board_size * row + column,
            second=(cells + 63) // 64,
        )  # fmt: skip
        self.notation = f"a cell, a1 to {names[-1]}"

    def move_name(self, state: State | None, move: int) -> str:
        """Name a cell by column letter and row number, a1 in the top left corner, as in Hex."""
        return f"{ascii_lowercase[move % self.board_size]}{move // self.board_size + 1}"

    def board(self, state: State) -> str:
        """Draw the rhombus, each row shifted by half a cell, row 1 on top."""
        n, cells = self.board_size, self.stones(state)
        rows = [
            f"{' ' * row}{row + 1:2} {' '.join(cells[n * row : n * row + n])}" for row in range(n)
        ]
        sides = f"{self.symbols[0]}: top to bottom, {self.symbols[1]}: left to right"
        return "\n".join(["   " + " ".join(ascii_lowercase[:n]), *rows, sides])
