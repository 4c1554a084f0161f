"""A state machine over facts: what a rulesheet says, whichever evaluator computes it.

A state is the set of facts that are true in it, nothing hidden and nothing skipped: what records
of matches hold, and what evaluators are compared by.
"""

from collections.abc import Sequence
from typing import Protocol

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import I64, TABLES, U64, Counts, State, Tables
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.layout import (
    FUTURE_END,
    GOALS_AT,
    LATCH_WORDS,
    OUT_WORDS,
    OUTS_AT,
    PROGRAM_END,
    ROLES,
    TERMINAL_OUT,
    VALUES_AT,
    lay_out,
)
from trellis.gdl.evaluators.event import evaluate, prepare
from trellis.gdl.language.terms import Term
from trellis.gdl.rules import bring_to, make_moves, set_move

Facts = frozenset[Term]


@kernel(nt.void(TABLES, U64, U64))
def look(tables: Tables, facts: State, out: State) -> None:
    """Bring the working memory to some facts, goals included; copy what is given out."""
    ints = tables.ints
    prepare(tables)
    bring_to(tables, facts)
    evaluate(tables, ints[FUTURE_END], ints[PROGRAM_END])
    for i in range(ints[OUT_WORDS]):
        out[i] = tables.words[ints[OUTS_AT] + i]


@kernel(nt.void(TABLES, U64, I64))
def step(tables: Tables, facts: State, joint: Counts) -> None:
    """Make a joint move, given by numbers of moves of each role."""
    ints = tables.ints
    prepare(tables)
    bring_to(tables, facts)
    for role in range(ints[ROLES]):
        set_move(tables, role, joint[role])
    make_moves(tables, facts)


class Machine(Protocol):
    """What every evaluator offers."""

    @property
    def roles(self) -> list[str]:
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

    def next(self, state: Facts, joint: Sequence[Term]) -> Facts:
        """Return the state after a joint move."""
        ...


class CircuitMachine:
    """A circuit, one position at a time, by events."""

    def __init__(self, circuit: Circuit, tables: Tables | None = None) -> None:
        self.circuit = circuit
        self.tables = lay_out(circuit) if tables is None else tables
        self.roles = circuit.roles
        self._place = {latch.fact: i for i, latch in enumerate(circuit.latches)}
        self._always = frozenset(circuit.constant)
        self._numbers = [{move.term: i for i, move in enumerate(moves)} for moves in circuit.moves]

    def _words(self, state: Facts) -> State:
        words = np.zeros(self.tables.ints[LATCH_WORDS], np.uint64)
        for fact in state - self._always:
            i = self._place[fact]
            words[i // 64] |= np.uint64(1 << (i % 64))
        return words

    def _facts(self, words: State) -> Facts:
        found = [
            latch.fact
            for i, latch in enumerate(self.circuit.latches)
            if int(words[i // 64]) >> (i % 64) & 1
        ]
        return self._always.union(found)

    def _outputs(self, state: Facts) -> State:
        out = np.zeros(self.tables.ints[OUT_WORDS], np.uint64)
        look(self.tables, self._words(state), out)
        return out

    def initial(self) -> Facts:
        """Return the facts of the first state."""
        return self._always.union(latch.fact for latch in self.circuit.latches if latch.first)

    def terminal(self, state: Facts) -> bool:
        """Tell whether the game is over."""
        bit = int(self.tables.ints[TERMINAL_OUT])
        return bool(int(self._outputs(state)[bit // 64]) >> (bit % 64) & 1)

    def legal(self, state: Facts) -> list[list[Term]]:
        """List the legal moves of each role."""
        out = self._outputs(state)
        bit = 64 * int(self.tables.ints[LATCH_WORDS])
        found: list[list[Term]] = []
        for moves in self.circuit.moves:
            found.append([])
            for move in moves:
                if int(out[bit // 64]) >> (bit % 64) & 1:
                    found[-1].append(move.term)
                bit += 1
        return found

    def goals(self, state: Facts) -> list[int | None]:
        """Return the goal of each role; None where none holds, or more than one."""
        return [held[0] if len(held) == 1 else None for held in self.all_goals(state)]

    def all_goals(self, state: Facts) -> list[list[int]]:
        """Return the goals that hold for each role: one, where a sheet is as it should be."""
        self._outputs(state)
        ints, words = self.tables.ints, self.tables.words
        at = int(ints[GOALS_AT])
        found: list[list[int]] = []
        for _ in self.roles:
            pairs = ints[at + 1 : at + 1 + 2 * ints[at]].reshape(-1, 2).tolist()
            at += 1 + 2 * int(ints[at])
            held = [
                int(goal)
                for goal, literal in pairs
                if int(words[ints[VALUES_AT] + literal // 128]) >> (literal // 2 % 64) & 1
                != literal % 2
            ]
            found.append(held)
        return found

    def next(self, state: Facts, joint: Sequence[Term]) -> Facts:
        """Return the state after a joint move."""
        numbers = [self._numbers[role][move] for role, move in enumerate(joint)]
        words = self._words(state)
        step(self.tables, words, np.array(numbers, np.int64))
        return self._facts(words)
