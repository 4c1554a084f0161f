"""A rulesheet and all that is made of it, stage by stage, each made once and when asked for."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path

from trellis._kernel.deadline import LoadBudget
from trellis.game.errors import BadParameter, LimitReached, shorten
from trellis.gdl.checking.check import check
from trellis.gdl.circuit.build import Circuit, build
from trellis.gdl.forward.machine import ForwardMachine
from trellis.gdl.grounding.clingo import GroundProgram, Limits, ground
from trellis.gdl.grounding.time_limit import time_limit
from trellis.gdl.keeping import build_once
from trellis.gdl.language.kif import LARGEST, Reading, read, write
from trellis.gdl.language.magic_sets import on_demand_where_possible
from trellis.gdl.language.mini import to_mini
from trellis.gdl.language.normal import eliminate, to_normal
from trellis.gdl.language.terms import KEYWORDS, Finding, Rule, Term

ASKED_FOR = ("role", "init", "legal", "next", "terminal", "goal")


Watch = Callable[[str, float | None], AbstractContextManager[None]]


def _nobody_watches(what: str, most: float | None) -> AbstractContextManager[None]:
    return nullcontext()


_watch: Watch = _nobody_watches


def on_slow_work(watch: Watch) -> None:
    """Have work that may take long done inside `watch(what, seconds at most, if bounded)`."""
    global _watch
    _watch = watch


def only_what_is_asked(rules: list[Rule]) -> list[Rule]:
    """Rewrite rules to derive only what the six relations that matter ask for."""
    asked = {rule.name for rule in rules if rule.body} - KEYWORDS
    return on_demand_where_possible(rules, ASKED_FOR, asked)


class BadSheet(BadParameter):
    """A rulesheet that cannot run; `findings` holds all that was found."""

    def __init__(self, name: str, findings: list[Finding]) -> None:
        fatal = [finding for finding in findings if finding.fatal]
        first = fatal[0]
        more = f" (and {len(fatal) - 1} more: trellis gdl check)" if len(fatal) > 1 else ""
        super().__init__(f"{name}:{first.line}:{first.column}: {first.message}{more}")
        self.findings = findings


class Sheet:
    """Rules in text, and what follows from them.

    >>> sheet = Sheet.from_file("tic_tac_toe.kif")  # doctest: +SKIP
    >>> sheet.circuit.gates  # doctest: +SKIP
    """

    def __init__(
        self,
        text: str,
        name: str = "sheet",
        limits: Limits | None = None,
        budget: LoadBudget | None = None,
    ) -> None:
        self.name = name
        self.limits = limits or Limits()
        self.budget = budget or LoadBudget()  # what loading may take in all
        self.text = text
        with self.watched("reading"):
            self.reading: Reading = read(text)

    def watched(self, what: str, most: float | None = None) -> AbstractContextManager[None]:
        """Have somebody told that this takes long, where it does."""
        file = Path(self.name).name[:40]  # short enough for a line that is written over and over
        return _watch(f"{what} {file}", most)

    @classmethod
    def from_file(
        cls, path: str | Path, limits: Limits | None = None, budget: LoadBudget | None = None
    ) -> "Sheet":
        """Read a file; the text may be UTF-8 or, in old sheets, Latin-1."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                data = file.read(4 * LARGEST + 1)
        except OSError as error:
            raise BadParameter(
                f"cannot read {shorten(str(path))}: {error.strerror or error}"
            ) from error
        try:
            return cls(data.decode("utf-8-sig"), str(path), limits, budget)
        except UnicodeDecodeError as error:
            sheet = cls(data.decode("latin-1"), str(path), limits, budget)
            if sheet.reading.forms:  # else it is not text at all
                before = data[: error.start]
                line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
                why = f"byte {data[error.start]} is not UTF-8: the file is read as Latin-1"
                sheet.reading.complain(line, column, why, fatal=False)
            return sheet

    @cached_property
    def findings(self) -> list[Finding]:
        """All that a look at the text finds."""
        with self.watched("checking"):
            return check(self.reading)

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules in mini-GDL; refuses a sheet that cannot run."""
        if any(finding.fatal for finding in self.findings):
            raise BadSheet(self.name, self.findings)
        return to_mini(self.reading)

    @cached_property
    def roles(self) -> list[str]:
        """The roles, in the order of the sheet."""
        found = [rule.arguments[0] for rule in self.rules if rule.name == "role" and not rule.body]
        return list(dict.fromkeys(role for role in found if isinstance(role, str)))

    def normal(self, strategy: str = "elimination") -> list[Rule]:
        """Return the rules with at most two literals each."""
        return to_normal(self.rules, strategy)

    @cached_property
    def ground(self) -> GroundProgram:
        """The ground rules; raises `LimitReached` where there are too many."""
        try:
            with time_limit(2 * self.limits.seconds, "grounding"):
                return self._ground(self.rules, self.limits)
        except LimitReached as limit:
            # Some sheets define far more than they ask for.  What is asked for becomes rules too,
            # so this is not the first thing to try.
            fewer = self.limits._replace(
                seconds=self.limits.seconds / 2, rules=self.limits.rules // 2
            )
            try:
                with time_limit(self.limits.seconds, "grounding"):
                    return self._ground(only_what_is_asked(self.rules), fewer)
            except LimitReached:
                raise limit from None

    def _ground(self, rules: list[Rule], limits: Limits) -> GroundProgram:
        with self.watched("rewriting"):
            rules = eliminate(rules)
        # In a thread no time limit interrupts the wait for clingo: it must know by itself.
        seconds = min(limits.seconds, max(self.budget.left(), 0.01))
        with self.watched("grounding", seconds):
            return ground(rules, limits._replace(seconds=seconds))

    @cached_property
    def circuit(self) -> Circuit:
        """The circuit; raises `LimitReached` where grounding explodes."""

        def make() -> Circuit:
            program = self.ground
            with self.watched("building the circuit of"):
                return build(program, self.roles)

        self.rules  # noqa: B018  (refuses what cannot run)
        try:
            return build_once(self.text, self.limits.rules, make)
        except MemoryError:
            raise LimitReached("the circuit needs more memory than there is") from None

    @cached_property
    def forward(self) -> ForwardMachine:
        """The same rules by forward chaining; raises `LimitReached` where that explodes as well."""
        what = "preparing forward chaining of"
        with time_limit(self.limits.seconds, "forward chaining"), self.watched(what):
            return ForwardMachine(self.rules)

    def write(self, term: Term) -> str:
        """Write a term as the sheet spells it."""
        return write(term, self.reading.spellings)
