"""One position at a time, by events: only gates that change are looked at.

The working memory holds the circuit's values for some position.  To go to another one, the
latches that differ are turned, and the change spreads: every gate counts how many of its literals
do not hold, and turns when that becomes none, or one again.  Gates wait in a set of bits and are
taken lowest first, so each is looked at once, after all it asks.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit
from trellis.game.rules import State, Tables
from trellis.gdl.circuit import layout as h

_SIX = np.uint64(6)
_TWELVE = np.uint64(12)
_LOW = np.uint64(63)


@kernel(inline="always")
def bit_of(words: State, at: int, bit: int) -> bool:
    """Return a bit of the words from `at` on."""
    return (words[np.uint64(at + (bit >> 6))] >> np.uint64(bit & 63)) & ONE != ZERO


@kernel(inline="always")
def turn_bit(words: State, at: int, bit: int) -> None:
    """Turn a bit of the words from `at` on."""
    words[np.uint64(at + (bit >> 6))] ^= ONE << np.uint64(bit & 63)


@kernel(lean=True)
def holds(tables: Tables, literal: int) -> bool:
    """Tell whether a literal holds in the working memory."""
    return bit_of(tables.words, tables.ints[h.VALUES_AT], literal >> 1) != (literal & 1 == 1)


@kernel(lean=True)
def evaluate_record(tables: Tables, at: int) -> None:
    """Evaluate all gates of a group, from the values of what they ask."""
    ints, words = tables.ints, tables.words
    values = ints[h.VALUES_AT]
    positive, negative = ints[at + 1], ints[at + 2]
    slot, fan = ints[at + 3], ints[at + 5]
    for _ in range(ints[at + 4]):
        truth = True
        for i in range(positive):
            truth &= bit_of(words, values, ints[fan + i])
        for i in range(positive, positive + negative):
            truth &= not bit_of(words, values, ints[fan + i])
        fan += positive + negative
        if truth != bit_of(words, values, slot):
            turn_bit(words, values, slot)
        slot += 1


@kernel(lean=True)
def evaluate_loop(tables: Tables, at: int) -> None:
    """Evaluate a loop from nothing until its atoms stay the same."""
    ints, words = tables.ints, tables.words
    values = ints[h.VALUES_AT]
    groups, pairs, count = ints[at + 1], ints[at + 2], ints[at + 3]
    for i in range(count):
        if bit_of(words, values, ints[pairs + 2 * i]):
            turn_bit(words, values, ints[pairs + 2 * i])
    changed = True
    while changed:
        for i in range(groups):
            evaluate_record(tables, at + h.RECORD * (i + 1))
        changed = False
        for i in range(count):
            # Atoms only ever come to hold, so this ends.
            atom = ints[pairs + 2 * i]
            if holds(tables, ints[pairs + 2 * i + 1]) and not bit_of(words, values, atom):
                turn_bit(words, values, atom)
                changed = True


@kernel(lean=True)
def evaluate(tables: Tables, begin: int, end: int) -> None:
    """Evaluate the records of the program from `begin` to `end`, all gates."""
    ints = tables.ints
    i = begin
    while i < end:
        at = ints[h.PROGRAM] + h.RECORD * i
        if ints[at] == h.LOOP:
            evaluate_loop(tables, at)
            i += ints[at + 1]
        else:
            evaluate_record(tables, at)
        i += 1


@kernel(lean=True)
def count_unsatisfied(tables: Tables) -> None:
    """Count for every gate the literals that do not hold; write what is given out."""
    ints, words = tables.ints, tables.words
    values, unsatisfied = ints[h.VALUES_AT], ints[h.UNSATISFIED_AT]
    for i in range(ints[h.FUTURE_END]):
        at = ints[h.PROGRAM] + h.RECORD * i
        if ints[at] != h.GROUP:
            continue
        positive, size, fan = ints[at + 1], ints[at + 1] + ints[at + 2], ints[at + 5]
        for gate in range(ints[at + 4]):
            count = 0
            for place in range(size):
                count += bit_of(words, values, ints[fan + place]) != (place < positive)
            fan += size
            ints[unsatisfied + ints[at + 3] + gate] = count
    for i in range(ints[h.OUTS_AT], ints[h.OUTS_AT] + ints[h.OUT_WORDS]):
        words[i] = ZERO
    for i in range(ints[h.LATCHES]):
        if holds(tables, ints[ints[h.NEXT_AT] + i]):
            turn_bit(words, ints[h.OUTS_AT], i)
    first = 64 * ints[h.LATCH_WORDS]
    for i in range(ints[ints[h.ROLES_AT] + ints[h.ROLES]]):
        if holds(tables, ints[ints[h.LEGAL_AT] + i]):
            turn_bit(words, ints[h.OUTS_AT], first + i)
    if holds(tables, ints[h.TERMINAL_AT]):
        turn_bit(words, ints[h.OUTS_AT], ints[h.TERMINAL_OUT])


@kernel(lean=True)
def prepare(tables: Tables) -> None:
    """Fill the working memory for the position without any fact, once."""
    words = tables.words
    if words[tables.ints[h.READY_AT]] == ZERO:
        evaluate(tables, 0, tables.ints[h.PROGRAM_END])
        count_unsatisfied(tables)
        words[tables.ints[h.READY_AT]] = ONE


@kernel(hot=True)
def _count(tables: Tables, begin: int, end: int, change: int) -> None:
    """Let gates count one literal more, or fewer, that does not hold; mark those that turn.

    Without a branch: which of them turn nobody can foretell.
    """
    ints, words = tables.ints, tables.words
    # Unsigned places: for signed ones Numba asks whether they count from the end.
    unsatisfied = np.uint64(ints[h.UNSATISFIED_AT])
    dirty, summary = np.uint64(ints[h.DIRTY_AT]), np.uint64(ints[h.SUMMARY_AT])
    for i in range(np.uint64(begin), np.uint64(end)):
        gate = np.uint64(ints[i])
        before = ints[unsatisfied + gate]
        after = np.int32(before + change)
        ints[unsatisfied + gate] = after
        turns = np.uint64((before == 0) | (after == 0))
        words[dirty + (gate >> _SIX)] |= turns << (gate & _LOW)
        words[summary + (gate >> _TWELVE)] |= turns << ((gate >> _SIX) & _LOW)


@kernel(lean=True)
def spread(tables: Tables, slot: int) -> None:
    """Tell all that ask a slot that it has turned."""
    ints, words = tables.ints, tables.words
    outs, dirty, summary = ints[h.OUTS_AT], ints[h.DIRTY_AT], ints[h.SUMMARY_AT]
    change = -1 if bit_of(words, ints[h.VALUES_AT], slot) else 1
    at = ints[h.ASKED_AT] + 4 * slot
    _count(tables, ints[at], ints[at + 1], change)
    _count(tables, ints[at + 1], ints[at + 2], -change)
    for i in range(np.uint64(ints[at + 2]), np.uint64(ints[at + 3])):
        turn_bit(words, outs, ints[i])
    for i in range(ints[at + 3], ints[at + 4]):
        loop = np.int64(ints[i])
        words[dirty + (loop >> 6)] |= ONE << np.uint64(loop & 63)
        words[summary + (loop >> 12)] |= ONE << np.uint64((loop >> 6) & 63)


@kernel(lean=True)
def turn(tables: Tables, slot: int) -> None:
    """Turn an input."""
    turn_bit(tables.words, tables.ints[h.VALUES_AT], slot)
    spread(tables, slot)


@kernel(lean=True)
def _settle_loop(tables: Tables, at: int) -> None:
    """Evaluate a loop anew and spread what has changed in it."""
    ints, words = tables.ints, tables.words
    values, old = ints[h.VALUES_AT], ints[h.OLD_AT]
    begin, end = ints[at + 4], ints[at + 5]
    for word in range(begin >> 6, ((end - 1) >> 6) + 1):
        words[old + word] = words[values + word]
    evaluate_loop(tables, at)
    for slot in range(begin, end):
        if bit_of(words, old, slot) != bit_of(words, values, slot):
            spread(tables, slot)


@kernel(lean=True)
def settle(tables: Tables, end: int) -> None:
    """Let all changes spread to their end, in slots before `end`; later ones go on waiting."""
    ints, words = tables.ints, tables.words
    values, unsatisfied = ints[h.VALUES_AT], ints[h.UNSATISFIED_AT]
    dirty, summary = ints[h.DIRTY_AT], ints[h.SUMMARY_AT]
    for top in range(((end - 1) >> 12) + 1):
        group = np.uint64(summary + top)
        while words[group] != ZERO:
            place = 64 * top + lowest_bit(words[group])
            here = np.uint64(dirty + place)
            waiting = words[here]
            while waiting != ZERO:
                slot = 64 * place + lowest_bit(waiting)
                if slot >= end:
                    return
                words[here] = waiting & (waiting - ONE)
                count = ints[np.uint64(unsatisfied + slot)]
                if count < 0:
                    _settle_loop(tables, ints[h.PROGRAM] - h.RECORD * (count + 1))
                elif (count == 0) != bit_of(words, values, slot):
                    turn_bit(words, values, slot)
                    spread(tables, slot)
                waiting = words[here]
            words[group] &= words[group] - ONE
