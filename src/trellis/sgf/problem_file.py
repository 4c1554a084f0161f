"""Problems of Go in files: SGF, or a diagram as text.

In both, marks say what a problem is about: marked stones are to be taken or saved, marked empty
points are where moves are allowed (all, where none is marked).  In SGF marks are TR, SQ, CR, MA and
SL, and who is to move is PL.  A diagram is written as on Sensei's Library:

    $$B can black take them? capture
    $$ ---------
    $$ | C C @ |
    $$ | X X @ |
    $$ ---------

X and O are stones, B # Y Z black and W @ Q P white ones that matter, a full stop, comma or plus is
empty, C S T M is empty and in the region.  The first letter says who is to move; `$$` and frames
may be left out.  Where the text or the comment contains the word capture, live or seki, that is
asked; else it follows from the marks.
"""

import re
from pathlib import Path

from trellis.game.errors import BadParameter, BadRecord, TrellisError, shorten
from trellis.game.spec import Spec, read_options
from trellis.games.catalogue import ENTRIES
from trellis.games.go.board import LARGEST
from trellis.games.go.problem import ASKED, GoProblem, Problem
from trellis.sgf.encoding import decode
from trellis.sgf.go_record import read_game

MOST_OF_DIAGRAM = 100_000  # bytes
_MARKS = ("TR", "SQ", "CR", "MA", "SL")
_BLACK, _WHITE, _EMPTY = "XB#YZ", "OW@QP", ".,+CSTM"
_PLAIN = "XO.,+"
_TURN = re.compile(r"\$\$[cm0-9]*([BW])[cm0-9]*(?=\s|$)|\s*((?i:black|white))\b")


def load_problem(spec: Spec) -> GoProblem:
    """Load the problem in a file, with parameters of `go` that have to do with rules."""
    path = spec.file or Path(spec.name)
    known = {
        each.name: each
        for entry in ENTRIES if entry.name == "go"
        for each in entry.parameters
        if each.name in ("superko", "suicide", "history", "max_plies")
    }  # fmt: skip
    settings = read_options(spec.given, known, "parameter", path.name)
    try:
        return GoProblem(read_problem(path), str(path), **settings)
    except TrellisError as error:
        where = shorten(str(path))
        raise BadRecord(str(error) if where in str(error) else f"{where}: {error}") from None


def read_problem(path: Path) -> Problem:
    """Read the problem in a file: SGF, or a diagram."""
    if path.suffix.lower() == ".sgf":
        return problem_of_sgf(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_OF_DIAGRAM + 1)
    except OSError as error:
        raise BadRecord(f"cannot read {shorten(str(path))}: {error.strerror}") from None
    if len(data) > MOST_OF_DIAGRAM:
        raise BadRecord(f"more than {MOST_OF_DIAGRAM:,} bytes: expected a diagram of a board")
    return problem_of_diagram(decode(data)[0])


def problem_of_sgf(source: bytes | Path) -> Problem:
    """Return the problem that the first node of a file is."""
    record = read_game(source)
    root = record.root
    black, white = (frozenset(record.points(root, name)) for name in ("AB", "AW"))
    matters: set[int] = set()
    region: set[int] = set()
    for name in _MARKS:
        for code in record.points(root, name):
            if code in black | white and name != "SL":
                matters.add(code)
            else:
                region.add(code)
    return Problem(
        record.rows, record.columns, black, white, record.first_player([root]),
        frozenset(matters), frozenset(region), _question(root.text("C") or ""),
    )  # fmt: skip


def problem_of_diagram(text: str) -> Problem:
    """Return the problem that a diagram shows."""
    said: list[str] = []
    rows: list[str] = []
    player: int | None = None
    for line in map(str.strip, text.splitlines()):
        turn = _TURN.match(line)
        cells = line.removeprefix("$$").strip().strip("|").replace(" ", "")
        if turn is None and not cells.strip("-+"):
            continue  # nothing, or a frame
        if turn is None and all(cell in _BLACK + _WHITE + _EMPTY for cell in cells):
            rows.append(cells)
            continue
        said.append(line)
        if turn is not None and player is None:
            player = int((turn.group(1) or turn.group(2)).upper()[0] == "W")
    if not rows:
        raise BadRecord("no board: expected rows of X, O and full stops")
    if len(set(map(len, rows))) > 1:
        raise BadRecord("rows of different lengths: expected a rectangle")
    if max(len(rows), len(rows[0])) > LARGEST:
        raise BadRecord(f"a board of {len(rows)}x{len(rows[0])}: expected at most {LARGEST}")
    if player is None:
        raise BadRecord("nobody is to move: expected a line that begins with black or white")
    cells = "".join(reversed(rows))
    places = {
        kind: frozenset(code for code, cell in enumerate(cells) if cell in kind)
        for kind in (_BLACK, _WHITE, _EMPTY)
    }
    marked = frozenset(code for code, cell in enumerate(cells) if cell not in _PLAIN)
    return Problem(
        len(rows), len(rows[0]), places[_BLACK], places[_WHITE], player,
        marked - places[_EMPTY], marked & places[_EMPTY], _question(" ".join(said)),
    )  # fmt: skip


def _question(text: str) -> str:
    """Return what a text asks for; nothing where it does not say, or says several things."""
    words = re.findall(r"[a-z]+", text.casefold())
    found = [each for each in ASKED if each in words]
    if len(found) > 1:
        raise BadParameter(f"several things are asked for, {' and '.join(found)}: expected one")
    return found[0] if found else ""
