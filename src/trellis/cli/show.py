"""`trellis show`: a position as text, or as a picture."""

from pathlib import Path
from typing import Annotated

from trellis.cli.options import Option
from trellis.cli.output import write_lines
from trellis.cli.task import PositionTask
from trellis.game.errors import BadParameter, shorten


def show(
    task: PositionTask,
    out: Annotated[
        Path | None, Option("Draw the position into this file, board.svg.", usual="text")
    ] = None,
    dark: Annotated[bool, Option("Use the colours of dark pages.")] = False,
) -> None:
    """Show a position: its board as text, or a picture of it.

    The picture needs nothing else: no font, no program, no page around it.
    """
    position = task.position()
    lines = str(position).split("\n")
    if out is not None:
        if out.suffix != ".svg":
            raise BadParameter(f"bad file {shorten(str(out))}: expected a name that ends in .svg")
        from trellis._kernel.files import write_whole
        from trellis.drawing.boards import draw
        from trellis.drawing.svg import fixed

        try:
            write_whole(out, fixed(draw(position), dark=dark))
        except OSError as error:
            raise BadParameter(f"cannot write {shorten(str(out))}: {error.strerror}") from error
        lines = [f"{out}: {position.game.spec}"]
    outcome = position.outcome()
    content = {
        "game": position.game.spec, "position": position.code, "board": str(position),
        "turn": position.turn, "outcome": None if outcome is None else str(outcome),
        "file": None if out is None else str(out),
    }  # fmt: skip
    task.answer(content, lambda: write_lines(lines))
