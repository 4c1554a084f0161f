"""Random games of Go: uniform over legal moves that fill no eye of one's own.

An eye is an empty point whose neighbours are all one's own and of whose corners the other side
has at most one, none at the edge.  Whoever has nothing else to play passes.

Written so that few branches are left that a processor would guess wrong, which costs as much as
twenty plain instructions:

- No branch for each neighbour.  The four colours and chains are loaded, four counts of liberties
  go down whether there is a chain or not (points off the board, and empty ones, have counts of
  their own), and what is to be joined or taken is found by selects and maxima.
- Liberties of a chain in one word: how many, the sum of their points and the sum of the squares,
  counted once for each stone beside them.  Zero is dead; by Cauchy's inequality
  count * squares = sum * sum only where all of them are one point: the last liberty, sum / count.
- The smaller chain joins the larger.
- Safe eyes are parked.  Late in a game nearly every draw is somebody's eye.  One whose chains all
  have another liberty is of use to neither side, so it leaves the list of free points, and comes
  back when a stone lands on a corner of it or a chain around it has no other liberty left.  What
  is not parked stays a superset of what may be played, so drawing from it is uniform.

Point p here is the bit of the board plus a row of guards and one: no neighbour is below zero.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, mark_made, mix
from trellis.game.halting import HALTED, is_halted
from trellis.game.rules import MARKED_PLAYOUT, PLAYOUT, Moves, Random, Reals, State, Tables
from trellis.games.go.board import (
    CAP,
    CODE_OF_BIT,
    COLUMNS,
    KO,
    KO_AT,
    PASSES,
    PASSES_AT,
    PLIES_AT,
    POINTS,
    ROOM,
    ROWS,
    SIDE,
    STRIDE,
    WORDS,
    only,
)
from trellis.games.go.rules import pay

BLACK, WHITE, EMPTY = np.uint64(1), np.uint64(2), np.uint64(4)  # off the board is 0
_BOTH = np.uint64(3)
_TWO, _S6, _S63 = np.uint64(2), np.uint64(6), np.uint64(63)
_S16, _S30, _S32, _S50 = np.uint64(16), np.uint64(30), np.uint64(32), np.uint64(50)
_LOW20, _LOW30, _LOW9 = np.uint64((1 << 20) - 1), np.uint64((1 << 30) - 1), np.uint64(511)
_RECIPROCALS = np.array([0, 65536, 32768, 21846, 16384, *[0] * 11], np.uint64)  # 2^16 / 1 to 4

# Where the arrays are in the tables' working memory, 512 words each.
COLOUR = np.uint64(ROOM)
CHAIN = COLOUR + np.uint64(512)  # the name of a stone's chain: one of its stones; of others, itself
AFTER = CHAIN + np.uint64(512)  # the next stone of the chain, a ring
LIBERTIES = AFTER + np.uint64(512)  # of a chain, by its name
SIZE = LIBERTIES + np.uint64(512)
FREE = SIZE + np.uint64(512)  # empty points that somebody may want to play, in any order
PARKED = FREE + np.uint64(512)


Chains = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


@kernel(inline="always")
def liberty_word(point: np.uint64) -> np.uint64:
    """Return what a liberty adds to its chain: one, the point and its square, side by side."""
    return (ONE << _S50) | (point << _S30) | (point * point)


@kernel(inline="always")
def last_liberty(liberties: np.uint64) -> np.uint64:
    """Return the only liberty of a chain that has one, else 0."""
    count, total = liberties >> _S50, (liberties >> _S30) & _LOW20
    # A stone has four neighbours, but a chain may count its last liberty up to four times only.
    point = ((total * _RECIPROCALS[count & np.uint64(15)]) >> _S16) & _LOW9
    return only(count * (liberties & _LOW30) == total * total, point)


@kernel(inline="always")
def _join(m: State, root: np.uint64, chain: np.uint64) -> None:
    """Make a chain part of another."""
    m[LIBERTIES + root] += m[LIBERTIES + chain]
    m[SIZE + root] += m[SIZE + chain]
    stone = chain
    while True:
        m[CHAIN + stone] = root
        stone = m[AFTER + stone]
        if stone == chain:
            break
    m[AFTER + root], m[AFTER + chain] = m[AFTER + chain], m[AFTER + root]


@kernel()
def load_points(tables: Tables, state: State) -> np.uint64:
    """Set the arrays up for a position; return how many points are free."""
    m, ints = tables.words, tables.ints
    rows, columns = np.uint64(ints[ROWS]), np.uint64(ints[COLUMNS])
    stride, words = np.uint64(ints[STRIDE]), np.uint64(ints[WORDS])
    for i in range((rows + _TWO) * stride + ONE):
        place = np.uint64(i)
        m[COLOUR + place] = m[CHAIN + place] = m[PARKED + place] = ZERO
    m[SIZE] = ZERO
    count, stones = ZERO, ZERO
    for i in range(_TWO * words):
        stones |= state[i]
    for y in range(rows):
        for x in range(columns):
            bit = np.uint64(y) * stride + np.uint64(x)
            word, shift, point = bit >> _S6, bit & _S63, bit + stride + ONE
            colour = ((state[word] >> shift) & ONE) | (
                ((state[words + word] >> shift) & ONE) << ONE
            )
            m[COLOUR + point] = colour if colour != ZERO else EMPTY
            m[CHAIN + point] = point
            m[FREE + count] = point
            count += ONE if colour == ZERO else ZERO
    if stones == ZERO:
        return count
    for i in range(stride + ONE, (rows + ONE) * stride):
        point = np.uint64(i)
        colour = m[COLOUR + point]
        if colour in (BLACK, WHITE):
            value = ZERO
            for near in (point - ONE, point + ONE, point - stride, point + stride):
                value += only(m[COLOUR + near] == EMPTY, liberty_word(near))
            m[LIBERTIES + point], m[SIZE + point], m[AFTER + point] = value, ONE, point
            for near in (point - ONE, point - stride):
                own, other = m[CHAIN + point], m[CHAIN + near]
                if m[COLOUR + near] == colour and own != other:
                    if m[SIZE + own] < m[SIZE + other]:
                        own, other = other, own
                    _join(m, own, other)
    return count


@kernel(inline="always")
def area_of_points(tables: Tables) -> int:
    """Return black's area minus white's, where every empty point is alone, or nearly."""
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    score = 0
    for y in range(tables.ints[ROWS]):
        for x in range(tables.ints[COLUMNS]):
            point = (np.uint64(y) + ONE) * stride + np.uint64(x) + ONE
            colour = m[COLOUR + point]
            if colour == EMPTY:
                colour = (
                    m[COLOUR + point - ONE] | m[COLOUR + point + ONE]
                    | m[COLOUR + point - stride] | m[COLOUR + point + stride]
                )  # fmt: skip
            score += (1 if colour == BLACK else 0) - (1 if colour == WHITE else 0)
    return score


@kernel(hot=True)
def is_useless(
    m: State, p: np.uint64, stride: np.uint64, own: np.uint64, ko: np.uint64
) -> tuple[bool, bool]:
    """Tell whether a point without an empty neighbour may not be played, and whether by nobody.

    It may not be played where it is an eye of who moves, suicide, or forbidden by ko; it is of use
    to nobody where it is an eye, of either side, whose chains all have another liberty.
    """
    q0, q1, q2, q3 = p - ONE, p + ONE, p - stride, p + stride
    c0, c1, c2, c3 = m[COLOUR + q0], m[COLOUR + q1], m[COLOUR + q2], m[COLOUR + q3]
    d0, d1 = m[COLOUR + q2 - ONE], m[COLOUR + q2 + ONE]
    d2, d3 = m[COLOUR + q3 - ONE], m[COLOUR + q3 + ONE]
    around = c0 | c1 | c2 | c3
    enemy = around ^ _BOTH  # of whoever owns all neighbours; 0 where both are there
    bad = only(d0 == enemy, ONE) + only(d1 == enemy, ONE)
    bad += only(d2 == enemy, ONE) + only(d3 == enemy, ONE)
    bad += only((d0 == ZERO) | (d1 == ZERO) | (d2 == ZERO) | (d3 == ZERO), ONE)
    eye = (enemy != ZERO) & (bad < _TWO)
    value = liberty_word(p)
    l0, l1 = m[LIBERTIES + m[CHAIN + q0]], m[LIBERTIES + m[CHAIN + q1]]
    l2, l3 = m[LIBERTIES + m[CHAIN + q2]], m[LIBERTIES + m[CHAIN + q3]]
    # Whether this point is the last liberty of the chain beside it.
    z0, z1 = l0 == (l0 >> _S50) * value, l1 == (l1 >> _S50) * value
    z2, z3 = l2 == (l2 >> _S50) * value, l3 == (l3 >> _S50) * value
    b0, b1, b2, b3 = c0 != ZERO, c1 != ZERO, c2 != ZERO, c3 != ZERO
    # An own chain must have another liberty, or one of the other side must not.
    legal = (
        (b0 & ((c0 == own) != z0)) | (b1 & ((c1 == own) != z1))
        | (b2 & ((c2 == own) != z2)) | (b3 & ((c3 == own) != z3))
    )  # fmt: skip
    refused = (eye & (around == own)) | (not legal) | (p == ko)
    return refused, eye & (not ((b0 & z0) | (b1 & z1) | (b2 & z2) | (b3 & z3)))


@kernel(hot=True)
def draw_point(
    m: State, rng: Random, count: np.uint64, stride: np.uint64, own: np.uint64, ko: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Draw a free point that may be played; refused ones are drawn without replacement.

    Returns the point, or 0 where there is none, its place in the list, how many points are free
    now, and how many eyes were parked.
    """
    left, seed, parked = count, rng[0], ZERO
    while left != ZERO:
        seed += GOLDEN
        at = ((mix(seed) >> _S32) * left) >> _S32
        p = m[FREE + at]
        around = (
            m[COLOUR + p - ONE] | m[COLOUR + p + ONE]
            | m[COLOUR + p - stride] | m[COLOUR + p + stride]
        )  # fmt: skip
        if around & EMPTY != ZERO:
            rng[0] = seed
            return p, at, count, parked
        refused, useless = is_useless(m, p, stride, own, ko)
        if not refused:
            rng[0] = seed
            return p, at, count, parked
        left -= ONE
        m[FREE + at] = m[FREE + left]
        if useless:
            count -= ONE
            m[FREE + left] = m[FREE + count]
            m[PARKED + p] = ONE
            parked += ONE
        else:
            m[FREE + left] = p
    rng[0] = seed
    return ZERO, ZERO, count, parked


@kernel(hot=True)
def _take_chain(m: State, chain: np.uint64, count: np.uint64, stride: np.uint64) -> np.uint64:
    """Take a chain off the board; return how many points are free."""
    stone = chain
    while True:
        m[COLOUR + stone], m[CHAIN + stone] = EMPTY, stone
        m[FREE + count] = stone
        count += ONE
        freed = liberty_word(stone)
        m[LIBERTIES + m[CHAIN + stone - ONE]] += freed
        m[LIBERTIES + m[CHAIN + stone + ONE]] += freed
        m[LIBERTIES + m[CHAIN + stone - stride]] += freed
        m[LIBERTIES + m[CHAIN + stone + stride]] += freed
        stone = m[AFTER + stone]
        if stone == chain:
            return count


@kernel(hot=True)
def _bring_back(
    m: State, p: np.uint64, stride: np.uint64, chains: Chains, count: np.uint64, away: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Free parked eyes: those with the new stone at a corner, those that are a last liberty."""
    y0, y1 = p - stride - ONE, p - stride + ONE
    y2, y3 = p + stride - ONE, p + stride + ONE
    w0, w1 = last_liberty(m[LIBERTIES + chains[0]]), last_liberty(m[LIBERTIES + chains[1]])
    w2, w3 = last_liberty(m[LIBERTIES + chains[2]]), last_liberty(m[LIBERTIES + chains[3]])
    w4 = last_liberty(m[LIBERTIES + chains[4]])
    if (
        m[PARKED + y0] | m[PARKED + y1] | m[PARKED + y2] | m[PARKED + y3]
        | m[PARKED + w0] | m[PARKED + w1] | m[PARKED + w2] | m[PARKED + w3] | m[PARKED + w4]
    ) != ZERO:  # fmt: skip
        for back in (y0, y1, y2, y3, w0, w1, w2, w3, w4):
            if m[PARKED + back] != ZERO:
                m[PARKED + back] = ZERO
                m[FREE + count] = back
                count += ONE
                away -= ONE
    return count, away


@kernel(hot=True)
def put_stone(
    m: State, p: np.uint64, at: np.uint64, count: np.uint64, stride: np.uint64, own: np.uint64,
    away: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64]:  # fmt: skip
    """Put a stone on a free point; return free points, the ko point or 0, and parked eyes."""
    # 1. The neighbours lose a liberty each; chains of the other side without one are dead.
    q0, q1, q2, q3 = p - ONE, p + ONE, p - stride, p + stride
    c0, c1, c2, c3 = m[COLOUR + q0], m[COLOUR + q1], m[COLOUR + q2], m[COLOUR + q3]
    i0, i1, i2, i3 = m[CHAIN + q0], m[CHAIN + q1], m[CHAIN + q2], m[CHAIN + q3]
    foe, value = own ^ _BOTH, liberty_word(p)
    m[LIBERTIES + i0] -= value
    m[LIBERTIES + i1] -= value
    m[LIBERTIES + i2] -= value
    m[LIBERTIES + i3] -= value
    x0 = only((c0 == foe) & (m[LIBERTIES + i0] == ZERO), i0)
    x1 = only((c1 == foe) & (m[LIBERTIES + i1] == ZERO), i1)
    x2 = only((c2 == foe) & (m[LIBERTIES + i2] == ZERO), i2)
    x3 = only((c3 == foe) & (m[LIBERTIES + i3] == ZERO), i3)
    # 2. The stone joins the largest chain of its own beside it, if any.
    count -= ONE
    m[FREE + at] = m[FREE + count]
    m[COLOUR + p] = own
    k0, k1 = only(c0 == own, i0), only(c1 == own, i1)
    k2, k3 = only(c2 == own, i2), only(c3 == own, i3)
    s0, s1, s2, s3 = m[SIZE + k0], m[SIZE + k1], m[SIZE + k2], m[SIZE + k3]
    root, best = ZERO, ZERO
    root, best = (k0, s0) if s0 > best else (root, best)
    root, best = (k1, s1) if s1 > best else (root, best)
    root, best = (k2, s2) if s2 > best else (root, best)
    root, best = (k3, s3) if s3 > best else (root, best)
    lone = root == ZERO
    root = p if lone else root
    m[LIBERTIES + p] = ZERO
    m[AFTER + p] = p
    m[AFTER + root], m[AFTER + p] = p, m[AFTER + root]
    m[CHAIN + p] = root
    m[SIZE + root] = best + ONE
    m[LIBERTIES + root] += (
        only(c0 == EMPTY, liberty_word(q0)) + only(c1 == EMPTY, liberty_word(q1))
        + only(c2 == EMPTY, liberty_word(q2)) + only(c3 == EMPTY, liberty_word(q3))
    )  # fmt: skip
    # 3. Other chains of its own join; seldom more than one: found by maxima, no branch for each.
    k0, k1 = only(k0 != root, k0), only(k1 != root, k1)
    k2, k3 = only(k2 != root, k2), only(k3 != root, k3)
    chain = max(k0, k1, k2, k3)
    while chain != ZERO:
        _join(m, root, chain)
        k0, k1 = only(k0 != chain, k0), only(k1 != chain, k1)
        k2, k3 = only(k2 != chain, k2), only(k3 != chain, k3)
        chain = max(k0, k1, k2, k3)
    # 4. What is dead is taken; one stone taken by one alone without a liberty is a ko.
    ko, before = ZERO, count
    chain = max(x0, x1, x2, x3)
    if chain != ZERO:
        while chain != ZERO:
            count = _take_chain(m, chain, count, stride)
            x0, x1 = only(x0 != chain, x0), only(x1 != chain, x1)
            x2, x3 = only(x2 != chain, x2), only(x3 != chain, x3)
            chain = max(x0, x1, x2, x3)
        if lone and count == before + ONE and (c0 | c1 | c2 | c3) & EMPTY == ZERO:
            ko = m[FREE + before]
    # 5. Eyes come back.
    if away != ZERO:
        count, away = _bring_back(m, p, stride, (i0, i1, i2, i3, root), count, away)
    return count, ko, away


@kernel(inline="always")
def begin_game(
    tables: Tables, status: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return who moves, passes in a row, the ko point or 0, the moves made and when to stop."""
    own = BLACK if status & SIDE == ZERO else WHITE
    ko = (status >> KO_AT) & KO
    ko = only(ko != ZERO, ko + np.uint64(tables.ints[STRIDE]))  # the point of bit + 1
    plies = status >> PLIES_AT
    last = plies + np.uint64(3 * tables.ints[POINTS])
    if tables.ints[CAP] != 0:
        last = min(last, np.uint64(tables.ints[CAP]))
    return own, (status >> PASSES_AT) & PASSES, ko, plies, last


@kernel(inline="always")
def mark_point(tables: Tables, made: State, own: np.uint64, p: np.uint64) -> None:
    """Mark that a player has played on a point, or has passed where that is 0."""
    code = tables.ints[POINTS]
    if p != ZERO:
        code = tables.ints[CODE_OF_BIT + np.int64(p - np.uint64(tables.ints[STRIDE]) - ONE)]
    mark_made(made, (own >> ONE) * np.uint64(len(made) >> 1), code)


@kernel(inline="always")
def pay_points(tables: Tables, plies: int, out: Reals) -> int:
    """Pay at the end of a game on the arrays, unless it was halted; return what it is given."""
    if plies != HALTED:
        pay(tables, area_of_points(tables), out)
    return plies


@kernel(inline="always")
def random_game(tables: Tables, state: State, rng: Random, made: State, marks: bool) -> int:
    """Play to the end on the arrays; return the moves made, or that it was halted.

    Moves are marked in `made` where that is asked for: by a constant, so that the code for it is
    not in the way of other games.
    """
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    count = load_points(tables, state)
    own, passes, ko, first, last = begin_game(tables, state[2 * tables.ints[WORDS]])
    plies, away = first, ZERO  # eyes that are parked
    while passes < _TWO and plies < last:
        if is_halted(rng):
            return HALTED
        p, at, count, parked = draw_point(m, rng, count, stride, own, ko)
        away += parked
        ko = ZERO
        if p != ZERO:
            count, ko, away = put_stone(m, p, at, count, stride, own, away)
        if marks:
            mark_point(tables, made, own, p)
        plies += ONE
        own ^= _BOTH
        passes = ZERO if p != ZERO else passes + ONE
    return np.int64(plies - first)  # type: ignore[return-value]


@kernel(PLAYOUT)
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    return pay_points(tables, random_game(tables, state, rng, state, False), out)


@kernel(MARKED_PLAYOUT)
def marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    """Play as `playout` does, and mark who made which move."""
    return pay_points(tables, random_game(tables, state, rng, made, True), out)
