"""`trellis bench`: random playouts per second, alone or beside OpenSpiel."""

from typing import Annotated

import typer
from rich.table import Table

from trellis.cli.output import (
    JsonFlag,
    Real,
    SeedOption,
    compiled,
    console,
    load_game,
    positive,
    print_json,
    progress_bar,
)
from trellis.game.errors import BadParameter

_USUAL = (
    "connect_four", "hex:board_size=5", "hex:board_size=11", "breakthrough", "othello",
    "nine_mens_morris", "pentago", "amazons", "tic_tac_toe", "pig",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("bench")(bench)


def bench(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="Games to measure.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Measure this beside ours in the same run: openspiel.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Seconds for each game and side.", **Real)] = 2.0,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Measure random playouts per second on one core, from the start position."""
    positive(seconds, "--seconds")
    if against not in (None, "openspiel"):
        raise BadParameter(f"bad value {against!r} for --against: expected openspiel")
    loaded = [load_game(name) for name in games or _USUAL]
    from trellis.bridges.measure import Measurement, measure

    results: list[Measurement] = []
    with progress_bar("bench") as show:
        for number, game in enumerate(loaded):
            show(number / len(loaded), game.spec)
            results.append(measure(game, against=against, seconds=seconds, seed=seed))
    compiled()
    if json:
        print_json({"results": [result.facts() for result in results]})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("game")
    titles = ["playouts/s"]
    if against:
        titles += [f"{against}/s", "ratio", "lowest", "highest"]
    for title in titles:
        table.add_column(title, justify="right")
    for result in results:
        row = [result.game, f"{result.per_second:,.0f}"]
        if result.against_per_second is not None:
            row += [
                f"{result.against_per_second:,.0f}", f"{result.ratio:.1f}",
                f"{min(result.ratios):.1f}", f"{max(result.ratios):.1f}",
            ]  # fmt: skip
        elif against:
            row += ["-", "-", "-", "-"]
        table.add_row(*row)
    console().print(table)
