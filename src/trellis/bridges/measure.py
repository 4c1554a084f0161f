"""Measuring playouts per second, ours and OpenSpiel's turn by turn.

Machines are shared and noisy.  The two sides alternate in short rounds, each round gives one
ratio, and the median of those is the figure; their spread is reported with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from trellis.bridges.openspiel import OpenSpielRoller, openspiel_name
from trellis.game.game import Game
from trellis.game.playouts import Roller

ROUNDS = 7
_CALL = 0.2  # seconds: long enough that calling costs nothing, short enough for Ctrl-C


@dataclass
class Measurement:
    """Playouts per second of one game."""

    game: str
    per_second: float
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
