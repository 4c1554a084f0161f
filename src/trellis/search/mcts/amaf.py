"""All moves as first: what a playout says of every move in it, not of the first one alone.

A playout tells of each move that was made after a node as if it had been made there (AMAF, the
heart of RAVE and GRAVE).  Which moves those are stands in `made`: a bit for each move, by player.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, below, mark_made
from trellis.game.rules import Moves, Random, Reals, State
from trellis.search.mcts.graph import MOVE_MASK, NONE, Graph, child_of, edges_of
from trellis.search.mcts.params import Params, Path, Scratch

_S6, _S63 = np.uint64(6), np.uint64(63)


@kernel(hot=True)
def _count_made(
    graph: Graph,
    made: State,
    words: int,
    player: int,
    value: float,
    node: int,
    at: int,
    stride: int,
) -> None:
    """Count a playout at those edges of a node whose moves a player has made.

    Whether an edge's move was made nobody can foretell, so there is no branch: 0 or 1 is added.
    """
    links, extras = graph.links, graph.extras
    own = np.uint64(player * words)
    first, end = edges_of(graph, node)
    place, step = np.uint64(first * stride + at), np.uint64(stride)
    for edge in range(first, end):
        move = np.uint64(np.int64(links[edge]["move"]) & MOVE_MASK)
        hit = np.float64(np.int64((made[own + (move >> _S6)] >> (move & _S63)) & ONE))
        extras[place] += hit
        extras[place + ONE] += hit * value
        place += step


@kernel(lean=True)
def update_amaf(graph: Graph, params: Params, path: Path, scratch: Scratch, length: int) -> None:
    """Count the playout at every move of the path's nodes that was made from there on."""
    nodes, made, values = graph.nodes, scratch.made, path.values
    words = len(made) // params.players
    stride = params.extra_stride
    for i in range(length - 1, -1, -1):
        node = np.int64(path.nodes[i])
        player = np.int64(nodes[node]["player"])
        if player < 0:
            continue
        mark_made(made, player * words, np.int64(graph.links[path.edges[i]]["move"]) & MOVE_MASK)
        _count_made(graph, made, words, player, values[player], node, params.amaf_at, stride)
        if params.amaf_other_at != NONE:
            other = 1 - player
            at = params.amaf_other_at
            _count_made(graph, made, words, other, values[other], node, at, stride)


@kernel(hot=True)
def order_source_of(graph: Graph, params: Params, path: Path, depth: int) -> int:
    """Return the nearest node above one on the path where the same player moves; or NONE.

    It knows something of moves that the node itself has never tried.
    """
    nodes = graph.nodes
    if params.rave_order:
        player = nodes[path.nodes[depth]]["player"]
        for i in range(depth - 1, -1, -1):
            if nodes[path.nodes[i]]["player"] == player:
                return np.int64(path.nodes[i])
    return np.int64(NONE)


@kernel(lean=True)
def most_promising(
    graph: Graph,
    params: Params,
    amaf: Reals,
    buffer: Moves,
    count: int,
    rng: Random,
    order_source: int,
) -> int:
    """Return that of the moves in the buffer of which another node thinks best.

    Moves that are unknown there come last; chance decides between equal ones.
    """
    for i in range(count):
        amaf[2 * buffer[i]] = -1.0
    first, end = edges_of(graph, order_source)
    for edge in range(first, end):
        at = edge * params.extra_stride + params.amaf_at
        if graph.extras[at] > 0.0:
            move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
            amaf[2 * move] = graph.extras[at + 1] / graph.extras[at]
    greatest, ties = -1.0, 0
    for i in range(count):
        value = amaf[2 * buffer[i]]
        if value > greatest:
            greatest, ties = value, 0
        ties += 1 if value == greatest else 0
    draw = below(rng, ties) if ties > 1 else 0
    i = np.int64(-1)
    while draw >= 0:
        i += 1
        draw -= 1 if amaf[2 * buffer[i]] == greatest else 0
    return np.int64(buffer[i])


@kernel(hot=True)
def blend(params: Params, mean: float, visits: float, amaf_visits: float, amaf_sum: float) -> float:
    """Mix a mean with all-moves-as-first statistics, as Gelly and Silver do."""
    if amaf_visits <= 0.0:
        return mean
    if params.rave_bias > 0.0:
        weight = amaf_visits / (visits + amaf_visits + params.rave_bias * visits * amaf_visits)
    else:
        weight = np.sqrt(params.rave / (3.0 * visits + params.rave))
    return (1.0 - weight) * mean + weight * amaf_sum / amaf_visits


@kernel(lean=True)
def gather_amaf(graph: Graph, params: Params, amaf: Reals, node: int, rave_source: int) -> None:
    """Write into `amaf` what is known of each move of `node` as if it came first.

    Each node uses its own statistics; or those of an ancestor with more visits (GRAVE); or what
    its children know of the move, whichever way they were reached (RAVE UCD).
    """
    at = params.amaf_at
    if graph.nodes[rave_source]["player"] != graph.nodes[node]["player"]:
        at = params.amaf_other_at  # another player moves there: what it knows of this one's moves
        if at == NONE:
            rave_source, at = node, params.amaf_at
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
        own = edge * params.extra_stride + params.amaf_at
        known = rave_source == node and not params.rave_children
        amaf[2 * move] = graph.extras[own] if known else 0.0
        amaf[2 * move + 1] = graph.extras[own + 1] if known else 0.0
    if params.rave_children:
        first, end = edges_of(graph, node)
        for edge in range(first, end):
            child = child_of(graph, edge)
            if child == NONE:
                continue
            first_below, end_below = edges_of(graph, child)
            other = graph.nodes[child]["player"] != graph.nodes[node]["player"]
            at = params.amaf_other_at if other else params.amaf_at
            for below_edge in range(first_below, end_below):
                move = np.int64(graph.links[below_edge]["move"]) & MOVE_MASK
                amaf[2 * move] += graph.extras[below_edge * params.extra_stride + at]
                amaf[2 * move + 1] += graph.extras[below_edge * params.extra_stride + at + 1]
    elif rave_source != node:
        first, end = edges_of(graph, rave_source)
        for edge in range(first, end):
            move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
            lent = edge * params.extra_stride + at
            amaf[2 * move] = graph.extras[lent]
            amaf[2 * move + 1] = graph.extras[lent + 1]
