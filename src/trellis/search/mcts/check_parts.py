"""Whether a part of the user's own keeps what such parts promise, tried on nodes of searches.

>>> import trellis
>>> from trellis.parts import Selection, selection
>>> @trellis.kernel
... def greedy(graph, params, node, edges, rng):
...     for i in range(graph.nodes[node]["edges"]):
...         edges.scores[i] = edges.means[i]
>>> check_rule(greedy, trellis.load("tic_tac_toe"), sims=50) > 0
True
"""

import contextlib
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from trellis._kernel.jit import plain
from trellis.game.errors import BadParameter, BrokenContract
from trellis.game.game import Game, Position
from trellis.search.mcts import graph as g
from trellis.search.mcts.backup_kernels import lay_out_edges
from trellis.search.mcts.engine import Search
from trellis.search.mcts.own_backup import NodeBackup
from trellis.search.mcts.selection import Selection

_MOST_NODES = 200  # looked at in each search
_SLACK = 1e-9


def check_rule(rule: Any, start: Game | Position | str, sims: int = 500, seed: int = 0) -> int:
    """Search with a rule, and ask it about the nodes; return how many were looked at.

    What is wrong raises `BrokenContract`: a score that is left out, is not a number or belongs to
    no edge; scores that differ when the same is asked again; anything that the rule has written
    elsewhere; and, since the kernel and its Python source must agree, scores that Python computes
    differently.
    """
    own = Selection.of(rule)
    if own is None:
        raise BadParameter(f"{rule} is built in: expected a selection rule of your own")
    return _look_at_nodes(Search(start, select=own, seed=seed, memory=16), _check_scores, sims)


def check_backup(backup: Any, start: Game | Position | str, sims: int = 500, seed: int = 0) -> int:
    """Search with a backup, and ask it about the nodes; return how many were looked at.

    What is wrong raises `BrokenContract`: a worth that is not a number from 0 to 1, or differs when
    the same is asked again; anything that the backup has written; and, since the kernel and its
    Python source must agree, a worth that Python computes differently.
    """
    own = NodeBackup.of(backup)
    if own is None:
        raise BadParameter(f"{backup} is built in: expected a backup of your own")
    search = Search(start, backup=own, seed=seed, memory=16)
    with contextlib.suppress(BrokenContract):  # the nodes say more
        search.simulate(sims)
    return _look_at_nodes(search, _check_worth, 0)


def _look_at_nodes(search: Search, look: Callable[[Search, int], None], sims: int) -> int:
    search.simulate(sims)
    looked_at = 0
    for node in range(int(search.graph.counters[g.NODES])):
        record = search.graph.nodes[node]
        if record["player"] >= 0 and record["edges"] > 0 and looked_at < _MOST_NODES:
            look(search, node)
            looked_at += 1
    if not looked_at:
        raise BadParameter("nobody chooses in this position: expected one where moves differ")
    return looked_at


def _check_worth(search: Search, node: int) -> None:
    lanes, graph, size = search.lanes, search.graph, int(search.graph.nodes[node]["edges"])
    function: Any = search.calls.worth
    plain(lay_out_edges)(graph, search.record, lanes, node)
    means, counts = lanes.means[:size].copy(), lanes.visits[:size].copy()
    where = f"backup {search.backup.name}, at a node with {size} edges"
    before = _hash(search)
    with np.errstate(all="ignore"):
        worth = function(graph, search.record, node, lanes)
        again = function(graph, search.record, node, lanes)
    if not -_SLACK <= worth <= 1 + _SLACK:
        raise BrokenContract(f"{where}: it says {worth:g}; expected a number from 0 to 1")
    _refuse_writing(search, where, before, means, counts)
    if worth != again:
        raise BrokenContract(f"{where}: asked the same again, it says {again:g}, not {worth:g}")
    with np.errstate(all="ignore"):
        twin = plain(function)(graph, search.record, node, lanes)
    if not abs(worth - twin) <= _SLACK:
        raise BrokenContract(f"{where}: Python says {twin:g}, the kernel {worth:g}")


def _refuse_writing(search: Search, where: str, before: str, means: Any, counts: Any) -> None:
    """Refuse a part that has written to what it was only to read."""
    lanes, size = search.lanes, len(means)
    if not np.allclose(lanes.means[:size], means) or not np.allclose(lanes.visits[:size], counts):
        raise BrokenContract(f"{where}: it changes means or visits")
    if _hash(search) != before:
        raise BrokenContract(f"{where}: it changes the graph")


def _check_scores(search: Search, node: int) -> None:
    lanes, graph = search.lanes, search.graph
    first, size = int(graph.nodes[node]["first"]), int(graph.nodes[node]["edges"])
    if (graph.edges["visits"][first : first + size] == 0).any():
        return  # the search tries those first, whatever a rule says
    means, counts = search.adapted(node)
    lanes.means[:size], lanes.visits[:size] = means, counts
    lanes.roots[:size] = 1.0 / np.sqrt(counts)
    kernel: Any = search.calls.select
    before = _hash(search)

    def ask(function: Any) -> Any:
        lanes.scores[: size + 1] = np.nan
        rng = np.array([1234567, 0], np.uint64)
        with np.errstate(all="ignore"):
            function(graph, search.record, node, lanes, rng)
        return lanes.scores[: size + 1].copy()

    scores, again = ask(kernel), ask(kernel)
    where = f"selection rule {getattr(search.rule, 'name', '')}, at a node with {size} edges"
    if np.isnan(scores[:size]).any():
        at = int(np.flatnonzero(np.isnan(scores[:size]))[0])
        raise BrokenContract(
            f"{where}: the score of edge {at} is left out or not a number (mean {means[at]:g}, "
            f"visits {counts[at]:g})"
        )
    if not np.isnan(scores[size]):
        raise BrokenContract(f"{where}: a score is written behind the last edge")
    _refuse_writing(search, where, before, means, counts)
    if not np.array_equal(scores, again, equal_nan=True):
        raise BrokenContract(f"{where}: asked the same again, it gives other scores")
    twin = ask(plain(kernel))
    if not np.allclose(scores[:size], twin[:size], rtol=_SLACK, atol=_SLACK):
        raise BrokenContract(f"{where}: Python computes other scores than the kernel")


def _hash(search: Search) -> str:
    graph, counters = search.graph, search.graph.counters
    digest = hashlib.sha256(counters.tobytes())
    for array, used in ((graph.nodes, g.NODES), (graph.edges, g.EDGES), (graph.links, g.EDGES)):
        digest.update(array[: int(counters[used])].tobytes())
    digest.update(graph.extras[: int(counters[g.EDGES]) * search.params.extra_stride].tobytes())
    digest.update(graph.levels[: int(counters[g.NODES]) * search.params.level_stride].tobytes())
    return digest.hexdigest()
