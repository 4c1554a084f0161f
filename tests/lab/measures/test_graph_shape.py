"""Shapes of graphs: of whole games against their automata, of parts against the exported view."""

from collections import Counter

import pytest

from trellis.game.automaton import automaton
from trellis.game.errors import BadParameter
from trellis.lab.exchange import LONG
from trellis.lab.measures import measure_of
from trellis.lab.measures.graph_shape import shape_of
from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.mcts.export import GraphView
from trellis.search.mcts.settings import Settings

MEASURE = measure_of("graph_shape")


def search_of(game, sims, select="uct1"):
    search = Search(load(game), Settings(select=select, bounds="off", c=5.0), seed=3)
    search.simulate(sims)
    return search


@pytest.mark.parametrize(
    "game", ["nim:pile_sizes=9,max_take=3", "pgame:branching=2,depth=5,combine=30"]
)
def test_the_graph_of_a_whole_game_is_its_automaton(game):
    whole = automaton(load(game))
    ways, depths, moves = shape_of(search_of(game, 20_000))
    into = Counter(edge.target for edge in whole.edges)
    assert sorted(ways) == sorted(into[state] for state in range(whole.states))
    assert ways.sum() == moves.sum() == len(whole.edges)  # every move has been tried
    reached, layer = {}, {0}
    while layer:
        reached |= dict.fromkeys(layer, len(set(reached.values())))
        layer = {edge.target for edge in whole.edges if edge.source in layer} - reached.keys()
    assert sorted(depths) == sorted(reached.values())


@pytest.mark.parametrize("game", ["connect_four", "breakthrough:rows=5,columns=3", "othello"])
def test_ways_are_those_that_a_view_of_the_whole_graph_tells(game):
    search = search_of(game, 400, "simple")
    ways, _, _ = shape_of(search)
    view = GraphView(search, limit=10_000)
    assert sorted(ways) == sorted(node.ways for node in view.nodes)


def test_a_tree_shares_nothing_and_a_graph_does():
    def share(game):
        settings = MEASURE.read({"game": game, "sims": 500})
        MEASURE.check(settings)
        return [MEASURE.take(settings, 7, number) for number in range(4)]

    for sample in share("pgame:branching=2,depth=12,seed={seed}"):
        assert sample["value"] == 0
        assert sample["ways"] == 1
        assert sample["met"] == 0
    for sample in share("connect_four"):
        assert sample["value"] > 5
        assert sample["ways"] == pytest.approx(1 / (1 - sample["value"] / 100))


def test_what_stands_beside_it_outlives_an_export():
    settings = MEASURE.read({"game": "tic_tac_toe", "sims": 50})
    samples = [MEASURE.take(settings, 7, number) for number in range(3)]
    exported = [{k: v for k, v in each.items() if k not in LONG} for each in samples]
    assert MEASURE.sum_up(exported, 0.95) == MEASURE.sum_up(samples, 0.95)


def test_players_without_a_graph_are_refused():
    with pytest.raises(BadParameter, match="builds no graph"):
        MEASURE.check(MEASURE.read({"game": "tic_tac_toe", "player": "uct"}))
