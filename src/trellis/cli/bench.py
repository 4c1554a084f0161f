"""`trellis bench`: playouts or simulations per second, alone or beside OpenSpiel."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

from trellis.cli.bench_chance import USUAL_DEPTH, bench_chance
from trellis.cli.options import Argument, Given, Option, OptionGroup, refuse
from trellis.cli.output import print_table, say, write_lines
from trellis.cli.task import SeededTask, load_game, sheet_facts
from trellis.game.errors import BadParameter, shorten
from trellis.search.mcts.settings import Settings

if TYPE_CHECKING:
    from trellis.bench.measure import Measurement
    from trellis.game.game import Game

_GRAPH_MEMORY, _TABLE_MEMORY = 1024.0, 256.0  # MiB
_GO = ("go:board_size=6", "go:board_size=9")
_BOARDS = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago",
)  # fmt: skip
_USUAL_SEARCH = (*_BOARDS, "tic_tac_toe", *_GO)
_USUAL = (*_BOARDS, "amazons", "tic_tac_toe", "pig", *_GO)
_SEARCH = OptionGroup(
    Settings,
    "Options for --search",
    ("backup", "bounds", "c", "rave", "rave_bias", "grave", "memory"),
    {"bounds": "off", "memory": f"{_GRAPH_MEMORY:,.0f}; {_TABLE_MEMORY:g} with --chance"},
)
_CHANCE_PANEL = "Options for --chance"


def bench(
    task: SeededTask,
    settings: Annotated[Given, _SEARCH],
    games: Annotated[
        list[str] | None,
        Argument(
            "Games to measure; with --chance, searches to compare.",
            usual="a selection",
            metavar="GAME",
        ),
    ] = None,
    against: Annotated[
        str | None, Option("Measure this system in the same run: openspiel.", metavar="SYSTEM")
    ] = None,
    seconds: Annotated[
        float | None, Option("Seconds for each game and system.", usual="2", above=0)
    ] = None,
    search: Annotated[bool, Option("Measure graph searches instead of playouts.")] = False,
    chance: Annotated[
        bool, Option("Count the nodes of star searches on 50 positions of Dice.")
    ] = False,
    signature: Annotated[bool, Option("Print one number for the behaviour of the search.")] = False,
    sims: Annotated[
        int | None,
        Option("Simulations of each search.", "500,000", _SEARCH.title, above=0),
    ] = None,
    select: Annotated[
        list[str] | None,
        Option(
            "Which statistics select moves, as in analyze; may be given several times.",
            "simple",
            _SEARCH.title,
        ),
    ] = None,
    depth: Annotated[
        int | None, Option("Plies to search.", str(USUAL_DEPTH), _CHANCE_PANEL, above=0)
    ] = None,
    jobs: Annotated[
        int | None, Option("Number of searches at the same time.", "1", _CHANCE_PANEL, above=0)
    ] = None,
    plot: Annotated[
        Path | None,
        Option("Draw the nodes by depth into this file: .svg, .png or .pdf.", "", _CHANCE_PANEL),
    ] = None,
) -> None:
    """Measure random playouts, or searches, per second on one core, from the start position."""
    if against not in (None, "openspiel"):
        raise BadParameter(f"bad value {against!r} for --against: expected openspiel")
    graphs: Given = {"sims": sims, "select": select or None, **settings}
    if chance:
        graphs["memory"] = None  # its searches have some too
        why = "is for playouts and searches of graphs: expected no --chance"
        flags = {"search": search or None, "signature": signature or None}
        refuse(why, against=against, **flags, **graphs)
        memory = settings.get("memory", _TABLE_MEMORY)
        bench_chance(task, depth or USUAL_DEPTH, jobs or 1, memory, games, seconds or 2.0, plot)
        return
    why = "is for star searches: expected --chance with it"
    refuse(why, depth=depth, jobs=jobs, plot=plot)
    if signature:
        if games:
            raise BadParameter(
                f"--signature measures a fixed set of games: expected no {shorten(games[0])}"
            )
        why = "has no effect with --signature: expected it left out"
        refuse(why, against=against, seconds=seconds, search=search or None, **graphs)
        _print_signature(task)
        return
    if search:
        refuse("is for playouts: expected --sims with --search", seconds=seconds)
        usual: Given = {"bounds": "off", "memory": _GRAPH_MEMORY}
        variants = [Settings(select=each, **(usual | settings)) for each in select or ["simple"]]
    else:
        refuse("is for searches of graphs: expected --search with it", **graphs)
    loaded = [load_game(name) for name in games or (_USUAL_SEARCH if search else _USUAL)]
    from trellis.bench.measure import measure, measure_search

    def work(game: "Game") -> "list[Measurement | None]":
        if not search:
            return [measure(game, against=against, seconds=seconds or 2.0, seed=task.seed)]
        return [
            measure_search(
                game, against=against, sims=sims or 500_000, settings=each, seed=task.seed
            )
            for each in variants
        ]

    results = _measured(task, loaded, work, by_name=bool(games))
    facts = [
        result.to_dict() | sheet_facts(game)
        for result in results
        for game in loaded
        if game.spec == result.game
    ]
    task.answer({"results": facts}, lambda: _print(results, against, search=search))


def _measured(
    task: SeededTask,
    games: "list[Game]",
    work: "Callable[[Game], list[Measurement | None]]",
    *,
    by_name: bool,
) -> "list[Measurement]":
    """Measure one game after the other; a refused one is left out unless it was asked for."""
    measured: list[Measurement | None] = []
    with task.working("bench") as show:
        for number, game in enumerate(games):
            show(number / len(games), game.spec)
            try:
                measured += work(game)
            except BadParameter as refused:
                if by_name:
                    raise
                say(f"{game.spec} is left out: {refused}")
    return [result for result in measured if result is not None]


def _print_signature(task: SeededTask) -> None:
    load_game("connect_four")
    from trellis.loading import load
    from trellis.search.mcts.signature import signature

    found = signature(load)
    task.answer({"signature": found}, lambda: write_lines([found]))


def _print(results: "list[Measurement]", against: str | None, *, search: bool) -> None:
    titles = ["game", "select", "sims/s", "bytes/sim"] if search else ["game", "playouts/s"]
    if against:
        titles += [f"{against}/s", "ratio", "lowest", "highest"]
        titles += [f"{against} bytes/sim"] if search else []
    beside_plain = any(result.of_plain for result in results)
    if beside_plain:
        titles[4:4] = ["of plain"]
    rows = []
    for result in results:
        row = [result.game, *([result.select or ""] if search else []), f"{result.per_second:,.0f}"]
        if search:
            row.append(f"{result.bytes_per_sim:,.0f}")
        if beside_plain:
            row.append(f"{median(result.of_plain):.2f}")
        if result.against_per_second is not None:
            row += [
                f"{result.against_per_second:,.0f}", f"{result.ratio:.1f}",
                f"{min(result.ratios):.1f}", f"{max(result.ratios):.1f}",
            ]  # fmt: skip
            if search and result.against_bytes_per_sim is not None:
                row.append(f"{result.against_bytes_per_sim:,.0f}")
        rows.append(row + ["-"] * (len(titles) - len(row)))
    print_table(titles, rows)
    if beside_plain:
        write_lines(["of plain: simulations a second, as a part of those without RAVE"])
    write_lines(sorted({result.differs for result in results if result.differs}))
