"""What the commands share: loading with a notice, printing for people or as JSON, progress."""

import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from trellis._kernel.progress import Progress
from trellis.cli.options import Given, Whole, option_name
from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import Spec, plain_value, split_spec
from trellis.gdl.options import SheetOptions

if TYPE_CHECKING:
    from trellis.game.game import Game, Position

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game that `trellis games` lists, with parameters as in hex:board_size=5; or a "
        "class in a Python file, FILE.py:CLASS; or a rulesheet, FILE.kif.",
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


MovesOption = Annotated[str, typer.Option(help="Moves to play first, by name.", show_default=False)]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Random seed: the same seed gives the same result.", **Whole)
]

_PIPE_WIDTH = 200
_STYLES = ("bold cyan", "bold yellow", "bold magenta", "bold green")
_PATIENCE = 1.0  # seconds after which somebody who watches is told what takes so long


class PipeConsole(Console):
    """A console that reports a closed pipe like any other error."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command line to say so."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console on standard output; plain text, never folded, where that is a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return PipeConsole(highlight=False, soft_wrap=True, width=width, stderr=stderr)


def print_lines(out: Console, table: Table) -> None:
    """Print a table without the blanks that would fill its last column."""
    with out.capture() as captured:
        out.print(table)
    for line in captured.get().splitlines():
        out.print(Text.from_ansi(line.rstrip()))


def say(message: str) -> None:
    """Print one line for people on standard error."""
    print(f"trellis: {' '.join(message.split())}", file=sys.stderr)


class ReaderGone(Exception):
    """Whoever read the output does so no more; a BrokenPipeError would be Typer's to answer."""


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
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


@cache
def _announce_compiling(game: str) -> None:
    say(f"compiling what this needs of {shorten(game)}, once; later starts are quick …")
    if on_terminal():
        threading.Thread(target=_show_compiling, daemon=True).start()


def _show_compiling() -> None:
    """Show on a terminal that kernels are being compiled, for as long as this process lives."""
    from numba.core import event

    class Compiler(event.Listener):  # type: ignore[misc]
        since: float | None = None

        def on_start(self, event: Any) -> None:
            self.since = perf_counter()

        def on_end(self, event: Any) -> None:
            self.since = None

    compiler = Compiler()
    event.register("numba:compiler_lock", compiler)
    began, told = perf_counter(), False
    while True:
        sleep(0.25)
        since = compiler.since
        if since is not None and perf_counter() - since > _PATIENCE:
            if _shown.acquire(blocking=False):  # else something else is being drawn
                sys.stderr.write(f"\rcompiling ({perf_counter() - began:.0f} s) …\x1b[K")
                sys.stderr.flush()
                _shown.release()
                told = True
        elif told and since is None:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            told = False


def load_game(text: str, sheet: Given | None = None) -> "Game":
    """Load a game; say so, once, where its kernels have to be compiled first.

    Options of rulesheets become parameters, so that whoever loads the game again from its name
    need not know of them; any other game refuses them.
    """
    from trellis.loading import check_spec, load

    spec = split_spec(text)
    if sheet:
        spec = _with_sheet_options(spec, sheet, text.strip())
    check_spec(spec)  # a bad name is refused before anything is compiled
    if spec.is_sheet:
        watch_slow_work()
    await_compiling(text)
    game = load(spec)
    tell_fallback(game)
    tell_open_ends(game)
    return game


def _with_sheet_options(spec: Spec, sheet: Given, text: str) -> Spec:
    if not spec.is_sheet:
        option = option_name(next(iter(sheet)))
        raise BadParameter(f"{option} is for rulesheets: expected a .kif file, not {shorten(text)}")
    options = SheetOptions(**sheet)  # refuses bad values
    written = {name: plain_value(getattr(options, name)) for name in sheet}
    if "ground_limit" in written:  # commas part the parameters of a game
        written["ground_limit"] = written["ground_limit"].replace(" ", "").replace(",", "+")
    return spec.with_parameters(written)


def tell_fallback(game: "Game") -> None:
    """Say where a rulesheet is not played by a circuit although nobody has asked for that."""
    if sheet_facts(game).get("evaluator") == "forward":
        from trellis.gdl.forward_pace import fallback_line

        line = fallback_line(game)
        if line:
            say(line)


def tell_open_ends(game: "Game") -> None:
    """Say where a rulesheet leaves open what happens: the rest of the rules is not to blame."""
    known = getattr(game, "known", None)
    if known is None:
        return
    from trellis.gdl.tools.facts import in_words

    for fact, what in (
        (known.always_a_move, "a role has no legal move {}: play stops there, worth anything"),
        (known.one_goal, "a role has no goal, or several, {}: that is worth anything"),
    ):
        if fact.refuted:
            say(f"{game.name}: {what.format(in_words(fact.play, game.sheet))}")  # type: ignore[attr-defined]


def sheet_facts(game: "Game") -> dict[str, Any]:
    """Return what programs are told of how a rulesheet is played; nothing of other games."""
    if not hasattr(game, "sheet"):
        return {}
    return {"evaluator": getattr(game, "evaluator", ""), "reason": getattr(game, "reason", "")}


def await_compiling(what: str) -> None:
    """Import what every command needs; say so, once, where kernels have to be compiled first."""
    # Numba imports SciPy's linear algebra where SciPy happens to be installed, which takes longer
    # than all of ours; nothing here needs it.  So a command loads its game first, and imports
    # whatever else needs Numba after that.
    absent = "scipy" not in sys.modules
    if absent:
        sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        from trellis._kernel import jit

        jit.heed_interrupts()
        jit.on_compile(lambda module: _announce_compiling(what))
        from trellis.game import playouts  # noqa: F401  (compiles what every command needs)
    finally:
        if absent:
            del sys.modules["scipy"]


def compiled() -> None:
    """Remember that everything this command needs has been compiled."""
    from trellis._kernel import jit

    jit.finish_compiling()


def split_moves(text: str) -> list[str]:
    """Split a list of moves at spaces and commas, but not inside `mark(1,2)` or `(mark 1 2)`."""
    found = [""]
    depth = 0
    for character in text:
        depth = max(depth + (character == "(") - (character == ")"), 0)
        if depth == 0 and (character.isspace() or character == ","):
            found.append("")
        else:
            found[-1] += character
    return [move for move in found if move]


def read_move(game: "Game", move: str) -> str:
    """Return the name of a move; of a rulesheet `(mark 1 2)` is another way to write it."""
    sheet = getattr(game, "sheet", None)
    if sheet is None or not move.startswith("("):
        return move
    from trellis.gdl.game import printed_move

    return printed_move(sheet, move)


def read_moves(game: "Game", moves: str) -> list[str]:
    """Return the names of the moves of `--moves "d d e"`."""
    return [read_move(game, move) for move in split_moves(moves)]


def play_moves(game: "Game", moves: str) -> "Position":
    """Play the moves of `--moves "d d e"` from the start."""
    position = game.start()
    for number, move in enumerate(read_moves(game, moves), start=1):
        try:
            position = position.play(move)
        except Exception as error:
            error.args = (f"move {number}: {error}",)
            raise
    return position


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


def on_terminal() -> bool:
    """Tell whether somebody watches standard error."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


_shown = threading.Lock()  # held by whatever draws on the terminal


@contextmanager
def _slow_work(what: str, most: float | None) -> Iterator[None]:
    """Say on a terminal what takes so long; nothing on a pipe, nor beside a bar."""
    if not on_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    began = perf_counter()

    def tell() -> None:
        wait, told = _PATIENCE, False
        while not done.wait(wait):
            wait, told = 1.0, True
            limit = "" if most is None else f" of at most {most:g}"
            sys.stderr.write(f"\r{what} ({perf_counter() - began:.0f} s{limit}) …\x1b[K")
            sys.stderr.flush()
        if told:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        _shown.release()


def watch_slow_work() -> None:
    """Have somebody at a terminal told while a rulesheet is grounded and made into a circuit."""
    from trellis.gdl.sheet import on_slow_work

    on_slow_work(_slow_work)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing on a pipe; what it yields is told how far work is."""
    if not on_terminal():
        yield lambda share, note: None
        return
    claimed = _shown.acquire(blocking=False)
    try:
        with Bar(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[note]}"), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task(title, total=1.0, note="")
            yield lambda share, note: bar.update(task, completed=share, note=note)
    finally:
        if claimed:
            _shown.release()


def writable(path: Path) -> None:
    """Refuse a path that could not be written, before any work is done for it."""
    folder = path.parent
    if path.is_dir() or not path.name:
        raise BadParameter(f"cannot write {shorten(str(path))}: it is a folder")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise BadParameter(f"cannot write {shorten(str(path))}: no such folder, or not yours")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all; a pipe or device is written to."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise BadParameter(f"cannot write {shorten(str(path))}: {error.strerror}") from error


def write_strategy(path: Path, game: str, value: float, moves: Iterable[tuple[Any, str]]) -> int:
    """Write a move for each position, for `play --player strategy:FILE`; return how many."""
    lines = [json.dumps({"game": game, "player": "both", "value": value})]
    lines += [json.dumps({"position": position.code, "move": move}) for position, move in moves]
    write_whole(path, "\n".join(lines) + "\n")
    return len(lines) - 1


def write_values(path: Path, game: str, values: Iterable[tuple[Any, tuple[float, float]]]) -> int:
    """Write what is known of each position; return how many."""
    lines = [
        json.dumps({"position": position.code, "low": low, "high": high})
        for position, (low, high) in values
    ]
    head = json.dumps({"game": game, "positions": len(lines)})
    write_whole(path, "\n".join([head, *lines]) + "\n")
    return len(lines)


def write_values_of_all(
    path: Path, game: str, values: Iterable[tuple[Any, tuple[tuple[float, float], ...]]]
) -> int:
    """Write what each player can secure, and be held to, in each position; return how many."""
    lines = [
        json.dumps({"position": position.code, "bounds": bounds}) for position, bounds in values
    ]
    head = json.dumps({"game": game, "positions": len(lines)})
    write_whole(path, "\n".join([head, *lines]) + "\n")
    return len(lines)
