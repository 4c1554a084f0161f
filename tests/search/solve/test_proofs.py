"""What the search proves, against what others have proven or brute force finds."""

from pathlib import Path

import numpy as np
import pytest

from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.solve.proof import prepare, solve, strategy
from trellis.search.solve.strong import solve_strongly

EXAMPLES = Path(__file__).parents[3] / "examples"

# What others have proven: the first player wins (1), loses (-1), or it is a draw (0).
KNOWN = [
    ("tic_tac_toe", 0),
    ("connect_four:rows=4,columns=4", 0),
    ("connect_four:rows=3,columns=4", 0),
    ("connect_four:rows=4,columns=5", 0),
    ("hex:board_size=3", 1),
    ("hex:board_size=4", 1),
    ("othello:board_size=4", -1),
    ("breakthrough:rows=4,columns=4", 1),
    ("breakthrough:rows=5,columns=3", 1),
    ("breakthrough:rows=5,columns=4", 1),
    ("gomoku:m=4,n=4,k=3", 1),
]


@pytest.mark.parametrize(("name", "value"), KNOWN)
def test_solve_proves_known_values(name, value):
    found = solve(load(name), limit=2_000_000)
    assert found.solved
    assert found.payoffs == (value, -value)


@pytest.mark.parametrize("bounds", ["plain", "cuts", "guided", "deep"])
@pytest.mark.parametrize("select", ["uct0", "uct1", "simple", "uct3", "ucd:2,1,2"])
def test_every_way_to_bound_proves_the_same(bounds, select):
    found = solve(
        load("connect_four:rows=3,columns=3,x_in_row=3"),
        bounds=bounds,
        select=select,
        limit=200_000,
    )
    strong = solve_strongly(load("connect_four:rows=3,columns=3,x_in_row=3"))
    start = load("connect_four:rows=3,columns=3,x_in_row=3").start()
    assert found.solved
    assert found.payoffs is not None
    assert (found.payoffs[0], found.payoffs[0]) == strong[start]


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "connect_four:rows=3,columns=4", "hex:board_size=3"]
)
def test_every_bound_in_the_graph_is_true(name, symmetry):
    game = load(name)
    values = solve_strongly(game)
    by_key: dict[int, tuple[float, float]] = {}
    for position, value in values.items():
        by_key[position.key] = value
    search = Search(game, bounds="deep", delta=-0.1, symmetry=symmetry, seed=3)
    checked = 0
    for _ in range(40):
        search.simulate(50)
        nodes = search.graph.nodes[: search.graph.counters[g.NODES]]
        for node in nodes:
            low, high = by_key[int(node["key"])]
            assert node["low"] <= low == high <= node["high"]
            checked += node["low"] == node["high"]
    assert checked > 100


def test_nim_agrees_with_bouton():
    random = np.random.default_rng(5)
    for _ in range(150):
        piles = [int(pile) for pile in random.integers(1, 6, size=random.integers(2, 5))]
        game = load("nim", pile_sizes=";".join(map(str, piles)), is_misere=False)
        won = bool(np.bitwise_xor.reduce(piles))
        found = solve(game, limit=300_000)
        assert found.outcome == ("first" if won else "second"), piles


@pytest.mark.parametrize(
    ("size", "winning"),
    [(3, {"c1", "a2", "b2", "c2", "a3"}), (4, {"d1", "c2", "b3", "a4"})],
)
def test_every_opening_of_small_hex_is_won_or_lost(size, winning):
    # What a plain program in another language found by trying everything.
    start = load("hex", board_size=size).start()
    won = {move for move in start.moves() if solve(start.play(move)).outcome == "first"}
    assert won == winning


def test_winands_solver_proves_wins_but_no_draws():
    won = Search(load("hex:board_size=3"), bounds="solver")
    won.run(sims=20_000)
    assert won.solved
    drawn = Search(load("tic_tac_toe"), bounds="solver")
    drawn.run(sims=30_000)
    assert not drawn.solved
    assert drawn.bounds == (-1.0, 1.0)


def test_many_valued_scores_and_puzzles_are_proven():
    found = solve(load("leftright:h=8"), limit=50_000)
    assert found.payoffs == (1.0,)
    assert found.outcome is None
    game = load("random_automaton:seed=4")
    strong = solve_strongly(game)
    low, high = strong[game.start()]
    found = solve(game, limit=100_000).for_player(0)
    assert found.solved
    assert (found.low, found.high) == pytest.approx((low, high))


def test_bounds_of_the_game_are_used():
    search = Search(load("leftright:h=10").start().play("L", "L", "R"))
    assert search.bounds == (0.2, 0.9)


@pytest.mark.parametrize("seed", range(12))
def test_no_proof_on_a_cyclic_game_is_wrong(seed):
    game = load("random_automaton", cyclic=True, seed=seed)
    strong = solve_strongly(game)
    by_key = {position.key: value for position, value in strong.items()}
    for bounds in ("cuts", "deep"):
        search = Search(game, bounds=bounds, seed=seed)
        search.run(sims=3_000)
        for node in search.graph.nodes[: search.graph.counters[g.NODES]]:
            low, high = by_key[int(node["key"])]
            assert node["low"] <= low + 1e-9
            assert node["high"] >= high - 1e-9


def test_a_strategy_wins_against_everything():
    game = load("hex:board_size=3")
    search = prepare(game, when_full="stop")
    solve(search)
    moves = {position.code: move for position, move in strategy(search)}
    waiting, ends = [game.start()], 0
    while waiting:
        position = waiting.pop()
        if position.is_over:
            assert position.payoffs() == (1.0, -1.0)
            ends += 1
        elif position.acting == 0:
            waiting.append(position.play(moves[position.code]))
        else:
            waiting.extend(position.play(code) for code in position.move_codes())
    assert ends > 10
