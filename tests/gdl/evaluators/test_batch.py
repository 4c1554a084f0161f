"""Searches that play their leaves in batches: what they count must be what was played."""

from pathlib import Path

import numpy as np
import pytest

import trellis.gdl
import trellis.gdl.game as game_module
from trellis._kernel import slices
from trellis.game.contract import check_game
from trellis.game.playouts import playouts
from trellis.gdl.game import SheetGame
from trellis.gdl.sheet import Sheet
from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search

FOLDER = Path(trellis.gdl.__file__).parent / "sheets"


def sheet(name):
    return load(str(FOLDER / f"{name}.kif"))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "three_player_tic_tac_toe", "pig"])
@pytest.mark.parametrize("sims", [100, 3000])
def test_every_playout_is_counted_once_and_with_its_value(name, sims):
    """What came along the edges into a node is what the node has seen, in visits and payoffs."""
    search = Search(sheet(name), bounds="off", seed=3)
    assert search.params.batch > 1
    assert search.params.kept > 0
    search.simulate(sims)
    graph = search.graph
    nodes = int(graph.counters[g.NODES])
    visits, sums = np.zeros(nodes), np.zeros(nodes)
    for node in range(nodes):
        record = graph.nodes[node]
        first = int(record["first"])
        for edge in range(first, first + int(record["edges"])):
            child = graph.child(edge)
            visits[child] += graph.edges[edge]["visits"]
            mover = int(record["player"])
            total = float(graph.edges[edge]["sum"])
            if search.game.players == 1 or mover == 0:
                sums[child] += total
            elif mover == 1 and search.params.columns == 1:
                sums[child] += graph.edges[edge]["visits"] - total
    for node in range(nodes):
        if node == search.root:
            assert graph.nodes[node]["visits"] == sims
            continue
        assert graph.nodes[node]["visits"] == visits[node]
        total = float(graph.nodes[node]["sum"])
        assert -1e-6 <= total <= visits[node] + 1e-6
        if search.params.columns == 1 and not search.game.has_chance:
            assert total == pytest.approx(sums[node], abs=1e-6)


def test_a_batched_search_finds_what_a_plain_one_finds():
    batched = Search(sheet("connect_four"), bounds="off", seed=1)
    plain = Search(sheet("connect_four"), bounds="off", seed=1, decisive=True)
    assert plain.params.batch == 1
    native = Search(load("connect_four"), bounds="off", seed=1)
    values = []
    for search, sims in ((batched, 20_000), (plain, 2_000), (native, 20_000)):
        report = search.run(sims=sims)
        low, high = search.game.payoff_range
        values.append((report.value - low) / (high - low))
    assert values[0] == pytest.approx(values[2], abs=0.05)
    assert values[1] == pytest.approx(values[2], abs=0.1)


def test_the_same_seed_gives_the_same_graph():
    first, second = (Search(sheet("tic_tac_toe"), seed=9) for _ in range(2))
    first.simulate(500)
    second.simulate(500)
    count = int(first.graph.counters[g.NODES])
    assert np.array_equal(first.graph.nodes[:count], second.graph.nodes[:count])


def test_tic_tac_toe_from_its_sheet_is_a_draw():
    search = Search(sheet("tic_tac_toe"))
    search.simulate(100_000)
    assert search.solved
    assert search.bounds == (50.0, 50.0)


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "pig", "goofspiel", "eight_puzzle", "three_player_tic_tac_toe"]
)
def test_sheets_keep_what_every_game_promises(name):
    check_game(sheet(name), games=3, walk=40)


# --- which way to play random games


def test_a_trial_chooses_how_random_games_are_played(monkeypatch):
    sheet = Sheet.from_file(FOLDER / "tic_tac_toe.kif")
    seconds = {64: 1.0, 1: 0.6}
    monkeypatch.setattr(game_module, "_seconds_per_game", lambda runner, many: seconds[many])
    usual = SheetGame(sheet)
    assert usual.playouts == "lanes"  # events are faster here, but not by far
    assert usual.rules.batch is not None
    seconds[1] = 0.4
    other = SheetGame(sheet)
    assert other.playouts == "event"
    assert other.rules.batch is None
    assert SheetGame(sheet, playouts="lanes").rules.batch is not None


@pytest.mark.parametrize("way", ["event", "lanes"])
def test_both_ways_of_playing_random_games_search_alike(way):
    game = load(f"{FOLDER / 'tic_tac_toe.kif'}:evaluator={way}")
    assert (game.rules.batch is None) == (way == "event")
    report = Search(game, seed=1).run(sims=50_000)
    assert report.solved


AT_ONCE = """
(role a) (role b) (init s) (legal a x) (legal a y) (legal b x) (legal b y)
(<= (next (chose ?r ?m)) (does ?r ?m)) (<= terminal (true (chose a ?m)))
(<= (goal a 100) (true (chose a x))) (<= (goal a 0) (true (chose a y)))
(<= (goal b 100) (true (chose b x))) (<= (goal b 20) (true (chose b y)))
"""


@pytest.mark.parametrize("way", ["event", "lanes"])
def test_a_choice_that_waits_for_others_is_kept_in_random_games(tmp_path, way):
    path = tmp_path / "at_once.kif"
    path.write_text(AT_ONCE, encoding="utf-8")
    game = load(f"{path}:evaluator={way}")
    start = game.start()
    assert start.actors == (0, 1)
    for move, payoff in (("x", 100.0), ("y", 0.0)):
        found = playouts(start.play(move), 500, seed=3)
        assert found.means[0] == payoff
        assert found.means[1] == pytest.approx(60.0, abs=8.0)


def test_slices_and_events_average_alike_where_players_choose_at_once():
    means = [
        playouts(load(f"{FOLDER / 'goofspiel.kif'}:evaluator={way}"), 20_000, seed=1)
        for way in ("event", "lanes")
    ]
    for one, other, error in zip(means[0].means, means[1].means, means[0].errors, strict=True):
        assert one == pytest.approx(other, abs=6 * error + 1e-9)


@pytest.mark.parametrize("bounds", ["off", "guided"])
def test_garbage_is_not_collected_under_leaves_that_wait(bounds, monkeypatch):
    """They know their paths by numbers that others would get, and would be paid to those."""
    found = []
    for seconds in (1e-9, 1.0):  # one simulation at a time, or all in a few slices
        monkeypatch.setattr(slices, "SLICE_SECONDS", seconds)
        search = Search(
            sheet("connect_four"), bounds=bounds, when_full="collect", memory=0.3, seed=5
        )
        report = search.run(sims=6_000)
        assert search.collections > 1
        graph = search.graph
        used = graph.nodes[graph.nodes["flags"] & g.USED > 0]
        assert (used["sum"] >= 0).all()
        assert (used["sum"] <= used["visits"]).all()
        for node in used:
            out = graph.edges[int(node["first"]) : int(node["first"]) + int(node["edges"])]
            assert (out["sum"] >= 0).all()
            assert (out["sum"] <= out["visits"]).all()
            assert node["visits"] == node["own"] + out["visits"].sum()
        found.append((report.moves, report.nodes, search.collections))
    assert found[0] == found[1]


@pytest.mark.parametrize("bounds", ["off", "plain"])
def test_leaves_that_are_given_up_leave_no_edge_without_a_playout(bounds):
    """An end of the game is not waited for, so its edge may come behind theirs."""
    start = sheet("tic_tac_toe").start().play("mark(a,1)", "mark(b,2)", "mark(c,3)")
    given_up = 0
    for count in range(20, 220):
        search = Search(start, bounds=bounds, seed=count)
        search._run(count, (), None)
        before = search.sims
        search._halted = True
        search._finish_waiting()
        given_up += before - search.sims
        graph = search.graph
        nodes = graph.nodes[: int(graph.counters[g.NODES])]
        assert nodes[search.root]["visits"] == search.sims
        into = {number: set() for number in range(len(nodes))}
        for number, node in enumerate(nodes):
            first = int(node["first"])
            out = range(first, first + int(node["edges"]))
            visits = graph.edges["visits"][out.start : out.stop]
            assert (visits > 0).all()
            assert node["visits"] == node["own"] + visits.sum()
            for edge in out:
                assert graph.links[edge]["parent"] == number
                into[graph.child(edge)].add(edge)
        for number, node in enumerate(nodes):
            listed, edge = set(), int(node["first_in"])
            while edge != g.NONE:
                listed.add(edge)
                edge = int(graph.links[edge]["next_in"])
            assert listed == into[number]
    assert given_up > 100
