"""The shape of the graph that a search builds: how much of it is shared.

A sample is a position, drawn as `choice_error` draws it, and one search of it.  What is measured
is the share of moves that led to a position which was there already, in percent.  How many moves
lead to a position, how many positions can be reached in several ways, how deep they lie and how
many moves they have stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np

from trellis.game.errors import BadParameter
from trellis.game.options import option
from trellis.lab.estimates import mean_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample
from trellis.lab.measures.choice_error import (
    ChoiceSettings,
    most_positions,
    position_of_sample,
    which_positions,
)
from trellis.lab.measures.match import with_budget
from trellis.players.player import SearchPlayer, make_player
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search


@dataclass(frozen=True)
class ShapeSettings:
    """Which positions, which search."""

    game: str = option(None, "The game; {seed} in it is the sample's number.", text="a game")
    player: str = option("simple:c=0.7,bounds=off", "The search.", text="a search of a graph")
    sims: int = option(1_000, "Playouts.", low=1)
    positions: str = which_positions()
    limit: int = most_positions()

    def drawn(self) -> ChoiceSettings:
        """Return how the same positions are drawn where wrong choices are counted."""
        return ChoiceSettings(
            self.game, self.player, self.sims, positions=self.positions, limit=self.limit
        )


def _search(settings: ShapeSettings, number: int, seed: int) -> Search | None:
    position = position_of_sample(settings.drawn(), number)
    if position is None:
        return None
    player = make_player(with_budget(settings.player, settings.sims, None), seed, position.game)
    if not isinstance(player, SearchPlayer) or player.settings.select == "uct0":
        raise BadParameter(f"{settings.player} builds no graph: expected one such as simple")
    return player.search_of(position, seed)


def check(settings: ShapeSettings) -> None:
    """Refuse players that build no graph."""
    _search(settings, 0, 0)


def take(settings: ShapeSettings, stream: int, number: int) -> Sample:
    """Search one position, and look at the graph."""
    search = _search(settings, number, seed_of(stream, number))
    if search is None:
        return {"value": None, "void": "no choice matters in it"}
    search.simulate(settings.sims)
    ways, depths, moves = shape_of(search)
    inner = ways[1:]  # nothing leads to the root but games that come back
    edges = int(ways.sum())
    # `moves` of a sample are those of a game, which exports leave out.
    return {
        "value": 100 * (1 - len(inner) / edges) if edges else 0.0,
        "ways": float(inner.mean()) if len(inner) else 0.0,
        "met": 100 * float((inner > 1).mean()) if len(inner) else 0.0,
        "depth": float(depths.mean()), "choices": float(moves[moves > 0].mean()),
        "nodes": len(ways),
    }  # fmt: skip


def shape_of(search: Search) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of each position, root first: moves that lead to it, its depth, its moves.

    The depth is the length of the shortest way from the root.
    """
    graph = search.graph
    places, ways, depths, moves = {search.root: 0}, [0], [0], []
    queue = [search.root]
    for node in queue:  # it grows while it is walked
        about = graph.nodes[node]
        moves.append(int(about["moves"]))
        first = int(about["first"])
        if first == g.NONE:
            continue
        for child in graph.children(first, first + int(about["edges"])):
            at = int(child)
            if at < 0 or at >= len(graph.nodes):
                continue  # a move that is not made yet
            if at not in places:
                places[at] = len(queue)
                queue.append(at)
                ways.append(0)
                depths.append(depths[places[node]] + 1)
            ways[places[at]] += 1
    return np.array(ways), np.array(depths), np.array(moves)


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean share of moves that led to a position which was there already."""
    values = [float(sample["value"]) for sample in samples]
    low, high = mean_interval(values, confidence)
    facts = {
        name: mean(float(sample[name]) for sample in samples)
        for name in ("ways", "met", "depth", "choices", "nodes")
    }
    return Estimate(mean(values), max(0.0, low), min(100.0, high), len(values), facts=facts)


MEASURE = Measure(
    "graph_shape", "moves to a position that was there already", "%", ShapeSettings, check, take,
    sum_up,
)  # fmt: skip
