"""Simulations that are given up half-way, when the time is up: as if they had never begun.

A descent may have added edges; no playout has come through them, and selection would not know what
to do with such, so they go.  The nodes they led to stay: positions that another path may find.
Leaves that wait for playouts which will not be made give back what stood in for these.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.leaf_batch import MIDDLE
from trellis.search.mcts.params import Batch, Params, Path, Scratch


@kernel(lean=True)
def _drop_edge(graph: Graph, params: Params, node: int, edge: int) -> None:
    """Take away an edge of a node; its last one takes its place, and what room is left is free."""
    nodes = graph.nodes
    first, end = g.edges_of(graph, node)
    g.replace_in(graph, edge, np.int64(graph.links[edge]["next_in"]))
    if edge != end - 1:
        g.copy_edge(graph, end - 1, edge, params.extra_stride)
    count, moves = end - first, np.int64(nodes[node]["moves"])
    length = g.block_length(count, moves)
    left = g.block_length(count - 1, moves) if count > 1 else 0
    if left < length:
        g.free_block(graph, first + left, length - left)
    if count == 1:
        nodes[node]["first"] = g.NONE
    nodes[node]["edges"] = count - 1
    graph.counters[g.LIVE_EDGES] -= 1


@kernel(lean=True)
def _drop_unused(graph: Graph, params: Params, node: int) -> None:
    """Take away the edges of a node that no playout has come through."""
    if params.prior_at != g.NONE:
        return  # edges are there from the start, with what is said of their moves
    first, end = g.edges_of(graph, node)
    for edge in range(end - 1, first - 1, -1):
        if graph.edges[edge]["visits"] == 0:
            _drop_edge(graph, params, node, edge)


@kernel(entry=True, lean=True)
def abandon(graph: Graph, params: Params, path: Path, scratch: Scratch) -> None:
    """Forget the descent that was going on, if any."""
    for i in range(scratch.stamp[k.REACHED_AT] + 1):
        node = np.int64(path.nodes[i])
        graph.nodes[node]["flags"] &= ~g.ON_PATH
        _drop_unused(graph, params, node)


@kernel(entry=True, lean=True, later=True)
def take_back(graph: Graph, params: Params, batch: Batch) -> None:
    """Forget the leaves that wait.

    All give back what they have counted before an edge goes: they know edges by their places.  What
    a leaf has added need not come last, since ends of the game are not waited for.
    """
    nodes, edges = graph.nodes, graph.edges
    waiting = batch.lengths[params.batch]
    for number in range(waiting):
        at = number * k.BATCHED_PATH
        length = batch.lengths[number]
        for i in range(length + 1):
            node = np.int64(batch.nodes[at + i])
            nodes[node]["visits"] -= 1
            nodes[node]["sum"] -= MIDDLE
            for column in range(1, params.columns):
                graph.levels[node * params.level_stride + params.sums_at + column - 1] -= MIDDLE
            if i == length:
                nodes[node]["own"] -= 1
                nodes[node]["flags"] &= ~g.WAITING
            else:
                # What stood in for the playout was taken from its edges at once.
                edge = np.int64(nodes[node]["first"]) + batch.edges[at + i]
                edges[edge]["visits"] -= 1
                if params.virtual_at != g.NONE and nodes[node]["player"] >= 0:
                    graph.extras[edge * params.extra_stride + params.virtual_at] -= 1.0
        graph.counters[g.SIMS] -= 1
    for number in range(waiting):
        for i in range(batch.lengths[number]):
            _drop_unused(graph, params, np.int64(batch.nodes[number * k.BATCHED_PATH + i]))
    batch.lengths[params.batch] = 0
