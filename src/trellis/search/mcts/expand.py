"""The second step of a simulation: which moves are left to try, and the node of a new position."""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import comes_before, copy_words, hash_pair
from trellis.game.playouts import ROUNDING
from trellis.game.rules import NOBODY, Reals, State, Tables
from trellis.search.mcts import graph as g
from trellis.search.mcts import index
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.params import OFF, Params, Scratch


@kernel(hot=True)
def recall_state(graph: Graph, params: Params, node: int, state: State) -> None:
    """Write the position of a node, where descents go by what is kept."""
    if params.recall:
        for word in range(params.kept):
            state[word] = graph.states[node * params.kept + word]


@kernel(takes_rules=True, lean=True)
def to_canonical(
    key: object, transform: object, tables: Tables, params: Params, scratch: Scratch, state: State
) -> int:
    """Replace a position by the image all its images share; return which one that was.

    That is the one with the least key; of two different ones with that key, the one whose words
    come first, since whoever asks from another image must get the same one.
    """
    best = np.int64(0)
    best_key = key(tables, state)
    for i in range(1, params.symmetries):
        transform(tables, state, np.int64(scratch.images[i]), scratch.image)
        image_key = key(tables, scratch.image)
        if image_key == best_key and params.verify:
            transform(tables, state, np.int64(scratch.images[best]), scratch.trial)
            if comes_before(scratch.image, scratch.trial):
                best = np.int64(i)
        elif image_key < best_key:
            best, best_key = np.int64(i), image_key
    if best != 0:
        transform(tables, state, np.int64(scratch.images[best]), scratch.image)
        copy_words(scratch.image, state)
    return best


@kernel(hot=True)
def are_promised(params: Params, payoffs: Reals) -> bool:
    """Tell whether payoffs are in their range, and add up where one stands for both."""
    slack = ROUNDING * (params.greatest - params.least)
    promised = True
    for player in range(params.players):
        promised &= params.least - slack <= payoffs[player] <= params.greatest + slack
    if params.columns == 1 and params.players == 2 and not params.own_bounds:
        promised &= abs(payoffs[0] + payoffs[1] - params.least - params.greatest) <= slack
    return promised


@kernel(takes_rules=True, lean=True)
def first_bounds(
    acting: object, payoffs: object, bounds: object, tables: Tables, params: Params,
    scratch: Scratch, state: State, graph: Graph, node: int,
) -> bool:  # fmt: skip
    """Give a new node the bounds known without search; tell whether they are any news."""
    nodes = graph.nodes
    over = nodes[node]["player"] == NOBODY
    if params.own_bounds:  # at the end, too: what an end pays may be open
        limits = scratch.limits
        bounds(tables, state, limits)
        low, high = max(limits[0], params.least), min(limits[1], params.greatest)
    elif over:
        payoffs(tables, state, scratch.out)
        low = high = scratch.out[0]
        if not are_promised(params, scratch.out):
            graph.counters[g.BROKEN] += 1
    else:
        return False
    if over and params.win_loss and low == high and params.least < low < params.greatest:
        return False
    nodes[node]["low"] = low
    nodes[node]["high"] = high
    return True


@kernel(takes_rules=True, hot=True)
def reach_node(
    acting: object, payoffs: object, bounds: object, tables: Tables, graph: Graph,
    params: Params, scratch: Scratch, state: State, turn: int, hash_: Any,
) -> tuple[int, bool]:  # fmt: skip
    """Return the node of a position and whether it is new; NONE where there is no room.

    `hash_` is the position's key.
    """
    counters = graph.counters
    slot = 0
    if params.when_full == g.DRAKE:
        # The slot is the node.  What the game has passed may be overwritten.
        # Rules in plain Python hand over plain numbers, and get some back from kernels.
        hash_ = np.uint64(hash_pair(np.uint64(hash_), np.uint64(turn + counters[g.BASE_TURN])))
        node = index.slot_of(hash_, len(graph.nodes))
        if graph.nodes[node]["flags"] & g.USED:
            if params.transpositions and graph.nodes[node]["key"] == hash_:
                return node, False
            # The root's own children come first: a search that cannot try its moves is none.
            young = np.int64(graph.nodes[node]["turn"]) >= counters[g.ROOT_TURN]
            if young and (turn > counters[g.ROOT_TURN] + 1 or node == counters[g.ROOT]):
                counters[g.FULL] += 1
                return g.NONE - 1 - node, False  # says which one is in the way
            g.drop_node(graph, node)
        counters[g.LIVE_NODES] += 1
        graph.index[node] = 0
    else:
        if params.transpositions:
            if index.index_is_crowded(graph):
                index.rebuild_index(graph, min(2 * counters[g.INDEX_SIZE], len(graph.index)))
            slot = index.find_slot(graph, params, scratch, hash_, state)
            if graph.index[slot] != 0:
                return index.node_at(graph, slot), False
        if not g.room_for_node(graph):
            counters[g.FULL] += 1
            return g.NONE, False
        node = g.take_node(graph)
        if params.transpositions:
            index.enter_node(graph, slot, hash_, node)
    player = acting(tables, state)
    g.fill_node(
        graph, node, hash_, player, turn, params.least, params.greatest, params.level_stride
    )
    for word in range(params.kept):
        graph.states[node * params.kept + word] = state[word]
    if params.bounds != OFF:
        first_bounds(acting, payoffs, bounds, tables, params, scratch, state, graph, node)
    return node, True


@kernel(lean=True)
def _stamp_tried(graph: Graph, scratch: Scratch, node: int) -> int:
    """Mark the moves of a node that have an edge; return the mark."""
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    first, end = g.edges_of(graph, node)
    for edge in range(first, end):
        scratch.tried[np.int64(graph.links[edge]["move"]) & g.MOVE_MASK] = stamp
    return stamp


@kernel(lean=True)
def nth_untried(graph: Graph, scratch: Scratch, node: int, number: int) -> int:
    """Return the move in the buffer that has no edge yet and so many such before it."""
    buffer, tried = scratch.buffer, scratch.tried
    stamp = _stamp_tried(graph, scratch, node)
    i = np.int64(-1)
    while number >= 0:
        i += 1
        number -= 1 if tried[buffer[i]] != stamp else 0
    return np.int64(buffer[i])


@kernel(lean=True)
def list_untried(graph: Graph, scratch: Scratch, node: int, count: int) -> int:
    """Keep in the buffer, in order, the moves that have no edge yet; return how many."""
    buffer, tried = scratch.buffer, scratch.tried
    stamp = _stamp_tried(graph, scratch, node)
    left = 0
    for i in range(count):
        if tried[buffer[i]] != stamp:
            buffer[left] = buffer[i]
            left += 1
    return left
