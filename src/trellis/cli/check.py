"""`trellis check`: whether a game keeps the promises that searches rely on."""

from typing import Annotated

import typer

from trellis.cli.output import (
    GameName,
    JsonFlag,
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
from trellis.cli.sheet_options import with_sheet_options


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("check")(with_sheet_options(check))


def check(
    game: GameName,
    games: Annotated[int, typer.Option(help="Random games to walk through.", **Whole)] = 20,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Walk a game and check every promise a search relies on; for games of your own above all."""
    positive(games, "--games")
    loaded = load_game(game)
    from trellis.game.contract import check_game as walk

    with progress_bar(f"check {loaded.spec}") as show:
        report = walk(loaded, games=games, seed=seed, progress=lambda share: show(share, ""))
    compiled()
    facts = {
        "game": report.game,
        "positions": report.positions,
        "games": report.games,
        "most_moves": report.most_moves,
        "longest": report.longest,
    }
    if json:
        print_json(facts | sheet_facts(loaded))
        return
    console().print(
        f"{report.game} keeps the contract: {report.positions:,} positions looked at in "
        f"{report.games} games, at most {report.most_moves} moves, longest game {report.longest}"
    )
