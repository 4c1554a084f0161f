"""One position at a time, all gates: for small circuits, and for positions far from the last one.

It works in the room for 64 positions and looks at the first alone.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO
from trellis.game.rules import Reals, State, Tables
from trellis.gdl.circuit import layout as h
from trellis.gdl.evaluators.lanes import evaluate_records, literal_word, pay


@kernel(lean=True)
def _load(tables: Tables, values: State, state: State) -> None:
    """Write the facts of a position; what is left in higher bits does not matter."""
    for i in range(np.int64(tables.ints[h.LATCHES])):
        values[np.uint64(h.LATCH_SLOT + i)] = state[np.uint64(i >> 6)] >> np.uint64(i & 63)


@kernel(lean=True)
def look_whole(tables: Tables, state: State) -> bool:
    """Write the legal moves that follow from the facts of a state; tell whether it is over."""
    ints = tables.ints
    values = tables.words[ints[h.SLICES_AT] : ints[h.SLICES_AT] + ints[h.SLOTS]]
    _load(tables, values, state)
    evaluate_records(tables, values, 0, ints[h.PRESENT_END], (0,))
    legal_at, latch_words = np.int64(ints[h.LEGAL_AT]), np.int64(ints[h.LATCH_WORDS])
    moves = np.int64(ints[ints[h.ROLES_AT] + ints[h.ROLES]])
    for word in range(np.int64(ints[h.LEGAL_WORDS])):
        bits = ZERO
        for i in range(64 * word, min(moves, 64 * word + 64)):
            legal = literal_word(values, ints[np.uint64(legal_at + i)], 0, 1) & ONE
            bits |= legal << np.uint64(i & 63)
        state[latch_words + word] = bits
    return literal_word(values, ints[h.TERMINAL_AT], 0, 1) & ONE != ZERO


@kernel(lean=True)
def step_whole(tables: Tables, state: State, joint: State) -> None:
    """Write the facts that follow from a joint move, given by numbers counted over all roles."""
    ints = tables.ints
    values = tables.words[ints[h.SLICES_AT] : ints[h.SLICES_AT] + ints[h.SLOTS]]
    _load(tables, values, state)
    first = np.int64(ints[h.DOES_SLOT])
    for i in range(np.int64(ints[ints[h.ROLES_AT] + ints[h.ROLES]])):
        values[np.uint64(first + i)] = ZERO
    for role in range(ints[h.ROLES]):
        values[first + np.int64(joint[role])] = ONE
    evaluate_records(tables, values, 0, ints[h.FUTURE_END], (0,))
    latches, next_at = np.int64(ints[h.LATCHES]), np.int64(ints[h.NEXT_AT])
    for word in range(np.int64(ints[h.LATCH_WORDS])):
        bits = ZERO
        for i in range(64 * word, min(latches, 64 * word + 64)):
            held = literal_word(values, ints[np.uint64(next_at + i)], 0, 1) & ONE
            bits |= held << np.uint64(i & 63)
        state[word] = bits


@kernel(lean=True)
def pay_whole(tables: Tables, state: State, out: Reals) -> None:
    """Write what the players get in a position."""
    ints = tables.ints
    values = tables.words[ints[h.SLICES_AT] : ints[h.SLICES_AT] + ints[h.SLOTS]]
    _load(tables, values, state)
    evaluate_records(tables, values, 0, ints[h.PRESENT_END], (0,))
    evaluate_records(tables, values, ints[h.FUTURE_END], ints[h.PROGRAM_END], (0,))
    for player in range(ints[h.PLAYERS]):
        pay(tables, values, player, ONE, out[player:], 0, 1)
