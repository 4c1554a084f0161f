"""The index of the graph: which node a position has, by the hash of the position.

Places are tried one after the other.  An entry holds the number of a node, plus one, and in the
bits that leaves free some of the key, so that other nodes are hardly ever looked at.

Two positions may have one key.  Where a search proves anything (`params.verify`) a node is found by
its words as well, so that they become two nodes, and no proof rests on a hash.
"""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN
from trellis.game.rules import State
from trellis.search.mcts.graph import INDEX_SIZE, LIVE_NODES, NODE_BITS, NODES, USED, Graph
from trellis.search.mcts.params import Params, Scratch

_LOW_HALF = np.uint64(0xFFFF_FFFF)


@kernel(hot=True)
def slot_of(key: Any, size: int) -> int:
    """Map a key to 0..size-1 without a division: its high half, scaled.

    The product spreads keys that are not: of all images of a position the least key is kept,
    and least keys are small.
    """
    high = (key * GOLDEN) >> np.uint64(32)
    return np.int64((high * np.uint64(size)) >> np.uint64(32))


@kernel(hot=True)
def find_slot(graph: Graph, params: Params, scratch: Scratch, key: Any, state: State) -> int:
    """Return the place of a position in the index: where it is, or where it would go.

    Words are compared where the search proves anything; else another position may have the key.
    """
    index, size, node_bits = graph.index, graph.counters[INDEX_SIZE], graph.counters[NODE_BITS]
    tag = _tag_of(graph, key)
    slot = slot_of(key, size)
    while True:
        entry = np.int64(index[slot])
        if entry == 0:
            return slot
        # Bits of the key beside the node's number: few wrong nodes are ever looked at.
        if entry & ~node_bits == tag and graph.nodes[(entry & node_bits) - 1]["key"] == key:
            if not params.verify:
                return slot
            if _is_of(graph, params, scratch, (entry & node_bits) - 1, state):
                return slot
        slot += 1
        if slot == size:
            slot = 0


@kernel(hot=True)
def _is_of(graph: Graph, params: Params, scratch: Scratch, node: int, state: State) -> bool:
    """Tell whether a node is that of a position, by the words that tell positions apart."""
    other = np.uint64(0)
    for word in range(params.kept):
        kept = graph.states[node * params.kept + word]
        other |= (kept ^ state[word]) & scratch.identity[word]
    return other == np.uint64(0)


@kernel(hot=True)
def _tag_of(graph: Graph, key: Any) -> int:
    """Return the bits of a key that stand beside a node's number in the index."""
    return np.int64(key & _LOW_HALF) & ~graph.counters[NODE_BITS]


@kernel(hot=True)
def node_at(graph: Graph, slot: int) -> int:
    """Return which node a place of the index holds, or NONE."""
    return (np.int64(graph.index[slot]) & graph.counters[NODE_BITS]) - 1


@kernel(hot=True)
def enter_node(graph: Graph, slot: int, key: Any, node: int) -> None:
    """Write a node into a place of the index."""
    graph.index[slot] = _tag_of(graph, key) | (node + 1)


@kernel(hot=True)
def _free_slot(graph: Graph, key: Any) -> int:
    """Return the first free place for a key; others may have the same one."""
    size = graph.counters[INDEX_SIZE]
    slot = slot_of(key, size)
    while graph.index[slot] != 0:
        slot += 1
        if slot == size:
            slot = 0
    return slot


@kernel(lean=True)
def rebuild_index(graph: Graph, size: int) -> None:
    """Enter all nodes anew into an index of so many places."""
    graph.counters[INDEX_SIZE] = size
    for slot in range(size):
        graph.index[slot] = 0
    for node in range(graph.counters[NODES]):
        if graph.nodes[node]["flags"] & USED:
            key = graph.nodes[node]["key"]
            enter_node(graph, _free_slot(graph, key), key, node)


@kernel(hot=True)
def index_is_crowded(graph: Graph) -> bool:
    """Tell whether two thirds of the index are taken and it can still grow."""
    size = graph.counters[INDEX_SIZE]
    return 3 * graph.counters[LIVE_NODES] >= 2 * size and size < len(graph.index)
