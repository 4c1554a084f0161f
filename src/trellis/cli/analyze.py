"""`trellis analyze`: which move is best here."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trellis.cli import search_options as o
from trellis.cli.output import (
    GameName,
    JsonFlag,
    Real,
    SeedOption,
    Whole,
    coloured,
    compiled,
    console,
    load_game,
    on_terminal,
    play_moves,
    positive,
    print_json,
    say,
    sheet_facts,
    writable,
)
from trellis.cli.sheet_options import with_sheet_options
from trellis.cli.star_analysis import analyze_depth_first
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.search.report import Report

_REFRESH = 0.2  # seconds between two pictures of the live table
_SHOWN = 20
# What --search heeds as well.
_DEPTH_FIRST = {
    "game", "moves", "search", "depth", "time", "memory", "threads", "json", "seed",
}  # fmt: skip
_DRAWN = (".svg", ".png", ".pdf", ".dot", ".graphml", ".json")


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("analyze")(with_sheet_options(analyze))


def analyze(
    game: GameName,
    moves: Annotated[str, typer.Option(help="Moves to play first, by name.")] = "",
    sims: Annotated[
        int | None, typer.Option(help="Simulations; 200,000 unless told.", **Whole)
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help="Search depth first instead: expectimax, star1, star2, star2tt, star2tt+ or "
            "alphabeta, with switches as in star2tt:probing=2,pvs=true."
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(help="Plies of --search, chance and players alike; 5 unless told.", **Whole),
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds to think.", **Real)] = None,
    select: o.Select = "auto",
    c: o.Explore = None,
    backup: o.Backup = None,
    own_playouts: o.OwnPlayouts = "node",
    ucb1_tuned: o.Tuned = False,
    fpu: o.Fpu = None,
    decisive: o.Decisive = False,
    rave: o.Rave = 0.0,
    rave_bias: o.RaveBias = 0.0,
    grave: o.Grave = 0,
    rave_children: o.RaveChildren = False,
    bounds: o.Bounds = "auto",
    gamma: o.Gamma = 0.0,
    delta: o.Delta = None,
    symmetry: Annotated[bool, typer.Option("--symmetry", help="One node for all images.")] = False,
    memory: o.Memory = None,
    when_full: o.WhenFull = None,
    tolerance: o.Tolerance = 0.0,
    sequential_halving: o.SequentialHalving = False,
    final_move: o.FinalMove = "auto",
    threads: o.Threads = 1,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Draw or write the top of the graph: .svg .png .pdf .dot .graphml .json."
        ),
    ] = None,
    graph_nodes: Annotated[int, typer.Option(help="Nodes of --graph.", **Whole)] = 40,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Find the best move of a position by searching its graph.

    With both --sims and --time, whichever ends first.  A search ends early when the value of the
    position is proven.  A game in plain Python gets 2,000 simulations unless told otherwise.
    """
    positive(sims, "--sims")
    positive(time, "--time")
    positive(depth, "--depth")
    if graph is not None:
        writable(graph)
        positive(graph_nodes, "--graph-nodes")
        if graph.suffix.lower() not in _DRAWN:
            raise BadParameter(
                f"cannot draw to {str(graph)!r}: expected a name that ends in {', '.join(_DRAWN)}"
            )
        if threads != 1:
            raise BadParameter("--graph draws one graph: expected --threads 1")
    if search is not None or depth is not None:
        why = "is for searches of the graph: expected no --search and no --depth"
        o.refuse_others(analyze, locals(), _DEPTH_FIRST, why)
        name = "star2tt" if search is None else search
        analyze_depth_first(game, moves, name, depth, time, memory, threads, seed, json)
        return
    settings = o.make_settings(
        select=select, c=c, backup=backup, own_playouts=own_playouts, ucb1_tuned=ucb1_tuned,
        fpu=fpu, decisive=decisive, rave=rave, rave_bias=rave_bias, grave=grave,
        rave_children=rave_children, bounds=bounds, gamma=gamma, delta=delta, symmetry=symmetry,
        memory=memory, when_full=when_full, tolerance=tolerance,
        sequential_halving=sequential_halving, final_move=final_move,
    )  # fmt: skip
    loaded = load_game(game)
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.parallel import ParallelSearch

    position = play_moves(loaded, moves)
    if sims is None and time is None:
        sims = 200_000 if loaded.compiled else 2_000
    if threads == 1:
        engine: Any = Search(position, settings, seed=seed)
    else:
        engine = ParallelSearch(position, settings, threads=threads, seed=seed)
    with stoppable() as stop, _live_table(position) as show:
        report: Report = engine.run(
            sims=sims,
            seconds=time,
            progress=show,
        )
    compiled()
    if graph is not None:
        from trellis.search.mcts.export import GraphView

        GraphView(engine, limit=graph_nodes).write(graph)
    if json:
        print_json(as_json(report) | sheet_facts(loaded) | {"interrupted": stop.asked})
        stop.leave()
        return
    out = console()
    out.print(coloured(position))
    out.print()
    out.print(_table(report, loaded.payoff_range))
    if len(report.moves) > _SHOWN:
        out.print(f"… and {len(report.moves) - _SHOWN} more moves")
    out.print(_summary(report, position))
    if graph is not None:
        say(f"the top of the graph is in {graph}")
    stop.leave()


def as_json(report: "Report") -> dict[str, Any]:
    """Return a report as it goes into JSON: numbers that are not known become null."""
    content = asdict(report) | {"sims_per_second": report.sims_per_second, "engine": "graph"}
    content["value"] = _known(report.value)
    for line in content["moves"]:
        line["value"], line["adapted"] = _known(line["value"]), _known(line["adapted"])
    return content


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


@contextmanager
def _live_table(position: "Position") -> Iterator[Callable[[float, Any], None] | None]:
    """Show the table while it changes, on a terminal; nothing on a pipe."""
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

        def show(share: float, state: Any) -> None:
            now = perf_counter()
            if now - shown[0] < _REFRESH:
                return
            shown[0] = now
            report = state if hasattr(state, "moves") else state.report()
            status = f"{share:4.0%}  {report.sims:,} simulations, {report.nodes:,} nodes"
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
    if report.facts.get("endless_playouts"):
        from trellis.game.playouts import LONGEST_PLAYOUT

        lines.append(
            f"some playouts did not end in {LONGEST_PLAYOUT:,} moves; they count as the middle"
        )
    if report.full and report.facts.get("when_full") == "stop":
        lines.append("the memory was full: give it more with --memory, or a --when-full")
    return "\n".join(lines)
