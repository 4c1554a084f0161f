"""The circuit as clauses, once for every state in a row of steps.

Only what is asked for is encoded.  A latch has no variable of its own except in a first state of
which nothing is known: in a later state it is the literal it followed from.

Relations that depend on themselves are encoded as any fixpoint, where the rules mean the least.
That allows more than the rules do, so what is proven holds; what is found has to be replayed.
"""

from collections.abc import Sequence

import numpy as np

from trellis.gdl.circuit.build import Circuit, Loop
from trellis.gdl.language.terms import Term
from trellis.gdl.proving.solver import ALWAYS, NEVER, Clock, Solver, Watch, values


class Frame:
    """One state: what its facts are, and all that follows from them, on demand."""

    def __init__(self, solver: Solver, circuit: Circuit, held: Sequence[int]) -> None:
        self.solver, self.circuit = solver, circuit
        self.held = list(held)  # a literal of the solver for each latch
        self._of: list[int] = [0] * len(circuit.net.fan)  # by node; 0 where not encoded yet
        self._of[0] = NEVER
        for latch, literal in zip(circuit.latches, held, strict=True):
            self._of[latch.held >> 1] = literal
        self._loops: dict[int, Loop] = {
            atom >> 1: loop for loop in circuit.loops for atom in loop.atoms
        }
        self._steps = False

    def at(self, literal: int) -> int:
        """Return the solver's literal for one of the circuit."""
        node = literal >> 1
        found = self._of[node]
        if not found:
            self._encode(node)
            found = self._of[node]
        return -found if literal & 1 else found

    def fact(self, given: int) -> int:
        """Return the literal of a fact: twice the latch, plus one where negated."""
        held = self.held[given >> 1]
        return -held if given & 1 else held

    def _encode(self, wanted: int) -> None:
        fan, of = self.circuit.net.fan, self._of
        work, equations = [wanted], list[tuple[int, int]]()
        while True:
            while work:
                node = work[-1]
                if of[node]:
                    work.pop()
                    continue
                parts = fan[node]
                if parts is None:
                    self._input(node, equations)
                    work.pop()
                    continue
                open_ = [literal >> 1 for literal in parts if not of[literal >> 1]]
                if open_:
                    work += open_
                    continue
                of[node] = self.solver.all_of(
                    -of[literal >> 1] if literal & 1 else of[literal >> 1] for literal in parts
                )
                work.pop()
            if not equations:
                return
            atom, fed = equations.pop()
            if not of[fed >> 1]:
                equations.append((atom, fed))
                work.append(fed >> 1)
                continue
            source = -of[fed >> 1] if fed & 1 else of[fed >> 1]
            self.solver.add([-of[atom >> 1], source])
            self.solver.add([of[atom >> 1], -source])

    def _input(self, node: int, equations: list[tuple[int, int]]) -> None:
        """Give a variable to a move, or to all atoms of a loop."""
        loop = self._loops.get(node)
        if loop is None:
            self._of[node] = self.solver.new()
            return
        for atom, fed in zip(loop.atoms, loop.fed_from, strict=True):
            self._of[atom >> 1] = self.solver.new()
            equations.append((atom, fed))

    def step(self) -> "Frame":
        """Let a step be made from here: not over, and one legal move of each role; return the next.

        The clauses say so for good.  The circuit is simplified for exactly one move of each role,
        so nothing that depends on moves means anything without this.
        """
        solver, circuit = self.solver, self.circuit
        if not self._steps:
            solver.add([-self.at(circuit.terminal)])
            for moves in circuit.moves:
                made = []
                for move in moves:
                    legal = self.at(move.legal)
                    if legal == NEVER and not self._of[move.does >> 1]:
                        self._of[move.does >> 1] = NEVER
                    does = self.at(move.does)
                    if does != NEVER:
                        made.append(does)
                        solver.add([-does, legal])
                solver.add(made or [NEVER])
                solver.at_most_one(made)
            self._steps = True
        return _After(self)

    def moves_in(self, model: np.ndarray) -> tuple[Term, ...]:
        """Return the joint move that is made here in a model."""
        joint = []
        for moves in self.circuit.moves:
            made = values(model, [self.at(move.does) for move in moves])
            joint.append(moves[int(np.flatnonzero(made)[0])].term)
        return tuple(joint)


class _After(Frame):
    """The state after a step; a latch is looked up in the frame before when it is asked for."""

    def __init__(self, before: Frame) -> None:
        circuit = before.circuit
        super().__init__(before.solver, circuit, [0] * len(circuit.latches))
        self._before = before
        self._following = {latch.held >> 1: latch.following for latch in circuit.latches}
        self._latch = {latch.held >> 1: i for i, latch in enumerate(circuit.latches)}

    def fact(self, given: int) -> int:
        """Return the literal of a fact: twice the latch, plus one where negated."""
        return self.at(self.circuit.latches[given >> 1].held ^ (given & 1))

    def _input(self, node: int, equations: list[tuple[int, int]]) -> None:
        following = self._following.get(node)
        if following is None:
            super()._input(node, equations)
        else:
            self._of[node] = self.held[self._latch[node]] = self._before.at(following)


def any_state(circuit: Circuit, watch: Watch, clock: Clock) -> Frame:
    """Return a state of which nothing is known."""
    solver = Solver(watch, clock)
    return Frame(solver, circuit, [solver.new() for _ in circuit.latches])


def first_state(circuit: Circuit, watch: Watch, clock: Clock) -> Frame:
    """Return the first state."""
    held = [ALWAYS if latch.first else NEVER for latch in circuit.latches]
    return Frame(Solver(watch, clock), circuit, held)
