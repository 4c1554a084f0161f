"""Random games from many positions, 64 or 256 at once: what searches and random playouts run.

A game that ends makes room for another, so that lanes stay full; each one that was begun is
finished, so short games are not favoured.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, popcount
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT
from trellis.game.rules import BATCH, Random, Reals, State, Tables
from trellis.gdl.circuit import layout as h
from trellis.gdl.evaluators.lanes import choose_moves, evaluate_records, go_on, literal_word, pay

_CHOICE = np.uint64(0xFFFF)  # of a role, in the words behind the one that says who acts
_ACTIVE, _LIVE, _ENDED, _FRESH = range(4)  # masks of lanes
FEW = 1024  # with fewer games most of 256 lanes would soon be idle


@kernel(lean=True)
def _keep_choices(
    tables: Tables, values: State, states: State, at: int, lane: int, k: int, size: int
) -> None:
    """Let roles that had chosen already, in a position that was just begun with, do so."""
    ints = tables.ints
    bit = ONE << np.uint64(lane)
    choices = at + np.int64(ints[h.CONTROL_AT]) + 1
    for role in range(ints[h.ROLES]):
        word = states[choices + (role >> 2)]
        move = np.int64((word >> np.uint64(16 * (role & 3))) & _CHOICE) - 1
        if move >= 0:
            begin, end = np.int64(ints[ints[h.ROLES_AT] + role]), ints[ints[h.ROLES_AT] + role + 1]
            for slot in range(ints[h.DOES_SLOT] + begin, ints[h.DOES_SLOT] + end):
                values[size * slot + k] &= ~bit
            values[size * (ints[h.DOES_SLOT] + begin + move) + k] |= bit


@kernel(lean=True)
def _begin_games(
    tables: Tables, values: State, states: State, leaves: State, born: State, masks: State,
    begun: int, count: int, clock: int, width: tuple[int, ...],
) -> int:  # fmt: skip
    """Begin games in lanes that have ended, which hold the first position; return how many began.

    Only the facts in which a position differs from the first are written, and none where all games
    begin alike.  Lanes in which somebody has chosen already are `fresh`.
    """
    ints = tables.ints
    size = len(width)
    stride, choices = np.int64(ints[h.STATE_WORDS]), np.int64(ints[h.CONTROL_AT]) + 1
    latch_words = np.int64(ints[h.LATCH_WORDS])
    for k in range(size):
        left = masks[_ENDED * size + k]
        while left != ZERO and begun < count:
            lane, bit = lowest_bit(left), left & (ZERO - left)
            left ^= bit
            leaves[np.uint64(64 * k + lane)] = np.uint64(begun)
            born[np.uint64(64 * k + lane)] = np.uint64(clock)
            at = stride * begun
            for word in range(latch_words):
                differ = states[np.uint64(at + word)] ^ states[np.uint64(word)]
                while differ != ZERO:
                    slot = h.LATCH_SLOT + 64 * word + lowest_bit(differ)
                    values[np.uint64(size * slot + k)] ^= bit
                    differ &= differ - ONE
            for word in range(choices, stride):
                if states[np.uint64(at + word)] != ZERO:
                    masks[_FRESH * size + k] |= bit
            begun += 1
        masks[_ACTIVE * size + k] &= ~left
    return begun


@kernel(lean=True)
def _pay_leaves(
    tables: Tables, values: State, ended: State, leaves: State, out: Reals, width: tuple[int, ...]
) -> None:
    """Write what the players of games that have ended get."""
    players, size = np.int64(tables.ints[h.PLAYERS]), len(width)
    paid = tables.reals[h.PAID_AT :]
    evaluate_records(tables, values, tables.ints[h.FUTURE_END], tables.ints[h.PROGRAM_END], width)
    for k in range(size):
        for player in range(players):
            left = ended[k]
            pay(tables, values, player, left, paid, k, size)
            while left != ZERO:
                lane = lowest_bit(left)
                left &= left - ONE
                out[np.int64(leaves[64 * k + lane]) * players + player] = paid[lane]


@kernel(lean=True)
def _play(
    tables: Tables, states: State, count: int, rng: Random, out: Reals, width: tuple[int, ...]
) -> int:
    """Play one random game from each position; return how many steps they took in all."""
    ints, words = tables.ints, tables.words
    size = len(width)
    stride = np.int64(ints[h.STATE_WORDS])
    at = np.int64(ints[h.SLICES_AT])
    values = words[at : at + size * np.int64(ints[h.SLOTS])]
    at += size * np.int64(ints[h.SLOTS])
    leaves, born = words[at : at + 64 * size], words[at + 64 * size : at + 128 * size]
    at += 128 * size
    masks = words[at : at + 4 * size]
    active, live, ended, fresh = masks, masks[size:], masks[2 * size :], masks[3 * size :]
    rows = words[at + 4 * size :]
    for i in range(np.int64(ints[h.LATCHES])):
        held = (states[i >> 6] >> np.uint64(i & 63)) & ONE
        for k in range(size):
            values[size * (h.LATCH_SLOT + i) + k] = ZERO - held
    for k in range(size):
        active[k], ended[k], fresh[k] = ~ZERO, ~ZERO, ZERO
    begun = _begin_games(tables, values, states, leaves, born, masks, 0, count, 0, width)
    steps, clock, playing = 0, 0, ONE
    while playing != ZERO:
        if is_halted(rng):
            return HALTED
        evaluate_records(tables, values, 0, ints[h.PRESENT_END], width)
        for k in range(size):
            live[k] = active[k] & ~literal_word(values, ints[h.TERMINAL_AT], k, size)
        choose_moves(tables, values, rows, live, rng, width)
        over, playing = ZERO, ZERO
        for k in range(size):
            while fresh[k] != ZERO:
                lane = lowest_bit(fresh[k])
                fresh[k] &= fresh[k] - ONE
                leaf = np.int64(leaves[64 * k + lane])
                _keep_choices(tables, values, states, leaf * stride, lane, k, size)
            ended[k] = active[k] & ~live[k]  # some because a role has no move
            over |= ended[k]
            steps += popcount(live[k])
        if over != ZERO:
            _pay_leaves(tables, values, ended, leaves, out, width)
        go_on(tables, values, rows, live, over != ZERO and begun < count, states, width)
        clock += 1
        if over != ZERO:
            begun = _begin_games(
                tables, values, states, leaves, born, masks, begun, count, clock, width
            )
        for k in range(size):
            playing |= active[k]
        if clock & 0xFFF == 0:
            for lane in range(64 * size):
                plays = (active[lane >> 6] >> np.uint64(lane & 63)) & ONE != ZERO
                if plays and clock - np.int64(born[lane]) > LONGEST_PLAYOUT:
                    return ENDLESS
    return steps


@kernel(BATCH)
def play_leaves(tables: Tables, states: State, count: int, rng: Random, out: Reals) -> int:
    """Play one random game from each of many positions; return steps, or a failure."""
    if tables.ints[h.LANES] == 256 and count >= FEW:
        return _play(tables, states, count, rng, out, (0, 0, 0, 0))
    return _play(tables, states, count, rng, out, (0,))
