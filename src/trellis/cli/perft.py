"""`trellis perft`: count games and distinct positions."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from trellis.cli.options import SheetGroup, Whole, whole_number
from trellis.cli.output import (
    GameName,
    JsonFlag,
    MovesOption,
    SeedOption,
    compiled,
    console,
    load_game,
    play_moves,
    print_json,
    progress_bar,
    sheet_facts,
)
from trellis.cli.stopping import stoppable


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Argument(metavar="DEPTH", help="Depth in plies.", parser=whole_number)
    ],
    moves: MovesOption = "",
    limit: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of positions in one ply.",
            show_default="as many as fit into 4 GB",
            **Whole,
        ),
    ] = None,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetGroup,
) -> None:
    """Count the games of each length, and the distinct positions they reach."""
    loaded = load_game(game, sheet)
    from trellis.game.perft import perft as count

    start = play_moves(loaded, moves)
    with stoppable() as stop, progress_bar(f"perft {loaded.spec}") as show:
        plies = count(start, depth, limit=limit, progress=show)
    compiled()
    if json:
        facts = sheet_facts(loaded) | {"interrupted": stop.asked}
        print_json({"game": loaded.spec, "plies": [asdict(ply) for ply in plies], **facts})
        stop.leave()
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ply", "games", "positions", "ended"):
        table.add_column(title, justify="right")
    for ply in plies:
        table.add_row(str(ply.ply), f"{ply.games:,}", f"{ply.positions:,}", f"{ply.ended:,}")
    console().print(table)
    stop.leave()
