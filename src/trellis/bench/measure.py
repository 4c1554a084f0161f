"""Measuring playouts and simulations per second, ours and OpenSpiel's turn by turn.

Machines are shared and noisy.  The two sides alternate in short rounds, each round gives one
ratio, and the median of those is the figure; their spread is reported with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from trellis._kernel.deadline import stop_asked
from trellis.bridges.openspiel import OpenSpielRoller, OpenSpielSearch, openspiel_name
from trellis.game.game import Game, Position
from trellis.game.playouts import PlayoutRunner
from trellis.search.mcts.engine import Search
from trellis.search.mcts.settings import Settings

ROUNDS = 7
_SEARCH_CALL = 100_000  # simulations: short enough for Ctrl-C
_CALL = 0.2  # seconds: long enough that calling costs nothing, short enough for Ctrl-C


@dataclass
class Measurement:
    """Playouts per second of one game."""

    game: str
    per_second: float
    against: str | None = None
    against_per_second: float | None = None
    ratios: list[float] = field(default_factory=list)
    measure: str = "playouts"
    bytes_each: float | None = None  # memory a simulation
    against_bytes_each: float | None = None
    select: str | None = None

    @property
    def ratio(self) -> float | None:
        """Return the median over all rounds, or None where there was nothing to compare."""
        return median(self.ratios) if self.ratios else None

    def facts(self) -> dict[str, object]:
        """Return the measurement as it goes into JSON."""
        return {
            "game": self.game,
            "measure": self.measure,
            "per_second": self.per_second,
            "against": self.against,
            "against_per_second": self.against_per_second,
            "ratio": self.ratio,
            "ratio_low": min(self.ratios) if self.ratios else None,
            "ratio_high": max(self.ratios) if self.ratios else None,
            "bytes_per_sim": self.bytes_each,
            "against_bytes_per_sim": self.against_bytes_each,
            "select": self.select,
        }


def measure(
    game: Game, *, against: str | None = None, seconds: float = 2.0, seed: int = 0
) -> Measurement | None:
    """Measure a game for about `seconds` on each side; None where somebody asks to stop at once."""
    start = game.start()
    ours = PlayoutRunner(game, seed)
    ours.run(start, 1, seconds=min(_CALL, seconds))
    theirs = None
    if against == "openspiel" and openspiel_name(game) is not None and not game.is_simultaneous:
        theirs = OpenSpielRoller(game, seed)
    each = seconds / ROUNDS
    rates, their_rates = [], []
    for _ in range(ROUNDS):
        rates.append(_rate(lambda games, left: _played(ours, start, games, left), each))
        if theirs:
            their_rates.append(_rate(lambda games, left: (games, theirs.seconds(games)), each))
        if stop_asked():  # the last rates are of rounds that were cut short
            rates.pop()
            their_rates = their_rates[: len(rates)]
            break
    if not rates:
        return None
    return Measurement(
        game.spec,
        median(rates),
        against if theirs else None,
        median(their_rates) if theirs else None,
        [our / their for our, their in zip(rates, their_rates, strict=False)],
    )


def _played(
    roller: PlayoutRunner, start: Position, games: int, seconds: float
) -> tuple[int, float]:
    """Play so many games, or as many as there is time for; return how many, and how long."""
    found = roller.run(start, games, seconds)
    return found.games, found.seconds


def _rate(run: Callable[[int, float], tuple[int, float]], seconds: float) -> float:
    """Return games per second, measured for about `seconds`, in calls short enough for Ctrl-C."""
    games, spent, size = 0, 0.0, 1
    while spent < seconds and not stop_asked():
        done, took = run(size, seconds - spent)
        games, spent = games + done, spent + took
        size = max(1, min(4 * size, int(size * min(_CALL, seconds - spent) / max(took, 1e-9))))
    return games / max(spent, 1e-9)


def measure_search(
    game: Game,
    *,
    against: str | None = None,
    sims: int = 500_000,
    settings: Settings,
    seed: int = 0,
) -> Measurement | None:
    """Measure searches of `sims` simulations from the start, ours before and after theirs.

    None where somebody asks to stop before one has ended.
    """
    start = game.start()
    while start.is_chance:  # nobody searches for a die
        start = start.play(start.move_codes()[0])
    Search(start, settings, seed=seed).simulate(1)

    def ours(number: int) -> tuple[float, float]:
        search = Search(start, settings, seed=seed + number)
        began = perf_counter()
        done = 0
        while done < sims and not search.solved and not stop_asked():
            done += search.simulate(min(_SEARCH_CALL, sims - done))
        seconds = perf_counter() - began
        return done / seconds, search.bytes / max(done, 1)

    theirs = None
    if against == "openspiel" and openspiel_name(game) is not None and not game.is_simultaneous:
        theirs = OpenSpielSearch(game, settings.c, seed)
    rounds = []
    rate, theirs_bytes = None, None
    for number in range(3 if theirs is None else 4):
        if theirs is not None and number == 2:
            rate, theirs_bytes = theirs.run(start, sims)
        measured = ours(number)
        if stop_asked():
            break
        rounds.append(measured)
    if not rounds:
        return None
    rates = [per_second for per_second, _ in rounds]
    return Measurement(
        game.spec,
        median(rates),
        against if theirs else None,
        rate,
        [our / rate for our in rates] if rate else [],
        "sims",
        rounds[-1][1],
        theirs_bytes,
        settings.select,
    )
