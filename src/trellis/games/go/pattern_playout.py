"""Random games of Go that answer the last move where it was played, in the manner of MoGo.

Whoever moves after a stone, not after a pass, takes the first of these that offers anything, and
draws evenly from it:

1. Rescue: a chain of one's own beside the last stone has one liberty left.  Take a chain of the
   other side beside it that has one liberty too, or extend to two liberties or by taking something.
2. Capture: the chain of the last stone has one liberty.
3. Shape: one of the eight points around the last stone fits a pattern (`patterns`), and playing
   there leaves no chain of two stones or more with a single liberty, unless it takes something.
4. What `playout` plays: any legal move that fills no eye.

No move fills an eye, and all are legal by the rules of simple ko.  A game begins without a last
stone, since a position does not tell it: the first move is of the fourth kind.

The board is that of `playout`.  Besides, each point has the code of the eight points around it,
kept up to date stone by stone, so that a pattern is one look into a table.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, mix, random_bit
from trellis.game.halting import HALTED, is_halted
from trellis.game.rules import MARKED_PLAYOUT, PLAYOUT, Moves, Random, Reals, State, Tables
from trellis.games.go.board import COLUMNS, ROWS, STRIDE, WORDS, only
from trellis.games.go.patterns import pattern_table
from trellis.games.go.playout import (
    AFTER,
    BLACK,
    CHAIN,
    COLOUR,
    EMPTY,
    FREE,
    LIBERTIES,
    PARKED,
    WHITE,
    begin_game,
    draw_point,
    is_useless,
    last_liberty,
    liberty_word,
    load_points,
    mark_point,
    pay_points,
    put_stone,
)

_TWO, _BOTH = np.uint64(2), np.uint64(3)
_S6, _S32, _S63 = np.uint64(6), np.uint64(32), np.uint64(63)
_TABLE = pattern_table()
_HALF = np.uint64(10)  # of the table: 2^10 words for black, as many for white
_LAST_WORD = np.uint64(1023)

# Three more arrays in the tables' working memory.
AROUND = PARKED + np.uint64(512)  # the code of the points around; in bits 16 and 17 the point's own
PLACE = AROUND + np.uint64(512)  # where a point was last seen in the list of free points
CHOICE = PLACE + np.uint64(512)
_CENTRE = np.uint64(16)

# What is off the board around a point, as a code, at each of the four edges.
_LEFT, _RIGHT = np.uint64(3 | 3 << 6 | 3 << 10), np.uint64(3 << 4 | 3 << 8 | 3 << 14)
_BELOW, _ABOVE = np.uint64(3 | 3 << 2 | 3 << 4), np.uint64(3 << 10 | 3 << 12 | 3 << 14)


@kernel(inline="always")
def _change(m: State, p: np.uint64, stride: np.uint64, colour: np.uint64) -> None:
    """Put a stone of a colour into the codes around a point, or take it out again."""
    # Point i around p sees p as its own point 7 - i.
    m[AROUND + p] ^= colour << _CENTRE
    m[AROUND + p - stride - ONE] ^= colour << np.uint64(14)
    m[AROUND + p - stride] ^= colour << np.uint64(12)
    m[AROUND + p - stride + ONE] ^= colour << np.uint64(10)
    m[AROUND + p - ONE] ^= colour << np.uint64(8)
    m[AROUND + p + ONE] ^= colour << _S6
    m[AROUND + p + stride - ONE] ^= colour << np.uint64(4)
    m[AROUND + p + stride] ^= colour << _TWO
    m[AROUND + p + stride + ONE] ^= colour


@kernel()
def load_codes(tables: Tables, count: np.uint64) -> None:
    """Set up what is kept here besides the board of `playout`, which has so many free points."""
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    rows, columns = np.uint64(tables.ints[ROWS]), np.uint64(tables.ints[COLUMNS])
    for i in range((rows + _TWO) * stride + ONE):
        m[AROUND + np.uint64(i)] = _BOTH << _CENTRE
    for y in range(rows):
        for x in range(columns):
            point = (np.uint64(y) + ONE) * stride + np.uint64(x) + ONE
            code = only(x == 0, _LEFT) | only(np.uint64(x) + ONE == columns, _RIGHT)
            code |= only(y == 0, _BELOW) | only(np.uint64(y) + ONE == rows, _ABOVE)
            m[AROUND + point] = code
    for i in range(stride + ONE, (rows + ONE) * stride):
        point = np.uint64(i)
        if m[COLOUR + point] in (BLACK, WHITE):
            _change(m, point, stride, m[COLOUR + point])
    for i in range(count):
        m[PLACE + m[FREE + np.uint64(i)]] = np.uint64(i)


@kernel(hot=True)
def _keep_up(
    m: State, p: np.uint64, at: np.uint64, before: np.uint64, count: np.uint64, stride: np.uint64,
    own: np.uint64,
) -> None:  # fmt: skip
    """Bring codes and places up to date after a stone; `before` points were free without it."""
    _change(m, p, stride, own)
    m[PLACE + m[FREE + at]] = at
    for i in range(before, count):  # stones that were taken, then eyes that came back
        point = m[FREE + np.uint64(i)]
        m[PLACE + point] = np.uint64(i)
        _change(m, point, stride, m[AROUND + point] >> _CENTRE)


@kernel(hot=True)
def _place_of(m: State, p: np.uint64, count: np.uint64) -> np.uint64:
    """Return where a point is in the list of free ones."""
    at = m[PLACE + p]
    if at < count and m[FREE + at] == p:
        return at
    at = ZERO  # draws that were refused have moved it: no early end, so that this runs by vectors
    for i in range(count):
        at = np.uint64(i) if m[FREE + np.uint64(i)] == p else at
    return at


@kernel(hot=True)
def _prospects(
    m: State, p: np.uint64, stride: np.uint64, own: np.uint64
) -> tuple[bool, np.uint64, bool]:
    """Tell whether a stone would take something, its chain's liberties, and whether it is alone.

    Liberties are those before anything is taken, in one word as those of chains.
    """
    q0, q1, q2, q3 = p - ONE, p + ONE, p - stride, p + stride
    c0, c1, c2, c3 = m[COLOUR + q0], m[COLOUR + q1], m[COLOUR + q2], m[COLOUR + q3]
    i0, i1, i2, i3 = m[CHAIN + q0], m[CHAIN + q1], m[CHAIN + q2], m[CHAIN + q3]
    l0, l1, l2, l3 = m[LIBERTIES + i0], m[LIBERTIES + i1], m[LIBERTIES + i2], m[LIBERTIES + i3]
    foe, value = own ^ _BOTH, liberty_word(p)
    s50 = np.uint64(50)
    takes = (
        ((c0 == foe) & (l0 == (l0 >> s50) * value)) | ((c1 == foe) & (l1 == (l1 >> s50) * value))
        | ((c2 == foe) & (l2 == (l2 >> s50) * value)) | ((c3 == foe) & (l3 == (l3 >> s50) * value))
    )  # fmt: skip
    b0, b1, b2, b3 = c0 == own, c1 == own, c2 == own, c3 == own
    # Each stone beside p counts p as a liberty; a chain counts once, however often it is met.
    total = only(b0, l0 - value) + only(b1, only(not (b0 & (i0 == i1)), l1) - value)
    total += only(b2, only(not ((b0 & (i0 == i2)) | (b1 & (i1 == i2))), l2) - value)
    again = (b0 & (i0 == i3)) | (b1 & (i1 == i3)) | (b2 & (i2 == i3))
    total += only(b3, only(not again, l3) - value)
    total += only(c0 == EMPTY, liberty_word(q0)) + only(c1 == EMPTY, liberty_word(q1))
    total += only(c2 == EMPTY, liberty_word(q2)) + only(c3 == EMPTY, liberty_word(q3))
    return takes, total, not (b0 | b1 | b2 | b3)


@kernel(inline="always")
def _choose_also(m: State, found: np.uint64, point: np.uint64) -> np.uint64:
    """Add a point to the choice unless it is there; return how many there are."""
    for i in range(found):
        if m[CHOICE + np.uint64(i)] == point:
            return found
    m[CHOICE + found] = point
    return found + ONE


@kernel()
def _rescue(
    m: State, chain: np.uint64, way: np.uint64, found: np.uint64, stride: np.uint64,
    own: np.uint64, ko: np.uint64,
) -> np.uint64:  # fmt: skip
    """Add to the choice what rescues a chain whose last liberty is `way`; return how many."""
    takes, liberties, _ = _prospects(m, way, stride, own)
    if way != ko and (takes or (liberties != ZERO and last_liberty(liberties) == ZERO)):
        found = _choose_also(m, found, way)
    foe, stone = own ^ _BOTH, chain
    while True:
        for near in (stone - ONE, stone + ONE, stone - stride, stone + stride):
            if m[COLOUR + near] == foe:
                point = last_liberty(m[LIBERTIES + m[CHAIN + near]])
                if point not in (ZERO, ko):
                    found = _choose_also(m, found, point)
        stone = m[AFTER + stone]
        if stone == chain:
            return found


@kernel(hot=True)
def _answer(
    m: State, rng: Random, last: np.uint64, stride: np.uint64, own: np.uint64, ko: np.uint64
) -> np.uint64:
    """Return an answer to the last stone, or 0 where nothing local offers itself."""
    q0, q1, q2, q3 = last - ONE, last + ONE, last - stride, last + stride
    i0, i1, i2, i3 = m[CHAIN + q0], m[CHAIN + q1], m[CHAIN + q2], m[CHAIN + q3]
    w0 = only(m[COLOUR + q0] == own, last_liberty(m[LIBERTIES + i0]))
    w1 = only(m[COLOUR + q1] == own, last_liberty(m[LIBERTIES + i1]))
    w2 = only(m[COLOUR + q2] == own, last_liberty(m[LIBERTIES + i2]))
    w3 = only(m[COLOUR + q3] == own, last_liberty(m[LIBERTIES + i3]))
    if (w0 | w1 | w2 | w3) != ZERO:
        found = ZERO
        for chain, way in ((i0, w0), (i1, w1), (i2, w2), (i3, w3)):
            if way != ZERO:
                found = _rescue(m, chain, way, found, stride, own, ko)
        if found != ZERO:
            rng[0] += GOLDEN
            return m[CHOICE + (((mix(rng[0]) >> _S32) * found) >> _S32)]
    point = last_liberty(m[LIBERTIES + m[CHAIN + last]])
    if point not in (ZERO, ko):
        return point
    return _shape(m, rng, last, stride, own, ko)


@kernel(inline="always")
def _fits(m: State, point: np.uint64, own: np.uint64) -> np.uint64:
    """Return 1 where a point is free and fits a pattern of who moves, else 0."""
    code = m[AROUND + point]
    word = _TABLE[((own - ONE) << _HALF) | ((code >> _S6) & _LAST_WORD)]
    return only(code >> _CENTRE == ZERO, (word >> (code & _S63)) & ONE)


@kernel(hot=True)
def _shape(
    m: State, rng: Random, last: np.uint64, stride: np.uint64, own: np.uint64, ko: np.uint64
) -> np.uint64:
    """Draw a point around the last stone that fits a pattern and is sound, or return 0."""
    # Bit 0 to 8 for the nine points, row by row; the middle is taken.
    below, above = last - stride, last + stride
    fits = (
        _fits(m, below - ONE, own) | (_fits(m, below, own) << ONE)
        | (_fits(m, below + ONE, own) << _TWO) | (_fits(m, last - ONE, own) << np.uint64(3))
        | (_fits(m, last + ONE, own) << np.uint64(5)) | (_fits(m, above - ONE, own) << _S6)
        | (_fits(m, above, own) << np.uint64(7)) | (_fits(m, above + ONE, own) << np.uint64(8))
    )  # fmt: skip
    while fits != ZERO:
        rng[0] += GOLDEN
        drawn = random_bit(fits, mix(rng[0]))
        fits ^= ONE << drawn
        row = (drawn * np.uint64(11)) >> np.uint64(5)  # a third
        point = below + row * stride + drawn - _BOTH * row - ONE
        takes, liberties, lone = _prospects(m, point, stride, own)
        if takes or (liberties != ZERO and (lone or last_liberty(liberties) == ZERO)):
            refused, _ = is_useless(m, point, stride, own, ko)
            around = m[COLOUR + point - ONE] | m[COLOUR + point + ONE]
            around |= m[COLOUR + point - stride] | m[COLOUR + point + stride]
            if (around & EMPTY) != ZERO or not refused:
                return point
    return ZERO


@kernel(inline="always")
def random_game(tables: Tables, state: State, rng: Random, made: State, marks: bool) -> int:
    """Play to the end on the arrays; return the moves made, or that it was halted.

    Moves are marked in `made` where that is asked for, by a constant.
    """
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    count = load_points(tables, state)
    load_codes(tables, count)
    own, passes, ko, first, end = begin_game(tables, state[2 * tables.ints[WORDS]])
    plies = first
    away = last = ZERO  # eyes that are parked; the point of the last stone
    while passes < _TWO and plies < end:
        if is_halted(rng):
            return HALTED
        p = at = ZERO
        if last != ZERO:
            p = _answer(m, rng, last, stride, own, ko)
        if p != ZERO:
            at = _place_of(m, p, count)
        else:
            p, at, count, parked = draw_point(m, rng, count, stride, own, ko)
            away += parked
        ko = ZERO
        if p != ZERO:
            before = count - ONE
            count, ko, away = put_stone(m, p, at, count, stride, own, away)
            _keep_up(m, p, at, before, count, stride, own)
        if marks:
            mark_point(tables, made, own, p)
        plies += ONE
        own ^= _BOTH
        passes = ZERO if p != ZERO else passes + ONE
        last = p
    return np.int64(plies - first)  # type: ignore[return-value]


@kernel(PLAYOUT)
def pattern_playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    return pay_points(tables, random_game(tables, state, rng, state, False), out)


@kernel(MARKED_PLAYOUT)
def marked_pattern_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    """Play as `pattern_playout` does, and mark who made which move."""
    return pay_points(tables, random_game(tables, state, rng, made, True), out)
