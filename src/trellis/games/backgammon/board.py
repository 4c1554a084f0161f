"""The backgammon board as bits: where checkers stand, and from where one may move.

A player's checkers are two words.  Of the number of checkers on a point, which has four bits, the
bits of all points lie together (bit k: point k): the lowest in the low half of the first word, the
next in its high half, the others in the second word.  So "one or more" and "two or more" on every
point are a few operations, and moving a checker is a carry through four bits.

Points are counted from the owner's own side, as players do: 1 to 24, the bar is 25.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, popcount, to_int
from trellis.game.rules import State
from trellis.games.squares import reversed_bits

BAR = 25
POINTS = np.uint64(0x1FF_FFFE)  # points 1 to 24
BAR_BIT = np.uint64(1 << BAR)

_HALF = np.uint64(32)
_BAR, _HALF_BAR = np.uint64(BAR), np.uint64(32 + BAR)
_LOW = np.uint64(0xFFFF_FFFF)
_OUTSIDE = np.uint64(7)  # the first point outside the home of the mover
_THREE, _FOUR, _SIX = np.uint64(3), np.uint64(4), np.uint64(6)
_S1, _S2, _S8, _S16 = np.uint64(1), np.uint64(2), np.uint64(8), np.uint64(16)


@kernel()
def add_checker(state: State, player: int, bit: np.uint64) -> None:
    """Put a checker on the point of `bit`: a carry runs through the four bits of its number."""
    first = state[2 * player] ^ bit
    carry = ~first & bit
    first ^= carry << _HALF
    state[2 * player] = first
    carry = ~(first >> _HALF) & carry
    second = state[2 * player + 1] ^ carry
    state[2 * player + 1] = second ^ ((~second & carry) << _HALF)


@kernel()
def remove_checker(state: State, player: int, bit: np.uint64) -> None:
    """Take a checker from the point of `bit`."""
    first = state[2 * player] ^ bit
    borrow = first & bit
    first ^= borrow << _HALF
    state[2 * player] = first
    borrow = (first >> _HALF) & borrow
    second = state[2 * player + 1] ^ borrow
    state[2 * player + 1] = second ^ ((second & borrow) << _HALF)


@kernel()
def held_points(state: State, player: int) -> np.uint64:
    """Gather the points (and the bar) where a player has a checker."""
    both = state[2 * player] | state[2 * player + 1]
    return (both | (both >> _HALF)) & _LOW


@kernel()
def stacked_points(state: State, player: int) -> np.uint64:
    """Gather the points (and the bar) where a player has two checkers or more."""
    second = state[2 * player + 1]
    return ((state[2 * player] >> _HALF) | second | (second >> _HALF)) & _LOW


@kernel()
def count_checkers(state: State, player: int) -> int:
    """Count the checkers of a player that are not yet off."""
    first, second = state[2 * player], state[2 * player + 1]
    return (
        popcount(first & _LOW)
        + 2 * popcount(first >> _HALF)
        + 4 * popcount(second & _LOW)
        + 8 * popcount(second >> _HALF)
    )


@kernel()
def count_pips(state: State, player: int) -> int:
    """Add up the points of all checkers: how far a player still has to go."""
    total = 0
    held = held_points(state, player)
    while held != ZERO:
        point = np.uint64(lowest_bit(held))
        held &= held - ONE
        first, second = state[2 * player] >> point, state[2 * player + 1] >> point
        number = (first & ONE) | (((first >> _HALF) & ONE) << _S1)
        number |= ((second & ONE) << _S2) | (((second >> _HALF) & ONE) << _THREE)
        total += to_int(point) * to_int(number)
    return total


@kernel()
def count_on_bar(state: State, player: int) -> int:
    """Count the checkers of a player on the bar."""
    first, second = state[2 * player], state[2 * player + 1]
    count = ((first >> _BAR) & ONE) | (((first >> _HALF_BAR) & ONE) << _S1)
    return to_int(count | (((second >> _BAR) & ONE) << _S2) | ((second >> _HALF_BAR) << _THREE))


@kernel()
def seen_from_the_other_side(pair: np.uint64) -> np.uint64:
    """Turn two sets of points round, one in each half: bit k goes to bit 25 - k."""
    pair = reversed_bits(pair)  # of 64 bits; a half has 32, so k has gone to 31 - k
    return ((pair >> _HALF) | (pair << _HALF)) >> _SIX  # what leaks is no point


@kernel()
def sources(own: np.uint64, open_points: np.uint64, die: np.uint64) -> np.uint64:
    """Gather the points from which a checker may move by one die."""
    found = own & (open_points << die)
    if own & BAR_BIT != ZERO:
        return found & BAR_BIT
    if own >> _OUTSIDE == ZERO:
        if own >> die == ZERO:
            # All are nearer than the die says: the farthest goes off.
            filled = own | (own >> _S1)
            filled |= filled >> _S2
            filled |= filled >> _FOUR
            found |= filled ^ (filled >> _S1)
        else:
            found |= own & (ONE << die)
    return found


@kernel()
def held_after(own: np.uint64, stacked: np.uint64, bit: np.uint64, die: np.uint64) -> np.uint64:
    """Say which points are held once a checker has moved from the point of `bit`."""
    return (own & ~(bit & ~stacked)) | ((bit >> die) & POINTS)


@kernel()
def top_bit(word: np.uint64) -> np.uint64:
    """Keep only the highest bit of a set of points."""
    word |= word >> _S1
    word |= word >> _S2
    word |= word >> _FOUR
    word |= word >> _S8
    word |= word >> _S16
    return word ^ (word >> _S1)
