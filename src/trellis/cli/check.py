"""`trellis check`: whether a game keeps the promises that searches rely on."""

from typing import Annotated

import typer

from trellis.cli.options import SheetGroup, Whole, positive
from trellis.cli.output import (
    GameName,
    JsonFlag,
    SeedOption,
    compiled,
    console,
    load_game,
    print_json,
    progress_bar,
    sheet_facts,
)


def check(
    game: GameName,
    games: Annotated[int, typer.Option(help="Number of random games to play.", **Whole)] = 20,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetGroup,
) -> None:
    """Check that a game keeps the contract that searches rely on, by playing random games.

    This is for games that you have written yourself.
    """
    positive(games=games)
    loaded = load_game(game, sheet)
    from trellis.game.contract import check_game as walk

    with progress_bar(f"check {loaded.spec}") as show:
        report = walk(loaded, games=games, seed=seed, progress=show)
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
