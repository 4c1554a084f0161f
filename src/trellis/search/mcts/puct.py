"""PUCT: the rule by which a search follows what a network says of moves, as AlphaZero does."""

import math
from typing import Any

from trellis._kernel.jit import kernel
from trellis.game.rules import Random
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.params import Lanes, Params
from trellis.search.mcts.selection import Selection, edge_count, parent_visits, prior_of


@kernel
def puct(graph: Graph, params: Params, node: int, edges: Lanes, rng: Random) -> None:
    """Score edges by mean and prior; an untried move has the first play urgency for a mean.

    On a graph the mean is that of the position behind an edge, whichever way playouts came there,
    and the count is the edge's own: how often *this* position has chosen the move.
    """
    explore = params.c * math.sqrt(parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        bonus = explore * prior_of(graph, params, node, i) / (1.0 + edges.visits[i])
        edges.scores[i] = edges.means[i] + bonus


_compiled: Any = puct
PUCT = Selection(_compiled, "uct2")
