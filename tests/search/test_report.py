"""One report for all searches and solvers: whose values they are, and what is proven."""

import json
import math
from dataclasses import replace

import pytest

from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.mcts.flat import rank_moves
from trellis.search.mcts.parallel import ParallelSearch
from trellis.search.solve.each_player import secure_exactly
from trellis.search.solve.proof import solve
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.engine import StarSearch

WON = ("b2", "a1", "b3", "a2", "c1")  # o wins tic-tac-toe by a3

REPORTS = {
    "graph": lambda start: Search(start, seed=1).run(sims=3_000),
    "threads": lambda start: ParallelSearch(start, threads=2, seed=1).run(sims=3_000),
    "depth first": lambda start: StarSearch(start, "alphabeta", memory=1).run(depth=9),
    "proof": solve,
    "all positions": solve_exactly,
}


@pytest.mark.parametrize("search", REPORTS)
def test_values_are_those_of_who_moves_and_of_the_other_on_request(search):
    position = load("tic_tac_toe").start().play(*WON)
    report = REPORTS[search](position)
    assert (report.player, report.values_of, report.best) == ("o", 1, "a3")
    assert (report.value, report.low, report.high, report.solved) == (1.0, 1.0, 1.0, True)
    assert report.bounds == ((-1.0, -1.0), (1.0, 1.0))
    assert (report.payoffs, report.outcome) == ((-1.0, 1.0), "second")
    assert (report.line[0], report.moves[0].move) == ("a3", "a3")
    assert (report.moves[0].value, report.moves[0].solved) == (1.0, True)
    other = report.for_player(0)
    assert (other.values_of, other.value, other.low, other.high) == (0, -1.0, -1.0, -1.0)
    assert (other.player, other.best, other.bounds) == (report.player, "a3", report.bounds)
    for own, theirs in zip(report.moves, other.moves, strict=True):
        assert (theirs.low, theirs.high) == (-own.high, -own.low)
        assert theirs.value == -own.value or math.isnan(own.value)
    assert other.for_player(1) == report


@pytest.mark.parametrize("search", REPORTS)
def test_one_place_makes_json_of_all(search):
    report = REPORTS[search](load("tic_tac_toe").start().play(*WON))
    facts = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert facts.keys() >= REPORTS["graph"](load("tic_tac_toe").start()).to_dict().keys() - {
        "select", "when_full", "collections", "repeats", "deepest", "endless_playouts",
    }  # fmt: skip
    assert (facts["best"], facts["value"], facts["solved"]) == ("a3", 1.0, True)
    assert facts["bounds"] == [[-1.0, -1.0], [1.0, 1.0]]
    assert [line["move"] for line in facts["moves"]] == [line.move for line in report.moves]
    assert "values" not in facts


def test_at_chance_values_are_those_of_the_first_player():
    game = load("dice:m=3,k=3")
    for report in (StarSearch(game, memory=1).run(depth=18), solve_exactly(game)):
        assert (report.player, report.values_of, report.best) == ("chance", 0, None)
        assert report.value == pytest.approx(0.347450846, abs=5e-10)
        assert report.for_player(1).value == pytest.approx(-0.347450846, abs=5e-10)
        assert report.payoffs == pytest.approx((0.347450846, -0.347450846), abs=5e-10)
        assert report.outcome is None  # nobody can be said to win
        assert [line.probability for line in report.moves] == pytest.approx([1 / 3] * 3)


def test_bounds_to_a_depth_are_not_called_proven():
    report = StarSearch(load("dice").start(), memory=1).run(depth=3)
    assert (report.low, report.high) == pytest.approx((0.0, 0.0))  # nobody can win so soon
    assert (report.solved, report.payoffs, report.outcome) == (False, None, None)
    assert report.bounds == ((-1.0, 1.0), (-1.0, 1.0))


def test_where_there_is_no_one_value_each_has_bounds_of_its_own():
    report = secure_exactly(load("goofspiel:num_cards=2").start())
    assert report.bounds == ((0.0, 0.0), (0.0, 0.0))
    other = report.for_player(1)  # here the second player gets what the first one does not
    assert (other.low, other.high) == report.bounds[1]
    report = secure_exactly(load("random_automaton:states=20,general=true,seed=1").start())
    with pytest.raises(BadParameter, match="values of player 0 do not follow"):
        report.for_player(0)
    three = rank_moves(load("goofspiel:players=3,num_cards=3").start().play("1"), sims=50)
    assert len(three.bounds) == 3
    with pytest.raises(BadParameter, match="values of player 2 do not follow"):
        three.for_player(2)
    with pytest.raises(BadParameter, match="values of player 7 do not follow"):
        solve(load("tic_tac_toe")).for_player(7)


def test_reports_that_say_the_same_are_equal_where_something_is_not_known():
    """Python 3.13 and later compare fields one by one, and a number that is none equals nothing."""
    start = load("tic_tac_toe").start()
    reports = [
        replace(solve_exactly(start), seconds=0.0, value=float("nan"), details={}) for _ in range(2)
    ]
    assert reports[0] == reports[1]
    assert reports[0] != replace(reports[1], low=-1.0)
    moves = [replace(report.moves[0], adapted=float("nan")) for report in reports]
    assert moves[0] == moves[1]
    assert len(set(moves)) == 1
    assert moves[0] != replace(moves[1], adapted=0.5)
    assert moves[0] != "a1"
