"""`trellis analyze`: which move is best here."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trellis._kernel.progress import Progress
from trellis.cli.advice import chances, counts_wins
from trellis.cli.options import Given, Option, OptionGroup, refuse
from trellis.cli.output import (
    coloured,
    console,
    make_table,
    print_best,
    print_board,
    say,
    writable,
    write_lines,
)
from trellis.cli.sgf_files import SgfChoice, annotate_game
from trellis.cli.star_analysis import analyze_depth_first
from trellis.cli.task import PositionTask
from trellis.cli.waiting import on_terminal
from trellis.game.errors import BadParameter
from trellis.game.options import options_of
from trellis.players.texts import DEFAULT_DEPTH
from trellis.search.mcts.settings import Settings
from trellis.search.star.settings import SEARCHES, StarSettings

if TYPE_CHECKING:
    from trellis.game.game import Game, Position
    from trellis.search.report import MoveReport, Report

_REFRESH = 0.2  # seconds between two pictures of the live table
_SHOWN = 20
_LEGEND = (
    "value: mean of the move's own playouts; adapted: what selection uses, with playouts of other "
    "paths; shared: those of them that met the position after the move; win: adapted as a share of "
    "the points, where a draw counts half"
)
_DRAWN = (".svg", ".png", ".pdf", ".dot", ".graphml", ".json")
_GRAPH = OptionGroup(
    Settings,
    "Options for graph searches",
    usual={"memory": "256; for depth-first searches, 16 up to a depth of 9"},
)
_STAR = OptionGroup(
    StarSettings,
    "Options for depth-first searches, which change what --search has",
    tuple(name for name in options_of(StarSettings) if name != "memory"),
    change=True,
)


def analyze(
    task: PositionTask,
    record: SgfChoice,
    settings: Annotated[Given, _GRAPH],
    star: Annotated[Given, _STAR],
    sims: Annotated[
        int | None,
        Option(
            "Number of simulations.",
            usual="200,000 without --time; 2,000 for a game in plain Python",
            above=0,
        ),
    ] = None,
    time: Annotated[float | None, Option("Seconds to search.", usual="no limit", above=0)] = None,
    threads: Annotated[
        int,
        Option(
            "Number of threads: graph searches are merged at the root, a depth-first search is "
            "divided among them.",
            above=0,
        ),
    ] = 1,
    graph: Annotated[
        Path | None,
        Option(f"Draw or write the top of the graph into this file: {', '.join(_DRAWN)}."),
    ] = None,
    graph_nodes: Annotated[
        int | None, Option("Number of nodes of --graph.", usual="40", above=0)
    ] = None,
    search: Annotated[
        str | None,
        Option(
            f"Search depth first instead: {', '.join(SEARCHES)}, with options as below or as in "
            "star2tt:probing=2,pvs=true.",
            usual="star2tt with --depth",
            metavar="SEARCH",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        Option(
            "Plies to search depth first, those of chance included.",
            usual=f"{DEFAULT_DEPTH} without --time",
            above=0,
        ),
    ] = None,
) -> None:
    """Find the best move of a position by searching its graph.

    With both --sims and --time, the search ends when either is used up.  It ends early when the
    value of the position is proven.
    """
    record.check(task)
    if search is not None or depth is not None:
        refuse(
            "is for searches of the graph: expected no --search and no --depth",
            sims=sims, graph=graph, graph_nodes=graph_nodes, sgf=record.sgf,
            **(settings | {"memory": None}),
        )  # fmt: skip
        beside = {"depth": depth, "time": time, "memory": settings.get("memory"), **star}
        analyze_depth_first(task, search or "star2tt", beside, threads)
        return
    refuse("is for depth-first searches: expected --search or --depth with it", **star)
    if graph is not None:
        writable(graph, _DRAWN)
        if threads != 1:
            raise BadParameter("--graph draws one graph: expected --threads 1")
    chosen = Settings(**settings)
    file = record.open(task)
    position = task.position() if file is None else file.before(record.move).position
    if sims is None and time is None:
        sims = 200_000 if task.game.compiled else 2_000
    if file is not None and record.annotate is not None:
        refuse("draws one position: expected no --annotate", graph=graph)
        annotate_game(
            task, file, record.move, record.annotate,
            search=lambda position: _engine(position, chosen, threads, task.seed).run(
                sims=sims, seconds=time
            ),
        )  # fmt: skip
        return
    engine = _engine(position, chosen, threads, task.seed)
    with task.stopping(), _live_table(engine, position) as show:
        report: Report = engine.run(sims=sims, seconds=time, progress=show)
    if graph is not None:
        from trellis.search.mcts.export import GraphView

        GraphView(engine, limit=graph_nodes or 40).write(graph)
        if not task.json:
            say(f"the top of the graph is in {graph}")
    together = _together(engine, position)
    content = report.to_dict() | {"engine": "graph"}
    if together:
        content["together"] = [
            {"player": each.player, "moves": each.to_dict()["moves"], "mixture": _mixture(each)}
            for each in together
        ]
    task.answer(content, lambda: _print(report, position, together))


def _engine(position: "Position", settings: Settings, threads: int, seed: int) -> Any:
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.parallel import ParallelSearch

    if threads == 1:
        return Search(position, settings, seed=seed)
    return ParallelSearch(position, settings, threads=threads, seed=seed)


def _together(engine: Any, position: "Position") -> "list[Report]":
    """Return what is known of the moves of each player, where several choose at once."""
    from trellis.search.mcts.parallel import ParallelSearch

    if len(position.actors) < 2 or isinstance(engine, ParallelSearch):
        return []  # several threads merge what one player knows
    return [engine.report(player) for player in position.actors]


def _mixture(report: "Report") -> dict[str, float]:
    """Return the moves to choose from at random, and how likely each should be."""
    from trellis.search.mcts.mixture import mixture_of

    chances = mixture_of([line.visits for line in report.moves]).tolist()
    pairs = zip(report.moves, chances, strict=True)
    return {line.move: chance for line, chance in pairs if chance > 0.0}


def _print_together(reports: "list[Report]") -> None:
    """Print what each player had best do who chooses at the same time as others."""
    for report in reports:
        mixture = sorted(_mixture(report).items(), key=lambda pair: -pair[1])
        shares = [f"{move} {chance:.0%}" for move, chance in mixture[:_SHOWN]]
        more = [f"{len(mixture) - _SHOWN} more"] if len(mixture) > _SHOWN else []
        write_lines([f"mixture for {report.player}: {', '.join(shares + more)}"])


def _print(report: "Report", position: "Position", together: "list[Report]") -> None:
    print_board(position)
    for each in together or [report]:
        if together:
            write_lines([f"{each.player} chooses, while others do:"])
        table = _table(each, position.game)
        console().print(table)
        if len(each.moves) > _SHOWN:
            write_lines([f"… and {len(each.moves) - _SHOWN} more moves"])
    if any(column.header == "adapted" for column in table.columns):
        write_lines([_LEGEND])
    _print_together(together)
    low, high = position.game.payoff_range
    worth = f"value {report.value:+.4f}"
    if report.solved:
        worth = f"worth {report.value:g}, proven,"
    elif math.isnan(report.value):
        worth = "its value not known,"
    print_best(report.player, str(report.best), f"{worth} on a scale from {low:g} to {high:g}")
    write_lines(_remarks(report))


@contextmanager
def _live_table(engine: Any, position: "Position") -> Iterator[Progress | None]:
    """Show what a search knows while it changes, on a terminal; nothing on a pipe."""
    if not on_terminal():
        yield None
        return
    out = console(stderr=True)
    began, shown = perf_counter(), [0.0]

    class Waiting:
        """Stands where the table will be: the first simulation of slow rules may take long."""

        def __rich__(self) -> Text:
            return Text(f"searching ({perf_counter() - began:.0f} s) …")

    with Live(Waiting(), console=out, transient=True) as live:

        def show(fraction: float, note: str) -> None:
            now = perf_counter()
            if now - shown[0] < _REFRESH:
                return
            shown[0] = now
            report = engine.report()
            status = f"{fraction:4.0%}  {note}, {report.nodes:,} nodes"
            live.update(
                Group(
                    coloured(position),
                    Text(),
                    _table(report, position.game),
                    Text(),
                    Text(status),
                ),
                refresh=True,
            )

        yield show


def _table(report: "Report", game: "Game") -> Table:
    scale = game.payoff_range
    adapted = any(
        line.shared or not math.isclose(line.value, line.adapted)
        for line in report.moves
        if line.visits
    )
    columns: list[tuple[str, Callable[[MoveReport], str]]] = [
        ("move", lambda line: line.move),
        ("visits", lambda line: f"{line.visits:,}"),
        ("value", lambda line: f"{line.value:+.4f}" if line.visits else "-"),
    ]
    if counts_wins(game):
        columns.append(
            ("win", lambda line: chances(game, line.adapted) if line.visits else "-"),
        )
    if adapted:
        columns += [
            ("adapted", lambda line: f"{line.adapted:+.4f}" if line.visits else "-"),
            ("shared", lambda line: f"{line.shared:,}"),
        ]
    if any(_proof(line, scale) for line in report.moves):
        columns.append(("proven", lambda line: _proof(line, scale)))
    rows = [[show(line) for _, show in columns] for line in report.moves[:_SHOWN]]
    return make_table([title for title, _ in columns], rows)


def _proof(line: "MoveReport", scale: tuple[float, float]) -> str:
    low, high = line.low, line.high
    if low == high:
        return f"{low:g}"
    least, greatest = scale
    parts = ([f"≥ {low:g}"] if low > least else []) + ([f"≤ {high:g}"] if high < greatest else [])
    return ", ".join(parts)


def _remarks(report: "Report") -> list[str]:
    lines = []
    if report.note:
        lines.append(report.note)
    if len(report.line) > 1:
        lines.append(f"line: {' '.join(report.line)}")
    lines.append(
        f"{report.sims:,} simulations in {report.seconds:.2f} s, {report.sims_per_second:,.0f} a "
        f"second; {report.nodes:,} nodes, {report.edges:,} edges, "
        f"{report.transpositions:,} transpositions, {report.bytes / 2**20:.1f} MiB"
    )
    if report.details.get("endless_playouts"):
        from trellis.game.playouts import LONGEST_PLAYOUT

        lines.append(
            f"some playouts did not end in {LONGEST_PLAYOUT:,} moves; they count as the middle"
        )
    if report.full and report.details.get("when_full") == "stop":
        lines.append("the memory was full: give it more with --memory, or a --when-full")
    return lines
