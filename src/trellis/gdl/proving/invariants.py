"""Guesses that hold in every state that play can reach: proven together, by induction.

They all hold at first.  If a step from a state where all hold can break one, that one is dropped,
and the rest are asked about again, until a whole round drops nothing (Houdini).  What is left holds
in the first state and is kept by every step.  A guess that is too hard to decide is dropped too.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from trellis.game.bits import seeded
from trellis.game.rules import Random
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.proving.frames import Frame, any_state
from trellis.gdl.proving.guesses import Guess, Guesses
from trellis.gdl.proving.lanes import Lanes
from trellis.gdl.proving.solver import ALWAYS, NEVER, Clock, Solver, TooHard, Watch, values

AT_ONCE = 40  # guesses in a question: one about all of them can be far too hard
CONFLICTS = 2_000  # that a question may take


class Steps:
    """Any step from any state, and what is proven of all states that play can reach."""

    def __init__(self, circuit: Circuit, watch: Watch, clock: Clock) -> None:
        self.circuit = circuit
        self.now = any_state(circuit, watch, clock)
        self.then = self.now.step()
        self.solver = self.now.solver
        self.known: list[Guess] = []

    def learn(self, invariants: Iterable[Guess]) -> None:
        """Take invariants for granted from now on."""
        for invariant in invariants:
            self.known.append(invariant)
            assert_holds(self.now, invariant)

    def inductive(self, guesses: Sequence[Guess], lanes: Lanes | None, clock: Clock) -> list[Guess]:
        """Return the guesses that hold at first and that no step breaks, given what is known."""
        self.solver.clock = clock
        return _Houdini(self, Guesses(guesses), lanes).run()


def broken(frame: Frame, guess: Guess) -> int:
    """Return the literal that holds where a guess does not."""
    literals = [frame.fact(each) for each in guess.literals]
    if guess.at_most_one:
        return frame.solver.two_of(literals)
    return frame.solver.all_of(-literal for literal in literals)


def assert_holds(frame: Frame, invariant: Guess) -> None:
    """Let an invariant hold in a state."""
    literals = [frame.fact(each) for each in invariant.literals]
    if invariant.at_most_one:
        frame.solver.at_most_one(literals)
    else:
        frame.solver.add(literals)


class _Houdini:
    """One run: which guesses are alive, and how they are killed."""

    def __init__(self, steps: Steps, guesses: Guesses, lanes: Lanes | None) -> None:
        self.steps, self.guesses, self.lanes = steps, guesses, lanes
        self.solver = steps.solver
        first = np.array([[latch.first for latch in steps.circuit.latches]], bool)
        self.alive = guesses.holding(first)
        self.rng: Random = seeded(1)
        self.now: dict[int, int] = {}  # of each guess: the literal that it is broken now
        self.then: dict[int, int] = {}  # and after the step

    def run(self) -> list[Guess]:
        for number in self._living():
            guess = self.guesses.all[number]
            self.now[number] = broken(self.steps.now, guess)
            self.then[number] = broken(self.steps.then, guess)
        while self._round():
            pass
        return [self.guesses.all[number] for number in self._living()]

    def _living(self) -> list[int]:
        return [int(number) for number in np.flatnonzero(self.alive)]

    def _round(self) -> bool:
        """Ask about all that live, given all that lived at first; tell whether any died."""
        living = self._living()
        given = self.solver.new()
        for number in living:
            if self.now[number] != NEVER:
                self.solver.add([-given, -self.now[number]])
        work = [living[at : at + AT_ONCE] for at in range(0, len(living), AT_ONCE)]
        work.reverse()
        while work:
            chunk = [number for number in work.pop() if self.alive[number]]
            try:
                while chunk and self._ask(given, chunk):
                    chunk = [number for number in chunk if self.alive[number]]
            except TooHard:
                if len(chunk) == 1:
                    self.alive[chunk[0]] = False
                else:
                    middle = (len(chunk) + 1) // 2
                    work += [chunk[middle:], chunk[:middle]]
        self.solver.add([-given])
        return int(self.alive.sum()) < len(living)

    def _ask(self, given: int, chunk: list[int]) -> bool:
        """Look for a step that breaks one of some guesses; kill all that it breaks."""
        claims = [self.then[number] for number in chunk if self.then[number] != NEVER]
        if not claims:
            return False
        question = ALWAYS
        if ALWAYS not in claims:
            question = self.solver.new()
            self.solver.add([-question, *claims])
        found = self.solver.ask([given, question], CONFLICTS)
        model = self.solver.model() if found else None
        if question != ALWAYS:
            self.solver.add([-question])
        if model is None:
            return False
        living = self._living()
        hit = values(model, [self.then[number] for number in living])
        self.alive[np.array(living)[hit]] = False
        if self.lanes is not None:  # the same state, other moves: many wrong guesses die at once
            latches = range(len(self.steps.circuit.latches))
            now = values(model, [self.steps.now.fact(2 * latch) for latch in latches])
            self.alive &= self.guesses.holding(self.lanes.after(now, self.rng))
        return True


def never_true(
    solver: Solver,
    claims: Iterable[int],
    assumed: Sequence[int],
    also: Callable[[np.ndarray], Iterable[int]] = lambda model: (),
) -> set[int]:
    """Return the claims that no model makes true, without those that are too hard to decide.

    `also` may name more claims that can be true, given a model.
    """
    claims = list(dict.fromkeys(claims))
    kept: set[int] = set()
    left = set(claims)
    work = [claims[at : at + AT_ONCE] for at in range(0, len(claims), AT_ONCE)]
    while work:
        chunk = [claim for claim in work.pop() if claim in left]
        try:
            while chunk:
                question = solver.new()
                solver.add([-question, *chunk])
                found = solver.ask([*assumed, question], CONFLICTS)
                model = solver.model() if found else None
                solver.add([-question])
                if model is None:
                    kept.update(chunk)
                    break
                rest = np.array(list(left), np.int64)
                left.difference_update(rest[values(model, rest)].tolist())
                left.difference_update(also(model))
                chunk = [claim for claim in chunk if claim in left]
        except TooHard:
            if len(chunk) > 1:
                middle = len(chunk) // 2
                work += [chunk[:middle], chunk[middle:]]
    return kept
