"""Pig: rolling, losing the turn, banking, and how a game ends."""

import random

import numpy as np
import pytest
from random_play import ends_of_playouts

from trellis.game.errors import BadParameter
from trellis.game.playouts import PlayoutRunner
from trellis.loading import load


def _banked(position):
    words = position.state[1:]
    return [int(words[p // 4]) >> 16 * (p % 4) & 0xFFFF for p in range(position.game.players)]


def test_a_one_loses_what_the_turn_has_brought_and_passes_it():
    position = load("pig").start().play("roll", "5", "roll", "6")
    assert "11 this turn" in str(position)
    position = position.play("roll", "1")
    assert position.acting == 1
    assert _banked(position) == [0, 0]


def test_stopping_banks_the_turn():
    position = load("pig").start().play("roll", "5", "roll", "6", "stop")
    assert position.acting == 1
    assert _banked(position) == [11, 0]


def test_points_that_would_win_must_be_banked():
    position = load("pig:target=5").start().play("roll", "6")
    assert position.moves() == ["stop"]
    end = position.play("stop")
    assert end.is_over
    assert end.payoffs() == (1.0, -1.0)


def test_a_turn_that_reaches_the_target_is_no_win_before_it_is_banked():
    position = load("pig:target=5,horizon=2").start().play("roll", "6")
    assert not position.is_over
    assert position.play("stop").payoffs() == (1.0, -1.0)


def test_at_the_horizon_nobody_has_won_even_if_the_die_still_rolls():
    position = load("pig:target=5,horizon=3").start().play("stop", "stop", "roll")
    assert position.is_over
    assert position.payoffs() == (0.0, 0.0)
    assert position.moves() == []


def test_the_loss_is_shared_by_all_who_lose():
    position = load("pig:target=3,players=5").start().play("stop", "roll", "4", "stop")
    assert position.payoffs() == (-0.25, 1.0, -0.25, -0.25, -0.25)


def test_turns_go_round():
    position = load("pig:players=8").start()
    for player in range(17):
        assert position.acting == player % 8
        position = position.play("stop")


def test_without_a_horizon_games_come_back_to_where_they_were():
    start = load("pig:horizon=0").start()
    assert start.play("stop", "stop") == start
    assert start.play("roll", "1", "stop") == start


def test_with_a_horizon_they_do_not():
    start = load("pig:horizon=50").start()
    assert start.play("stop", "stop") != start


def test_a_single_player_wins_one_or_nothing():
    start = load("pig:players=1,target=5,horizon=4").start()
    assert start.play("roll", "6", "stop").payoffs() == (1.0,)
    assert start.play("stop", "stop", "stop", "stop").payoffs() == (0.0,)


def test_a_single_player_needs_a_horizon():
    with pytest.raises(BadParameter, match="expected a horizon"):
        load("pig:players=1,horizon=0")


def test_the_longest_game_rolls_at_every_decision():
    game = load("pig:target=1000,faces=2,horizon=30")
    position, plies = game.start(), 0
    while not position.is_over:
        position = position.play("2" if position.is_chance else "roll")
        plies += 1
    assert plies == game.max_plies == 59


@pytest.mark.parametrize("faces", [2, 3, 20])
def test_the_die_has_most_outcomes_unless_two_decisions_are_as_many(faces):
    game = load(f"pig:faces={faces}")
    rolling = game.start().play("roll")
    assert len(rolling.move_codes()) == faces == game.max_moves
    assert rolling.probabilities() == pytest.approx([1 / faces] * faces)


def test_the_largest_scores_fit_their_places():
    game = load("pig:target=1000,faces=20,players=8,horizon=0")
    position = game.start()
    for _ in range(8):
        while int(position.state[0]) & 0xFFFF < 999 - 20:
            position = position.play("roll", "20")
        position = position.play("stop")
    assert _banked(position) == [980] * 8
    position = position.play("roll", "19", "roll", "20", "stop")
    assert _banked(position) == [1019] + [980] * 7
    assert position.payoffs()[0] == 1.0


@pytest.mark.parametrize(
    "spec",
    ["pig:target=30", "pig:target=30,horizon=40", "pig:target=20,players=3,horizon=25",
     "pig:target=20,players=5", "pig:target=9,players=1,horizon=9", "pig:target=20,horizon=0"],
)  # fmt: skip
def test_playouts_from_anywhere_are_games_through_the_rules(spec):
    game = load(spec)
    dice = random.Random(spec)
    position = game.start()
    for _ in range(7):
        fast = PlayoutRunner(game, 1).run(position, 3000)
        slow = PlayoutRunner(game, 2, own=False).run(position, 3000)
        assert fast.plies / 3000 == pytest.approx(slow.plies / 3000, rel=0.06)
        for player in range(game.players):
            error = np.hypot(fast.errors[player], slow.errors[player])
            assert fast.means[player] == pytest.approx(slow.means[player], abs=5 * error + 1e-9)
        position = position.play(dice.choice(position.move_codes()))
        if position.is_over:
            break


@pytest.mark.parametrize("spec", ["pig:target=30,horizon=20", "pig:players=3,horizon=20,target=9"])
def test_a_playout_leaves_a_position_that_is_over_and_pays_as_said(spec):
    game = load(spec)
    for _, state, plies in ends_of_playouts(game.start(), 300, seed=4):
        assert int(state[0]) >> 32 <= 20
        assert 0 < plies <= game.max_plies
