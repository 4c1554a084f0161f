"""The graph search as its users see it."""

import itertools
import math
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

import trellis
from trellis._kernel import slices
from trellis.game.errors import BadParameter, GameOver, counted
from trellis.loading import load
from trellis.search.mcts import engine
from trellis.search.mcts import graph as g
from trellis.search.mcts.branchless import VISITS_AT
from trellis.search.mcts.engine import Search
from trellis.search.mcts.parallel import ParallelSearch
from trellis.search.mcts.settings import Settings
from trellis.search.solve.proof import prepare, solve, strategy
from trellis.search.solve.strong import solve_strongly

EXAMPLES = Path(__file__).parents[3] / "examples"

# -- budgets -------------------------------------------------------------------------------------


def test_a_budget_of_simulations_is_kept_exactly():
    report = Search(load("connect_four")).run(sims=1234)
    assert report.sims == 1234
    assert sum(line.visits for line in report.moves) == 1234


def test_a_clock_stops_a_search(monkeypatch):
    now = itertools.count(step=0.01)  # a clock that goes on by this each time it is read
    for module in (engine, slices):
        monkeypatch.setattr(module, "perf_counter", lambda: next(now))
    search = Search(load("connect_four"))
    began = next(now)
    report = search.run(seconds=0.5)
    assert 0.5 <= next(now) - began < 0.6
    assert report.sims > 0


def test_progress_is_told_and_may_stop_the_search():
    seen = []

    class Enough(Exception):
        pass

    def watch(fraction, note):
        seen.append(fraction)
        assert note == counted(search.sims, "simulation")
        if len(seen) == 3:
            raise Enough

    search = Search(load("connect_four"))
    with pytest.raises(Enough):
        search.run(sims=10_000_000, progress=watch)
    assert seen == sorted(seen)
    assert 0 < search.sims < 10_000_000
    assert search.report().sims == search.sims  # nothing is lost


def test_same_seed_same_report():
    first = Search(load("hex:board_size=5"), seed=7).run(sims=3_000)
    second = Search(load("hex:board_size=5"), seed=7).run(sims=3_000)
    other = Search(load("hex:board_size=5"), seed=8).run(sims=3_000)
    assert first.moves == second.moves
    assert first.moves != other.moves


def test_slices_do_not_change_the_search():
    whole = Search(load("connect_four"), seed=1)
    whole.simulate(2_000)
    parts = Search(load("connect_four"), seed=1)
    for _ in range(20):
        parts.simulate(100)
    assert whole.report().moves == parts.report().moves


# -- reuse and recorded games --------------------------------------------------------------------


@pytest.mark.parametrize("when_full", ["stop", "collect", "drake"])
def test_the_graph_moves_on_with_the_game(when_full):
    search = Search(load("connect_four"), when_full=when_full, memory=8)
    before = search.run(sims=5_000)
    known = next(line for line in before.moves if line.move == before.best)
    search.advance(before.best)
    assert search.graph.nodes[search.root]["visits"] >= known.visits
    after = search.run(sims=1_000)
    assert after.sims == 1_000
    check_graph(search)


def test_recorded_games_count_as_simulations():
    search = Search(load("tic_tac_toe"), bounds="off", seed=2)
    for _ in range(3):
        search.add_game(["b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"])
    search.add_game(["a1", "b2"], [-1.0, 1.0])
    lines = {line.move: line for line in search.report().moves}
    assert lines["b2"].visits == 3
    assert lines["b2"].value == 0.0
    assert lines["a1"].visits == 1
    assert lines["a1"].value == -1.0
    assert search.graph.counters[g.NODES] == 5  # one new node a game
    check_graph(search)
    with pytest.raises(BadParameter, match="payoffs"):
        search.add_game(["a1"], [5.0, 0.0])


# -- memory --------------------------------------------------------------------------------------


def test_nodes_and_edges_begin_alike():
    # One look serves either, wherever selection needs sum and visits: see `seen`.
    for kind in (g.NODE, g.EDGE):
        assert kind.fields["sum"][1] == 0
        assert kind.fields["visits"][1] == VISITS_AT


def check_graph(search: Search) -> None:
    """Check that lists and counts of a graph fit together."""
    graph = search.graph
    used = [i for i in range(len(graph.nodes)) if graph.nodes[i]["flags"] & g.USED]
    into: dict[int, set[int]] = {node: set() for node in used}
    edges = 0
    for node in used:
        first = int(graph.nodes[node]["first"])
        for edge in range(first, first + int(graph.nodes[node]["edges"])):
            edges += 1
            assert graph.links[edge]["parent"] == node
            child = graph.child(edge)
            if child != g.NONE:
                into[child].add(edge)
    for node in used:
        listed = []
        edge = int(graph.nodes[node]["first_in"])
        while edge != g.NONE:
            listed.append(edge)
            edge = int(graph.links[edge]["next_in"])
        assert len(listed) == len(set(listed))
        assert set(listed) == into[node]
        assert graph.nodes[node]["flags"] == g.USED
    assert edges == graph.counters[g.LIVE_EDGES]
    assert len(used) == graph.counters[g.LIVE_NODES]


@pytest.mark.parametrize("when_full", ["stop", "collect", "drake"])
def test_full_memory_is_a_state_not_an_error(when_full):
    search = Search(load("connect_four"), when_full=when_full, memory=0.2)
    report = search.run(sims=20_000)
    assert report.sims == 20_000
    assert report.bytes <= 0.2 * g.MIB * 1.01
    check_graph(search)
    for _ in range(6):
        search.advance(search.run(sims=3_000).best)
        check_graph(search)


def test_collecting_keeps_what_the_root_reaches():
    search = Search(load("connect_four"), when_full="collect", memory=4)
    search.run(sims=10_000)
    root = search.root
    move = search.report().best
    first = int(search.graph.nodes[root]["first"])
    moves = [int(code) & g.MOVE_MASK for code in search.graph.links["move"][first : first + 7]]
    child = search.graph.child(first + moves.index(search.position.code_of(move)))
    visits = int(search.graph.nodes[child]["visits"])
    before = int(search.graph.counters[g.LIVE_NODES])
    search.advance(move)
    assert int(search.graph.nodes[search.root]["visits"]) == visits
    assert int(search.graph.counters[g.LIVE_NODES]) < before
    check_graph(search)


def test_what_is_solved_is_collected_when_memory_is_short():
    found = solve(load("connect_four:rows=4,columns=4"), memory=1.0, limit=3_000_000)
    assert found.solved
    assert found.payoffs == (0.0, 0.0)
    assert found.bytes <= 1.01 * g.MIB


def test_nodes_and_edges_are_as_small_as_promised():
    search = Search(load("hex:board_size=11"), bounds="off", memory=64)
    search.run(sims=50_000)
    counters = search.graph.counters
    assert g.NODE.itemsize + 6 <= 64
    assert g.EDGE.itemsize * counters[g.EDGES] / counters[g.LIVE_EDGES] <= 48
    assert search.bytes / search.sims <= 300


# -- the rest ------------------------------------------------------------------------------------


def test_symmetric_positions_are_one_node():
    plain = Search(load("tic_tac_toe"), c=0.7, bounds="off")
    folded = Search(load("tic_tac_toe"), c=0.7, bounds="off", symmetry=True)
    for search in (plain, folded):
        search.simulate(60_000)
    assert plain.graph.counters[g.NODES] > 5_000
    assert folded.graph.counters[g.NODES] <= 765  # positions up to symmetry
    corners = {line.move: line for line in folded.report().moves if line.move in ("a1", "c3")}
    assert corners["a1"].adapted == corners["c3"].adapted
    assert corners["a1"].shared == corners["c3"].visits + corners_of(folded)


def corners_of(search: Search) -> int:
    return sum(line.visits for line in search.report().moves if line.move in ("a3", "c1"))


def test_threads_add_up():
    search = ParallelSearch(load("connect_four"), threads=2, memory=32)
    report = search.run(sims=4_001)
    assert report.sims == 4_001
    assert sum(line.visits for line in report.moves) == 4_001
    alone = Search(load("connect_four"), memory=16).run(sims=2_001)
    assert search.searches[0].report().moves == alone.moves


def test_a_thread_that_ends_early_keeps_nobody_busy(monkeypatch):
    """Whoever waits looks at the others from time to time, not all the time."""
    search = ParallelSearch(load("connect_four"), threads=2, memory=32)
    looks = []

    def linger(budget, seconds, watch):
        until = monotonic() + 0.3
        while monotonic() < until:
            sleep(0.001)
            watch(0.5, "5 simulations")

    monkeypatch.setattr(search.searches[0], "run", lambda *_: None)
    monkeypatch.setattr(search.searches[1], "run", linger)
    search.run(sims=10, progress=lambda fraction, note: looks.append(fraction))
    assert 1 <= len(looks) <= 20


def test_sequential_halving_spends_all_and_ends_with_one_move():
    report = Search(load("connect_four"), bounds="off", sequential_halving=True).run(sims=700)
    assert report.sims == 700
    visits = sorted((line.visits for line in report.moves), reverse=True)
    assert visits[0] > visits[-1]
    with pytest.raises(BadParameter, match="sequential_halving"):
        Search(load("connect_four"), sequential_halving=True).run(seconds=0.1)


def test_players_who_choose_at_once_do_not_see_each_other():
    game = load("goofspiel:num_cards=3,points_order=descending")
    search = Search(game)
    search.run(sims=20_000)
    assert search.settings.select == "uct1"
    for player in (0, 1):
        report = search.report(player)
        # The first simulation ended where the second player's node began.
        assert sum(line.visits for line in report.moves) == 20_000 - player
        assert report.best == "3"


def test_three_players_each_maximise_their_own():
    game = load("pig:players=3,target=10,horizon=1000")
    report = Search(game).run(sims=5_000)
    assert report.best == "roll"
    assert not report.solved


def test_cyclic_games_neither_hang_nor_overflow():
    game = load("nine_mens_morris:turn_limit=0")
    for select in ("simple", "uct3", "ucd:2,2,2"):
        search = Search(game, select=select, memory=16)
        search.simulate(3_000)
        check_graph(search)
    search = Search(load("random_automaton:cyclic=true,seed=3"), bounds="off", select="ucd:3,2,2")
    search.simulate(5_000)
    assert search.graph.counters[g.REPEATS] > 0
    for node in search.graph.nodes[: search.graph.counters[g.NODES]]:
        assert node["visits"] <= search.sims


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"select": "ucd:a,0,1"}, "depth 'a'"),
        ({"select": "ucd:1,0"}, "ucd:d1,d2,d3"),
        ({"select": "uct7"}, "uct7"),
        ({"c": -1}, "c"),
        ({"c": math.nan}, "c"),
        ({"memory": 0}, "memory"),
        ({"memory": 1e-5}, "memory"),
        ({"bounds": "tight"}, "bounds"),
        ({"when_full": "burn"}, "when_full"),
        ({"backup": "path", "select": "uct3"}, "backup path keeps no adapted values"),
        ({"grave": 5}, "rave"),
    ],
)
def test_bad_settings_are_named(changes, words):
    with pytest.raises(BadParameter, match=words):
        Search(load("connect_four"), **changes)


def test_what_cannot_be_searched_is_refused():
    with pytest.raises(BadParameter, match="once"):
        Search(load("goofspiel"), select="simple")
    with pytest.raises(BadParameter, match="bounds"):
        Search(load("pig:players=3"), bounds="cuts")
    with pytest.raises(BadParameter, match="expected recompute"):
        Search(load("nine_mens_morris:turn_limit=0"), select="uct3", backup="exact")
    with pytest.raises(BadParameter, match="symmetry"):
        Search(load("leftright"), symmetry=True)
    position = load("tic_tac_toe").start().play("a1", "b1", "a2", "b2", "a3")
    with pytest.raises(GameOver):
        Search(position)
    with pytest.raises(BadParameter, match="sims"):
        Search(load("tic_tac_toe")).run(sims=-5)


def test_games_in_plain_python_are_searched_too():
    game = trellis.load(str(EXAMPLES / "subtraction.py"))
    report = Search(game).run(sims=300)
    assert report.solved


def test_settings_can_be_changed_by_name():
    assert Settings().replace(c=0.1).c == 0.1
    assert Settings(select="ucd:inf,0,2").depths == (math.inf, 0, 2)


# -- what went wrong once -----------------------------------------------------------------------


def test_no_proof_rests_on_a_position_that_was_overwritten():
    with pytest.raises(BadParameter, match="drake"):
        Search(load("tic_tac_toe"), when_full="drake", bounds="cuts")
    # Edges whose node was overwritten must not read another node's statistics.
    search = Search(load("tic_tac_toe"), when_full="drake", memory=0.008, select="ucd:1,0,1")
    for move in ("b2", "a1", "c1", "a3"):
        search.simulate(2_000)
        for line in search.report().moves:
            assert line.visits == 0 or -1.0 <= line.adapted <= 1.0
        check_graph(search)
        search.advance(move)


def test_tiny_cyclic_games_are_solved_quickly():
    for seed in (1, 2, 3):
        game = load("random_automaton", seed=seed, states=40, branching=3, cyclic=True, payoffs=5)
        low, high = solve_strongly(game)[game.start()]
        found = solve(game, limit=50_000).for_player(0)
        assert found.solved == (low == high)
        assert found.low <= low + 1e-9
        assert found.high >= high - 1e-9


def test_a_strategy_is_optimal_where_chance_acts_and_refused_on_cycles():
    game = load("random_automaton:seed=6,states=40,branching=3,chance=30,payoffs=5")
    strong = solve_strongly(game)
    search = prepare(game, when_full="stop")
    solve(search)
    moves = {position.code: move for position, move in strategy(search)}

    def worth(position):
        """Return what player 0 gets by the strategy against the best replies."""
        if position.is_over:
            return position.payoffs()[0]
        after = [position.play(code) for code in position.move_codes()]
        if position.is_chance:
            return float(np.dot(position.probabilities(), [worth(p) for p in after]))
        if position.acting == 0:
            return worth(position.play(moves[position.code]))
        return min(worth(p) for p in after)

    assert worth(game.start()) == pytest.approx(strong[game.start()][0])
    cyclic = load("random_automaton:seed=2,states=40,branching=3,cyclic=true,payoffs=5")
    search = prepare(cyclic, when_full="stop")
    solve(search, limit=50_000)
    assert search.solved
    with pytest.raises(BadParameter, match="again"):
        list(strategy(search))


def test_long_games_are_solved_strongly_in_one_pass():
    game = load("pig:target=5,faces=3,horizon=20")
    values = solve_strongly(game)
    assert len(values) == 3_491
    low, high = values[game.start()]
    assert low == pytest.approx(high)


def test_halving_runs_on_one_thread():
    with pytest.raises(BadParameter, match="sequential_halving"):
        ParallelSearch(load("tic_tac_toe"), threads=2, sequential_halving=True)


def test_the_best_move_before_any_simulation_is_the_one_that_a_report_names():
    position = load("tic_tac_toe").start().play("a1", "a3", "b1", "b3")  # c1 wins at once
    search = Search(position)
    assert position.name(search.best()) == search.report().best == "c1"
    search.run(sims=50)
    assert position.name(search.best()) == search.report().best == "c1"


@pytest.mark.parametrize("memory", [0.1, 4.0])
def test_a_game_in_plain_python_can_be_searched_with_drake(memory):
    """Its keys come as plain numbers, of which half are too large for a signed word."""

    class Subtraction:
        max_moves, max_plies = 3, 40

        def start(self):
            return 40

        def moves(self, left):
            return [take for take in (1, 2, 3) if take <= left]

        def play(self, left, take):
            return left - take

        def payoffs(self, left):
            return 0

    for seed in range(3):
        game = trellis.PythonGame(Subtraction())
        search = Search(game, when_full="drake", bounds="off", memory=memory, seed=seed)
        assert search.run(sims=150).sims == 150
        search.advance(search.best())
        assert search.run(sims=50).moves[0].visits > 0


def test_a_search_begins_anew_elsewhere_with_the_same_memory():
    """What is found there is what a search of that position finds, whatever was before."""
    game = load("tic_tac_toe")
    there = game.start().play("a1", "b2", "c3")
    for when_full in ("stop", "collect", "drake"):
        search = Search(game, seed=4, when_full=when_full)
        search.run(sims=3000)
        graph = search.graph
        search.restart_at(there)
        assert search.graph is graph
        assert search.sims == 0
        report = search.run(sims=20_000)
        fresh = Search(there, seed=5, when_full=when_full).run(sims=20_000)
        assert {line.move for line in report.moves} == set(there.moves())
        assert report.solved == fresh.solved == (when_full != "drake")
        assert report.value == pytest.approx(fresh.value, abs=0.05)
    with pytest.raises(GameOver):
        search.restart_at(game.start().play("a1", "a2", "b1", "b2", "c1"))
    with pytest.raises(BadParameter):
        search.restart_at(load("connect_four").start())
