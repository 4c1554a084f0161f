"""A sheet against the specification by playing it: what no look at the text can tell.

Random play shows states without a legal move, goals that are missing or not unique, facts that get
lost because no rule keeps them, and facts or moves that `base` and `input` do not declare.  It
proves nothing, so it says how much was played, and the line of play that shows a fault.  Stuck
roles and wrong goals that it does not meet are looked for by the prover, which finds lines of play
that random games would need millions of tries for.
"""

from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from time import process_time

from trellis.game.errors import LimitReached, TrellisError
from trellis.gdl.checking.frames import Frames
from trellis.gdl.checking.witness import Joint, Witnesses, describe_line, random_play
from trellis.gdl.circuit.build import RANDOM, Circuit
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.evaluators.machine import CircuitMachine, Machine
from trellis.gdl.forward.store import Store, evaluate
from trellis.gdl.grounding.time_limit import time_limit
from trellis.gdl.language.dependencies import needs, reachable, rename_apart
from trellis.gdl.language.kif import write_briefly
from trellis.gdl.language.terms import Finding, Rule, Term, arguments, is_ground, name_of, unify
from trellis.gdl.proving.prover import prove
from trellis.gdl.rules import MOST_ROLES
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import Survey, survey

STEPS = 20_000  # by the circuit
WALK = 400  # steps of which every fact is looked at
LONGEST = 1_000
FORWARD_SECONDS = 20.0
WALK_SECONDS = 3.0
SEARCH_SECONDS = 2.0  # for a line of play to a fault that was seen
PROVE_SECONDS = 5.0  # for a line of play to a fault that was not
_FRACTION_TO_PROVE = 0.5  # of what is left for the sheet
_EXAMPLES = 3
_MOST_DECLARED = 200_000


def check_by_play(sheet: Sheet, seed: int = 0, steps: int = STEPS) -> list[Finding]:
    """Play a sheet at random; return what it did wrong, in the order of the text."""
    if any(finding.fatal for finding in sheet.findings):
        return []
    return sorted(set(_Check(sheet, seed).run(steps)))


class _Check:
    def __init__(self, sheet: Sheet, seed: int) -> None:
        self.sheet, self.seed = sheet, seed

    def run(self, steps: int) -> Iterable[Finding]:
        sheet = self.sheet
        if not set(sheet.roles) - {RANDOM}:
            yield self.say("role", "the only role is random: nobody could play", "error")
            return
        try:
            circuit = sheet.circuit
        except LimitReached as limit:
            yield self.say("role", f"{limit}; played by forward chaining instead", "note")
            try:
                with time_limit(FORWARD_SECONDS, "playing it"):
                    found = list(self.play_forward())
                yield from found
            except TrellisError as error:
                yield self.say("role", f"forward chaining stopped: {error}", "note")
            return
        except TrellisError as error:
            yield Finding(*self.place("role"), str(error))
            return
        yield from self.goals_in_range(circuit)
        if len(circuit.roles) > MOST_ROLES:
            many = f"{len(circuit.roles)} roles; at most {MOST_ROLES} can play"
            yield self.say("role", many, "error")
            return
        for role, moves in zip(circuit.roles, circuit.moves, strict=True):
            if not moves:
                never = f"{self.name(role)} never has a legal move"
                yield self.say(self.place_of(("role", role)), never, "error")
        if not all(circuit.moves):
            return
        machine, witnesses = CircuitMachine(circuit), Witnesses(list(circuit.roles))
        yield from self.walk(machine, WALK, witnesses)
        seen = survey(lay_out(circuit), self.seed, steps, LONGEST)
        wanted = [name for name in ("stuck", "no_goal", "many_goals") if getattr(seen, name)]
        witnesses.search(machine, self.seed, LONGEST, wanted, SEARCH_SECONDS)
        self.ask_for_faults(circuit, machine, witnesses)
        yield from self.tell(seen, witnesses)

    def ask_for_faults(self, circuit: Circuit, machine: Machine, witnesses: Witnesses) -> None:
        """Have the prover look for stuck roles and wrong goals where random play met none."""
        unmet = {
            "always_a_move": witnesses.stuck is None,
            "one_goal": witnesses.no_goal is None and witnesses.many_goals is None,
        }
        only = [name for name, is_unmet in unmet.items() if is_unmet]
        seconds = min(PROVE_SECONDS, _FRACTION_TO_PROVE * self.sheet.budget.left())
        if not only or not seconds:
            return
        with self.sheet.watched("looking for faults in"):
            known = prove(circuit, seconds=seconds, only=only)
        for name in only:
            play = getattr(known, name).play
            if play is not None:
                witnesses.follow(machine, play)

    def play_forward(self) -> Iterable[Finding]:
        machine = self.sheet.forward
        witnesses = Witnesses([str(role) for role in machine.roles])
        ended, steps = yield from self.walk(machine, WALK // 4, witnesses)
        seen = Survey([], None, steps, ended, stuck=int(witnesses.stuck is not None))
        yield from self.tell(seen, witnesses)

    # --- where to point

    def place(self, name: str) -> tuple[int, int]:
        for rule in self.sheet.rules:
            if rule.name == name:
                return rule.line, rule.column
        return 1, 1

    def place_of(self, wanted: Term) -> tuple[int, int]:
        """Return where the first rule stands that could make a sentence true."""
        for rule in self.sheet.rules:
            if unify(rename_apart(rule.head), wanted, {}):
                return rule.line, rule.column
        return self.place(name_of(wanted))

    def name(self, term: Term) -> str:
        return write_briefly(term, self.sheet.reading.spellings)

    def say(
        self, at: str | tuple[int, int], message: str, level: str = "", line: Sequence[Joint] = ()
    ) -> Finding:
        """Make a finding at the first rule of a relation, or at a place.

        `{line}` in the message becomes the play that shows it.  An error here is what no command
        can play; the stages can still be shown.
        """
        where = self.place(at) if isinstance(at, str) else at
        moves = tuple(" ".join(map(self.name, joint)) for joint in line)
        message = message.replace("{line}", describe_line(moves))
        return Finding(*where, message, fatal=False, level=level, play=moves)

    # --- what is looked at

    def goals_in_range(self, circuit: Circuit) -> Iterable[Finding]:
        heads = [rule.head for rule in self.sheet.rules if rule.name == "goal"]
        written = {arguments(head)[1] for head in heads}  # a look at the text named those
        for role, goals in zip(circuit.roles, circuit.goals, strict=True):
            for value, _ in goals:
                if value > 100 and str(value) not in written:
                    yield self.say("goal", f"{self.name(role)} may get {value}; expected 0 to 100")

    def tell(self, seen: Survey, witnesses: Witnesses) -> Iterable[Finding]:
        """Say what went wrong in play, how often, and how to get there."""
        played = f"in {seen.games:,} random games, {seen.steps:,} steps"
        if witnesses.stuck is not None:
            role, line = witnesses.stuck
            place = self.place_of(("legal", role, "?move"))
            always = not seen.games and not seen.unended
            often = "; a role is stuck at the end of every random game" if always else ""
            if line and seen.stuck and not always:
                often = f"; a role had none {seen.stuck:,} times {played}"
            message = f"{self.name(role)} has no legal move {{line}}{often}"
            yield self.say(place, message, "error" if always else "", line)
        elif seen.stuck:
            yield self.say("legal", f"a role had no legal move {seen.stuck:,} times {played}")
        if seen.games and not seen.steps:
            yield self.say("terminal", "the game is over at the start: nobody could play", "error")
        if witnesses.no_goal is not None:
            role, line = witnesses.no_goal
            often = f"; so {seen.no_goal:,} times {played}" if seen.no_goal else ""
            message = f"{self.name(role)} has no goal at the end {{line}}{often}"
            yield self.say(self.place_of(("goal", role, "?goal")), message, line=line)
        elif seen.no_goal:
            yield self.say("goal", f"no goal for a role {seen.no_goal:,} times {played}")
        if witnesses.many_goals is not None:
            yield self.two_goals(seen, witnesses, played)
        elif seen.many_goals:
            yield self.say(
                "goal", f"more than one goal for a role {seen.many_goals:,} times {played}"
            )
        if seen.unended:
            long = f"{seen.unended:,} random games were not over after {LONGEST:,} steps"
            yield self.say("terminal", long, "note")
        if not seen.games and not seen.unended and not seen.stuck:
            yield self.say("terminal", f"no random game ended in {seen.steps:,} steps", "note")

    def two_goals(self, seen: Survey, witnesses: Witnesses, played: str) -> Finding:
        assert witnesses.many_goals is not None  # noqa: S101  (who asks has looked)
        role, line = witnesses.many_goals
        places = [self.place_of(("goal", role, str(goal))) for goal in witnesses.goals]
        goals = [
            f"{goal} by {place[0]}:{place[1]}"
            for goal, place in zip(witnesses.goals, places, strict=True)
        ]
        count = {2: "two"}.get(len(goals), str(len(goals)))
        often = f"; so {seen.many_goals:,} times {played}" if seen.many_goals else ""
        message = (
            f"{self.name(role)} has {count} goals at the end, {' and '.join(goals)}, "
            f"{{line}}{often}"
        )
        return self.say(places[0], message, line=line)

    def walk(
        self, machine: Machine, steps: int, witnesses: Witnesses
    ) -> Generator[Finding, None, tuple[int, int]]:
        """Play a few games and look at every fact and move; return how many games and steps."""
        declared = self.declared()
        facts: dict[Term, None] = {}
        moves: dict[tuple[str, Term], None] = {}
        named: set[Term] = set()  # moves, whoever makes them
        frames = Frames(self.sheet.rules, machine.initial())
        lost: dict[Term, tuple[Joint, ...]] = {}
        games = made = 0
        end = float("inf")
        for number, moment in enumerate(islice(random_play(machine, self.seed, LONGEST), steps)):
            if number == 1:
                end = process_time() + WALK_SECONDS  # what had to be compiled is by now
            facts.update(dict.fromkeys(moment.state))
            witnesses.note(machine, moment)
            made += moment.before is not None
            games += moment.legal is None
            for role, those in zip(witnesses.roles, moment.legal or (), strict=False):
                moves.update(dict.fromkeys((role, move) for move in those))
                named.update(those)
            if moment.before is not None:
                over = moment.legal is None
                for fact in frames.look(moment.before, moment.state, over, named):
                    yield self.lost(fact, moment.line, frames.is_kept(fact))
                for fact in moment.before - moment.state:
                    lost.setdefault(fact, tuple(moment.line))
            if process_time() > end:
                break
        told: set[str] = set()
        for fact, line in lost.items():
            if name_of(fact) not in told and frames.needed_again(fact):
                told.add(name_of(fact))
                yield self.lost(fact, line)
        if "base" in declared:
            missing: list[Term] = [fact for fact in facts if ("base", fact) not in declared["base"]]
            yield from self.undeclared("base", "becomes true", missing)
        if "input" in declared:
            wrong: list[Term] = [
                ("does", *pair) for pair in moves if ("input", *pair) not in declared["input"]
            ]
            yield from self.undeclared("input", "is legal", wrong)
        return games, made

    def lost(self, fact: Term, line: Sequence[Joint], kept: bool = False) -> Finding:
        """Make a finding of a fact that got lost; `kept`: a rule keeps it in other states."""
        message = (
            f"likely a frame axiom is missing: {self.name(fact)} is true and then gone {{line}}, "
            f"and {'nothing takes its place' if kept else 'no rule could keep it'}"
        )
        made: Term = ("next", (name_of(fact), *(f"?{i}" for i in range(len(arguments(fact))))))
        for rule in self.sheet.rules:
            if rule.name == "next" and unify(rename_apart(rule.head), made, {}):
                return self.say((rule.line, rule.column), message, line=line)
        return self.say(self.place_of(("init", fact)), message, line=line)

    def undeclared(self, name: str, verb: str, wrong: list[Term]) -> Iterable[Finding]:
        if wrong:
            examples = ", ".join(map(self.name, wrong[:_EXAMPLES]))
            more = f" and {len(wrong) - _EXAMPLES:,} more" if len(wrong) > _EXAMPLES else ""
            yield self.say(name, f"{name!r} does not declare what {verb}: {examples}{more}")

    def declared(self) -> dict[str, set[Term]]:
        """Return the facts of `base` and `input`, where there are any that never change."""
        rules: list[Rule] = self.sheet.rules
        edges = needs(rules)
        found: dict[str, set[Term]] = {}
        for name in ("base", "input"):
            below = reachable(edges, [name])
            mine = [rule for rule in rules if rule.name in below]
            unclear = {"true", "does"} & set(below) or not any(rule.name == name for rule in mine)
            if unclear:
                continue
            store = Store()
            try:
                left_out = evaluate(store, mine, _MOST_DECLARED)
            except TrellisError:
                continue  # more than we want to look at
            facts = store.facts(name)
            if name not in left_out and all(map(is_ground, facts)):
                found[name] = set(facts)
        return found
