"""`trellis solve`: what a position is worth, proven."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis.cli.each_solution import (
    finish,
    print_bounds,
    refuse_strategy,
    solve_each_by_values,
    write_strong,
)
from trellis.cli.exact_solution import solve_by_values
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
    play_moves,
    print_json,
    progress_bar,
    say,
    sheet_facts,
    writable,
    write_strategy,
    write_values,
)
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import plain_value
from trellis.search.mcts.settings import Settings
from trellis.search.solve.settings import DEFAULT_LIMIT, SETTINGS, TABLE_MEMORY

if TYPE_CHECKING:
    from trellis.game.game import Game, Position
    from trellis.search.mcts.engine import Search
    from trellis.search.report import Report
    from trellis.search.solve.proof import Searches


_NAMES = (
    "select", "c", "decisive", "bounds", "gamma", "delta", "symmetry", "memory", "when_full",
)  # fmt: skip
_USUAL = {name: plain_value(value) for name, value in SETTINGS.items()} | {
    "select": "suits the game",
    "symmetry": "on where the game has symmetries",
    "memory": f"{SETTINGS['memory']:,.0f}; {TABLE_MEMORY:,.0f} where every position is evaluated",
}


def solve(
    game: GameName,
    moves: MovesOption = "",
    limit: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of playouts.",
            show_default=f"{DEFAULT_LIMIT:,} without --time",
            **Whole,
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="Maximum seconds.", show_default="no limit", **Real)
    ] = None,
    strategy: Annotated[
        Path | None,
        typer.Option(help="Write an optimal strategy, for `play --player strategy:FILE`."),
    ] = None,
    strong: Annotated[
        Path | None, typer.Option(help="Write the value of every position of a small game.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Evaluate every position, as for games of chance.")
    ] = False,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    settings: Annotated[
        Given, OptionGroup(Settings, "Options for proofs by playouts", _NAMES, _USUAL)
    ],
    sheet: SheetGroup,
) -> None:
    """Prove what a position is worth, with the best line and how much work it took.

    Games of chance, and any game with --exact, are solved by evaluating every position that can
    be reached; the value is then an expectation.
    Where players may move at the same time, or their payoffs are not known to add up to a
    constant, the answer is what each player can secure, and what the others can hold it to.
    The exit code is 0 only when the value is proven.
    """
    memory = settings.get("memory")
    positive(limit=limit, time=time, memory=memory)
    if strategy is not None and strong is not None and strategy.absolute() == strong.absolute():
        raise BadParameter(f"--strategy and --strong {shorten(str(strong))}: expected two files")
    for path in (strategy, strong):
        if path is not None:
            writable(path)
    given = dict(settings)
    if strategy is not None and settings.setdefault("when_full", "stop") != "stop":
        raise BadParameter("--strategy needs the whole proof: expected --when-full stop")
    Settings(**settings)  # refuses bad values
    loaded = load_game(game, sheet)
    if not _one_value(loaded):
        refuse_strategy(loaded, strategy)
    if exact or loaded.has_chance:
        refuse(
            "is for proofs by playouts: every position is evaluated here; expected it left out",
            limit=limit, **(given | {"memory": None}),
        )  # fmt: skip
        position = play_moves(loaded, moves)
        if _one_value(loaded):
            solve_by_values(position, memory or TABLE_MEMORY, time, strategy, strong, json)
        else:
            solve_each_by_values(position, memory or TABLE_MEMORY, time, strong, json)
        return
    from trellis.search.mcts.engine import Search
    from trellis.search.solve import proof as solving

    position = play_moves(loaded, moves)
    search = solving.prepare(position, seed=seed, **settings)
    with stoppable() as stop, progress_bar(f"solve {loaded.spec}") as show:
        found = solving.solve(
            search, limit=limit, seconds=time,
            progress=lambda share, _: show(share, _note(search)),
        )  # fmt: skip
    compiled()
    extra: dict[str, Any] = {}
    if strategy is not None and found.solved and isinstance(search, Search):
        extra["strategy_positions"] = _write_strategy(search, found, strategy)
    if strong is not None and not stop.asked:
        write = _write_strong if isinstance(search, Search) else write_strong
        extra["strong_positions"] = write(position, strong)
    if json:
        print_json(found.facts() | extra | sheet_facts(loaded) | {"interrupted": stop.asked})
    elif isinstance(search, Search):
        _print(found, position, extra, strategy, strong)
    else:
        print_bounds(position, found, _work(found))
        _print_files(extra, strategy, strong)
    if not isinstance(search, Search):
        finish(loaded, found, _memory_note(search), stop)
        return
    if not found.solved:
        say(
            f"{loaded.spec} is not solved: {found.player} gets {found.low:g} to {found.high:g} "
            f"after {found.sims:,} playouts" + _memory_note(search)
        )
        stop.leave()
        raise typer.Exit(1)


def _one_value(game: "Game") -> bool:
    """Tell whether one number says what everybody gets."""
    from trellis.search.mcts.make_params import can_bound

    return can_bound(game)


def _memory_note(search: "Search | Searches") -> str:
    """Say that the memory was full, and what more of it would buy."""
    each = [search] if not hasattr(search, "each") else search.each
    if not any(one.full or one.collections for one in each):
        return ""
    room, more = sum(len(one.graph.nodes) for one in each), 4
    collections, memory = sum(one.collections for one in each), sum(one.memory for one in each)
    often = f" ({collections:,} times some were given up)" if collections else ""
    return (
        f"; memory full: {memory:g} MiB hold {room:,} nodes{often}; "
        f"--memory {more * memory:g} would hold {more} times as many"
    )


def _note(search: "Search | Searches") -> str:
    bounds = search.bounds
    pairs = [bounds] if isinstance(bounds[0], float) else bounds
    between = ", ".join(f"{low:g} to {high:g}" for low, high in pairs)
    return f"{search.sims:,} playouts, {between}"


def _print(
    found: "Report",
    position: "Position",
    extra: dict[str, Any],
    strategy: Path | None,
    strong: Path | None,
) -> None:
    out = console()
    out.print(coloured(position))
    out.print()
    if found.solved and found.payoffs is not None:
        names = [position.game.player_name(p) for p in range(position.game.players)]
        pays = ", ".join(
            f"{name} {payoff:g}" for name, payoff in zip(names, found.payoffs, strict=True)
        )
        words = {"first": f"{names[0]} wins", "second": f"{names[-1]} wins", "draw": "a draw"}
        if found.outcome is None:
            out.print(f"[bold]a payoff of {found.payoffs[0]:g}[/bold], proven")
        else:
            out.print(f"[bold]{words[found.outcome]}[/bold] ({pays}), proven")
        out.print(f"best: [bold]{found.best}[/bold]")
        out.print(f"line: {' '.join(found.line)}")
    out.print(_work(found))
    _print_files(extra, strategy, strong)


def _work(found: "Report") -> str:
    return (
        f"{found.sims:,} playouts in {found.seconds:.2f} s, {found.nodes:,} nodes, "
        f"{found.bytes / 2**20:.1f} MiB"
    )


def _print_files(extra: dict[str, Any], strategy: Path | None, strong: Path | None) -> None:
    out = console()
    if "strategy_positions" in extra:
        out.print(f"strategy of {extra['strategy_positions']:,} positions in {strategy}")
    if "strong_positions" in extra:
        out.print(f"values of {extra['strong_positions']:,} positions in {strong}")


def _write_strategy(search: "Search", found: "Report", path: Path) -> int:
    from trellis.search.solve.proof import strategy

    return write_strategy(path, found.game, found.bounds[0][0], strategy(search))


def _write_strong(position: "Position", path: Path) -> int:
    from trellis.search.solve.strong import solve_strongly

    spec = position.game.spec
    with progress_bar(f"every position of {spec}") as show:
        return write_values(path, spec, solve_strongly(position, progress=show).items())
