"""Capture the King: chess without check; whoever takes the enemy king wins.

The bit of a square is 8 * row + column, a1 first.  The state is four sets of squares and a clock:
three of the sets spell out the kind of piece on a square, the fourth the white pieces.

    piece     steers  slides  other      8  r n b q k b n r
    bishop       1       0      0        7  p p p p p p p p    STEERS: along diagonals
    rook         0       1      0           ...                SLIDES: along rows and columns
    queen        1       1      0        2  P P P P P P P P
    pawn         0       0      1        1  R N B Q K B N R
    knight       1       0      1           a b c d e f g h
    king         0       1      1

The rules are those of the game `capture_the_king` of the Dresden server for general game players:

- Pieces move and capture as in chess, pawns with a double step from where they started; there is
  no castling and no en passant, and a king may step into check or stay there.
- A white pawn that reaches the far side becomes a queen.  By a slip of that game's rules a black
  pawn that reaches it vanishes.  `promotion=white` is that game; with `promotion=both` black
  pawns become queens too.
- Taking the king wins.  After 69 moves without that the game is a draw.
- The original does not say what a player does who has no move at all; here the player passes.

A move is numbered 64 * from + to.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, key_of_words, lowest_bit, mix, popcount, to_int
from trellis.game.common_rules import list_bits, pay_winner, pick, rule
from trellis.game.game import Game, Symmetry
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables
from trellis.games.squares import (
    FILE_A,
    FourSets,
    draw,
    mirrored,
    nth_square,
    pawns_down,
    pawns_up,
    ray,
    square_name,
)

# state
STEERS, SLIDES, OTHER, WHITE, CLOCK = 0, 1, 2, 3, 4
# tables.ints
BLACK_PROMOTES = 0
# tables.words: per square the diagonals and the row through it, and the jumps from it; then
# attacks along a line by column and what stands on it, and up a column likewise
DIAGONAL, ANTIDIAGONAL, ROW, KNIGHT, KING, ALONG, UP = 0, 64, 128, 192, 256, 320, 832

PASS = 64 * 64
LAST = np.uint64(69)  # moves before a draw

_HALF = np.uint64(32)
_S3, _S7, _S8, _S9, _S58 = (np.uint64(shift) for shift in (3, 7, 8, 9, 58))
_LOW_3 = np.uint64(7)
_LOW_32 = np.uint64(0xFFFF_FFFF)
_ROW_6 = np.uint64(0xFF << 40)
_ENDS = np.uint64(0xFF << 56 | 0xFF)
# Multiplying by these gathers six inner squares of a line, or of column a, in the top six bits.
_GATHER_LINE = np.uint64(0x0202_0202_0202_0202)
_GATHER_COLUMN = np.uint64(0x0080_4020_1008_0400)
# The playout keeps one entry a piece in the move buffer: five columns of up to 32 entries
# (4 for pawns, 1 king, 2 knights, and 2 bishops, 2 rooks and 9 queens that count twice).
_ENTRIES = 32


@kernel()
def _steered(tables: Tables, occupied: np.uint64, cell: np.uint64) -> np.uint64:
    """Return the squares a bishop reaches, the first piece in its way included."""
    column = ALONG + 64 * np.int64(cell & _LOW_3)
    up = tables.words[DIAGONAL + np.int64(cell)]
    down = tables.words[ANTIDIAGONAL + np.int64(cell)]
    on_up = ((occupied & up) * _GATHER_LINE) >> _S58
    on_down = ((occupied & down) * _GATHER_LINE) >> _S58
    return (tables.words[column + np.int64(on_up)] & up) | (
        tables.words[column + np.int64(on_down)] & down
    )


@kernel()
def _slid(tables: Tables, occupied: np.uint64, cell: np.uint64) -> np.uint64:
    """Return the squares a rook reaches, the first piece in its way included."""
    column = cell & _LOW_3
    row = tables.words[ROW + np.int64(cell)]
    on_row = ((occupied & row) * _GATHER_LINE) >> _S58
    on_column = (((occupied >> column) & FILE_A) * _GATHER_COLUMN) >> _S58
    sideways = tables.words[ALONG + 64 * np.int64(column) + np.int64(on_row)] & row
    upright = tables.words[UP + 64 * np.int64(cell >> _S3) + np.int64(on_column)]
    return sideways | (upright << column)


@kernel(inline="always")
def _pawn_moves(pawns: np.uint64, other: np.uint64, empty: np.uint64, white: bool) -> FourSets:
    """Return where captures to the left, steps, captures to the right and double steps lead."""
    if white:
        return pawns_up(pawns, other, empty)
    return pawns_down(pawns, other, empty, _ROW_6)


@kernel()
def _winner(state: State) -> int:
    kings = state[OTHER] & state[SLIDES]
    if kings & state[WHITE] == ZERO:
        return 1
    return 0 if kings & ~state[WHITE] == ZERO else NOBODY


@rule
def start(tables: Tables, state: State) -> None:
    state[STEERS] = np.uint64(0x7E | 0x7E << 56) & ~np.uint64(0x10 | 0x10 << 56)
    state[SLIDES] = np.uint64(0x99 | 0x99 << 56)
    state[OTHER] = np.uint64(0x52 | 0xFF << 8 | 0xFF << 48 | 0x52 << 56)
    state[WHITE] = np.uint64(0xFFFF)
    state[CLOCK] = ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    if state[CLOCK] == LAST or _winner(state) != NOBODY:
        return NOBODY
    return to_int(state[CLOCK] & ONE)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    steers, slides, other_kind = state[STEERS], state[SLIDES], state[OTHER]
    occupied = steers | slides | other_kind
    white = state[CLOCK] & ONE == ZERO
    own = state[WHITE] if white else occupied & ~state[WHITE]
    other = occupied & ~own
    pawns = own & other_kind & ~steers & ~slides
    left, step, right, double = _pawn_moves(pawns, other, ~occupied, white)
    count = 0
    rest = own
    while rest:
        cell = lowest_bit(rest)
        piece = rest & (~rest + ONE)
        rest ^= piece
        targets = ZERO
        if piece & other_kind == ZERO:
            if piece & steers:
                targets |= _steered(tables, occupied, np.uint64(cell))
            if piece & slides:
                targets |= _slid(tables, occupied, np.uint64(cell))
        elif piece & steers:
            targets = tables.words[KNIGHT + cell]
        elif piece & slides:
            targets = tables.words[KING + cell]
        elif white:
            targets = (left & (piece << _S7)) | (right & (piece << _S9))
            targets |= (step & (piece << _S8)) | (double & (piece << np.uint64(16)))
        else:
            targets = (left & (piece >> _S9)) | (right & (piece >> _S7))
            targets |= (step & (piece >> _S8)) | (double & (piece >> np.uint64(16)))
        count = list_bits(targets & ~own, 64 * cell, out, count)
    if count == 0:
        out[0] = PASS
        count = 1
    return count


@kernel(inline="always")
def _after(
    steers: np.uint64, slides: np.uint64, other_kind: np.uint64, white: np.uint64,
    cell: np.uint64, target: np.uint64, whites_move: bool, black_promotes: bool,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:  # fmt: skip
    """Return the four sets after a piece on `cell` moved to `target`, a set of one square."""
    kind_0, kind_1 = (steers >> cell) & ONE, (slides >> cell) & ONE
    kind_2 = (other_kind >> cell) & ONE
    square = lowest_bit(target)
    gone = ~(target | (ONE << cell))
    steers, slides = steers & gone, slides & gone
    other_kind, white = other_kind & gone, white & gone
    if target & _ENDS and kind_2 & ~kind_0 & ~kind_1 & ONE:
        if not whites_move and not black_promotes:
            return steers, slides, other_kind, white
        kind_0, kind_1, kind_2 = ONE, ONE, ZERO
    steers |= kind_0 << np.uint64(square)
    slides |= kind_1 << np.uint64(square)
    other_kind |= kind_2 << np.uint64(square)
    if whites_move:
        white |= target
    return steers, slides, other_kind, white


@rule
def play(tables: Tables, state: State, move: int) -> None:
    if move != PASS:
        state[STEERS], state[SLIDES], state[OTHER], state[WHITE] = _after(
            state[STEERS], state[SLIDES], state[OTHER], state[WHITE],
            np.uint64(move // 64), ONE << np.uint64(move % 64),
            state[CLOCK] & ONE == ZERO, tables.ints[BLACK_PROMOTES] != 0,
        )  # fmt: skip
    state[CLOCK] += ONE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(_winner(state), out)


@kernel(inline="always")
def _enter(
    buffer: Moves, entry: int, total: int, targets: np.uint64, base: int, moving: int
) -> int:
    """Note a set of moves: how many so far, its squares, and where they come from.

    A move to square s comes from `base`, or from `base` + s where the set holds moves of many
    pawns.  Returns the new total.
    """
    total += popcount(targets)
    buffer[entry] = total
    buffer[_ENTRIES + entry] = base
    buffer[2 * _ENTRIES + entry] = moving
    buffer[3 * _ENTRIES + entry] = np.int32(targets & _LOW_32)
    buffer[4 * _ENTRIES + entry] = np.int32(targets >> _HALF)
    return total


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Play at random: count the moves of each piece, then draw one move among all of them.

    Sets of squares instead of lists of moves: only the move that is played is ever written out.
    """
    if _winner(state) != NOBODY:
        payoffs(tables, state, out)
        return 0
    seed = rng[0]
    steers, slides, other_kind = state[STEERS], state[SLIDES], state[OTHER]
    white, clock = state[WHITE], state[CLOCK]
    black_promotes = tables.ints[BLACK_PROMOTES] != 0
    began = clock
    over = False
    while clock != LAST and not over:
        occupied = steers | slides | other_kind
        whites_move = clock & ONE == ZERO
        own = white if whites_move else occupied ^ white
        other = occupied ^ own
        pawns = own & other_kind & ~(steers | slides)
        left, step, right, double = _pawn_moves(pawns, other, ~occupied, whites_move)
        ahead = 8 if whites_move else -8
        total = _enter(buffer, 0, 0, step, -ahead, 1)
        total = _enter(buffer, 1, total, double, -2 * ahead, 1)
        total = _enter(buffer, 2, total, left, 1 - ahead, 1)
        total = _enter(buffer, 3, total, right, -1 - ahead, 1)
        cell = lowest_bit(own & other_kind & slides)
        total = _enter(buffer, 4, total, tables.words[KING + cell] & ~own, cell, 0)
        entries = 5
        rest = own & other_kind & steers
        while rest:
            cell = lowest_bit(rest)
            rest &= rest - ONE
            total = _enter(buffer, entries, total, tables.words[KNIGHT + cell] & ~own, cell, 0)
            entries += 1
        rest = own & steers & ~other_kind
        while rest:
            cell = lowest_bit(rest)
            rest &= rest - ONE
            targets = _steered(tables, occupied, np.uint64(cell)) & ~own
            total = _enter(buffer, entries, total, targets, cell, 0)
            entries += 1
        rest = own & slides & ~other_kind
        while rest:
            cell = lowest_bit(rest)
            rest &= rest - ONE
            targets = _slid(tables, occupied, np.uint64(cell)) & ~own
            total = _enter(buffer, entries, total, targets, cell, 0)
            entries += 1
        clock += ONE
        if total == 0:
            continue
        seed += GOLDEN
        n = np.int64(pick(mix(seed), np.uint64(total)))
        entry = 0
        for i in range(entries):
            entry += 1 if buffer[i] <= n else 0
        if entry > 0:
            n -= buffer[entry - 1]
        targets = (np.uint64(np.uint32(buffer[4 * _ENTRIES + entry])) << _HALF) | np.uint64(
            np.uint32(buffer[3 * _ENTRIES + entry])
        )
        target = nth_square(targets, np.uint64(n))
        cell = buffer[_ENTRIES + entry] + buffer[2 * _ENTRIES + entry] * lowest_bit(target)
        over = target & other_kind & slides != ZERO
        steers, slides, other_kind, white = _after(
            steers, slides, other_kind, white, np.uint64(cell), target, whites_move, black_promotes
        )
    state[STEERS], state[SLIDES], state[OTHER] = steers, slides, other_kind
    state[WHITE], state[CLOCK] = white, clock
    rng[0] = seed
    payoffs(tables, state, out)
    return to_int(clock - began)


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Mirror: without castling, left and right differ only in where the pieces start."""
    for word in (STEERS, SLIDES, OTHER, WHITE):
        out[word] = mirrored(state[word], 8) if index == 1 else state[word]
    out[CLOCK] = state[CLOCK]


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    if index == 0 or move == PASS:
        return move
    return move ^ (7 * 64 + 7)


RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


def _leaps(cell: int, steps: list[tuple[int, int]]) -> int:
    row, column = divmod(cell, 8)
    return sum(
        1 << 8 * (row + up) + column + right
        for up, right in steps
        if 0 <= row + up < 8 and 0 <= column + right < 8
    )


def _attack_words() -> list[int]:
    """Build the words of the tables, in the order of their names above."""
    squares = range(64)
    near = [(up, right) for up in (-1, 0, 1) for right in (-1, 0, 1) if up or right]
    knight = [(up, right) for up in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if up**2 != right**2]
    words = [ray(cell, 1, 1) | ray(cell, -1, -1) for cell in squares]
    words += [ray(cell, 1, -1) | ray(cell, -1, 1) for cell in squares]
    words += [ray(cell, 0, 1) | ray(cell, 0, -1) for cell in squares]
    words += [_leaps(cell, knight) for cell in squares]
    words += [_leaps(cell, near) for cell in squares]
    along, up = [0] * 512, [0] * 512
    for inner in range(64):
        in_row = inner << 1
        index = (in_row * int(_GATHER_LINE)) % 2**64 >> 58
        for column in range(8):
            reached = ray(column, 0, 1, in_row) | ray(column, 0, -1, in_row)
            along[64 * column + index] = reached * int(FILE_A)
        in_column = sum((inner >> bit & 1) << 8 * (bit + 1) for bit in range(6))
        index = (in_column * int(_GATHER_COLUMN)) % 2**64 >> 58
        for row in range(8):
            up[64 * row + index] = ray(8 * row, 1, 0, in_column) | ray(8 * row, -1, 0, in_column)
    return words + along + up


_WORDS = _attack_words()


class CaptureTheKing(Game):
    """Capture the King: chess without check, won by taking the king."""

    name = "capture_the_king"
    notation = "two squares, as e2e4, e4xd5 or e7e8q, or pass"
    symbols = ("White", "Black")
    pieces = ("KQRBNP", "kqrbnp")

    def __init__(self, promotion: str = "white") -> None:
        super().__init__(
            RULES,
            tables(ints=[promotion == "both"], words=_WORDS),
            parameters={"promotion": promotion},
            state_words=5,
            # A side has one king, at most two knights, two bishops and two rooks, and nine queens
            # where all pawns were promoted; a queen has more moves than a pawn.  Each piece alone
            # on an empty board has at most the moves below.  They are in each other's way: the best
            # position known has 222 (see the tests), but that none has more is not proved.
            max_moves=8 + 2 * 8 + 2 * 13 + 2 * 14 + 9 * 27,
            move_codes=PASS + 1,
            max_plies=int(LAST),
            symmetries=(Symmetry("identity", (0, 1)), Symmetry("mirror", (0, 1))),
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a move by the squares it leads from and to, x for a capture, q for a promotion."""
        if move == PASS:
            return "pass"
        cell, target = divmod(move, 64)
        steers, slides, other_kind = (int(state[word]) for word in (STEERS, SLIDES, OTHER))
        takes = (steers | slides | other_kind) >> target & 1
        pawn = other_kind & ~steers & ~slides
        last_rows = (0, 7) if self.parameters["promotion"] == "both" else (7,)
        promotes = pawn >> cell & 1 and target // 8 in last_rows
        return (
            f"{square_name(cell)}{'x' if takes else ''}{square_name(target)}"
            f"{'q' if promotes else ''}"
        )

    def player_name(self, player: int) -> str:
        """Name a player by colour; the symbols are those of the kings."""
        return ("white", "black")[player]

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom, white in capitals, then the clock."""
        steers, slides, other_kind, white, clock = (int(word) for word in state)
        kinds = (
            other_kind & ~steers & ~slides, other_kind & steers, steers & ~slides & ~other_kind,
            slides & ~steers & ~other_kind, steers & slides, other_kind & slides,
        )  # fmt: skip
        pieces = [kind & white for kind in kinds] + [kind & ~white for kind in kinds]
        return f"{draw(8, 8, pieces, 'PNBRQKpnbrqk')}\nmove {clock} of {int(LAST)}"
