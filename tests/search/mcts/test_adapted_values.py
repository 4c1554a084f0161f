"""After every single simulation the stored adapted values equal their recursive definitions."""

import itertools
import math
from functools import cache

import pytest

import trellis
from definitions import Definition, assert_exact, in_kernels, near, stored_depths
from trellis._kernel.jit import plain
from trellis.game.errors import BadParameter
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.engine import Search
from trellis.search.mcts.values import adapted_count, adapted_mean, count_slot, mean_slot

DEPTHS = ["0", "1", "2", "3", "5", "inf"]
COMBINATIONS = list(itertools.product(DEPTHS, repeat=3))
DEEP = [("2", "2", "2"), ("3", "5", "3"), ("5", "3", "inf"), ("inf", "inf", "2")]
OWN_PLAYOUTS = ["node", "edge", "none"]
GAMES = [
    "random_automaton:states=40,seed=5",
    "random_automaton:states=60,branching=5,payoffs=50,seed=9",
    "random_automaton:states=60,players=1,chance=20,seed=58",
    "random_automaton:states=60,chance=30,seed=41",
    "pgame:branching=3,depth=6,combine=60",
    "pgame:branching=2,depth=10,combine=80,seed=4",
    "leftright:h=8",
    "nim:pile_sizes=14,max_take=3",  # paths of different length lead to a heap
    "grouped",
]
SIMS = 40


@cache
def load(spec):
    """Load a game; `grouped` is one in which groups overlap, so that paths meet twice over."""
    if spec == "grouped":
        return trellis.grouped(trellis.load("pgame:branching=4,depth=4,group_size=2,overlap=true"))
    return trellis.load(spec)


def start_of(spec):
    position = load(spec).start()
    while position.is_chance:
        position = position.play(position.move_codes()[0])
    return position


def assert_sound(search, sims):
    """Check what holds in every graph in which playouts count along the path alone."""
    graph = search.graph
    count = int(graph.counters[g.NODES])
    nodes, edges = graph.nodes[:count], graph.edges
    assert int(nodes[search.root]["visits"]) == sims
    assert int(nodes["own"].sum()) + int(graph.counters[g.REPEATS]) == sims
    leading_in = {node: set() for node in range(count)}
    for node in range(count):
        first, tried = int(nodes[node]["first"]), int(nodes[node]["edges"])
        out = range(first, first + tried)
        assert int(nodes[node]["visits"]) == int(nodes[node]["own"]) + sum(
            int(edges[e]["visits"]) for e in out
        )
        moves = [int(graph.links[e]["move"]) for e in out]
        assert len(set(moves)) == len(moves)
        for edge in out:
            assert int(graph.links[edge]["parent"]) == node
            leading_in[graph.child(edge)].add(edge)
    for node in range(count):
        edge, listed = int(nodes[node]["first_in"]), []
        while edge != g.NONE:
            listed.append(edge)
            edge = int(graph.links[edge]["next_in"])
        assert sorted(listed) == sorted(leading_in[node])
        assert not nodes[node]["flags"] & ~g.USED  # no mark is left behind


def run_exactly(spec, depths, *, sims=SIMS, after=0, seed=1, **options):
    """Search and compare after every simulation, or after so many; return the search."""
    options = {"bounds": "off", "memory": 2} | options
    search = Search(
        start_of(spec), select=f"ucd:{','.join(depths)}", backup="exact", seed=seed, **options
    )
    for done in range(sims):
        if search.simulate(1) == 0:
            break
        if done >= after:
            assert_sound(search, done + 1)
            assert_exact(search)
    return search


def merged(search):
    """Count the nodes that more than one edge leads to."""
    edges_in = search.graph.nodes["first_in"][: int(search.graph.counters[g.NODES])]
    return sum(int(search.graph.links[e]["next_in"]) != g.NONE for e in edges_in if e != g.NONE)


@pytest.mark.parametrize("own_playouts", OWN_PLAYOUTS)
@pytest.mark.parametrize("spec", GAMES)
def test_stored_values_equal_their_definitions(spec, own_playouts):
    for depths in DEEP:
        search = run_exactly(spec, depths, own_playouts=own_playouts)
        assert merged(search) > 0


@pytest.mark.parametrize("part", range(8))
def test_every_combination_of_depths(part):
    """All 216, spread over games and kinds of n' so that neighbours differ in both."""
    for number in range(part, len(COMBINATIONS), 8):
        spec, own_playouts = GAMES[number % len(GAMES)], OWN_PLAYOUTS[number // 7 % 3]
        run_exactly(spec, COMBINATIONS[number], own_playouts=own_playouts, sims=20, seed=number)


@pytest.mark.parametrize("depths", DEEP)
def test_three_players(depths):
    search = run_exactly("random_automaton:states=60,players=3,seed=21", depths)
    assert search.params.columns == 3
    assert merged(search) > 3
    run_exactly("random_automaton:states=60,players=3,chance=20,seed=23", depths)


@pytest.mark.parametrize("own_playouts", OWN_PLAYOUTS)
def test_positions_that_come_again(own_playouts):
    spec = "random_automaton:states=30,cyclic=true,payoffs=10,seed=72"
    for depths in (("2", "2", "2"), ("3", "5", "3"), ("5", "1", "2")):
        search = run_exactly(spec, depths, own_playouts=own_playouts, sims=60)
        assert search.graph.counters[g.REPEATS] > 0


@pytest.mark.parametrize("own_playouts", OWN_PLAYOUTS)
@pytest.mark.parametrize("bounds", ["cuts", "solver"])
def test_with_proofs(bounds, own_playouts):
    for depths in DEEP:
        run_exactly("random_automaton:states=60,branching=5,seed=2", depths, bounds=bounds,
                    own_playouts=own_playouts)  # fmt: skip
        run_exactly(
            "pgame:branching=3,depth=6,combine=60", depths, bounds=bounds, own_playouts=own_playouts
        )


@pytest.mark.parametrize("own_playouts", OWN_PLAYOUTS)
@pytest.mark.parametrize(
    "spec",
    [
        "pgame:branching=4,depth=8,combine=60",
        "pig:target=10,horizon=1000",
        "leftright:h=20",
    ],
)
def test_when_memory_is_full(spec, own_playouts):
    for depths in DEEP:
        memory = 0.004
        while True:  # the least that is accepted
            try:
                search = run_exactly(
                    spec,
                    depths,
                    own_playouts=own_playouts,
                    memory=memory,
                    sims=220,
                    after=190,
                    c=3.0,
                )
                break
            except BadParameter:
                memory *= 1.1
        assert search.full
        assert int(search.graph.counters[g.NODES]) <= len(search.graph.nodes) < 100


def test_changes_below_the_tolerance_do_not_climb():
    """With a tolerance values are near their definitions; without one they are equal."""
    for tolerance, exact in ((0.0, True), (0.05, False)):
        search = Search(
            load("leftright:h=8"), select="uct3", backup="exact", bounds="off", seed=3,
            tolerance=tolerance, memory=2,
        )  # fmt: skip
        search.simulate(200)
        truth = Definition(search)
        worst = max(
            abs(float(plain(adapted_mean)(search.graph, search.params, edge, k.INFINITE, 0))
                - truth.mean(edge, math.inf, 0))
            for node in range(len(truth.nodes)) for edge in truth.out[node]
        )  # fmt: skip
        assert (worst < 1e-9) == exact
        assert worst < 0.5


@pytest.mark.parametrize(
    ("spec", "own_playouts"),
    [
        *itertools.product(GAMES, OWN_PLAYOUTS),
        ("random_automaton:states=60,players=3,seed=21", "node"),
    ],
)
@pytest.mark.parametrize("depths", ["inf,inf,inf", "3,2,inf"])
def test_recompute_computes_what_it_touches_and_nothing_else(spec, own_playouts, depths):
    search = Search(
        start_of(spec), select=f"ucd:{depths}", c=0.7, backup="recompute",
        own_playouts=own_playouts, bounds="off", seed=2, memory=2,
    )  # fmt: skip
    graph, params = search.graph, search.params
    mean_of, count_of = plain(adapted_mean), plain(adapted_count)
    stale = 0
    for done in range(SIMS):
        known = int(graph.counters[g.NODES])
        visits, levels = graph.nodes["visits"][:known].copy(), graph.levels.copy()
        search.simulate(1)
        assert_sound(search, done + 1)
        for node in range(int(graph.counters[g.NODES])):
            record = graph.nodes[node]
            out = range(int(record["first"]), int(record["first"]) + int(record["edges"]))
            touched = node >= known or int(record["visits"]) != visits[node]
            wanted = {}
            for depth in stored_depths(params, params.d1):
                below = in_kernels(depth - 1)
                for column in range(params.columns):
                    slot = plain(mean_slot)(params, node, in_kernels(depth), column)
                    wanted[slot] = sum(
                        int(graph.edges[e]["visits"]) * mean_of(graph, params, e, below, column)
                        for e in out
                    )
            for depth in stored_depths(params, params.d2, params.d3):
                slot = plain(count_slot)(params, node, in_kernels(depth))
                below = in_kernels(depth - 1)
                wanted[slot] = sum(count_of(graph, params, e, below) for e in out)
            for slot, value in wanted.items():
                if touched:
                    assert near(graph.levels[slot], value), (node, slot)
                else:
                    assert graph.levels[slot] == levels[slot], (node, slot)
                    stale += not near(graph.levels[slot], value)
    assert stale > 0


class Diamond:
    """r leads to x and y, both to v, then w, then z: the example against the printed update."""

    players = 1
    payoff_range = (0, 1)
    max_plies = 4
    ways = {"r": "xy", "x": "v", "y": "v", "v": "w", "w": "z", "z": ""}  # noqa: RUF012

    def start(self):
        return "r"

    def moves(self, state):
        return list(self.ways[state])

    def play(self, state, move):
        return move

    def payoffs(self, state):
        return 1.0


def grow_diamond(depths):
    """Let recorded games build all but z; return the search and its edges by name."""
    search = Search(
        trellis.PythonGame(Diamond()),
        select=f"ucd:{depths}",
        backup="exact",
        bounds="off",
        memory=2,
    )
    for moves in ("xvwz", "xvwz", "yvwz", "yvwz"):
        search.add_game(list(moves), [0.0])
    return search, name_edges(search)


def name_edges(search):
    """Return the edges by name, two letters each."""
    graph = search.graph
    letters = {search.root: "r"}
    named = {}
    for node in range(int(graph.counters[g.NODES])):  # a parent is always made before its child
        first = int(graph.nodes[node]["first"])
        for edge in range(first, first + int(graph.nodes[node]["edges"])):
            letter = search.game._moves.items[int(graph.links[edge]["move"])]
            letters[graph.child(edge)] = letter
            named[letters[node] + letter] = edge
    return named


def test_the_update_as_printed_would_be_wrong():
    """The playout r, x, v, w, z changes n_1 of y to v, which it neither goes along nor is near.

    Printed (UCD paper, 3.4) is that edges along the path change, and those at most d moves above
    the leaf.  From z, one move above is w to z alone.
    """
    search, named = grow_diamond("2,2,2")
    assert set(named) == {"rx", "ry", "xv", "yv", "vw"}
    graph, params = search.graph, search.params
    count_of, mean_of = plain(adapted_count), plain(adapted_mean)

    def values():
        edges = name_edges(search)
        return {
            (name, depth): (
                count_of(graph, params, edge, depth), mean_of(graph, params, edge, depth, 0)
            )
            for name, edge in edges.items()
            for depth in (1, 2)
        }  # fmt: skip

    before = values()
    search.add_game(list("xvwz"))
    assert_exact(search)
    after = values()
    along = {"rx", "xv", "vw", "wz"}
    near_leaf = {1: {"wz"}, 2: {"wz", "vw"}}
    changed = {name for name, value in before.items() if value != after[name]}
    forgotten = {name for name in changed if name[0] not in along | near_leaf[name[1]]}
    assert forgotten == {("yv", 1), ("yv", 2), ("ry", 2)}
    assert after["yv", 1][0] == before["yv", 1][0] + 1
    assert after["yv", 1][1] > before["yv", 1][1]  # the others paid nothing


def test_a_recorded_game_ends_where_the_record_ends():
    """Nothing is drawn at random and no move is made up, though the graph goes on from there."""
    search, named = grow_diamond("2,2,2")
    random_state, nodes = int(search.rng[0]), int(search.graph.counters[g.NODES])
    child = search.graph.child(named["rx"])
    own = int(search.graph.nodes[child]["own"])
    search.add_game(["x"], [1.0])
    assert int(search.rng[0]) == random_state
    assert int(search.graph.counters[g.NODES]) == nodes
    assert int(search.graph.nodes[child]["own"]) == own + 1
    assert int(search.graph.edges[named["xv"]]["visits"]) == 1
    assert_sound(search, 5)
    assert_exact(search)
