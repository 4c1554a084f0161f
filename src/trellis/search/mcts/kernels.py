"""The ways from Python into the kernels of the search, besides `simulate`."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import Moves, Random, Reals, State, Tables
from trellis.search.mcts.backup import recompute_node
from trellis.search.mcts.backup_kernels import recompute_by
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.expand import reach_node, to_canonical
from trellis.search.mcts.graph import NONE, Graph, child_of, drop_node, edges_of
from trellis.search.mcts.index import find_slot, node_at
from trellis.search.mcts.leaf_batch import play_waiting
from trellis.search.mcts.params import Batch, Lanes, Params, Path, Scratch
from trellis.search.mcts.select import edge_mean
from trellis.search.mcts.values import adapted_count


@kernel(entry=True, lean=True)
def reach_root(
    calls: SearchCalls, tables: Tables, graph: Graph, params: Params, scratch: Scratch,
    state: State, turn: int,
) -> tuple[int, bool]:  # fmt: skip
    """Return the node of the root's position and whether it is new; see `reach_node`."""
    key = calls.key
    return reach_node(
        calls.acting, calls.payoffs, calls.bounds, tables, graph, params, scratch, state, turn,
        key(tables, state),
    )  # fmt: skip


@kernel(entry=True, lean=True, later=True)
def canonical_root(
    calls: SearchCalls, tables: Tables, params: Params, scratch: Scratch, state: State
) -> int:
    """Replace a position by the image all its images share; return which one that was."""
    return to_canonical(calls.key, calls.transform, tables, params, scratch, state)


@kernel(entry=True, lean=True, later=True)
def finish_waiting(
    calls: SearchCalls, tables: Tables, graph: Graph, params: Params, path: Path, batch: Batch,
    rng: Random,
) -> int:  # fmt: skip
    """Play out the leaves that wait; return 0 or a failure."""
    return play_waiting(calls.batch, tables, graph, params, path, batch, rng)


@kernel(entry=True, lean=True)
def adapted_values(graph: Graph, params: Params, node: int, out: Reals) -> None:
    """Write µ_d1 of each edge of a node to `out`, then n_d3 of each, for who moves there.

    Edges without visits or without a child have nothing to adapt; their places are left alone.
    """
    mover = np.int64(graph.nodes[node]["player"])
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        if graph.edges[edge]["visits"] > 0 and child_of(graph, edge) != NONE:
            out[edge - first] = edge_mean(graph, params, edge, mover)
            out[end - first + edge - first] = adapted_count(graph, params, edge, params.d3)


@kernel(entry=True, lean=True, later=True)
def recompute_nodes(
    calls: SearchCalls, graph: Graph, params: Params, lanes: Lanes, nodes: Moves
) -> None:
    """Compute the sums of many nodes anew, in the order given: children before parents."""
    for i in range(len(nodes)):
        if params.own_worth:
            recompute_by(calls.worth, graph, params, lanes, np.int64(nodes[i]))
        else:
            recompute_node(graph, params, np.int64(nodes[i]))


@kernel(entry=True, lean=True, later=True)
def node_of_key(graph: Graph, params: Params, scratch: Scratch, key: np.uint64) -> int:
    """Return the node of a view, or NONE: such games have no proofs, so its key is all it has."""
    return node_at(graph, find_slot(graph, params, scratch, key, scratch.state))


@kernel(entry=True, lean=True, later=True)
def forget_node(graph: Graph, node: int) -> None:
    """Drop a node that is in the root's way."""
    drop_node(graph, node)
