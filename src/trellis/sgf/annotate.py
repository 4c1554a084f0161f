"""What a search found, written into a game: comments, and its line of play as a variation."""

from trellis.game.game import Position
from trellis.games.go.game import Go
from trellis.search.report import Report
from trellis.sgf.go_record import Step, move_node, point_text
from trellis.sgf.tree import Node

MOVES_SHOWN = 5
LONGEST_LINE = 12


def comment_of(report: Report, position: Position) -> str:
    """Say in a few lines what a search found: the best moves, their visits and values."""
    low, high = position.game.payoff_range
    known = "proven" if report.solved else f"{report.sims:,} simulations"
    value = f"{report.value:+g}" if report.solved else f"{report.value:+.3f}"
    scale = f"on a scale from {low:g} to {high:g}"
    lines = [f"Trellis: best for {report.player} is {report.best}, {value} {scale}, {known}"]
    for each in report.moves[:MOVES_SHOWN]:
        worth = f"{each.value:+.3f}" if each.visits else "-"
        proof = f", proven {each.low:g}" if each.low == each.high else ""
        lines.append(f"{each.move}: {each.visits:,} visits, value {worth}{proof}")
    if len(report.line) > 1:
        lines.append(f"line: {' '.join(report.line[:LONGEST_LINE])}")
    return "\n".join(lines)


def annotate(step: Step, report: Report) -> None:
    """Write what a search found of the position after a node into it.

    The line of play becomes a variation behind the moves that are there, unless it begins with one
    of them.  At the end of a game it stands in the comment alone: a node would look like a move
    that was made.
    """
    position, node = step.position, step.node
    game = position.game
    if report.best is None or not isinstance(game, Go):
        return
    node.add_comment(comment_of(report, position))
    if not node.children or _follows(node, game, position, report.best):
        return
    at: Node = node
    for name in report.line[:LONGEST_LINE] or (report.best,):
        move = position.code_of(name)
        at = move_node(at, game, position.acting, move)
        position = position.play(move)


def _follows(node: Node, game: Go, position: Position, best: str) -> bool:
    """Tell whether a move is among those that follow a node already."""
    colour = "BW"[position.acting]
    wanted = point_text(game, position.code_of(best))
    passes = (b"", b"tt") if wanted == b"" else (wanted,)
    return any(child.properties.get(colour, [None])[0] in passes for child in node.children)
