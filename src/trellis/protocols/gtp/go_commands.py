"""Commands of Go alone: sizes, komi, handicap, rules, what is dead."""

from trellis.protocols.gtp.engine import CommandTable
from trellis.protocols.gtp.go_session import GoSession
from trellis.protocols.gtp.handicap import fixed_points, free_points
from trellis.protocols.gtp.parsing import BLACK, COLOURS, CommandError, Words
from trellis.protocols.gtp.rulesets import named_rules, read_rules

GO = CommandTable()


@GO.add("boardsize", "rectangular_boardsize")
def boardsize(session: GoSession, words: Words) -> str:
    """Take an empty board: one number for a square, or columns and rows."""
    columns = words.whole("a number of columns")
    rows = words.whole("a number of rows") if len(words) else columns
    session.set_size(rows, columns)
    return ""


@GO.add("query_boardsize")
def query_boardsize(session: GoSession, words: Words) -> str:
    """Tell the size of the board."""
    if session.rows == session.columns:
        return str(session.rows)
    return f"{session.columns} {session.rows}"


@GO.add("komi")
def komi(session: GoSession, words: Words) -> str:
    """Take another komi."""
    session.set_komi(words.real("a komi"))
    return ""


@GO.add("get_komi")
def get_komi(session: GoSession, words: Words) -> str:
    """Tell komi."""
    return f"{session.komi:g}"


@GO.add("fixed_handicap")
def fixed_handicap(session: GoSession, words: Words) -> str:
    """Put stones of handicap on their fixed points."""
    stones = words.whole("a number of stones")
    return _place(session, fixed_points(session.rows, session.columns, stones))


@GO.add("place_free_handicap")
def place_free_handicap(session: GoSession, words: Words) -> str:
    """Choose points for stones of handicap."""
    stones = words.whole("a number of stones")
    return _place(session, free_points(session.rows, session.columns, stones))


@GO.add("set_free_handicap")
def set_free_handicap(session: GoSession, words: Words) -> str:
    """Put stones of handicap where somebody else chose."""
    if not 2 <= len(words) < session.board.points:
        raise CommandError("bad vertex list: expected at least two points")
    _place(session, session.points_of(words.rest().split()))
    return ""


def _place(session: GoSession, points: list[int]) -> str:
    session.place_handicap(points)
    return " ".join(session.board.name(point) for point in points)


@GO.add("kata-set-rules")
def kata_set_rules(session: GoSession, words: Words) -> str:
    """Take rules by name or as JSON."""
    session.set_rules(read_rules(words.rest(), session.rules))
    return ""


@GO.add("kata-set-rule")
def kata_set_rule(session: GoSession, words: Words) -> str:
    """Change one rule."""
    name = words.word("the name of a rule")
    session.set_rules(session.rules.with_field(name, words.word("a value")))
    return ""


@GO.add("kata-get-rules")
def kata_get_rules(session: GoSession, words: Words) -> str:
    """Tell the rules as JSON."""
    return session.rules.as_json()


@GO.add("kgs-rules")
def kgs_rules(session: GoSession, words: Words) -> str:
    """Take rules by the names that KGS has for them."""
    name = words.word("the name of rules").casefold()
    session.set_rules(named_rules("chinese-kgs" if name == "chinese" else name))
    return ""


@GO.add("kgs-genmove_cleanup")
def kgs_genmove_cleanup(session: GoSession, words: Words) -> str:
    """Choose a move that does not pass while dead stones of the other side are there."""
    return session.cleanup_move(words.colour())


@GO.add("kgs-game_over")
def kgs_game_over(session: GoSession, words: Words) -> str:
    """Do nothing: the next game begins with clear_board."""
    return ""


@GO.add("final_status_list")
def final_status_list(session: GoSession, words: Words) -> str:
    """List chains that are alive or dead, a line each."""
    return "\n".join(session.final_status(words.word("alive, dead or seki").casefold()))


@GO.add("all_legal")
def all_legal(session: GoSession, words: Words) -> str:
    """List the points that a player may choose."""
    points = session.board.legal(words.colour(), session.rules)
    return " ".join(session.board.name(point) for point in points)


@GO.add("is_legal")
def is_legal(session: GoSession, words: Words) -> str:
    """Tell whether a player may choose a point, 1 or 0."""
    colour, point = words.colour(), session.read_move(words)
    return str(int(point < 0 or session.board.is_legal(colour, point, session.rules)))


@GO.add("list_stones")
def list_stones(session: GoSession, words: Words) -> str:
    """List the points with stones of a colour."""
    colour = words.colour()
    stones = session.board.stones()
    return " ".join(session.board.name(point) for point, c in enumerate(stones) if c == colour)


@GO.add("captures")
def captures(session: GoSession, words: Words) -> str:
    """Tell how many stones a colour has taken."""
    return str(session.board.captured[1 - words.colour()])


@GO.add("move_history")
def move_history(session: GoSession, words: Words) -> str:
    """List the moves so far, last first, as GNU Go does."""
    return "\n".join(
        f"{COLOURS[ply.colour]} {session.board.name(ply.point)}"
        for ply in reversed(session.board.plies)
    )


@GO.add("gogui-setup")
def gogui_setup(session: GoSession, words: Words) -> str:
    """Begin with stones set up, pairs of a color and a point."""
    stones = []
    while len(words):
        colour = words.colour()
        row, column = words.point(session.rows, session.columns)
        stones.append((colour, row * session.columns + column))
    session.board.set_up(stones, BLACK)
    session.handicap = 0
    session.thinker.forget()
    return ""


@GO.add("gogui-setup_player")
def gogui_setup_player(session: GoSession, words: Words) -> str:
    """Say who is next in a position that was set up."""
    colour = words.colour()
    if session.board.plies:
        raise CommandError("the game has begun: expected this right after gogui-setup")
    session.board.set_up(session.board.setup, colour)
    return ""
