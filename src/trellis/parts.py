"""Everything needed to write parts of a search, in one place: `from trellis.parts import …`.

`docs/doors.md` shows how to write a selection rule and a backup.
"""

from trellis._kernel.jit import kernel
from trellis.game.bits import below, uniform
from trellis.search.mcts.graph import Graph, child_of, edges_of
from trellis.search.mcts.own_backup import NodeBackup, backup, own_mean, own_visits
from trellis.search.mcts.params import Lanes, Params
from trellis.search.mcts.selection import (
    Selection,
    beta,
    edge_count,
    gamma,
    normal,
    parent_visits,
    prior_of,
    root_of_log,
    selection,
    variance_of,
)

__all__ = [
    "Graph", "Lanes", "NodeBackup", "Params", "Selection", "backup", "below", "beta", "child_of",
    "edge_count", "edges_of", "gamma", "kernel", "normal", "own_mean", "own_visits",
    "parent_visits", "prior_of", "root_of_log", "selection", "uniform", "variance_of",
]  # fmt: skip
