"""Players that search games of chance, and others, depth first: `star2tt:time=1`."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game, Position
from trellis.search.star.settings import SEARCHES, StarSettings, star_settings

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.search.star.engine import StarReport, StarSearch

DEFAULT_DEPTH = 5  # plies, where neither a depth nor a time is given
DEFAULT_TABLE = 16.0  # MiB: two players and a worker for every core have to fit

OPTIONS: dict[str, Any] = {
    "depth": int,
    "time": float,
    "weights": str,
    **{each.name: each.type for each in fields(StarSettings)},
}


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
    report: "StarReport | None" = field(default=None, repr=False)
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
        return self.report.best_name or moves[0]

    def search_of(self, start: Position | Game) -> "StarSearch":
        """Make a search that knows nothing yet; refuse games that it is not for."""
        # Imported here: who plays otherwise need not wait until these kernels are compiled.
        from trellis.evaluation.shipped import feature_set, shipped_evaluation
        from trellis.search.star.engine import StarSearch

        game = start.game if isinstance(start, Position) else start
        if self.network is None:
            evaluation = shipped_evaluation(game)
        else:
            evaluation = self.network.evaluation(game, feature_set(game))
        return StarSearch(start, self.settings, evaluation, seed=self.seed)


def make_star_player(kind: str, options: dict[str, Any], seed: int) -> StarPlayer:
    """Make a player from the name of a search and options that were read already."""
    depth: int | None = options.pop("depth", None)
    seconds: float | None = options.pop("time", None)
    weights: str | None = options.pop("weights", None)
    if depth is not None and depth < 1:
        raise BadParameter(f"bad value {depth} for depth: expected a whole number from 1 up")
    if seconds is not None and not seconds > 0:
        raise BadParameter(f"bad value {seconds:g} for time: expected a number above 0")
    if depth is None and seconds is None:
        depth = DEFAULT_DEPTH
    settings = star_settings(kind).replace(**{"memory": DEFAULT_TABLE, **options})
    if seconds is not None and settings.prune:  # what was searched deeper is worth more then
        settings = settings.replace(deeper=options.get("deeper", True))
    player = StarPlayer(settings, depth, seconds, seed)
    if weights is not None:
        from trellis.evaluation.network import read_network

        player.network = read_network(Path(weights))
    return player


def read_search(text: str, game: Game, seed: int = 0, without: Iterable[str] = ()) -> StarPlayer:
    """Read a search that goes depth first, with its switches; some may have to be left out."""
    from trellis.players.player import make_player

    kind, _, body = text.partition(":")
    star_settings(kind.strip())  # refuses all others
    written = {part.partition("=")[0].strip() for part in body.split(",")}
    for name in without:
        if name in written:
            raise BadParameter(
                f"bad search {shorten(text)}: expected no {name} in it, but beside it"
            )
    return cast("StarPlayer", make_player(text, seed, game))


STAR_KINDS: dict[str, dict[str, Any]] = dict.fromkeys(SEARCHES, OPTIONS)
