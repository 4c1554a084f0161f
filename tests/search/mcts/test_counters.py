"""Searches that begin just below the end of a count: nothing wraps, and they go on as before."""

from pathlib import Path

import numpy as np
import pytest

import trellis
from definitions import assert_exact
from trellis.game import python_game
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game
from trellis.game.python_game import PythonGame
from trellis.gdl.game import load_sheet
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.engine import StarSearch

LAST = g.MOST_VISITS
AUTOMATON = "random_automaton:states=60,branching=4,payoffs=20,seed=9"


def swell(search, short):
    """Make all counts of a graph so many times as large that the root's is `short` of its end."""
    graph = search.graph
    times = (LAST - short) // int(graph.nodes[search.root]["visits"])
    for records in (graph.nodes, graph.edges):
        records["visits"] *= times
        if records is graph.nodes:
            records["own"] *= times
            records["sum"] *= times
    _, chance = parents(search)
    graph.edges["sum"][~chance] *= times
    graph.levels[:] *= times
    graph.extras[:] *= times
    missing = LAST - short - int(graph.nodes[search.root]["visits"])
    root = graph.nodes[search.root : search.root + 1]
    mean = root["sum"] / root["visits"]
    for field in ("visits", "own"):
        root[field] += missing
    root["sum"] += missing * mean
    params = search.params
    if params.columns > 1:
        at = search.root * params.level_stride + params.sums_at
        graph.levels[at : at + params.columns - 1] *= LAST / (LAST - missing)
    if params.own_at >= 0:
        at = search.root * params.level_stride + params.own_at
        graph.levels[at : at + params.columns] += missing * mean


def parents(search):
    """Return which edges are in use, and at which of all chance acts."""
    nodes, edges = search.graph.nodes, search.graph.edges
    used, chance = np.zeros(len(edges), bool), np.zeros(len(edges), bool)
    for node in np.flatnonzero(nodes["flags"] & g.USED):
        first = int(nodes[node]["first"])
        out = slice(first, first + int(nodes[node]["edges"]))
        used[out], chance[out] = True, nodes[node]["player"] < 0
    return used, chance


def assert_in_order(search):
    """Check that counts are counts and means are means."""
    graph, params = search.graph, search.params
    used, chance = parents(search)
    nodes = graph.nodes[(graph.nodes["flags"] & g.USED) != 0]
    assert not graph.counters[g.CROWDED]
    assert (nodes["own"] >= 0).all()
    assert (nodes["visits"] >= nodes["own"]).all()
    assert (nodes["sum"] >= -1e-6 * nodes["visits"]).all()
    assert (nodes["sum"] <= nodes["visits"] * (1 + 1e-6)).all()
    edges = graph.edges[used & ~chance]
    assert (graph.edges[used]["visits"] >= 0).all()
    assert (edges["sum"] >= -1e-6 * edges["visits"]).all()
    assert (edges["sum"] <= edges["visits"] * (1 + 1e-6)).all()
    shares = graph.edges[used & chance]["sum"]
    assert ((shares > 0) & (shares <= 1)).all()
    if not params.everywhere:
        for node in np.flatnonzero(graph.nodes["flags"] & g.USED):
            record = graph.nodes[node]
            out = graph.edges[int(record["first"]) : int(record["first"]) + int(record["edges"])]
            assert int(record["visits"]) == int(record["own"]) + int(out["visits"].sum())


SEARCHES = {
    "usual": ("connect_four", {}),
    "without bounds": ("connect_four", {"bounds": "off"}),
    "edges alone": ("connect_four", {"select": "uct1", "bounds": "off"}),
    "child's mean": ("connect_four", {"select": "uct2", "bounds": "off"}),
    "infinite depth": ("connect_four", {"select": "uct3", "bounds": "off"}),
    "nodes": ("connect_four", {"select": "nodes", "bounds": "off"}),
    "all ancestors": ("connect_four", {"backup": "all", "bounds": "off"}),
    "rave": ("connect_four", {"rave": 50, "grave": 10, "ucb1_tuned": True, "bounds": "off"}),
    "drake": ("connect_four", {"when_full": "drake"}),
    "collecting": ("connect_four", {"when_full": "collect", "memory": 0.06, "bounds": "off"}),
    "symmetry": ("connect_four", {"symmetry": True, "bounds": "off"}),
    "chance": ("pig:target=30", {"bounds": "off"}),
    "players at once": ("goofspiel:num_cards=5", {}),
    "three players": ("random_automaton:states=60,players=3,seed=21", {"select": "ucd:2,1,2"}),
    "a sheet": ("connect_four.kif", {"bounds": "off"}),
}


def position_of(name):
    game = trellis.load(name) if not name.endswith(".kif") else sheet(name)
    position = game.start()
    while position.is_chance:
        position = position.play(position.move_codes()[-1])
    return position


def sheet(name):
    return load_sheet(Path(trellis.__file__).parent / "gdl" / "sheets" / name, "lanes")


@pytest.mark.parametrize("short", [0, 1, 2_000])
@pytest.mark.parametrize("kind", SEARCHES)
def test_visits_go_on_beyond_their_end(kind, short):
    name, options = SEARCHES[kind]
    search = Search(position_of(name), seed=3, **({"memory": 2} | options))
    search.simulate(400)
    assert_in_order(search)
    sims = search.sims
    swell(search, short)
    before = {line.move: line.value for line in search.report().moves}
    most = int(search.graph.nodes["visits"].max())
    done = search.simulate(3_000)
    assert_in_order(search)
    assert search.sims == sims + done
    if done == 3_000:
        assert int(search.graph.nodes["visits"].max()) < 0.51 * most + 3_001
    report = search.report()
    low, high = search.game.payoff_range
    for line in report.moves:  # a few playouts do not change what hundreds of millions found
        if line.visits > 1e6:
            assert line.value == pytest.approx(before[line.move], abs=5e-5 * (high - low))


@pytest.mark.parametrize("own_playouts", ["node", "edge", "none"])
@pytest.mark.parametrize("depths", ["2,2,2", "3,5,3", "5,3,inf", "inf,inf,2"])
@pytest.mark.parametrize("spec", [AUTOMATON, "nim:pile_sizes=14,max_take=3"])
def test_stored_values_equal_their_definitions_after_counts_were_halved(spec, depths, own_playouts):
    search = Search(
        position_of(spec), select=f"ucd:{depths}", backup="exact", own_playouts=own_playouts,
        bounds="off", memory=2, seed=5,
    )  # fmt: skip
    search.simulate(60)
    most = LAST // 3
    for number in range(3):
        search.graph.counters[g.CROWDED] = 1  # as if a count had come near its end
        before = search.graph.nodes["visits"].copy()
        assert search._run(1, (), None) == 0
        assert (search.graph.nodes["visits"] <= np.maximum(before, 1)).all()
        assert_in_order(search)
        assert_exact(search)
        search.simulate(5)
        assert_exact(search)
        assert int(search.graph.nodes["visits"].max()) < most >> number


def test_a_search_prefers_the_better_move_before_and_after():
    start = trellis.load("connect_four").start().play("a", "b", "a", "b", "a", "b")
    search = Search(start, bounds="off", memory=2)
    search.simulate(2_000)
    assert search.report().best == "a"  # four in a column
    swell(search, 5)
    for _ in range(5):
        search.simulate(500)
        swell(search, 1)
        report = search.report()
        assert report.best == "a"
        assert report.value == pytest.approx(1.0, abs=0.02)


def test_an_edge_alone_near_its_end_is_enough():
    search = Search(trellis.load("connect_four"), bounds="off", memory=2)
    search.simulate(500)
    first = int(search.graph.nodes[search.root]["first"])
    for edge in range(first, first + 7):
        search.graph.edges[edge]["visits"] = LAST
        search.graph.edges[edge]["sum"] = 0.5 * LAST
    search.simulate(100)
    assert 0 < search.graph.edges["visits"][first : first + 7].max() < LAST
    assert (search.graph.edges["visits"] >= 0).all()


@pytest.mark.parametrize("when_full", ["stop", "collect", "drake"])
@pytest.mark.parametrize("turn", [16_380, 65_530, 70_000, 10_000_000])
def test_turns_beyond_sixteen_bits(when_full, turn):
    """Pig has no longest game: a search may be moved along one for ever."""
    moves = ["roll", "6", "stop", "roll", "5", "roll", "2"]
    late = Search(
        trellis.load("pig:horizon=0"), when_full=when_full, memory=0.3, bounds="off", seed=1
    )
    late.turn = turn
    late.set_root(late.position)
    early = Search(
        trellis.load("pig:horizon=0"), when_full=when_full, memory=0.3, bounds="off", seed=1
    )
    for move in moves:
        for search in (late, early):
            if not search.position.is_chance:
                search.run(sims=300)
                root = search.graph.nodes[search.root]
                assert root["flags"] & g.USED
                assert root["visits"] >= 300
                assert_in_order(search)
            search.advance(move)
        if when_full != "drake":  # there the turn decides which node is overwritten
            assert len(late.graph.nodes) == len(early.graph.nodes)
            found = [
                [(line.move, line.visits) for line in search.report().moves]
                for search in (late, early)
            ]
            assert found[0] == found[1]
    relative = late.graph.nodes["turn"][(late.graph.nodes["flags"] & g.USED) != 0]
    assert int(late.graph.counters[g.BASE_TURN]) > 0
    assert 0 < int(late.graph.counters[g.ROOT_TURN]) <= 1 << 14
    assert relative.max() < 40_000


def test_drake_never_overwrites_what_lies_ahead_however_late():
    search = Search(trellis.load("pig:horizon=0"), when_full="drake", memory=0.01, seed=2)
    search.turn = 65_535
    search.set_root(search.position)
    was_full = False
    for move in ["roll", "3", "stop"] * 4:
        if not search.position.is_chance:
            search.run(sims=500)
            was_full |= search.full
            root = search.graph.nodes[search.root]
            assert root["flags"] & g.USED
            assert int(root["visits"]) >= 500
            assert_in_order(search)
        search.advance(move)
    assert was_full


def test_a_game_that_may_be_very_long_needs_no_long_path():
    class Count:
        """Counts to a million; the other move ends the game."""

        players, max_plies = 1, 1_000_000

        def start(self):
            return 0

        def moves(self, state):
            return ["on", "stop"] if 0 <= state < 1_000_000 else []

        def play(self, state, move):
            return state + 1 if move == "on" else -1

        def payoffs(self, state):
            return 0.5

    search = Search(PythonGame(Count()), memory=1)
    assert search.params.longest == 1 << 15
    assert len(search.path.nodes) == (1 << 15) + 2
    search.simulate(20)


def test_more_different_moves_than_numbers_are_refused(monkeypatch):
    class Endless:
        players = 1

        def start(self):
            return 0

        def moves(self, state):
            return [f"{state}-{i}" for i in range(1000)]

        def play(self, state, move):
            return state + 1

        def payoffs(self, state):
            return 0

    def walk(game):
        state, out = game.start().state, np.empty(1000, np.int32)
        for _ in range(6):
            game.rules.moves(game.tables, state, out)
            game.rules.play(game.tables, state, int(out[0]))

    assert python_game.MAX_MOVE_CODES == 1 << 20
    monkeypatch.setattr(python_game, "MAX_MOVE_CODES", 5_000)
    with pytest.raises(LimitReached, match="more than 5,000 different moves"):
        walk(PythonGame(Endless()))


def test_what_numbers_cannot_hold_is_refused():
    inner = trellis.load("tic_tac_toe")

    class Wide(Game):
        name = "wide"

        def __init__(self, codes):
            super().__init__(
                inner.rules, inner.tables, state_words=inner.state_words, max_moves=9,
                move_codes=codes, max_plies=9,
            )  # fmt: skip

    with pytest.raises(BadParameter, match="different moves"):
        Search(Wide(1 << 26))
    with pytest.raises(BadParameter, match="different moves"):
        StarSearch(Wide(1 << 24))
    with pytest.raises(BadParameter, match="grave"):
        Search(inner, rave=10, grave=1e30)
    for make in (
        lambda: Search(inner, memory=1e9),
        lambda: StarSearch(inner, memory=1 << 20),
        lambda: trellis.ParallelSearch(inner, threads=4, memory=1e9),
        lambda: solve_exactly(inner, memory=1e9),
    ):
        with pytest.raises(BadParameter, match="MiB of this machine"):
            make()


def test_counts_of_infinite_depth_round_a_cycle_stay_numbers():
    spec = "random_automaton:states=30,cyclic=true,payoffs=10,seed=72"
    search = Search(position_of(spec), select="ucd:0,inf,inf", c=0.7, bounds="off", memory=2)
    search.simulate(3_000)
    params, used = search.params, int(search.graph.counters[g.NODES])
    counts = search.graph.levels[params.infinite_count_at :: params.level_stride][:used]
    assert counts.max() > 2.0**64  # ways, not playouts
    assert np.isfinite(counts).all()
    assert search.report().best
