"""Positions that a depth-first search of a game of chance looks at: a sample is one position.

Sample n is the same position for every search and depth.  Those that come with the package are the
first ones; more are drawn from games in which players make the move that is judged best, or now
and then any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean, median, pstdev
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game, Position
from trellis.game.options import option
from trellis.lab.estimates import mean_interval
from trellis.lab.measures import Estimate, Measure, Sample
from trellis.lab.star_counts import COUNT, self_play_position, stored_positions
from trellis.loading import load
from trellis.players.texts import read_player
from trellis.search.star.engine import StarSearch
from trellis.search.star.settings import SEARCHES, StarSettings
from trellis.search.star.table import BoundTable, make_table

_DRAWN = 1_000_000  # seeds of drawn positions begin here


@dataclass(frozen=True)
class StarNodesSettings:
    """What is searched, how, and how deep."""

    game: str = option("dice", "The game: dice 5x5, for which there is a network.", text="a game")
    search: str = option(None, "A search, with options if there are any.", text="a search")
    depth: int = option(13, "Plies, of chance and of players alike.", low=1, high=100)
    memory: float = option(256.0, "Memory of the transposition table in MiB.", above=0)

    def settings(self) -> StarSettings:
        """Return how to search."""
        read = read_player(self.search)
        if (
            read.kind not in SEARCHES
            or {"depth", "time", "memory", "weights"} & read.options.keys()
        ):
            raise BadParameter(
                f"bad search {self.search}: expected one of {', '.join(SEARCHES)}, "
                "with depth and memory as settings of their own"
            )
        return read.star_settings(memory=self.memory)


@lru_cache(maxsize=4)
def _game(text: str) -> tuple[Game, Evaluation]:
    from trellis.evaluation.shipped import shipped_evaluation

    game = load(text)
    judge = shipped_evaluation(game) if game.name == "dice" else None
    if judge is None:
        raise BadParameter(f"{text} has no evaluation that comes with the package: expected dice")
    return game, judge


@lru_cache(maxsize=4)
def _positions(text: str) -> list[Position]:
    game, _ = _game(text)
    return stored_positions(game) if game.spec == load("dice").spec else []


@lru_cache(maxsize=2)
def _table(memory: float) -> BoundTable:
    return make_table(memory)


def position_of_sample(game: str, number: int) -> Position:
    """Return the position of a sample: one that is stored, or one that is drawn for it."""
    stored = _positions(game)
    if number < len(stored):
        return stored[number]
    made, judge = _game(game)
    return self_play_position(made, judge, _DRAWN + number, number % COUNT)


def check(settings: StarNodesSettings) -> None:
    """Refuse games without a network, and searches that do not fit."""
    game, judge = _game(settings.game)
    StarSearch(game, settings.settings().replace(memory=0.01), judge)


def take(settings: StarNodesSettings, stream: int, number: int) -> Sample:
    """Search one position with an empty table."""
    _, judge = _game(settings.game)
    found = settings.settings()
    table = _table(settings.memory)
    if found.uses_table:
        table.clear()
    position = position_of_sample(settings.game, number)
    report = StarSearch(position, found, judge, table=table).run(depth=settings.depth)
    if stop_asked():
        return {"value": None, "void": "it was stopped"}
    return {
        "value": float(report.nodes), "seconds": report.seconds, "worth": report.value,
        "leaves": report.leaves, "position": position.code,
    }  # fmt: skip


def statistics_of(values: Sequence[float]) -> dict[str, float]:
    """Return what tables print beside the mean."""
    return {"min": min(values), "median": median(values), "max": max(values), "std": pstdev(values)}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean number of positions."""
    return estimate([float(sample["value"]) for sample in samples], confidence)


def estimate(values: Sequence[float], confidence: float) -> Estimate:
    """Return the mean of numbers that are never below zero, and its companions as facts."""
    low, high = mean_interval(values, confidence)
    facts: Mapping[str, Any] = statistics_of(values)
    return Estimate(mean(values), max(low, 0.0), high, len(values), facts=facts)


MEASURE = Measure(
    "star_nodes", "positions looked at", "nodes", StarNodesSettings, check, take, sum_up, digits=0
)
