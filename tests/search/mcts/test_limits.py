"""Searches that are told to stop: what was begun leaves nothing behind, and a move is named."""

from pathlib import Path

import numpy as np
import pytest

import trellis.gdl
from search.mcts.long_game import LongGame
from trellis._kernel import deadline
from trellis._kernel.deadline import TimeIsUp, ask_to_stop, forget_stop
from trellis.game import calls as calls_of_games
from trellis.game import python_game
from trellis.game.playouts import PlayoutRunner
from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.flat import rank_moves
from trellis.search.mcts.parallel import ParallelSearch
from trellis.search.mcts.signature import graph_hash
from trellis.search.star.engine import StarSearch

SHEETS = Path(trellis.gdl.__file__).parent / "sheets"


def sheet(name):
    return load(f"{SHEETS / name}.kif:evaluator=lanes")


@pytest.fixture
def stopped():
    """Somebody has pressed Ctrl-C."""
    ask_to_stop()
    yield
    forget_stop()


class Subtraction:
    """Take one to three of some matches; taking the last one wins."""

    max_moves = 3
    name = "subtraction"

    def __init__(self, matches=9):
        self.matches = matches

    def start(self):
        return self.matches, 0

    def moves(self, state):
        return [take for take in (1, 2, 3) if take <= state[0]]

    def play(self, state, take):
        return state[0] - take, 1 - state[1]

    def payoffs(self, state):
        return 1 if state[1] == 1 else -1


# -- slices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["connect_four", "pig:horizon=1000", "tic_tac_toe.kif"])
def test_with_a_budget_of_simulations_slices_do_not_matter(game, monkeypatch):
    def search():
        loaded = sheet("tic_tac_toe") if game.endswith(".kif") else load(game)
        return Search(loaded, bounds="off", seed=5)

    at_once, as_it_comes, one_by_one = search(), search(), search()
    at_once.simulate(700)
    as_it_comes.run(sims=700)
    monkeypatch.setattr("trellis._kernel.slices.SLICE_SECONDS", 1e-12)  # every slice is one
    one_by_one.run(sims=700)
    assert graph_hash(at_once) == graph_hash(as_it_comes) == graph_hash(one_by_one)
    nodes = int(at_once.graph.counters[g.NODES])
    for other in (as_it_comes, one_by_one):
        assert np.array_equal(at_once.graph.nodes["sum"][:nodes], other.graph.nodes["sum"][:nodes])


# -- what is given up -----------------------------------------------------------------------------


def assert_whole(search):
    """Every playout through a node came by an edge or began there; nothing is half done."""
    graph = search.graph
    used = [
        node for node in range(int(graph.counters[g.NODES]))
        if graph.nodes[node]["flags"] & g.USED
    ]  # fmt: skip
    edges = 0
    for node in used:
        record = graph.nodes[node]
        assert not record["flags"] & (g.ON_PATH | g.MARKED)
        first = int(record["first"])
        own = range(first, first + int(record["edges"]))
        edges += len(own)
        visits = [int(graph.edges[edge]["visits"]) for edge in own]
        assert all(visits)
        assert int(record["visits"]) == int(record["own"]) + sum(visits)
        for edge in own:  # every edge is on the list of its child, once
            into, way = int(graph.nodes[graph.child(edge)]["first_in"]), []
            while into != g.NONE:
                way.append(into)
                into = int(graph.links[into]["next_in"])
            assert way.count(edge) == 1
    assert edges == int(graph.counters[g.LIVE_EDGES])
    assert search.sims == int(graph.nodes[search.root]["visits"])


def in_plain_python(name):
    game = load(name)
    game.compiled = False
    return game


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (lambda: load(Subtraction()), {"bounds": "off"}),
        (lambda: load(Subtraction(12)), {"bounds": "off", "select": "uct1"}),
        (
            lambda: in_plain_python("random_automaton:cyclic=true,states=40,seed=3"),
            {"bounds": "off"},
        ),
        (lambda: in_plain_python("tic_tac_toe"), {"bounds": "cuts", "decisive": True}),
    ],
)
def test_a_simulation_that_is_given_up_leaves_nothing_behind(make, settings, monkeypatch):
    calls = [0, 0]

    def look():
        calls[0] += 1
        if calls[0] == calls[1]:
            raise TimeIsUp

    monkeypatch.setattr(calls_of_games, "look", look)
    monkeypatch.setattr(python_game, "look", look)
    given_up = 0
    for moment in [*range(1, 120, 3), 200, 301, 402, 503]:
        search = Search(make(), seed=moment, memory=1.0, **settings)
        calls[:] = [0, moment]
        before = search.run(sims=60).sims
        given_up += before < 60 and not search.solved
        assert_whole(search)
        calls[:] = [0, -1]
        search.run(sims=80)  # and it goes on as if nothing had happened
        assert_whole(search)
        assert search.solved or search.sims == before + 80
    assert given_up > 20


@pytest.mark.parametrize(
    ("name", "sims", "more"),
    [("connect_four", 900, 40), ("three_player_tic_tac_toe", 200, 9), ("pig", 900, 40)],
)
def test_leaves_that_wait_give_everything_back(name, sims, more):
    search = Search(sheet(name), bounds="off", seed=2)
    search.simulate(sims)
    assert_whole(search)
    nodes, live = int(search.graph.counters[g.NODES]), int(search.graph.counters[g.LIVE_EDGES])
    seen = [search.graph.nodes[field][:nodes].copy() for field in ("visits", "own", "sum", "edges")]
    search._run(more, (), None)
    assert search._waiting == more  # none has come to an end of the game, which counts at once
    search._halted = True
    search._finish_waiting()
    assert search._waiting == 0
    assert_whole(search)
    assert int(search.graph.counters[g.LIVE_EDGES]) == live
    for field, before in zip(("visits", "own", "sum", "edges"), seen, strict=True):
        assert np.array_equal(search.graph.nodes[field][:nodes], before)


def test_a_batch_that_is_stopped_counts_for_nothing(monkeypatch):
    game = sheet("tic_tac_toe")
    search = Search(game, bounds="off", seed=1)
    search.rng[1] = 1  # as a timer does
    assert search._run(5, (), None) == 0
    assert search._halted
    assert_whole(search)
    runner = PlayoutRunner(game)
    with monkeypatch.context() as patch:
        patch.setattr(deadline, "_asked", type("Asked", (), {"is_set": lambda self: True})())
        found = runner.run(game.start(), 64)
    assert found.games == 0
    assert np.isnan(found.means).all()
    assert runner.run(game.start(), 64).games == 64


# -- long playouts --------------------------------------------------------------------------------


def test_a_playout_of_a_million_moves_is_interrupted():
    search = Search(LongGame(), seed=1, memory=1.0)
    report = search.run(seconds=0.02)
    assert report.sims == 0  # unheard, the clock would have to wait for one to end
    assert report.note == "no simulation was possible: the first legal move"
    assert report.best == "0"
    assert_whole(search)
    assert rank_moves(LongGame(), sims=None, seconds=0.02).sims == 0
    assert PlayoutRunner(LongGame()).run(LongGame().start(), 1, seconds=0.02).games == 0
    careful = Search(LongGame(), memory=1.0, decisive=True)
    assert careful.run(seconds=0.02).sims == 0


class LongInPython(Subtraction):
    """A million matches, one at a time."""

    def moves(self, state):
        return [1, 2] if state[0] > 1 else [1] * state[0]


def test_a_playout_of_a_million_moves_in_python_is_interrupted():
    search = Search(load(LongInPython(1_000_000)), seed=1, memory=1.0)
    report = search.run(seconds=0.02)
    assert report.sims == 0
    assert report.note.startswith("no simulation was possible")
    assert_whole(search)
    assert rank_moves(load(LongInPython(1_000_000)), sims=None, seconds=0.02).sims == 0
    star = StarSearch(load(LongInPython(1_000_000)), "star1")
    assert star.run(seconds=0.02).best in ("1", "2")


# -- stopping, and answers without a simulation ---------------------------------------------------


@pytest.mark.usefixtures("stopped")
def test_whoever_is_asked_to_stop_does_so_at_once_with_a_legal_move():
    for report in (
        Search(load("connect_four")).run(sims=1000),
        Search(load(Subtraction())).run(sims=1000),
        Search(sheet("tic_tac_toe")).run(sims=1000),
        ParallelSearch(load("connect_four"), threads=2).run(sims=1000),
        rank_moves(load("connect_four"), sims=1000),
    ):
        assert report.sims == 0
        assert report.note == "no simulation was possible: the first legal move"
        assert report.best == report.moves[0].move
    star = StarSearch(load("connect_four"), "alphabeta").run(depth=9)
    assert star.depth <= 1  # one ply is searched sooner than anybody could ask
    assert star.best in "abcdefg"
    star = StarSearch(load(Subtraction()), "alphabeta").run(depth=9)
    assert (star.depth, star.best) == (0, "1")
    assert star.note == "no simulation was possible: the first legal move"


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_move_that_wins_at_once_needs_no_simulation(compiled):
    game = load("connect_four")
    game.compiled = compiled
    position = game.start().play(*"dededc")
    for report in (
        Search(position, bounds="off").run(sims=10),
        rank_moves(position, sims=10),
        ParallelSearch(position, threads=1).run(sims=10),
    ):
        assert report.best == "d"
        assert report.note == "no simulation was possible: a move that wins at once"
    search = StarSearch(position, "alphabeta")
    assert search.run(depth=3).best == "d"


def test_the_kept_graph_of_a_search_needs_no_note():
    search = Search(load("connect_four"), bounds="off")
    search.run(sims=500)
    search.advance("d")
    ask_to_stop()
    try:
        report = search.run(sims=500)
    finally:
        forget_stop()
    assert report.sims == 0
    assert report.note == ""
    assert report.moves[0].visits > 0


def test_chess_by_forward_chaining_is_interrupted_in_its_first_playout(shared):
    """A step of it takes a good part of a second, a playout many minutes."""
    game = load(f"{shared / 'gdl' / 'base' / 'chess.kif'}:evaluator=forward")
    search = Search(game, memory=8.0)
    report = search.run(seconds=0.5)
    assert report.sims == 0
    assert report.note == "no simulation was possible: the first legal move"
    assert report.best in game.start().moves()
    assert_whole(search)
