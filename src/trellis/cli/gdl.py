"""`trellis gdl`: rulesheets checked, shown stage by stage and grounded."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis._kernel.deadline import LoadBudget
from trellis.cli.help import HelpfulGroup
from trellis.cli.options import SHEET_OPTIONS, Argument, Given, Option, OptionGroup, add_command
from trellis.cli.output import say, write_lines
from trellis.cli.task import SeededTask
from trellis.cli.waiting import await_compiling, watch_slow_work
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.gdl.load_limit import loading
from trellis.gdl.options import SheetOptions

if TYPE_CHECKING:
    from trellis.gdl.language.terms import Finding
    from trellis.gdl.sheet import Sheet

BAD_INPUT = 2

Outcome = tuple[dict[str, Any], Iterable[str]]  # what programs read, and the lines that people do
SheetNames = Annotated[list[str], Argument("Rulesheets (.kif).", metavar="FILE")]
SheetName = Annotated[str, Argument("A rulesheet (.kif).", metavar="FILE")]


class _Group(HelpfulGroup):
    describes = (SHEET_OPTIONS,)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    from trellis.cli import gdl_play

    sheets = typer.Typer(name="gdl", cls=_Group)
    sheets.callback(invoke_without_command=True)(_gdl)
    for command in (check, show, ground, gdl_play.bench, gdl_play.diff, gdl_play.replay):
        add_command(sheets, command)
    app.add_typer(sheets)


def _gdl(context: typer.Context) -> None:
    """Check, show, measure and compare rulesheets of the Game Description Language."""
    if context.invoked_subcommand is None:
        context.get_help()


@dataclass(kw_only=True)
class SheetTask(SeededTask):
    """A command about rulesheets themselves."""

    limits: Annotated[
        Given, OptionGroup(SheetOptions, "Limits of loading", ("ground_limit", "load_time"))
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options = SheetOptions(**self.limits)

    def read(self, path: str, *, to_run: bool = True) -> "Sheet":
        """Read a rulesheet; refuse one that cannot run before anything is compiled for it."""
        from trellis.gdl.sheet import Sheet

        watch_slow_work()
        sheet = Sheet.from_file(path, self.options.limits, self.budget())
        if to_run:
            sheet.rules  # noqa: B018
        return sheet

    def budget(self) -> LoadBudget:
        """Return the time that loading may take from now on."""
        return LoadBudget(self.options.load_time)

    def for_each(self, files: list[str], work: Callable[[str], Outcome]) -> None:
        """Do something with each file and tell it; a bad one does not keep the others from it.

        One file is one JSON object; several are a list of them in one.
        """
        results: list[dict[str, Any]] = []
        for file in files:
            try:
                with loading(file, self.budget()):
                    content, lines = work(file)
                if not self.json:
                    write_lines(lines)
            except KeyboardInterrupt:  # what is through is told
                self.interrupted = True
                break
            except TrellisError as error:
                if len(files) == 1:
                    raise
                self.code = BAD_INPUT
                say(str(error))
                content = {"file": file, "error": str(error)}
            results.append(content)
        several = {"results": results, "interrupted": bool(self.interrupted)}
        one = results[0] if results and len(files) == 1 else several
        self.answer(one, lambda: None)


# --- the commands


def check(
    task: SheetTask,
    files: SheetNames,
    play: Annotated[
        bool, Option("Also play random games to find faults that the text does not show.")
    ] = True,
) -> None:
    """Check rulesheets against the specification of the language; print errors and warnings."""

    def work(file: str) -> Outcome:
        sheet = task.read(file, to_run=False)
        findings = list(sheet.findings)
        if not any(finding.fatal for finding in findings):
            from trellis.gdl.checking.suspect import suspect

            findings += suspect(sheet.reading)
            if play:
                await_compiling(file)
                from trellis.gdl.checking.play_check import check_by_play

                findings += check_by_play(sheet, task.seed)
            findings = sorted(set(findings))
        if any(finding.kind == "error" for finding in findings):
            task.code = BAD_INPUT
        content: dict[str, Any] = {"file": file}
        for kind in ("error", "warning", "note"):
            content[f"{kind}s"] = [_finding(each) for each in findings if each.kind == kind]
        counts = ", ".join(
            f"{len(content[f'{kind}s'])} {kind}" + "s" * (len(content[f"{kind}s"]) != 1)
            for kind in ("error", "warning", "note")
        )
        lines = [
            f"{file}:{each.line}:{each.column}: {each.kind}: {each.message}" for each in findings
        ]
        return content, [*lines, f"{file}: {counts}"]

    task.for_each(files, work)


def _finding(finding: "Finding") -> dict[str, Any]:
    content = {name: getattr(finding, name) for name in ("line", "column", "message")}
    return content | ({"play": list(finding.play)} if finding.play else {})


def show(
    task: SheetTask,
    files: SheetNames,
    stage: Annotated[
        str | None,
        Option(
            "Print one stage of the compiler: parsed, mini, normal, inverted, code, ground, "
            "circuit.",
            metavar="STAGE",
        ),
    ] = None,
    facts: Annotated[bool, Option("Print what is known of the game: proven or observed.")] = False,
    prove_time: Annotated[float, Option("Seconds for proving facts.", low=0)] = 10.0,
    strategy: Annotated[
        str, Option("How long rules are split: elimination or thesis.", metavar="STRATEGY")
    ] = "elimination",
) -> None:
    """Show what a rulesheet is compiled to, stage by stage, and what is known of the game.

    Without --stage, the facts and a picture of the first state are printed.
    """
    from trellis.gdl.language.normal import STRATEGIES

    if strategy not in STRATEGIES:
        raise BadParameter(f"bad strategy {shorten(strategy)}: expected {' or '.join(STRATEGIES)}")

    def work(file: str) -> Outcome:
        sheet = task.read(file, to_run=False)
        content: dict[str, Any] = {"file": file}
        lines: list[Iterable[str]] = [[f"; {file}"]] if len(files) > 1 else []
        if stage is not None:
            lines.append(_show_stage(sheet, stage, strategy, content, task.json))
        if facts or stage is None:
            picture = stage is None
            lines.append(_show_facts(sheet, content, task.seed, prove_time, picture=picture))
        return content, (line for part in lines for line in part)

    task.for_each(files, work)


def _show_stage(
    sheet: "Sheet", stage: str, strategy: str, content: dict[str, Any], json: bool
) -> Iterable[str]:
    from trellis.gdl.tools.show import show as lines_of

    lines = lines_of(sheet, stage, strategy)
    if json:
        content["stage"] = stage
        content["lines"] = list(lines)
    return lines


def _show_facts(
    sheet: "Sheet", content: dict[str, Any], seed: int, seconds: float, picture: bool
) -> Iterable[str]:
    sheet.rules  # noqa: B018  (a sheet that cannot run is refused before anything is compiled)
    await_compiling(sheet.name)
    from trellis.gdl.tools.facts import as_json, describe, facts_of, first_picture

    found = facts_of(sheet, seed, seconds=seconds)
    content["facts"] = as_json(found, sheet)
    lines = describe(found, sheet)
    if picture:
        drawn = first_picture(found)
        content["first"] = drawn
        lines += ["", drawn]
    return lines


def ground(task: SheetTask, files: SheetNames) -> None:
    """Ground rulesheets; print how many propositions and rules without variables result."""

    def work(file: str) -> Outcome:
        sheet = task.read(file)
        try:
            program = sheet.ground
        except TrellisError as error:
            raise type(error)(f"{file}: {error}") from None
        content = {
            "file": file,
            "seconds": program.seconds,
            "rules": len(program.rules),
            "atoms": len({abs(part) for rule in program.rules for part in (rule.head, *rule.body)}),
            "inputs": len(program.inputs),
            "facts": len(program.facts),
            "limits": task.options.limits._asdict(),
        }
        line = (
            f"{file}: {content['rules']:,} rules over {content['atoms']:,} atoms, "
            f"{content['inputs']:,} of them facts of states and moves, "
            f"in {program.seconds:.2f} s"
        )
        return content, [line]

    task.for_each(files, work)
