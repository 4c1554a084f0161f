"""What can be measured: each measure takes settings and a seed, and gives samples and estimates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.options import check_options, options_of, refuse_unknown
from trellis.game.spec import Value

if TYPE_CHECKING:
    from trellis.game.game import Game

# What is kept of one game or run: numbers, text and lists of them, so that it can be written down.
# Every sample has `value`, a number in the measure's unit, or None where the run does not count;
# then `void` says why.  A measure may keep whatever else it wants: moves, the reason for the end.
Sample = Mapping[str, Any]


@dataclass(frozen=True)
class Estimate:
    """What samples say together; `low` and `high` hold the true value as often as was asked."""

    value: float
    low: float
    high: float
    samples: int
    at_least: bool = False  # some runs were given up, so the value is a lower bound
    text: str = ""  # as people write it, where it is not a plain number: "draw"
    facts: Mapping[str, Any] = field(default_factory=dict)  # wins, draws, counts of pairs


@dataclass(frozen=True)
class Measure:
    """One way of measuring.

    `settings` is a frozen dataclass of options (`game/options.py`).  `check` is called once for
    each cell before anything is run, and refuses what the game or a player does not take.  `take`
    returns sample `number` of a cell; it depends on its arguments alone.  `sum_up` makes an
    estimate from samples that count, with an interval of some confidence.
    """

    name: str
    what: str  # "score of the first player", for tables and axes
    unit: str  # "%", "playouts", "nodes"; values are in this unit
    settings: type
    check: Callable[[Any], None]
    take: Callable[[Any, int, int], Sample]  # settings, the seed of the cell, the sample's number
    sum_up: Callable[[Sequence[Sample], float], Estimate]
    together: int = 1  # samples that belong together, 2 for games in pairs: a job has a multiple
    digits: int = 1  # behind the point, where values are shown
    timed: bool = False  # values are times or rates: another machine measures others
    sources: tuple[str, ...] = ()  # files it depends on besides those that all measures do

    def read(self, settings: Mapping[str, Value]) -> Any:
        """Make the settings of a cell, or refuse them."""
        refuse_unknown(self.settings, settings, f"measure {self.name}")
        needed = [
            name
            for name, option in options_of(self.settings).items()
            if option.default is None and not option.usual and name not in settings
        ]
        if needed:
            raise BadParameter(f"measure {self.name} needs a setting {needed[0]}")
        made = self.settings(**settings)
        for name, option in options_of(self.settings).items():
            value = getattr(made, name)
            right = (int, float) if option.type is float else option.type
            wrong = isinstance(value, bool) and option.type is not bool
            if value is not None and (wrong or not isinstance(value, right)):
                raise BadParameter(
                    f"bad value {shorten(str(value))} for setting {name} of measure {self.name}: "
                    f"expected {option.expected() or 'text'}"
                )
        check_options(made)
        return made


# Jobs have some samples of one cell, and those of its neighbours are often of the same games.
KEPT_GAMES = 8


@lru_cache(maxsize=KEPT_GAMES)
def loaded(text: str) -> "Game":
    """Return a game; one that was asked for lately is not loaded again."""
    from trellis.loading import load  # what only lists experiments does not wait for Numba

    return load(text)


# A new measure is a file of its own, with `MEASURE` in it, and its name here.
NAMES = (
    "match", "alone", "equal_time", "choice_error", "graph_shape", "proof_playouts",
    "forced_leaves", "star_nodes", "star_seconds", "rate", "worked",
)  # fmt: skip


@cache
def measure_of(name: str) -> Measure:
    """Return a measure by its name."""
    if name not in NAMES:
        raise BadParameter(
            f"unknown measure {shorten(name)}: expected one of {', '.join(NAMES)}"
            f"{nearest(name, NAMES)}"
        )
    return cast("Measure", import_module(f"trellis.lab.measures.{name}").MEASURE)
