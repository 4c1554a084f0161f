"""Many positions at once: bit i of a word is what holds in position i.

A slot is one word for 64 positions, or four words for 256.  A gate is then one or four `and`s for
all of them.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, next_random, nth_bit, popcount
from trellis.game.rules import Random, Reals, State, Tables
from trellis.gdl.circuit import layout as h

_S32 = np.uint64(32)
TWO, THREE, FOUR = np.uint64(2), np.uint64(3), np.uint64(4)


@kernel(lean=True)
def _evaluate_group(tables: Tables, values: State, at: int, width: tuple[int, ...]) -> None:
    """Evaluate all gates of a group for all positions.

    The commonest shapes of gates have loops of their own, written out: one loop over the inputs of
    any gate would write each result several times, and ask of each input whether it is inverted.
    """
    ints = tables.ints
    # Unsigned places: for signed ones Numba asks whether they count from the end.
    size = np.uint64(len(width))
    positive, negative = np.uint64(ints[at + 1]), np.uint64(ints[at + 2])
    out, fan = size * np.uint64(ints[at + 3]), np.uint64(ints[at + 5])
    count = np.int64(ints[at + 4])
    if positive == 2 and negative == 0:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            for k in range(size):
                values[out + k] = values[a + k] & values[b + k]
            fan += TWO
            out += size
    elif positive == 1 and negative == 1:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            for k in range(size):
                values[out + k] = values[a + k] & ~values[b + k]
            fan += TWO
            out += size
    elif positive == 0 and negative == 2:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            for k in range(size):
                values[out + k] = ~(values[a + k] | values[b + k])
            fan += TWO
            out += size
    elif positive == 3 and negative == 0:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            c = size * np.uint64(ints[fan + TWO])
            for k in range(size):
                values[out + k] = values[a + k] & values[b + k] & values[c + k]
            fan += THREE
            out += size
    elif positive == 0 and negative == 3:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            c = size * np.uint64(ints[fan + TWO])
            for k in range(size):
                values[out + k] = ~(values[a + k] | values[b + k] | values[c + k])
            fan += THREE
            out += size
    elif positive == 4 and negative == 0:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            c, d = size * np.uint64(ints[fan + TWO]), size * np.uint64(ints[fan + THREE])
            for k in range(size):
                values[out + k] = values[a + k] & values[b + k] & values[c + k] & values[d + k]
            fan += FOUR
            out += size
    elif negative == 0:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            for k in range(size):
                values[out + k] = values[a + k] & values[b + k]
            for i in range(TWO, positive):
                a = size * np.uint64(ints[fan + i])
                for k in range(size):
                    values[out + k] &= values[a + k]
            fan += positive
            out += size
    elif positive == 0:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + ONE])
            for k in range(size):
                values[out + k] = values[a + k] | values[b + k]
            for i in range(TWO, negative):
                a = size * np.uint64(ints[fan + i])
                for k in range(size):
                    values[out + k] |= values[a + k]
            for k in range(size):
                values[out + k] = ~values[out + k]
            fan += negative
            out += size
    else:
        for _ in range(count):
            a, b = size * np.uint64(ints[fan]), size * np.uint64(ints[fan + positive])
            for k in range(size):
                values[out + k] = values[a + k] & ~values[b + k]
            for i in range(ONE, positive):
                a = size * np.uint64(ints[fan + i])
                for k in range(size):
                    values[out + k] &= values[a + k]
            for i in range(positive + ONE, positive + negative):
                a = size * np.uint64(ints[fan + i])
                for k in range(size):
                    values[out + k] &= ~values[a + k]
            fan += positive + negative
            out += size


@kernel(hot=True)
def literal_word(values: State, literal: int, k: int, size: int) -> np.uint64:
    """Return word `k` of a literal."""
    word = values[np.uint64(size * np.int64(literal >> 1) + k)]
    return word ^ (ZERO - np.uint64(literal & 1))


@kernel(lean=True)
def _evaluate_loop(tables: Tables, values: State, at: int, width: tuple[int, ...]) -> None:
    """Evaluate a loop from nothing until its atoms stay the same in all positions."""
    ints = tables.ints
    size = len(width)
    groups, pairs, count = ints[at + 1], ints[at + 2], ints[at + 3]
    for i in range(count):
        for k in range(size):
            values[size * np.int64(ints[pairs + 2 * i]) + k] = ZERO
    changed = ONE
    while changed != ZERO:
        for i in range(groups):
            _evaluate_group(tables, values, at + h.RECORD * (i + 1), width)
        changed = ZERO
        for i in range(count):
            atom = size * np.int64(ints[pairs + 2 * i])
            fed = ints[pairs + 2 * i + 1]
            for k in range(size):
                new = literal_word(values, fed, k, size) & ~values[atom + k]
                changed |= new
                values[atom + k] |= new


@kernel(lean=True)
def evaluate_records(
    tables: Tables, values: State, begin: int, end: int, width: tuple[int, ...]
) -> None:
    """Evaluate records of the program."""
    ints = tables.ints
    i = np.int64(begin)
    while i < end:
        at = np.int64(ints[h.PROGRAM]) + h.RECORD * i
        if ints[at] == h.LOOP:
            _evaluate_loop(tables, values, at, width)
            i += np.int64(ints[at + 1])
        else:
            _evaluate_group(tables, values, at, width)
        i += 1


@kernel(lean=True)
def _transpose(rows: State, at: int) -> None:
    """Turn 64 words of 64 bits so that bit i of word j becomes bit j of word i."""
    step = 32
    mask = np.uint64(0x0000_0000_FFFF_FFFF)
    while step != 0:
        shift = np.uint64(step)
        for block in range(at, at + 64, 2 * step):
            for i in range(np.uint64(block), np.uint64(block + step)):
                swap = ((rows[i] >> shift) ^ rows[i + shift]) & mask
                rows[i] ^= swap << shift
                rows[i + shift] ^= swap
        step >>= 1
        mask ^= mask << np.uint64(step)


@kernel(lean=True)
def _choose_move(
    tables: Tables, values: State, rows: State, live: State, rng: Random, role: int,
    width: tuple[int, ...],
) -> None:  # fmt: skip
    """Choose a random legal move of a role in every position that lives.

    Where only one is legal it is made in all positions at once; only the others are looked at one
    by one.  A position in which the role has none does not live any more.
    """
    ints = tables.ints
    size = len(width)
    first = ints[h.ROLES_AT] + role
    begin, end = np.int64(ints[first]), np.int64(ints[first + 1])
    legal_at, does = np.int64(ints[h.LEGAL_AT]), np.int64(ints[h.DOES_SLOT])
    for k in range(size):
        one, two = ZERO, ZERO
        living = live[k]
        for move in range(begin, end):
            legal = literal_word(values, ints[np.uint64(legal_at + move)], k, size) & living
            values[np.uint64(size * (does + move) + k)] = legal
            two |= one & legal
            one |= legal
        live[k] &= one
        if two == ZERO:
            continue
        blocks = (end - begin + 63) >> 6
        for block in range(blocks):
            first = begin + 64 * block
            last = min(first + 64, end)
            for i in range(last - first):
                at = np.uint64(size * (does + first + i) + k)
                rows[np.uint64(64 * block + i)] = values[at] & two
                values[at] &= ~two
            for i in range(last - first, 64):
                rows[64 * block + i] = ZERO
            _transpose(rows, 64 * block)
        waiting = two
        while waiting != ZERO:
            lane = lowest_bit(waiting)
            waiting &= waiting - ONE
            count = 0
            for block in range(blocks):
                count += popcount(rows[np.uint64(64 * block + lane)])
            number = np.int64(((next_random(rng) >> _S32) * np.uint64(count)) >> _S32)
            block = 0
            here = popcount(rows[lane])
            while number >= here:
                number -= here
                block += 1
                here = popcount(rows[np.uint64(64 * block + lane)])
            move = begin + 64 * block
            move += np.int64(nth_bit(rows[np.uint64(64 * block + lane)], np.uint64(number)))
            values[np.uint64(size * (does + move) + k)] |= ONE << np.uint64(lane)


@kernel(lean=True)
def choose_moves(
    tables: Tables, values: State, rows: State, live: State, rng: Random, width: tuple[int, ...]
) -> None:
    """Choose random legal moves of all roles; a position where one has none lives no more."""
    for role in range(tables.ints[h.ROLES]):
        _choose_move(tables, values, rows, live, rng, role, width)


@kernel(lean=True)
def go_on(
    tables: Tables, values: State, rows: State, live: State, anew: bool, first: State,
    width: tuple[int, ...],
) -> None:  # fmt: skip
    """Make the moves that were chosen; if `anew`, `first` replaces positions that do not live."""
    ints = tables.ints
    size = len(width)
    evaluate_records(tables, values, ints[h.PRESENT_END], ints[h.FUTURE_END], width)
    latches, next_at = np.int64(ints[h.LATCHES]), np.int64(ints[h.NEXT_AT])
    # First into a place apart: another latch may still ask this one.
    if anew:
        for i in range(latches):
            literal = ints[np.uint64(next_at + i)]
            held = ZERO - ((first[np.uint64(i >> 6)] >> np.uint64(i & 63)) & ONE)
            for k in range(size):
                following = literal_word(values, literal, k, size)
                rows[np.uint64(size * i + k)] = held ^ ((following ^ held) & live[k])
    else:
        for i in range(latches):
            literal = ints[np.uint64(next_at + i)]
            for k in range(size):
                rows[np.uint64(size * i + k)] = literal_word(values, literal, k, size)
    for i in range(np.uint64(size * latches)):
        values[np.uint64(size * h.LATCH_SLOT) + i] = rows[i]


@kernel(lean=True)
def pay(
    tables: Tables, values: State, player: int, over: np.uint64, out: Reals, k: int, size: int
) -> tuple[np.uint64, np.uint64]:
    """Write what a player gets in positions that are over: the first of its goals that holds.

    The positions are those of word `k`, and `out` has a place for each; with a `size` of 0 they are
    one, whose slots are bits of `values`.  Return where no goal holds, and where several do.
    """
    ints = tables.ints
    at = np.int64(ints[ints[h.PAYS_AT] + player])
    left, several = over, ZERO
    for place in range(at + 2, at + 2 + 2 * np.int64(ints[at]), 2):
        literal = np.int64(ints[place + 1])
        if size == 0:
            held = values[np.uint64(literal >> 7)] >> np.uint64((literal >> 1) & 63)
            held ^= np.uint64(literal & 1)
        else:
            held = literal_word(values, literal, k, size)
        held &= over
        several |= held & ~left
        paid = held & left
        left &= ~held
        while paid != ZERO:
            out[lowest_bit(paid)] = np.float64(ints[place])
            paid &= paid - ONE
    none = left
    while left != ZERO:
        out[lowest_bit(left)] = np.float64(ints[at + 1])
        left &= left - ONE
    return none, several
