"""Endgames: where few positions are left the value is proven, and the move is one that keeps it.

How many are left is guessed from random games: with b moves here and n more until the end,
alpha-beta looks at some b to the power of n/2.  Only where that is not far beyond what the search
may take is it tried, so that openings cost a few random games.  What a lost position is worth all
moves keep; there the search of the graph chooses, which looks for the move that is hardest to meet.
"""

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

from trellis.game.errors import LimitReached
from trellis.game.game import Game, Position
from trellis.game.playouts import PlayoutRunner
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions.engine import Questions
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.questions.setup import refuse_unsuited
from trellis.search.solve.questions.walk import Walker

if TYPE_CHECKING:
    from trellis.players.player import SearchPlayer
    from trellis.search.report import Report

_GUESSING_GAMES = 32
_HOPEFUL = 64  # times as many positions may be guessed as may be looked at
_POSITIONS_PER_SIM = 2  # which take less time than a simulation with its playout
_SECONDS_SHARE = 0.2
_POSITIONS_PER_SECOND = 500_000
_MEMORY = 16.0  # MiB


@dataclass
class EndgamePlayer:
    """A search of the graph that hands over to questions where they soon have an answer."""

    search: "SearchPlayer"
    name: str = "endgame"
    solved: int = 0  # moves that were proven
    _questions: Questions | None = field(default=None, repr=False)
    _by_proof: bool = field(default=False, repr=False)

    @property
    def report(self) -> "Report | None":
        """Return what the last search found out; nothing where the move was proven without one."""
        return None if self._by_proof else self.search.report

    def check_game(self, game: Game) -> None:
        """Refuse games about which no questions can be asked, and settings that do not fit."""
        refuse_unsuited(game)
        self.search.check_game(game)

    def choose(self, position: Position, player: int) -> str:
        """Prove a move if that is soon done, else search."""
        codes = position.move_codes()
        code = self._prove(position) if len(codes) > 1 else None
        self._by_proof = code is not None
        if code is None:
            return self.search.choose(position, player)
        self.solved += 1
        return position.name(code)

    def _prove(self, position: Position) -> int | None:
        """Return a move that keeps the value of a position, if that is soon proven."""
        nodes, seconds = self._budget()
        game = position.game
        if self._questions is None or self._questions.game != game:
            refuse_unsuited(game)
            self._questions = Questions(game, QuestionSettings(memory=_MEMORY, rating_games=200))
        if not self._is_hopeful(position, nodes):
            return None
        questions = self._questions
        low, high = y.LEAST, y.MOST
        while low < high:
            targets = questions.labels.between(low, high)
            before = questions.nodes
            found = questions.ask(position.state, targets[len(targets) // 2], nodes, seconds)
            if found is None:
                return None
            nodes -= questions.nodes - before
            low, high = max(low, found[0]), min(high, found[1])
            if nodes <= 0 and low < high:
                return None
        first = position.acting == 0
        if low == (y.LEAST if first else y.MOST):
            return None
        try:
            return Walker(questions, max(nodes, 1)).keeping(position, low if first else high + 1)
        except LimitReached:
            return None

    def _budget(self) -> tuple[int, float | None]:
        """Return how many positions and seconds a proof may take."""
        sims, seconds = self.search.sims, self.search.seconds
        share = None if seconds is None else _SECONDS_SHARE * seconds
        by_time = None if share is None else int(_POSITIONS_PER_SECOND * share)
        by_sims = None if sims is None else _POSITIONS_PER_SIM * sims
        return min(each for each in (by_sims, by_time) if each is not None), share

    def _is_hopeful(self, position: Position, nodes: int) -> bool:
        """Guess whether a proof is soon done; the same position always gets the same answer."""
        games = PlayoutRunner(position.game).run(position, _GUESSING_GAMES)
        plies = games.plies / max(games.games, 1)
        return plies / 2 * log(len(position.move_codes())) <= log(max(_HOPEFUL * nodes, 1))
