"""The search graph: one node a position, one edge a move that was tried, arrays of fixed size.

Layout.  A node takes 56 bytes and about 6 in the index, an edge 28.  The edges of a node lie side
by side, in the order tried, in a block of the edge array with room for 2, then 4, 6, 9, 13, ...
but never for more than there are moves.  A block that is full is copied to a longer one and used
again for another node.  The edges into a node are a list: updates climb along it.

What only some searches need lies in two arrays beside these: `levels` (so many numbers a node:
adapted values, payoffs of further players) and `extras` (so many numbers an edge: squares, what
all-moves-as-first knows).  Where they are not needed they are not there.

Payoffs inside nodes and edges are scaled to 0..1.  `sum` of a node belongs to player 0, `sum` of
an edge to who moves there; at a chance node it holds the probability of the outcome instead.
Proven bounds `low` and `high` belong to player 0 and are in the game's own scale, so that what is
proven is exact.
"""

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel
from trellis._kernel.memory import fetch
from trellis.game.errors import BadParameter, counted
from trellis.game.memory import refuse_too_much
from trellis.game.rules import Counts, Moves, Reals, State

# Both kinds of record begin with what selection reads, so that one look serves either.
NODE = np.dtype(
    [
        ("sum", np.float64),  # payoffs of player 0 in all playouts that came through here
        ("visits", np.int32),  # playouts that came through here: own + those of all edges
        ("own", np.int32),  # playouts that began here (n' of the papers)
        ("first", np.int32),  # first edge out, or NONE
        ("first_in", np.int32),  # newest edge in, or NONE
        ("edges", np.uint16),  # moves tried
        ("moves", np.uint16),  # moves there are; 0 until somebody has looked
        ("player", np.int8),  # who acts: a player, CHANCE or NOBODY
        ("flags", np.uint8),
        ("turn", np.uint16),  # moves from BASE_TURN to here, on the first path found
        ("key", np.uint64),
        ("low", np.float64),  # proven: player 0 gets at least this from here
        ("high", np.float64),  # proven: and at most this
    ],
    align=True,
)
# Of an edge, what selection reads of all edges of a node lies apart from the rest.
EDGE = np.dtype(
    [
        ("sum", np.float64),  # payoffs of who moves; the probability where chance does
        ("visits", np.int32),
        ("target", np.uint32),  # the child, NONE where that is hidden; and marks, see below
    ],
    align=True,
)
LINK = np.dtype(
    [
        ("move", np.int32),  # and, above SYMMETRY_AT, the symmetry applied after it
        ("parent", np.int32),
        ("next_in", np.int32),  # next edge into the same child; next block on a list of free ones
    ],
    align=True,
)

NONE = -1
MAX_TURN = 65_535
SYMMETRY_AT = 26  # bits of a move below this one are the move
MOVE_MASK = (1 << SYMMETRY_AT) - 1
MOST_SYMMETRIES = 1 << (31 - SYMMETRY_AT)

# flags of a node
ON_PATH = np.uint8(1)  # passed by the descent that is going on
MARKED = np.uint8(2)  # on a work list
USED = np.uint8(4)  # holds a position
WAITING = np.uint8(16)  # a leaf that somebody outside the kernels is asked about
REACHED = np.uint8(8)  # reachable from the root, while garbage is being collected

# Marks of an edge, the highest bits of `target`; one without knows all that selection asks about
# its child.
SHARED = np.uint32(1 << 30)  # other edges lead there too, or did: the node has seen more
BOUNDED = np.uint32(1 << 31)  # something is proven about the child
CHILD_BITS = 30
CHILD_MASK = (1 << CHILD_BITS) - 1
_CHILD_SHIFT = 64 - CHILD_BITS

# entries of `counters`
NODES, EDGES = 0, 1  # how much of the arrays was ever used
LIVE_NODES, LIVE_EDGES = 2, 3  # how much holds something now
FREE_NODE = 4  # head of the list of free nodes, linked by `first`
TRANSPOSITIONS = 5  # edges found to lead to a node that was there already
FULL = 6  # times there was no room for a node
SIMS = 7
ROOT = 8
ROOT_TURN = 9
REPEATS = 10  # descents that stopped at a position they had passed before
DEEPEST = 11  # longest path from the root so far
UPDATES = 12  # edges whose adapted values an update has changed, traversed ones not counted
ENDLESS_PLAYOUTS = 13
COLLECT_AT = 14  # simulations before which collecting again is not worth it
INDEX_SIZE = 15  # part of the index in use: it grows with the graph, to stay close to the processor
NODE_BITS = 16  # mask of what in an entry of the index says which node; the rest is from its key
CROWDED = 17  # not 0 where some count has come near its end: see `counting`
BASE_TURN = 18  # turns of nodes, and ROOT_TURN, count from this move of the game
BROKEN = 19  # ends whose payoffs are not what the game promised
BAD_WORTHS = 20  # times that a backup of the user's own said what no position can be worth
COUNTERS = 21

MOST_VISITS = (1 << 31) - 1
NEARLY_MOST = MOST_VISITS - 1024  # a simulation adds 1 to a count, and is the last but one

# what happens when there is no room
STOP, COLLECT, DRAKE = 0, 1, 2


class Graph(Bundle):
    """The arrays of a search graph, as kernels see them."""

    nodes: Annotated[npt.NDArray[np.void], NODE]  # [capacity]
    edges: Annotated[npt.NDArray[np.void], EDGE]  # [edge capacity]
    links: Annotated[npt.NDArray[np.void], LINK]  # [edge capacity]
    index: npt.NDArray[np.uint32]  # [3/2 capacity]: entries; DRAKE: [capacity], see `descend`
    levels: Reals  # [capacity * level_stride]
    extras: Reals  # [edge capacity * extra_stride]
    free: Moves  # [max_moves + 1]: heads of lists of free blocks of edges, by length
    counters: Counts
    states: State  # [capacity * kept]: the first words of nodes' positions, where they are kept

    def children(self, first: int, end: int) -> Counts:
        """Return where the edges from `first` to `end` lead, for those outside kernels."""
        targets = self.edges["target"][first:end].astype(np.int64)
        return (targets << _CHILD_SHIFT) >> _CHILD_SHIFT

    def child(self, edge: int) -> int:
        """Return where an edge leads, for those outside kernels."""
        return int(self.children(edge, edge + 1)[0])


MIB = 1 << 20
CACHE_LINE = 64
_EDGES_PER_NODE = 1.5  # room for edges: transpositions, and blocks not used up
_LEAST_NODES = 64
FIRST_INDEX = 1 << 12
_WHOLE = 0xFFFF_FFFF


def make_graph(
    memory: float, max_moves: int, level_stride: int, extra_stride: int, when_full: int,
    kept: int = 0, beside: int = 0,
) -> Graph:  # fmt: skip
    """Make an empty graph whose arrays take `memory` MiB together.

    `beside` are bytes that a search keeps elsewhere for every node.  Memory that is never touched
    is never taken from the system, so a large budget costs a short search nothing.
    """
    refuse_too_much(memory)
    node_bytes = (
        NODE.itemsize + 8 * (level_stride + kept) + (4 if when_full == DRAKE else 6) + beside
    )
    edge_bytes = EDGE.itemsize + LINK.itemsize + 8 * extra_stride
    per_node = node_bytes + _EDGES_PER_NODE * edge_bytes
    capacity = int(memory * MIB / per_node)
    least = max(_LEAST_NODES, max_moves + 1)
    if capacity < least:
        raise BadParameter(
            f"bad memory {memory:g} MiB: expected at least {least * per_node / MIB:.2g} MiB "
            f"for the root and its {counted(max_moves, 'move')}"
        )
    capacity = min(capacity, CHILD_MASK >> 1)
    edge_capacity = min(int(capacity * _EDGES_PER_NODE), (1 << 31) - 2)
    index_size = capacity if when_full == DRAKE else capacity * 3 // 2
    try:
        graph = Graph(
            _zeros(capacity, NODE),
            _zeros(edge_capacity, EDGE),
            _zeros(edge_capacity, LINK),
            _zeros(index_size, np.dtype(np.uint32)),
            _zeros(max(1, capacity * level_stride), np.dtype(np.float64)),
            _zeros(max(1, edge_capacity * extra_stride), np.dtype(np.float64)),
            np.full(max_moves + 1, NONE, np.int32),
            np.zeros(COUNTERS, np.int64),
            _zeros(max(1, capacity * kept), np.dtype(np.uint64)),
        )
    except MemoryError:
        raise BadParameter(
            f"bad memory {memory:g} MiB: expected no more than this machine has"
        ) from None
    graph.counters[FREE_NODE] = NONE
    graph.counters[ROOT] = NONE
    graph.counters[INDEX_SIZE] = min(index_size, FIRST_INDEX)
    graph.counters[NODE_BITS] = (1 << capacity.bit_length()) - 1
    return graph


def _zeros(count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Make an array that begins with a cache line: else every second edge lies across two."""
    raw = np.zeros(count * kind.itemsize + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + count * kind.itemsize].view(kind)


@kernel(hot=True)
def room_for_node(graph: Graph) -> bool:
    """Tell whether one more node fits; edges are asked for when they are made."""
    return graph.counters[FREE_NODE] != NONE or graph.counters[NODES] < len(graph.nodes)


@kernel(hot=True)
def fill_node(
    graph: Graph, node: int, key: Any, player: int, turn: int, low: float, high: float, stride: int
) -> None:
    """Make `node` an empty one."""
    nodes = graph.nodes
    nodes[node]["key"] = key
    nodes[node]["sum"] = 0.0
    nodes[node]["low"] = low
    nodes[node]["high"] = high
    nodes[node]["visits"] = 0
    nodes[node]["own"] = 0
    nodes[node]["first"] = NONE
    nodes[node]["first_in"] = NONE
    nodes[node]["edges"] = 0
    nodes[node]["moves"] = 0
    nodes[node]["player"] = player
    nodes[node]["flags"] = USED
    nodes[node]["turn"] = min(turn, MAX_TURN)
    for i in range(node * stride, (node + 1) * stride):
        graph.levels[i] = 0.0


@kernel(hot=True)
def take_node(graph: Graph) -> int:
    """Take a free node; there must be room for one."""
    counters = graph.counters
    node = counters[FREE_NODE]
    if node != NONE:
        counters[FREE_NODE] = graph.nodes[node]["first"]
    else:
        node = counters[NODES]
        counters[NODES] += 1
    counters[LIVE_NODES] += 1
    return node


@kernel(hot=True)
def child_of(graph: Graph, edge: int) -> int:
    """Return the node an edge leads to, or NONE."""
    target = np.int64(graph.edges[edge]["target"])
    return (target << _CHILD_SHIFT) >> _CHILD_SHIFT


@kernel(hot=True)
def set_child(graph: Graph, edge: int, child: int) -> None:
    """Let an edge lead to a node, without any marks."""
    graph.edges[edge]["target"] = child & CHILD_MASK


@kernel(hot=True)
def edges_of(graph: Graph, node: int) -> tuple[int, int]:
    """Return where the edges out of a node begin and where they end."""
    first = np.int64(graph.nodes[node]["first"]) & _WHOLE  # so the compiler sees: not negative
    return first, first + np.int64(graph.nodes[node]["edges"])


@kernel(lean=True)
def take_block(graph: Graph, length: int) -> int:
    """Take `length` neighbouring free edges, or return NONE where there are none."""
    free = graph.free
    if free[length] != NONE:
        edge = np.int64(free[length])
        free[length] = graph.links[edge]["next_in"]
        return edge
    edge = graph.counters[EDGES]
    if edge + length <= len(graph.edges):
        graph.counters[EDGES] += length
        return edge
    for longer in range(length + 1, len(free)):
        if free[longer] != NONE:
            edge = np.int64(free[longer])
            free[longer] = graph.links[edge]["next_in"]
            free_block(graph, edge + length, longer - length)
            return edge
    return NONE


@kernel(lean=True)
def free_block(graph: Graph, edge: int, length: int) -> None:
    """Give `length` neighbouring edges back."""
    graph.links[edge]["next_in"] = graph.free[length]
    graph.free[length] = edge


@kernel(hot=True)
def block_length(edges: int, moves: int) -> int:
    """Return how long the block is that holds so many edges of a node with so many moves."""
    length = 2
    while length < edges:
        length += max(2, length // 2)
    return min(length, moves)


@kernel(lean=True)
def copy_edge(graph: Graph, old: int, new: int, extra_stride: int) -> None:
    """Write an edge to another place, which takes its own on the list of edges into its child."""
    edges, links = graph.edges, graph.links
    replace_in(graph, old, new)
    edges[new]["sum"] = edges[old]["sum"]
    edges[new]["target"] = edges[old]["target"]
    edges[new]["visits"] = edges[old]["visits"]
    links[new]["move"] = links[old]["move"]
    links[new]["parent"] = links[old]["parent"]
    links[new]["next_in"] = links[old]["next_in"]
    for i in range(extra_stride):
        graph.extras[new * extra_stride + i] = graph.extras[old * extra_stride + i]


@kernel(lean=True)
def replace_in(graph: Graph, edge: int, other: int) -> None:
    """Put something else in an edge's place on the list of edges into its child."""
    nodes, links = graph.nodes, graph.links
    child = child_of(graph, edge)
    if child == NONE:
        return
    before = np.int64(nodes[child]["first_in"])
    if before == edge:
        nodes[child]["first_in"] = other
        return
    while np.int64(links[before]["next_in"]) != edge:
        before = np.int64(links[before]["next_in"])
    links[before]["next_in"] = other


@kernel(lean=True)
def _move_edges(graph: Graph, node: int, target: int, extra_stride: int) -> None:
    """Copy a node's edges to a longer block."""
    first, end = edges_of(graph, node)
    for old in range(first, end):
        fetch(graph.nodes, child_of(graph, old))
    for old in range(first, end):
        copy_edge(graph, old, target + old - first, extra_stride)


@kernel(lean=True)
def _grow(graph: Graph, node: int, extra_stride: int) -> bool:
    """Make room for one more edge of a node; tell whether there was any."""
    count = np.int64(graph.nodes[node]["edges"])
    moves = np.int64(graph.nodes[node]["moves"])
    length = block_length(count, moves) if count > 0 else 0
    if count < length:
        return True
    target = take_block(graph, block_length(count + 1, moves))
    if target == NONE:
        return False
    if count > 0:
        _move_edges(graph, node, target, extra_stride)
        free_block(graph, np.int64(graph.nodes[node]["first"]), length)
    graph.nodes[node]["first"] = target
    return True


@kernel(hot=True)
def link_in(graph: Graph, edge: int, child: int) -> None:
    """Put an edge on the list of edges into a child, and mark what must ask the child."""
    nodes, edges = graph.nodes, graph.edges
    other = np.int64(nodes[child]["first_in"])
    if other != NONE:
        edges[edge]["target"] |= SHARED
        edges[other]["target"] |= SHARED  # those behind it are marked since there were two
    if nodes[child]["visits"] > 0:
        edges[edge]["target"] |= SHARED
    graph.links[edge]["next_in"] = other
    nodes[child]["first_in"] = edge


@kernel(hot=True)
def add_edge(graph: Graph, node: int, move: int, extra_stride: int) -> int:
    """Add an edge to `node` that leads nowhere yet; return NONE where there is no room."""
    nodes, edges = graph.nodes, graph.edges
    if not _grow(graph, node, extra_stride):
        return NONE
    _, edge = edges_of(graph, node)
    edges[edge]["sum"] = 0.0
    set_child(graph, edge, NONE)
    graph.links[edge]["move"] = move
    edges[edge]["visits"] = 0
    graph.links[edge]["parent"] = node
    graph.links[edge]["next_in"] = NONE
    nodes[node]["edges"] += np.uint16(1)
    for i in range(edge * extra_stride, (edge + 1) * extra_stride):
        graph.extras[i] = 0.0
    graph.counters[LIVE_EDGES] += 1
    return edge


@kernel(hot=True)
def lead_to(graph: Graph, edge: int, child: int) -> None:
    """Let an edge that led nowhere lead to a child."""
    set_child(graph, edge, child)
    link_in(graph, edge, child)


@kernel(hot=True)
def find_edge(graph: Graph, node: int, move: int) -> int:
    """Return the edge of a move, or NONE."""
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        if np.int64(graph.links[edge]["move"]) & MOVE_MASK == move:
            return edge
    return NONE


@kernel(lean=True)
def drop_edges(graph: Graph, node: int) -> None:
    """Take all edges out of a node away and give their block back."""
    nodes = graph.nodes
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        replace_in(graph, edge, np.int64(graph.links[edge]["next_in"]))
    if end > first:
        free_block(graph, first, block_length(end - first, np.int64(nodes[node]["moves"])))
    graph.counters[LIVE_EDGES] -= end - first
    nodes[node]["first"] = NONE
    nodes[node]["edges"] = 0
    nodes[node]["moves"] = 0


@kernel(lean=True)
def drop_node(graph: Graph, node: int) -> None:
    """Forget a node: its edges go, edges into it lead nowhere."""
    drop_edges(graph, node)
    edge = np.int64(graph.nodes[node]["first_in"])
    while edge != NONE:
        set_child(graph, edge, NONE)
        edge = np.int64(graph.links[edge]["next_in"])
    graph.nodes[node]["flags"] = np.uint8(0)
    graph.counters[LIVE_NODES] -= 1
