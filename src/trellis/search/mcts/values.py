"""What the graph says an edge is worth: adapted means and counts, at any depth.

For an edge e into node y, depth d and the edges f out of y, the papers define

    µ_0(e) = µ(e)        µ_d(e) = (µ'·n' + Σ_f µ_{d-1}(f)·n(f)) / (n' + Σ_f n(f))
    n_0(e) = n(e)        n_d(e) = n' + Σ_f n_{d-1}(f)

The sums belong to y alone, so they are kept once a node, however many edges lead to it:
`mean_sum` is Σ_f µ_{d-1}(f)·n(f) and `count_sum` is Σ_f n_{d-1}(f).  The functions here put the
primed terms back in, which belong to the node, to the edge, or are left out.
Depth 1 needs no storage: its sums follow from the node's own visits and payoffs.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.search.mcts.graph import NONE, Graph, child_of
from trellis.search.mcts.params import INFINITE, PER_EDGE, PER_NODE, Params


@kernel(lean=True)
def mean_slot(params: Params, node: int, depth: int, column: int) -> int:
    """Return where `levels` keeps the mean's numerator of a depth of 2 or more."""
    level = 0 if depth == INFINITE else depth - 2
    return node * params.level_stride + params.mean_at + level * params.columns + column


@kernel(lean=True)
def count_slot(params: Params, node: int, depth: int) -> int:
    """Return where `levels` keeps the count of a depth of 2 or more."""
    at = params.infinite_count_at if depth == INFINITE else params.count_at + depth - 2
    return node * params.level_stride + at


@kernel(lean=True)
def own_sum(graph: Graph, params: Params, node: int, column: int) -> float:
    """Return the payoffs of the playouts that began at a node."""
    return graph.levels[node * params.level_stride + params.own_at + column]


@kernel(hot=True)
def node_sum(graph: Graph, params: Params, node: int, column: int) -> float:
    """Return the payoffs of all playouts that came through a node."""
    if column == 0:
        return graph.nodes[node]["sum"]
    return graph.levels[node * params.level_stride + params.sums_at + column - 1]


@kernel(lean=True)
def mean_sum(graph: Graph, params: Params, node: int, depth: int, column: int) -> float:
    """Return Σ µ_{depth-1}(f)·n(f) over the edges out of a node; depth is 1 or more."""
    if depth == 1:
        return node_sum(graph, params, node, column) - own_sum(graph, params, node, column)
    return graph.levels[mean_slot(params, node, depth, column)]


@kernel(lean=True)
def count_sum(graph: Graph, params: Params, node: int, depth: int) -> float:
    """Return Σ n_{depth-1}(f) over the edges out of a node; depth is 1 or more."""
    if depth == 1:
        return np.float64(graph.nodes[node]["visits"] - graph.nodes[node]["own"])
    return graph.levels[count_slot(params, node, depth)]


@kernel(lean=True)
def mean_with_own(
    graph: Graph, params: Params, edge: int, total: float, below: float,
    own_total: float, own: float, edge_total: float, edge_visits: float,
) -> float:  # fmt: skip
    """Return a mean from its numerator and its denominator below the node, own playouts added.

    `own_total` and `own` are the node's playouts, `edge_total` and `edge_visits` the edge's:
    an edge with nothing behind it has only those to go by.
    """
    if params.own_playouts == PER_NODE:
        total += own_total
        below += own
    elif params.own_playouts == PER_EDGE:
        at = edge * params.extra_stride + params.edge_own_at
        total += graph.extras[at + 1]
        below += graph.extras[at]
    if below <= 0.0:
        return edge_total / max(edge_visits, 1.0)
    return total / below


@kernel(lean=True)
def edge_total(graph: Graph, params: Params, edge: int, column: int) -> float:
    """Return the payoffs of an edge's playouts for the player of `column` (one column only)."""
    nodes, edges = graph.nodes, graph.edges
    visits = np.float64(edges[edge]["visits"])
    mover = np.int64(nodes[graph.links[edge]["parent"]]["player"])
    if mover < 0:  # chance keeps the probability there
        child = child_of(graph, edge)
        return visits * node_sum(graph, params, child, column) / nodes[child]["visits"]
    if mover == 1 and params.columns == 1:
        return visits - edges[edge]["sum"]
    return edges[edge]["sum"]


@kernel(hot=True)
def adapted_mean(graph: Graph, params: Params, edge: int, depth: int, column: int) -> float:
    """Return µ_depth(edge) for the player of `column`, for a depth of 1 or more."""
    nodes, edges = graph.nodes, graph.edges
    child = child_of(graph, edge)
    if child == NONE:
        return edge_total(graph, params, edge, column) / max(np.float64(edges[edge]["visits"]), 1.0)
    if depth == 1 and params.own_playouts == PER_NODE:
        return node_sum(graph, params, child, column) / nodes[child]["visits"]
    own = np.float64(nodes[child]["own"])
    return mean_with_own(
        graph, params, edge, mean_sum(graph, params, child, depth, column),
        nodes[child]["visits"] - own, own_sum(graph, params, child, column), own,
        edge_total(graph, params, edge, column), np.float64(edges[edge]["visits"]),
    )  # fmt: skip


@kernel(hot=True)
def adapted_count(graph: Graph, params: Params, edge: int, depth: int) -> float:
    """Return n_depth(edge)."""
    child = child_of(graph, edge)
    if depth == 0 or child == NONE:  # without a child: overwritten, the edge is all that is left
        return np.float64(graph.edges[edge]["visits"])
    if depth == 1 and params.own_playouts == PER_NODE:
        return np.float64(graph.nodes[child]["visits"])
    below = count_sum(graph, params, child, depth)
    return count_with_own(
        graph, params, edge, below,
        np.float64(graph.nodes[child]["own"]), np.float64(graph.edges[edge]["visits"]),
    )  # fmt: skip


@kernel(lean=True)
def count_with_own(
    graph: Graph, params: Params, edge: int, below: float, own: float, edge_visits: float
) -> float:
    """Return a count from what lies below the node, own playouts added."""
    if params.own_playouts == PER_NODE:
        return below + own
    if params.own_playouts == PER_EDGE:
        return below + graph.extras[edge * params.extra_stride + params.edge_own_at]
    return below if below > 0.0 else edge_visits
