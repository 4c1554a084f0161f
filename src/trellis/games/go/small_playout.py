"""Random games of Go on boards that fit into one word, such as 7x7: everything by bits.

The same games as in `playout`, twice as fast.  A chain is two sets, its stones and all points
beside it; its liberties are those beside it that are empty, so they are never counted.  With the
stones of all chains that have one liberty (in atari) kept for either colour, the legal moves are
one expression: empty points beside an empty one, beside an own chain that has another liberty, or
beside a chain of the other side that is in atari.

Sets are one row higher than in a state, so that the row below the first is there; bit 63 is never
a point.  Two names stand for no chain: 0, with neither stones nor neighbours, and 63, which has a
liberty of its own.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, lowest_bit, mark_made, mix, popcount, random_bit
from trellis.game.halting import HALTED, is_halted
from trellis.game.rules import MARKED_PLAYOUT, PLAYOUT, Moves, Random, Reals, State, Tables
from trellis.games.go.board import (
    BOARD,
    CAP,
    CODE_OF_BIT,
    KO,
    KO_AT,
    PASSES,
    PASSES_AT,
    PLIES_AT,
    POINTS,
    ROOM,
    SIDE,
    STRIDE,
    only,
)
from trellis.games.go.rules import pay

_TWO, _S63 = np.uint64(2), np.uint64(63)
_TOP = np.uint64(1 << 63)
NAME = np.uint64(ROOM)  # [64] of the chain that a stone belongs to
STONES = NAME + np.uint64(64)  # [64] of a chain, by its name
NEIGHBOURS = STONES + np.uint64(64)  # [64]


Names = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


def fits(rows: int, columns: int) -> bool:
    """Tell whether a board with a row below it and a column beside it has at most 64 points."""
    return (rows + 1) * (columns + 1) <= 64


@kernel(inline="always")
def spread(points: np.uint64, stride: np.uint64) -> np.uint64:
    """Return all neighbours; those off the board are to be cut off by whoever asks."""
    return (points << ONE) | (points >> ONE) | (points << stride) | (points >> stride)


@kernel(inline="always")
def _few(points: np.uint64) -> bool:
    """Tell whether a set has at most one member."""
    return points & (points - ONE) == ZERO


@kernel()
def load_chains(
    m: State, black: np.uint64, white: np.uint64, board: np.uint64, stride: np.uint64
) -> np.uint64:
    """Find all chains of a position; return the stones in atari."""
    empty = board & ~(black | white)
    atari = ZERO
    m[STONES] = m[NEIGHBOURS] = m[STONES + _S63] = ZERO
    m[NEIGHBOURS + _S63] = _TOP
    for stones in (black, white):
        left = stones
        while left != ZERO:
            name = np.uint64(lowest_bit(left))
            chain = left & (ZERO - left)
            grown = chain | (spread(chain, stride) & stones)
            while grown != chain:
                chain, grown = grown, grown | (spread(grown, stride) & stones)
            left &= ~chain
            beside = spread(chain, stride) & board
            m[STONES + name], m[NEIGHBOURS + name] = chain, beside
            atari |= only(_few(beside & empty), chain)
            while chain != ZERO:
                m[NAME + np.uint64(lowest_bit(chain))] = name
                chain &= chain - ONE
    return atari


@kernel(inline="always")
def open_points(
    own: np.uint64, foe: np.uint64, own_atari: np.uint64, foe_atari: np.uint64, ko: np.uint64,
    board: np.uint64, edge: np.uint64, stride: np.uint64,
) -> np.uint64:  # fmt: skip
    """Return the legal points that fill no eye."""
    empty = board & ~(own | foe)
    choice = empty & ~ko & spread(empty | (own & ~own_atari) | foe_atari, stride)
    eyes = choice & ~spread(empty | foe, stride)
    if eyes != ZERO:
        # An eye is false where the other side has two corners, or one at the edge.
        up, down = foe << stride, foe >> stride
        a, b, c, d = up << ONE, up >> ONE, down << ONE, down >> ONE
        two = (a & b) | (c & d) | ((a | b) & (c | d))
        choice &= ~(eyes & ~(two | (edge & (a | b | c | d))))
    return choice


@kernel(hot=True)
def _make_one(m: State, p: np.uint64, names: Names, chain: np.uint64, around: np.uint64) -> None:
    """Make one chain of a stone and those beside it.

    The largest of them keeps its name; the stones of the others are renamed.
    """
    o0, o1, o2, o3 = names
    t0, t1, t2, t3 = m[STONES + o0], m[STONES + o1], m[STONES + o2], m[STONES + o3]
    n0, n1 = np.uint64(popcount(t0)), np.uint64(popcount(t1))
    n2, n3 = np.uint64(popcount(t2)), np.uint64(popcount(t3))
    name, most, kept = p, ZERO, chain
    name, most, kept = (o0, n0, t0) if n0 > most else (name, most, kept)
    name, most, kept = (o1, n1, t1) if n1 > most else (name, most, kept)
    name, most, kept = (o2, n2, t2) if n2 > most else (name, most, kept)
    name, most, kept = (o3, n3, t3) if n3 > most else (name, most, kept)
    renamed = (kept ^ chain) & ~(ONE << p)
    m[NAME + p] = name
    while renamed != ZERO:
        m[NAME + np.uint64(lowest_bit(renamed))] = name
        renamed &= renamed - ONE
    m[STONES + name], m[NEIGHBOURS + name] = chain, around


@kernel(inline="always")
def random_game(
    tables: Tables, state: State, rng: Random, made: State, marks: bool
) -> tuple[int, int]:
    """Play to the end; return the moves made, or that it was halted, and the area.

    Moves are marked in `made` where that is asked for, by a constant.
    """
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    board = tables.words[BOARD] << stride
    inner = board & (board << ONE) & (board >> ONE) & (board << stride) & (board >> stride)
    edge = board & ~inner
    status, seed = state[2], rng[0]
    atari = load_chains(m, state[0] << stride, state[1] << stride, board, stride)
    white = status & SIDE
    own, foe = state[0] << stride, state[1] << stride
    if white != ZERO:
        own, foe = foe, own
    own_atari, foe_atari = atari & own, atari & foe
    ko = (status >> KO_AT) & KO
    ko = only(ko != ZERO, ONE << (ko - ONE + stride))
    passes = (status >> PASSES_AT) & PASSES
    plies = first = status >> PLIES_AT
    last = first + np.uint64(3 * tables.ints[POINTS])
    if tables.ints[CAP] != 0:
        last = min(last, np.uint64(tables.ints[CAP]))
    left_at, right_at, above_at = stride - ONE, stride + ONE, stride + stride
    while passes < _TWO and plies < last:
        if is_halted(rng):
            return HALTED, 0
        choice = open_points(own, foe, own_atari, foe_atari, ko, board, edge, stride)
        plies += ONE
        ko = ZERO
        if choice != ZERO:
            passes = ZERO
            seed += GOLDEN
            p = random_bit(choice, mix(seed))
            if marks:  # a board that fits into a word has moves that do
                mark_made(made, white, tables.ints[CODE_OF_BIT + np.int64(p - stride)])
            bit = ONE << p
            empty = board & ~(own | foe | bit)
            air = empty | _TOP
            # The neighbours of p at fixed places: below at 0, left, right, above.
            v, w = own >> (p - stride), foe >> (p - stride)
            # Names that are left over where there is no stone do no harm: they are not used.
            i0, i1 = m[NAME + p - ONE], m[NAME + p + ONE]
            i2, i3 = m[NAME + p - stride], m[NAME + p + stride]
            x0 = i0 if (w >> left_at) & ONE != ZERO else _S63
            x1 = i1 if (w >> right_at) & ONE != ZERO else _S63
            x2 = i2 if w & ONE != ZERO else _S63
            x3 = i3 if (w >> above_at) & ONE != ZERO else _S63
            o0 = only((v >> left_at) & ONE != ZERO, i0)
            o1 = only((v >> right_at) & ONE != ZERO, i1)
            o2 = only(v & ONE != ZERO, i2)
            o3 = only((v >> above_at) & ONE != ZERO, i3)
            a0, a1 = m[NEIGHBOURS + x0] & air, m[NEIGHBOURS + x1] & air
            a2, a3 = m[NEIGHBOURS + x2] & air, m[NEIGHBOURS + x3] & air
            g0, g1, g2, g3 = m[STONES + x0], m[STONES + x1], m[STONES + x2], m[STONES + x3]
            around = (
                m[NEIGHBOURS + o0] | m[NEIGHBOURS + o1] | m[NEIGHBOURS + o2] | m[NEIGHBOURS + o3]
                | (spread(bit, stride) & board)
            )  # fmt: skip
            chain = m[STONES + o0] | m[STONES + o1] | m[STONES + o2] | m[STONES + o3] | bit
            foe_atari |= (
                only(_few(a0), g0) | only(_few(a1), g1) | only(_few(a2), g2)
                | only(_few(a3), g3)
            )  # fmt: skip
            own |= bit
            if (a0 == ZERO) | (a1 == ZERO) | (a2 == ZERO) | (a3 == ZERO):
                dead = (
                    only(a0 == ZERO, g0) | only(a1 == ZERO, g1) | only(a2 == ZERO, g2)
                    | only(a3 == ZERO, g3)
                )  # fmt: skip
                foe ^= dead
                foe_atari &= foe
                if around & empty == ZERO and chain == bit and _few(dead):
                    ko = dead
                empty |= dead
                near = own_atari & spread(dead, stride)  # these chains may have liberties again
                while near != ZERO:
                    name = m[NAME + np.uint64(lowest_bit(near))]
                    near &= ~m[STONES + name]
                    freed = not _few(m[NEIGHBOURS + name] & empty)
                    own_atari &= ~only(freed, m[STONES + name])
            _make_one(m, p, (o0, o1, o2, o3), chain, around)
            own_atari = own_atari | chain if _few(around & empty) else own_atari & ~chain
        else:
            passes += ONE
            if marks:
                mark_made(made, white, tables.ints[POINTS])
        own, foe, own_atari, foe_atari = foe, own, foe_atari, own_atari
        white ^= ONE
    rng[0] = seed
    if white != ZERO:
        own, foe = foe, own
    return np.int64(plies - first), area_of_sets(own, foe, board, stride)  # type: ignore[return-value]


@kernel()
def area_of_sets(black: np.uint64, white: np.uint64, board: np.uint64, stride: np.uint64) -> int:
    """Return black's area minus white's."""
    empty = board & ~(black | white)
    to_black, to_white = empty & spread(black, stride), empty & spread(white, stride)
    grows = True  # after a random game empty points are alone, and this ends at once
    while grows:
        more_black = to_black | (empty & spread(to_black, stride))
        more_white = to_white | (empty & spread(to_white, stride))
        grows = (more_black != to_black) | (more_white != to_white)
        to_black, to_white = more_black, more_white
    return popcount(black | (to_black & ~to_white)) - popcount(white | (to_white & ~to_black))


@kernel(PLAYOUT)
def small_playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies, score = random_game(tables, state, rng, state, False)
    if plies != HALTED:
        pay(tables, score, out)
    return plies


@kernel(MARKED_PLAYOUT)
def marked_small_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    """Play as `small_playout` does, and mark who made which move."""
    plies, score = random_game(tables, state, rng, made, True)
    if plies != HALTED:
        pay(tables, score, out)
    return plies
