"""`trellis bench`: playouts or simulations per second, alone or beside OpenSpiel."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from trellis.cli.bench_chance import USUAL_DEPTH, bench_chance
from trellis.cli.options import Given, OptionGroup, Real, Whole, positive, refuse
from trellis.cli.output import (
    JsonFlag,
    SeedOption,
    compiled,
    console,
    load_game,
    print_json,
    progress_bar,
    sheet_facts,
)
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter
from trellis.search.mcts.settings import Settings

if TYPE_CHECKING:
    from trellis.bench.measure import Measurement
    from trellis.game.game import Game

_GRAPH_MEMORY, _TABLE_MEMORY = 1024.0, 256.0  # MiB
_USUAL_SEARCH = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago", "tic_tac_toe",
)  # fmt: skip
_USUAL = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago", "amazons", "tic_tac_toe", "pig",
)  # fmt: skip


_SEARCH = OptionGroup(
    Settings,
    "Options for --search",
    ("backup", "bounds", "c", "memory"),
    {"bounds": "off", "memory": f"{_GRAPH_MEMORY:,.0f}; {_TABLE_MEMORY:g} with --chance"},
)
_CHANCE_PANEL = "Options for --chance"


def _whole(text: str, usual: int) -> Any:
    """Return an option of `--chance` that is a whole number."""
    how: dict[str, Any] = {"show_default": str(usual), "rich_help_panel": _CHANCE_PANEL, **Whole}
    return typer.Option(help=text, **how)


def bench(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Games to measure; with --chance, searches to compare.",
            show_default="a selection",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Measure this system in the same run: openspiel.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Seconds for each game and system.", show_default="2", **Real),
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Measure graph searches instead of playouts.")
    ] = False,
    chance: Annotated[
        bool,
        typer.Option("--chance", help="Count the nodes of star searches on 50 positions of Dice."),
    ] = False,
    signature: Annotated[
        bool,
        typer.Option("--signature", help="Print one number for the behaviour of the search."),
    ] = False,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sims: Annotated[
        int | None,
        typer.Option(
            help="Simulations of each search.",
            show_default="500,000",
            rich_help_panel=_SEARCH.title,
            **Whole,
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            help="Which statistics select moves, as in analyze; may be given several times.",
            show_default="simple",
            rich_help_panel=_SEARCH.title,
        ),
    ] = None,
    settings: Annotated[Given, _SEARCH],
    depth: Annotated[int | None, _whole("Plies to search.", USUAL_DEPTH)] = None,
    jobs: Annotated[int | None, _whole("Number of searches at the same time.", 1)] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the nodes by depth into this file: .svg, .png or .pdf.",
            rich_help_panel=_CHANCE_PANEL,
        ),
    ] = None,
) -> None:
    """Measure random playouts, or searches, per second on one core, from the start position."""
    positive(seconds=seconds, sims=sims, depth=depth, jobs=jobs)
    if against not in (None, "openspiel"):
        raise BadParameter(f"bad value {against!r} for --against: expected openspiel")
    graphs: Given = {"sims": sims, "select": select or None, **settings}
    if chance:
        graphs["memory"] = None  # its searches have some too
        why = "is for playouts and searches of graphs: expected no --chance"
        flags = {"search": search or None, "signature": signature or None}
        refuse(why, against=against, **flags, **graphs)
        memory = settings.get("memory", _TABLE_MEMORY)
        bench_chance(depth or USUAL_DEPTH, jobs or 1, memory, games, seconds or 2.0, plot, json)
        return
    why = "is for star searches: expected --chance with it"
    refuse(why, depth=depth, jobs=jobs, plot=plot)
    if signature:
        why = "has no effect with --signature: expected it left out"
        refuse(why, against=against, seconds=seconds, search=search or None, **graphs)
        _print_signature(json)
        return
    if search:
        refuse("is for playouts: expected --sims with --search", seconds=seconds)
        _bench_searches(games, against, sims or 500_000, select or ["simple"], settings, seed, json)
        return
    refuse("is for searches of graphs: expected --search with it", **graphs)
    loaded = [load_game(name) for name in games or _USUAL]
    from trellis.bench.measure import measure

    _run(
        loaded,
        lambda game: [measure(game, against=against, seconds=seconds or 2.0, seed=seed)],
        against,
        json,
        search=False,
    )


def _print_signature(json: bool) -> None:
    load_game("connect_four")
    from trellis.loading import load
    from trellis.search.mcts.signature import signature

    found = signature(load)
    compiled()
    if json:
        print_json({"signature": found})
    else:
        print(found)


def _bench_searches(
    games: list[str] | None,
    against: str | None,
    sims: int,
    selects: list[str],
    given: Given,
    seed: int,
    json: bool,
) -> None:
    usual: Given = {"bounds": "off", "memory": _GRAPH_MEMORY}
    variants = [Settings(select=select, **(usual | given)) for select in selects]
    loaded = [load_game(name) for name in games or _USUAL_SEARCH]
    from trellis.bench.measure import measure_search

    _run(
        loaded,
        lambda game: [
            measure_search(game, against=against, sims=sims, settings=settings, seed=seed)
            for settings in variants
        ],
        against,
        json,
        search=True,
    )


def _run(
    loaded: "list[Game]",
    work: "Callable[[Game], list[Measurement | None]]",
    against: str | None,
    json: bool,
    *,
    search: bool,
) -> None:
    """Measure each game and print what was found."""
    measured: list[Measurement | None] = []
    with stoppable() as stop, progress_bar("bench") as show:
        for number, game in enumerate(loaded):
            show(number / len(loaded), game.spec)
            measured += work(game)
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
    else:
        _print(results, against, search=search)
    stop.leave()


def _print(results: "list[Measurement]", against: str | None, *, search: bool) -> None:
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
