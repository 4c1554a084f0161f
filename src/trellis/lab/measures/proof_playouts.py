"""Playouts that a search takes until its position is proven; runs that take too many are given up.

A sample is one search.  The mean of runs of which some were given up is only a lower bound of the
true one, and nothing above it is excluded.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trellis.game.errors import BadParameter
from trellis.game.options import option
from trellis.lab.estimates import mean_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample, loaded
from trellis.players.texts import KINDS, read_player
from trellis.search.mcts.engine import Search
from trellis.search.mcts.settings import Settings

_MEMORY = 1024.0  # MiB, where the text of a search names none


@dataclass(frozen=True)
class ProofSettings:
    """What is proven, and how."""

    game: str = option(None, "The game, from its start.", text="a game")
    search: str = option(
        None,
        "A search of a graph or tree, as players are written: uct:bounds=cuts.",
        text="a search",
    )
    limit: int = option(1_000_000, "Playouts after which a run is given up.", low=1)

    def settings(self) -> Settings:
        """Return how to search."""
        read = read_player(self.search)
        if "rave" not in KINDS[read.kind] or {"sims", "time", "reuse"} & read.options.keys():
            raise BadParameter(
                f"bad search {self.search}: expected one of a graph or tree, without a budget, "
                "such as uct:c=0.05,bounds=cuts"
            )
        return read.graph_settings(memory=_MEMORY)


def check(settings: ProofSettings) -> None:
    """Refuse searches that prove nothing, or not of this game."""
    found = settings.settings().replace(memory=1.0)
    if Search(loaded(settings.game), found).params.bounds == 0:
        raise BadParameter(f"{settings.search} proves nothing of {settings.game}: bounds are off")


def take(settings: ProofSettings, stream: int, number: int) -> Sample:
    """Search until the value is proven or the limit is reached."""
    search = Search(loaded(settings.game), settings.settings(), seed=seed_of(stream, number))
    done = search.simulate(settings.limit)
    low, high = search.bounds
    if not search.solved and search.full:
        # Without room for new nodes no proof will come: that says nothing of playouts.
        return {"value": None, "void": "the memory was full before the end", "solved": False}
    return {
        "value": float(done if search.solved else settings.limit),
        "solved": search.solved, "low": low, "high": high,
    }  # fmt: skip


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean; where runs were given up it is open upwards."""
    values = [float(sample["value"]) for sample in samples]
    mean = sum(values) / len(values)
    unsolved = sum(not sample["solved"] for sample in samples)
    low, high = mean_interval(values, confidence)
    # The runs that were given up count as the limit, so the true mean is at least as great.
    facts = {"solved": len(values) - unsolved, "unsolved": unsolved, "worst": max(values)}
    text = f">{mean:,.0f}" if unsolved else ""
    return Estimate(
        mean, max(low, min(1.0, mean)), math.inf if unsolved else high, len(values),
        at_least=unsolved > 0, text=text, facts=facts,
    )  # fmt: skip


MEASURE = Measure(
    "proof_playouts", "playouts until the value is proven", "playouts", ProofSettings, check, take,
    sum_up,
)  # fmt: skip
