"""The best move of a node by one kernel: what `reporting.choose` says, without its lists.

A player wants a move and nothing else, and a list of what is known of every move takes ten times as
long as a hundred simulations do.  The lists' own choice is the plain twin.
"""

import math

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import hash_pair, to_int
from trellis.game.rules import Random, State, Tables
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.graph import MOVE_MASK, NONE, Graph, child_of, edges_of
from trellis.search.mcts.params import OFF, Params, Scratch
from trellis.search.mcts.select import edge_mean

ROBUST, MAX, SECURE = 0, 1, 2  # what makes a move the best: visits, mean, lower confidence bound

_ALL, _OPEN, _SAFE = 0, 1, 2  # which moves are compared, see `_takes_part`


@kernel(hot=True)
def _edge_bounds(graph: Graph, params: Params, edge: int, mover: int) -> tuple[float, float]:
    """Return what a move is proven to be worth to who makes it, at least and at most."""
    child = child_of(graph, edge)
    if params.columns != 1 or child == NONE:
        return params.least, params.greatest
    low, high = graph.nodes[child]["low"], graph.nodes[child]["high"]
    if mover == 1 and params.players == 2:
        return params.least + params.greatest - high, params.least + params.greatest - low
    return low, high


@kernel(lean=True)
def _edge_value(graph: Graph, params: Params, edge: int, mover: int) -> float:
    """Return the mean that selection uses, in the game's scale; of a move that was tried."""
    visits = np.int64(graph.edges[edge]["visits"])
    value = graph.edges[edge]["sum"] / visits
    child = child_of(graph, edge)
    if (params.d1 != 0 or params.d3 != 0) and child != NONE:
        alone = np.int64(graph.nodes[child]["visits"]) <= visits
        if not (alone and params.sums):  # else both have seen the same
            value = edge_mean(graph, params, edge, mover)
    return params.least + value / params.scale


@kernel(hot=True)
def _edge_worth(graph: Graph, params: Params, edge: int, mover: int, rule: int) -> float:
    """Return how good a move is, as the settings have it."""
    visits = np.int64(graph.edges[edge]["visits"])
    if visits == 0:
        return -np.inf
    if rule == ROBUST:
        return np.float64(visits)
    value = _edge_value(graph, params, edge, mover)
    if rule == MAX:
        return value
    return value - max(params.c, 1e-9) / (params.scale * math.sqrt(np.float64(visits)))


@kernel(hot=True)
def _is_listed(graph: Graph, params: Params, scratch: Scratch, edge: int, legal: int) -> bool:
    """Tell whether a move counts: where only some are legal here, those are in the buffer."""
    if graph.edges[edge]["visits"] == 0 and params.bounds == OFF:
        return False
    if legal == NONE:
        return True
    move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
    for i in range(legal):  # noqa: SIM110  (no generators in kernels)
        if np.int64(scratch.buffer[i]) == move:
            return True
    return False


@kernel(hot=True)
def _takes_part(
    graph: Graph, params: Params, edge: int, mover: int, kind: int, proven: float
) -> bool:
    """Tell whether a move may be the best: any, one not known to be no better, or a proven one."""
    low, high = _edge_bounds(graph, params, edge, mover)
    if kind == _OPEN:
        return high > proven
    if kind == _SAFE:
        return low == proven and high == proven
    return low == proven


@kernel(lean=True)
def _best_of_kind(
    graph: Graph, params: Params, scratch: Scratch, rng: Random, node: int, rule: int, legal: int,
    kind: int, proven: float,
) -> int:  # fmt: skip
    """Return the edge of most worth among some, or NONE; ties are broken by lot."""
    mover = to_int(graph.nodes[node]["player"])
    first, end = edges_of(graph, node)
    best, most, most_lot = NONE, 0.0, np.uint64(0)
    for edge in range(first, end):
        if not _is_listed(graph, params, scratch, edge, legal):
            continue
        if not _takes_part(graph, params, edge, mover, kind, proven):
            continue
        worth = _edge_worth(graph, params, edge, mover, rule)
        if best != NONE and worth < most:
            continue
        move = np.uint64(np.int64(graph.links[edge]["move"]) & MOVE_MASK)
        lot = np.uint64(hash_pair(rng[0], move))
        if best == NONE or worth > most or lot > most_lot:
            best, most, most_lot = edge, worth, lot
    return best


@kernel(lean=True)
def choose_edge(
    graph: Graph, params: Params, scratch: Scratch, rng: Random, node: int, rule: int, legal: int
) -> int:
    """Return the edge of a node's best move: what is proven first, then as the settings say.

    NONE where no playout has shown anything, and nothing is proven.
    """
    mover = to_int(graph.nodes[node]["player"])
    first, end = edges_of(graph, node)
    listed, seen, proven = False, False, -np.inf
    for edge in range(first, end):
        if _is_listed(graph, params, scratch, edge, legal):
            listed = True
            seen |= graph.edges[edge]["visits"] > 0
            low, _ = _edge_bounds(graph, params, edge, mover)
            proven = max(proven, low)
    root = graph.nodes[node]
    solved = params.bounds != OFF and root["low"] == root["high"]
    if not listed or not (seen or solved):
        return NONE
    best = _best_of_kind(graph, params, scratch, rng, node, rule, legal, _OPEN, proven)
    safe = _best_of_kind(graph, params, scratch, rng, node, rule, legal, _SAFE, proven)
    if best == NONE:  # nothing can beat what is proven
        if safe != NONE:
            return safe
        return _best_of_kind(graph, params, scratch, rng, node, rule, legal, _ALL, proven)
    if safe == NONE:
        return best
    # A move that is at least as good by proof beats one that is known to be no better, whatever
    # playouts said of the latter before it was proven; else the proof competes with the mean.
    low, _ = _edge_bounds(graph, params, best, mover)
    hopeful = graph.edges[best]["visits"] > 0
    hopeful = hopeful and _edge_value(graph, params, best, mover) > proven
    return safe if low < proven and not hopeful else best


@kernel(hot=True)
def reaches_root(graph: Graph, params: Params, node: int, edge: int) -> bool:
    """Tell whether a move is known to reach what is proven of its node, where that is solved.

    A value may be known before any move was tried: then no move is known to reach it.
    """
    root = graph.nodes[node]
    if params.bounds == OFF or root["low"] != root["high"]:
        return True
    mover = to_int(root["player"])
    low, _ = _edge_bounds(graph, params, edge, mover)
    if mover == 1 and params.players == 2:
        return low >= params.least + params.greatest - root["high"]
    return low >= root["low"]


@kernel(entry=True, lean=True, later=True)
def best_of_node(
    calls: SearchCalls, tables: Tables, graph: Graph, params: Params, scratch: Scratch, rng: Random,
    node: int, state: State, rule: int, some_illegal: bool,
) -> tuple[int, bool]:  # fmt: skip
    """Return the best move of a node, NONE where nothing is known, and whether it is sure.

    With `some_illegal` only moves that are legal in `state` count.
    """
    legal = NONE
    if some_illegal:
        legal = to_int(calls.moves(tables, state, scratch.buffer))
    edge = choose_edge(graph, params, scratch, rng, node, rule, legal)
    if edge == NONE:
        return NONE, False
    move = to_int(graph.links[edge]["move"]) & MOVE_MASK
    return move, reaches_root(graph, params, node, edge)
