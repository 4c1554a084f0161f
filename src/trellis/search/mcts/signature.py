"""One number for the behaviour of the search: it changes only when behaviour does.

Fixed searches with fixed seeds are hashed: which positions were met in which order, by which moves,
how often each was visited.  A change that is meant to make the search faster leaves the number as
it is; one that changes it says so.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from trellis.game.game import Game
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search

SIMS = 2_000
C = 0.7  # the constant of the first version, so that the number can be compared with all of them
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("connect_four", {"select": "simple", "bounds": "off"}),
    ("connect_four", {"select": "uct0", "bounds": "cuts"}),
    ("connect_four", {"select": "ucd:2,2,2"}),
    ("connect_four", {"select": "uct3", "backup": "exact"}),
    ("connect_four", {"select": "uct3", "symmetry": True}),
    ("connect_four", {"select": "uct1", "backup": "all", "bounds": "off"}),
    ("connect_four", {"when_full": "drake", "memory": 0.5}),
    ("hex:board_size=5", {"rave": 300.0, "grave": 20, "playouts": "rules"}),
    ("hex:board_size=5", {"bounds": "deep", "delta": -0.1, "ucb1_tuned": True}),
    ("pig:horizon=1000", {}),
    ("pig:players=3,horizon=1000", {}),
    ("leftright", {"select": "ucd:inf,0,1", "c": 0.3}),
    ("nine_mens_morris:turn_limit=0", {}),
)


def signature(load: Callable[[str], Game]) -> str:
    """Run the fixed searches and return their hash in eight hexadecimal digits."""
    digest = hashlib.sha256()
    for name, settings in CASES:
        search = Search(load(name), seed=1, **{"c": C, **settings})
        search.simulate(SIMS)
        digest.update(graph_hash(search).encode())
    return digest.hexdigest()[:8]


def graph_hash(search: Search) -> str:
    """Return a hash of a graph: keys, visits and moves, in the order they were made."""
    graph, counters = search.graph, search.graph.counters
    digest = hashlib.sha256()
    nodes = len(graph.nodes) if counters[g.NODES] == 0 else int(counters[g.NODES])
    edges = int(counters[g.EDGES])
    for field in ("key", "visits", "own", "edges", "player"):
        digest.update(graph.nodes[field][:nodes].tobytes())
    digest.update(graph.links["move"][:edges].tobytes())
    digest.update(graph.edges["visits"][:edges].tobytes())
    digest.update(graph.children(0, edges).astype(np.int32).tobytes())
    return digest.hexdigest()
