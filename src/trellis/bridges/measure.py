"""Measuring playouts and simulations per second, ours and OpenSpiel's turn by turn.

Machines are shared and noisy.  The two sides alternate in short rounds, each round gives one
ratio, and the median of those is the figure; their spread is reported with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from trellis.bridges.openspiel import OpenSpielRoller, OpenSpielSearch, openspiel_name
from trellis.game.game import Game
from trellis.game.playouts import Roller
from trellis.search.engine import Search
from trellis.search.settings import Settings

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
) -> Measurement:
    """Measure a game for about `seconds` on each side."""
    start = game.start()
    ours = Roller(game, seed)
    ours.run(start, 1)
    theirs = None
    if against == "openspiel" and openspiel_name(game) is not None and not game.is_simultaneous:
        theirs = OpenSpielRoller(game, seed)
    each = seconds / ROUNDS
    rates, their_rates = [], []
    for _ in range(ROUNDS):
        rates.append(_rate(lambda games: ours.run(start, games).seconds, each))
        if theirs:
            their_rates.append(_rate(theirs.seconds, each))
    return Measurement(
        game.spec,
        median(rates),
        against if theirs else None,
        median(their_rates) if theirs else None,
        [our / their for our, their in zip(rates, their_rates, strict=False)],
    )


def _rate(run: Callable[[int], float], seconds: float) -> float:
    """Return games per second, measured for about `seconds`, in calls short enough for Ctrl-C."""
    games, spent, size = 0, 0.0, 1
    while spent < seconds:
        took = run(size)
        games, spent = games + size, spent + took
        size = max(1, min(4 * size, int(size * min(_CALL, seconds - spent) / max(took, 1e-9))))
    return games / spent


def measure_search(
    game: Game,
    *,
    against: str | None = None,
    sims: int = 500_000,
    settings: Settings,
    seed: int = 0,
) -> Measurement:
    """Measure searches of `sims` simulations from the start, ours before and after theirs."""
    start = game.start()
    while start.is_chance:  # nobody searches for a die
        start = start.play(start.codes()[0])
    Search(start, settings, seed=seed).simulate(1)

    def ours(number: int) -> tuple[float, float]:
        search = Search(start, settings, seed=seed + number)
        began = perf_counter()
        done = 0
        while done < sims and not search.solved:
            done += search.simulate(min(_SEARCH_CALL, sims - done))
        seconds = perf_counter() - began
        return done / seconds, search.bytes / max(done, 1)

    theirs = None
    if against == "openspiel" and openspiel_name(game) is not None and not game.is_simultaneous:
        theirs = OpenSpielSearch(game, settings.c, seed)
    rounds = [ours(0), ours(1)]
    rate, theirs_bytes = (None, None) if theirs is None else theirs.run(start, sims)
    rounds += [ours(2)] if theirs is None else [ours(2), ours(3)]
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
