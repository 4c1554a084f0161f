"""Many positions at once: bit i of a word is what holds in position i.

A slot is one word for 64 positions, or four words for 256.  A gate is then one or four `and`s for
all of them.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, next_random, nth_bit, popcount
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT
from trellis.game.rules import (
    BATCH,
    Random,
    Reals,
    State,
    Tables,
)
from trellis.gdl.circuit.layout import (
    CONTROL_AT,
    DOES_SLOT,
    FUTURE_END,
    LATCH_SLOT,
    LATCH_WORDS,
    LATCHES,
    LEGAL_AT,
    LOOP,
    NEXT_AT,
    PAYS_AT,
    PLAYERS,
    PRESENT_END,
    PROGRAM,
    PROGRAM_END,
    RECORD,
    ROLES,
    ROLES_AT,
    SLICES_AT,
    SLOTS,
    STATE_WORDS,
    TERMINAL_AT,
)

_FULL = ~ZERO
_S32 = np.uint64(32)
_CHOICE = np.uint64(0xFFFF)  # of a role, in the words behind the one that says who acts
TWO, THREE, FOUR = np.uint64(2), np.uint64(3), np.uint64(4)


@kernel(lean=True)
def _evaluate_group(tables: Tables, values: State, at: int, width: tuple[int, ...]) -> None:
    """Evaluate all gates of a group for all positions."""
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
            _evaluate_group(tables, values, at + RECORD * (i + 1), width)
        changed = ZERO
        for i in range(count):
            atom = size * np.int64(ints[pairs + 2 * i])
            fed = ints[pairs + 2 * i + 1]
            for k in range(size):
                new = literal_word(values, fed, k, size) & ~values[atom + k]
                changed |= new
                values[atom + k] |= new


@kernel(lean=True)
def evaluate_slices(
    tables: Tables, values: State, begin: int, end: int, width: tuple[int, ...]
) -> None:
    """Evaluate records of the program."""
    ints = tables.ints
    i = np.int64(begin)
    while i < end:
        at = np.int64(ints[PROGRAM]) + RECORD * i
        if ints[at] == LOOP:
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
def choose_moves(
    tables: Tables, values: State, rows: State, live: State, rng: Random, role: int,
    width: tuple[int, ...],
) -> None:  # fmt: skip
    """Choose a random legal move of a role in every position that lives.

    Where only one is legal it is made in all positions at once; only the others are looked at one
    by one.  A position in which the role has none does not live any more.
    """
    ints = tables.ints
    size = len(width)
    begin, end = np.int64(ints[ints[ROLES_AT] + role]), np.int64(ints[ints[ROLES_AT] + role + 1])
    legal_at, does = np.int64(ints[LEGAL_AT]), np.int64(ints[DOES_SLOT])
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
            move = (
                begin
                + 64 * block
                + np.int64(nth_bit(rows[np.uint64(64 * block + lane)], np.uint64(number)))
            )
            values[np.uint64(size * (does + move) + k)] |= ONE << np.uint64(lane)


@kernel(lean=True)
def _keep_choices(tables: Tables, values: State, states: State, at: int, lane: int) -> None:
    """Let roles that had chosen already, in a position that was just loaded, do so."""
    ints = tables.ints
    bit = ONE << np.uint64(lane)
    choices = at + np.int64(ints[CONTROL_AT]) + 1
    for role in range(ints[ROLES]):
        word = states[choices + (role >> 2)]
        move = np.int64((word >> np.uint64(16 * (role & 3))) & _CHOICE) - 1
        if move >= 0:
            begin, end = np.int64(ints[ints[ROLES_AT] + role]), ints[ints[ROLES_AT] + role + 1]
            for slot in range(ints[DOES_SLOT] + begin, ints[DOES_SLOT] + end):
                values[slot] &= ~bit
            values[ints[DOES_SLOT] + begin + move] |= bit


@kernel(lean=True)
def _load_lane(tables: Tables, values: State, states: State, at: int, lane: int) -> None:
    """Write the facts of a position into one lane."""
    bit = ONE << np.uint64(lane)
    for i in range(np.int64(tables.ints[LATCHES])):
        slot = np.uint64(LATCH_SLOT + i)
        held = (states[np.uint64(at + (i >> 6))] >> np.uint64(i & 63)) & ONE
        values[slot] = (values[slot] & ~bit) | (held << np.uint64(lane))


@kernel(lean=True)
def _reward_lanes(
    tables: Tables, values: State, ended: np.uint64, leaves: State, out: Reals, players: int
) -> None:
    """Write what the players of the positions that have ended get."""
    ints = tables.ints
    at = np.int64(ints[PAYS_AT])
    for player in range(players):
        left = ended
        first, end = at + 2, at + 2 + 2 * np.int64(ints[at])
        for place in range(first, end, 2):
            held = literal_word(values, ints[place + 1], 0, 1) & left
            left &= ~held  # the first goal counts where there are several
            while held != ZERO:
                leaf = np.int64(leaves[lowest_bit(held)])
                out[leaf * players + player] = np.float64(ints[place])
                held &= held - ONE
        while left != ZERO:  # no goal at all
            leaf = np.int64(leaves[lowest_bit(left)])
            out[leaf * players + player] = np.float64(ints[at + 1])
            left &= left - ONE
        at = end


@kernel(BATCH)
def play_leaves(tables: Tables, states: State, count: int, rng: Random, out: Reals) -> int:
    """Play one random game from each of many positions, 64 at once."""
    ints, words = tables.ints, tables.words
    stride, players = np.int64(ints[STATE_WORDS]), np.int64(ints[PLAYERS])
    begin = np.int64(ints[SLICES_AT])
    values = words[begin : begin + ints[SLOTS]]
    leaves = words[begin + ints[SLOTS] : begin + ints[SLOTS] + 64]
    live = words[begin + ints[SLOTS] + 64 : begin + ints[SLOTS] + 65]
    rows = words[begin + ints[SLOTS] + 65 :]
    latches, next_at = np.int64(ints[LATCHES]), np.int64(ints[NEXT_AT])
    width = (0,)
    begun = min(count, 64)
    active = _FULL if begun == 64 else (ONE << np.uint64(begun)) - ONE
    for word in range(ints[LATCH_WORDS]):
        for lane in range(64):
            rows[lane] = states[lane * stride + word] if lane < begun else ZERO
        _transpose(rows, 0)
        for i in range(64 * word, min(latches, 64 * word + 64)):
            values[LATCH_SLOT + i] = rows[i - 64 * word]
    for lane in range(64):
        leaves[lane] = np.uint64(lane)
    clock, steps = 0, 0
    fresh = active  # positions of which somebody may have chosen already
    while active != ZERO:
        if is_halted(rng):
            return HALTED
        evaluate_slices(tables, values, 0, ints[PRESENT_END], width)
        live[0] = active & ~literal_word(values, ints[TERMINAL_AT], 0, 1)
        for role in range(ints[ROLES]):
            choose_moves(tables, values, rows, live, rng, role, width)
        while fresh != ZERO:
            lane = lowest_bit(fresh)
            fresh &= fresh - ONE
            _keep_choices(tables, values, states, np.int64(leaves[lane]) * stride, lane)
        ended = active & ~live[0]  # some because a role has no move
        if ended != ZERO:
            evaluate_slices(tables, values, ints[FUTURE_END], ints[PROGRAM_END], width)
            _reward_lanes(tables, values, ended, leaves, out, players)
            left = ended
            while left != ZERO:
                lane = lowest_bit(left)
                left &= left - ONE
                if begun < count:
                    leaves[lane] = np.uint64(begun)
                    begun += 1
                else:
                    active &= ~(ONE << np.uint64(lane))
        steps += popcount(live[0])
        evaluate_slices(tables, values, ints[PRESENT_END], ints[FUTURE_END], width)
        for i in range(latches):
            rows[np.uint64(i)] = literal_word(values, ints[np.uint64(next_at + i)], 0, 1)
        for i in range(np.uint64(latches)):
            values[np.uint64(LATCH_SLOT) + i] = rows[i]
        ended &= active
        fresh = ended
        while ended != ZERO:  # these lanes begin with another position
            lane = lowest_bit(ended)
            ended &= ended - ONE
            _load_lane(tables, values, states, np.int64(leaves[lane]) * stride, lane)
        clock += 1
        if clock > LONGEST_PLAYOUT + count:
            return ENDLESS
    return steps
