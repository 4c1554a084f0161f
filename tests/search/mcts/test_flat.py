"""Ranking moves by playouts."""

import pytest

import trellis
from forever import Forever
from trellis.game.errors import BadParameter, GameOver, LimitReached
from trellis.search.mcts.flat import rank_moves


def test_it_takes_a_win_and_stops_a_loss():
    start = trellis.load("connect_four").start()
    assert rank_moves(start.play(*"dadada"), sims=2000).best == "d"
    assert rank_moves(start.play(*"dadad"), sims=5000).best == "d"


def test_same_seed_same_ranking():
    start = trellis.load("connect_four").start()
    one, two, other = (rank_moves(start, sims=3000, seed=seed) for seed in (1, 1, 2))
    assert one.moves == two.moves
    assert one.moves != other.moves
    assert sum(line.visits for line in one.moves) == one.sims == 3000


@pytest.mark.parametrize("sims", [1, 63, 64, 65, 1000])
def test_a_budget_of_simulations_is_kept_exactly(sims):
    assert rank_moves(trellis.load("tic_tac_toe").start(), sims=sims).sims == sims


def test_values_are_payoffs_of_the_player_to_move():
    report = rank_moves(trellis.load("connect_four").start().play(*"dadad"), sims=5000)
    assert report.player == "o"
    assert report.value == max(line.value for line in report.moves if line.visits > 100)
    assert all(-1 <= line.value <= 1 for line in report.moves)
    lone = rank_moves(trellis.load("leftright:h=4").start(), sims=4000)
    # A step left, then three random ones: 1/4 + 3/8 on average.
    assert lone.value == pytest.approx(0.625, abs=0.03)


def test_hidden_choices_stay_hidden():
    """In matching pennies the second chooser must not profit from the first one's choice."""
    game = trellis.load("goofspiel:num_cards=3,points_order=descending")
    start = game.start()
    first = rank_moves(start, player=0, sims=4000, seed=1)
    second = rank_moves(start, player=1, sims=4000, seed=1)
    assert {line.move for line in first.moves} == {line.move for line in second.moves}
    assert first.value == pytest.approx(second.value, abs=0.1)


def test_positions_without_a_choice_are_refused():
    over = trellis.load("tic_tac_toe").start().play("a1", "a2", "b1", "b2", "c1")
    with pytest.raises(GameOver):
        rank_moves(over)
    dice = trellis.load("dice").start()
    assert dice.is_chance
    with pytest.raises(BadParameter, match="chance acts"):
        rank_moves(dice)
    with pytest.raises(BadParameter, match="player 1 does not act"):
        rank_moves(trellis.load("tic_tac_toe").start(), player=1)


def test_a_game_without_end_is_stopped():
    with pytest.raises(LimitReached):
        rank_moves(trellis.PythonGame(Forever()).start(), sims=1)


@pytest.mark.parametrize(
    "budget",
    [{"sims": 0}, {"sims": -1}, {"sims": None}, {"sims": None, "seconds": 0.0}, {"c": -1.0}],
)
def test_budgets_that_make_no_sense_are_refused(budget):
    with pytest.raises(BadParameter, match="expected"):
        rank_moves(trellis.load("tic_tac_toe"), **budget)


def test_every_move_is_tried_before_any_is_tried_again():
    report = rank_moves(trellis.load("tic_tac_toe"), sims=9, c=1e12)
    assert [line.visits for line in report.moves] == [1] * 9
