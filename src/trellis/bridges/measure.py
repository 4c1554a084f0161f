"""Measuring playouts per second, ours and OpenSpiel's turn by turn.

Machines are shared and noisy.  The two sides alternate in short rounds, each round gives one
ratio, and the median of those is the figure; their spread is reported with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from trellis.bridges.openspiel import OpenSpielRoller, openspiel_name
from trellis.game.game import Game
from trellis.game.playouts import Roller

ROUNDS = 7
_TRIAL = 0.02  # seconds: long enough to tell how many games fill a round


@dataclass
class Measurement:
    """Playouts per second of one game."""

    game: str
    per_second: float
    plies_per_second: float
    against: str | None = None
    against_per_second: float | None = None
    ratios: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float | None:
        """Return the median over all rounds, or None where there was nothing to compare."""
        return median(self.ratios) if self.ratios else None

    def facts(self) -> dict[str, object]:
        """Return the measurement as it goes into JSON."""
        return {
            "game": self.game,
            "measure": "playouts",
            "per_second": self.per_second,
            "plies_per_second": self.plies_per_second,
            "against": self.against,
            "against_per_second": self.against_per_second,
            "ratio": self.ratio,
            "ratio_low": min(self.ratios) if self.ratios else None,
            "ratio_high": max(self.ratios) if self.ratios else None,
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
    our_games = _games_in(each, lambda games: ours.run(start, games).seconds)
    their_games = _games_in(each, theirs.seconds) if theirs else 0

    rates, plies, their_rates = [], [], []
    for _ in range(ROUNDS):
        run = ours.run(start, our_games)
        rates.append(run.per_second)
        plies.append(run.plies / run.seconds)
        if theirs:
            their_rates.append(their_games / theirs.seconds(their_games))
    return Measurement(
        game.spec,
        median(rates),
        median(plies),
        against if theirs else None,
        median(their_rates) if theirs else None,
        [our / their for our, their in zip(rates, their_rates, strict=False)],
    )


def _games_in(seconds: float, run: Callable[[int], float]) -> int:
    """Find how many games take about `seconds`."""
    games = 1
    while True:
        began = perf_counter()
        run(games)
        took = perf_counter() - began
        if took >= min(_TRIAL, seconds):
            return max(1, int(games * seconds / took))
        games *= 4
