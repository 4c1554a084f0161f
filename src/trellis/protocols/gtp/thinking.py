"""A player behind the protocol: it thinks for as long as it may, can be stopped, and can ponder.

What arrives on the input meanwhile may stop it: see `attention`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import perf_counter, sleep

from trellis._kernel.progress import Progress, every
from trellis.game.bits import generator
from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game, Position
from trellis.players.grouped_player import GroupedPlayer
from trellis.players.gtp_player import GtpPlayer
from trellis.players.levels import GO_SEARCH
from trellis.players.player import FlatPlayer, Player, SearchPlayer, make_player
from trellis.players.star_player import StarPlayer
from trellis.protocols.gtp.attention import INTERRUPTS, LINES, Attention
from trellis.protocols.gtp.parsing import CommandError
from trellis.search.mcts.engine import Search
from trellis.search.report import MoveReport, Report

FOR_EVER = 1e6  # seconds
_NAP = 0.02  # seconds
_GLANCE = 0.1  # seconds for an analysis that no line would end
DEFAULT_PLAYER = "auto:time=5,reuse=true,memory=256"
GO_PLAYER = f"{GO_SEARCH},time=5,reuse=true,memory=256"


@dataclass(frozen=True)
class Decision:
    """A chosen move, by name, and what was found out; None where nothing was searched."""

    move: str
    tell: Callable[[], Report | None] = lambda: None

    @property
    def report(self) -> Report | None:
        """Return what was found out; the move need not wait for it."""
        return self.tell()


Watch = Callable[[Search], None]  # is shown a search in progress


@dataclass
class Thinker:
    """A player that is asked for moves; `busy` are the seconds it has thought for so far."""

    text: str = DEFAULT_PLAYER
    seed: int = 0
    attention: Attention = field(default_factory=Attention)
    busy: float = 0.0

    def __post_init__(self) -> None:
        self._take(make_player(self.text, self.seed))
        self._random = generator(self.seed)

    def _take(self, player: Player) -> None:
        if isinstance(player, GtpPlayer):
            raise BadParameter(
                f"player {shorten(player.name)} is another program: expected it to be asked itself"
            )
        if isinstance(player, GroupedPlayer):  # a set-up position has no last moves to be near to
            raise BadParameter(
                f"player {shorten(player.name)} has move groups: expected one without, here"
            )
        self.player = player
        self._own_seconds: float | None = getattr(player, "seconds", None)
        self._analysis: Search | None = None

    def replace_player(self, text: str, game: Game) -> None:
        """Let another player go on; refuse one that does not fit the game."""
        self._take(make_player(text, self.seed, game))
        self.text = text

    def check_game(self, game: Game) -> None:
        """Refuse a player that does not fit a game."""
        make_player(self.text, self.seed, game)

    def fits(self, game: Game) -> bool:
        """Tell whether the player can play a game."""
        try:
            self.check_game(game)
        except BadParameter:
            return False
        return True

    def choose(
        self,
        position: Position,
        allowed: Collection[str],
        seconds: float | None = None,
        watch: Watch | None = None,
        interval: float = 1.0,
    ) -> Decision:
        """Choose one of the allowed moves within some seconds, or as long as the player likes.

        `watch` is shown the search, where there is one, every so many seconds and at the end.
        """
        began = perf_counter()
        if len(allowed) == 1:
            return Decision(next(iter(allowed)))
        player = self.player
        with self.attention.listening(INTERRUPTS):
            self._set_time(seconds)
            if isinstance(player, SearchPlayer):
                player.progress = self._watcher(player, watch, interval) if watch else None
            move = player.choose(position, position.acting)
        if watch is not None and isinstance(player, SearchPlayer) and player.thinking is not None:
            watch(player.thinking)
        self.busy += perf_counter() - began

        def tell() -> Report | None:
            return getattr(player, "report", None)

        if move not in allowed:
            move = self._allowed(allowed, tell())
        return Decision(move, tell)

    def _set_time(self, seconds: float | None) -> None:
        """Let a player think for as long as the clock and its own budget allow."""
        given = [each for each in (seconds, self._own_seconds) if each is not None]
        if isinstance(self.player, SearchPlayer | FlatPlayer | StarPlayer):
            self.player.seconds = min(given, default=None)

    def _allowed(self, allowed: Collection[str], report: Report | None) -> str:
        """Return the best move that is allowed, where the best of all is not.

        A player that tells nothing of other moves gets one of them at random.
        """
        for line in report.moves if report is not None else ():
            if line.move in allowed:
                return line.move
        return sorted(allowed)[int(self._random.integers(len(allowed)))]

    def _watcher(self, player: SearchPlayer, watch: Watch, interval: float) -> Progress:
        def look() -> None:
            if player.thinking is not None:
                watch(player.thinking)

        return every(interval, look)

    # -- analysis ---------------------------------------------------------------------------------

    def analyze(self, position: Position, watch: Watch, interval: float) -> None:
        """Search until a line comes, and show the search meanwhile.

        One that has nothing left to find out is shown until then, too.  Where nobody listens to
        lines, it is shown once.
        """
        search = self._search_at(position)
        show, attention = every(interval, lambda: watch(search)), self.attention
        with attention.listening(LINES):
            search.run(seconds=FOR_EVER if attention.attended else _GLANCE, progress=show)
        watch(search)
        while attention.attended and not attention.waits:
            sleep(min(interval, _NAP))
            show(1.0, "")

    def check_search(self) -> SearchPlayer:
        """Refuse to show a search where the player has none."""
        if not isinstance(self.player, SearchPlayer):
            raise CommandError(f"player {self.player.name} does not search a graph")
        return self.player

    def look(self, position: Position, seconds: float) -> Search:
        """Return the search of this position; a short one where there was none."""
        search = self._search_at(position)
        if search.sims == 0:
            with self.attention.listening(INTERRUPTS):
                search.run(seconds=seconds)
        return search

    def ponder(self, position: Position) -> None:
        """Think about a position in which others choose, until a line comes."""
        if isinstance(self.player, SearchPlayer) and self.player.reuse and not position.is_over:
            self.player.progress = None
            with self.attention.listening(LINES):
                self.player.ponder(position, FOR_EVER)

    def _search_at(self, position: Position) -> Search:
        player = self.check_search()
        if len(position.move_codes()) == 0:
            raise CommandError("the game is over")
        kept = player.thinking
        for search in (self._analysis, kept):
            if search is not None and search.position == position:
                return search
        self._analysis = player.search_of(position, self.seed)
        return self._analysis

    def warm_up(self, position: Position) -> None:
        """Have everything compiled before a clock runs."""
        player = self.player
        if isinstance(player, SearchPlayer):
            player.search_of(position).run(sims=16)
        elif hasattr(player, "search_of"):
            player.search_of(position).run(depth=1)

    def forget(self) -> None:
        """Begin another game: nothing that was searched is kept."""
        self._analysis = None
        if isinstance(self.player, SearchPlayer):
            self.player.forget()


def chance_to_win(value: float, game: Game) -> float:
    """Return a payoff on a scale from 0 to 1."""
    low, high = game.payoff_range
    return min(1.0, max(0.0, (value - low) / (high - low)))


def best_lines(report: Report, allowed: Collection[str]) -> list[MoveReport]:
    """Return what is known of moves that are allowed and were tried, best first."""
    return [line for line in report.moves if line.move in allowed and (line.visits or line.solved)]


@dataclass
class Resignation:
    """Counts moves in a row after which little hope was left."""

    below: float
    moves: int
    poor: int = 0

    def hopeless(self, decision: Decision, game: Game) -> bool:
        """Tell whether to resign, now that another move was decided on."""
        if self.below <= 0 or decision.report is None:
            return False
        poor = chance_to_win(decision.report.value, game) < self.below
        self.poor = self.poor + 1 if poor else 0
        return self.poor >= self.moves
