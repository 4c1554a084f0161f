"""One state at a time through the sliced evaluator, to compare it with the others.

Each state goes to the next lane, and the others keep what they had before: lanes that disturb each
other would be found out.
"""

from collections.abc import Sequence

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO
from trellis.game.rules import I64, TABLES, U64, Counts, State, Tables
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.layout import (
    DOES_SLOT,
    FUTURE_END,
    GOALS_AT,
    LATCH_SLOT,
    LATCH_WORDS,
    LATCHES,
    LEGAL_AT,
    NEXT_AT,
    PRESENT_END,
    PROGRAM_END,
    ROLES,
    ROLES_AT,
    SLOTS,
    TERMINAL_AT,
    lay_out,
)
from trellis.gdl.evaluators.lanes import evaluate_slices, literal_word
from trellis.gdl.language.terms import Term

Facts = frozenset[Term]


@kernel()
def _set(values: State, at: int, lane: int, truth: bool) -> None:
    """Set the bit of one lane."""
    bit = ONE << np.uint64(lane & 63)
    if truth:
        values[at + (lane >> 6)] |= bit
    else:
        values[at + (lane >> 6)] &= ~bit


@kernel()
def _get(values: State, literal: int, lane: int, size: int) -> np.uint64:
    """Return what a literal is in one lane."""
    word = literal_word(values, literal, lane >> 6, size)
    return (word >> np.uint64(lane & 63)) & ONE


@kernel()
def _look(
    tables: Tables, values: State, lane: int, facts: State, out: Counts, width: tuple[int, ...]
) -> None:
    """Put facts into a lane; write what holds of legal moves, the end, and goals."""
    ints = tables.ints
    size = len(width)
    for i in range(ints[LATCHES]):
        held = (facts[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO
        _set(values, size * (LATCH_SLOT + i), lane, held)
    evaluate_slices(tables, values, 0, ints[PRESENT_END], width)
    evaluate_slices(tables, values, ints[FUTURE_END], ints[PROGRAM_END], width)
    moves = ints[ints[ROLES_AT] + ints[ROLES]]
    for i in range(moves):
        out[i] = np.int64(_get(values, ints[ints[LEGAL_AT] + i], lane, size))
    out[moves] = np.int64(_get(values, ints[TERMINAL_AT], lane, size))
    at, place = ints[GOALS_AT], moves + 1
    for _ in range(ints[ROLES]):
        count = ints[at]
        for i in range(count):
            out[place] = np.int64(_get(values, ints[at + 2 + 2 * i], lane, size))
            place += 1
        at += 1 + 2 * count


@kernel()
def _step(
    tables: Tables, values: State, lane: int, joint: Counts, facts: State, width: tuple[int, ...]
) -> None:
    """Make a joint move in a lane that was looked at; write the facts that follow."""
    ints = tables.ints
    size = len(width)
    for role in range(ints[ROLES]):
        first, last = ints[ints[ROLES_AT] + role], ints[ints[ROLES_AT] + role + 1]
        for move in range(first, last):
            at = size * (ints[DOES_SLOT] + move)
            _set(values, at, lane, move - first == joint[role])
    evaluate_slices(tables, values, ints[PRESENT_END], ints[FUTURE_END], width)
    for i in range(ints[LATCHES]):
        truth = _get(values, ints[ints[NEXT_AT] + i], lane, size)
        facts[i >> 6] |= truth << np.uint64(i & 63)


_LOOK = nt.void(TABLES, U64, nt.int64, U64, I64)
_STEP = nt.void(TABLES, U64, nt.int64, I64, U64)


@kernel(_LOOK)
def look_64(tables: Tables, values: State, lane: int, facts: State, out: Counts) -> None:
    """Look at a state in one of 64 lanes."""
    _look(tables, values, lane, facts, out, (0,))


@kernel(_LOOK)
def look_256(tables: Tables, values: State, lane: int, facts: State, out: Counts) -> None:
    """Look at a state in one of 256 lanes."""
    _look(tables, values, lane, facts, out, (0, 0, 0, 0))


@kernel(_STEP)
def step_64(tables: Tables, values: State, lane: int, joint: Counts, facts: State) -> None:
    """Go on from the state in one of 64 lanes."""
    _step(tables, values, lane, joint, facts, (0,))


@kernel(_STEP)
def step_256(tables: Tables, values: State, lane: int, joint: Counts, facts: State) -> None:
    """Go on from the state in one of 256 lanes."""
    _step(tables, values, lane, joint, facts, (0, 0, 0, 0))


class SlicedMachine:
    """A circuit by the evaluator for many positions, one position at a time."""

    def __init__(self, circuit: Circuit, lanes: int = 64, tables: Tables | None = None) -> None:
        self.circuit, self.lanes = circuit, lanes
        self.tables = lay_out(circuit) if tables is None else tables
        self.roles = circuit.roles
        self._place = {latch.fact: i for i, latch in enumerate(circuit.latches)}
        self._always = frozenset(circuit.constant)
        self._numbers = [{move.term: i for i, move in enumerate(each)} for each in circuit.moves]
        self._values = np.zeros(lanes // 64 * int(self.tables.ints[SLOTS]), np.uint64)
        outputs = sum(map(len, circuit.moves)) + 1 + sum(map(len, circuit.goals))
        self._out = np.zeros(outputs, np.int64)
        self._lane = -1
        self._seen: Facts | None = None

    def _go_to(self, state: Facts) -> list[int]:
        if state is not self._seen:
            words = np.zeros(self.tables.ints[LATCH_WORDS], np.uint64)
            for fact in state - self._always:
                i = self._place[fact]
                words[i // 64] |= np.uint64(1 << (i % 64))
            self._lane = (self._lane + 1) % self.lanes
            look = look_64 if self.lanes == 64 else look_256
            look(self.tables, self._values, self._lane, words, self._out)
            self._seen = state
        return list(self._out.tolist())

    def initial(self) -> Facts:
        """Return the facts of the first state."""
        return self._always.union(latch.fact for latch in self.circuit.latches if latch.first)

    def legal(self, state: Facts) -> list[list[Term]]:
        """List the legal moves of each role."""
        holds = iter(self._go_to(state))
        return [[move.term for move in moves if next(holds)] for moves in self.circuit.moves]

    def terminal(self, state: Facts) -> bool:
        """Tell whether the game is over."""
        return bool(self._go_to(state)[sum(map(len, self.circuit.moves))])

    def goals(self, state: Facts) -> list[int | None]:
        """Return the goal of each role; None where none holds, or more than one."""
        holds = iter(self._go_to(state)[sum(map(len, self.circuit.moves)) + 1 :])
        found: list[int | None] = []
        for goals in self.circuit.goals:
            held = [goal for goal, _ in goals if next(holds)]
            found.append(held[0] if len(held) == 1 else None)
        return found

    def next(self, state: Facts, joint: Sequence[Term]) -> Facts:
        """Return the state after a joint move."""
        numbers = [self._numbers[role][move] for role, move in enumerate(joint)]
        self._go_to(state)
        words = np.zeros(self.tables.ints[LATCH_WORDS], np.uint64)
        step = step_64 if self.lanes == 64 else step_256
        step(self.tables, self._values, self._lane, np.array(numbers, np.int64), words)
        found = [
            latch.fact
            for i, latch in enumerate(self.circuit.latches)
            if int(words[i // 64]) >> (i % 64) & 1
        ]
        return self._always.union(found)
