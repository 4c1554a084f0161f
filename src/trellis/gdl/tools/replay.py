"""Playing recorded matches through an evaluator, and comparing all that they say.

Every step is compared by itself, from the recorded state on, so that one fault does not hide the
next one.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, BadRecord, IllegalMove, shorten
from trellis.gdl.evaluators.machine import CircuitMachine, Facts, LaneMachine, Machine
from trellis.gdl.language.kif import write
from trellis.gdl.language.terms import Term
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.records import Playout, Step

EVALUATORS = ("event", "lanes64", "lanes256", "forward")
_ALSO = {"circuit": "event", "lanes": "lanes64"}

Write = Callable[[Term], str]


@dataclass
class Difference:
    """Where a record and an evaluator first differ: what was recorded, and what was found.

    Of states and legal moves only what differs is listed.
    """

    playout: int  # counted from 0 over all records
    step: int  # counted from 0
    what: str  # "state", "terminal", "goals" or "legal"
    expected: Any
    got: Any


@dataclass
class Replay:
    """What came of it; `agree` counts the steps that agree in all."""

    playouts: int = 0
    steps: int = 0
    agree: int = 0
    first_difference: Difference | None = None
    source: str = ""  # where the playout that differs was read

    def to_dict(self) -> dict[str, Any]:
        """Return what programs read."""
        facts = asdict(self)
        del facts["source"]
        return facts


def evaluator_name(name: str, expected: str = f"{', '.join(EVALUATORS)} or auto") -> str:
    """Return the evaluator a name stands for, or refuse it, saying what was `expected`."""
    name = name.strip()
    if _ALSO.get(name, name) not in EVALUATORS:
        raise BadParameter(f"bad evaluator {shorten(name)}: expected {expected}")
    return _ALSO.get(name, name)


def machine_of(sheet: Sheet, evaluator: str) -> Machine:
    """Make the machine of an evaluator."""
    evaluator = evaluator_name(evaluator)
    if evaluator == "forward":
        return sheet.forward
    if evaluator == "event":
        return CircuitMachine(sheet.circuit)
    return LaneMachine(sheet.circuit, 64 if evaluator == "lanes64" else 256)


def replay(
    machine: Machine,
    records: Iterable[Playout],
    text: Write = write,
    progress: Progress | None = None,
) -> Replay:
    """Compare every state, legal move, end and goal of records with what a machine says."""
    report = Replay()
    for playout in records:
        _Player(machine, playout, report, text).run()
        report.playouts += 1
        if progress is not None:
            # How many there will be is not known: records are read one by one.
            progress(0.5, f"{report.playouts:,} playouts, {report.steps:,} steps")
    return report


class _Player:
    """Plays one record."""

    def __init__(self, machine: Machine, playout: Playout, report: Replay, text: Write) -> None:
        self.machine, self.playout, self.report, self.text = machine, playout, report, text
        roles = [str(role) for role in machine.roles]
        given = playout.roles if playout.roles is not None else roles
        if sorted(given) != sorted(roles):
            raise BadRecord(
                f"{playout.source}: recorded with the roles {_names(given)}; "
                f"the sheet has {_names(roles)}"
            )
        # The place in the record of each role of the machine.
        self.places = [given.index(role) for role in roles]

    def run(self) -> None:
        following: Facts | None = self.machine.initial()
        for number, step in enumerate(self.playout.steps):
            differences = list(self._compare(step, following))
            following, state = None, step.state
            if state is not None and step.joint is not None:
                joint = self._by_role(step.joint, number)
                try:
                    following = self.machine.next(state, joint)
                except (KeyError, IllegalMove):
                    if not any(what in ("state", "legal") for what, _, _ in differences):
                        differences.append(("legal", [self.text(move) for move in joint], None))
            self.report.steps += 1
            self.report.agree += not differences
            if differences and self.report.first_difference is None:
                what, expected, got = differences[0]
                self.report.source = self.playout.source
                self.report.first_difference = Difference(
                    self.report.playouts, number, what, expected, got
                )

    def _compare(self, step: Step, following: Facts | None) -> Iterable[tuple[str, Any, Any]]:
        state = step.state
        if state is None:
            return
        if following is not None and following != state:
            yield "state", self._texts(state - following), self._texts(following - state)
        try:
            terminal = self.machine.terminal(state)
            legal = [frozenset(moves) for moves in self.machine.legal(state)]
            goals = self.machine.goals(state)
        except KeyError as unknown:  # a fact that no play of the sheet can make true
            if following is None or following == state:
                yield "state", [self.text(unknown.args[0])], []
            return
        if step.terminal is not None and step.terminal != terminal:
            yield "terminal", step.terminal, terminal
        if step.goals is not None:
            wanted = self._by_role(step.goals, 0)
            if wanted != goals:
                yield "goals", wanted, goals
        if step.legal is not None:
            moves = self._by_role(step.legal, 0)
            if moves != legal:
                yield (
                    "legal",
                    [self._texts(a - b) for a, b in zip(moves, legal, strict=True)],
                    [self._texts(b - a) for a, b in zip(moves, legal, strict=True)],
                )
        elif step.joint is not None:
            joint = self._by_role(step.joint, 0)
            wrong = [move for move, found in zip(joint, legal, strict=True) if move not in found]
            if wrong:
                yield "legal", self._texts(wrong), []

    def _by_role(self, given: list[Any], number: int) -> list[Any]:
        if len(given) != len(self.places):
            raise BadRecord(
                f"{self.playout.source}: {len(given)} entries for {len(self.places)} roles "
                f"at step {number}"
            )
        return [given[place] for place in self.places]

    def _texts(self, terms: Iterable[Term]) -> list[str]:
        return sorted(self.text(term) for term in terms)


def _names(roles: Iterable[str]) -> str:
    return ", ".join(shorten(role, 30) for role in roles) or "none"
