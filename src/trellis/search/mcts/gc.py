"""Giving memory back: what the root does not reach is free again, what it reaches may be folded."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.search.mcts import graph as g
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.index import rebuild_index

_PART_FREED = 8  # a collection should free one node in so many


@kernel(lean=True)
def fold(graph: Graph, node: int, own_at: int, columns: int, stride: int) -> None:
    """Make a node a leaf that keeps its statistics: as if all its playouts had begun there."""
    g.drop_edges(graph, node)
    graph.nodes[node]["own"] = graph.nodes[node]["visits"]
    at = node * stride
    total = graph.nodes[node]["sum"]
    for i in range(stride):
        # Sums of further players follow those of own playouts; the rest belonged to the edges.
        if own_at != g.NONE and (i < own_at or i >= own_at + columns + columns - 1):
            graph.levels[at + i] = 0.0
    if own_at != g.NONE:
        graph.levels[at + own_at] = total
        for column in range(1, columns):
            graph.levels[at + own_at + column] = graph.levels[at + own_at + columns + column - 1]


@kernel(lean=True)
def _is_shut(graph: Graph, node: int, through_solved: bool, least: int) -> bool:
    """Tell whether garbage collection stops at a node that has edges."""
    record = graph.nodes[node]
    if record["edges"] == 0:
        return False
    solved = record["low"] == record["high"]
    return (solved and not through_solved) or np.int64(record["visits"]) < least


@kernel(entry=True, lean=True)
def collect(
    graph: Graph, through_solved: bool, least: int, own_at: int, columns: int, stride: int
) -> int:
    """Free every node the root does not reach; return how many.

    With `through_solved` off, what lies behind a solved position is not reached: its value is
    known.  What lies behind a position with fewer than `least` visits is not reached either.  Such
    a position itself stays, as a leaf that keeps its statistics.
    """
    nodes, counters = graph.nodes, graph.counters
    stack = graph.index  # written anew afterwards, and longer than there are nodes
    root = counters[g.ROOT]
    nodes[root]["flags"] |= g.REACHED
    stack[0] = root
    height = 1
    while height > 0:
        height -= 1
        node = np.int64(stack[height])
        if node != root and _is_shut(graph, node, through_solved, least):
            continue
        first, end = g.edges_of(graph, node)
        for edge in range(first, end):
            child = g.child_of(graph, edge)
            if child != g.NONE and not nodes[child]["flags"] & g.REACHED:
                nodes[child]["flags"] |= g.REACHED
                stack[height] = child
                height += 1
    freed = 0
    for node in range(counters[g.NODES]):
        flags = nodes[node]["flags"]
        if not flags & g.USED:
            continue
        if flags & g.REACHED:
            nodes[node]["flags"] = flags & ~g.REACHED
            if node != root and _is_shut(graph, node, through_solved, least):
                fold(graph, node, own_at, columns, stride)
        else:
            g.drop_node(graph, node)
            nodes[node]["first"] = counters[g.FREE_NODE]
            counters[g.FREE_NODE] = node
            freed += 1
    rebuild_index(graph, counters[g.INDEX_SIZE])
    return freed


def free_memory(graph: Graph, layout: tuple[int, int, int], *, through_solved: bool) -> int:
    """Make room in a full graph, for a while; return how many nodes went.

    If too few are out of the root's reach, what lies behind positions with few visits goes too.
    """
    wanted, sims = len(graph.nodes) // _PART_FREED, int(graph.counters[g.SIMS])
    freed = int(collect(graph, through_solved, 0, *layout))
    least = 4
    while freed < wanted and least <= sims:
        freed += int(collect(graph, through_solved, least, *layout))
        least *= 2
    graph.counters[g.FULL] = 0
    graph.counters[g.COLLECT_AT] = sims + wanted
    return freed


def clear_graph(graph: Graph, *, drake: bool) -> None:
    """Forget everything; the replacement `drake` uses all places from the beginning."""
    counters = graph.counters
    used, edges = int(counters[g.NODES]), int(counters[g.EDGES])
    graph.nodes[: len(graph.nodes) if drake else used] = np.zeros((), g.NODE)
    graph.edges[:edges] = np.zeros((), g.EDGE)
    graph.links[:edges] = np.zeros((), g.LINK)
    kept = [g.ROOT_TURN, g.BASE_TURN, g.INDEX_SIZE, g.NODE_BITS]
    values = counters[kept]
    graph.index[: len(graph.index) if drake else int(counters[g.INDEX_SIZE])] = 0
    graph.free[:] = g.NONE
    counters[:] = 0
    counters[g.FREE_NODE] = counters[g.ROOT] = g.NONE
    counters[kept] = values


def count_forced_leaves(graph: Graph) -> tuple[int, int]:
    """Count nodes of a table of `drake` where playouts start, since a child's place is taken.

    Returned are those, and all nodes; what the game has passed counts in neither.
    """
    turn = int(graph.counters[g.ROOT_TURN])
    nodes = graph.nodes
    ahead = (nodes["flags"] & g.USED != 0) & (nodes["turn"] >= turn)
    forced = ahead & (graph.index[: len(nodes)] >= turn + 1)
    return int(np.count_nonzero(forced)), int(np.count_nonzero(ahead))
