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
from trellis.game.bits import GOLDEN, ONE, ZERO, mix
from trellis.game.halting import HALTED, is_halted
from trellis.game.rules import PLAYOUT, Moves, Random, Reals, State, Tables
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
)
from trellis.games.go.rules import pay

BLACK, WHITE, EMPTY = np.uint64(1), np.uint64(2), np.uint64(4)  # off the board is 0
_BOTH = np.uint64(3)
_TWO, _FIVE, _S6, _S63 = np.uint64(2), np.uint64(5), np.uint64(6), np.uint64(63)
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


@kernel(inline="always")
def _only(condition: bool, value: np.uint64) -> np.uint64:
    return value if condition else ZERO


@kernel(inline="always")
def _liberty(point: np.uint64) -> np.uint64:
    """Return what a liberty adds to its chain: one, the point and its square, side by side."""
    return (ONE << _S50) | (point << _S30) | (point * point)


@kernel(inline="always")
def _last_liberty(liberties: np.uint64) -> np.uint64:
    """Return the only liberty of a chain that has one, else 0."""
    count, total = liberties >> _S50, (liberties >> _S30) & _LOW20
    # A stone has four neighbours, but a chain may count its last liberty up to four times only.
    point = ((total * _RECIPROCALS[count & np.uint64(15)]) >> _S16) & _LOW9
    return _only(count * (liberties & _LOW30) == total * total, point)


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
                value += _only(m[COLOUR + near] == EMPTY, _liberty(near))
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


@kernel(inline="always")
def random_game(tables: Tables, state: State, rng: Random, trace: Moves, traced: bool) -> int:
    """Play to the end on the arrays; return the moves made, or that it was halted.

    The moves are written to `trace` where that is asked for: a constant, so that the rest of the
    code is not in the way of games that nobody writes down.
    """
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    status, seed = state[2 * tables.ints[WORDS]], rng[0]
    count = load_points(tables, state)
    own, foe = (BLACK, WHITE) if status & SIDE == ZERO else (WHITE, BLACK)
    passes = (status >> PASSES_AT) & PASSES
    ko = (status >> KO_AT) & KO
    ko = _only(ko != ZERO, ko + stride)  # the point of bit + 1
    plies = first = status >> PLIES_AT
    last = first + np.uint64(3 * tables.ints[POINTS])
    if tables.ints[CAP] != 0:
        last = min(last, np.uint64(tables.ints[CAP]))
    away = 0  # eyes that are parked
    put = ZERO
    while passes < _TWO and plies < last:
        if is_halted(rng):
            return HALTED
        left = count
        while left != ZERO:
            seed += GOLDEN
            at = ((mix(seed) >> _S32) * left) >> _S32
            p = m[FREE + at]
            q0, q1, q2, q3 = p - ONE, p + ONE, p - stride, p + stride
            c0, c1, c2, c3 = m[COLOUR + q0], m[COLOUR + q1], m[COLOUR + q2], m[COLOUR + q3]
            i0, i1, i2, i3 = m[CHAIN + q0], m[CHAIN + q1], m[CHAIN + q2], m[CHAIN + q3]
            o0, o1, o2, o3 = c0 == own, c1 == own, c2 == own, c3 == own
            value = _liberty(p)
            around = c0 | c1 | c2 | c3
            if around & EMPTY == ZERO:
                # No empty neighbour: perhaps an eye of one side, perhaps suicide.
                d0, d1 = m[COLOUR + q2 - ONE], m[COLOUR + q2 + ONE]
                d2, d3 = m[COLOUR + q3 - ONE], m[COLOUR + q3 + ONE]
                enemy = around ^ _BOTH  # of whoever owns all neighbours; 0 where both are there
                bad = _only(d0 == enemy, ONE) + _only(d1 == enemy, ONE)
                bad += _only(d2 == enemy, ONE) + _only(d3 == enemy, ONE)
                bad += _only((d0 == ZERO) | (d1 == ZERO) | (d2 == ZERO) | (d3 == ZERO), ONE)
                eye = (enemy != ZERO) & (bad < _TWO)
                l0, l1, l2, l3 = (
                    m[LIBERTIES + i0], m[LIBERTIES + i1], m[LIBERTIES + i2], m[LIBERTIES + i3],
                )  # fmt: skip
                # Whether this point is the last liberty of the chain beside it.
                z0, z1 = l0 == (l0 >> _S50) * value, l1 == (l1 >> _S50) * value
                z2, z3 = l2 == (l2 >> _S50) * value, l3 == (l3 >> _S50) * value
                b0, b1, b2, b3 = c0 != ZERO, c1 != ZERO, c2 != ZERO, c3 != ZERO
                legal = (
                    (b0 & (o0 != z0)) | (b1 & (o1 != z1)) | (b2 & (o2 != z2)) | (b3 & (o3 != z3))
                )
                if (eye & (around == own)) | (not legal) | (p == ko):
                    left -= ONE
                    m[FREE + at] = m[FREE + left]
                    if eye & (not ((b0 & z0) | (b1 & z1) | (b2 & z2) | (b3 & z3))):
                        count -= ONE
                        m[FREE + left] = m[FREE + count]
                        m[PARKED + p] = ONE
                        away += 1
                    else:
                        m[FREE + left] = p
                    continue
            m[LIBERTIES + i0] -= value
            m[LIBERTIES + i1] -= value
            m[LIBERTIES + i2] -= value
            m[LIBERTIES + i3] -= value
            x0 = _only((c0 == foe) & (m[LIBERTIES + i0] == ZERO), i0)
            x1 = _only((c1 == foe) & (m[LIBERTIES + i1] == ZERO), i1)
            x2 = _only((c2 == foe) & (m[LIBERTIES + i2] == ZERO), i2)
            x3 = _only((c3 == foe) & (m[LIBERTIES + i3] == ZERO), i3)
            count -= ONE
            m[FREE + at] = m[FREE + count]
            m[COLOUR + p] = own
            put = p
            # The stone joins the largest chain of its own beside it, if any.
            k0, k1, k2, k3 = _only(o0, i0), _only(o1, i1), _only(o2, i2), _only(o3, i3)
            s0, s1, s2, s3 = m[SIZE + k0], m[SIZE + k1], m[SIZE + k2], m[SIZE + k3]
            root, best = ZERO, ZERO
            if s0 > best:
                root, best = k0, s0
            if s1 > best:
                root, best = k1, s1
            if s2 > best:
                root, best = k2, s2
            if s3 > best:
                root, best = k3, s3
            lone = root == ZERO
            root = p if lone else root
            m[LIBERTIES + p] = ZERO
            m[AFTER + p] = p
            m[AFTER + root], m[AFTER + p] = p, m[AFTER + root]
            m[CHAIN + p] = root
            m[SIZE + root] = best + ONE
            m[LIBERTIES + root] += (
                _only(c0 == EMPTY, _liberty(q0)) + _only(c1 == EMPTY, _liberty(q1))
                + _only(c2 == EMPTY, _liberty(q2)) + _only(c3 == EMPTY, _liberty(q3))
            )  # fmt: skip
            # Seldom more than one chain to join or to take: found by maxima, no branch for each.
            k0, k1 = _only(k0 != root, k0), _only(k1 != root, k1)
            k2, k3 = _only(k2 != root, k2), _only(k3 != root, k3)
            chain = max(k0, k1, k2, k3)
            while chain != ZERO:
                _join(m, root, chain)
                k0, k1 = _only(k0 != chain, k0), _only(k1 != chain, k1)
                k2, k3 = _only(k2 != chain, k2), _only(k3 != chain, k3)
                chain = max(k0, k1, k2, k3)
            ko = ZERO
            chain = max(x0, x1, x2, x3)
            if chain != ZERO:
                before = count
                while chain != ZERO:
                    stone = chain
                    while True:
                        m[COLOUR + stone], m[CHAIN + stone] = EMPTY, stone
                        m[FREE + count] = stone
                        count += ONE
                        freed = _liberty(stone)
                        m[LIBERTIES + m[CHAIN + stone - ONE]] += freed
                        m[LIBERTIES + m[CHAIN + stone + ONE]] += freed
                        m[LIBERTIES + m[CHAIN + stone - stride]] += freed
                        m[LIBERTIES + m[CHAIN + stone + stride]] += freed
                        stone = m[AFTER + stone]
                        if stone == chain:
                            break
                    x0, x1 = _only(x0 != chain, x0), _only(x1 != chain, x1)
                    x2, x3 = _only(x2 != chain, x2), _only(x3 != chain, x3)
                    chain = max(x0, x1, x2, x3)
                if lone and count == before + ONE and around & EMPTY == ZERO:
                    ko = m[FREE + before]
            if away != 0:
                # An eye is back in play when a corner is taken or a chain has no other liberty.
                w0, w1 = _last_liberty(m[LIBERTIES + i0]), _last_liberty(m[LIBERTIES + i1])
                w2, w3 = _last_liberty(m[LIBERTIES + i2]), _last_liberty(m[LIBERTIES + i3])
                w4 = _last_liberty(m[LIBERTIES + root])
                y0, y1, y2, y3 = q2 - ONE, q2 + ONE, q3 - ONE, q3 + ONE
                if (
                    m[PARKED + y0] | m[PARKED + y1] | m[PARKED + y2] | m[PARKED + y3]
                    | m[PARKED + w0] | m[PARKED + w1] | m[PARKED + w2] | m[PARKED + w3]
                    | m[PARKED + w4]
                ) != ZERO:  # fmt: skip
                    for back in (y0, y1, y2, y3, w0, w1, w2, w3, w4):
                        if m[PARKED + back] != ZERO:
                            m[PARKED + back] = ZERO
                            m[FREE + count] = back
                            count += ONE
                            away -= 1
            break
        if traced:
            trace[plies - first] = (
                tables.ints[POINTS]
                if left == ZERO
                else tables.ints[CODE_OF_BIT + np.int64(put - stride - ONE)]
            )
        plies += ONE
        own, foe = foe, own
        passes = ZERO if left != ZERO else passes + ONE
        ko = ko if left != ZERO else ZERO
    rng[0] = seed
    return np.int64(plies - first)  # type: ignore[return-value]


@kernel(PLAYOUT)
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies = random_game(tables, state, rng, buffer, False)
    if plies != HALTED:
        pay(tables, area_of_points(tables), out)
    return plies


@kernel(PLAYOUT)
def traced_playout(tables: Tables, state: State, rng: Random, trace: Moves, out: Reals) -> int:
    """Play as `playout` does, and write the moves down."""
    plies = random_game(tables, state, rng, trace, True)
    if plies != HALTED:
        pay(tables, area_of_points(tables), out)
    return plies
