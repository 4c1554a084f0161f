"""Simulations: selection, expansion, playout, backpropagation, over and over, in one kernel.

A `script` of moves may be given: the descent follows it as far as it goes.  With payoffs besides,
the game was played elsewhere and nothing is drawn at random: that is how recorded games enter the
graph, by the same steps as simulated ones.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ZERO, mark_made
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import BAD_PAYOFFS, ENDLESS, random_playout
from trellis.game.rules import NOBODY, Moves, Random, Reals, State, Tables
from trellis.search.mcts.amaf import update_amaf
from trellis.search.mcts.backup import credit
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.descend import NEW, REPEATED, Room, descend
from trellis.search.mcts.expand import are_promised, recall_state
from trellis.search.mcts.graph import (
    BROKEN,
    COLLECT,
    COLLECT_AT,
    CROWDED,
    DEEPEST,
    ENDLESS_PLAYOUTS,
    FULL,
    NONE,
    ON_PATH,
    ROOT,
    SIMS,
    WAITING,
    Graph,
)
from trellis.search.mcts.leaf_batch import MIDDLE, add_virtual_loss, let_wait, play_waiting
from trellis.search.mcts.params import (
    ASKED,
    BATCHED_PATH,
    JUDGED,
    OFF,
    Batch,
    Lanes,
    Lists,
    Params,
    Path,
    Scratch,
)
from trellis.search.mcts.playout import careful_playout
from trellis.search.mcts.values import node_sum

ASK = 1  # instead of a failure: leaves wait, and somebody outside is to be asked about them


@kernel(takes_rules=True, lean=True)
def backpropagate(calls: SearchCalls, room: Room, length: int, ended: int) -> None:
    """Let the graph know what the playout in `path.values` came to."""
    graph, params, path, scratch = room.graph, room.params, room.path, room.scratch
    repeated = ended == REPEATED
    if not params.everywhere:
        credit(graph, params, path, length, repeated)
    if params.climbs:
        calls.backup(calls.worth, graph, params, path, room.lists, room.lanes, length, repeated)
    if params.amaf_at != NONE:
        update_amaf(graph, params, path, scratch, length)
    if params.cyclic:
        for i in range(length + 1):
            graph.nodes[path.nodes[i]]["flags"] &= ~ON_PATH
    graph.counters[SIMS] += 1
    graph.counters[DEEPEST] = max(graph.counters[DEEPEST], length)


@kernel(hot=True)
def take_recorded(room: Room, given: Reals, length: int) -> None:
    """Take the payoffs of a game that was played elsewhere, and its moves after the path."""
    params, scratch, script = room.params, room.scratch, room.script
    for player in range(params.players):
        scratch.out[player] = given[player]
    words = len(scratch.made) // params.players
    for i in range(length, room.scripted):  # what came later, for all-moves-as-first
        mover = np.int64(script[room.scripted + i])
        if params.amaf_at != NONE and mover >= 0:
            mark_made(scratch.made, mover * words, np.int64(script[i]))


@kernel(hot=True)
def take_proven(room: Room, leaf: int) -> None:
    """Take the proven value of a node instead of a playout."""
    params, low = room.params, room.graph.nodes[leaf]["low"]
    room.scratch.out[0] = low
    if params.players == 2:
        room.scratch.out[1] = params.least + params.greatest - low


@kernel(takes_rules=True, hot=True)
def play_out(calls: SearchCalls, room: Room) -> int:
    """Finish the game at random; return 0 or a failure.  A game without an end counts half."""
    params, scratch, tables, rng = room.params, room.scratch, room.tables, room.rng
    if params.marked_playout:
        plies = calls.marked_playout(
            tables, scratch.state, rng, scratch.buffer, scratch.made, scratch.out
        )
    elif params.decisive or params.amaf_at != NONE:
        plies = careful_playout(
            calls.acting, calls.moves, calls.play, calls.payoffs, calls.chances, tables, params,
            scratch, scratch.state, rng,
        )  # fmt: skip
    elif params.leaves == JUDGED and calls.acting(tables, scratch.state) >= 0:
        value = calls.evaluate(scratch.weights, tables, scratch.state)
        scratch.out[0] = value
        if params.players == 2:
            scratch.out[1] = params.least + params.greatest - value
        return 0
    elif params.own_playout:
        plies = calls.playout(tables, scratch.state, rng, scratch.buffer, scratch.out)
    else:
        plies = random_playout(
            calls.acting, calls.moves, calls.play, calls.payoffs, calls.chances, tables,
            scratch.state, rng, scratch.buffer, scratch.probabilities, scratch.out,
        )  # fmt: skip
    if plies == ENDLESS:
        room.graph.counters[ENDLESS_PLAYOUTS] += 1
        for player in range(params.players):
            scratch.out[player] = (params.least + params.greatest) * 0.5
        return 0
    return min(plies, 0)


@kernel(lean=True)
def take_mean(room: Room, leaf: int) -> None:
    """Take what a node is worth so far instead of a playout."""
    params, nodes = room.params, room.graph.nodes
    visits = max(np.float64(nodes[leaf]["visits"]), 1.0)
    for player in range(params.players):
        column = player if params.columns > 1 else 0
        mean = node_sum(room.graph, params, leaf, column) / visits
        mean = MIDDLE if nodes[leaf]["visits"] == 0 else mean
        mean = 1.0 - mean if params.columns == 1 and player == 1 else mean
        room.scratch.out[player] = params.least + mean / params.scale


@kernel(lean=True)
def forget_path(graph: Graph, path: Path, length: int) -> None:
    """Leave a descent that counts for nothing: nodes are on no path any more."""
    for i in range(length + 1):
        graph.nodes[path.nodes[i]]["flags"] &= ~ON_PATH


@kernel(takes_rules=True, lean=True)
def finish_leaves(calls: SearchCalls, room: Room, batch: Batch) -> int:
    """Have nothing wait any more: return 0, a failure, or that somebody is to be asked."""
    params = room.params
    if params.leaves == ASKED:
        return ASK if batch.lengths[params.batch] > 0 else 0
    return play_waiting(calls.batch, room.tables, room.graph, params, room.path, batch, room.rng)


@kernel(hot=True)
def should_collect(graph: Graph, params: Params) -> bool:
    """Tell whether garbage is due to be collected; nothing may wait then."""
    counters = graph.counters
    return (
        params.when_full == COLLECT
        and counters[FULL] > 0
        and counters[SIMS] >= counters[COLLECT_AT]
    )


@kernel(entry=True, lean=True)
def simulate(
    calls: SearchCalls, tables: Tables, graph: Graph, params: Params, path: Path, lists: Lists,
    lanes: Lanes, scratch: Scratch, batch: Batch, rng: Random, root: State,
    script: Moves, scripted: int, given: Reals, recorded: bool, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Run up to `count` simulations; return how many, and 0 or the code of what failed.

    It stops early when the root is solved, where garbage should be collected, where counts must be
    halved, and where it is told to; then the last simulation was given up half-way (`abandon` takes
    it back).  Leaves may still wait for their playouts: how many simulations are made in one call
    must not matter.
    """
    nodes, counters = graph.nodes, graph.counters
    room = Room(tables, graph, params, path, lists, lanes, scratch, rng, script, scripted, recorded)
    for done in range(count):
        if is_halted(rng):
            return done, HALTED
        start = counters[ROOT]
        solved = params.bounds != OFF and nodes[start]["low"] == nodes[start]["high"]
        if counters[CROWDED] != 0 or (solved and not recorded):
            return done, finish_leaves(calls, room, batch)

        # 1 and 2. Selection and expansion.
        length, ended = descend(calls, room, root)
        if ended < 0:
            return done, ended
        if counters[BROKEN] > 0:
            return done, BAD_PAYOFFS

        # 3. Playout, unless the position is an end, its value is known, or it was played already.
        if params.amaf_at != NONE:
            for word in range(len(scratch.made)):
                scratch.made[word] = ZERO
        leaf = np.int64(path.nodes[length])
        if ended != NEW:
            recall_state(graph, params, leaf, scratch.state)
        if recorded:
            take_recorded(room, given, length)
        elif (
            params.bounds != OFF and ended != REPEATED and nodes[leaf]["low"] == nodes[leaf]["high"]
        ):
            take_proven(room, leaf)
        elif params.leaves == ASKED and nodes[leaf]["player"] != NOBODY:
            if nodes[leaf]["flags"] & WAITING:  # the same leaf again: first hear what it is worth
                forget_path(graph, path, length)
                return done, ASK
            who = calls.acting(tables, scratch.state)
            if ended != REPEATED and who >= 0:
                let_wait(graph, params, path, scratch, batch, length)
                backpropagate(calls, room, length, ended)
                add_virtual_loss(graph, params, path, length)
                nodes[leaf]["flags"] |= WAITING
                size = min(params.batch, 1 + (counters[SIMS] >> 3))
                if batch.lengths[params.batch] >= size or should_collect(graph, params):
                    return done + 1, ASK
                continue
            if who == NOBODY:  # no room for the node of an end
                calls.payoffs(tables, scratch.state, scratch.out)
            else:
                take_mean(room, leaf)
        elif (
            params.batch > 1
            and length < BATCHED_PATH
            and ended != REPEATED
            and nodes[leaf]["player"] != NOBODY
        ):
            let_wait(graph, params, path, scratch, batch, length)
            backpropagate(calls, room, length, ended)
            add_virtual_loss(graph, params, path, length)
            # Small batches at first: a search that knows little should look before it goes on.
            size = min(params.batch, 1 + (counters[SIMS] >> 4))
            if batch.lengths[params.batch] >= size:
                failed = play_waiting(calls.batch, tables, graph, params, path, batch, rng)
                if failed != 0:
                    return done, failed
                if should_collect(graph, params):
                    return done + 1, 0
            continue
        else:
            failed = play_out(calls, room)
            if failed != 0:
                return done, failed
        if not recorded and not are_promised(params, scratch.out):
            return done, BAD_PAYOFFS
        for player in range(params.players):
            path.values[player] = (scratch.out[player] - params.least) * params.scale

        # 4. Backpropagation.
        backpropagate(calls, room, length, ended)
        if should_collect(graph, params):
            return done + 1, finish_leaves(calls, room, batch)
    return count, 0
