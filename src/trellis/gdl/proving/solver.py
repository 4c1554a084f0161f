"""A SAT solver that builds gates, keeps to limits, and says when a question was too much for it.

Literals are those of the solver: numbers of variables, negative where negated.  Variable 1 always
holds, so that constants are literals too and gates of constants are not built at all.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Self

import numpy as np
from pysat.solvers import Solver as SatSolver

ALWAYS, NEVER = 1, -1
ENGINE = "glucose4"
_LOOK = 0.02  # seconds between two looks at the clock
_CHECK_EVERY = 2_000  # gates


class OutOfTime(Exception):
    """The time for something is up; what was asked stays open."""


class TooHard(Exception):
    """A question took more conflicts than it may; what was asked stays open."""


class Clock:
    """A moment, and the end of all that is measured by it."""

    now = staticmethod(monotonic)  # a benchmark on a busy machine counts the processor's time

    def __init__(self, seconds: float, outer: "Clock | None" = None) -> None:
        self.end = Clock.now() + seconds
        if outer is not None:
            self.end = min(self.end, outer.end)

    @property
    def left(self) -> float:
        """Return the seconds that are left."""
        return max(0.0, self.end - Clock.now())

    def check(self) -> None:
        """Raise `OutOfTime` where nothing is left."""
        if Clock.now() >= self.end:
            raise OutOfTime


class Watch:
    """Interrupts whichever solver is at work when its time is up; one thread for all of them."""

    def __init__(self) -> None:
        self._working: tuple[SatSolver, float] | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(_LOOK):
            with self._lock:  # nobody may close the solver meanwhile
                if self._working is not None and Clock.now() >= self._working[1]:
                    self._working[0].interrupt()

    def begin(self, solver: SatSolver, clock: Clock) -> None:
        """Watch over a solver from now on."""
        with self._lock:
            self._working = (solver, clock.end)

    def end(self) -> None:
        """Watch over nothing."""
        with self._lock:
            self._working = None


class Solver:
    """Clauses and gates; every gate is made once."""

    def __init__(self, watch: Watch, clock: Clock) -> None:
        self.clock = clock  # may be replaced between questions
        self._watch = watch
        self._sat = SatSolver(ENGINE)
        self._top = ALWAYS
        self._gates: dict[tuple[int, ...], int] = {}
        self.add: Callable[[Sequence[int]], None] = self._sat.add_clause  # one of these holds
        self.add([ALWAYS])

    def close(self) -> None:
        """Give the memory back."""
        self._sat.delete()

    def new(self) -> int:
        """Make a variable."""
        self._top += 1
        return self._top

    def all_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds exactly where all of these do."""
        wanted = set(literals)
        wanted.discard(ALWAYS)
        if NEVER in wanted:
            return NEVER
        if len(wanted) < 2:
            return next(iter(wanted), ALWAYS)
        key = tuple(sorted(wanted))
        found = self._gates.get(key)
        if found is not None:
            return found
        if any(-literal in wanted for literal in key):
            found = NEVER
        else:
            found = self.new()
            for literal in key:
                self.add([-found, literal])
            self.add([found, *(-literal for literal in key)])
            if found % _CHECK_EVERY == 0:
                self.clock.check()
        self._gates[key] = found
        return found

    def any_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds exactly where one of these does."""
        return -self.all_of(-literal for literal in literals)

    def two_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds exactly where at least two of these do.

        A ladder, so that thousands stay linear.
        """
        seen = found = NEVER
        for literal in literals:
            found = self.any_of([found, self.all_of([seen, literal])])
            seen = self.any_of([seen, literal])
        return found

    def at_most_one(self, literals: Iterable[int]) -> None:
        """Let no two of these hold."""
        seen = NEVER
        for literal in literals:
            if seen != NEVER:
                self.add([-seen, -literal])
            seen = self.any_of([seen, literal])

    def ask(self, assumed: Sequence[int], conflicts: int) -> bool:
        """Tell whether all clauses can hold together with what is assumed.

        Raises `TooHard` after so many conflicts, which is the same on every machine, and
        `OutOfTime` when the time is up, which is not.
        """
        if NEVER in assumed:
            return False
        sat, clock = self._sat, self.clock
        before = sat.accum_stats()["conflicts"]
        while True:
            clock.check()
            left = before + conflicts - sat.accum_stats()["conflicts"]
            if left <= 0:
                raise TooHard
            sat.clear_interrupt()
            sat.conf_budget(left)
            self._watch.begin(sat, clock)
            try:
                found = sat.solve_limited(assumptions=assumed, expect_interrupt=True)
            finally:
                self._watch.end()
            if found is not None:
                return bool(found)

    def model(self) -> np.ndarray:
        """Return whether each variable holds in the last answer; by their numbers."""
        found = np.zeros(self._top + 1, bool)
        model = np.array(self._sat.get_model(), np.int64)
        found[np.abs(model)] = model > 0
        return found


def values(model: np.ndarray, literals: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return what literals are in a model."""
    wanted = np.asarray(literals, np.int64)
    return model[np.abs(wanted)] == (wanted > 0)
