"""Searches as data: what a graph holds and no more, so that ten simulations take some kilobytes.

Only `pickle` of the standard library is used, so files from elsewhere are not to be loaded.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from trellis.search.mcts import graph as g

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search


def saved(search: "Search") -> dict[str, Any]:
    """Return what has to be kept of a search to go on with it elsewhere."""
    graph, params = search.graph, search.params
    counters = graph.counters
    drake = params.when_full == g.DRAKE
    nodes = len(graph.nodes) if drake else int(counters[g.NODES])
    edges = int(counters[g.EDGES])
    return {
        "rng": search.rng.copy(),
        "random": search.random.bit_generator.state,
        "facts": (search.seconds, search.turn, search.collections, search.frame),
        "nodes": graph.nodes[:nodes].copy(),
        "edges": graph.edges[:edges].copy(),
        "links": graph.links[:edges].copy(),
        "index": graph.index[: nodes if drake else int(counters[g.INDEX_SIZE])].copy(),
        "levels": graph.levels[: nodes * params.level_stride].copy(),
        "extras": graph.extras[: edges * params.extra_stride].copy(),
        "free": graph.free.copy(),
        "counters": counters.copy(),
        "states": graph.states[: nodes * params.kept].copy(),
    }


def restore(position: Any, settings: Any, seed: int, kept: dict[str, Any]) -> "Search":
    """Make the search again of which `saved` kept the rest."""
    from trellis.search.mcts.engine import Search

    search = Search(position, settings, seed=seed)
    search.rng[:] = kept["rng"]
    search.random.bit_generator.state = kept["random"]
    search.seconds, search.turn, search.collections, search.frame = kept["facts"]
    graph = search.graph
    for name in ("nodes", "edges", "links", "index", "levels", "extras", "free", "counters",
                 "states"):  # fmt: skip
        array: np.ndarray[Any, Any] = getattr(graph, name)
        array[: len(kept[name])] = kept[name]
    return search
