"""How a role chooses its moves in a match: a search that is kept, a solver of puzzles, a player.

While it thinks it tells the best move so far, so that somebody may take that where time is up.
"""

from math import inf
from time import perf_counter
from typing import Any

from trellis._kernel.progress import Progress, every
from trellis.game.bits import generator
from trellis.game.game import Game, Position
from trellis.players.player import Player, RandomPlayer, SearchPlayer, make_player
from trellis.players.star_player import StarPlayer
from trellis.players.texts import read_player
from trellis.protocols.ggp.following import Following, Tell
from trellis.search.mcts import graph as g
from trellis.search.mcts.decide import best_for, follow, make_ready
from trellis.search.mcts.engine import Search
from trellis.search.mcts.mixture import mixture_of
from trellis.search.mcts.reporting import EdgeLine, edge_lines
from trellis.search.mcts.settings import Settings
from trellis.search.puzzle.solver import PuzzleSolver

_TELL_EVERY = 0.2  # seconds
_FOR_EVER = 1e6  # seconds
_MIXING_C = 0.7  # with which mixtures come nearer to equilibria than with the usual constant


class Chooser:
    """Chooses moves for one role of one match."""

    def __init__(self, game: Game, player: int, text: str, seed: int, mebibytes: float) -> None:
        self.game, self.player = game, player
        self._random = generator(seed)
        self._seed = seed
        self._search: Search | None = None
        self._solver: PuzzleSolver | None = None
        self._other: Player | None = None
        self._settings: Settings | None = None
        self._own_seconds = inf
        self._own_sims: int | None = None
        read = read_player(text)
        made = make_player(text, seed)
        if not isinstance(made, SearchPlayer):
            self._other = made
            self._own_seconds = getattr(made, "seconds", None) or inf
        elif read.kind == "auto" and game.players == 1 and not game.has_chance and game.compiled:
            self._solver = PuzzleSolver(game, seed=seed, mebibytes=mebibytes)
        else:
            self._own_seconds = read.options.get("time") or inf
            self._own_sims = read.options.get("sims")
            usual: dict[str, Any] = {"memory": mebibytes, "when_full": "collect"}
            if game.is_simultaneous:
                usual["c"] = _MIXING_C
            self._settings = read.graph_settings(**usual)

    @property
    def knows_everything(self) -> bool:
        """Tell whether more thinking could find out nothing more about the position at hand."""
        if self._solver is not None:
            return self._solver.finished
        if self._other is not None or self._own_seconds < inf:
            return True  # it does not think ahead, or no longer than it was told to
        return self._search is not None and self._search.solved

    def ponder(self, following: Following, seconds: float | None = None) -> None:
        """Think about a position in which nobody waits for a move of ours."""
        position = following.position
        seconds = min(_FOR_EVER if seconds is None else seconds, self._own_seconds)
        if position.is_over or position.is_chance:
            return
        if self._solver is not None:
            self._solver.think(position, seconds)
        elif self._settings is not None:
            search = self._search_at(position, self._settings)
            if not search.solved:
                search.think(self._own_sims, max(seconds, 0.001))

    def choose(self, following: Following, seconds: float, tell: Tell) -> str:
        """Choose a move within some seconds."""

        def tell_text(name: str, worth: float | None, work: int) -> None:
            tell(following.named(name), worth, work)

        return following.named(self._choose(following.position, seconds, tell_text))

    def _choose(self, position: Position, seconds: float, tell: Tell) -> str:
        """Choose a move, and name it as the game does."""
        until = perf_counter() + min(seconds, self._own_seconds)
        if self._solver is not None:
            self._solver.think(position, seconds)
            code, worth = self._solver.next_move(position)
            tell(position.name(code), worth, self._solver.looked_at)
            return position.name(code)
        if self._other is not None or self._settings is None:
            return self._ask_other(self._other or RandomPlayer(self._random), position, seconds)
        search = self._search_at(position, self._settings)
        own, _ = search.node_of_player(self.player)
        left = until - perf_counter()
        if left > 0.001 and not search.solved:
            search.think(self._own_sims, left, progress=self._watcher(search, own, tell))
        lines = self._lines(search)
        if len(position.actors) > 1 and len(lines) > 1:
            code = self._draw(lines)
        else:
            code, _ = best_for(search, self.player)
        worth = next((line.value for line in lines if line.code == code), None)
        tell(own.name(code), worth, search.sims)
        return own.name(code)

    # -- parts ------------------------------------------------------------------------------

    def _search_at(self, position: Position, settings: Settings) -> Search:
        if self._search is None:
            self._search = Search(position, settings, seed=self._seed)
            make_ready(self._search)
        else:
            follow(self._search, position)
        return self._search

    def _lines(self, search: Search) -> list[EdgeLine]:
        """Return what is known of this player's moves, in the numbers of the position."""
        own, node = search.node_of_player(self.player)
        return [] if node == g.NONE else edge_lines(search, node, own)

    def _draw(self, lines: list[EdgeLine]) -> int:
        """Draw a move with chances as its visits: who plays always the same can be read."""
        chances = mixture_of([line.visits for line in lines])
        return lines[int(self._random.choice(len(lines), p=chances))].code

    def _watcher(self, search: Search, own: Position, tell: Tell) -> Progress:
        def look() -> None:
            lines = self._lines(search)
            if lines:
                best = max(lines, key=lambda line: (line.low, line.visits, line.value))
                tell(own.name(best.code), best.value, search.sims)

        return every(_TELL_EVERY, look)

    def _ask_other(self, other: Player, position: Position, seconds: float) -> str:
        if isinstance(other, StarPlayer):
            other.seconds = min(seconds, self._own_seconds)
        return other.choose(position, self.player)
