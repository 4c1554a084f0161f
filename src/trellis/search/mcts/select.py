"""The scores of edges, as the built-in rule has them; `select_edge` asks for them.

The score of an edge is its adapted mean for who moves, plus exploration, plus what the options
add: a bias from proven bounds, the blend with all-moves-as-first statistics, a confidence bound
tuned by the variance.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import below
from trellis.game.rules import Random
from trellis.search.mcts.amaf import blend, gather_amaf
from trellis.search.mcts.bounds import is_cut
from trellis.search.mcts.branchless import seen
from trellis.search.mcts.graph import (
    BOUNDED,
    CHILD_BITS,
    CHILD_MASK,
    MOVE_MASK,
    NONE,
    Graph,
    child_of,
    edges_of,
)
from trellis.search.mcts.params import COUNTS, FLIPS, OFF, SMALL, TIE, URGENCIES, Lanes, Params
from trellis.search.mcts.values import adapted_count, adapted_mean, count_slot, mean_slot


@kernel(hot=True)
def log_root(lanes: Lanes, count: float) -> float:
    """Return the root of the logarithm of a count, 0 below 1."""
    if count < SMALL:
        whole = np.int64(count)
        if whole == count:
            return lanes.log_roots[whole]
    return np.sqrt(np.log(max(1.0, count)))


@kernel(hot=True)
def edge_mean(graph: Graph, params: Params, edge: int, mover: int) -> float:
    """Return µ_d1 of an edge, for who moves there."""
    if params.d1 == 0 or child_of(graph, edge) == NONE:
        return graph.edges[edge]["sum"] / graph.edges[edge]["visits"]
    if params.columns > 1:
        return adapted_mean(graph, params, edge, params.d1, mover)
    mean = adapted_mean(graph, params, edge, params.d1, 0)
    return mean if mover == 0 else 1.0 - mean


@kernel(hot=True)
def parent_count(graph: Graph, params: Params, node: int) -> float:
    """Return p_d2: the adapted counts of all edges of a node, added up."""
    nodes = graph.nodes
    if params.parent_visits:
        return np.float64(nodes[node]["visits"])
    if params.d2 == 0 and not params.everywhere:
        return np.float64(nodes[node]["visits"] - nodes[node]["own"])
    total = 0.0
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        total += adapted_count(graph, params, edge, params.d2)
    return total


@kernel(hot=True)
def _bias(graph: Graph, params: Params, child: int, mover: int) -> float:
    """Return what proven bounds add to the score of a child (thesis, section 4.3)."""
    low = (graph.nodes[child]["low"] - params.least) * params.scale
    high = (graph.nodes[child]["high"] - params.least) * params.scale
    if mover == 0:
        return params.gamma * low + params.delta * high
    return -params.gamma * high - params.delta * low


@kernel(hot=True)
def rank(
    best: int, greatest: float, second: float, place: int, score: float
) -> tuple[int, float, float]:
    """Return the place of the best-scoring edge so far, its score and the next one."""
    lesser = min(greatest, score)
    return (
        np.int64(place) if score > greatest else best,
        max(greatest, score),
        max(second, lesser),
    )


@kernel(lean=True)
def draw_tie(lanes: Lanes, rng: Random, size: int, greatest: float) -> int:
    """Let chance decide between the best-scoring edges."""
    lane = lanes.edges
    least = greatest - TIE
    ties = 0
    for i in range(size):
        ties += 1 if lane[URGENCIES + i] >= least else 0
    draw = below(rng, ties)
    i = np.int64(-1)
    while draw >= 0:
        i += 1
        draw -= 1 if lane[URGENCIES + i] >= least else 0
    return i


@kernel(hot=True)
def settle(
    lanes: Lanes, rng: Random, first: int, size: int, best: int, greatest: float, second: float
) -> tuple[int, float]:
    """Return the best-scoring edge and its score, or NONE where all are cut.

    Scores that differ by rounding alone count as equal, and chance decides between them.
    """
    if greatest == -np.inf:
        return NONE, greatest
    if second >= greatest - TIE:
        best = draw_tie(lanes, rng, size, greatest)
    return first + best, greatest


@kernel(lean=True)
def rank_all(lanes: Lanes, size: int) -> tuple[int, float, float]:
    """Rank edges whose scores are laid out: return the best place, its score and the next one."""
    best = np.int64(0)
    greatest = second = -np.inf
    for i in range(size):
        best, greatest, second = rank(best, greatest, second, i, lanes.edges[URGENCIES + i])
    return best, greatest, second


@kernel(hot=True)
def lay_flips(lanes: Lanes, flip: bool) -> None:
    """Lay out, by the marks of an edge, whether its sum is the opponent's.

    Looked up later: a choice would become a branch nobody can foretell.
    """
    lanes.edges[FLIPS] = 0.0
    for marks in range(1, 4):
        lanes.edges[FLIPS + marks] = 1.0 if flip else 0.0


@kernel(hot=True)
def own_sum(graph: Graph, lanes: Lanes, edge: int, ask: bool) -> tuple[int, float, int, float]:
    """Return where an edge leads, the sum of who moves, visits less one, 1 / √visits."""
    target = np.int64(graph.edges[edge]["target"])
    marks = target >> CHILD_BITS
    total, visits = seen(graph.nodes, graph.edges, target & CHILD_MASK, edge, ask and marks != 0)
    less = np.int64(visits) - 1  # negative for an edge nobody went along
    # What the opponent did not get, where the sum is the opponent's; else the sum.
    total = abs(np.float64(visits) * lanes.edges[FLIPS + marks] - total)
    return target, total, less, lanes.inverse_roots[less & (SMALL - 1)]


@kernel(hot=True)
def _unless_special(best: int, together: int, large: int) -> int:
    """Return the place of the best edge, or NONE where some edge needs a closer look."""
    return np.int64(NONE) if together & BOUNDED or large & ~(SMALL - 1) else best


@kernel(hot=True)
def select_ucb(
    graph: Graph, lanes: Lanes, first: int, size: int, ask: bool, flip: bool, explore: float
) -> tuple[int, float, float]:
    """Select where sums and small counts are all that matters: one short loop without branches.

    Returns the place of the best-scoring edge, its score and the next one; or NONE where some
    edge needs a closer look.
    """
    best = np.int64(0)
    greatest = second = -np.inf
    together, large = 0, 0
    lay_flips(lanes, ask and flip)
    for i in range(size):
        target, total, less, root = own_sum(graph, lanes, first + i, ask)
        together |= target
        large |= less
        score = root * (total * root + explore)
        lanes.edges[URGENCIES + i] = score
        best, greatest, second = rank(best, greatest, second, i, score)
    return _unless_special(best, together, large), greatest, second


@kernel(lean=True)
def select_adapted(
    graph: Graph, params: Params, lanes: Lanes, first: int, size: int, flip: bool, explore: float
) -> tuple[int, float, float]:
    """Do as `select_ucb` for adapted values of any depth: own playouts per node, one column."""
    nodes, edges, levels, lane = graph.nodes, graph.edges, graph.levels, lanes.edges
    stride, own_at, deep = params.level_stride, params.own_at, params.d1 > 1
    mean_at = np.int64(mean_slot(params, 0, params.d1, 0)) if deep else np.int64(0)
    count_at = np.int64(count_slot(params, 0, params.d3)) if params.d3 > 1 else np.int64(0)
    best = np.int64(0)
    greatest = second = -np.inf
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
        visits = np.int64(nodes[child]["visits"])
        total = levels[at + mean_at] + levels[at + own_at] if deep else nodes[child]["sum"]
        if params.d3 == 0:
            count = np.int64(edges[edge]["visits"])
        elif params.d3 == 1:
            count = visits
        else:
            count = np.int64(levels[at + count_at]) + np.int64(nodes[child]["own"])
        large |= (count - 1) | (np.int64(edges[edge]["visits"]) - 1) | (visits - 1)
        mean = total / np.float64(visits)
        mean = 1.0 - mean if flip else mean
        score = mean + explore * lanes.inverse_roots[(count - 1) & (SMALL - 1)]
        lane[URGENCIES + i] = score
        best, greatest, second = rank(best, greatest, second, i, score)
    return _unless_special(best, together, large), greatest, second


@kernel(lean=True)
def select_rave(
    graph: Graph, params: Params, lanes: Lanes, node: int, rave_source: int, flip: bool,
    explore: float,
) -> tuple[int, float, float]:  # fmt: skip
    """Do as `select_ucb` for means that are mixed with all-moves-as-first statistics."""
    links, lane = graph.links, lanes.edges
    first, end = edges_of(graph, node)
    ask, by_bias, bias = params.d1 > 0, params.rave_bias > 0.0, params.rave_bias
    own = rave_source == node
    if not own:
        gather_amaf(graph, params, lanes.amaf, node, rave_source)
    known = graph.extras if own else lanes.amaf
    at, stride = np.uint64(first * params.extra_stride + params.amaf_at), params.extra_stride
    best = np.int64(0)
    greatest = second = -np.inf
    together, large = 0, 0
    lay_flips(lanes, ask and flip)
    for edge in range(first, end):
        i = edge - first
        target, total, less, root = own_sum(graph, lanes, edge, ask)
        together |= target
        large |= less
        visits = np.float64(less + 1)
        mean = total * root * root
        if not own:
            at = np.uint64(2 * (np.int64(links[edge]["move"]) & MOVE_MASK))
        amaf_visits, amaf_sum = known[at], known[at + np.uint64(1)]
        at += np.uint64(stride)
        if by_bias:
            weight = amaf_visits / (visits + amaf_visits + bias * visits * amaf_visits)
        else:
            weight = lanes.rave_weights[less & (SMALL - 1)] if amaf_visits > 0.0 else 0.0
        mean += weight * (amaf_sum / max(amaf_visits, 1.0) - mean)
        score = mean + explore * root
        lane[URGENCIES + i] = score
        best, greatest, second = rank(best, greatest, second, i, score)
    return _unless_special(best, together, large), greatest, second


@kernel(lean=True)
def gather_sums(graph: Graph, lanes: Lanes, node: int, ask: bool, flip: bool) -> None:
    """Lay out payoffs and visits of every edge, or of the child where it has seen more.

    `flip` says that player 1 moves: sums of nodes belong to player 0.
    """
    nodes, edges, lane = graph.nodes, graph.edges, lanes.edges
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        i = edge - first
        asks = ask and np.int64(edges[edge]["target"]) >> CHILD_BITS != 0
        total, visits = seen(nodes, edges, child_of(graph, edge), edge, asks)
        lane[COUNTS + i] = np.float64(visits)
        lane[i] = lane[COUNTS + i] - total if asks and flip else total


@kernel(lean=True)
def gather_means(graph: Graph, params: Params, lanes: Lanes, node: int) -> None:
    """Lay out the adapted mean and count of every edge."""
    edges, lane = graph.edges, lanes.edges
    first, end = edges_of(graph, node)
    mover = np.int64(graph.nodes[node]["player"])
    for edge in range(first, end):
        i = edge - first
        if edges[edge]["visits"] == 0:
            lane[COUNTS + i] = 0.0
        else:
            lane[i] = edge_mean(graph, params, edge, mover)
            lane[COUNTS + i] = adapted_count(graph, params, edge, params.d3)


@kernel(lean=True)
def _single_out(
    graph: Graph, params: Params, lanes: Lanes, node: int, alpha: float, beta: float
) -> None:
    """Give an edge that is cut a mean without end below, and one nobody went along above."""
    lane = lanes.edges
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        i = edge - first
        child = child_of(graph, edge)
        if lane[COUNTS + i] == 0.0:
            lane[i] = np.inf
            lane[COUNTS + i] = 1.0
        if params.bounds != OFF and is_cut(graph, params, node, child, alpha, beta):
            lane[i] = -np.inf


@kernel(lean=True)
def ucb_values(lanes: Lanes, size: int, explore: float, sums: bool) -> None:
    """Compute mean and exploration of all edges; the compiler does four at once."""
    lane = lanes.edges
    if sums:
        for i in range(size):
            inverse = 1.0 / lane[COUNTS + i]
            lane[i] = lane[i] * inverse
            lane[URGENCIES + i] = lane[i] + explore * np.sqrt(inverse)
    else:
        for i in range(size):
            lane[URGENCIES + i] = lane[i] + explore / np.sqrt(lane[COUNTS + i])


@kernel(lean=True)
def add_options(
    graph: Graph, params: Params, lanes: Lanes, node: int, rave_source: int, root: float
) -> None:
    """Put into the scores what the options add."""
    edges, extras = graph.edges, graph.extras
    first, end = edges_of(graph, node)
    mover = np.int64(graph.nodes[node]["player"])
    rave = params.amaf_at != NONE
    if rave:
        gather_amaf(graph, params, lanes.amaf, node, rave_source)
    for edge in range(first, end):
        i = edge - first
        mean, visits = lanes.edges[i], lanes.edges[COUNTS + i]
        if np.isinf(mean):
            continue
        explore = root * root / visits
        if params.ucb1_tuned:
            own_visits = np.float64(edges[edge]["visits"])
            own_mean = edges[edge]["sum"] / own_visits
            square = extras[edge * params.extra_stride + params.squares_at] / own_visits
            spread = square - own_mean * own_mean + np.sqrt(2.0 * explore)
            explore *= min(0.25, spread)
        if rave:
            move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
            amaf_visits, amaf_sum = lanes.amaf[2 * move], lanes.amaf[2 * move + 1]
            mean = blend(params, mean, visits, amaf_visits, amaf_sum)
        score = mean + params.c * np.sqrt(explore)
        if params.bounds != OFF and (params.gamma != 0.0 or params.delta != 0.0):
            score += _bias(graph, params, child_of(graph, edge), mover)
        lanes.edges[URGENCIES + i] = score


@kernel(lean=True)
def select_general(
    graph: Graph, params: Params, lanes: Lanes, node: int, rave_source: int, alpha: float,
    beta: float, root: float,
) -> tuple[int, float, float]:  # fmt: skip
    """Select with all options: return the best-scoring edge's place, its score and the next."""
    first, end = edges_of(graph, node)
    size = end - first
    if params.sums:
        flip = graph.nodes[node]["player"] != 0
        gather_sums(graph, lanes, node, params.d1 > 0, flip)
    else:
        gather_means(graph, params, lanes, node)
    _single_out(graph, params, lanes, node, alpha, beta)
    ucb_values(lanes, size, params.c * root, params.sums)
    if params.with_options:
        add_options(graph, params, lanes, node, rave_source, root)
    return rank_all(lanes, size)
