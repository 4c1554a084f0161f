"""The way down: from the root by selection until a new node, or one that stays a leaf.

At every node the same steps:

1. `ending_at`      does the descent end here?
2. `open_node`      the position of the node, and how many moves it has
3. `follow_script`, `draw_chance` or `choose_move`: which edge, or which new move
4. `make_move`      the position after it, as the image that the graph keeps
5. `reach_child`    the node of that position, new or found (a transposition)
6. `welcome_edge`   what a new edge brings with it

They are put into one kernel by the compiler; what they share travels in a `Room`.
"""

from typing import Any, NamedTuple

import numpy as np

from trellis._kernel.jit import kernel
from trellis._kernel.memory import fetch
from trellis.game.bits import below, copy_words
from trellis.game.playouts import STUCK, TOO_LONG, TOO_MANY, draw_outcome
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, State, Tables
from trellis.search.mcts.amaf import most_promising, order_source_of
from trellis.search.mcts.bounds import mark_bounded, propagate_bounds, update_bounds
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.expand import (
    list_untried,
    nth_untried,
    reach_node,
    recall_state,
    to_canonical,
)
from trellis.search.mcts.graph import (
    DRAKE,
    FULL,
    INDEX_SIZE,
    MOVE_MASK,
    NONE,
    ON_PATH,
    REPEATS,
    ROOT,
    ROOT_TURN,
    SHARED,
    SYMMETRY_AT,
    TRANSPOSITIONS,
    WAITING,
    Graph,
    add_edge,
    child_of,
    find_edge,
    lead_to,
    room_for_node,
)
from trellis.search.mcts.index import slot_of
from trellis.search.mcts.params import (
    ASKED,
    BATCHED_PATH,
    DEEP,
    OFF,
    PLAYED,
    REACHED_AT,
    TIE,
    Lanes,
    Lists,
    Params,
    Path,
    Scratch,
)
from trellis.search.mcts.playout import draw_move
from trellis.search.mcts.select_edge import BAD_SCORES, select_edge, select_next

# How a descent ended: at a new node; at one that stays a leaf; at a position of its own path.
NEW, OLD, REPEATED = 0, 1, 2
_GOES_ON = 3
_LEAF = -2  # instead of a move: the descent ends here


class Room(NamedTuple):
    """What a descent works on: the rules' tables, the graph, and room for the path."""

    tables: Tables
    graph: Graph
    params: Params
    path: Path
    lists: Lists
    lanes: Lanes
    scratch: Scratch
    rng: Random
    script: Moves
    scripted: int  # how many moves of the script there are
    recorded: bool  # whether the script is a whole game


@kernel(hot=True)
def ending_at(room: Room, node: int, depth: int) -> int:
    """Tell how the descent ends at this node, or that it goes on."""
    graph, params = room.graph, room.params
    record = graph.nodes[node]
    if record["player"] == NOBODY:
        return OLD
    if depth == params.longest:
        return TOO_LONG if params.promises_length else OLD
    if room.recorded and depth == room.scripted:
        return OLD  # the game stopped here
    if params.bounds != OFF and record["low"] == record["high"]:
        return OLD
    if params.leaves == ASKED and record["player"] >= 0 and not room.recorded:
        # A leaf is asked about before it has edges, and none is passed while it waits.
        if record["edges"] == 0 or record["flags"] & WAITING or depth == BATCHED_PATH - 1:
            return OLD
    if params.when_full == DRAKE and graph.index[node] >= graph.counters[ROOT_TURN] + 1:
        return OLD  # a forced leaf, until the game has passed what is in its way
    return _GOES_ON


@kernel(takes_rules=True, hot=True)
def open_node(
    calls: SearchCalls, room: Room, node: int, depth: int, recalled: bool
) -> tuple[int, bool]:  # fmt: skip
    """Count the moves of a node; return 0 or a failure, and whether its position is recalled."""
    nodes, scratch = room.graph.nodes, room.scratch
    unknown = nodes[node]["moves"] == 0
    if not recalled and (
        nodes[node]["edges"] < nodes[node]["moves"]
        or unknown
        or depth < room.scripted
        or nodes[node]["player"] == CHANCE
    ):
        recall_state(room.graph, room.params, node, scratch.state)
        recalled = True
    if unknown:
        count = calls.candidates(room.tables, scratch.state, scratch.buffer)
        if count < 1:
            return STUCK, recalled
        if count > len(scratch.buffer):
            return TOO_MANY, recalled
        nodes[node]["moves"] = count
    return 0, recalled


@kernel(takes_rules=True, hot=True)
def follow_script(calls: SearchCalls, room: Room, node: int, depth: int) -> tuple[int, int, float]:
    """Return the edge of the script's move, the move, and its probability at a chance node."""
    scratch = room.scratch
    move = np.int64(room.script[depth])
    edge = np.int64(find_edge(room.graph, node, move))
    probability = 0.0
    if room.graph.nodes[node]["player"] == CHANCE and edge == NONE:
        count = calls.moves(room.tables, scratch.state, scratch.buffer)
        calls.chances(room.tables, scratch.state, scratch.probabilities)
        for i in range(count):
            if scratch.buffer[i] == move:
                probability = scratch.probabilities[i]
    return edge, move, probability


@kernel(takes_rules=True, hot=True)
def draw_chance(calls: SearchCalls, room: Room, node: int) -> tuple[int, int, float]:
    """Draw an outcome; return its edge, the outcome, and its probability."""
    scratch = room.scratch
    count = calls.moves(room.tables, scratch.state, scratch.buffer)
    calls.chances(room.tables, scratch.state, scratch.probabilities)
    i = draw_outcome(room.rng, scratch.probabilities, count)
    move = np.int64(scratch.buffer[i])
    return np.int64(find_edge(room.graph, node, move)), move, scratch.probabilities[i]


@kernel(hot=True)
def first_play_urgency(room: Room, depth: int, untried: bool) -> tuple[int, float]:
    """Return the node whose statistics order untried moves, and the first play urgency.

    An untried move comes before every edge that scores less than that.
    """
    params = room.params
    order_source = (
        order_source_of(room.graph, params, room.path, depth) if untried else np.int64(NONE)
    )
    return order_source, np.inf if params.rave_order and order_source == NONE else params.fpu


@kernel(takes_rules=True, lean=True)
def draw_untried(calls: SearchCalls, room: Room, count: int) -> int:
    """Draw one of the untried moves in the buffer."""
    return draw_move(
        calls.acting, calls.moves, calls.play, calls.payoffs, room.tables, room.params,
        room.scratch, room.scratch.state, room.rng, room.scratch.buffer, count,
    )  # fmt: skip


@kernel(takes_rules=True, hot=True)
def choose_move(
    calls: SearchCalls, room: Room, node: int, depth: int, rave_source: int, alpha: float,
    beta: float,
) -> tuple[int, int]:  # fmt: skip
    """Return the best edge by selection, or NONE and an untried move, or that this is a leaf."""
    graph, params, scratch, rng = room.graph, room.params, room.scratch, room.rng
    record = graph.nodes[node]
    untried = record["edges"] < record["moves"]
    order_source, fpu = first_play_urgency(room, depth, untried)
    edge, score = np.int64(NONE), -np.inf
    if not untried or fpu != np.inf:
        chosen, score = select_edge(
            calls, graph, params, room.lanes, rng, node, rave_source, alpha, beta
        )
        edge = np.int64(chosen)
        if edge == BAD_SCORES:
            return np.int64(NONE), edge
    if untried and (edge == NONE or score < fpu - TIE):
        if params.when_full != DRAKE and not room_for_node(graph):
            graph.counters[FULL] += 1
            return np.int64(NONE), np.int64(_LEAF)
        count = calls.moves(room.tables, scratch.state, scratch.buffer)
        if count <= record["edges"]:  # another path has tried what is not a move on this one
            return np.int64(NONE), np.int64(_LEAF)
        if order_source != NONE:
            count = list_untried(graph, scratch, node, count)
            return np.int64(NONE), np.int64(
                most_promising(
                    graph, params, room.lanes.amaf, scratch.buffer, count, rng, order_source
                )
            )
        if not params.decisive:
            left = count - np.int64(record["edges"])
            return np.int64(NONE), np.int64(nth_untried(graph, scratch, node, below(rng, left)))
        count = list_untried(graph, scratch, node, count)
        return np.int64(NONE), np.int64(draw_untried(calls, room, count))
    # Without an edge every move is cut: nothing here can matter any more.
    return edge, np.int64(_LEAF if edge == NONE else NONE)


@kernel(takes_rules=True, lean=True)
def choose_allowed(
    calls: SearchCalls, room: Room, node: int, depth: int, rave_source: int, alpha: float,
    beta: float,
) -> tuple[int, int]:  # fmt: skip
    """Do as `choose_move` where a node stands for paths of which each forbids other moves."""
    graph, params, lanes, scratch, rng = (
        room.graph, room.params, room.lanes, room.scratch, room.rng,
    )  # fmt: skip
    left = np.int64(0)
    if graph.nodes[node]["edges"] < graph.nodes[node]["moves"]:
        # Those that this path allows, as the rules list them: most are known without a look.
        count = calls.moves(room.tables, scratch.state, scratch.buffer)
        left = np.int64(list_untried(graph, scratch, node, count))
    order_source, fpu = first_play_urgency(room, depth, left > 0)
    edge, score = np.int64(NONE), -np.inf
    if left == 0 or fpu != np.inf:
        chosen, score = select_edge(
            calls, graph, params, lanes, rng, node, rave_source, alpha, beta
        )
        edge = np.int64(chosen)
        if edge == BAD_SCORES:
            return np.int64(NONE), edge
        while edge != NONE and not calls.allowed(
            room.tables, scratch.state, np.int64(graph.links[edge]["move"]) & MOVE_MASK
        ):
            chosen, score = select_next(graph, lanes, rng, node, edge)
            edge = np.int64(chosen)
    if left > 0 and (edge == NONE or score < fpu - TIE):
        if not room_for_node(graph):
            graph.counters[FULL] += 1
            return np.int64(NONE), np.int64(_LEAF)
        if order_source != NONE:
            move = most_promising(
                graph, params, lanes.amaf, scratch.buffer, left, rng, order_source
            )
        else:
            move = draw_untried(calls, room, left)
        return np.int64(NONE), np.int64(move)
    return edge, np.int64(_LEAF if edge == NONE else NONE)


@kernel(takes_rules=True, hot=True)
def make_move(
    calls: SearchCalls, room: Room, node: int, edge: int, move: int, recalled: bool
) -> tuple[int, int, bool]:
    """Make a move: an edge's, or a new one.

    Returns where the edge leads (NONE for a new one), the move together with the symmetry that
    brings its position to the image kept by the graph, and whether the position is recalled.
    """
    graph, params, scratch, tables = room.graph, room.params, room.scratch, room.tables
    state = scratch.state
    child = np.int64(NONE)
    image = np.int64(0)
    if edge != NONE:
        code = np.int64(graph.links[edge]["move"])
        child = np.int64(child_of(graph, edge))
        image = code >> SYMMETRY_AT
        move = code & MOVE_MASK
        if child != NONE:  # its edges will be asked for next
            ahead = max(np.int64(0), np.int64(graph.nodes[child]["first"]))
            fetch(graph.edges, ahead)
            fetch(graph.links, ahead)
    if child != NONE and params.recall:
        recalled = False
    else:
        if not recalled:
            recall_state(graph, params, node, state)
            recalled = True
        calls.play(tables, state, move)
    if params.symmetries > 1:
        if edge == NONE or (child == NONE and params.prior_at != NONE):
            image = np.int64(
                to_canonical(calls.key, calls.transform, tables, params, scratch, state)
            )
        elif image != 0:
            calls.transform(tables, state, np.int64(scratch.images[image]), scratch.image)
            copy_words(scratch.image, state)
    return child, move | (image << SYMMETRY_AT), recalled


@kernel(takes_rules=True, hot=True)
def reach_child(
    calls: SearchCalls, room: Room, node: int, edge: int, code: int
) -> tuple[int, int, bool]:
    """Return the edge and the node of the position just reached, and whether the node is new.

    The node is NONE where there is no room: then the playout goes on from here and counts there.
    """
    graph, params, scratch = room.graph, room.params, room.scratch
    nodes, counters = graph.nodes, graph.counters
    found = edge != NONE
    hash_: Any = calls.key(room.tables, scratch.state)
    # The index is far away: ask for its place, and make the edge in the meantime.
    early = not found and params.when_full != DRAKE and room_for_node(graph)
    if early:
        fetch(graph.index, slot_of(hash_, counters[INDEX_SIZE]))
        edge = np.int64(add_edge(graph, node, code, params.extra_stride))
        if edge == NONE:
            counters[FULL] += 1
            return edge, np.int64(NONE), False
    turn = np.int64(nodes[node]["turn"]) + 1
    reached, fresh = reach_node(
        calls.acting, calls.payoffs, calls.bounds, room.tables, graph, params, scratch,
        scratch.state, turn, hash_,
    )  # fmt: skip
    child = np.int64(reached)
    if child < 0:
        if params.when_full == DRAKE:
            graph.index[node] = 1 + np.int64(nodes[-child - 2]["turn"])
        return edge, np.int64(NONE), False
    if not found and not early:
        edge = np.int64(add_edge(graph, node, code, params.extra_stride))
        if edge == NONE:  # a node without edges in is left for later
            counters[FULL] += 1
            return edge, np.int64(NONE), False
    if not params.hidden:
        if found:
            graph.links[edge]["move"] = code  # with the image that is known by now
        lead_to(graph, edge, child)
        if found:  # its node was overwritten: what it remembers happened at another
            graph.edges[edge]["target"] |= SHARED
    return edge, child, fresh


@kernel(hot=True)
def welcome_edge(room: Room, node: int, edge: int, probability: float, fresh: bool) -> None:
    """Put in what is known of a new edge, and what it proves."""
    graph, params = room.graph, room.params
    if graph.nodes[node]["player"] == CHANCE:
        graph.edges[edge]["sum"] = probability
    if not fresh:
        graph.counters[TRANSPOSITIONS] += 1
    if params.bounds != OFF:
        mark_bounded(graph, params, edge)
        if update_bounds(graph, params, node):
            propagate_bounds(graph, params, room.lists.work, node)


@kernel(takes_rules=True, hot=True)
def descend(calls: SearchCalls, room: Room, root: State) -> tuple[int, int]:
    """Go down from the root by selection until a new node, or one that stays a leaf.

    Writes the path into `room.path` and leaves its last position in `scratch.state`; returns how
    many edges the path has and how it ended, or a failure.
    """
    graph, params, path, scratch = room.graph, room.params, room.path, room.scratch
    nodes = graph.nodes
    copy_words(root, scratch.state)
    node = graph.counters[ROOT]
    depth = 0
    rave_source = node
    alpha, beta = -np.inf, np.inf
    recalled = True  # whether `scratch.state` is the position of `node`
    while True:
        path.nodes[depth] = node
        scratch.stamp[REACHED_AT] = depth
        if params.forgets and calls.acting(room.tables, scratch.state) == NOBODY:
            return depth, OLD  # over by what the key leaves out
        ended = ending_at(room, node, depth)
        if ended != _GOES_ON:
            return depth, ended
        failed, recalled = open_node(calls, room, node, depth, recalled)
        if failed != 0:
            return depth, failed

        player = np.int64(nodes[node]["player"])
        if player == CHANCE:
            alpha, beta = -np.inf, np.inf  # an average needs all that lies below
        elif params.bounds == DEEP:
            alpha = max(alpha, nodes[node]["low"])
            beta = min(beta, nodes[node]["high"])
        if player != CHANCE and np.int64(nodes[node]["visits"]) >= params.grave:
            rave_source = node

        probability = 0.0
        if depth < room.scripted:
            edge, move, probability = follow_script(calls, room, node, depth)
        elif player == CHANCE:
            edge, move, probability = draw_chance(calls, room, node)
        else:
            if params.forgets:
                edge, move = choose_allowed(calls, room, node, depth, rave_source, alpha, beta)
            else:
                edge, move = choose_move(calls, room, node, depth, rave_source, alpha, beta)
            if move <= _LEAF:
                return depth, OLD if move == _LEAF else move

        found = edge != NONE
        fresh = False
        child, code, recalled = make_move(calls, room, node, edge, move, recalled)
        news = not found
        if child == NONE:
            news |= params.prior_at != NONE and not params.hidden
            edge, child, fresh = reach_child(calls, room, node, edge, code)
            if child == NONE:
                return depth, OLD
        if news:
            welcome_edge(room, node, edge, probability, fresh)
        path.edges[depth] = edge
        depth += 1
        # Nobody is asked about a position where chance is to move: it moves first.
        goes_on = params.leaves != PLAYED and fresh and nodes[child]["player"] == CHANCE
        if fresh and not goes_on:
            path.nodes[depth] = child
            return depth, NEW
        if params.cyclic:
            nodes[node]["flags"] |= ON_PATH
            if nodes[child]["flags"] & ON_PATH:
                path.nodes[depth] = child
                graph.counters[REPEATS] += 1
                return depth, REPEATED
        node = child
