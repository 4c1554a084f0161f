"""Games of Go from files and into them: `loadsgf`, which is how tests are written, `printsgf`."""

from dataclasses import replace
from pathlib import Path

from trellis._kernel.files import write_whole
from trellis.game.errors import TrellisError, shorten
from trellis.protocols.gtp.engine import CommandTable
from trellis.protocols.gtp.go_board import EMPTY, PASS, GoBoard
from trellis.protocols.gtp.go_session import GoSession
from trellis.protocols.gtp.parsing import BLACK, WHITE, CommandError, Words
from trellis.protocols.gtp.rulesets import name_of
from trellis.sgf.go_record import GoRecord, move_node, point_text, read_game
from trellis.sgf.tree import Node, write_trees

FILES = CommandTable()
_COLOURS = ("B", "W")


@FILES.add("loadsgf")
def loadsgf(session: GoSession, words: Words) -> str:
    """Take the position of a file before a move, from 1; beyond the last move, at the end."""
    path, before = _read_words(words)
    try:
        record = read_game(path)
        board = replay(session, record, before)
    except CommandError:
        raise
    except TrellisError as error:
        raise CommandError(f"cannot load file: {error}") from None
    session.take_board(board, _handicap(record, board))
    if record.komi is not None:
        session.set_komi(record.komi)
    return ""


def _read_words(words: Words) -> tuple[Path, int | None]:
    """Read the name of a file, which may have blanks in it, and a number where one follows."""
    if not len(words):
        raise CommandError("syntax error: expected the name of a file")
    text = words.rest()
    before = None
    name, _, last = text.rpartition(" ")
    if name and last.isascii() and last.isdigit() and len(last) < 10:
        text, before = name, max(1, int(last))
    return _path(text), before


def _path(text: str) -> Path:
    """Return the path of a file whose name may be quoted."""
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return Path(text[1:-1] if quoted else text)


def replay(session: GoSession, record: GoRecord, before: int | None) -> GoBoard:
    """Play the main line of a file on a board of its own, up to a move.

    What was played was legal where it was played, suicide among it.
    """
    board = GoBoard(record.rows, record.columns)
    rules = replace(session.rules, suicide=True)
    first_said = False
    for step in record.steps():
        node = step.node
        if before is not None and step.move is not None and step.number >= before:
            if not board.plies and not first_said:
                board.set_up(board.setup, BLACK if "B" in node.properties else WHITE)
            break
        if any(name in node.properties for name in ("AB", "AW", "AE")):
            _set_up(board, record, node)
        said = (node.text("PL") or "").strip().upper()[:1]
        if said in _COLOURS and not board.plies:
            first_said = True
            board.set_up(board.setup, _COLOURS.index(said))
        if step.move is not None:
            colour = BLACK if "B" in node.properties else WHITE
            point = PASS if step.move == board.points else step.move
            board.play(colour, point, rules)
    return board


def _set_up(board: GoBoard, record: GoRecord, node: Node) -> None:
    stones = board.stones()
    for name, colour in (("AE", EMPTY), ("AB", BLACK), ("AW", WHITE)):
        for point in record.points(node, name):
            stones[point] = colour
    listed = [(colour, point) for point, colour in enumerate(stones) if colour != EMPTY]
    # Black alone on the board is handicap, and white's turn.
    handicap = bool(listed) and all(colour == BLACK for colour, _ in listed)
    board.set_up(listed, WHITE if handicap else board.to_move)


def _handicap(record: GoRecord, board: GoBoard) -> int:
    said = (record.root.text("HA") or "0").strip()
    black = sum(colour == BLACK for colour, _ in board.setup)
    return black if said.isascii() and said.isdigit() and int(said[:4]) >= 2 else 0


@FILES.add("printsgf")
def printsgf(session: GoSession, words: Words) -> str:
    """Return the game as a file has it, or write it to one; all that follows is its name."""
    text = write_trees([as_nodes(session)]).decode()
    name = words.rest()
    if name in ("", "-"):
        return text
    path = _path(name)
    try:
        write_whole(path, text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"cannot write {shorten(str(path))}: {reason}") from None
    return ""


def as_nodes(session: GoSession) -> Node:
    """Return the game so far as nodes of a file."""
    board, game = session.board, session.search_game
    root = Node({})
    size = f"{board.columns}" + ("" if board.rows == board.columns else f":{board.rows}")
    facts = {
        "FF": "4", "GM": "1", "CA": "UTF-8", "AP": "Trellis", "SZ": size,
        "KM": f"{session.komi:g}", "RU": name_of(session.rules),
        "HA": str(session.handicap) if session.handicap else "",
        "RE": session.final_score() if board.passes >= 2 else "",
    }  # fmt: skip
    for name, value in facts.items():
        if value:
            root.set_text(name, value)
    for name, colour in (("AB", BLACK), ("AW", WHITE)):
        points = sorted(point for each, point in board.setup if each == colour)
        if points:
            root.properties[name] = [point_text(game, point) for point in points]
    if board.setup or board.first != BLACK:
        root.set_text("PL", _COLOURS[board.first])
    node = root
    for ply in board.plies:
        node = move_node(node, game, ply.colour, board.points if ply.point == PASS else ply.point)
    return root
