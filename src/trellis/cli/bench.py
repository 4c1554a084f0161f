"""`trellis bench`: playouts or simulations per second, alone or beside OpenSpiel."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trellis.cli import search_options as o
from trellis.cli.bench_chance import bench_chance
from trellis.cli.output import (
    JsonFlag,
    Real,
    SeedOption,
    Whole,
    compiled,
    console,
    load_game,
    positive,
    print_json,
    progress_bar,
    sheet_facts,
)
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter

USUAL_MEMORY = 1024.0
USUAL_TABLE = 256.0  # of --chance
_USUAL_SEARCH = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago", "tic_tac_toe",
)  # fmt: skip
_USUAL = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago", "amazons", "tic_tac_toe", "pig",
)  # fmt: skip


_OF_CHANCE = {"games", "chance", "depth", "jobs", "plot", "memory", "seconds", "json", "seed"}
_NOT_OF_CHANCE = {
    "games", "against", "seconds", "search", "signature", "sims", "select", "backup", "bounds", "c",
    "memory", "json", "seed",
}  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("bench")(bench)


def bench(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="Games to measure; of --chance, searches."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Measure this beside ours in the same run: openspiel.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Seconds for each game and side.", **Real)] = 2.0,
    search: Annotated[
        bool, typer.Option("--search", help="Measure graph searches instead of playouts.")
    ] = False,
    chance: Annotated[
        bool,
        typer.Option("--chance", help="Count the nodes of star searches on 50 positions of Dice."),
    ] = False,
    depth: Annotated[int | None, typer.Option(help="Plies of --chance; 9.", **Whole)] = None,
    jobs: Annotated[int, typer.Option(help="Searches of --chance at once.", **Whole)] = 1,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw --chance's nodes by depth into this file: .svg, .png or .pdf."),
    ] = None,
    signature: Annotated[
        bool,
        typer.Option("--signature", help="Print one number for the behaviour of the search."),
    ] = False,
    sims: Annotated[int, typer.Option(help="Simulations of each search.", **Whole)] = 500_000,
    select: Annotated[
        list[str] | None, typer.Option(help="How to select; may be given several times.")
    ] = None,
    backup: o.Backup = None,
    bounds: Annotated[str, typer.Option(help="Score bounds: off, cuts, ...")] = "off",
    c: o.Explore = None,
    memory: Annotated[
        float, typer.Option(help="MiB for a graph; a table of --chance has 256.", **Real)
    ] = USUAL_MEMORY,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Measure random playouts, or searches, per second on one core, from the start position."""
    positive(seconds, "--seconds")
    positive(sims, "--sims")
    if against not in (None, "openspiel"):
        raise BadParameter(f"bad value {against!r} for --against: expected openspiel")
    if not chance:
        only = "is for star searches: expected --chance with it"
        o.refuse_others(bench, locals(), _NOT_OF_CHANCE, only)
    if chance:
        why = "is for playouts and searches of graphs: expected no --chance"
        o.refuse_others(bench, locals(), _OF_CHANCE, why)
        positive(depth, "--depth")
        positive(jobs, "--jobs")
        size = USUAL_TABLE if memory == USUAL_MEMORY else memory
        bench_chance(depth, jobs, size, games, seconds, plot, json)
        return
    if signature:
        load_game("connect_four")
        from trellis.loading import load
        from trellis.search.mcts.signature import signature as sign

        found = sign(load)
        compiled()
        if json:
            print_json({"signature": found})
        else:
            print(found)
        return
    variants = [
        o.make_settings(select=name, backup=backup, bounds=bounds, c=c, memory=memory)
        for name in (select or ["simple"] if search else ["simple"])
    ]
    loaded = [load_game(name) for name in games or (_USUAL_SEARCH if search else _USUAL)]
    from trellis.bench.measure import Measurement, measure, measure_search

    measured: list[Measurement | None] = []
    with stoppable() as stop, progress_bar("bench") as show:
        for number, game in enumerate(loaded):
            show(number / len(loaded), game.spec)
            if not search:
                measured.append(measure(game, against=against, seconds=seconds, seed=seed))
                continue
            measured.extend(
                measure_search(game, against=against, sims=sims, settings=settings, seed=seed)
                for settings in variants
            )
    compiled()
    results = [result for result in measured if result is not None]
    if json:
        facts = [
            result.facts() | sheet_facts(game)
            for result in results
            for game in loaded
            if game.spec == result.game
        ]
        print_json({"results": facts, "interrupted": stop.asked})
        stop.leave()
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("game")
    titles = ["select", "sims/s", "bytes/sim"] if search else ["playouts/s"]
    if against:
        titles += [f"{against}/s", "ratio", "lowest", "highest"]
        titles += [f"{against} bytes/sim"] if search else []
    for title in titles:
        table.add_column(title, justify="right")
    for result in results:
        row = [result.game, *([result.select or ""] if search else []), f"{result.per_second:,.0f}"]
        if search:
            row.append(f"{result.bytes_each:,.0f}")
        if result.against_per_second is not None:
            row += [
                f"{result.against_per_second:,.0f}", f"{result.ratio:.1f}",
                f"{min(result.ratios):.1f}", f"{max(result.ratios):.1f}",
            ]  # fmt: skip
            if search:
                theirs = result.against_bytes_each
                row.append("-" if theirs is None else f"{theirs:,.0f}")
        elif against:
            row += ["-"] * (5 if search else 4)
        table.add_row(*row)
    console().print(table)
    stop.leave()
