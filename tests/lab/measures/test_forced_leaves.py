"""Forced leaves of Drake's table, counted over a game."""

import numpy as np
import pytest

from trellis.game.errors import BadParameter
from trellis.lab.measures import measure_of
from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.mcts.gc import count_forced_leaves

FORCED = measure_of("forced_leaves")
TABLE = "nodes:bounds=off,reuse=true,when_full=drake,memory="


def taken(number=0, **settings):
    given = {"game": "connect_four", "a": f"{TABLE}0.05", "sims": 300, **settings}
    made = FORCED.read(given)
    FORCED.check(made)
    return FORCED.take(made, 5, number)


def test_a_small_table_has_them_and_a_large_one_has_fewer():
    small, large = (
        [taken(number, a=f"{TABLE}{memory}")["value"] for number in range(6)]
        for memory in ("0.05", "64")
    )
    assert min(small) > 0
    assert max(large) < min(small)


def test_every_search_is_looked_at():
    sample = taken(1)
    assert len(sample["forced"]) == len(sample["nodes"])
    assert 0 < max(sample["forced"]) < max(sample["nodes"])
    shares = [
        100 * forced / nodes
        for forced, nodes in zip(sample["forced"], sample["nodes"], strict=True)
    ]
    assert sample["value"] == pytest.approx(np.mean(shares))


def test_playouts_start_where_a_node_counts_as_forced():
    """By definition: from a forced leaf no simulation goes on, so what begins there grows."""
    search = Search(
        load("connect_four"), select="nodes", bounds="off", when_full="drake", memory=0.02, seed=3
    )
    search.simulate(400)
    forced, ahead = count_forced_leaves(search.graph)
    assert 0 < forced < ahead
    nodes, index = search.graph.nodes.copy(), search.graph.index[: len(search.graph.nodes)].copy()
    marked = np.flatnonzero((nodes["visits"] > 0) & (index > 0))
    assert len(marked) >= forced
    search.simulate(400)
    for node in marked:
        if node == search.root or search.graph.nodes[node]["key"] != nodes[node]["key"]:
            continue
        came = int(search.graph.nodes[node]["visits"]) - int(nodes[node]["visits"])
        began = int(search.graph.nodes[node]["own"]) - int(nodes[node]["own"])
        assert began == came


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"a": "uct2:bounds=off,reuse=true"}, "expected when_full=drake"),
        ({"a": "random"}, "expected when_full=drake"),
        ({"game": "leftright"}, "not a game for two players"),
        ({"game": "go:board_size=9"}, "keys of go"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(BadParameter, match=message):
        taken(**settings)
