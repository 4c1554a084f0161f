"""Score bounds: what a position is worth at least and at most, proven, for every path to it.

Bounds start as wide as the game allows and close as ends of the game are met.  A node's bounds
follow from its children's; a move nobody has tried counts as a child about which nothing is
known, whether it has an edge already or not.  When a child's bounds change, all its parents are
looked at, and theirs in turn.

Why that is sound on a graph, cycles and all: every step concludes something about a position
from what is already known about the positions after it, and the first conclusions are ends of
the game.  No conclusion uses the path by which a position was reached, so none can be wrong for
another path.  A position from which both sides can go round for ever simply stays open.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import CHANCE, Moves
from trellis.search.mcts.graph import BOUNDED, MARKED, NONE, Graph, child_of, edges_of
from trellis.search.mcts.params import PLAIN, Params

_NEWS = 1e-6  # of the range of payoffs: smaller steps are not worth telling, where they may go on


@kernel(lean=True)
def update_bounds(graph: Graph, params: Params, node: int) -> bool:
    """Draw a node's bounds from its children's; tell whether they changed."""
    nodes, edges = graph.nodes, graph.edges
    low, high = nodes[node]["low"], nodes[node]["high"]
    if low == high:
        return False
    whole = nodes[node]["edges"] == nodes[node]["moves"] > 0  # no move is left untried
    player = np.int64(nodes[node]["player"])
    first, end = edges_of(graph, node)
    if player == CHANCE:
        least = greatest = 0.0
        left = 1.0
        for edge in range(first, end):
            child = child_of(graph, edge)
            probability = np.float64(edges[edge]["sum"])
            least += probability * nodes[child]["low"]
            greatest += probability * nodes[child]["high"]
            left -= probability
        if not whole:
            least += max(left, 0.0) * params.least
            greatest += max(left, 0.0) * params.greatest
        if least != greatest:  # a sum of products is rounded; a bound must not be
            slack = 1e-12 * (params.greatest - params.least)
            least -= slack
            greatest += slack
    elif player == 0:
        least = params.least
        greatest = params.least if whole else params.greatest
        for edge in range(first, end):
            child = child_of(graph, edge)
            least = max(least, nodes[child]["low"] if child != NONE else params.least)
            greatest = max(greatest, nodes[child]["high"] if child != NONE else params.greatest)
    else:
        greatest = params.greatest
        least = params.greatest if whole else params.least
        for edge in range(first, end):
            child = child_of(graph, edge)
            least = min(least, nodes[child]["low"] if child != NONE else params.least)
            greatest = min(greatest, nodes[child]["high"] if child != NONE else params.greatest)
    least, greatest = max(least, low), min(greatest, high)  # what is known stays known
    if least == low and greatest == high:
        return False
    if player == CHANCE and params.cyclic and least != greatest:
        # Round a cycle through chance bounds close for ever, by less and less.
        news = _NEWS * (params.greatest - params.least)
        if least - low < news and high - greatest < news:
            return False
    nodes[node]["low"] = least
    nodes[node]["high"] = greatest
    return True


@kernel(hot=True)
def mark_bounded(graph: Graph, params: Params, edge: int) -> None:
    """Mark an edge whose child is known to be worth more or less than anything at all."""
    child = child_of(graph, edge)
    low, high = graph.nodes[child]["low"], graph.nodes[child]["high"]
    if low > params.least or high < params.greatest:
        graph.edges[edge]["target"] |= BOUNDED


@kernel(lean=True)
def propagate_bounds(graph: Graph, params: Params, work: Moves, node: int) -> None:
    """Tell all parents of a node whose bounds changed, and theirs, until nothing changes."""
    nodes = graph.nodes
    # First come, first served: in a cycle, news that overtook each other would be passed on again
    # and again.
    work[0] = node
    head, waiting = 0, 1
    nodes[node]["flags"] |= MARKED
    while waiting > 0:
        child = np.int64(work[head])
        head = head + 1 if head + 1 < len(work) else 0
        waiting -= 1
        nodes[child]["flags"] &= ~MARKED
        edge = np.int64(nodes[child]["first_in"])
        while edge != NONE:
            parent = np.int64(graph.links[edge]["parent"])
            graph.edges[edge]["target"] |= BOUNDED
            if update_bounds(graph, params, parent) and not nodes[parent]["flags"] & MARKED:
                # A full list drops a parent: its bounds stay true, and it is looked at again
                # when next a child of it changes.
                if waiting < len(work):
                    nodes[parent]["flags"] |= MARKED
                    tail = head + waiting
                    work[tail if tail < len(work) else tail - len(work)] = parent
                    waiting += 1
            edge = np.int64(graph.links[edge]["next_in"])


@kernel(hot=True)
def is_cut(graph: Graph, params: Params, node: int, child: int, alpha: float, beta: float) -> bool:
    """Tell whether looking at a child cannot change what is known of `node`, or of the root.

    `alpha` and `beta` are what the players are already sure of on this path.  Without cuts only
    a solved child is left alone.
    """
    nodes = graph.nodes
    low, high = nodes[child]["low"], nodes[child]["high"]
    if low == high:
        return True
    if params.bounds == PLAIN:
        return False
    if nodes[node]["player"] == 0:
        return high <= max(alpha, nodes[node]["low"])
    return low >= min(beta, nodes[node]["high"])
