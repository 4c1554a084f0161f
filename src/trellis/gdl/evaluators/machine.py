"""A state machine over facts: what a rulesheet says, whichever evaluator computes it.

A state is the set of facts that are true in it, nothing hidden and nothing skipped: what records
of matches hold, and what evaluators are compared by.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Protocol

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE
from trellis.game.rules import I64, TABLES, U64, Counts, State, Tables
from trellis.gdl.circuit import layout as h
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.layout import goals_of, lay_out
from trellis.gdl.evaluators.event import prepare
from trellis.gdl.evaluators.lanes import evaluate_records
from trellis.gdl.language.terms import Term
from trellis.gdl.rules import bring_to, evaluate_goals, make_moves, set_move

Facts = frozenset[Term]


@kernel(nt.void(TABLES, U64, U64))
def look(tables: Tables, facts: State, out: State) -> None:
    """Bring the working memory to some facts, goals included; copy what is given out."""
    ints = tables.ints
    prepare(tables)
    bring_to(tables, facts)
    evaluate_goals(tables)
    for i in range(ints[h.OUT_WORDS]):
        out[i] = tables.words[ints[h.OUTS_AT] + i]


@kernel(nt.void(TABLES, U64, I64))
def step(tables: Tables, facts: State, joint: Counts) -> None:
    """Make a joint move, given by numbers of moves of each role."""
    ints = tables.ints
    prepare(tables)
    bring_to(tables, facts)
    for role in range(ints[h.ROLES]):
        set_move(tables, role, joint[role])
    make_moves(tables, facts)


@kernel(nt.void(TABLES, U64, nt.int64, nt.int64, nt.boolean))
def evaluate_lanes(tables: Tables, values: State, begin: int, end: int, wide: bool) -> None:
    """Evaluate records of the program in 64 or 256 lanes."""
    if wide:
        evaluate_records(tables, values, begin, end, (0, 0, 0, 0))
    else:
        evaluate_records(tables, values, begin, end, (0,))


class Machine(Protocol):
    """What every evaluator offers."""

    @property
    def roles(self) -> Sequence[Term]:
        """The roles, in the order of the sheet."""
        ...

    def initial(self) -> Facts:
        """Return the facts of the first state."""
        ...

    def legal(self, state: Facts) -> list[list[Term]]:
        """List the legal moves of each role."""
        ...

    def terminal(self, state: Facts) -> bool:
        """Tell whether the game is over."""
        ...

    def goals(self, state: Facts) -> list[int | None]:
        """Return the goal of each role; None where there is not exactly one."""
        ...

    def all_goals(self, state: Facts) -> list[list[int]]:
        """Return the goals that hold for each role: one, where a sheet is as it should be."""
        ...

    def next(self, state: Facts, joint: Sequence[Term]) -> Facts:
        """Return the state after a joint move."""
        ...


class _OverFacts:
    """A circuit between facts and the words that an evaluator reads."""

    def __init__(self, circuit: Circuit, tables: Tables | None = None) -> None:
        self.circuit, self.roles = circuit, circuit.roles
        self.tables = tables = lay_out(circuit) if tables is None else tables
        self._place = {latch.fact: i for i, latch in enumerate(circuit.latches)}
        self._always = frozenset(circuit.constant)
        self._numbers = [{move.term: i for i, move in enumerate(moves)} for moves in circuit.moves]
        self._moves = sum(map(len, circuit.moves))
        self._goals = goals_of(tables)
        self._goal_literals = np.array(
            [literal for goals in self._goals for _, literal in goals], np.int64
        )

    def _look(self, words: State) -> np.ndarray:
        """Tell which moves are legal, whether it is over, and which goals hold."""
        raise NotImplementedError

    def _step(self, words: State, joint: Counts) -> None:
        """Make a joint move, given by numbers of moves of each role."""
        raise NotImplementedError

    def _words(self, state: Facts) -> State:
        held = np.zeros(64 * self.tables.ints[h.LATCH_WORDS], np.uint8)
        for fact in state - self._always:
            held[self._place[fact]] = 1
        return np.packbits(held, bitorder="little").view(np.uint64)

    def _facts(self, words: State) -> Facts:
        facts = (latch.fact for latch in self.circuit.latches)
        return self._always.union(compress(facts, _bits(words).tolist()))

    def initial(self) -> Facts:
        """Return the facts of the first state."""
        return self._always.union(latch.fact for latch in self.circuit.latches if latch.first)

    def terminal(self, state: Facts) -> bool:
        """Tell whether the game is over."""
        return bool(self._look(self._words(state))[self._moves])

    def legal(self, state: Facts) -> list[list[Term]]:
        """List the legal moves of each role."""
        holds = iter(self._look(self._words(state)).tolist())
        return [[move.term for move in moves if next(holds)] for moves in self.circuit.moves]

    def goals(self, state: Facts) -> list[int | None]:
        """Return the goal of each role; None where none holds, or more than one."""
        return [held[0] if len(held) == 1 else None for held in self.all_goals(state)]

    def all_goals(self, state: Facts) -> list[list[int]]:
        """Return the goals that hold for each role: one, where a sheet is as it should be."""
        holds = iter(self._look(self._words(state))[self._moves + 1 :].tolist())
        return [[goal for goal, _ in goals if next(holds)] for goals in self._goals]

    def next(self, state: Facts, joint: Sequence[Term]) -> Facts:
        """Return the state after a joint move."""
        numbers = [self._numbers[role][move] for role, move in enumerate(joint)]
        words = self._words(state)
        self._step(words, np.array(numbers, np.int64))
        return self._facts(words)


def _bits(words: State) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), bitorder="little")


class CircuitMachine(_OverFacts):
    """A circuit, one position at a time, by events."""

    def __init__(self, circuit: Circuit, tables: Tables | None = None) -> None:
        super().__init__(circuit, tables)
        self._out = np.zeros(self.tables.ints[h.OUT_WORDS], np.uint64)

    def _look(self, words: State) -> np.ndarray:
        ints = self.tables.ints
        look(self.tables, words, self._out)
        given = _bits(self._out)
        legal = given[64 * ints[h.LATCH_WORDS] :][: self._moves]
        slots = _bits(self.tables.words[ints[h.VALUES_AT] :][: -(-ints[h.SLOTS] // 64)])
        goals = slots[self._goal_literals >> 1] ^ (self._goal_literals & 1)
        return np.concatenate([legal, given[ints[h.TERMINAL_OUT]][None], goals])

    def _step(self, words: State, joint: Counts) -> None:
        step(self.tables, words, joint)


class LaneMachine(_OverFacts):
    """A circuit by the evaluator for many positions, one position at a time.

    Each state goes to the next lane, and the others keep what they had before: lanes that disturb
    each other would be found out.
    """

    def __init__(self, circuit: Circuit, lanes: int) -> None:
        super().__init__(circuit)
        ints = self.tables.ints
        self.lanes, self._lane = lanes, -1
        self._values = np.zeros((ints[h.SLOTS], lanes // 64), np.uint64)
        legal = ints[ints[h.LEGAL_AT] :][: self._moves]
        self._literals = np.concatenate([legal, [ints[h.TERMINAL_AT]], self._goal_literals])
        self._next = ints[ints[h.NEXT_AT] :][: ints[h.LATCHES]].astype(np.int64)
        self._seen = np.zeros(0, np.uint64)

    def _set(self, first: int, truth: np.ndarray) -> None:
        """Write what holds in this lane of the slots from `first` on."""
        slots = self._values[first : first + len(truth), self._lane >> 6]
        bit = np.uint64(1 << (self._lane & 63))
        slots[:] = np.where(truth, slots | bit, slots & ~bit)

    def _get(self, literals: np.ndarray) -> np.ndarray:
        """Return which literals hold in this lane."""
        words = self._values[literals >> 1, self._lane >> 6] >> np.uint64(self._lane & 63)
        return (words & ONE).astype(np.int64) ^ (literals & 1)

    def _evaluate(self, begin: int, end: int) -> None:
        evaluate_lanes(self.tables, self._values.reshape(-1), begin, end, self.lanes == 256)

    def _look(self, words: State) -> np.ndarray:
        ints = self.tables.ints
        if not np.array_equal(words, self._seen):
            self._lane = (self._lane + 1) % self.lanes
            self._seen = words.copy()
            self._set(h.LATCH_SLOT, _bits(words)[: ints[h.LATCHES]])
            self._evaluate(0, ints[h.PRESENT_END])
            self._evaluate(ints[h.FUTURE_END], ints[h.PROGRAM_END])
        return self._get(self._literals)

    def _step(self, words: State, joint: Counts) -> None:
        ints = self.tables.ints
        self._look(words)
        made = np.zeros(self._moves, bool)
        made[ints[ints[h.ROLES_AT] :][: len(joint)] + joint] = True
        self._set(int(ints[h.DOES_SLOT]), made)
        self._evaluate(ints[h.PRESENT_END], ints[h.FUTURE_END])
        held = np.zeros(64 * len(words), np.uint8)
        held[: ints[h.LATCHES]] = self._get(self._next)
        words[:] = np.packbits(held, bitorder="little").view(np.uint64)
