"""All plays of so many steps at once, from the first state: finds what breaks a property.

Where no further step exists, all games have been looked at, and what was not found is not there.
"""

from collections.abc import Sequence
from contextlib import suppress

from trellis.gdl.circuit.build import Circuit
from trellis.gdl.proving.facts import Play
from trellis.gdl.proving.frames import Frame, first_state
from trellis.gdl.proving.guesses import Guess
from trellis.gdl.proving.invariants import assert_holds
from trellis.gdl.proving.properties import Broken
from trellis.gdl.proving.solver import Clock, TooHard, Watch

CONFLICTS = 200_000  # that a question may take
MOST_DEPTH = 300
RETURNS = 3  # steps of each role after which a state may come again


class Bounded:
    """Steps from the first state; may be stopped and taken up again."""

    def __init__(self, circuit: Circuit, watch: Watch, clock: Clock) -> None:
        self.circuit = circuit
        self.frames: list[Frame] = [first_state(circuit, watch, clock)]
        self.solver = self.frames[0].solver
        self.ended = False  # no game makes more steps than were looked at
        self.depth = 0  # of the state that is looked at
        self.known: list[Guess] = []
        self.not_decided: set[str] = set()  # properties with a question that was too hard
        self._asked: set[str] = set()  # of this depth

    def run(self, broken: dict[str, Broken], clock: Clock, returns: bool) -> dict[str, Play]:
        """Go on until something is broken, the time is up or no game goes on; tell what was found.

        With `returns`, also look for a play that comes back to a position, called `max_steps`.
        Always give the same properties, or fewer: one that comes late was not asked for before.
        """
        self.solver.clock = clock
        if returns:
            broken = {**broken, "max_steps": self._comes_back}
        while not self.ended and self.depth <= MOST_DEPTH:
            frame = self.frames[-1]
            for name, where in broken.items():
                if name in self._asked:
                    continue
                self._asked.add(name)
                try:
                    claim = where(frame)
                    if self.solver.ask([claim], CONFLICTS):
                        return {name: self._play()}
                    self.solver.add([-claim])
                except TooHard:
                    self.not_decided.add(name)
                except BaseException:
                    self._asked.discard(name)
                    raise
            self._go_on()
        return {}

    def learn(self, invariants: Sequence[Guess]) -> None:
        """Take invariants for granted, in the states that are looked at from now on.

        They follow from the rules, and make answers quicker.
        """
        self.known = list(invariants)

    def _comes_back(self, frame: Frame) -> int:
        """Say where a state is one of the last few that came before: play need never end."""
        solver = self.solver
        same = []
        for before in self.frames[-1 - RETURNS * len(self.circuit.roles) : -1]:
            equal = []
            for latch in range(len(self.circuit.latches)):
                a, b = before.fact(2 * latch), frame.fact(2 * latch)
                equal += [-solver.all_of([a, -b]), -solver.all_of([-a, b])]
            same.append(solver.all_of(equal))
        return solver.any_of(same)

    def _go_on(self) -> None:
        """Make one more step."""
        following = self.frames[-1].step()
        for latch in range(len(self.circuit.latches)):  # now, so that nothing is nested deeply
            following.fact(2 * latch)
        for invariant in self.known:
            assert_holds(following, invariant)
        with suppress(TooHard):  # then it may go on
            self.ended = not self.solver.ask([], CONFLICTS)
        if not self.ended:
            self.frames.append(following)
            self.depth += 1
            self._asked.clear()

    def _play(self) -> Play:
        model = self.solver.model()
        return tuple(frame.moves_in(model) for frame in self.frames[:-1])
