"""A sheet against the specification by playing it: what no look at the text can tell.

Random play shows states without a legal move, goals that are missing or not unique, and facts or
moves that `base` and `input` do not declare.  It proves nothing, so it says how much was played.
"""

from collections.abc import Iterable
from random import Random

from trellis.game.errors import LimitReached, TrellisError, shorten
from trellis.gdl.automaton import MOST_ROLES
from trellis.gdl.circuit import RANDOM, Circuit
from trellis.gdl.clock import time_limit
from trellis.gdl.graph import needs, reachable
from trellis.gdl.layout import lay_out
from trellis.gdl.machine import CircuitMachine, Facts, Machine
from trellis.gdl.sheet import Sheet
from trellis.gdl.store import Store, evaluate
from trellis.gdl.survey import survey
from trellis.gdl.terms import Finding, Rule, Term, arguments, is_ground, name_of

STEPS = 20_000  # by the circuit
WALK = 400  # steps of which every fact is looked at
LONGEST = 1_000
FORWARD_SECONDS = 20.0
_EXAMPLES = 3
_LONG = 60  # characters of a name
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
        machine: Machine
        if not set(sheet.roles) - {RANDOM}:
            yield self.error("role", "the only role is random: nobody could play")
            return
        try:
            circuit = sheet.circuit
        except LimitReached as limit:
            yield self.note("role", f"{limit}; played by forward chaining instead")
            try:
                with time_limit(FORWARD_SECONDS, "playing it"):
                    machine = sheet.forward  # type: ignore[assignment]  # its roles are terms
                    found = list(self.walk(machine, WALK // 4))
                yield from found
            except TrellisError as error:
                yield self.warning("role", f"forward chaining stopped: {error}")
            return
        except TrellisError as error:
            yield Finding(*self.place("role"), str(error))
            return
        yield from self.goals_in_range(circuit)
        if len(circuit.roles) > MOST_ROLES:
            yield self.error("role", f"{len(circuit.roles)} roles; at most {MOST_ROLES} can play")
            return
        unable = [
            role for role, moves in zip(circuit.roles, circuit.moves, strict=True) if not moves
        ]
        for role in unable:
            yield self.error("legal", f"{self.name(role)} never has a legal move")
        if unable:
            return
        yield from self.look(circuit, steps)
        yield from self.walk(CircuitMachine(circuit), WALK)

    # --- where to point

    def place(self, name: str) -> tuple[int, int]:
        for rule in self.sheet.rules:
            if name_of(rule.head) == name:
                return rule.line, rule.column
        return 1, 1

    def name(self, term: Term) -> str:
        text = self.sheet.write(term)
        return text if len(text) <= _LONG and text.isprintable() else shorten(text, _LONG)

    def error(self, name: str, message: str) -> Finding:
        """Make a finding that no command can play; the stages can still be shown."""
        return Finding(*self.place(name), message, fatal=False, level="error")

    def warning(self, name: str, message: str) -> Finding:
        return Finding(*self.place(name), message, fatal=False)

    def note(self, name: str, message: str) -> Finding:
        return Finding(*self.place(name), message, fatal=False, level="note")

    # --- what is looked at

    def goals_in_range(self, circuit: Circuit) -> Iterable[Finding]:
        heads = [rule.head for rule in self.sheet.rules if name_of(rule.head) == "goal"]
        written = {arguments(head)[1] for head in heads}  # a look at the text named those
        for role, goals in zip(circuit.roles, circuit.goals, strict=True):
            for value, _ in goals:
                if value > 100 and str(value) not in written:
                    yield self.warning(
                        "goal", f"{self.name(role)} may get {value}; expected 0 to 100"
                    )

    def look(self, circuit: Circuit, steps: int) -> Iterable[Finding]:
        """Play many steps and count."""
        seen = survey(lay_out(circuit), self.seed, steps, LONGEST)
        played = f"in {seen.games:,} random games, {seen.steps:,} steps"
        if seen.stuck and not seen.games and not seen.unended:
            where = "in the first state" if not seen.steps else "at the end of every random game"
            yield self.error("legal", f"a role has no legal move {where}: nobody could play")
        elif seen.stuck:
            yield self.warning("legal", f"a role had no legal move {seen.stuck:,} times {played}")
        if seen.games and not seen.steps:
            yield self.error("terminal", "the game is over at the start: nobody could play")
        if seen.no_goal:
            yield self.warning("goal", f"no goal for a role {seen.no_goal:,} times {played}")
        if seen.many_goals:
            yield self.warning(
                "goal", f"more than one goal for a role {seen.many_goals:,} times {played}"
            )
        if seen.unended:
            yield self.note(
                "terminal",
                f"{seen.unended:,} random games were not over after {LONGEST:,} steps",
            )
        if not seen.games and not seen.unended and not seen.stuck:
            yield self.note("terminal", f"no random game ended in {seen.steps:,} steps")

    def walk(self, machine: Machine, steps: int) -> Iterable[Finding]:
        """Play a few games and look at every fact and move."""
        declared = self.declared()
        dice = Random(self.seed)
        facts: dict[Term, None] = {}
        moves: dict[tuple[str, Term], None] = {}
        roles = [str(role) for role in machine.roles]
        state: Facts | None = None
        slow = not isinstance(machine, CircuitMachine)
        stuck, moved, ended = "", False, False
        for _ in range(steps):
            state = machine.initial() if state is None else state
            facts.update(dict.fromkeys(state))
            if machine.terminal(state):
                if slow and not moves:
                    yield self.error("terminal", "the game is over at the start: nobody could play")
                if slow:
                    yield from self.goals_of(machine, state, roles)
                ended = True
                state = None
                continue
            legal = machine.legal(state)
            for role, those in zip(roles, legal, strict=True):
                moves.update(dict.fromkeys((role, move) for move in those))
            if not all(legal):
                if slow:
                    stuck = roles[[bool(those) for those in legal].index(False)]
                state = None
                continue
            state = machine.next(state, [dice.choice(those) for those in legal])
            moved = True
        if stuck and ended:
            yield self.warning("legal", f"{self.name(stuck)} has no legal move in some state")
        elif stuck:
            where = "at the end of every random game" if moved else "in the first state"
            yield self.error("legal", f"{self.name(stuck)} has no legal move {where}")
        if "base" in declared:
            missing: list[Term] = [fact for fact in facts if ("base", fact) not in declared["base"]]
            yield from self.undeclared("base", "becomes true", missing)
        if "input" in declared:
            wrong: list[Term] = [
                ("does", *pair) for pair in moves if ("input", *pair) not in declared["input"]
            ]
            yield from self.undeclared("input", "is legal", wrong)

    def goals_of(self, machine: Machine, state: Facts, roles: list[str]) -> Iterable[Finding]:
        for role, goal in zip(roles, machine.goals(state), strict=True):
            if goal is None and role != RANDOM:
                yield self.warning("goal", f"{self.name(role)} has no goal, or several, at an end")

    def undeclared(self, name: str, verb: str, wrong: list[Term]) -> Iterable[Finding]:
        if wrong:
            examples = ", ".join(map(self.name, wrong[:_EXAMPLES]))
            more = f" and {len(wrong) - _EXAMPLES:,} more" if len(wrong) > _EXAMPLES else ""
            yield self.warning(name, f"{name!r} does not declare what {verb}: {examples}{more}")

    def declared(self) -> dict[str, set[Term]]:
        """Return the facts of `base` and `input`, where there are any that never change."""
        rules: list[Rule] = self.sheet.rules
        edges = needs(rules)
        found: dict[str, set[Term]] = {}
        for name in ("base", "input"):
            below = reachable(edges, [name])
            mine = [rule for rule in rules if name_of(rule.head) in below]
            unclear = {"true", "does"} & set(below) or not any(
                name_of(rule.head) == name for rule in mine
            )
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
