"""Forced leaves of Drake's table over a whole game: nodes where playouts start for want of room.

A sample is a game of a player that keeps its graph from move to move.  After each of its searches
the forced leaves are counted; the value is their mean, as a percentage of all nodes that the game
has not passed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from trellis.game.errors import BadParameter
from trellis.game.options import option
from trellis.lab.estimates import mean_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample, loaded
from trellis.lab.measures.match import sims_a_move, with_budget
from trellis.players.match import LONGEST
from trellis.players.player import SearchPlayer, make_player
from trellis.players.session import Session
from trellis.search.mcts.gc import count_forced_leaves


@dataclass(frozen=True)
class ForcedLeavesSettings:
    """Who plays what."""

    game: str = option(None, "The game.", text="a game for two players")
    a: str = option(None, "The player whose table is looked at.", text="a player")
    b: str = option("random", "Its opponent.", text="a player")
    sims: int | None = sims_a_move()


def check(settings: ForcedLeavesSettings) -> None:
    """Refuse a game that is not for two, and a player without Drake's table."""
    game = loaded(settings.game)
    if game.players != 2:
        raise BadParameter(f"{settings.game} is not a game for two players, as forced_leaves needs")
    first = None
    for text in (settings.a, settings.b):
        player = make_player(with_budget(text, settings.sims, None), game=game)
        first = first or player
    if not isinstance(first, SearchPlayer) or first.settings.when_full != "drake":
        raise BadParameter(f"player {settings.a} has no forced leaves: expected when_full=drake")


def take(settings: ForcedLeavesSettings, stream: int, number: int) -> Sample:
    """Play one game, with the first move in every other one; look at the table as it goes on."""
    game = loaded(settings.game)
    seat = number % 2
    players = [
        make_player(
            with_budget(settings.a if place == seat else settings.b, settings.sims, None),
            seed_of(stream, number, f"player {place}"),
        )
        for place in range(2)
    ]
    observed = players[seat]
    session = Session(game, [*players], seed_of(stream, number, "chance"))
    forced: list[int] = []
    nodes: list[int] = []
    while not session.position.is_over and len(session.moves) < (game.max_plies or LONGEST):
        mine = session.position.acting == seat
        session.advance()
        if mine and isinstance(observed, SearchPlayer) and observed.report and observed.thinking:
            leaves, ahead = count_forced_leaves(observed.thinking.graph)
            forced.append(leaves)
            nodes.append(ahead)
    if not nodes:
        return {"value": None, "void": "no position was searched"}
    shares = [100 * part / whole for part, whole in zip(forced, nodes, strict=True)]
    return {"value": mean(shares), "forced": forced, "nodes": nodes, "plies": len(session.moves)}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean share, and how many there are after a search."""
    values = [float(sample["value"]) for sample in samples]
    low, high = mean_interval(values, confidence)
    facts = {
        "forced_leaves": mean(mean(sample["forced"]) for sample in samples),
        "most_forced_leaves": max(max(sample["forced"]) for sample in samples),
        "nodes": mean(mean(sample["nodes"]) for sample in samples),
    }
    return Estimate(mean(values), max(low, 0.0), min(high, 100.0), len(values), facts=facts)


MEASURE = Measure(
    "forced_leaves", "forced leaves among all nodes", "%", ForcedLeavesSettings, check, take,
    sum_up, together=2, digits=2,
)  # fmt: skip
