"""The first step of a simulation: which edge to follow from a node.

The urgency of an edge is its adapted mean for who moves, plus exploration, plus what the options
add: a bias from proven bounds, the blend with all-moves-as-first statistics, a confidence bound
tuned by the variance.
"""

import numpy as np

from trellis._jit import kernel
from trellis.game.rules import Random, Reals
from trellis.game.words import below
from trellis.search.bounds import is_cut
from trellis.search.graph import MOVE_MASK, NONE, Graph, edges_of, fetch
from trellis.search.knobs import ALL, COUNTS, OFF, PER_NODE, TIE, URGENCIES, Knobs, Lanes
from trellis.search.values import adapted_count, adapted_mean

_LOGARITHMS = np.log(np.maximum(np.arange(1024), 1.0))


@kernel(hot=True)
def _log(count: float) -> float:
    """Return the logarithm of a count of 1 or more; small whole ones are looked up."""
    if count < 1024.0:
        whole = np.int64(count)
        if whole == count:
            return _LOGARITHMS[whole]
    return np.log(max(1.0, count))


@kernel(hot=True)
def edge_mean(graph: Graph, knobs: Knobs, edge: int, mover: int) -> float:
    """Return µ_d1 of an edge, for who moves there."""
    if knobs.d1 == 0 or graph.edges[edge]["child"] == NONE:
        return graph.edges[edge]["sum"] / graph.edges[edge]["visits"]
    if knobs.columns > 1:
        return adapted_mean(graph, knobs, edge, knobs.d1, mover)
    mean = adapted_mean(graph, knobs, edge, knobs.d1, 0)
    return mean if mover == 0 else 1.0 - mean


@kernel(hot=True)
def parent_count(graph: Graph, knobs: Knobs, node: int) -> float:
    """Return p_d2: the adapted counts of all edges of a node, added up."""
    nodes = graph.nodes
    if knobs.parent_visits:
        return np.float64(nodes[node]["visits"])
    if knobs.d2 == 0 and knobs.backup != ALL:
        return np.float64(nodes[node]["visits"] - nodes[node]["own"])
    total = 0.0
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        total += adapted_count(graph, knobs, edge, knobs.d2)
    return total


@kernel(hot=True)
def _bias(graph: Graph, knobs: Knobs, child: int, mover: int) -> float:
    """Return what proven bounds add to the urgency of a child (thesis, section 4.3)."""
    low = (graph.nodes[child]["low"] - knobs.least) * knobs.scale
    high = (graph.nodes[child]["high"] - knobs.least) * knobs.scale
    if mover == 0:
        return knobs.gamma * low + knobs.delta * high
    return -knobs.gamma * high - knobs.delta * low


@kernel(hot=True)
def _blend(knobs: Knobs, mean: float, visits: float, amaf_visits: float, amaf_sum: float) -> float:
    """Mix a mean with all-moves-as-first statistics, as Gelly and Silver do."""
    if amaf_visits <= 0.0:
        return mean
    if knobs.rave_bias > 0.0:
        share = amaf_visits / (visits + amaf_visits + knobs.rave_bias * visits * amaf_visits)
    else:
        share = np.sqrt(knobs.rave / (3.0 * visits + knobs.rave))
    return (1.0 - share) * mean + share * amaf_sum / amaf_visits


@kernel(lean=True)
def gather_amaf(graph: Graph, knobs: Knobs, amaf: Reals, node: int, lender: int) -> None:
    """Write into `amaf` what is known of each move of `node` as if it came first.

    Each node uses its own statistics; or those of an ancestor with more visits (GRAVE); or what
    its children know of the move, whichever way they were reached (RAVE UCD).
    """
    edges = graph.edges
    at = knobs.amaf_at
    if graph.nodes[lender]["player"] != graph.nodes[node]["player"]:
        at = knobs.amaf_other_at  # another player moves there: what it knows of this one's moves
        if at == NONE:
            lender, at = node, knobs.amaf_at
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        move = np.int64(edges[edge]["move"]) & MOVE_MASK
        own = edge * knobs.extra_stride + knobs.amaf_at
        known = lender == node and not knobs.rave_children
        amaf[2 * move] = graph.extras[own] if known else 0.0
        amaf[2 * move + 1] = graph.extras[own + 1] if known else 0.0
    if knobs.rave_children:
        first, end = edges_of(graph, node)
        for edge in range(first, end):
            child = np.int64(edges[edge]["child"])
            if child == NONE:
                continue
            first_below, end_below = edges_of(graph, child)
            other = graph.nodes[child]["player"] != graph.nodes[node]["player"]
            at = knobs.amaf_other_at if other else knobs.amaf_at
            for below_edge in range(first_below, end_below):
                move = np.int64(edges[below_edge]["move"]) & MOVE_MASK
                amaf[2 * move] += graph.extras[below_edge * knobs.extra_stride + at]
                amaf[2 * move + 1] += graph.extras[below_edge * knobs.extra_stride + at + 1]
    elif lender != node:
        first, end = edges_of(graph, lender)
        for edge in range(first, end):
            move = np.int64(edges[edge]["move"]) & MOVE_MASK
            lent = edge * knobs.extra_stride + at
            amaf[2 * move] = graph.extras[lent]
            amaf[2 * move + 1] = graph.extras[lent + 1]


@kernel(hot=True)
def _gather(graph: Graph, knobs: Knobs, lanes: Lanes, node: int, alpha: float, beta: float) -> bool:
    """Lay out mean and count of every edge; tell whether the means still are sums.

    An edge that is cut gets a mean without end below, one nobody has been along without end above.
    """
    nodes, edges, lane = graph.nodes, graph.edges, lanes.edges
    first, end = edges_of(graph, node)
    bounded = knobs.bounds != OFF
    mover = np.int64(nodes[node]["player"])
    if knobs.primes == PER_NODE and knobs.d1 == 1 and knobs.d3 == 1 and knobs.columns == 1:
        worst = -np.inf if mover == 0 else np.inf  # sums are of player 0
        for edge in range(first, end):
            i = edge - first
            child = np.int64(edges[edge]["child"])
            # The edge has seen all that its child has, or the child was overwritten.
            if edges[edge]["marks"] == 0 or child == NONE:
                visits = np.float64(max(edges[edge]["visits"], 1))
                total = edges[edge]["sum"]
                lane[i] = total if mover == 0 else visits - total
                lane[COUNTS + i] = visits
                continue
            lane[i] = nodes[child]["sum"]
            lane[COUNTS + i] = nodes[child]["visits"]
            if bounded and is_cut(graph, knobs, node, child, alpha, beta):
                lane[i] = worst
            if nodes[child]["visits"] == 0:
                lane[COUNTS + i] = 1.0
                lane[i] = -worst
        return True
    sums = knobs.d1 == 0 and knobs.d3 == 0
    for edge in range(first, end):
        i = edge - first
        visits = np.float64(edges[edge]["visits"])
        if visits == 0.0:
            lane[i] = np.inf
            lane[COUNTS + i] = 1.0
        elif sums:
            lane[i] = edges[edge]["sum"]
            lane[COUNTS + i] = visits
        else:
            lane[i] = edge_mean(graph, knobs, edge, mover)
            lane[COUNTS + i] = adapted_count(graph, knobs, edge, knobs.d3)
        if bounded:
            child = np.int64(edges[edge]["child"])
            if is_cut(graph, knobs, node, child, alpha, beta):
                lane[i] = -np.inf
    return sums


@kernel(hot=True)
def _urge(lanes: Lanes, size: int, logarithm: float, c: float, sums: bool, flip: bool) -> None:
    """Compute mean and exploration of all edges; the compiler does four at once."""
    lane = lanes.edges
    if sums:
        base, sign = (1.0, -1.0) if flip else (0.0, 1.0)
        for i in range(size):
            inverse = 1.0 / lane[COUNTS + i]
            lane[i] = base + sign * lane[i] * inverse
            lane[URGENCIES + i] = lane[i] + c * np.sqrt(logarithm * inverse)
    else:
        for i in range(size):
            lane[URGENCIES + i] = lane[i] + c * np.sqrt(logarithm / lane[COUNTS + i])


@kernel(lean=True)
def _adorn(
    graph: Graph, knobs: Knobs, lanes: Lanes, node: int, lender: int, logarithm: float
) -> None:
    """Put into the urgencies what the options add."""
    edges, extras = graph.edges, graph.extras
    first, end = edges_of(graph, node)
    mover = np.int64(graph.nodes[node]["player"])
    rave = knobs.amaf_at != NONE
    if rave:
        gather_amaf(graph, knobs, lanes.amaf, node, lender)
    for edge in range(first, end):
        i = edge - first
        mean, visits = lanes.edges[i], lanes.edges[COUNTS + i]
        if np.isinf(mean):
            continue
        explore = logarithm / visits
        if knobs.tuned:
            own_visits = np.float64(edges[edge]["visits"])
            own_mean = edges[edge]["sum"] / own_visits
            square = extras[edge * knobs.extra_stride + knobs.squares_at] / own_visits
            spread = square - own_mean * own_mean + np.sqrt(2.0 * explore)
            explore *= min(0.25, spread)
        if rave:
            move = np.int64(edges[edge]["move"]) & MOVE_MASK
            amaf_visits, amaf_sum = lanes.amaf[2 * move], lanes.amaf[2 * move + 1]
            mean = _blend(knobs, mean, visits, amaf_visits, amaf_sum)
        urgency = mean + knobs.c * np.sqrt(explore)
        if knobs.bounds != OFF and (knobs.gamma != 0.0 or knobs.delta != 0.0):
            urgency += _bias(graph, knobs, np.int64(edges[edge]["child"]), mover)
        lanes.edges[URGENCIES + i] = urgency


@kernel(hot=True)
def select_edge(
    graph: Graph, knobs: Knobs, lanes: Lanes, rng: Random, node: int, lender: int,
    alpha: float, beta: float,
) -> tuple[int, float]:  # fmt: skip
    """Return the most urgent edge of a node and its urgency; NONE where all are cut.

    Urgencies that differ by rounding alone count as equal, and chance decides between them.
    """
    nodes, edges = graph.nodes, graph.edges
    first, end = edges_of(graph, node)
    size = end - first
    if not knobs.hidden:
        for edge in range(first, end):  # ask for all children at once: memory is far away
            fetch(nodes, np.int64(edges[edge]["child"]))
    sums = _gather(graph, knobs, lanes, node, alpha, beta)
    logarithm = _log(parent_count(graph, knobs, node))
    flip = sums and knobs.d1 > 0 and nodes[node]["player"] != 0
    _urge(lanes, size, logarithm, knobs.c, sums, flip)
    if knobs.adorned:
        _adorn(graph, knobs, lanes, node, lender, logarithm)
    lane = lanes.edges
    greatest = -np.inf
    for i in range(size):
        greatest = max(greatest, lane[URGENCIES + i])
    if greatest == -np.inf:
        return NONE, greatest
    best, ties = 0, 0
    for i in range(size):
        if lane[URGENCIES + i] >= greatest - TIE:
            best = i
            ties += 1
    if ties > 1:
        draw = below(rng, ties)
        for i in range(size):
            if lane[URGENCIES + i] >= greatest - TIE:
                if draw == 0:
                    best = i
                draw -= 1
    return first + best, greatest
