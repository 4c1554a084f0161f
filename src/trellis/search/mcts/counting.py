"""Counts have an end: where one comes near it, all counts of the graph are halved.

Visits take 32 bits, and a search that is left alone for an hour or two comes to more.  Halving
those of one node would not do: an edge counts what its parent saw of its child, and a child is
seen by many.  So all are halved together, with the sums that belong to them.  Means stay what they
are, a count that was not 0 is not 0 afterwards, and a node's visits are still those of its own
playouts and of its edges.  What was seen before weighs half as much as what comes.
"""

from typing import TYPE_CHECKING

import numpy as np

from trellis._kernel.jit import kernel, plain
from trellis.game.rules import Moves
from trellis.search.mcts import graph as g
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.kernels import recompute_nodes
from trellis.search.mcts.params import Params

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search

_MOST_PASSES = 64  # over the graph, to compute all adapted values anew


@kernel(lean=True)
def _ratio(new: int, old: int) -> float:
    """Return which part of an old count is left; of nothing all is."""
    return np.float64(new) / np.float64(old) if old != 0 else 1.0


@kernel(lean=True)
def _half(count: int) -> int:
    """Return half a count, rounded up: what was seen once was seen."""
    return (count + 1) >> 1


@kernel(lean=True)
def places(graph: Graph, params: Params) -> int:
    """Return how many places of the node array may hold a node."""
    return len(graph.nodes) if params.when_full == g.DRAKE else graph.counters[g.NODES]


@kernel(lean=True)
def _halve_edges(graph: Graph, params: Params, node: int) -> tuple[int, int, float, float]:
    """Halve the visits of a node's edges.

    Returns how many there were and how many there are, and what they gave to player 0, then and
    now (which edges know where payoffs add up to a constant).
    """
    edges = graph.edges
    mover = np.int64(graph.nodes[node]["player"])
    before = after = np.int64(0)
    gave = gives = 0.0
    first, end = g.edges_of(graph, node)
    for edge in range(first, end):
        old = np.int64(edges[edge]["visits"])
        new = np.int64(_half(old))
        ratio = _ratio(new, old)
        edges[edge]["visits"] = new
        if mover >= 0:  # at chance the sum is a probability
            total = np.float64(edges[edge]["sum"])
            edges[edge]["sum"] = total * ratio
            if mover != 0:
                total = np.float64(old) - total
            gave += total
            gives += total * ratio
        for i in range(edge * params.extra_stride, (edge + 1) * params.extra_stride):
            graph.extras[i] *= ratio
        if old > 1 and g.child_of(graph, edge) != g.NONE:
            edges[edge]["target"] |= g.SHARED  # rounded, it is not what its child has seen
        before += old
        after += new
    return before, after, gave, gives


@kernel(lean=True)
def _halve_node(graph: Graph, params: Params, node: int) -> None:
    """Halve the counts of a node and of its edges, and the sums with them: means stay."""
    nodes, levels, at = graph.nodes, graph.levels, node * params.level_stride
    visits, own = np.int64(nodes[node]["visits"]), np.int64(nodes[node]["own"])
    of_edges, left_of_edges, gave, gives = _halve_edges(graph, params, node)
    # Where all ancestors are credited, edges have seen more than the node.
    below, new_own = visits - own, np.int64(_half(own))
    new_below = np.int64(left_of_edges + _half(below - of_edges))
    own_ratio, below_ratio = _ratio(new_own, own), _ratio(new_below, below)
    whole_ratio = _ratio(new_own + new_below, visits)
    from_edges = below == of_edges and params.columns == 1 and nodes[node]["player"] >= 0
    for column in range(params.columns):
        total = nodes[node]["sum"] if column == 0 else levels[at + params.sums_at + column - 1]
        own_total = total - gave
        if params.own_at != g.NONE:
            own_total = levels[at + params.own_at + column]
            levels[at + params.own_at + column] = own_total * own_ratio
        if from_edges:
            total = own_total * own_ratio + gives
        elif params.own_at != g.NONE:
            total = own_total * own_ratio + (total - own_total) * below_ratio
        else:
            total *= whole_ratio
        if column == 0:
            nodes[node]["sum"] = total
        else:
            levels[at + params.sums_at + column - 1] = total
    nodes[node]["visits"] = new_own + new_below
    nodes[node]["own"] = new_own


@kernel(entry=True, lean=True, later=True)
def halve_counts(graph: Graph, params: Params) -> None:
    """Halve all visits; adapted values of depth 2 and more must be computed anew afterwards."""
    for node in range(places(graph, params)):
        if graph.nodes[node]["flags"] & g.USED:
            _halve_node(graph, params, node)
    graph.counters[g.CROWDED] = 0


@kernel(entry=True, lean=True, later=True)
def deepest_first(graph: Graph, params: Params, order: Moves, buckets: Moves) -> int:
    """Write all nodes into `order`, those farthest from the start first; return how many.

    `buckets` has one entry a turn, each NONE before and after.
    """
    nodes, count = graph.nodes, places(graph, params)
    buckets[:] = 0
    for node in range(count):
        if nodes[node]["flags"] & g.USED:
            buckets[nodes[node]["turn"]] += 1
    at = np.int64(0)
    for turn in range(len(buckets) - 1, -1, -1):
        here = np.int64(buckets[turn])
        buckets[turn] = at
        at += here
    for node in range(count):
        if nodes[node]["flags"] & g.USED:
            turn = np.int64(nodes[node]["turn"])
            order[buckets[turn]] = node
            buckets[turn] += 1
    buckets[:] = g.NONE
    return at


@kernel(entry=True, lean=True, later=True)
def number_turns_anew(graph: Graph, params: Params, passed: int) -> None:
    """Let the turns of nodes, which have 16 bits, count from a move so much later in the game.

    Nodes of earlier moves all get turn 0.
    """
    nodes, drake = graph.nodes, params.when_full == g.DRAKE
    for node in range(places(graph, params)):
        if nodes[node]["flags"] & g.USED:
            nodes[node]["turn"] = max(np.int64(nodes[node]["turn"]) - passed, 0)
            if drake:  # until which turn the node is a forced leaf
                graph.index[node] = max(np.int64(graph.index[node]) - passed, 0)
    graph.counters[g.BASE_TURN] += passed


def halve_everywhere(search: "Search") -> None:
    """Halve all visits, and compute anew what rests on them."""
    graph = search.graph
    halve_counts(graph, search.record)
    before = None
    for _ in range(_MOST_PASSES):  # one is enough where turns say which node is deeper
        recompute_all(search)
        now = float(graph.levels.sum())
        if now == before:
            break
        before = now


def recompute_all(search: "Search") -> None:
    """Compute adapted values of depth 2 and more anew, everywhere."""
    graph, params, lists = search.graph, search.record, search.lists
    if params.mean_levels or params.count_levels or params.infinite_count_at >= 0:
        compute = recompute_nodes if search.game.compiled else plain(recompute_nodes)
        count = deepest_first(graph, params, lists.work, lists.buckets)
        compute(search.calls, graph, params, search.lanes, lists.work[:count])
