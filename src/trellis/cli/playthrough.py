"""`trellis playthrough`: write down a game as text, or replay one that was written down."""

from pathlib import Path
from typing import Annotated

import typer

from trellis.cli.options import SheetGroup
from trellis.cli.output import (
    GameName,
    JsonFlag,
    SeedOption,
    compiled,
    load_game,
    print_json,
    read_moves,
    sheet_facts,
    write_lines,
)
from trellis.game.errors import BadParameter, shorten


def playthrough(
    game: GameName,
    moves: Annotated[
        str, typer.Option(help="Moves to play, by name.", show_default="random moves")
    ] = "",
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replay this record and compare every line.")
    ] = None,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetGroup,
) -> None:
    """Record a game move by move as text, or replay such a record and compare every line."""
    loaded = load_game(game, sheet)
    from trellis.game.playthrough import moves_of, record_game, replay_game

    if check is not None:
        try:
            text = check.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not text in UTF-8"
            raise BadParameter(f"cannot read {shorten(str(check))}: {reason}") from error
        replay_game(text, loaded)
        made = text
    else:
        made = record_game(loaded, read_moves(loaded, moves) or None, seed=seed)
    compiled()
    if json:
        name, played = moves_of(made)
        content = {"game": name, "moves": played, "agrees": check is not None or None}
        print_json(content | sheet_facts(loaded))
    elif check is not None:
        print(f"{check}: replays as recorded")
    else:
        write_lines(made.removesuffix("\n").split("\n"))
