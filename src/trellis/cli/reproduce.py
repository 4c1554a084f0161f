"""`trellis reproduce`: experiments of published papers run here, beside what was printed."""

import shlex
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trellis.cli.match import Ray, Workers
from trellis.cli.options import Argument, Option
from trellis.cli.output import console, say, writable, write_lines
from trellis.cli.task import Task
from trellis.cli.waiting import await_compiling, compiled, on_terminal
from trellis.game.errors import BadParameter, shorten

if TYPE_CHECKING:
    from trellis.lab.experiment import Experiment
    from trellis.lab.record import Record
    from trellis.lab.results import Results

RecordFile = Annotated[
    Path | None,
    Option("Where results are kept; the same command goes on with them.", "your data folder"),
]
_RECORD = "results.sqlite"


@dataclass(frozen=True)
class _Asked:
    """How experiments are to be run."""

    scale: str
    cells: str
    workers: int
    ray: str | None
    record: Path
    seed: int | None
    any_version: bool
    report_only: bool
    estimate: bool


def reproduce(
    task: Task,
    experiments: Annotated[
        list[str] | None,
        Argument(
            "Experiments by name, as --list tells, or files that end in .toml.",
            metavar="EXPERIMENT",
        ),
    ] = None,
    list_: Annotated[
        bool, Option("List all experiments there are, with the time they would take.")
    ] = False,
    all_: Annotated[bool, Option("Run all of them.")] = False,
    scale: Annotated[
        str,
        Option("How much is done: smoke (seconds), paper (as published), full (what decides it)."),
    ] = "paper",
    cells: Annotated[str, Option("Cells by name, such as '?,0,0 1,*'; '*' is all.")] = "*",
    workers: Workers = 1,
    ray: Ray = None,
    seed: Annotated[int | None, Option("Random seed.", "the experiment's own")] = None,
    estimate: Annotated[
        bool, Option("Do one job of each cell, tell how long the rest takes, and stop.")
    ] = False,
    record: RecordFile = None,
    any_version: Annotated[
        bool, Option("Results of other versions of Trellis count as well.")
    ] = False,
    report_only: Annotated[
        bool,
        Option("Measure nothing, show what is on record; --record may then be an export."),
    ] = False,
    report: Annotated[
        list[Path] | None,
        Option(
            "Write a report: one page that needs nothing else (.html), .md, .csv (a line a cell), "
            ".jsonl (a line a sample) or .txt; may be given several times.",
            metavar="FILE",
        ),
    ] = None,
    plots: Annotated[
        Path | None, Option("Draw all plots into this folder.", metavar="FOLDER")
    ] = None,
    plot_format: Annotated[str, Option("Format of these files: svg, png or pdf.")] = "svg",
    export: Annotated[
        Path | None,
        Option(
            "Write what is on record of these experiments, or of all, to a small file of text "
            "(.jsonl or .jsonl.gz), games without their moves.",
        ),
    ] = None,
    import_: Annotated[
        list[Path] | None,
        Option("Add the results of an export to the record first.", metavar="FILE"),
    ] = None,
) -> None:
    """Run experiments of papers, or one's own; print them beside what was published.

    Every finished piece is recorded at once: after Ctrl-C, or whatever else may happen, the same
    command goes on where it was left.
    """
    from trellis.lab.experiments import all_experiments, find_experiment

    if list_:
        _list(task, record)
        return
    reports = report or []
    _check_files(reports, plots, plot_format, export)
    names = [*all_experiments()] if all_ else experiments or []
    if not names and not export and not import_:
        raise BadParameter("no experiment: expected a name that --list tells, a file, or --all")
    chosen = _possible([find_experiment(name) for name in names], scale, cells)
    asked = _Asked(
        scale, cells, workers, ray, record or default_record(), seed, any_version, report_only,
        estimate,
    )  # fmt: skip
    if names and not report_only:
        await_compiling("reproduce")
    with closing(_open(asked)) as opened:
        _import(opened, import_ or [])
        found = _run_all(task, asked, opened, chosen)
        _write(found, reports, plots, plot_format)
        if export is not None:
            from trellis.lab.exchange import export_record

            number = export_record(opened, export, {each.name for each in chosen})
            say(f"{number:,} jobs written to {shorten(str(export))}")
    if task.interrupted:
        files = [f"--report={path}" for path in reports]
        again = _command(asked, names, files + ([f"--plots={plots}"] if plots else []))
        say(f"interrupted; what is known is recorded, and this goes on: {again}")
    content = {"experiments": [results.to_dict() for results in found]}
    task.answer(content, lambda: _print_summary(found))


def default_record() -> Path:
    """Return where results are kept unless somebody names another file."""
    import platformdirs

    folder = platformdirs.user_data_path("trellis")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / _RECORD


# -- before anything is run --------------------------------------------------------------------


def _check_files(
    reports: Iterable[Path], plots: Path | None, plot_format: str, export: Path | None
) -> None:
    """Refuse names of files before any work is done for them."""
    from trellis.lab.exchange import ENDINGS, is_export
    from trellis.lab.rendering.writing import PICTURES, check_report

    for path in reports:
        check_report(path)
        writable(path)
    if plots is not None and plots.exists() and not plots.is_dir():
        raise BadParameter(f"cannot draw into {shorten(str(plots))}: it is not a folder")
    if plot_format not in PICTURES:
        raise BadParameter(
            f"unknown format {shorten(plot_format)} of plots: expected {', '.join(PICTURES)}"
        )
    if export is not None:
        if not is_export(export):
            raise BadParameter(
                f"cannot export to {shorten(str(export))}: expected a name that ends in "
                f"{' or '.join(ENDINGS)}"
            )
        writable(export)


def _possible(
    chosen: "Sequence[Experiment]", scale: str, cells: str
) -> "Sequence[Experiment]":  # fmt: skip
    """Leave out what has no such scale or cells, and say so; of one experiment, refuse it."""
    from trellis.lab.measures import measure_of

    fit = []
    for experiment in chosen:
        try:
            experiment.cells_at(experiment.scale(scale), cells)
            measure_of(experiment.measure)
        except BadParameter as error:
            if len(chosen) == 1:
                raise
            say(f"{experiment.name} is left out: {error}")
        else:
            fit.append(experiment)
    return fit


def _open(asked: _Asked) -> "Record":
    """Open the record; of an export, a copy in memory."""
    from trellis.lab.exchange import import_record, is_export
    from trellis.lab.record import Record

    if not is_export(asked.record):
        if asked.report_only and not asked.record.exists():
            raise BadParameter(f"no record {shorten(str(asked.record))}: nothing has been measured")
        return Record(asked.record)
    if not asked.report_only:
        raise BadParameter(
            f"{shorten(str(asked.record))} is an export: --report-only shows it, --import adds it "
            "to a record"
        )
    opened = Record(":memory:")
    import_record(opened, asked.record)
    return opened


def _import(opened: "Record", paths: Sequence[Path]) -> None:
    from trellis.lab.exchange import import_record

    for path in paths:
        with opened.leading():
            news, number = import_record(opened, path)
        say(f"{shorten(str(path))}: {news:,} of {number:,} jobs were not on record yet")


# -- running -----------------------------------------------------------------------------------


def _run_all(
    task: Task, asked: _Asked, opened: "Record", chosen: "Sequence[Experiment]"
) -> "list[Results]":
    """Run experiments one after the other, and print each of them when it ends."""
    found: list[Results] = []
    for experiment in chosen:
        with task.working(f"reproduce {experiment.name}") as progress:
            if asked.report_only:
                found.append(_recorded(asked, opened, experiment))
            else:
                from trellis.lab.running import run

                found.append(run(
                    experiment, asked.scale, cells=asked.cells, workers=asked.workers,
                    ray=asked.ray, record=opened, seed=asked.seed, any_version=asked.any_version,
                    estimate=asked.estimate, progress=progress if on_terminal() else None,
                    notice=say, foretell=say,
                ))  # fmt: skip
        compiled()
        if not task.json:
            show_results(found[-1], estimate=asked.estimate)
        if task.interrupted:
            break
    return found


def _recorded(asked: _Asked, opened: "Record", experiment: "Experiment") -> "Results":
    """Return what is on record."""
    from trellis.lab.running import Run

    run = Run(
        experiment, asked.scale, opened, asked.cells, asked.seed, any_version=asked.any_version
    )
    run.recorded()
    return run.results()


def _command(asked: _Asked, names: Sequence[str], files: Sequence[str]) -> str:
    """Return the command that goes on where this one was left."""
    words = ["trellis", "reproduce", *names, "--scale", asked.scale]
    words += ["--cells", asked.cells] if asked.cells != "*" else []
    words += ["--workers", str(asked.workers)] if asked.workers > 1 else []
    words += ["--ray", asked.ray] if asked.ray else []
    words += ["--seed", str(asked.seed)] if asked.seed is not None else []
    words += ["--any-version"] if asked.any_version else []
    words += ["--estimate"] if asked.estimate else []
    return shlex.join([*words, "--record", str(asked.record), *files])


# -- showing -----------------------------------------------------------------------------------


def _list(task: Task, record: Path | None) -> None:
    """Tell what there is, and what jobs on record say of the time it takes."""
    from trellis.lab.experiments import all_experiments
    from trellis.lab.record import Record
    from trellis.lab.rendering.listing import listing_facts, listing_lines

    known = [*all_experiments().values()]
    path, paces = record or default_record(), {}
    if path.exists():
        with closing(Record(path)) as opened:
            paces = opened.paces()
    task.answer(
        {"experiments": listing_facts(known, paces)},
        lambda: write_lines(listing_lines(known, paces)),
    )


def show_results(results: "Results", *, estimate: bool = False) -> None:
    """Print one experiment for people."""
    from trellis.lab.duration import forecast_line, in_words

    if estimate:
        write_lines([f"{results.experiment.name}: {forecast_line(results.left)}"])
        return
    write_lines([results.text(console().width), ""])
    if results.workers:
        write_lines([f"{in_words(results.seconds)} with {results.workers}", ""])


def _print_summary(found: "Sequence[Results]") -> None:
    from trellis.lab.rendering.chapters import chapter_of
    from trellis.lab.rendering.text import summary_lines

    if len(found) > 1:
        write_lines(summary_lines([chapter_of(each) for each in found]))


def _write(
    found: "Sequence[Results]", reports: Iterable[Path], plots: Path | None, plot_format: str
) -> None:
    """Write reports and plots; plots first, which Markdown shows."""
    from trellis.lab.rendering.writing import write_plots, write_report

    if not found:
        return
    if plots is not None:
        write_plots(found, plots, plot_format)
    for path in reports:
        write_report(found, path, plots=plots)
        say(f"a report is in {shorten(str(path))}")
