"""Many random games from one position, 64 or 256 at once: the fastest way to play a sheet.

Playouts that end make room for new ones, so that positions stay full; each one that was begun is
finished, so short games are not favoured.
"""

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, popcount
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT
from trellis.game.rules import F64, I64, TABLES, U64, Counts, Random, Reals, State, Tables
from trellis.gdl.circuit.layout import (
    FUTURE_END,
    LATCH_SLOT,
    LATCHES,
    NEXT_AT,
    PAYS_AT,
    PLAYERS,
    PRESENT_END,
    PROGRAM_END,
    ROLES,
    ROLES_AT,
    SLOTS,
    TERMINAL_AT,
)
from trellis.gdl.evaluators.lanes import choose_moves, evaluate_slices, literal_word


@kernel(lean=True)
def _reward(
    tables: Tables, values: State, ended: State, sums: Reals, squares: Reals,
    width: tuple[int, ...],
) -> None:  # fmt: skip
    """Add up the goals of the positions that have ended."""
    ints = tables.ints
    size = len(width)
    at = np.int64(ints[PAYS_AT])
    for player in range(ints[PLAYERS]):
        none, first, end = np.float64(ints[at + 1]), at + 2, at + 2 + 2 * np.int64(ints[at])
        for k in range(size):
            left = ended[k]
            for place in range(first, end, 2):
                held = literal_word(values, ints[place + 1], k, size) & left
                left &= ~held  # the first goal counts where there are several
                goal = np.float64(ints[place])
                sums[player] += goal * popcount(held)
                squares[player] += goal * goal * popcount(held)
            sums[player] += none * popcount(left)
            squares[player] += none * none * popcount(left)
        at = end


@kernel(lean=True)
def _play(
    tables: Tables, values: State, rows: State, masks: State, born: Counts, start: State,
    rng: Random, sums: Reals, squares: Reals, wanted: int, width: tuple[int, ...],
) -> int:  # fmt: skip
    """Play so many random games from one position; return how many steps they took."""
    ints = tables.ints
    size = len(width)
    latches, next_at = np.int64(ints[LATCHES]), np.int64(ints[NEXT_AT])
    active, live, ended = masks[:size], masks[size : 2 * size], masks[2 * size : 3 * size]
    begun, finished, steps, clock = 0, 0, 0, 0
    for k in range(size):
        active[k] = ZERO
        for lane in range(64):
            if begun < wanted:
                active[k] |= ONE << np.uint64(lane)
                born[64 * k + lane] = 0
                begun += 1
    for i in range(latches):
        held = (start[i >> 6] >> np.uint64(i & 63)) & ONE
        for k in range(size):
            values[size * (LATCH_SLOT + i) + k] = ZERO - held
    while finished < wanted:
        if is_halted(rng):
            return HALTED
        evaluate_slices(tables, values, 0, ints[PRESENT_END], width)
        over = 0
        for k in range(size):
            live[k] = active[k] & ~literal_word(values, ints[TERMINAL_AT], k, size)
        for role in range(ints[ROLES]):
            choose_moves(tables, values, rows, live, rng, role, width)
        for k in range(size):
            ended[k] = active[k] & ~live[k]  # some because a role has no move
            over += popcount(ended[k])
            steps += popcount(live[k])
        if over > 0:
            evaluate_slices(tables, values, ints[FUTURE_END], ints[PROGRAM_END], width)
            _reward(tables, values, ended, sums, squares, width)
            finished += over
            for k in range(size):
                left = ended[k]
                while left != ZERO:
                    if begun < wanted:
                        born[64 * k + lowest_bit(left)] = clock
                        begun += 1
                    else:
                        active[k] &= ~(left & (ZERO - left))
                    left &= left - ONE
        evaluate_slices(tables, values, ints[PRESENT_END], ints[FUTURE_END], width)
        for i in range(latches):
            literal = ints[np.uint64(next_at + i)]
            held = ZERO - ((start[np.uint64(i >> 6)] >> np.uint64(i & 63)) & ONE)
            # First into a place apart: another latch may still ask this one.
            for k in range(size):
                following = literal_word(values, literal, k, size)
                rows[np.uint64(size * i + k)] = held ^ ((following ^ held) & live[k])
        for i in range(np.uint64(size * latches)):
            values[np.uint64(size * LATCH_SLOT) + i] = rows[i]
        clock += 1
        if clock & 0xFFF == 0:
            for k in range(size):
                for lane in range(64):
                    old = clock - born[64 * k + lane] > LONGEST_PLAYOUT
                    if old and (active[k] >> np.uint64(lane)) & ONE != ZERO:
                        return ENDLESS
    return steps


_SIGNATURE = nt.int64(TABLES, U64, U64, U64, I64, U64, U64, F64, F64, nt.int64)


@kernel(_SIGNATURE)
def play_64(
    tables: Tables, values: State, rows: State, masks: State, born: Counts, start: State,
    rng: Random, sums: Reals, squares: Reals, wanted: int,
) -> int:  # fmt: skip
    """Play random games, 64 positions at once."""
    return _play(tables, values, rows, masks, born, start, rng, sums, squares, wanted, (0,))


@kernel(_SIGNATURE)
def play_256(
    tables: Tables, values: State, rows: State, masks: State, born: Counts, start: State,
    rng: Random, sums: Reals, squares: Reals, wanted: int,
) -> int:  # fmt: skip
    """Play random games, 256 positions at once."""
    return _play(tables, values, rows, masks, born, start, rng, sums, squares, wanted, (0, 0, 0, 0))


class Slices:
    """Working memory for sliced playouts of one circuit."""

    def __init__(self, tables: Tables, lanes: int = 256) -> None:
        self.tables, self.lanes = tables, lanes
        ints = tables.ints
        width = lanes // 64
        self.values = np.zeros(width * int(ints[SLOTS]), np.uint64)
        moves = int(ints[int(ints[ROLES_AT]) + int(ints[ROLES])])
        self.rows = np.zeros(max(moves + 128, width * int(ints[LATCHES])) + 64, np.uint64)
        self.masks = np.zeros(3 * width, np.uint64)
        self.born = np.zeros(lanes, np.int64)

    def run(self, start: State, games: int, rng: Random, sums: Reals, squares: Reals) -> int:
        """Play so many games from the facts of a position; return steps, or a failure."""
        play = play_64 if self.lanes == 64 else play_256
        return int(
            play(
                self.tables, self.values, self.rows, self.masks, self.born, start, rng,
                sums, squares, games,
            )
        )  # fmt: skip
