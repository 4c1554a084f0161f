"""The kernels take the same decisions as the plain-Python search: whole graphs are compared."""

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.game.rules import CHANCE
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reference import ReferenceSearch

PRESETS = [
    "uct0", "uct1", "uct2", "uct3", "simple", "nodes", "ucd:0,1,2", "ucd:2,1,2", "ucd:3,0,inf",
    "ucd:inf,inf,inf",
]  # fmt: skip
GAMES = [
    "tic_tac_toe",
    "connect_four:rows=4,columns=4,x_in_row=3",
    "leftright:h=12",
    "hex:board_size=3",
    "nim",
    "pig:target=6,horizon=1000",
    "pig:target=6,horizon=0",
    "pig:target=6,players=3,horizon=1000",
    "dice:m=3,k=3",
    "random_automaton:states=60,players=3,seed=21",
    "random_automaton:states=200,payoffs=100,seed=14",
    "random_automaton:states=60,cyclic=true,seed=18",
    "random_automaton:states=60,cyclic=true,chance=30,seed=41",
    "random_automaton:states=60,cyclic=true,players=3,seed=18",
    "pgame:branching=3,depth=8,combine=50",
]
HIDDEN_GAMES = [
    "goofspiel:num_cards=3",
    "goofspiel:num_cards=3,players=3,points_order=descending",
    "random_automaton:states=60,simultaneous=40,chance=20,seed=12",
]
OPTIONS = {
    "own playouts edge": {"select": "ucd:2,2,1", "own_playouts": "edge"},
    "own playouts none": {"select": "ucd:2,1,3", "own_playouts": "none"},
    "own playouts edge inf": {
        "select": "ucd:inf,0,1",
        "own_playouts": "edge",
        "backup": "recompute",
    },
    "all": {"select": "uct1", "backup": "all"},
    "all simple": {"select": "simple", "backup": "all"},
    "all edge": {"select": "ucd:1,1,1", "backup": "all", "own_playouts": "edge"},
    "recompute": {"select": "ucd:3,2,1", "backup": "recompute"},
    "recompute inf": {"select": "ucd:inf,2,inf", "backup": "recompute"},
    "exact inf": {"select": "ucd:inf,inf,1", "backup": "exact"},
    "exact inf none": {"select": "ucd:inf,2,inf", "backup": "exact", "own_playouts": "none"},
    "no bounds": {"bounds": "off"},
    "plain": {"bounds": "plain"},
    "guided": {"bounds": "guided", "select": "uct2"},
    "bias": {"bounds": "cuts", "gamma": 0.2, "delta": -0.3, "select": "uct0"},
    "deep": {"bounds": "deep", "select": "uct2"},
    "solver": {"bounds": "solver", "select": "uct1"},
    "first play": {"fpu": 0.6, "c": 0.1},
    "first play, equal": {"fpu": 0.3, "c": 0.0, "bounds": "plain"},
    "ucb1_tuned": {"ucb1_tuned": True},
    "UCB1-tuned uct2": {"ucb1_tuned": True, "select": "uct2", "c": 1.0},
    "decisive": {"decisive": True},
    "rave": {"rave": 50.0},
    "rave bias": {"rave_bias": 0.02, "select": "uct1", "c": 0.0},
    "grave": {"rave": 100.0, "grave": 15},
    "rave order": {"rave": 100.0, "rave_order": True, "fpu": 0.6, "c": 0.0},
    "rave order, all": {"rave": 100.0, "rave_order": True, "grave": 15},
    "rave ucd": {"rave": 100.0, "rave_children": True, "select": "uct2"},
}
MARKED_OPTIONS = [
    {"rave": 50.0, "bounds": "off", "c": 0.2},
    {"rave": 200.0, "grave": 20, "c": 0.1},
    {"rave_bias": 0.02, "select": "uct1", "c": 0.0},
    {"rave": 100.0, "rave_children": True, "select": "uct2"},
    {"rave": 100.0, "rave_order": True, "fpu": 0.6, "c": 0.0},
    {"rave": 100.0, "rave_order": True, "c": 0.1},
]
OPTION_GAMES = [
    "connect_four:rows=4,columns=4,x_in_row=3",
    "nim",
    "pig:target=6,horizon=1000",
    "random_automaton:states=80,players=1,chance=20,seed=25",
    "random_automaton:states=60,players=3,chance=20,seed=57",
    "random_automaton:states=80,cyclic=true,payoffs=10,seed=52",
]


def start_of(spec):
    """Return the first position of a game in which somebody chooses."""
    position = trellis.load(spec).start()
    while position.is_chance:
        position = position.play(position.move_codes()[-1])
    assert not position.is_over
    return position


def near(one, other):
    return abs(one - other) <= 1e-9 * max(1.0, abs(other))


def assert_same_graph(search, twin):
    """Compare everything both know, node by node in the order they were made."""
    graph, params = search.graph, search.params
    assert int(graph.counters[g.NODES]) == len(twin.nodes)
    number = {node: i for i, node in enumerate(twin.nodes)}
    for i, node in enumerate(twin.nodes):
        record, where = graph.nodes[i], f"node {i}"
        for name in ("key", "player", "visits", "own", "moves"):
            assert int(record[name]) == getattr(node, name), (where, name)
        assert near(record["low"], node.low), where
        assert near(record["high"], node.high), where
        assert (record["low"] == record["high"]) == node.solved, where
        assert near(record["sum"], node.totals[0]), where
        at = i * params.level_stride
        for column in range(1, params.columns):
            assert near(graph.levels[at + params.sums_at + column - 1], node.totals[column]), where
        for column in range(params.columns if params.own_at >= 0 else 0):
            assert near(graph.levels[at + params.own_at + column], node.own_totals[column]), where
        assert int(record["edges"]) == len(node.edges), where
        for j, edge in enumerate(node.edges):
            assert_same_edge(search, int(record["first"]) + j, edge, number)
        leading_in = {
            (int(graph.links[e]["parent"]), move_of(graph, e)) for e in edges_in(graph, i)
        }
        assert leading_in == {(number[e.parent], (e.move, e.image)) for e in node.edges_in}, where
    assert int(graph.counters[g.REPEATS]) == twin.repeats
    assert search.rng[0] == twin.rng[0], "random numbers drawn"


def assert_same_edge(search, place, edge, number):
    graph, params, mover = search.graph, search.params, edge.parent.player
    record, where = graph.edges[place], f"edge {edge.move} of node {number[edge.parent]}"
    assert int(graph.links[place]["parent"]) == number[edge.parent], where
    assert graph.child(place) == (g.NONE if edge.child is None else number[edge.child]), where
    assert move_of(graph, place) == (edge.move, edge.image), where
    assert int(record["visits"]) == edge.visits, where
    expected = edge.probability if mover == CHANCE else edge.totals[mover]
    assert near(record["sum"], expected), where
    extras = graph.extras[place * params.extra_stride : (place + 1) * params.extra_stride]
    if params.edge_own_at >= 0:
        assert extras[params.edge_own_at] == edge.own, where
        assert near(extras[params.edge_own_at + 1], edge.own_totals[0]), where
    if mover == CHANCE:
        return
    if params.squares_at >= 0:
        assert near(extras[params.squares_at], edge.squares), where
    if params.amaf_at >= 0:
        assert np.allclose(extras[params.amaf_at : params.amaf_at + 2], edge.amaf[mover]), where
    if params.amaf_other_at >= 0:
        other = extras[params.amaf_other_at : params.amaf_other_at + 2]
        assert np.allclose(other, edge.amaf[1 - mover]), where


def move_of(graph, place):
    code = int(graph.links[place]["move"])
    return code & g.MOVE_MASK, code >> g.SYMMETRY_AT


def edges_in(graph, node):
    edge = int(graph.nodes[node]["first_in"])
    while edge != g.NONE:
        yield edge
        edge = int(graph.links[edge]["next_in"])


def run_both(start, *, seed, sims=100, step=50, **options):
    """Run both searches side by side and compare them every few simulations."""
    search = Search(start, seed=seed, memory=8, **options)
    twin = ReferenceSearch(start, seed=seed, **options)
    for _ in range(0, sims, step):
        done = search.simulate(step)
        assert twin.simulate(step) == done
        assert_same_graph(search, twin)
        if done < step:
            break
    return search, twin


@pytest.mark.parametrize("select", PRESETS)
@pytest.mark.parametrize("spec", GAMES)
def test_every_preset_builds_the_same_graph(spec, select):
    for seed in (1, 2):
        run_both(start_of(spec), seed=seed, select=select)


@pytest.mark.parametrize("select", ["uct0", "uct1"])
@pytest.mark.parametrize("spec", HIDDEN_GAMES)
def test_hidden_choices_build_the_same_graph(spec, select):
    for seed in (1, 2, 3):
        run_both(start_of(spec), seed=seed, select=select)
        run_both(start_of(spec), seed=seed, select=select, ucb1_tuned=True, fpu=0.7)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_builds_the_same_graph(name):
    compared = 0
    for seed, spec in enumerate(OPTION_GAMES):
        try:
            run_both(start_of(spec), seed=seed, **OPTIONS[name])
        except BadParameter:
            continue  # some options make no sense for some games
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize(
    "spec",
    [
        "go:board_size=3", "go:rows=2,columns=4,komi=0.5", "hex:board_size=4",
        "breakthrough:rows=5,columns=4", "othello:board_size=4", "pentago", "amazons:board_size=5",
        "connect_four",
    ],
)  # fmt: skip
def test_playouts_that_mark_moves_build_the_same_graph(spec):
    for options in MARKED_OPTIONS:
        search, _ = run_both(start_of(spec), seed=3, **options)
        assert search.params.marked_playout
        assert search.params.rave_alone != options.get("rave_children", False)


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", "connect_four:rows=4,columns=4", "hex:board_size=3"]
)
def test_symmetry_builds_the_same_graph(spec):
    for select in ("simple", "uct2", "ucd:inf,1,1"):
        search, _ = run_both(start_of(spec), seed=5, select=select, symmetry=True)
        moves = search.graph.links["move"][: int(search.graph.counters[g.EDGES])]
        assert (moves >> g.SYMMETRY_AT > 0).any()  # some position was turned


def test_games_written_in_python_build_the_same_graph():
    class Race:
        """Three players move one token 1 to 3 steps; whoever reaches 12 wins."""

        players = 3
        payoff_range = (0, 1)
        max_plies = 12

        def start(self):
            return (0, 0)

        def acting(self, state):
            return None if state[0] >= 12 else state[1]

        def moves(self, state):
            return [1, 2, 3] if state[0] < 12 else []

        def play(self, state, move):
            return (min(12, state[0] + move), (state[1] + 1) % 3)

        def payoffs(self, state):
            return tuple(float((state[1] - 1) % 3 == player) for player in range(3))

    for select in ("uct2", "ucd:2,2,2", "uct3"):
        search, _ = run_both(trellis.PythonGame(Race()).start(), seed=1, sims=60, select=select)
        assert search.graph.counters[g.TRANSPOSITIONS] > 0


def test_paths_meet_in_these_games():
    """Without transpositions every test above would be one of a tree."""
    for spec in [*GAMES, *OPTION_GAMES]:
        _, twin = run_both(start_of(spec), seed=1, select="uct1", bounds="off")
        assert sum(len(node.edges_in) > 1 for node in twin.nodes) > 0, spec
        cyclic = "cyclic" in spec or "horizon=0" in spec
        assert (twin.repeats > 0) == cyclic, spec


@pytest.mark.parametrize(
    "change", [{"c": 0.41}, {"seed": 3}, {"select": "uct1"}, {"own_playouts": "edge"}]
)
def test_a_slightly_different_search_is_noticed(change):
    start = start_of("connect_four:rows=4,columns=4,x_in_row=3")
    options = {"select": "ucd:2,1,1", "c": 0.4, "seed": 2, "own_playouts": "node"}
    search, twin = Search(start, memory=8, **options), ReferenceSearch(start, **(options | change))
    search.simulate(400)
    twin.simulate(400)
    with pytest.raises(AssertionError):
        assert_same_graph(search, twin)


@pytest.mark.parametrize("field", ["visits", "own", "sum", "low", "high", "first_in", "moves"])
def test_a_single_wrong_number_is_noticed(field):
    start = start_of("connect_four:rows=4,columns=4,x_in_row=3")
    search, twin = run_both(start, seed=1)
    search.graph.nodes[search.root + 1][field] += 1
    with pytest.raises(AssertionError):
        assert_same_graph(search, twin)


def test_bounds_come_to_rest_where_chance_goes_round_in_circles():
    """Bounds close for ever there, by less and less; passing that on must end."""
    search = Search(trellis.load("pig:target=30,horizon=0"), select="uct1", bounds="cuts", memory=8)
    assert search.simulate(20_000) == 20_000
    low, high = search.bounds
    assert -1 < low < high < 1


def test_what_has_no_twin_is_refused():
    game = trellis.load("tic_tac_toe")
    for options in ({"when_full": "collect"}, {"sequential_halving": True}):
        with pytest.raises(BadParameter, match="reference"):
            ReferenceSearch(game, **options)
    with pytest.raises(BadParameter, match="choose at once"):
        Search(trellis.load("goofspiel"), select="uct1", backup="all")
