"""Commands for any board game: GoGui's rules, by which it plays games it has never heard of."""

from trellis.protocols.gtp.engine import CommandTable
from trellis.protocols.gtp.game_session import GameSession
from trellis.protocols.gtp.parsing import Words

GAMES = CommandTable()


@GAMES.add("boardsize")
def boardsize(session: GameSession, words: Words) -> str:
    """Take a board of another size, where the game has them; one number or two."""
    columns = words.whole("a number of columns")
    session.set_size(words.whole("a number of rows") if len(words) else columns, columns)
    return ""


@GAMES.add("komi")
def komi(session: GameSession, words: Words) -> str:
    """Do nothing: front ends send it whatever the game."""
    words.real("a komi")
    return ""


@GAMES.add("all_legal_moves", "all_legal")
def all_legal_moves(session: GameSession, words: Words) -> str:
    """List the legal moves by name."""
    return " ".join(session.to_gtp(move) for move in session.now.moves())


@GAMES.add("gogui-rules_game_id")
def rules_game_id(session: GameSession, words: Words) -> str:
    """Name the game; from now on moves are sent point by point."""
    session.clicks = True
    return session.game_id


@GAMES.add("gogui-rules_board")
def rules_board(session: GameSession, words: Words) -> str:
    """Tell what stands on each point."""
    session.clicks = True
    return session.cells().picture()


@GAMES.add("gogui-rules_board_size")
def rules_board_size(session: GameSession, words: Words) -> str:
    """Tell the size of the board, and its shape."""
    session.clicks = True
    cells = session.cells()
    shape = "hex" if session.game.name == "hex" else "rect"
    if cells.rows == cells.columns:
        return str(cells.rows) if shape == "rect" else f"{cells.rows} {shape}"
    return f"{cells.columns} {cells.rows} {shape}"


@GAMES.add("gogui-rules_legal_moves")
def rules_legal_moves(session: GameSession, words: Words) -> str:
    """List the points that may be clicked on next; none where the game is over."""
    session.clicks = True
    return " ".join(session.legal_clicks())


@GAMES.add("gogui-rules_side_to_move")
def rules_side_to_move(session: GameSession, words: Words) -> str:
    """Tell who is next, also in the middle of a move."""
    session.clicks = True
    return session.side_name()


@GAMES.add("gogui-rules_final_result")
def rules_final_result(session: GameSession, words: Words) -> str:
    """Tell who has won, in words."""
    session.clicks = True
    return session.final_result()


HEX = CommandTable()


@HEX.add("hexgui-analyze_commands")
def hexgui_analyze_commands(session: GameSession, words: Words) -> str:
    """List what HexGui may show on its board; the form is GoGui's."""
    from trellis.protocols.gtp.gogui import analyze_lines

    return "\n".join(analyze_lines(session))
