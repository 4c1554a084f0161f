"""Simulations: selection, expansion, playout, backpropagation, over and over, in one kernel.

A `script` of moves may be given: the descent follows it as far as it goes.  With payoffs besides,
the game was played elsewhere and nothing is drawn at random: that is how recorded games enter the
graph, by the same steps as simulated ones.
"""

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis._kernel.prefetch import fetch
from trellis.game.bits import below, copy_words
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import (
    BAD_PAYOFFS,
    ENDLESS,
    STUCK,
    TOO_LONG,
    TOO_MANY,
    draw_outcome,
    random_playout,
)
from trellis.game.rules import (
    CALLS,
    CHANCE,
    F64,
    I32,
    NOBODY,
    TABLES,
    U64,
    Calls,
    Moves,
    Random,
    Reals,
    State,
    Tables,
)
from trellis.search.mcts.backup import credit, credit_ancestors, refresh_levels, update_levels
from trellis.search.mcts.bounds import mark_bounded, propagate_bounds, update_bounds
from trellis.search.mcts.expand import (
    are_promised,
    list_untried,
    nth_untried,
    reach_node,
    recall_state,
    to_canonical,
)
from trellis.search.mcts.graph import (
    BROKEN,
    COLLECT,
    COLLECT_AT,
    CROWDED,
    DEEPEST,
    DRAKE,
    ENDLESS_PLAYOUTS,
    FULL,
    GRAPH,
    INDEX_SIZE,
    MOVE_MASK,
    NONE,
    ON_PATH,
    REPEATS,
    ROOT,
    ROOT_TURN,
    SHARED,
    SIMS,
    SYMMETRY_AT,
    TRANSPOSITIONS,
    Graph,
    add_edge,
    child_of,
    edges_of,
    find_edge,
    lead_to,
    room_for_node,
)
from trellis.search.mcts.index import (
    slot_of,
)
from trellis.search.mcts.leaf_batch import add_virtual_loss, let_wait, play_waiting
from trellis.search.mcts.params import (
    ALL,
    BATCH_OF_LEAVES,
    BATCHED_PATH,
    DEEP,
    EXACT,
    LANES,
    LISTS,
    OFF,
    PARAMS,
    PATH,
    REACHED_AT,
    RECOMPUTE,
    SCRATCH,
    TIE,
    Batch,
    Lanes,
    Lists,
    Params,
    Path,
    Scratch,
)
from trellis.search.mcts.playout import careful_playout, draw_move
from trellis.search.mcts.select import select_edge

# how a descent ended
NEW, OLD, REPEATED = 0, 1, 2  # at a new node; at one that stays a leaf; at a position of its path


@kernel(takes_rules=True, hot=True)
def descend(
    acting: object, moves: object, play: object, payoffs: object, key: object, chances: object,
    transform: object, bounds: object, tables: Tables, graph: Graph, params: Params, path: Path,
    lists: Lists, lanes: Lanes, scratch: Scratch, rng: Random, root: State, script: Moves,
    scripted: int, recorded: bool,
) -> tuple[int, int]:  # fmt: skip
    """Go down from the root by selection until a new node, or one that stays a leaf.

    Writes the path into the scratch and leaves its last position in `scratch.state`; returns how
    many edges the path has and how it ended, or a failure.
    """
    nodes, edges, counters = graph.nodes, graph.edges, graph.counters
    state, buffer = scratch.state, scratch.buffer
    copy_words(root, state)
    node = counters[ROOT]
    depth = 0
    rave_source = node
    alpha, beta = -np.inf, np.inf
    recalled = True  # whether `state` is the position of `node`
    while True:
        path.nodes[depth] = node
        scratch.stamp[REACHED_AT] = depth
        player = np.int64(nodes[node]["player"])
        if player == NOBODY:
            return depth, OLD
        if depth == params.longest:
            return depth, TOO_LONG if params.promises_length else OLD
        if recorded and depth == scripted:
            return depth, OLD  # the game stopped here
        if params.bounds != OFF and nodes[node]["low"] == nodes[node]["high"]:
            return depth, OLD
        if params.when_full == DRAKE and graph.index[node] >= counters[ROOT_TURN] + 1:
            return depth, OLD  # a forced leaf, until the game has passed what is in its way
        if not recalled and (
            nodes[node]["edges"] < nodes[node]["moves"]
            or nodes[node]["moves"] == 0
            or depth < scripted
            or player == CHANCE
        ):
            recall_state(graph, params, node, state)
            recalled = True
        if nodes[node]["moves"] == 0:
            count = moves(tables, state, buffer)
            if count < 1:
                return depth, STUCK
            if count > len(buffer):
                return depth, TOO_MANY
            nodes[node]["moves"] = count
        if player == CHANCE:
            alpha, beta = -np.inf, np.inf  # an average needs all that lies below
        elif params.bounds == DEEP:
            alpha = max(alpha, nodes[node]["low"])
            beta = min(beta, nodes[node]["high"])
        if player != CHANCE and np.int64(nodes[node]["visits"]) >= params.grave:
            rave_source = node

        # Selection: the script's move, chance's draw, a move not tried, the most urgent edge.
        edge = np.int64(NONE)
        move = np.int64(NONE)
        share = 0.0
        if depth < scripted:
            move = np.int64(script[depth])
            edge = np.int64(find_edge(graph, node, move))
            if player == CHANCE and edge == NONE:
                count = moves(tables, state, buffer)
                chances(tables, state, scratch.shares)
                for i in range(count):
                    if buffer[i] == move:
                        share = scratch.shares[i]
        elif player == CHANCE:
            count = moves(tables, state, buffer)
            chances(tables, state, scratch.shares)
            i = draw_outcome(rng, scratch.shares, count)
            move, share = np.int64(buffer[i]), scratch.shares[i]
            edge = np.int64(find_edge(graph, node, move))
        else:
            untried = nodes[node]["edges"] < nodes[node]["moves"]
            score = -np.inf
            if not untried or params.fpu != np.inf:
                chosen, score = select_edge(
                    graph, params, lanes, rng, node, rave_source, alpha, beta
                )
                edge = np.int64(chosen)
            if untried and (edge == NONE or score < params.fpu - TIE):
                if params.when_full != DRAKE and not room_for_node(graph):
                    counters[FULL] += 1
                    return depth, OLD
                edge = np.int64(NONE)
                count = moves(tables, state, buffer)
                left = count - np.int64(nodes[node]["edges"])
                if not params.decisive:
                    move = np.int64(nth_untried(graph, scratch, node, below(rng, left)))
                else:
                    count = list_untried(graph, scratch, node, count)
                    move = np.int64(
                        draw_move(
                            acting, moves, play, payoffs, tables, params, scratch, state, rng,
                            buffer, count,
                        )
                    )  # fmt: skip
            elif edge == NONE:
                return depth, OLD  # every move is cut: nothing here can matter any more

        # Expansion: an edge for a new move, a node for a new position.
        found = edge != NONE
        child = np.int64(NONE)
        fresh = False
        image = np.int64(0)
        if found:
            move = np.int64(graph.links[edge]["move"])
            child = child_of(graph, edge)
            image = move >> SYMMETRY_AT
            move &= MOVE_MASK
            if child != NONE:  # its edges will be asked for next
                ahead = max(np.int64(0), np.int64(nodes[child]["first"]))
                fetch(edges, ahead)
                fetch(graph.links, ahead)
        if child != NONE and params.recall:
            recalled = False
        else:
            if not recalled:
                recall_state(graph, params, node, state)
                recalled = True
            play(tables, state, move)
        if params.symmetries > 1:
            if not found:
                image = np.int64(to_canonical(key, transform, tables, params, scratch, state))
            elif image != 0:
                transform(tables, state, np.int64(scratch.images[image]), scratch.image)
                copy_words(scratch.image, state)
        if child == NONE:
            hash_ = key(tables, state)
            code = move | (image << SYMMETRY_AT)
            # The index is far away: ask for its place, and make the edge in the meantime.
            early = not found and params.when_full != DRAKE and room_for_node(graph)
            if early:
                fetch(graph.index, slot_of(hash_, counters[INDEX_SIZE]))
                edge = np.int64(add_edge(graph, node, code, params.extra_stride))
                if edge == NONE:
                    counters[FULL] += 1
                    return depth, OLD
            turn = np.int64(nodes[node]["turn"]) + 1
            reached, fresh = reach_node(
                acting, payoffs, bounds, tables, graph, params, scratch, state, turn, hash_
            )
            child = np.int64(reached)
            if child < 0:
                if params.when_full == DRAKE:
                    graph.index[node] = 1 + np.int64(nodes[-child - 2]["turn"])
                return depth, OLD  # no room: the playout goes on from here and counts there
            if not found and not early:
                edge = np.int64(add_edge(graph, node, code, params.extra_stride))
                if edge == NONE:  # a node without edges in is left for later
                    counters[FULL] += 1
                    return depth, OLD
            if not params.hidden:
                lead_to(graph, edge, child)
                if found:  # its node was overwritten: what it remembers happened at another
                    edges[edge]["target"] |= SHARED
        if not found:
            if player == CHANCE:
                edges[edge]["sum"] = share
            if not fresh:
                counters[TRANSPOSITIONS] += 1
            if params.bounds != OFF:
                mark_bounded(graph, params, edge)
                if update_bounds(graph, params, node):
                    propagate_bounds(graph, params, lists.work, node)
        path.edges[depth] = edge
        depth += 1
        if fresh:
            path.nodes[depth] = child
            return depth, NEW
        if params.cyclic:
            nodes[node]["flags"] |= ON_PATH
            if nodes[child]["flags"] & ON_PATH:
                path.nodes[depth] = child
                counters[REPEATS] += 1
                return depth, REPEATED
        node = child


@kernel(lean=True)
def update_amaf(
    graph: Graph, params: Params, path: Path, scratch: Scratch, length: int, codes: int
) -> None:
    """Count the playout at every move of the path's nodes that was made from there on."""
    nodes, played = graph.nodes, scratch.played
    stamp = scratch.stamp[0]
    for i in range(length - 1, -1, -1):
        node = np.int64(path.nodes[i])
        player = np.int64(nodes[node]["player"])
        if player < 0:
            continue
        move = np.int64(graph.links[path.edges[i]]["move"]) & MOVE_MASK
        played[player * codes + move] = stamp
        first, end = edges_of(graph, node)
        for edge in range(first, end):
            move = np.int64(graph.links[edge]["move"]) & MOVE_MASK
            if played[player * codes + move] == stamp:
                at = edge * params.extra_stride + params.amaf_at
                graph.extras[at] += 1.0
                graph.extras[at + 1] += path.values[player]
            if params.amaf_other_at != NONE and played[(1 - player) * codes + move] == stamp:
                at = edge * params.extra_stride + params.amaf_other_at
                graph.extras[at] += 1.0
                graph.extras[at + 1] += path.values[1 - player]


@kernel(lean=True)
def backpropagate(
    graph: Graph, params: Params, path: Path, lists: Lists, scratch: Scratch, length: int,
    ended: int, codes: int,
) -> None:  # fmt: skip
    """Let the graph know what the playout in `path.values` came to."""
    repeated = ended == REPEATED
    if params.backup == ALL:
        credit_ancestors(graph, params, path, lists, length, repeated)
    else:
        credit(graph, params, path, length, repeated)
        if params.backup == EXACT:
            update_levels(graph, params, path, lists, length, repeated)
        elif params.backup == RECOMPUTE:
            refresh_levels(graph, params, path, length, repeated)
    if params.amaf_at != NONE:
        update_amaf(graph, params, path, scratch, length, codes)
    if params.cyclic:
        for i in range(length + 1):
            graph.nodes[path.nodes[i]]["flags"] &= ~ON_PATH
    graph.counters[SIMS] += 1
    graph.counters[DEEPEST] = max(graph.counters[DEEPEST], length)


@kernel(
    nt.UniTuple(nt.int64, 2)(
        CALLS, TABLES, GRAPH, PARAMS, PATH, LISTS, LANES, SCRATCH, BATCH_OF_LEAVES, U64, U64, I32,
        nt.int64, F64, nt.boolean, nt.int64,
    ),
    lean=True,
)  # fmt: skip
def simulate(
    calls: Calls, tables: Tables, graph: Graph, params: Params, path: Path, lists: Lists,
    lanes: Lanes, scratch: Scratch, batch: Batch, rng: Random, root: State,
    script: Moves, scripted: int, given: Reals, recorded: bool, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Run up to `count` simulations; return how many, and 0 or the code of what failed.

    It stops early when the root is solved, where garbage should be collected, where counts must be
    halved, and where it is told to; then the last simulation was given up half-way (`abandon` takes
    it back).  Leaves may still wait for their playouts: how many simulations are made in one call
    must not matter.
    """
    playout = calls.playout
    nodes, counters = graph.nodes, graph.counters
    codes = len(scratch.tried)
    careful = params.decisive or params.amaf_at != NONE
    players = params.players
    for done in range(count):
        if is_halted(rng):
            return done, HALTED
        start = counters[ROOT]
        if counters[CROWDED] != 0:
            return done, play_waiting(calls.batch, tables, graph, params, path, batch, rng)
        if params.bounds != OFF and nodes[start]["low"] == nodes[start]["high"] and not recorded:
            return done, play_waiting(calls.batch, tables, graph, params, path, batch, rng)

        # 1 and 2. Selection and expansion.
        length, ended = descend(
            calls.acting, calls.moves, calls.play, calls.payoffs, calls.key, calls.chances,
            calls.transform, calls.bounds, tables, graph, params, path, lists, lanes, scratch,
            rng, root, script, scripted, recorded,
        )  # fmt: skip
        if ended < 0:
            return done, ended
        if counters[BROKEN] > 0:
            return done, BAD_PAYOFFS

        # 3. Playout, unless the position is an end, its value is known, or it was played already.
        scratch.stamp[0] += 1
        leaf = np.int64(path.nodes[length])
        if ended != NEW:
            recall_state(graph, params, leaf, scratch.state)
        solved = (
            params.bounds != OFF and ended != REPEATED and nodes[leaf]["low"] == nodes[leaf]["high"]
        )
        if recorded:
            for player in range(players):
                scratch.out[player] = given[player]
            for i in range(length, scripted):  # what came later, for all-moves-as-first
                if params.amaf_at != NONE and script[scripted + i] >= 0:
                    scratch.played[np.int64(script[scripted + i]) * codes + script[i]] = (
                        scratch.stamp[0]
                    )
        elif solved:
            scratch.out[0] = nodes[leaf]["low"]
            if players == 2:
                scratch.out[1] = params.least + params.greatest - nodes[leaf]["low"]
        elif (
            params.batch > 1
            and length < BATCHED_PATH
            and ended != REPEATED
            and nodes[leaf]["player"] != NOBODY
        ):
            let_wait(graph, params, path, scratch, batch, length)
            backpropagate(graph, params, path, lists, scratch, length, ended, codes)
            add_virtual_loss(graph, path, length)
            # Small batches at first: a search that knows little should look before it goes on.
            size = min(params.batch, 1 + (counters[SIMS] >> 4))
            if batch.lengths[params.batch] >= size:
                failed = play_waiting(calls.batch, tables, graph, params, path, batch, rng)
                if failed != 0:
                    return done, failed
            continue
        else:
            if careful:
                plies = careful_playout(
                    calls.acting, calls.moves, calls.play, calls.payoffs, calls.chances, tables,
                    params, scratch, scratch.state, rng, codes,
                )  # fmt: skip
            elif params.own_playout:
                plies = playout(tables, scratch.state, rng, scratch.buffer, scratch.out)
            else:
                plies = random_playout(
                    calls.acting, calls.moves, calls.play, calls.payoffs, calls.chances, tables,
                    scratch.state, rng, scratch.buffer, scratch.shares, scratch.out,
                )  # fmt: skip
            if plies == ENDLESS:
                counters[ENDLESS_PLAYOUTS] += 1
                for player in range(players):
                    scratch.out[player] = (params.least + params.greatest) * 0.5
            elif plies < 0:
                return done, plies
        if not recorded and not are_promised(params, scratch.out):
            return done, BAD_PAYOFFS
        for player in range(players):
            path.values[player] = (scratch.out[player] - params.least) * params.scale

        # 4. Backpropagation.
        backpropagate(graph, params, path, lists, scratch, length, ended, codes)
        if (
            params.when_full == COLLECT
            and counters[FULL] > 0
            and counters[SIMS] >= counters[COLLECT_AT]
        ):
            return done + 1, play_waiting(calls.batch, tables, graph, params, path, batch, rng)
    return count, 0
