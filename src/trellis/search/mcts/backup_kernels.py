"""Backups as values, which searches call: those of `backup`, and one that asks the user's own.

A backup of the user's own says what a node is worth to who moves there, given what its edges lead
to; it is asked about every node of the path, from the leaf up.
"""

from collections.abc import Callable

import numpy as np

from trellis._kernel.annotations import numba_type
from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.search.mcts import graph as g
from trellis.search.mcts import values as v
from trellis.search.mcts.backup import (
    count_ahead,
    credit_ancestors,
    recompute_levels,
    recompute_node,
    update_levels,
)
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.params import INFINITE, Lanes, Lists, Params, Path

# worth(graph, params, node, edges) -> what a node is worth to who moves there, from 0 to 1
Worth = Callable[[Graph, Params, int, Lanes], float]
WORTH = numba_type(Worth).signature
# A backup as a value: what `backups.Backup.kernel` names.
Apply = Callable[[Worth, Graph, Params, Path, Lists, Lanes, int, bool], None]
APPLY = numba_type(Apply).signature

_ROUNDING = 1e-9  # what a function of the user's own may miss 0 and 1 by


# -- a backup of the user's own ----------------------------------------------------------------


@kernel(lean=True)
def lay_out_edges(graph: Graph, params: Params, lanes: Lanes, node: int) -> None:
    """Lay out what each edge leads to is worth to who moves, and how often it was taken."""
    first, end = g.edges_of(graph, node)
    flip = graph.nodes[node]["player"] != 0
    for edge in range(first, end):
        visits = np.float64(graph.edges[edge]["visits"])
        mean = v.adapted_mean(graph, params, edge, INFINITE, 0) if visits > 0.0 else 0.0
        lanes.means[edge - first] = 1.0 - mean if flip and visits > 0.0 else mean
        lanes.visits[edge - first] = visits


@kernel(takes_rules=True, lean=True)
def recompute_by(worth: Worth, graph: Graph, params: Params, lanes: Lanes, node: int) -> None:
    """Compute the sums of a node anew, its mean by a function of the user's own.

    Means are kept as sums, so what is written is the sum that comes to that mean.  Where chance
    moves, and where nothing was tried yet, the mean stays the mean.
    """
    recompute_node(graph, params, node)
    record = graph.nodes[node]
    if record["player"] < 0 or record["edges"] == 0:
        return
    lay_out_edges(graph, params, lanes, node)
    value = worth(graph, params, node, lanes)
    if not (value >= -_ROUNDING and value <= 1.0 + _ROUNDING):
        graph.counters[g.BAD_WORTHS] += 1
        return
    value = min(max(value, 0.0), 1.0)
    mean = value if record["player"] == 0 else 1.0 - value
    own = v.own_sum(graph, params, node, 0)
    graph.levels[v.mean_slot(params, node, INFINITE, 0)] = mean * record["visits"] - own


# -- backups as values ---------------------------------------------------------------------------


@kernel(APPLY)
def no_backup(
    worth: Worth, graph: Graph, params: Params, path: Path, lists: Lists, lanes: Lanes, length: int,
    repeated: bool,
) -> None:  # fmt: skip
    """Stand in for what is done after crediting the path, where that is all; never called."""
    lists.work[0] = 0


@kernel(WORTH)
def no_worth(graph: Graph, params: Params, node: int, edges: Lanes) -> float:
    """Stand in for a backup of the user's own; never called."""
    return 0.0


@kernel(APPLY, lean=True, later=True)
def credit_everywhere(
    worth: Worth, graph: Graph, params: Params, path: Path, lists: Lists, lanes: Lanes, length: int,
    repeated: bool,
) -> None:  # fmt: skip
    """Back up by `all`."""
    credit_ancestors(graph, params, path, lists, length, repeated)


@kernel(APPLY, lean=True, later=True)
def update_exactly(
    worth: Worth, graph: Graph, params: Params, path: Path, lists: Lists, lanes: Lanes, length: int,
    repeated: bool,
) -> None:  # fmt: skip
    """Back up by `exact`."""
    update_levels(graph, params, path, lists, length, repeated)


@kernel(APPLY, lean=True, later=True)
def recompute_path(
    worth: Worth, graph: Graph, params: Params, path: Path, lists: Lists, lanes: Lanes, length: int,
    repeated: bool,
) -> None:  # fmt: skip
    """Back up by `recompute`."""
    recompute_levels(graph, params, path, length, repeated)


@kernel(APPLY, lean=True, later=True)
def recompute_worth(
    worth: Worth, graph: Graph, params: Params, path: Path, lists: Lists, lanes: Lanes, length: int,
    repeated: bool,
) -> None:  # fmt: skip
    """Back up by a function of the user's own."""
    count_ahead(graph, params, path, length)
    for i in range(length - 1 if repeated else length, -1, -1):
        recompute_by(worth, graph, params, lanes, to_int(path.nodes[i]))
