"""What a person at the board is told when they ask: a hint, and why."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from trellis.cli.output import make_table

if TYPE_CHECKING:
    from trellis.game.game import Game, Position
    from trellis.players.player import SearchPlayer
    from trellis.players.session import Session
    from trellis.search.report import MoveReport, Report

_SHOWN = 6  # moves
_LONGEST = 10  # moves of a line of play
_REPLY = 4  # moves of a line after a move that is not the best
_FEW = 20  # a reply that fewer playouts stand behind tells nothing
_NOTICED = 5.0  # per cent that a threat takes away, at least
_SHARES = ((-1.0, 1.0), (0.0, 1.0), (0.0, 100.0))  # payoffs that count wins, a draw as a half


def counts_wins(game: "Game") -> bool:
    """Tell whether payoffs say who has won, and no more than that."""
    shared = game.players == 2 and game.constant_sum is not None
    return shared and game.payoff_range in _SHARES


def win_percent(game: "Game", value: float) -> float | None:
    """Return what share of the points a value is, in per cent; a draw counts half.

    None in games where payoffs say more than who has won, and where the value is not known.
    """
    low, high = game.payoff_range
    if not counts_wins(game) or math.isnan(value):
        return None
    return 100 * (value - low) / (high - low)


def chances(game: "Game", value: float) -> str:
    """Write a value as a person reads it: `57.1 %`, or as a payoff where that says more."""
    percent = win_percent(game, value)
    return f"{value:+.3f}" if percent is None else f"{percent:.1f} %"


def verdict(game: "Game", value: float) -> str:
    """Say what a proven value means for who moves: a win, a draw, a loss, or a payoff."""
    percent = win_percent(game, value)
    words = {100.0: "a win", 50.0: "a draw", 0.0: "a loss"}
    if percent is None or percent not in words:
        return f"worth {value:g}"
    return words[percent]


@dataclass
class Adviser:
    """Searches as the opponent does, and tells a person what it found; it keeps its own graph."""

    session: "Session"
    text: str  # of a player
    usual: str  # where that one does not search a graph
    player: "SearchPlayer" = field(init=False)

    def __post_init__(self) -> None:
        from trellis.players.player import SearchPlayer, make_player

        for text in (self.text, self.usual):
            made = make_player(text, self.session.seed, self.session.game)
            if isinstance(made, SearchPlayer):
                self.player = made
                return
        raise AssertionError(f"{self.usual} searches no graph")

    def search(self) -> "Report | None":
        """Search the present position; None where there is only one move."""
        self.player.choose(self.session.moment, self.session.position.acting)
        return self.player.report

    def hint(self, report: "Report | None", out: Console) -> None:
        """Say which move is best and what it is worth."""
        game = self.session.game
        if report is None:
            out.print(f"{self.session.position.moves()[0]} (the only move)")
        elif report.solved:
            out.print(
                f"{report.best} (value {report.value:+g}, {verdict(game, report.value)}, proven)"
            )
        else:
            out.print(
                f"{report.best} ({_worth(game, report.value)} over {report.sims:,} simulations)"
            )

    def why(self, report: "Report | None", out: Console) -> None:
        """Say what is best, what else there is, what threatens, and what is proven."""
        position = self.session.position
        if report is None:
            out.print(f"{position.moves()[0]} is the only move")
            return
        game = position.game
        search = self.player.thinking
        after: dict[str, list[str]] = {}
        if search is not None and search.position == position and len(position.actors) == 1:
            from trellis.search.mcts.replies import lines_after

            after = lines_after(search)
        out.print(_table(game, report, after))
        hidden = len(report.moves) - _SHOWN
        if hidden > 0:
            out.print(f"… and {hidden} more")
        if report.line:
            out.print(f"line: {' '.join(report.line[:_LONGEST])}")
        for line in (_threat(position, report, after), _proven(game, report)):
            if line:
                out.print(line)
        out.print(f"({report.sims:,} simulations, {report.nodes:,} positions)")


def _worth(game: "Game", value: float) -> str:
    if win_percent(game, value) is None:
        return f"value {value:+.3f}"
    return f"value {value:+.3f}, {chances(game, value)} of the points"


def _table(game: "Game", report: "Report", after: dict[str, list[str]]) -> Table:
    rows = []
    for line in report.moves[:_SHOWN]:
        known = line.low == line.high
        worth = line.low if known else min(line.adapted, report.high)  # no move beats a proof
        shown = "-" if math.isnan(worth) else chances(game, worth)
        rows.append(
            (
                line.move,
                shown,
                f"{line.visits:,}",
                verdict(game, worth) if known else "",
                " ".join(after.get(line.move, ())[:_REPLY]),
            )
        )
    worth_title = "win" if counts_wins(game) else "value"
    table = make_table(("move", worth_title, "visits", "proven", "then"), rows)
    for column in table.columns[3:]:
        column.justify = "left"
    return table


def _threat(position: "Position", report: "Report", after: dict[str, list[str]]) -> str:
    """Say which reply meets most of the other moves, and what it leaves of the chances."""
    best = report.moves[0]
    least = _percent(position.game, best)
    if least is None:
        return ""
    worse: list[tuple[str, MoveReport, float]] = []
    for line in report.moves[1:]:
        reply, percent = after.get(line.move), _percent(position.game, line)
        solid = line.visits >= _FEW or line.low == line.high
        if reply and percent is not None and solid and percent <= least - _NOTICED:
            worse.append((reply[0], line, percent))
    if len(worse) < 2:
        return ""
    usual, count = Counter(first for first, *_ in worse).most_common(1)[0]
    met = [(line, percent) for first, line, percent in worse if first == usual]
    if count < 2 or 2 * count < len(worse):
        return ""
    opponent = position.game.player_name(1 - position.acting)
    lost = [line.move for line, percent in met if line.low == line.high and percent == 0]
    if len(lost) == len(met):
        left = "and wins, proven"
    else:
        left = f"and leaves you {max(percent for _, percent in met):.1f} % at most"
    moves = _listed([line.move for line, _ in met])
    return f"threat: {opponent} plays {usual} after {moves}, {left}"


def _percent(game: "Game", line: "MoveReport") -> float | None:
    return win_percent(game, line.low if line.low == line.high else line.adapted)


def _listed(words: Sequence[str], most: int = 8) -> str:
    if len(words) > most:
        return f"{len(words)} other moves"
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _proven(game: "Game", report: "Report") -> str:
    least, greatest = game.payoff_range
    if report.solved:
        return f"proven: {report.player} has {verdict(game, report.value)}"
    parts = [
        f"at {bound} {verdict(game, value)}"
        for bound, value, known in (
            ("least", report.low, report.low > least),
            ("most", report.high, report.high < greatest),
        )
        if known
    ]
    decided = [line.move for line in report.moves if line.low == line.high]
    if parts:
        return f"proven: {report.player} has {' and '.join(parts)}"
    if decided:
        return f"proven: what {_listed(decided) if len(decided) > 1 else decided[0]} is worth"
    return "proven: nothing yet"
