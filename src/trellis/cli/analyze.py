"""`trellis analyze`: which move is best here."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

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
    play_moves,
    positive,
    print_json,
    progress_bar,
    say,
)


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("analyze")(analyze)


def analyze(
    game: GameName,
    moves: Annotated[str, typer.Option(help="Moves to play first, by name.")] = "",
    sims: Annotated[
        int | None,
        typer.Option(help="Random games; 200,000 unless told.", **Whole),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Seconds to think.", **Real),
    ] = None,
    c: Annotated[
        float, typer.Option("-c", help="How much to explore, on payoffs 0 to 1.", **Real)
    ] = 0.7,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Rank the moves of a position.  So far by random playouts alone: no tree, no graph.

    With both --sims and --time, whichever ends first; a game in plain Python gets 20,000 playouts
    unless told otherwise.
    """
    positive(sims, "--sims")
    positive(time, "--time")
    loaded = load_game(game)
    from trellis.search.flat import rank_moves

    position = play_moves(loaded, moves)
    if sims is None and time is None:
        sims = 200_000 if loaded.compiled else 20_000
    with progress_bar(f"analyze {loaded.spec}") as show:
        report = rank_moves(
            position,
            sims=sims,
            seconds=time,
            c=c,
            seed=seed,
            progress=lambda share, so_far: show(share, f"best {so_far.best}"),
        )
    compiled()
    if json:
        content = asdict(report) | {"sims_per_second": report.sims_per_second, "engine": "playouts"}
        print_json(content)
        return
    out = console()
    out.print(coloured(position))
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("move")
    for title in ("visits", "value"):
        table.add_column(title, justify="right")
    for line in report.moves[:20]:
        table.add_row(line.move, f"{line.visits:,}", f"{line.value:+.4f}")
    out.print(table)
    if len(report.moves) > 20:
        out.print(f"… and {len(report.moves) - 20} more moves")
    low, high = loaded.payoff_range
    out.print(
        f"\nbest for {report.player}: [bold]{report.best}[/bold], value {report.value:+.4f} "
        f"on a scale from {low:g} to {high:g}"
    )
    out.print(
        f"{report.sims:,} random playouts in {report.seconds:.2f} s, "
        f"{report.sims_per_second:,.0f} a second"
    )
    say("moves are ranked by plain random playouts; a graph search is not part of this version yet")
