"""Players that search games of chance, and others, depth first: `star2tt:time=1`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.game.game import Game, Position
from trellis.players.texts import DEFAULT_DEPTH, DepthFirstOptions, PlayerText
from trellis.search.star.settings import StarSettings

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.game.evaluation import Evaluation
    from trellis.search.report import Report
    from trellis.search.star.engine import StarSearch

DEFAULT_TABLE = 16.0  # MiB: two players and a worker for every core have to fit


@dataclass
class StarPlayer:
    """The best move of a star search; its table is kept from move to move.

    Positions are judged by a network that `trellis train` wrote, or by the evaluation that comes
    with the game; without any, one is worth the middle of the scale wherever the depth ends.
    """

    settings: StarSettings
    depth: int | None = DEFAULT_DEPTH
    seconds: float | None = None
    seed: int = 0
    name: str = "star2tt"
    network: "Network | None" = None
    report: "Report | None" = field(default=None, repr=False)
    _search: "StarSearch | None" = field(default=None, repr=False)

    def choose(self, position: Position, player: int) -> str:
        """Search, and take the best move; a move that is the only one needs no search."""
        self.report = None
        moves = position.moves()
        if len(moves) == 1:
            return moves[0]
        if self._search is None or self._search.game != position.game:
            self._search = self.search_of(position)
        self._search.set_position(position)
        self.report = self._search.run(depth=self.depth, seconds=self.seconds)
        return self.report.best or moves[0]

    def search_of(self, start: Position | Game) -> "StarSearch":
        """Make a search that knows nothing yet; refuse games that it is not for."""
        # Imported here: who plays otherwise need not wait until these kernels are compiled.
        from trellis.search.star.engine import StarSearch

        game = start.game if isinstance(start, Position) else start
        return StarSearch(start, self.settings, self._evaluation(game), seed=self.seed)

    def check_game(self, game: Game) -> None:
        """Refuse a game that the search, or the network, is not for."""
        from trellis.search.star.engine import refuse_unfit

        refuse_unfit(game)
        self._evaluation(game)

    def _evaluation(self, game: Game) -> "Evaluation | None":
        from trellis.evaluation.shipped import feature_set, shipped_evaluation

        if self.network is None:
            return shipped_evaluation(game)
        return self.network.evaluation(game, feature_set(game))


def make_star_player(read: PlayerText, seed: int) -> StarPlayer:
    """Make a player from its text."""
    budget = DepthFirstOptions(**read.take(DepthFirstOptions))
    depth = budget.depth
    if depth is None and budget.time is None:
        depth = DEFAULT_DEPTH
    settings = read.star_settings(memory=DEFAULT_TABLE)
    if budget.time is not None and settings.prune and "deeper" not in read.options:
        settings = settings.replace(deeper=True)  # what was searched deeper is worth more then
    player = StarPlayer(settings, depth, budget.time, seed)
    if budget.weights is not None:
        from trellis.evaluation.network import read_network

        player.network = read_network(Path(budget.weights))
    return player
