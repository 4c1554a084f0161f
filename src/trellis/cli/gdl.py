"""`trellis gdl`: rulesheets checked, shown stage by stage and grounded."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis._kernel.deadline import LoadBudget
from trellis.cli import INTERRUPTED
from trellis.cli.options import Given, OptionGroup, Real, add_command
from trellis.cli.output import (
    JsonFlag,
    SeedOption,
    await_compiling,
    compiled,
    print_json,
    say,
    watch_slow_work,
    write_lines,
)
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.load_limit import loading
from trellis.gdl.options import SheetOptions

if TYPE_CHECKING:
    from trellis.gdl.language.terms import Finding
    from trellis.gdl.sheet import Sheet

BAD_INPUT = 2

SheetNames = Annotated[list[str], typer.Argument(metavar="FILE", help="Rulesheets (.kif).")]
SheetName = Annotated[str, typer.Argument(metavar="FILE", help="A rulesheet (.kif).")]
SheetLimits = Annotated[
    Given, OptionGroup(SheetOptions, "Limits of loading", ("ground_limit", "load_time"))
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    from trellis.cli import gdl_play

    sheets = typer.Typer(name="gdl", help="Check, show, measure and compare rulesheets.")
    sheets.callback(invoke_without_command=True)(_gdl)
    for command in (check, show, ground):
        add_command(sheets, command)
    gdl_play.register(sheets)
    app.add_typer(sheets)


def _gdl(context: typer.Context) -> None:
    """Check, show, measure and compare rulesheets of the Game Description Language."""
    if context.invoked_subcommand is None:
        print(context.get_help())


# --- what these commands share


def read_sheet(path: str, limits: Limits) -> "Sheet":
    """Read a rulesheet from a file."""
    from trellis.gdl.sheet import Sheet

    watch_slow_work()
    return Sheet.from_file(path, limits)


def for_each(
    files: list[str],
    json: bool,
    work: Callable[[str], tuple[dict[str, Any], Iterable[str]]],
    options: SheetOptions,
) -> None:
    """Do something with each file and print it; a bad one does not keep the others from it.

    `work` returns what programs read and the lines that people do.  One file is one JSON object;
    several are a list of them in one.
    """
    results: list[dict[str, Any]] = []
    failed = interrupted = False
    for file in files:
        try:
            with loading(file, LoadBudget(options.load_time)):
                content, lines = work(file)
            if not json:
                write_lines(lines)
        except KeyboardInterrupt:  # what is through is told
            interrupted = True
            break
        except TrellisError as error:
            failed = True
            say(str(error))
            content = {"file": file, "error": str(error)}
            if len(files) == 1:
                break
        results.append(content)
    compiled_if_loaded()
    if json and results:
        several = {"results": results, "interrupted": interrupted}
        print_json(results[0] if len(files) == 1 else several)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if failed:
        raise typer.Exit(BAD_INPUT)


def compiled_if_loaded() -> None:
    """Remember what was compiled, where anything could have been."""
    if "trellis._kernel.jit" in sys.modules:
        compiled()


# --- the commands


def check(
    files: SheetNames,
    play: Annotated[
        bool,
        typer.Option(
            "--play/--no-play",
            help="Also play random games to find faults that the text does not show.",
        ),
    ] = True,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetLimits,
) -> None:
    """Check rulesheets against the specification of the language; print errors and warnings."""
    options = SheetOptions(**sheet)
    limits = options.limits
    faulty: list[Finding] = []

    def work(file: str) -> tuple[dict[str, Any], Iterable[str]]:
        sheet = read_sheet(file, limits)
        findings = list(sheet.findings)
        if not any(finding.fatal for finding in findings):
            from trellis.gdl.checking.suspect import suspect

            findings += suspect(sheet.reading)
            if play:
                await_compiling(file)
                from trellis.gdl.checking.play_check import check_by_play

                findings += check_by_play(sheet, seed)
            findings = sorted(set(findings))
        faulty.extend(finding for finding in findings if finding.kind == "error")
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

    for_each(files, json, work, options)
    if faulty:
        raise typer.Exit(BAD_INPUT)


def _finding(finding: "Finding") -> dict[str, Any]:
    content: dict[str, Any] = {
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
    }
    if finding.play:
        content["play"] = list(finding.play)
    return content


def show(
    files: SheetNames,
    stage: Annotated[
        str | None,
        typer.Option(
            help="Print one stage of the compiler: parsed, mini, normal, inverted, code, ground, "
            "circuit."
        ),
    ] = None,
    facts: Annotated[
        bool, typer.Option("--facts", help="Print what is known of the game: proven or observed.")
    ] = False,
    prove_time: Annotated[float, typer.Option(help="Seconds for proving facts.", **Real)] = 10.0,
    strategy: Annotated[
        str, typer.Option(help="How long rules are split: elimination or thesis.")
    ] = "elimination",
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetLimits,
) -> None:
    """Show what a rulesheet is compiled to, stage by stage, and what is known of the game.

    Without --stage, the facts and a picture of the first state are printed.
    """
    from trellis.gdl.language.normal import STRATEGIES

    options = SheetOptions(**sheet)
    limits = options.limits
    if strategy not in STRATEGIES:
        raise BadParameter(f"bad strategy {shorten(strategy)}: expected {' or '.join(STRATEGIES)}")

    if not 0.0 <= prove_time < float("inf"):
        raise BadParameter(
            f"bad value {prove_time:g} for --prove-time: expected a number from 0 up"
        )

    def work(file: str) -> tuple[dict[str, Any], Iterable[str]]:
        sheet = read_sheet(file, limits)
        content: dict[str, Any] = {"file": file}
        lines: list[Iterable[str]] = [[f"; {file}"]] if len(files) > 1 else []
        if stage is not None:
            lines.append(_show_stage(sheet, stage, strategy, content, json))
        if facts or stage is None:
            lines.append(_show_facts(sheet, content, seed, prove_time, picture=stage is None))
        return content, (line for part in lines for line in part)

    for_each(files, json, work, options)


def _show_stage(
    sheet: "Sheet", stage: str, strategy: str, content: dict[str, Any], json: bool
) -> Iterable[str]:
    from trellis.gdl.tools.show import STAGES
    from trellis.gdl.tools.show import show as lines_of

    if stage not in STAGES:
        raise BadParameter(f"bad stage {shorten(stage)}: expected {', '.join(STAGES)}")
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


def ground(
    files: SheetNames,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetLimits,
) -> None:
    """Ground rulesheets; print how many propositions and rules without variables result."""
    options = SheetOptions(**sheet)
    limits = options.limits

    def work(file: str) -> tuple[dict[str, Any], Iterable[str]]:
        sheet = read_sheet(file, limits)
        sheet.rules  # noqa: B018  (what is wrong with the sheet says so itself)
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
            "limits": limits._asdict(),
        }
        line = (
            f"{file}: {content['rules']:,} rules over {content['atoms']:,} atoms, "
            f"{content['inputs']:,} of them facts of states and moves, "
            f"in {program.seconds:.2f} s"
        )
        return content, [line]

    for_each(files, json, work, options)
