"""`trellis playthrough`: write down a game as text, or replay one that was written down."""

from pathlib import Path
from typing import Annotated

from trellis.cli.options import Option
from trellis.cli.output import write_lines
from trellis.cli.task import GameTask, read_moves
from trellis.game.errors import BadParameter, shorten


def playthrough(
    task: GameTask,
    moves: Annotated[
        str, Option("Moves to play, by name.", usual="random moves", metavar="MOVES")
    ] = "",
    check: Annotated[Path | None, Option("Replay this record and compare every line.")] = None,
) -> None:
    """Record a game move by move as text, or replay such a record and compare every line."""
    loaded = task.load()
    from trellis.game.playthrough import moves_of, record_game, replay_game

    if check is not None:
        try:
            made = check.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not text in UTF-8"
            raise BadParameter(f"cannot read {shorten(str(check))}: {reason}") from error
        replay_game(made, loaded)
        lines = [f"{check}: replays as recorded"]
    else:
        made = record_game(loaded, read_moves(loaded, moves) or None, seed=task.seed)
        lines = made.removesuffix("\n").split("\n")
    name, played = moves_of(made)
    content = {"game": name, "moves": played, "agrees": check is not None or None}
    task.answer(content, lambda: write_lines(lines))
