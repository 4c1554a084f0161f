"""A whole search by one call of a kernel: an empty graph, so many simulations, the best move.

What Python does around a search of a hundred simulations takes ten times as long as these do.
"""

from collections.abc import Callable

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import Moves, Random, Reals, State, Tables
from trellis.search.mcts import graph as g
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.choose import choose_edge, reaches_root
from trellis.search.mcts.expand import reach_node
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.leaf_batch import play_waiting
from trellis.search.mcts.params import OFF, Batch, Lanes, Lists, Params, Path, Scratch
from trellis.search.mcts.simulate import simulate


class Loop(Bundle):
    """The loop over simulations, as a value: another copy of its code would take long to make."""

    simulate: Callable[
        [
            SearchCalls, Tables, Graph, Params, Path, Lists, Lanes, Scratch, Batch, Random, State,
            Moves, int, Reals, bool, int,
        ],
        tuple[int, int],
    ]  # fmt: skip


LOOP = Loop(simulate)


@kernel(lean=True)
def empty_graph(graph: Graph) -> None:
    """Forget everything, at the cost of what was used: nodes and edges are written when taken.

    Not for the replacement `drake`, whose nodes are found by their places.
    """
    counters = graph.counters
    size, node_bits = counters[g.INDEX_SIZE], counters[g.NODE_BITS]
    for slot in range(size):
        graph.index[slot] = 0
    for length in range(len(graph.free)):
        graph.free[length] = g.NONE
    for i in range(g.COUNTERS):
        counters[i] = 0
    counters[g.FREE_NODE] = counters[g.ROOT] = g.NONE
    counters[g.INDEX_SIZE] = min(len(graph.index), g.FIRST_INDEX)
    counters[g.NODE_BITS] = node_bits


@kernel(lean=True)
def search_once(
    loop: Loop, calls: SearchCalls, tables: Tables, graph: Graph, params: Params, path: Path,
    lists: Lists, lanes: Lanes, scratch: Scratch, batch: Batch, rng: Random, root: State,
    script: Moves, given: Reals, count: int, rule: int, some_illegal: bool,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Search a position with an empty graph; return simulations, failure, best move, if it is sure.

    What stopped early without a failure has no best move yet: Python knows why, and goes on.
    `script` and `given` are room for what is not given here.
    """
    empty_graph(graph)
    if params.batch > 1:
        batch.lengths[params.batch] = 0  # somebody may have been told to stop while leaves waited
    key = calls.key
    node, _ = reach_node(
        calls.acting, calls.payoffs, calls.bounds, tables, graph, params, scratch, root, 0,
        key(tables, root),
    )  # fmt: skip
    graph.counters[g.ROOT] = node
    done, failed = loop.simulate(
        calls, tables, graph, params, path, lists, lanes, scratch, batch, rng, root, script, 0,
        given, False, count,
    )  # fmt: skip
    if failed != 0:
        return done, failed, g.NONE, False
    solved = params.bounds != OFF and graph.nodes[node]["low"] == graph.nodes[node]["high"]
    if done < count and not solved:
        return done, 0, g.NONE, False
    failed = play_waiting(calls.batch, tables, graph, params, path, batch, rng)
    if failed != 0:
        return done, failed, g.NONE, False
    legal = g.NONE
    if some_illegal:
        legal = to_int(calls.moves(tables, root, scratch.buffer))
    edge = choose_edge(graph, params, scratch, rng, node, rule, legal)
    if edge == g.NONE:
        return done, 0, g.NONE, False
    move = to_int(graph.links[edge]["move"]) & g.MOVE_MASK
    return done, 0, move, reaches_root(graph, params, node, edge)


@kernel(entry=True, lean=True, later=True)
def search_anew(
    loop: Loop, calls: SearchCalls, tables: Tables, graph: Graph, params: Params, path: Path,
    lists: Lists, lanes: Lanes, scratch: Scratch, batch: Batch, rng: Random, root: State,
    script: Moves, given: Reals, count: int, rule: int, some_illegal: bool,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Search a position, called from Python; see `search_once`."""
    return search_once(
        loop, calls, tables, graph, params, path, lists, lanes, scratch, batch, rng, root, script,
        given, count, rule, some_illegal,
    )  # fmt: skip
