"""Quarto: sixteen pieces with four properties each; your opponent chooses the piece you place.

Cells are numbered by rows from the top left, and a set of cells is 16 bits.  A piece is a
number from 0 to 15, one bit for each property.  Four planes, one for each property, hold the
cells whose piece has it:

     0  1  2  3       bits 16 p + c of the first word: the piece on cell c has property p
     4  5  6  7
     8  9 10 11       A row of four that share a property is a row in its plane;
    12 13 14 15       one of four that all lack it, a row in the plane turned inside out.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, key_of_words, lowest_bit, mix, popcount, to_int
from trellis.game.common_rules import list_bits, pay_winner, rule
from trellis.game.game import Game, Symmetry
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

SIZE = 4
CELLS = 16
PLACE = 16  # move codes: 0 to 15 give a piece, 16 to 31 place it on a cell

# state[1]: cells taken (bits 0 to 15), pieces that nobody has been given yet (16 to 31), the
# piece in hand (32 to 35), whether there is one (36), whether a row stands (37)
POOL = np.uint64(16)
HAND = np.uint64(32)
HOLDING = np.uint64(1 << 36)
ROW = np.uint64(1 << 37)

_PLANE = np.uint64(0xFFFF)
_PLANES = np.uint64(0x0001_0001_0001_0001)  # times a plane: four copies of it
_COUNTING = np.uint64(0xFEDC_BA98_7654_3210)  # 0 to 15, four bits each
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_NIBBLE = np.uint64(15)


@kernel(inline="always")
def _spread(piece: np.uint64) -> np.uint64:
    """Give every property of a piece the lowest bit of its plane."""
    return (
        (piece & ONE)
        | (piece & np.uint64(2)) << np.uint64(15)
        | (piece & np.uint64(4)) << np.uint64(30)
        | (piece & np.uint64(8)) << np.uint64(45)
    )


@kernel(inline="always")
def _has_row(planes: np.uint64, taken: np.uint64, spread: np.uint64) -> bool:
    """Tell whether four pieces in a row share a property with the piece placed last.

    A plane is turned inside out where that piece lacks the property; then all four planes are
    searched for rows, columns and both diagonals at once.
    """
    alike = (planes ^ ~(spread * _PLANE)) & (taken * _PLANES)
    pairs = alike & (alike >> ONE)
    rows = pairs & (pairs >> np.uint64(2)) & np.uint64(0x1111_1111_1111_1111)
    pairs = alike & (alike >> np.uint64(4))
    columns = pairs & (pairs >> np.uint64(8)) & np.uint64(0x000F_000F_000F_000F)
    pairs = alike & (alike >> np.uint64(5))
    falling = pairs & (pairs >> np.uint64(10)) & np.uint64(0x0001_0001_0001_0001)
    pairs = alike & (alike >> np.uint64(3))
    rising = pairs & (pairs >> np.uint64(6)) & np.uint64(0x0008_0008_0008_0008)
    return rows | columns | falling | rising != ZERO


@rule
def start(tables: Tables, state: State) -> None:
    state[0] = ZERO
    state[1] = _PLANE << POOL


@rule
def acting(tables: Tables, state: State) -> int:
    """Tell who acts: whoever placed a piece gives the next one, the other places that."""
    taken = state[1] & _PLANE
    if state[1] & ROW != ZERO or taken == _PLANE:
        return NOBODY
    placed = popcount(taken)
    return 1 - (placed & 1) if state[1] & HOLDING != ZERO else placed & 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    if state[1] & HOLDING != ZERO:
        return list_bits(~state[1] & _PLANE, PLACE, out, 0)
    return list_bits((state[1] >> POOL) & _PLANE, 0, out, 0)


@rule
def play(tables: Tables, state: State, move: int) -> None:
    if move < PLACE:
        piece = np.uint64(move)
        state[1] = (state[1] ^ (ONE << (POOL + piece))) | (piece << HAND) | HOLDING
    else:
        cell = np.uint64(move - PLACE)
        spread = _spread((state[1] >> HAND) & _NIBBLE)
        state[0] |= spread << cell
        state[1] = (state[1] & _LOW) | (ONE << cell)
        if _has_row(state[0], state[1] & _PLANE, spread):
            state[1] |= ROW


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    """Pay the player who placed last: the second player placed the first, third, ... piece."""
    last = popcount(state[1] & _PLANE) & 1
    pay_winner(last if state[1] & ROW != ZERO else NOBODY, out)


@kernel()
def _listed(choice: np.uint64) -> np.uint64:
    """List the members of a set of 16 in a word, four bits each."""
    if choice == _PLANE:
        return _COUNTING
    members = ZERO
    shift = ZERO
    while choice != ZERO:
        members |= np.uint64(lowest_bit(choice)) << shift
        choice &= choice - ONE
        shift += np.uint64(4)
    return members


@kernel(inline="always")
def _drawn(draw: np.uint64, count: np.uint64) -> np.uint64:
    """Turn 32 random bits into the place of one of `count` members of a list."""
    return ((draw * count) >> _HALF) << np.uint64(2)


@kernel(inline="always")
def _without(members: np.uint64, place: np.uint64, count: np.uint64) -> np.uint64:
    """Put the last of `count` members where the one at `place` was."""
    last = members >> ((count - ONE) << np.uint64(2))
    return members ^ ((((members >> place) ^ last) & _NIBBLE) << place)


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Draw piece and cell together; the lists of both are words, so all stays in registers."""
    if state[1] & ROW != ZERO or state[1] & _PLANE == _PLANE:
        payoffs(tables, state, out)
        return 0
    seed = rng[0]
    planes, taken = state[0], state[1] & _PLANE
    pool = (state[1] >> POOL) & _PLANE
    pieces, cells = _listed(pool), _listed(taken ^ _PLANE)
    left = np.uint64(CELLS - popcount(taken))
    holding = state[1] & HOLDING != ZERO
    plies = 2 * to_int(left) - to_int(holding)
    row = False
    if holding:
        # One piece is out of the pool already: place it, then pool and free cells are as many.
        seed += GOLDEN
        place = _drawn(mix(seed) & _LOW, left)
        spread = _spread((state[1] >> HAND) & _NIBBLE)
        cell = (cells >> place) & _NIBBLE
        cells = _without(cells, place, left)
        planes |= spread << cell
        taken |= ONE << cell
        row = _has_row(planes, taken, spread)
        left -= ONE
    while not row and left != ZERO:
        seed += GOLDEN
        draw = mix(seed)
        place = _drawn(draw >> _HALF, left)
        piece = (pieces >> place) & _NIBBLE
        pieces = _without(pieces, place, left)
        place = _drawn(draw & _LOW, left)
        cell = (cells >> place) & _NIBBLE
        cells = _without(cells, place, left)
        spread = _spread(piece)
        pool ^= ONE << piece
        planes |= spread << cell
        taken |= ONE << cell
        row = _has_row(planes, taken, spread)
        left -= ONE
    rng[0] = seed
    state[0] = planes
    state[1] = taken | (pool << POOL) | (ROW if row else ZERO)
    payoffs(tables, state, out)
    return plies - 2 * to_int(left)


# -- symmetries ----------------------------------------------------------------------------------
#
# Besides turning and mirroring the square, the ten lines stay lines when rows and columns are
# both rearranged in one of the ways that keep {first, last} and {second, third} together: 32 ways
# in all.  Each bit of a symmetry's number stands for one of five exchanges, done in this order.

_EXCHANGES = ("transposed", "upside down", "outer lines", "inner lines", "halves")


@kernel(inline="always")
def _swap(planes: np.uint64, mask: int, shift: int) -> np.uint64:
    """Exchange the cells of `mask`, in every plane, with those `shift` places higher."""
    step = np.uint64(shift)
    change = (planes ^ (planes >> step)) & (np.uint64(mask) * _PLANES)
    return planes ^ change ^ (change << step)


@kernel()
def _moved(planes: np.uint64, index: int) -> np.uint64:
    if index & 1:
        planes = _swap(_swap(planes, 0x0A0A, 3), 0x00CC, 6)
    if index & 2:
        planes = _swap(_swap(planes, 0x000F, 12), 0x00F0, 4)
    if index & 4:  # first with last row, first with last column
        planes = _swap(_swap(planes, 0x000F, 12), 0x1111, 3)
    if index & 8:  # second with third row, second with third column
        planes = _swap(_swap(planes, 0x00F0, 4), 0x2222, 1)
    if index & 16:  # first with second and third with last, rows and columns
        planes = _swap(_swap(planes, 0x0F0F, 4), 0x5555, 1)
    return planes


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    out[0] = _moved(state[0], index)
    out[1] = (state[1] & ~_PLANE) | (_moved(state[1] & _PLANE, index) & _PLANE)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    if move < PLACE:
        return move
    return PLACE + lowest_bit(_moved(ONE << np.uint64(move - PLACE), index) & _PLANE)


RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


class Quarto(Game):
    """Quarto: give a piece, place a piece; four in a row that share a property win.

    A piece is written as its four properties: 0110.
    """

    name = "quarto"
    notation = "a piece such as 0110 to give, a cell, a1 to d4, to place it on"
    symbols = ()
    pieces = ()  # they belong to nobody

    def __init__(self) -> None:
        super().__init__(
            RULES,
            tables(),
            state_words=2,
            max_moves=16,  # all pieces, or all cells
            move_codes=32,
            max_plies=32,  # every piece is given once and placed once
            symmetries=[Symmetry(_symmetry_name(index), (0, 1)) for index in range(32)],
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a piece by its four properties, a cell by column and row, row 1 at the bottom."""
        if move < PLACE:
            return f"{move:04b}"
        row, column = divmod(move - PLACE, SIZE)
        return f"{'abcd'[column]}{SIZE - row}"

    def board(self, state: State) -> str:
        """Draw the pieces by their properties, then what is in hand and what is left."""
        planes, rest = int(state[0]), int(state[1])
        lines = []
        for row in range(SIZE):
            cells = []
            for cell in range(SIZE * row, SIZE * row + SIZE):
                piece = sum((planes >> 16 * p + cell & 1) << p for p in range(4))
                cells.append(f"{piece:04b}" if rest >> cell & 1 else "....")
            lines.append(f"{SIZE - row} {' '.join(cells)}")
        lines.append("   a    b    c    d")
        hand = f"{rest >> 32 & 15:04b}" if rest & int(HOLDING) else "none"
        left = [f"{piece:04b}" for piece in range(16) if rest >> 16 + piece & 1]
        return "\n".join([*lines, f"in hand: {hand}", f"left: {' '.join(left) or 'none'}"])


def _symmetry_name(index: int) -> str:
    parts = [name for bit, name in enumerate(_EXCHANGES) if index >> bit & 1]
    return ", ".join(parts) or "identity"
