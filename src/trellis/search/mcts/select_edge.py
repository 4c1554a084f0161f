"""The first step of a simulation: which edge to follow from a node.

By the built-in rule (`select.py`), or by one of the user's own (`selection.py`): then the means and
counts of all edges are laid out side by side, and the rule puts the scores beside them.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import Random
from trellis.search.mcts.bounds import is_cut
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.graph import (
    BOUNDED,
    CHILD_MASK,
    NONE,
    Graph,
    child_of,
    edges_of,
)
from trellis.search.mcts.leaf_batch import MIDDLE
from trellis.search.mcts.params import OFF, SMALL, TIE, URGENCIES, Lanes, Params
from trellis.search.mcts.select import (
    draw_tie,
    gather_means,
    gather_sums,
    lay_flips,
    log_root,
    own_sum,
    parent_count,
    rank,
    rank_all,
    select_adapted,
    select_general,
    select_rave,
    select_ucb,
    settle,
)
from trellis.search.mcts.values import count_slot, mean_slot, node_sum

BAD_SCORES = -7  # instead of an edge, and what a simulation returns: a score is not a number
_REDUCTION = 0.1  # of first play urgency, for payoffs from 0 to 1
_FEW = 12  # edges: for so many a plain loop is quicker than four at once


@kernel(lean=True)
def _lay_out_sums(
    graph: Graph, lanes: Lanes, first: int, size: int, ask: bool, flip: bool
) -> tuple[int, int]:
    """Lay out mean, count and 1 / √count of each edge, as `select_ucb` reads them."""
    means, visits, roots = lanes.means, lanes.visits, lanes.roots
    together, large = 0, 0
    lay_flips(lanes, ask and flip)
    for i in range(size):
        target, total, less, root = own_sum(graph, lanes, first + i, ask)
        together |= target
        large |= less
        means[i] = total * root * root
        visits[i] = np.float64(less + 1)
        roots[i] = root
    return together, large


@kernel(lean=True)
def _lay_out_adapted(
    graph: Graph, params: Params, lanes: Lanes, first: int, size: int, flip: bool
) -> tuple[int, int]:
    """Lay out mean, count and 1 / √count of each edge, as `select_adapted` reads them.

    The look at an edge is written out in both loops: as a helper of both, put into its callers by
    the compiler, it made searches measurably slower.
    """
    nodes, edges, levels = graph.nodes, graph.edges, graph.levels
    means, visits, roots = lanes.means, lanes.visits, lanes.roots
    stride, own_at, deep = params.level_stride, params.own_at, params.d1 > 1
    mean_at = np.int64(mean_slot(params, 0, params.d1, 0)) if deep else np.int64(0)
    count_at = np.int64(count_slot(params, 0, params.d3)) if params.d3 > 1 else np.int64(0)
    together, large = 0, 0
    for i in range(size):
        edge = first + i
        target = np.int64(edges[edge]["target"])
        child = target & CHILD_MASK
        together |= target
        if child == CHILD_MASK:  # the edge is all that is left
            large = -1
            break
        at = child * stride
        seen_there = np.int64(nodes[child]["visits"])
        total = levels[at + mean_at] + levels[at + own_at] if deep else nodes[child]["sum"]
        if params.d3 == 0:
            count = np.int64(edges[edge]["visits"])
        elif params.d3 == 1:
            count = seen_there
        else:
            count = np.int64(levels[at + count_at]) + np.int64(nodes[child]["own"])
        large |= (count - 1) | (np.int64(edges[edge]["visits"]) - 1) | (seen_there - 1)
        mean = total / np.float64(seen_there)
        means[i] = 1.0 - mean if flip else mean
        visits[i] = np.float64(count)
        roots[i] = lanes.inverse_roots[(count - 1) & (SMALL - 1)]
    return together, large


@kernel(lean=True)
def _lay_out_general(graph: Graph, params: Params, lanes: Lanes, node: int, size: int) -> None:
    """Lay out mean, count and 1 / √count of each edge, whatever the settings and the counts."""
    if params.sums:
        flip = graph.nodes[node]["player"] != 0
        gather_sums(graph, lanes, node, params.d1 > 0, flip)
        for i in range(size):
            lanes.means[i] /= max(lanes.visits[i], 1.0)
    else:
        gather_means(graph, params, lanes, node)
    for i in range(size):
        lanes.roots[i] = 1.0 / np.sqrt(max(lanes.visits[i], 1.0))
        if lanes.visits[i] == 0.0:
            lanes.means[i] = 0.0  # nothing is known, but rules compute with it all the same


@kernel(lean=True)
def _lay_out_asked(graph: Graph, params: Params, lanes: Lanes, node: int, size: int) -> None:
    """Lay out mean, count and 1 / √count of each edge, of which many were never tried.

    What is not known yet counts as lost.  The mean of an untried move is the first play urgency:
    what the node itself is worth so far, less the more, the likelier its tried moves were said to
    be (as in KataGo).
    """
    nodes, edges, extras = graph.nodes, graph.edges, graph.extras
    first = np.int64(nodes[node]["first"])
    mover = np.int64(nodes[node]["player"])
    column = mover if params.columns > 1 else np.int64(0)
    flip = params.columns == 1 and mover != 0
    tried = 0.0
    for i in range(size):
        edge = first + i
        child = child_of(graph, edge)
        count = np.float64(edges[edge]["visits"])
        at = edge * params.extra_stride
        seen_there = np.float64(nodes[child]["visits"]) if child != NONE else 0.0
        if params.d1 > 0 and seen_there > 0.0:
            mean = node_sum(graph, params, child, column) / seen_there
            mean = 1.0 - mean if flip else mean
            mean = max(0.0, mean - MIDDLE * extras[at + params.virtual_at] / seen_there)
        elif count > 0.0:
            mean = edges[edge]["sum"] / count
        else:
            mean = -1.0
        if count > 0.0:
            tried += extras[at + params.prior_at]
        count = seen_there if params.d3 > 0 and child != NONE else count
        lanes.means[i], lanes.visits[i] = mean, count
        lanes.roots[i] = 1.0 / np.sqrt(max(count, 1.0))
    urgency = params.fpu
    if urgency == np.inf:
        own = node_sum(graph, params, node, column) / max(np.float64(nodes[node]["visits"]), 1.0)
        urgency = (1.0 - own if flip else own) - _REDUCTION * np.sqrt(tried)
    for i in range(size):
        if lanes.means[i] < 0.0:
            lanes.means[i] = urgency


@kernel(lean=True)
def _overrule(
    graph: Graph, params: Params, lanes: Lanes, node: int, alpha: float, beta: float
) -> None:
    """Put first what nobody went along, and leave alone what is cut, whatever a rule says."""
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        i = edge - first
        if graph.edges[edge]["visits"] == 0 and params.prior_at == NONE:
            lanes.scores[i] = np.inf
        child = child_of(graph, edge)
        if params.bounds != OFF and child != NONE:
            if is_cut(graph, params, node, child, alpha, beta):
                lanes.scores[i] = -np.inf


@kernel(lean=True, fastmath={"nnan", "nsz", "reassoc"})
def _greatest_score(lanes: Lanes, size: int) -> float:
    """Return the greatest score: the compiler looks at four at once, where all are numbers."""
    greatest = -np.inf
    for i in range(size):
        greatest = max(greatest, lanes.scores[i])
    return greatest


@kernel(takes_rules=True, lean=True)
def select_by_rule(
    calls: SearchCalls, graph: Graph, params: Params, lanes: Lanes, rng: Random, node: int,
    alpha: float, beta: float,
) -> tuple[int, float]:  # fmt: skip
    """Have a rule of the user's own score the edges; return as `select_edge` does, or BAD_SCORES.

    What is cut is left alone and what nobody went along comes first, whatever the rule says.
    """
    first, end = edges_of(graph, node)
    size = end - first
    flip = graph.nodes[node]["player"] != 0
    together, large = 0, -1
    if params.prior_at != NONE:
        _lay_out_asked(graph, params, lanes, node, size)
    elif params.sums:
        together, large = _lay_out_sums(graph, lanes, first, size, params.d1 > 0, flip)
    elif params.adapted:
        together, large = _lay_out_adapted(graph, params, lanes, first, size, flip)
    special = together & BOUNDED != 0 or large & ~(SMALL - 1) != 0
    if large & ~(SMALL - 1) and params.prior_at == NONE:
        _lay_out_general(graph, params, lanes, node, size)
    calls.select(graph, params, node, lanes, rng)
    if special:
        _overrule(graph, params, lanes, node, alpha, beta)
    if size <= _FEW:
        best, numbers = np.int64(0), 0
        greatest = second = -np.inf
        for i in range(size):
            score = lanes.scores[i]
            numbers += 0 if np.isnan(score) else 1
            best, greatest, second = rank(best, greatest, second, i, score)
        if numbers < size:
            return BAD_SCORES, greatest
        return settle(lanes, rng, first, size, best, greatest, second)
    greatest = _greatest_score(lanes, size)
    least = greatest - TIE
    ties, numbers = 0, 0
    for i in range(size):
        score = lanes.scores[i]
        ties += 1 if score >= least else 0
        numbers += 0 if np.isnan(score) else 1
    if numbers < size:
        return BAD_SCORES, greatest
    if greatest == -np.inf:
        return NONE, greatest
    if ties > 1:
        return first + draw_tie(lanes, rng, size, greatest), greatest
    best = np.int64(0)
    while lanes.scores[best] < least:
        best += 1
    return first + best, greatest


@kernel(takes_rules=True, hot=True)
def select_edge(
    calls: SearchCalls, graph: Graph, params: Params, lanes: Lanes, rng: Random, node: int,
    rave_source: int, alpha: float, beta: float,
) -> tuple[int, float]:  # fmt: skip
    """Return the best-scoring edge of a node and its score; NONE where all are cut."""
    if params.ruled:
        return select_by_rule(calls, graph, params, lanes, rng, node, alpha, beta)
    first, end = edges_of(graph, node)
    size = end - first
    root = log_root(lanes, parent_count(graph, params, node))
    best, greatest, second = np.int64(NONE), -np.inf, -np.inf
    flip = graph.nodes[node]["player"] != 0
    if params.adapted and not params.with_options:
        best, greatest, second = select_adapted(
            graph, params, lanes, first, size, flip, params.c * root
        )
    elif params.sums and not params.with_options:
        best, greatest, second = select_ucb(
            graph, lanes, first, size, params.d1 > 0, flip, params.c * root
        )
    elif params.sums and params.rave_alone:
        best, greatest, second = select_rave(
            graph, params, lanes, node, rave_source, flip, params.c * root
        )
    if best == NONE:
        best, greatest, second = select_general(
            graph, params, lanes, node, rave_source, alpha, beta, root
        )
    return settle(lanes, rng, first, size, best, greatest, second)


@kernel(lean=True)
def select_next(
    graph: Graph, lanes: Lanes, rng: Random, node: int, refused: int
) -> tuple[int, float]:
    """Return the best-scoring edge but those refused since `select_edge`, and its score."""
    first, end = edges_of(graph, node)
    lanes.edges[URGENCIES + refused - first] = -np.inf
    best, greatest, second = rank_all(lanes, end - first)
    return settle(lanes, rng, first, end - first, best, greatest, second)
