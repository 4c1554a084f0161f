"""Which question is asked when, and for how long.

Questions have limits of their own, counted in conflicts of the solver, so that the same sheet gets
the same answer on every machine; time is what stops a prover that is out of it.  Every fact has its
own time, so that a hard one does not starve an easy one.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from trellis._kernel.progress import Progress
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.proving import guesses as guessing
from trellis.gdl.proving import properties
from trellis.gdl.proving.bounded import Bounded
from trellis.gdl.proving.facts import NAMES, NOTHING, OBSERVED, PROVEN, REFUTED, Fact, Facts, Play
from trellis.gdl.proving.frames import any_state, first_state
from trellis.gdl.proving.guesses import Guess
from trellis.gdl.proving.invariants import Steps, assert_holds
from trellis.gdl.proving.lanes import Lanes, Seen, watch_play
from trellis.gdl.proving.length import ranking, steps_until_over
from trellis.gdl.proving.properties import Broken, players
from trellis.gdl.proving.replaying import replay_refutation
from trellis.gdl.proving.solver import Clock, OutOfTime, TooHard, Watch

SECONDS = 10.0
USEFUL_LENGTH = 10_000  # steps; a larger bound is no use to anybody
LEAST_PLAY = 0.05  # seconds of random play, even if laying out the circuit took all the time
CONFLICTS = 10_000  # that a question about a property may take
MORE_SEEDS = (1, 2, 3)
FEW_LATCHES = 250  # with more, not all pairs of facts are guessed about
MOST_PAIRS = 6_000


def prove(
    circuit: Circuit,
    *,
    seconds: float = SECONDS,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Facts:
    """Find out what follows from the rules of a circuit, and what does not.

    `only` names the facts (fields of `Facts`) to prove; random play says what it can of the others.
    `progress` is told how much of the time has gone, and what is tried.
    What each fact means is written at `Facts`.
    """
    unknown = set(only or ()) - set(NAMES)
    if unknown:
        raise ValueError(f"{min(unknown)!r} is not a fact: expected {', '.join(NAMES)}")
    wanted = set(NAMES if only is None else only)
    began = Clock.now()
    with Watch() as watch:
        found = _Prover(circuit, Clock(seconds), seconds, wanted, watch, progress).run()
    return Facts(**found, seconds=Clock.now() - began)


class _Prover:
    """One circuit: what is open, and what is known by now."""

    def __init__(
        self, circuit: Circuit, clock: Clock, seconds: float, wanted: set[str], watch: Watch,
        progress: Progress | None,
    ) -> None:  # fmt: skip
        self.circuit, self.clock, self.seconds, self.watch = circuit, clock, seconds, watch
        self.progress = progress
        self.facts: dict[str, Fact] = {}
        self.open: dict[str, Broken] = {}
        self.length_open = "max_steps" in wanted
        self.wanted = wanted
        self.known: list[Guess] = []
        self.steps: Steps | None = None
        self.bounded: Bounded | None = None
        self.asked_with = -1  # invariants that were known when properties were asked for last

    def run(self) -> dict[str, Fact]:
        self._play()
        if properties.looks_at_moves(self.circuit):
            return self.facts
        for part in (
            self._of_any_state,
            self._length_by_simulation,
            self._small_relations,
            partial(self._look_ahead, 1 / 10),
            self._more_play,
            self._large_relations,
            self._length_by_ranking,
            self._all_together,
            self._length_by_ranking,
            partial(self._look_ahead, 1.0),
        ):
            if self.clock.left <= 0.0 or not (self.open or self.length_open):
                break
            part()
        return self.facts

    def say(self, what: str) -> None:
        if self.progress is not None:
            self.progress(1.0 - max(self.clock.left, 0.0) / self.seconds, what)

    # --- limits

    @contextmanager
    def _limited(self, fraction: float) -> Iterator[Clock]:
        """Give something a fraction of the time; what is not finished then stays open."""
        with suppress(OutOfTime):
            yield Clock(self.seconds * fraction, self.clock)

    # --- what play shows

    def _play(self) -> None:
        self.say("random play")
        circuit = self.circuit
        self.tables = lay_out(circuit)
        self.machine = CircuitMachine(circuit, self.tables)
        self.lanes = Lanes(circuit, self.tables)
        limit = Clock(max(LEAST_PLAY, min(self.seconds / 12, self.clock.left)))
        seen = self.seen = watch_play(self.lanes, limit)
        several = len(players(circuit)) > 1
        broken: dict[str, Broken] = {
            "turn_taking": properties.several_choose,
            "always_a_move": properties.somebody_stuck,
            "one_goal": properties.goals_amiss,
        }
        for name in broken:
            met = seen.games if name == "one_goal" else seen.steps
            self.facts[name] = Fact(True, OBSERVED, how=_extent(seen)) if met else NOTHING
        if seen.games and several:
            self.facts["constant_sum"] = Fact(seen.total, OBSERVED, how=_extent(seen))
            if seen.total is not None and not properties.too_many_sums(circuit):
                broken["constant_sum"] = properties.sum_is_not(seen.total)
        else:
            how = "" if several else "asked of two players or more"
            self.facts["constant_sum"] = replace(NOTHING, how=how)
        longest = Fact(seen.longest, OBSERVED, how=_extent(seen))
        self.facts["max_steps"] = longest if seen.games else NOTHING
        for name, play in seen.plays.items():
            if name in NAMES and (several or name != "constant_sum"):
                self._refute(name, play, "random play", seen)
        if not several:
            self.facts["turn_taking"] = Fact(True, PROVEN, how="fewer than two players")
        self.open = {
            name: broken[name]
            for name in ("turn_taking", "always_a_move", "constant_sum", "one_goal")
            if name in broken
            and name in self.wanted
            and not (self.facts[name].proven or self.facts[name].refuted)
        }

    def _more_play(self) -> None:
        """Play on: what is false but rare is better met now than searched for."""
        self.say("more random play")
        limit = Clock(self.seconds / 10, self.clock)
        for seed in MORE_SEEDS:
            if limit.left <= 0.0:
                return
            seen = watch_play(self.lanes, Clock(limit.left / 2), seed)
            for name, play in seen.plays.items():
                if name in self.open or (name == "max_steps" and self.length_open):
                    self._refute(name, play, "random play", seen)

    def _refute(self, name: str, play: Play, how: str, seen: Seen) -> bool:
        """Believe a play if another evaluator finds the same; `seen` has another sum."""
        other = seen.plays.get("first_sum") if name == "constant_sum" else None
        value = None if name in ("constant_sum", "max_steps") else False
        fact = Fact(value, REFUTED, play, how, other)
        if not replay_refutation(self.machine, name, fact, self.circuit):
            return False
        self.facts[name] = fact
        self.open.pop(name, None)
        if name == "max_steps":
            self.length_open = False
        return True

    def _settle(self, name: str, how: str) -> None:
        """Note that a property is proven."""
        value = self.seen.total if name == "constant_sum" else True
        self.facts[name] = Fact(value, PROVEN, how=how)
        del self.open[name]

    def _bound(self, steps: int, how: str) -> None:
        """Note that games end."""
        self.length_open = False
        if steps <= USEFUL_LENGTH:
            self.facts["max_steps"] = Fact(steps, PROVEN, how=how)
        else:
            text = f"{steps:,}" if steps < 10**15 else "more than 10^15"
            how = f"{how}: games end, but the bound of {text} steps is of no use"
            self.facts["max_steps"] = Fact(None, PROVEN, how=how)

    # --- levels

    def _of_any_state(self) -> None:
        self.say("without invariants")
        self._ask("any state at all", "induction", 1 / 40)

    def _ask(self, now: str, before: str, fraction: float = 1 / 12) -> None:
        """Ask of all open properties: of a state with all invariants, and of one after a step."""
        if self.asked_with == len(self.known):
            return
        self.asked_with = len(self.known)
        for name, broken in list(self.open.items()):
            with self._limited(fraction) as clock:
                if self._holds_now(broken, clock):
                    self._settle(name, now)
        with self._limited(1 / 4) as clock:  # encoding a step may take longer than a question
            self._steps(clock)
        for name, broken in list(self.open.items()) if self.steps else ():
            with self._limited(fraction) as clock:
                if self._holds_after(broken, clock):
                    self._settle(name, before)

    def _holds_now(self, broken: Broken, clock: Clock) -> bool:
        """Tell whether no state that satisfies the invariants is broken."""
        frame = any_state(self.circuit, self.watch, clock)
        try:
            claim = broken(frame)
            for invariant in self.known:
                assert_holds(frame, invariant)
            return not frame.solver.ask([claim], CONFLICTS)
        except TooHard:
            return False
        finally:
            frame.solver.close()

    def _holds_after(self, broken: Broken, clock: Clock) -> bool:
        """Tell whether no step from a good state leads to a broken one, nor is the first broken."""
        steps = self._steps(clock)
        now, then = steps.now, steps.then
        try:
            if steps.solver.ask([-broken(now), broken(then)], CONFLICTS):
                return False
            first = first_state(self.circuit, self.watch, clock)
            try:
                return not first.solver.ask([broken(first)], CONFLICTS)
            finally:
                first.solver.close()
        except TooHard:
            return False

    def _steps(self, clock: Clock) -> Steps:
        if self.steps is None:
            made = Steps(self.circuit, self.watch, clock)
            made.learn(self.known)
            self.steps = made
        self.steps.solver.clock = clock
        return self.steps

    def _learn(self, guesses: list[Guess], fraction: float) -> None:
        """Prove what can be proven of some guesses, and keep it."""
        known = set(self.known)
        guesses = [guess for guess in dict.fromkeys(guesses) if guess not in known]
        if not guesses:
            return
        with self._limited(fraction) as clock:
            steps = self._steps(clock)
            found = steps.inductive(guesses, self.lanes, clock)
            self.known += found
            steps.learn(found)

    def _small_relations(self) -> None:
        self.say("invariants of small relations")
        states = self.seen.states
        small = [each for each in guessing.relations(self.circuit) if len(each) <= guessing.SMALL]
        found: list[Guess] = []
        latches: list[int] = []
        for relation in small:
            found += guessing.about_constants(relation, states)
            found += guessing.about_groups(self.circuit, relation, states)
            if len(latches) + len(relation) <= guessing.MOST_SMALL:
                latches += relation
        found += guessing.about_pairs(latches, states, MOST_PAIRS)
        self._learn(found, 1 / 6)
        self._ask(
            "invariants of small relations", "invariants of small relations and the step before"
        )

    def _large_relations(self) -> None:
        self.say("invariants of large relations")
        states = self.seen.states
        self.guessed: list[Guess] = []
        relations = guessing.relations(self.circuit)
        large = [each for each in relations if len(each) > guessing.SMALL]
        for relation in large:
            found = guessing.about_constants(relation, states)
            found += guessing.about_groups(self.circuit, relation, states)
            self.guessed += found
            self._learn(found, 1 / 8)
        self._ask("invariants", "invariants and the step before")

    def _all_together(self) -> None:
        self.say("invariants of all facts")
        latches = range(len(self.circuit.latches))
        found = list(self.guessed)
        if len(latches) <= FEW_LATCHES:
            found += guessing.about_pairs(latches, self.seen.states, MOST_PAIRS)
        self._learn(found, 1 / 4)
        self._ask("invariants of all facts", "invariants of all facts and the step before")

    # --- length

    def _length_by_simulation(self) -> None:
        if not self.length_open:
            return
        self.say("length by simulation")
        with self._limited(1 / 8) as clock:
            steps = steps_until_over(self.circuit, clock)
            if steps is not None:
                self._bound(steps, "simulation of all games at once")

    def _length_by_ranking(self) -> None:
        if not self.length_open:
            return
        self.say("length by ranking")
        with self._limited(1 / 4) as clock:
            bound = ranking(self._steps(clock), self.lanes, self.watch, clock)
            if bound is not None:
                self._bound(bound, "facts that change one way")

    # --- plays

    def _look_ahead(self, fraction: float) -> None:
        """Look at all plays, a step at a time."""
        self.say("all plays of so many steps")
        with self._limited(fraction) as clock:
            if self.bounded is None:
                self.bounded = Bounded(self.circuit, self.watch, clock)
            bounded = self.bounded
            bounded.learn(self.known)
            while self.open or self.length_open:
                found = bounded.run(self.open, clock, returns=self.length_open)
                for name, play in found.items():
                    how = f"all plays of {len(play)} steps"
                    if not self._refute(name, play, how, self.seen):
                        bounded.not_decided.add(name)  # a fixpoint that is not the least
                if found:
                    continue
                if bounded.ended:
                    for name in [each for each in self.open if each not in bounded.not_decided]:
                        self._settle(name, f"all plays to the end, {bounded.depth} steps")
                    most = self.facts["max_steps"]
                    loose = most.proven and (most.value is None or most.value > bounded.depth)
                    if self.length_open or loose:
                        self._bound(bounded.depth, "all plays to the end")
                return


def _extent(seen: Seen) -> str:
    return f"{seen.games:,} random games, {seen.steps:,} steps"
