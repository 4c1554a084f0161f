"""`trellis analyze`: which move is best here."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trellis._kernel.progress import Progress
from trellis.cli.options import Given, OptionGroup, Real, SheetGroup, Whole, positive, refuse
from trellis.cli.output import (
    GameName,
    JsonFlag,
    MovesOption,
    SeedOption,
    coloured,
    compiled,
    console,
    load_game,
    on_terminal,
    play_moves,
    print_json,
    say,
    sheet_facts,
    writable,
)
from trellis.cli.star_analysis import analyze_depth_first
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter
from trellis.players.texts import DEFAULT_DEPTH
from trellis.search.mcts.settings import Settings
from trellis.search.star.settings import SEARCHES

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.search.report import Report

_REFRESH = 0.2  # seconds between two pictures of the live table
_SHOWN = 20
_PANEL = "Options for depth-first searches"
_GRAPH = OptionGroup(
    Settings,
    "Options for graph searches",
    usual={"memory": "256; for depth-first searches, 16 up to a depth of 9"},
)
_DRAWN = (".svg", ".png", ".pdf", ".dot", ".graphml", ".json")


def analyze(
    game: GameName,
    moves: MovesOption = "",
    sims: Annotated[
        int | None,
        typer.Option(
            help="Number of simulations.",
            show_default="200,000 without --time; 2,000 for a game in plain Python",
            **Whole,
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="Seconds to search.", show_default="no limit", **Real)
    ] = None,
    threads: Annotated[
        int,
        typer.Option(
            help="Number of threads: graph searches are merged at the root, a depth-first search "
            "is shared.",
            **Whole,
        ),
    ] = 1,
    graph: Annotated[
        Path | None,
        typer.Option(
            help=f"Draw or write the top of the graph into this file: {', '.join(_DRAWN)}."
        ),
    ] = None,
    graph_nodes: Annotated[
        int | None, typer.Option(help="Number of nodes of --graph.", show_default="40", **Whole)
    ] = None,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    settings: Annotated[Given, _GRAPH],
    search: Annotated[
        str | None,
        typer.Option(
            help=f"Search depth first instead: {', '.join(SEARCHES)}, with options as in "
            "star2tt:probing=2,pvs=true.",
            show_default="star2tt with --depth",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            help="Plies to search, those of chance included.",
            show_default=f"{DEFAULT_DEPTH} without --time",
            rich_help_panel=_PANEL,
            **Whole,
        ),
    ] = None,
    sheet: SheetGroup,
) -> None:
    """Find the best move of a position by searching its graph.

    With both --sims and --time, the search ends when either is used up.  It ends early when the
    value of the position is proven.
    """
    positive(sims=sims, time=time, depth=depth, graph_nodes=graph_nodes)
    if search is not None or depth is not None:
        refuse(
            "is for searches of the graph: expected no --search and no --depth",
            sims=sims, graph=graph, graph_nodes=graph_nodes, **(settings | {"memory": None}),
        )  # fmt: skip
        beside = {"depth": depth, "time": time, "memory": settings.get("memory")}
        analyze_depth_first(game, moves, search or "star2tt", beside, threads, seed, json, sheet)
        return
    if graph is not None:
        _check_drawing(graph, threads)
    chosen = Settings(**settings)
    loaded = load_game(game, sheet)
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.parallel import ParallelSearch

    position = play_moves(loaded, moves)
    if sims is None and time is None:
        sims = 200_000 if loaded.compiled else 2_000
    if threads == 1:
        engine: Any = Search(position, chosen, seed=seed)
    else:
        engine = ParallelSearch(position, chosen, threads=threads, seed=seed)
    with stoppable() as stop, _live_table(engine, position) as show:
        report: Report = engine.run(sims=sims, seconds=time, progress=show)
    compiled()
    if graph is not None:
        from trellis.search.mcts.export import GraphView

        GraphView(engine, limit=graph_nodes or 40).write(graph)
    if json:
        more = sheet_facts(loaded) | {"interrupted": stop.asked}
        print_json(report.facts() | {"engine": "graph"} | more)
    else:
        _print(report, position)
    if graph is not None and not json:
        say(f"the top of the graph is in {graph}")
    stop.leave()


def _check_drawing(path: Path, threads: int) -> None:
    """Refuse a file that cannot be drawn to before the search, not after it."""
    writable(path)
    if path.suffix.lower() not in _DRAWN:
        raise BadParameter(
            f"cannot draw to {str(path)!r}: expected a name that ends in {', '.join(_DRAWN)}"
        )
    if threads != 1:
        raise BadParameter("--graph draws one graph: expected --threads 1")


def _print(report: "Report", position: "Position") -> None:
    out = console()
    out.print(coloured(position))
    out.print()
    out.print(_table(report, position.game.payoff_range))
    if len(report.moves) > _SHOWN:
        out.print(f"… and {len(report.moves) - _SHOWN} more moves")
    out.print(_summary(report, position))


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

        def show(share: float, note: str) -> None:
            now = perf_counter()
            if now - shown[0] < _REFRESH:
                return
            shown[0] = now
            report = engine.report()
            status = f"{share:4.0%}  {note}, {report.nodes:,} nodes"
            live.update(
                Group(
                    coloured(position),
                    Text(),
                    _table(report, position.game.payoff_range),
                    Text(),
                    Text(status),
                ),
                refresh=True,
            )

        yield show


def _table(report: "Report", scale: tuple[float, float]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("move")
    proofs = [_proof(line.low, line.high, scale) for line in report.moves]
    tried = [line for line in report.moves if line.visits]
    titles = ["visits", "value"]
    if any(line.shared or not math.isclose(line.value, line.adapted) for line in tried):
        titles += ["adapted", "shared"]
    if any(proofs):
        titles.append("proven")
    for title in titles:
        table.add_column(title, justify="right")
    for line, proof in list(zip(report.moves, proofs, strict=True))[:_SHOWN]:
        row = [line.move, f"{line.visits:,}", f"{line.value:+.4f}" if line.visits else "-"]
        if "adapted" in titles:
            row += [f"{line.adapted:+.4f}" if line.visits else "-", f"{line.shared:,}"]
        table.add_row(*row, *([proof] if "proven" in titles else []))
    return table


def _proof(low: float, high: float, scale: tuple[float, float]) -> str:
    if low == high:
        return f"{low:g}"
    least, greatest = scale
    parts = ([f"≥ {low:g}"] if low > least else []) + ([f"≤ {high:g}"] if high < greatest else [])
    return ", ".join(parts)


def _summary(report: "Report", position: "Position") -> str:
    low, high = position.game.payoff_range
    scale = f"on a scale from {low:g} to {high:g}"
    if report.solved:
        worth = f"worth {report.value:g}, proven,"
    elif math.isnan(report.value):
        worth = "its value not known,"
    else:
        worth = f"value {report.value:+.4f}"
    lines = ["", f"best for {report.player}: [bold]{report.best}[/bold], {worth} {scale}"]
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
    return "\n".join(lines)
