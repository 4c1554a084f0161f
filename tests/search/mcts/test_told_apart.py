"""Positions are told apart by their words: proofs hold where keys collide on purpose.

Every bound of every node is compared with brute force, which knows no keys.
"""

import numpy as np
import pytest

import trellis
from colliding import collider, colliding, python_game
from trellis.game.bits import mix, unmix
from trellis.game.contract import check_game
from trellis.game.errors import BrokenContract
from trellis.game.game import Position
from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.make_params import make_params
from trellis.search.mcts.reference import ReferenceSearch
from trellis.search.mcts.settings import Settings
from trellis.search.solve.proof import solve, strategy
from trellis.search.solve.strong import solve_strongly

SMALL = "connect_four:rows=3,columns=3,x_in_row=3"
MAZE = "random_automaton:states=60,branching=3,seed=5"
ROUND = "random_automaton:states=60,branching=3,cyclic=true,seed=5"
DICE = "random_automaton:states=60,branching=3,chance=40,seed=5"


def values_of(game):
    """Return what every position is worth, by the words that tell positions apart."""
    return {
        (position.state & game.identity).tobytes(): value
        for position, value in solve_strongly(game).items()
    }


def check_bounds(search, values):
    """Compare the bounds of every node with brute force; return how many say something."""
    graph, params, game = search.graph, search.params, search.game
    least, greatest = game.payoff_range
    kept, news = params.kept, 0
    assert params.verify
    seen = set()
    for node in range(int(graph.counters[g.NODES])):
        record = graph.nodes[node]
        if not record["flags"] & g.USED:
            continue
        words = np.zeros(game.state_words, np.uint64)
        words[:kept] = graph.states[node * kept : (node + 1) * kept]
        telling = (words & game.identity).tobytes()
        assert telling not in seen  # one position, one node
        seen.add(telling)
        low, high = values[telling]
        assert record["low"] <= low + 1e-12
        assert record["high"] >= high - 1e-12
        news += record["low"] > least or record["high"] < greatest
    return news


@pytest.mark.parametrize("bounds", ["plain", "solver", "cuts", "guided", "deep"])
@pytest.mark.parametrize("spec", [SMALL, MAZE, ROUND, DICE])
def test_every_bound_is_true_although_keys_collide(spec, bounds):
    game = collider(spec)
    values = values_of(load(spec))
    for select in ("uct1", "simple", "uct3", "ucd:2,1,2"):
        search = Search(game, select=select, bounds=bounds, seed=3)
        search.simulate(3_000)
        assert check_bounds(search, values) > 10
        assert len(np.unique(search.graph.nodes["key"][: search.graph.counters[g.NODES]])) <= 4


@pytest.mark.parametrize("spec", ["tic_tac_toe", SMALL, "hex:board_size=3"])
@pytest.mark.parametrize("bits", [0, 3])
def test_symmetry_keeps_one_image_although_keys_collide(spec, bits):
    game = collider(spec, bits)
    values = values_of(load(spec))
    search = Search(game, symmetry=True, bounds="deep", seed=1)
    search.simulate(4_000)
    check_bounds(search, values)
    plain = Search(load(spec), symmetry=True, bounds="deep", seed=1)
    plain.simulate(4_000)
    start = game.start().state & game.identity
    assert search.solved == plain.solved
    if search.solved:
        assert search.bounds == values[start.tobytes()]


def test_a_strategy_wins_although_keys_collide():
    game = collider("hex:board_size=3")
    search = Search(game, symmetry=True, bounds="deep", when_full="collect", seed=1)
    search.simulate(200_000)
    assert search.bounds == (1.0, 1.0)
    advice = {position.code: move for position, move in strategy(search) if position.acting == 0}
    waiting, games = [game.start()], 0
    while waiting:
        position = waiting.pop()
        if position.is_over:
            games += 1
            assert position.payoffs() == (1.0, -1.0)
        elif position.acting == 0:
            waiting.append(position.play(advice[position.code]))
        else:
            waiting += [position.play(move) for move in position.move_codes()]
    assert games > 10


def test_a_small_memory_that_collects_keeps_words_with_their_nodes():
    game = collider(SMALL)
    values = values_of(load(SMALL))
    for seed in range(3):
        search = Search(
            game, memory=0.02, when_full="collect", bounds="cuts", select="uct1", seed=seed
        )
        for _ in range(6):
            search.simulate(500)
            check_bounds(search, values)
        assert search.collections > 0 or search.solved
        if not search.solved:
            search.advance(search.best())
            search.simulate(500)
            check_bounds(search, values)


def test_the_index_grows_although_all_keys_are_one():
    search = Search(collider("tic_tac_toe", 0), bounds="plain", select="uct1", seed=2)
    search.simulate(6_000)
    assert search.graph.counters[g.LIVE_NODES] > 3_000
    assert search.graph.counters[g.INDEX_SIZE] > g.FIRST_INDEX
    assert check_bounds(search, values_of(load("tic_tac_toe"))) > 100


@pytest.mark.parametrize("bits", [0, 1])
def test_a_game_written_in_python_is_solved_although_keys_collide(bits):
    game = python_game(bits)
    search = Search(game, bounds="deep", seed=1)
    search.simulate(2_000)
    values = values_of(game)
    assert search.bounds == values[(game.start().state & game.identity).tobytes()]
    check_bounds(search, values)


@pytest.mark.parametrize("spec", ["tic_tac_toe", SMALL, "breakthrough:rows=4,columns=4"])
def test_solve_proves_the_same_although_keys_collide(spec):
    assert solve(collider(spec, 6), limit=300_000).payoffs == solve(load(spec)).payoffs


def test_the_reference_search_tells_positions_apart_too():
    for settings in ({}, {"symmetry": True}):
        game = collider(SMALL)
        search = Search(game, seed=4, **settings)
        twin = ReferenceSearch(game, seed=4, **settings)
        search.simulate(300)
        twin.simulate(300)
        used = int(search.graph.counters[g.NODES])
        assert used == len(twin.nodes)
        assert search.graph.nodes["visits"][:used].tolist() == [n.visits for n in twin.nodes]
        assert search.graph.nodes["low"][:used].tolist() == [n.low for n in twin.nodes]


def test_unfolded_games_are_proven_by_words():
    game = colliding(trellis.unfolded(load("nim:pile_sizes=1;2;2")), 1)
    assert solve(game).payoffs == solve(load("nim:pile_sizes=1;2;2")).payoffs


# -- who compares, and who need not ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "settings", "verify", "kept"),
    [
        ("connect_four", {}, False, 0),  # an exact key
        ("hex", {}, True, 4),  # of five words the last one follows from the others
        ("hex:board_size=5", {}, False, 0),
        ("breakthrough", {}, True, 3),
        ("breakthrough", {"bounds": "off"}, False, 0),  # nothing is proven
        ("breakthrough", {"select": "uct0"}, False, 0),  # nothing is looked up
        ("breakthrough", {"when_full": "drake"}, False, 0),
        ("goofspiel", {}, False, 0),  # views share keys on purpose
    ],
)
def test_words_are_kept_only_where_they_are_compared(spec, settings, verify, kept):
    params = make_params(Settings(**settings), load(spec))
    assert (params.verify, params.kept, params.recall) == (verify, kept, False)


# -- exact keys ------------------------------------------------------------------------------------


def test_mixing_can_be_undone():
    for word in (0, 1, 12345, (1 << 64) - 1, 0x0123_4567_89AB_CDEF):
        assert unmix(int(mix(np.uint64(word)))) == word


@pytest.mark.parametrize(
    "spec",
    [
        "tic_tac_toe", "connect_four", "connect_four:rows=4,columns=5", "pentago", "nim", "dice",
        "hex:board_size=5", "gomoku:m=5,n=6,k=4", "othello:board_size=4", "leftright",
        "breakthrough:rows=6,columns=5", "knightthrough:rows=5,columns=6", "nine_mens_morris",
        "crisscross", "pgame:combine=30,depth=6",
    ],
)  # fmt: skip
def test_positions_that_fit_into_a_key_are_their_keys(spec):
    game = load(spec)
    assert game.exact_key
    check_game(game, games=5, walk=100)


@pytest.mark.parametrize("spec", ["hex", "dice:m=6,k=4", "othello", "breakthrough", "pgame"])
def test_positions_that_do_not_fit_are_not(spec):
    assert not load(spec).exact_key


def test_a_game_that_wrongly_claims_an_exact_key_is_caught():
    game = colliding(load("kalah"), 60)  # a hash that the walk will not see collide
    check_game(game, games=2, walk=50)
    game.exact_key = True
    with pytest.raises(BrokenContract, match="does not say how to take its keys apart"):
        check_game(game, games=2, walk=50)
    game.words_of_key = lambda key: game.start().state.tolist()
    with pytest.raises(BrokenContract, match="words_of_key does not return the position"):
        check_game(game, games=2, walk=50)


def test_bits_that_matter_cannot_be_left_out_of_the_identity():
    game = load("othello:board_size=4")
    game.identity = np.array([(1 << 64) - 1, 0, (1 << 64) - 1], np.uint64)
    with pytest.raises(BrokenContract, match="two keys"):
        check_game(game, games=5, walk=300)
    game = colliding(load("breakthrough:rows=4,columns=4"), 0)
    game.identity = np.array([0, 0, 1], np.uint64)
    with pytest.raises(BrokenContract, match="share a key"):
        check_game(game, games=1)
    game.identity = np.array([1 << 40, 0, 0], np.uint64)
    with pytest.raises(BrokenContract, match="bits outside `identity` matter"):
        check_game(game, games=1)


def test_colliding_positions_are_two_positions():
    game = collider(SMALL, 0)
    after = [game.start().play(move) for move in game.start().move_codes()]
    assert len({position.key for position in after}) == 1
    assert len(set(after)) == 3
    assert isinstance(after[0], Position)
