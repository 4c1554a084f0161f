"""`trellis gdl bench`, `diff` and `replay`: rulesheets measured and compared."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from trellis.cli.gdl import Outcome, SheetName, SheetNames, SheetTask
from trellis.cli.options import Argument, Option
from trellis.cli.output import say, table_lines, write_lines
from trellis.cli.task import load_game
from trellis.cli.waiting import await_compiling, progress_bar
from trellis.game.errors import LimitReached
from trellis.game.spec import split_spec
from trellis.gdl.load_limit import loading

if TYPE_CHECKING:
    from trellis.gdl.evaluators.machine import Machine
    from trellis.gdl.sheet import Sheet
    from trellis.gdl.tools.bench import Measured
    from trellis.gdl.tools.diff import Comparison
    from trellis.gdl.tools.replay import Replay

DIFFERENT = 1

# What `--evaluator` takes, in the words that both the help and a refusal use.
_ONE_EVALUATOR = "event (or circuit), lanes64 (or lanes), lanes256, forward, or auto"
_EVALUATORS = (
    "event (or circuit), lanes64 (or lanes), lanes256, forward; several joined by commas; or all"
)

Evaluator = Annotated[str, Option(f"The evaluator: {_ONE_EVALUATOR}.", metavar="EVALUATOR")]


# --- bench


def bench(
    task: SheetTask,
    files: SheetNames,
    seconds: Annotated[float, Option("Seconds for each evaluator.", above=0)] = 1.0,
    evaluator: Annotated[
        str, Option(f"The evaluators: {_EVALUATORS}.", metavar="EVALUATORS")
    ] = "all",
) -> None:
    """Measure random playouts per second on one core with each evaluator, and a fixed loop."""

    def work(file: str) -> Outcome:
        began = perf_counter()
        sheet = task.read(file)
        reading = perf_counter() - began
        await_compiling(file)
        from trellis.gdl.tools.bench import measure_sheet
        from trellis.gdl.tools.replay import EVALUATORS, evaluator_name

        chosen: tuple[str, ...] = EVALUATORS
        if evaluator != "all":
            names = [evaluator_name(name, _EVALUATORS) for name in evaluator.split(",")]
            chosen = tuple(dict.fromkeys(names))
        with progress_bar(f"bench {file}") as show:
            began = perf_counter() - reading
            found = measure_sheet(sheet, chosen, seconds, task.seed, began, progress=show)
        return found.to_dict(), _bench_lines(found)

    task.for_each(files, work)


def _bench_lines(found: "Measured") -> list[str]:
    parts = [f"loaded in {found.load_seconds:.2f} s"]
    if found.gates is not None and found.ground_seconds is not None:
        parts.append(f"grounding {found.ground_seconds:.2f} s")
        parts.append(f"building {found.build_seconds or 0.0:.2f} s")
        parts.append(f"{found.gates:,} gates")
    if found.reason:
        parts.append(f"no circuit: {found.reason}; forward chaining instead")
    titles = ("  evaluator", "playouts/s", "states/s", "playouts per million of the fixed loop")
    rows = []
    for name, speed in found.evaluators.items():
        cells: tuple[str, ...] = ("-", "-", speed.reason)
        if speed.playouts:
            ratio = speed.playouts_per_second / found.reference * 1e6
            rates = speed.playouts_per_second, speed.states_per_second
            cells = (*(f"{rate:,.0f}" for rate in rates), f"{ratio:,.2f}")
        mark = " *" if name == found.chosen and speed.playouts else ""
        rows.append((f"  {name}{mark}", *cells))
    loop = f"fixed loop: {found.reference / 1e6:,.0f} million steps/s"
    return [
        f"{found.file}: {', '.join(parts)}",
        *table_lines(titles, rows),
        f"  chosen: {found.chosen or 'none'}; {loop}",
    ]


# --- diff


def diff(
    task: SheetTask,
    a: SheetName,
    b: Annotated[str, Argument("A rulesheet, or any other game.", metavar="OTHER")],
    games: Annotated[int, Option("Number of random games.", above=0)] = 100,
    states: Annotated[
        bool, Option("With two rulesheets: also compare the facts of states.")
    ] = False,
    evaluator: Evaluator = "auto",
) -> None:
    """Play random games of two rulesheets, or of a sheet and another game, up to a difference."""
    found: Comparison | None = None
    if _is_sheet(a) and _is_sheet(b):
        with loading(a, task.budget()):
            sheets = [task.read(name) for name in (a, b)]
            await_compiling(a)
            first, second = (_machine(sheet, evaluator)[0] for sheet in sheets)
        from trellis.gdl.tools.diff import compare_machines

        with task.working("diff", whole=True) as show:
            found = compare_machines(first, second, games, task.seed, states, show)
    else:
        own = task.limits | ({} if evaluator == "auto" else {"evaluator": evaluator})
        one, other = (load_game(name, own if _is_sheet(name) else None) for name in (a, b))
        from trellis.gdl.tools.diff import compare_games

        with task.working("diff", whole=True) as show:
            found = compare_games(one, other, games, task.seed, show)
    if found is None:
        task.give_up(f"{a} and {b} are not compared to the end", a=a, b=b)
        return
    task.code = 0 if found.difference is None else DIFFERENT
    task.answer({"a": a, "b": b, **found.to_dict()}, lambda: write_lines(_diff_lines(a, b, found)))


def _is_sheet(name: str) -> bool:
    """Tell whether a name is that of a rulesheet, without settings after it."""
    spec = split_spec(name)
    if spec.is_sheet:
        return not spec.given
    return Path(name).is_file() and not name.endswith(".py")


def _machine(sheet: "Sheet", evaluator: str) -> tuple["Machine", str]:
    """Return a machine and its evaluator's name; `auto` is the circuit where there is one."""
    from trellis.gdl.tools.replay import evaluator_name, machine_of

    if evaluator != "auto":
        name = evaluator_name(evaluator, _ONE_EVALUATOR)
        try:
            return machine_of(sheet, name), name
        except LimitReached as limit:
            raise LimitReached(f"{sheet.name}: {limit}") from None
    try:
        return machine_of(sheet, "event"), "event"
    except LimitReached as limit:
        say(f"{sheet.name}: {limit}; forward chaining instead")
        return machine_of(sheet, "forward"), "forward"


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
    task: SheetTask,
    file: SheetName,
    records: Annotated[
        list[str],
        Argument("Recorded playouts (.jsonl, .gz) or matches (.json).", metavar="RECORD"),
    ],
    evaluator: Evaluator = "auto",
) -> None:
    """Replay recorded matches and compare every state, legal move, end and goal."""
    with loading(file, task.budget()):
        sheet = task.read(file)
        await_compiling(file)
        machine, name = _machine(sheet, evaluator)
    from trellis.gdl.tools.records import read_records
    from trellis.gdl.tools.replay import replay as play_records

    report: Replay | None = None
    playouts = (playout for record in records for playout in read_records(record))
    with task.working(f"replay {file}", whole=True) as show:
        report = play_records(machine, playouts, sheet.write, show)
    if report is None:
        task.give_up(f"{file} is not replayed to the end", file=file)
        return
    agree = f"{report.agree:,} of {report.steps:,} steps agree"
    lines = [f"{file}: {agree} in {report.playouts:,} playouts ({name})"]
    found = report.first_difference
    if found is not None:
        lines += [
            f"  first difference: {report.source}, step {found.step}: {found.what}",
            f"    recorded: {_short(found.expected)}",
            f"    found:    {_short(found.got)}",
        ]
    task.code = DIFFERENT if report.agree < report.steps else 0
    task.answer({"file": file, **report.to_dict(), "evaluator": name}, lambda: write_lines(lines))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 2000 else f"{text[:2000]} …"
