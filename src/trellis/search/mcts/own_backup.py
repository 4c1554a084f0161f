"""Backups of the user's own: `Search(game, backup=my_backup)`.

A backup says what a node is worth to who moves there, from 0 to 1, given its edges:

    @trellis.kernel
    def most_visited(graph, params, node, edges):
        best = 0
        for i in range(edge_count(graph, node)):
            if edges.visits[i] > edges.visits[best]:
                best = i
        return edges.means[best]

`edges.means[i]` is what the position behind edge `i` is worth by the same backup, for who moves at
the node, and `edges.visits[i]` how many playouts went along the edge.  It is asked about every node
of a simulation's path, from the leaf up.  Where chance moves, and at a node from which nothing was
tried yet, the search takes the mean.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.errors import BrokenContract
from trellis.search.mcts.backup_kernels import WORTH, Worth
from trellis.search.mcts.graph import BAD_WORTHS, Graph
from trellis.search.mcts.own_parts import OwnPart
from trellis.search.mcts.params import Params
from trellis.search.mcts.values import own_sum


@dataclass(frozen=True)
class NodeBackup(OwnPart):
    """A backup of the user's own: a function decorated with `@trellis.kernel`."""

    kind: ClassVar[str] = "backup"
    call: ClassVar[str] = "backup(graph, params, node, edges), which returns a number"
    arguments: ClassVar[int] = 4
    signature: ClassVar[Any] = WORTH

    function: Worth
    name: str = field(default="")

    def __post_init__(self) -> None:
        self.name_it()


def backup(function: Callable[..., Any]) -> NodeBackup:
    """Compile a backup, and name it after the function."""
    return NodeBackup(cast("Worth", kernel(function)))


def refuse_bad_worths(graph: Graph, name: str) -> None:
    """Refuse to go on where a backup has said what no node can be worth."""
    if graph.counters[BAD_WORTHS]:
        raise BrokenContract(
            f"backup {name} said that a node is worth something else than a number from 0 to 1: "
            "trellis check --backup says more"
        )


# -- what backups ask of the graph ----------------------------------------------------------------


@kernel(hot=True)
def own_visits(graph: Graph, node: int) -> float:
    """Return how many playouts began at a node: one, mostly, when the node was new."""
    return np.float64(graph.nodes[node]["own"])


@kernel(hot=True)
def own_mean(graph: Graph, params: Params, node: int) -> float:
    """Return what the playouts that began at a node came to for who moves there; 0 of none."""
    own = np.float64(graph.nodes[node]["own"])
    mean = own_sum(graph, params, node, 0) / max(own, 1.0)
    return 1.0 - mean if graph.nodes[node]["player"] != 0 and own > 0.0 else mean
