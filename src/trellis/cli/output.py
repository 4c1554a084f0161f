"""What the commands share: printing for people or as JSON, boards in colours, files."""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from trellis import cli
from trellis._kernel import files
from trellis.game.errors import BadParameter, shorten

if TYPE_CHECKING:
    from trellis.game.game import Position

_PIPE_WIDTH = 200
_STYLES = ("bold cyan", "bold yellow", "bold magenta", "bold green")


class PipeConsole(Console):
    """A console that reports a closed pipe like any other error."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command line to say so."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console on standard output; plain text, never folded, where that is a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return PipeConsole(highlight=False, markup=False, soft_wrap=True, width=width, stderr=stderr)


def make_table(titles: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Table:
    """Lay out cells under titles: the first so many columns are text, the others numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, title in enumerate(titles):
        table.add_column(title, justify="left" if place < left else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Return a table line by line, without the blanks that would fill its last column."""
    out = console()
    with out.capture() as captured:
        out.print(make_table(titles, rows, left))
    return [line.rstrip() for line in captured.get().splitlines()]


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Print a table."""
    write_lines(table_lines(titles, rows, left))


def print_best(who: str, move: str, worth: str) -> None:
    """Print which move is best for whom, after an empty line."""
    console().print(Text.assemble(f"\nbest for {who}: ", (move, "bold"), f", {worth}"))


def say(message: str) -> None:
    """Print one line for people on standard error."""
    print(f"trellis: {' '.join(message.split())}", file=sys.stderr)


class ReaderGone(Exception):
    """Whoever read the output does so no more; a BrokenPipeError would be Typer's to answer."""


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    cli.answered = True
    try:
        print(json.dumps(content), flush=True)
    except BrokenPipeError:
        raise ReaderGone from None


def write_lines(lines: Iterable[str]) -> None:
    """Print plain lines on standard output."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
    except BrokenPipeError:
        raise ReaderGone from None


def coloured(position: "Position", before: "Position | None" = None) -> Text:
    """Draw a board with each player's pieces in a colour, and what has just changed inverted."""
    game = position.game
    drawing = str(position)
    old = str(before) if before is not None else ""
    comparable = len(old) == len(drawing)
    styles = {
        piece: _STYLES[player % len(_STYLES)]
        for player, pieces in enumerate(game.symbols if game.pieces is None else game.pieces)
        for piece in pieces
    }
    if not styles:
        return Text(drawing)
    # A piece stands alone, or has a number: b3.
    piece = re.compile(f"(?<![A-Za-z0-9])[{re.escape(''.join(styles))}][0-9]*(?![A-Za-z0-9])")
    text = Text(drawing)
    start = 0
    for line in drawing.splitlines(keepends=True):
        # Letters under a board are names of columns, not pieces.
        words = line.split()
        heading = len(words) > 1 and words == [chr(ord("a") + i) for i in range(len(words))]
        for found in () if heading else piece.finditer(line):
            begin, end = start + found.start(), start + found.end()
            moved = comparable and old[begin:end] != found.group()
            style = styles[found.group()[0]]
            text.stylize(f"{style} reverse" if moved else style, begin, end)
        start += len(line)
    return text


def print_board(position: "Position") -> None:
    """Print a board, and an empty line."""
    console().print(coloured(position))
    console().print()


def writable(path: Path, endings: Sequence[str] = ()) -> None:
    """Refuse a path that could not be written, or drawn to, before any work is done for it."""
    folder = path.parent
    if endings and path.suffix.lower() not in endings:
        expected = f"expected a name that ends in {', '.join(endings)}"
        raise BadParameter(f"cannot draw to {shorten(str(path))}: {expected}")
    if path.is_dir() or not path.name:
        raise BadParameter(f"cannot write {shorten(str(path))}: it is a folder")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise BadParameter(f"cannot write {shorten(str(path))}: no such folder, or not yours")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, or refuse its name."""
    try:
        files.write_whole(path, text)
    except OSError as error:
        raise BadParameter(f"cannot write {shorten(str(path))}: {error.strerror}") from error


def write_records(path: Path, head: dict[str, Any], records: Iterable[dict[str, Any]]) -> int:
    """Write a line of JSON about a game, then one for each of its positions; return how many."""
    lines = [json.dumps(record) for record in records]
    write_whole(path, "\n".join([json.dumps(head), *lines]) + "\n")
    return len(lines)
