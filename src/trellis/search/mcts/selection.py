"""Selection rules of the user's own: `Search(game, select=my_rule)`.

A rule scores the edges of a node, those along moves that were tried:

    @trellis.kernel
    def ucb1(graph, params, node, edges, rng):
        explore = params.c * root_of_log(edges, parent_visits(graph, params, node))
        for i in range(edge_count(graph, node)):
            edges.scores[i] = edges.means[i] + explore * edges.roots[i]

It is compiled and cached as ours are, and called once per node on the way down.  The search does
what must not depend on a rule: it follows the greatest score, lets chance decide between equal
ones, leaves alone what is cut by proven bounds, and first tries what nobody went along.

The functions below are what rules ask of the graph; `trellis.parts` has them all in one place.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int, uniform
from trellis.game.rules import Random
from trellis.search.mcts.calls import SELECT, Rule
from trellis.search.mcts.graph import NONE, Graph
from trellis.search.mcts.own_parts import OwnPart
from trellis.search.mcts.params import Lanes, Params
from trellis.search.mcts.select import log_root, parent_count
from trellis.search.mcts.settings import read_depths


@dataclass(frozen=True)
class Selection(OwnPart):
    """A selection rule: a function decorated with `@trellis.kernel`, and what it needs.

    `statistics` are what means and counts are: a preset or
    `ucd:d1,d2,d3`, as in `Settings.select`.  With `squares`, edges also keep the squares of
    payoffs, which `variance_of` reads.
    """

    kind: ClassVar[str] = "selection rule"
    call: ClassVar[str] = "rule(graph, params, node, edges, rng), which returns nothing"
    arguments: ClassVar[int] = 5
    signature: ClassVar[Any] = SELECT

    function: Rule
    statistics: str = "auto"
    squares: bool = False
    name: str = field(default="")

    def __post_init__(self) -> None:
        self.name_it()
        read_depths(self.statistics)


def selection(statistics: str = "auto", *, squares: bool = False) -> Callable[[Any], Selection]:
    """Compile a selection rule that needs more than the usual; see `Selection`."""

    def decorate(function: Any) -> Selection:
        compiled: Any = kernel(function)
        return Selection(compiled, statistics, squares)

    return decorate


# -- what rules ask of the graph ------------------------------------------------------------------


@kernel(hot=True)
def edge_count(graph: Graph, node: int) -> int:
    """Return how many edges a node has."""
    return to_int(graph.nodes[node]["edges"])


@kernel(hot=True)
def root_of_log(edges: Lanes, count: float) -> float:
    """Return √ln(count), 0 below 1; whole numbers below 262,144 are looked up, which is quicker."""
    return log_root(edges, count)


@kernel(hot=True)
def parent_visits(graph: Graph, params: Params, node: int) -> float:
    """Return the playouts of all edges of a node, at least 1."""
    return max(1.0, parent_count(graph, params, node))


@kernel(hot=True)
def prior_of(graph: Graph, params: Params, node: int, i: int) -> float:
    """Return how likely an edge's move is said to be; all moves are alike where nobody says so."""
    if params.prior_at == NONE:
        return 1.0 / max(np.float64(graph.nodes[node]["moves"]), 1.0)
    edge = np.int64(graph.nodes[node]["first"]) + i
    return graph.extras[edge * params.extra_stride + params.prior_at]


@kernel(hot=True)
def variance_of(graph: Graph, params: Params, node: int, i: int) -> float:
    """Return the variance of the payoffs that came along an edge; for rules with `squares`."""
    edge = np.int64(graph.nodes[node]["first"]) + i
    visits = np.float64(graph.edges[edge]["visits"])
    mean = graph.edges[edge]["sum"] / visits
    square = graph.extras[edge * params.extra_stride + params.squares_at] / visits
    return max(0.0, square - mean * mean)


@kernel()
def normal(rng: Random) -> float:
    """Draw from the normal distribution with mean 0 and variance 1 (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
    return radius * math.cos(2.0 * math.pi * uniform(rng))


@kernel()
def gamma(rng: Random, shape: float) -> float:
    """Draw from the gamma distribution of a shape of at least 1 (Marsaglia and Tsang)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return d * v


@kernel()
def beta(rng: Random, wins: float, losses: float) -> float:
    """Draw from what may be true after so many wins and losses: Beta(wins + 1, losses + 1)."""
    up = gamma(rng, wins + 1.0)
    return up / (up + gamma(rng, losses + 1.0))
