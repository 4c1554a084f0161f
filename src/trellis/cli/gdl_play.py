"""`trellis gdl bench`, `diff` and `replay`: rulesheets measured and compared."""

from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from trellis._kernel.deadline import LoadBudget
from trellis.cli.gdl import (
    SheetLimits,
    SheetName,
    SheetNames,
    compiled_if_loaded,
    for_each,
    read_sheet,
)
from trellis.cli.options import Real, Whole, add_command, positive
from trellis.cli.output import (
    JsonFlag,
    SeedOption,
    await_compiling,
    console,
    load_game,
    print_json,
    progress_bar,
    say,
    write_lines,
)
from trellis.game.errors import BadParameter, LimitReached, shorten
from trellis.game.spec import split_spec
from trellis.gdl.load_limit import loading
from trellis.gdl.options import SheetOptions

if TYPE_CHECKING:
    from trellis.gdl.evaluators.machine import Machine
    from trellis.gdl.grounding.clingo import Limits
    from trellis.gdl.sheet import Sheet
    from trellis.gdl.tools.bench import Measured
    from trellis.gdl.tools.diff import Comparison

DIFFERENT = 1

# What `--evaluator` takes, in the words that both the help and a refusal use.
_ONE_EVALUATOR = "event (or circuit), sliced64 (or sliced), sliced256, forward, or auto"
_EVALUATORS = (
    "event (or circuit), sliced64 (or sliced), sliced256, forward; several joined by commas; or all"
)

Evaluator = Annotated[str, typer.Option(help=f"The evaluator: {_ONE_EVALUATOR}.")]


def register(sheets: typer.Typer) -> None:
    """Add the commands."""
    for command in (bench, diff, replay):
        add_command(sheets, command)


# --- bench


def bench(
    files: SheetNames,
    seconds: Annotated[float, typer.Option(help="Seconds for each evaluator.", **Real)] = 1.0,
    evaluator: Annotated[str, typer.Option(help=f"The evaluators: {_EVALUATORS}.")] = "all",
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    limits: SheetLimits,
) -> None:
    """Measure random playouts per second on one core with each evaluator, and a fixed loop."""
    positive(seconds=seconds)
    options = SheetOptions(**limits)

    def work(file: str) -> tuple[dict[str, Any], Iterable[str]]:
        began = perf_counter()
        sheet = read_sheet(file, options.limits)
        sheet.rules  # noqa: B018  (a sheet that cannot run is refused before anything is compiled)
        reading = perf_counter() - began
        await_compiling(file)
        from trellis.gdl.tools.bench import measure_sheet
        from trellis.gdl.tools.replay import EVALUATORS

        chosen: tuple[str, ...] = EVALUATORS
        if evaluator != "all":
            names = [_evaluator(name, _EVALUATORS) for name in evaluator.split(",")]
            chosen = tuple(dict.fromkeys(names))
        with progress_bar(f"bench {file}") as move:
            found = measure_sheet(
                sheet, chosen, seconds, seed, perf_counter() - reading, progress=move
            )
        return found.facts(), _bench_lines(found)

    for_each(files, json, work, options)


def _bench_lines(found: "Measured") -> list[str]:
    parts = [f"loaded in {found.load_seconds:.2f} s"]
    if found.gates is not None and found.ground_seconds is not None:
        parts.append(f"grounding {found.ground_seconds:.2f} s")
        parts.append(f"building {found.build_seconds or 0.0:.2f} s")
        parts.append(f"{found.gates:,} gates")
    if found.reason:
        parts.append(f"no circuit: {found.reason}; forward chaining instead")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("  evaluator")
    for title in ("playouts/s", "states/s", "playouts per million of the fixed loop"):
        table.add_column(title, justify="right")
    for name, speed in found.evaluators.items():
        if not speed.playouts:
            table.add_row(f"  {name}", "-", "-", speed.reason)
            continue
        ratio = speed.playouts_per_second / found.reference * 1e6
        mark = " *" if name == found.chosen else ""
        table.add_row(
            f"  {name}{mark}", f"{speed.playouts_per_second:,.0f}",
            f"{speed.states_per_second:,.0f}", f"{ratio:,.2f}",
        )  # fmt: skip
    out = console()
    with out.capture() as captured:
        out.print(table)
    loop = f"fixed loop: {found.reference / 1e6:,.0f} million steps/s"
    return [
        f"{found.file}: {', '.join(parts)}",
        *(line.rstrip() for line in captured.get().splitlines()),
        f"  chosen: {found.chosen or 'none'}; {loop}",
    ]


# --- diff


def diff(
    a: Annotated[str, typer.Argument(metavar="FILE", help="A rulesheet (.kif).")],
    b: Annotated[str, typer.Argument(metavar="OTHER", help="A rulesheet, or any other game.")],
    games: Annotated[int, typer.Option(help="Number of random games.", **Whole)] = 100,
    states: Annotated[
        bool,
        typer.Option("--states", help="With two rulesheets: also compare the facts of states."),
    ] = False,
    evaluator: Evaluator = "auto",
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetLimits,
) -> None:
    """Play random games of two rulesheets, or of a sheet and another game, up to a difference."""
    positive(games=games)
    options = SheetOptions(**sheet)
    with progress_bar("diff") as move:
        if _is_sheet(a) and _is_sheet(b):
            with loading(a, LoadBudget(options.load_time)):
                machines = _machines((a, b), evaluator, options.limits)
            from trellis.gdl.tools.diff import compare_machines

            found = compare_machines(machines[0], machines[1], games, seed, states, move)
        else:
            own = sheet if evaluator == "auto" else sheet | {"evaluator": evaluator}
            first, second = (load_game(name, own if _is_sheet(name) else None) for name in (a, b))
            from trellis.gdl.tools.diff import compare_games

            found = compare_games(first, second, games, seed, move)
    compiled_if_loaded()
    if json:
        print_json({"a": a, "b": b, **found.facts()})
    else:
        write_lines(_diff_lines(a, b, found))
    if found.difference is not None:
        raise typer.Exit(DIFFERENT)


def _is_sheet(name: str) -> bool:
    """Tell whether a name is that of a rulesheet, without settings after it."""
    spec = split_spec(name)
    if spec.is_sheet:
        return not spec.given
    return Path(name).is_file() and not name.endswith(".py")


def _machines(names: tuple[str, str], evaluator: str, limits: "Limits") -> list["Machine"]:
    sheets = [read_sheet(name, limits) for name in names]
    for sheet in sheets:
        sheet.rules  # noqa: B018  (refused before anything is compiled)
    await_compiling(names[0])
    return [_machine(sheet, evaluator)[0] for sheet in sheets]


def _machine(sheet: "Sheet", evaluator: str) -> tuple["Machine", str]:
    """Return a machine and its evaluator's name; `auto` is the circuit where there is one."""
    from trellis.gdl.tools.replay import machine_of

    if evaluator != "auto":
        name = _evaluator(evaluator, _ONE_EVALUATOR)
        try:
            return machine_of(sheet, name), name
        except LimitReached as limit:
            raise LimitReached(f"{sheet.name}: {limit}") from None
    try:
        return machine_of(sheet, "event"), "event"
    except LimitReached as limit:
        say(f"{sheet.name}: {limit}; forward chaining instead")
        return machine_of(sheet, "forward"), "forward"


def _evaluator(name: str, expected: str) -> str:
    """Return the evaluator a name stands for, or refuse it in the words of the help."""
    from trellis.gdl.tools.replay import evaluator_name

    try:
        return evaluator_name(name.strip())
    except BadParameter:
        raise BadParameter(f"bad evaluator {shorten(name)}: expected {expected}") from None


def _diff_lines(a: str, b: str, found: "Comparison") -> list[str]:
    lines = [f"remark: {found.remark}"] if found.remark else []
    difference = found.difference
    if difference is None:
        if found.how == "counts":
            return [*lines, f"no difference in the number of games, {found.steps} plies deep"]
        return [
            *lines,
            f"no difference in {found.games:,} random games, {found.steps:,} steps, by {found.how}",
        ]
    return [
        *lines,
        f"game {difference.game + 1}, step {difference.step}: {difference.what} differs",
        f"  {a}: {difference.a}",
        f"  {b}: {difference.b}",
        f"  after: {'; '.join(difference.moves) or 'the first state'}",
    ]


# --- replay


def replay(
    file: SheetName,
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD", help="Recorded playouts (.jsonl, .gz) or matches (.json)."
        ),
    ],
    evaluator: Evaluator = "auto",
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    limits: SheetLimits,
) -> None:
    """Replay recorded matches and compare every state, legal move, end and goal."""
    options = SheetOptions(**limits)
    with loading(file, LoadBudget(options.load_time)):
        sheet = read_sheet(file, options.limits)
        sheet.rules  # noqa: B018  (a sheet that cannot run is refused before anything is compiled)
        await_compiling(file)
        machine, name = _machine(sheet, evaluator)
    from trellis.gdl.tools.records import read_records
    from trellis.gdl.tools.replay import replay as play_records

    with progress_bar(f"replay {file}") as move:
        report = play_records(
            machine,
            (playout for record in records for playout in read_records(record)),
            sheet.write,
            move,
        )
    compiled_if_loaded()
    if json:
        print_json({"file": file, **report.facts(), "evaluator": name})
    else:
        agree = f"{report.agree:,} of {report.steps:,} steps agree"
        lines = [f"{file}: {agree} in {report.playouts:,} playouts ({name})"]
        found = report.first_difference
        if found is not None:
            lines += [
                f"  first difference: {report.source}, step {found.step}: {found.what}",
                f"    recorded: {_short(found.expected)}",
                f"    found:    {_short(found.got)}",
            ]
        write_lines(lines)
    if report.agree < report.steps:
        raise typer.Exit(DIFFERENT)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 2000 else f"{text[:2000]} …"
