"""The ways from Python into the kernels of the search, besides `simulate`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import (
    BATCH,
    CALLS,
    I32,
    TABLES,
    TRANSFORM,
    U64,
    Calls,
    Moves,
    Random,
    Reals,
    State,
    Tables,
)
from trellis.search.mcts.backup import refresh_node
from trellis.search.mcts.expand import reach_node, to_canonical
from trellis.search.mcts.graph import GRAPH, NONE, Graph, child_of, drop_node, edges_of
from trellis.search.mcts.index import find_slot, node_at
from trellis.search.mcts.leaf_batch import play_waiting
from trellis.search.mcts.params import (
    BATCH_OF_LEAVES,
    PARAMS,
    PATH,
    SCRATCH,
    Batch,
    Params,
    Path,
    Scratch,
)
from trellis.search.mcts.select import edge_mean
from trellis.search.mcts.values import adapted_count


@kernel(TRANSFORM)
def no_transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Stand in for the symmetries of a game that has none; never called."""
    out[0] = state[0]


@kernel(BATCH)
def no_batch(tables: Tables, states: State, count: int, rng: Random, out: Reals) -> int:
    """Stand in for the batches of a game that plays one position at a time; never called."""
    return -1


@kernel(
    nt.Tuple((nt.int64, nt.boolean))(
        CALLS, TABLES, GRAPH, PARAMS, SCRATCH, U64, nt.int64,
    ),
    lean=True,
)  # fmt: skip
def reach_root(
    calls: Calls, tables: Tables, graph: Graph, params: Params, scratch: Scratch, state: State,
    turn: int,
) -> tuple[int, bool]:  # fmt: skip
    """Return the node of the root's position and whether it is new; see `reach_node`."""
    key = calls.key
    return reach_node(
        calls.acting, calls.payoffs, calls.bounds, tables, graph, params, scratch, state, turn,
        key(tables, state),
    )  # fmt: skip


@kernel(nt.int64(CALLS, TABLES, PARAMS, SCRATCH, U64), lean=True, later=True)
def canonical_root(
    calls: Calls, tables: Tables, params: Params, scratch: Scratch, state: State
) -> int:
    """Replace a position by the image all its images share; return which one that was."""
    return to_canonical(calls.key, calls.transform, tables, params, scratch, state)


@kernel(nt.int64(CALLS, TABLES, GRAPH, PARAMS, PATH, BATCH_OF_LEAVES, U64), lean=True, later=True)
def finish_waiting(
    calls: Calls,
    tables: Tables,
    graph: Graph,
    params: Params,
    path: Path,
    batch: Batch,
    rng: Random,
) -> int:
    """Play out the leaves that wait; return 0 or a failure."""
    return play_waiting(calls.batch, tables, graph, params, path, batch, rng)


@lru_cache(maxsize=64)
def bundled(*functions: Callable[..., Any]) -> Calls:
    """Return the functions of a game as one bundle; looking their addresses up takes a while."""
    return Calls(*functions)


@kernel(nt.void(GRAPH, PARAMS, nt.int64, nt.float64[:, ::1]), lean=True)
def adapted_values(graph: Graph, params: Params, node: int, out: Reals) -> None:
    """Write µ_d1 and n_d3 of a node's edges to the two rows of `out`, for who moves there.

    Edges without visits or without a child have nothing to adapt; their places are left alone.
    """
    mover = np.int64(graph.nodes[node]["player"])
    first, end = edges_of(graph, node)
    for edge in range(first, end):
        if graph.edges[edge]["visits"] > 0 and child_of(graph, edge) != NONE:
            out[0, edge - first] = edge_mean(graph, params, edge, mover)
            out[1, edge - first] = adapted_count(graph, params, edge, params.d3)


@kernel(nt.void(GRAPH, PARAMS, I32), lean=True, later=True)
def refresh_nodes(graph: Graph, params: Params, nodes: Moves) -> None:
    """Compute the sums of many nodes anew, in the order given: children before parents."""
    for i in range(len(nodes)):
        refresh_node(graph, params, np.int64(nodes[i]))


@kernel(nt.int64(GRAPH, nt.uint64), lean=True, later=True)
def node_of_key(graph: Graph, key: Any) -> int:
    """Return the node of a key, or NONE; for views, which hide words and share keys on purpose."""
    return node_at(graph, find_slot(graph, key))


@kernel(nt.void(GRAPH, nt.int64), lean=True, later=True)
def forget_node(graph: Graph, node: int) -> None:
    """Drop a node that is in the root's way."""
    drop_node(graph, node)
