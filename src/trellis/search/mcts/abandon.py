"""Simulations that are given up half-way, when the time is up: as if they had never begun.

A descent may have added edges; no playout has come through them, and selection would not know what
to do with such, so they go.  The nodes they led to stay: positions that another path may find.
Leaves that wait for playouts which will not be made give back what stood in for these.
"""

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.search.mcts.graph import (
    GRAPH,
    LIVE_EDGES,
    NONE,
    ON_PATH,
    SIMS,
    Graph,
    block_length,
    child_of,
    edges_of,
)
from trellis.search.mcts.leaf_batch import MIDDLE
from trellis.search.mcts.params import (
    BATCH_OF_LEAVES,
    BATCHED_PATH,
    PARAMS,
    PATH,
    REACHED_AT,
    SCRATCH,
    Batch,
    Params,
    Path,
    Scratch,
)


@kernel(lean=True)
def _drop_last_edge(graph: Graph, node: int) -> None:
    """Take away the edge that a node got last, and give back what its block is too long for."""
    nodes, links = graph.nodes, graph.links
    first, end = edges_of(graph, node)
    edge = end - 1
    child = child_of(graph, edge)
    if child != NONE:
        other = np.int64(nodes[child]["first_in"])
        if other == edge:
            nodes[child]["first_in"] = links[edge]["next_in"]
        else:
            while np.int64(links[other]["next_in"]) != edge:
                other = np.int64(links[other]["next_in"])
            links[other]["next_in"] = links[edge]["next_in"]
    count, moves = end - first, np.int64(nodes[node]["moves"])
    length = block_length(count, moves)
    left = block_length(count - 1, moves) if count > 1 else 0
    if left < length:
        links[first + left]["next_in"] = graph.free[length - left]
        graph.free[length - left] = first + left
    if count == 1:
        nodes[node]["first"] = NONE
    nodes[node]["edges"] = count - 1
    graph.counters[LIVE_EDGES] -= 1


@kernel(lean=True)
def _drop_unused(graph: Graph, node: int) -> None:
    """Take away the last edge of a node where no playout has come through it."""
    _, end = edges_of(graph, node)
    if graph.nodes[node]["edges"] > 0 and graph.edges[end - 1]["visits"] == 0:
        _drop_last_edge(graph, node)


@kernel(nt.void(GRAPH, PARAMS, PATH, SCRATCH), lean=True)
def abandon(graph: Graph, params: Params, path: Path, scratch: Scratch) -> None:
    """Forget the descent that was going on, if any."""
    for i in range(scratch.stamp[REACHED_AT] + 1):
        node = np.int64(path.nodes[i])
        graph.nodes[node]["flags"] &= ~ON_PATH
        _drop_unused(graph, node)


@kernel(nt.void(GRAPH, PARAMS, BATCH_OF_LEAVES), lean=True)
def take_back(graph: Graph, params: Params, batch: Batch) -> None:
    """Forget the leaves that wait: newest first, so that what each has added comes last."""
    nodes, edges = graph.nodes, graph.edges
    for number in range(batch.lengths[params.batch] - 1, -1, -1):
        at = number * BATCHED_PATH
        length = batch.lengths[number]
        for i in range(length + 1):
            node = np.int64(batch.nodes[at + i])
            nodes[node]["visits"] -= 1
            nodes[node]["sum"] -= MIDDLE
            for column in range(1, params.columns):
                graph.levels[node * params.level_stride + params.sums_at + column - 1] -= MIDDLE
            if i == length:
                nodes[node]["own"] -= 1
            else:
                # What stood in for the playout was taken from its edges at once.
                edges[np.int64(nodes[node]["first"]) + batch.edges[at + i]]["visits"] -= 1
                _drop_unused(graph, node)
        graph.counters[SIMS] -= 1
    batch.lengths[params.batch] = 0
