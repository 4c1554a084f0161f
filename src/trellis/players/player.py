"""Players: a way to choose moves, written as text such as `random` or `uct:c=0.3,sims=1000`."""

import json
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from trellis._kernel.progress import Progress
from trellis.game.bits import generator
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.game.game import Game, Position
from trellis.game.playouts import STUCK, refuse_failure
from trellis.game.rules import Counts
from trellis.players.endgame_player import EndgamePlayer
from trellis.players.grouped_player import GroupedPlayer
from trellis.players.gtp_player import GtpPlayer
from trellis.players.python_player import is_python, python_player
from trellis.players.star_player import make_star_player
from trellis.players.texts import DEFAULT_SIMS, FlatOptions, GtpOptions, PlayerText, read_player
from trellis.players.tuned import tuned_settings
from trellis.search.mcts.decide import best_for, decide_anew, make_ready, reset
from trellis.search.mcts.engine import Search
from trellis.search.mcts.flat import rank_moves
from trellis.search.mcts.settings import Settings
from trellis.search.report import Report
from trellis.search.star.settings import SEARCHES

DEFAULT_MEMORY = 64.0  # MiB: two players and a worker for every core have to fit
STRATEGY_BYTES = 256 << 20  # a larger strategy file is refused
OUTSIDE_SIMS = 1_000  # what a strategy spends on a position that it does not know

_BYTES_PER_SIM = 2_048  # more than one simulation can add to a graph
_ANSWER_SECONDS = 0.0005  # that naming the best move takes, where it takes long
_LEAST_SECONDS = 0.001  # every move gets a few simulations
_SECONDS_PER_POSITION = 5e-5  # of a way that is looked for
_SEEDS_AT_ONCE = 32
_LONGEST_WAY = 4_096  # positions looked at to find out what others have played meanwhile

Say = Callable[[str], None]


class Player(Protocol):
    """Chooses a move for `player`.

    Where several choose at once, `position` is the one before anybody has chosen, so that no
    player can know another's choice.
    """

    name: str

    def choose(self, position: Position, player: int) -> str:
        """Return the name of the chosen move."""
        ...


def turn_of(position: Position, player: int) -> Position:
    """Return the position in which a player chooses at this moment, others' choices made up."""
    while position.acting != player:
        position = position.play(position.move_codes()[0])
    return position


@dataclass
class RandomPlayer:
    """Every legal move with the same chance."""

    random: np.random.Generator
    name: str = "random"

    def choose(self, position: Position, player: int) -> str:
        """Draw a move."""
        moves = turn_of(position, player).moves()
        if not moves:
            refuse_failure(position.game, STUCK)
        return moves[int(self.random.integers(len(moves)))]


@dataclass
class FlatPlayer:
    """The move that random playouts like best."""

    random: np.random.Generator
    sims: int | None
    seconds: float | None
    c: float
    name: str = "flat"
    report: Report | None = field(default=None, repr=False)

    def choose(self, position: Position, player: int) -> str:
        """Rank the moves by playouts; take the most visited."""
        seed = int(self.random.integers(1 << 62))
        self.report = rank_moves(
            position, player=player, sims=self.sims, seconds=self.seconds, c=self.c, seed=seed
        )
        return self.report.moves[0].move


@dataclass
class SearchPlayer:
    """The best move of a graph search; with `reuse` the graph is kept from move to move.

    `progress` is told how far a search is; `thinking` is that search, or the last one.  One search
    serves all moves and games: what is not kept is reset.
    """

    random: np.random.Generator
    settings: Settings
    sims: int | None = DEFAULT_SIMS
    seconds: float | None = None
    reuse: bool = False
    name: str = "search"
    fits_memory: bool = False  # the graph is made no larger than its simulations need
    given: frozenset[str] | None = None  # where what was not given may come from tuning
    progress: Progress | None = field(default=None, repr=False)
    thinking: Search | None = field(default=None, repr=False)
    _began: float = field(default=0.0, repr=False)
    _search: Search | None = field(default=None, repr=False)
    _report: Report | None = field(default=None, repr=False)
    _made_for: tuple[Settings, int | None] | None = field(default=None, repr=False)
    _reporter: Search | None = field(default=None, repr=False)  # who can make it
    _chooser: int = field(default=0, repr=False)  # whose choice is told
    _seeds: Counts = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    _taken: int = field(default=0, repr=False)  # so many of them
    _astray: bool = field(default=False, repr=False)  # what was searched is of no use
    _new_game: bool = field(default=False, repr=False)  # and is to be as if it had never been
    _played: list[int] = field(default_factory=list, repr=False)  # since the search's position

    def __post_init__(self) -> None:
        if self.reuse and self.settings.select == "uct0":
            raise BadParameter(
                "a plain tree recognises no position: expected uct1, simple or ucd with reuse"
            )
        if self.settings.sequential_halving and (self.sims is None or self.seconds is not None):
            raise BadParameter(
                "sequential_halving needs a budget of simulations: expected sims, and no time"
            )

    @property
    def report(self) -> Report | None:
        """Return what the last search found out, if any; made when asked for: no move waits."""
        if self._report is None and self._reporter is not None:
            self._report = self._reporter.report(self._chooser)
        return self._report

    def begin_game(self, seed: int) -> None:
        """Go on as a new player with this seed would; the memory is kept."""
        self.random = generator(seed)
        self._taken = len(self._seeds)
        self.forget()
        self._new_game = True

    def choose(self, position: Position, player: int) -> str:
        """Search, and take the best move; a move that is the only one needs no search."""
        self._report = self._reporter = None
        self._began = perf_counter()
        if self.reuse:
            self._move_along(position)
        own = turn_of(position, player)
        codes = own.move_codes()
        code = codes[0] if len(codes) == 1 else self._think(position, player)
        self._played = [code] if own is position else []
        return own.name(code)

    def _think(self, position: Position, player: int) -> int:
        """Search, and return the code of the best move."""
        search = self.search_at(position)
        seed = None if self.reuse else self._draw()
        self.thinking = search
        by_sims = self.seconds is None and self.progress is None
        if seed is not None and by_sims and self.sims is not None:
            code, sure = decide_anew(search, position, seed, self.sims, player)
        else:
            if seed is not None:
                reset(search, position, seed)
            search.think(self.sims, self._seconds_left(), self.progress)
            # One search serves all who choose at this moment; its answer is to who asks.
            code, sure = best_for(search, player)
        if not sure:
            # The value was known before any move was tried, so no move is known to reach it.
            open_ = self.settings.replace(bounds="off", gamma=0.0, delta=None)
            search = Search(position, open_, seed=search.seed)
            search.think(self.sims, self._seconds_left())
            code, _ = best_for(search, player)
        self._reporter, self._chooser = search, player
        return code

    def search_at(self, position: Position) -> Search:
        """Return the search at hand, or make one; whatever it knows, it will have to forget."""
        search = self._search
        if search is None or not self._knows(position.game):
            search = self._search = self.thinking = None  # two graphs at a time need not fit
            search = self._search = self.search_of(position)
            self._made_for = self.settings, self.sims
        return search

    def _knows(self, game: Game) -> bool:
        """Tell whether the search at hand is one of this game, with these settings."""
        search = self._search
        if search is None or search.game != game:
            return False
        return self.reuse or self._made_for == (self.settings, self.sims)

    def ponder(self, position: Position, seconds: float) -> None:
        """Search a position in which somebody else may choose; of use where the graph is kept."""
        if self.reuse:
            self.report  # noqa: B018  (of what was searched so far)
            self._move_along(position)
            self.thinking = self._search
            self._search.think(seconds=seconds)  # type: ignore[union-attr]

    def forget(self) -> None:
        """Forget everything that was searched; the memory is kept."""
        self.thinking, self._played, self._astray = None, [], True
        self._report = self._reporter = None

    def _seconds_left(self) -> float | None:
        """Return what is left of the time: making a graph took some of it."""
        if self.seconds is None:
            return None
        left = self.seconds - (perf_counter() - self._began) - _ANSWER_SECONDS
        return max(left, _LEAST_SECONDS)

    def _draw(self) -> int:
        seed, self._taken = int(self.seeds_ahead()[0]), self._taken + 1
        return seed

    def seeds_ahead(self) -> Counts:
        """Return the seeds of the next searches, one or more: many at once are drawn as quickly."""
        if self._taken == len(self._seeds):
            self._seeds, self._taken = self.random.integers(1 << 62, size=_SEEDS_AT_ONCE), 0
        return self._seeds[self._taken :]

    def take_seeds(self, count: int) -> None:
        """Use up some of the seeds."""
        self._taken += count

    def search_of(self, position: Position, seed: int = 0) -> Search:
        """Make a search that knows nothing yet; refuse settings that do not fit the game."""
        game = position.game
        settings = self._settings_for(game)
        if game.is_simultaneous and settings.select == "uct0":
            raise BadParameter(
                f"in {game.spec} players choose at once, and a plain tree knows only what the "
                "first of them does: expected uct1"
            )
        if self.sims is not None and self.fits_memory:
            # A small graph is made in a tenth of the time, and has room enough.
            needed = (self.sims + game.max_moves) * _BYTES_PER_SIM / (1 << 20)
            settings = settings.replace(memory=min(max(needed, 1.0), settings.memory))
        search = Search(position, settings, seed=seed)
        make_ready(search)
        return search

    def _settings_for(self, game: Game) -> Settings:
        """Return the settings, with those that were found best for a game where none was given."""
        if self.given is None:
            return self.settings
        tuned = tuned_settings(game.spec)
        return self.settings.replace(
            **{name: value for name, value in tuned.items() if name not in self.given}
        )

    def check_game(self, game: Game) -> None:
        """Refuse settings that do not fit a game."""
        self.search_of(game.start())  # asks for its memory too, but touches hardly any of it

    def _move_along(self, position: Position) -> None:
        """Bring the kept search to a position of the same game, or begin another."""
        search = self._search
        if search is not None and self._knows(position.game):
            if self._new_game:
                reset(search, position, self._draw())
                self._played, self._astray, self._new_game = [], False, False
                return
            if search.position == position and not self._astray:  # asked again
                return
            most = _LONGEST_WAY
            if self.seconds is not None:  # one move of somebody else, and a tenth of the time
                own_most = int(self.seconds / 10 / _SECONDS_PER_POSITION)
                most = min(most, max(position.game.max_moves + 1, own_most))
            way = None
            if not self._astray:
                way = find_way(search.position.play(*self._played), position, most)
            if way is not None:
                search.advance(*self._played, *way)
            else:  # nothing that is known is of use, but the memory is
                search.restart_at(position)
            self._played, self._astray = [], False
            return
        self._search = self.thinking = None  # two graphs at a time need not fit
        self._search = self.search_of(position, self._draw())
        self._played, self._astray, self._new_game = [], False, False


def find_way(start: Position, goal: Position, most: int = _LONGEST_WAY) -> list[int] | None:
    """Return the fewest moves from one position to another, None where they seem not to exist.

    At most `most` positions are looked at, so that asking costs a few milliseconds.
    """
    game, wanted = start.game, goal.state.tobytes()
    seen = {start.state.tobytes()}
    if wanted in seen:
        return []
    waiting: deque[tuple[Position, list[int]]] = deque([(start, [])])
    while waiting:
        position, way = waiting.popleft()
        for code in position.move_codes():
            state = position.state
            game.rules.play(game.tables, state, code)
            words = state.tobytes()
            if words == wanted:
                return [*way, code]
            if words not in seen:
                seen.add(words)
                waiting.append((Position(game, state), [*way, code]))
            if len(seen) > most:
                return None
    return None


# -- strategies ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strategy:
    """What `trellis solve --strategy` wrote: a move for each position that can arise."""

    game: str
    player: int | None  # None for a strategy of both players
    moves: dict[str, str]


@dataclass
class StrategyPlayer:
    """Follows a strategy; says so, once, where it has to search by itself."""

    strategy: Strategy
    file: Path
    search: SearchPlayer
    say: Say
    name: str = "strategy"
    _told: bool = False

    def check_game(self, game: Game) -> None:
        """Refuse a strategy of another game."""
        if game.spec != self.strategy.game:
            raise BadParameter(
                f"{shorten(str(self.file))} is a strategy of {shorten(self.strategy.game)}: "
                f"expected one of {game.spec}"
            )

    def choose(self, position: Position, player: int) -> str:
        """Take the move of the strategy, or search where it has none."""
        self.check_game(position.game)
        moves = turn_of(position, player).moves()
        if len(moves) == 1:
            return moves[0]
        move = self.strategy.moves.get(position.code)
        if move is None:
            if not self._told:
                owner = self.strategy.player
                whose = "" if owner in (None, player) else (
                    f", being one of {position.game.player_name(int(owner or 0))}"
                )  # fmt: skip
                self.say(
                    f"this position is outside the strategy in {shorten(str(self.file))}{whose}: "
                    f"{position.game.player_name(player)} goes on by searches of "
                    f"{OUTSIDE_SIMS:,} simulations"
                )
                self._told = True
            return self.search.choose(position, player)
        if move not in moves:
            raise BadParameter(
                f"bad strategy {shorten(str(self.file))}: its move {shorten(move)} is illegal in "
                f"position {position.code}"
            )
        return move


def read_strategy(path: Path) -> Strategy:
    """Read a strategy file: a line about the game, then a line for each position, all JSON."""
    try:
        if not path.is_file():
            raise BadParameter(f"no such strategy file: {shorten(str(path))}")
        about = path.stat()
        if about.st_size > STRATEGY_BYTES:
            raise BadParameter(
                f"strategy file {shorten(str(path))} has {about.st_size >> 20} MiB: expected at "
                f"most {STRATEGY_BYTES >> 20}"
            )
        return _read_strategy(path, about.st_size, about.st_mtime_ns)
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        reason = getattr(error, "strerror", None) or error
        raise BadParameter(f"cannot read {shorten(str(path))}: {reason}") from error


@lru_cache(maxsize=2)  # a match makes its players anew for every game
def _read_strategy(path: Path, size: int, changed: int) -> Strategy:
    strategy: Strategy | None = None
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if strategy is None:
                strategy = _begin_strategy(path, entry)
                continue
            words = (entry.get("position"), entry.get("move")) if isinstance(entry, dict) else ()
            if len(words) != 2 or not all(isinstance(word, str) for word in words):
                raise BadParameter(
                    f"bad strategy {shorten(str(path))}, line {number}: expected "
                    '{"position": code, "move": name}'
                )
            strategy.moves[str(words[0])] = sys.intern(str(words[1]))
    return strategy or _begin_strategy(path, None)


def _begin_strategy(path: Path, entry: Any) -> Strategy:
    """Return a strategy without any moves, from the line about the game."""
    if isinstance(entry, dict) and isinstance(entry.get("game"), str):
        owner = entry.get("player", "both")
        if owner == "both" or (type(owner) is int and owner >= 0):
            return Strategy(entry["game"], None if owner == "both" else owner, {})
    raise BadParameter(
        f"bad strategy {shorten(str(path))}, line 1: expected "
        '{"game": name, "player": 0, 1 or "both", "value": number}'
    )


# -- players as text -------------------------------------------------------------------------


def make_player(
    text: str, seed: int = 0, game: Game | None = None, say: Say | None = None
) -> Player:
    """Make a player from text.

    `random`; `flat` (playouts without a graph); `uct` (a plain tree); `uct1`, `uct2`, `uct3`,
    `simple`, `nodes`, `ucd:d1,d2,d3` (graphs), `auto` (what suits the game), `network:FILE.onnx`;
    `expectimax`, `star1`, `star2`, `star2tt`, `star2tt+`, `alphabeta` (depth first);
    `strategy:FILE`; `gtp:command=PROGRAM`; `bot.py:Bot(depth=3)` (your class with `choose`).
    Options follow after a colon or a comma: `sims` and `time` (whichever ends first), `reuse`,
    and the fields of `Settings`; depth first `depth`, `time` and the fields of `StarSettings`.
    What does not fit a `game` is refused at once; `say` is told what people should know.

    >>> make_player("ucd:0,1,inf,c=0.3,sims=1000").settings.depths
    (0, 1, inf)
    """
    read = None if is_python(text) else read_player(text)
    try:
        player = python_player(text) if read is None else _make(read, seed, say or _to_stderr)
        player.name = text
        if game is not None and hasattr(player, "check_game"):
            player.check_game(game)
    except TrellisError as error:
        raise type(error)(f"player {shorten(text)}: {error}") from error
    return player


def _make(read: PlayerText, seed: int, say: Say) -> Player:
    random = generator(seed)
    if read.kind == "strategy":
        if not read.words:
            raise BadParameter("expected a file that `trellis solve --strategy` wrote")
        file, settings = Path(read.words), Settings(memory=DEFAULT_MEMORY)
        search = SearchPlayer(random, settings, OUTSIDE_SIMS, fits_memory=True)
        return StrategyPlayer(read_strategy(file), file, search, say)
    if read.kind == "random":
        return RandomPlayer(random)
    if read.kind == "gtp":
        return GtpPlayer(GtpOptions(**read.options), seed=seed)
    if read.kind in SEARCHES:
        return make_star_player(read, seed)
    sims, seconds = read.options.get("sims"), read.options.get("time")
    sims = DEFAULT_SIMS if sims is None and seconds is None else sims
    if read.kind == "flat":
        return FlatPlayer(random, sims, seconds, FlatOptions(**read.options).c)
    reuse = read.options.get("reuse", False)
    # Where a graph is kept, what the game has passed would fill the memory.
    fits = "memory" not in read.options and not reuse
    usual = "collect" if reuse else "stop"
    settings = read.graph_settings(memory=DEFAULT_MEMORY, when_full=usual)
    tuned = read.kind == "auto" and read.options.get("tuned", True)
    given = frozenset(read.options) if tuned else None
    player = SearchPlayer(random, settings, sims, seconds, reuse, fits_memory=fits, given=given)
    groups = read.options.get("groups", "none")
    made = EndgamePlayer(player) if read.options.get("endgame", False) else player
    return made if groups == "none" else GroupedPlayer(player, groups)


def _to_stderr(message: str) -> None:
    print(f"trellis: {message}", file=sys.stderr)
