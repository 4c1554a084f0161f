"""EinStein würfelt nicht!: deals, which stone may move, captures, and both ways to win."""

import random

import numpy as np
import pytest
from random_play import (
    after_random_moves,
    assert_playouts_are_games_through_the_rules,
    ends_of_playouts,
)

from trellis.game.game import Position
from trellis.loading import load

GONE = 0x7F
ROLLING, MOVING = 2, 3


def _place(black, white, who, phase=ROLLING, die=1):
    """A position with stones given as {number: cell name}; row 5 is on top."""
    words = []
    for stones in (black, white):
        word = 0
        for stone in range(6):
            name = stones.get(stone + 1)
            cell = GONE if name is None else 5 * (5 - int(name[1])) + "abcde".index(name[0])
            word |= cell << 8 * stone
        words.append(word)
    words.append(phase | who << 3 | (die - 1 << 4 if phase == MOVING else 0))
    return Position(load("ein_stein"), np.array([*words], np.uint64))


def test_stones_are_dealt_in_the_order_of_a_dictionary_and_white_moves_first():
    start = load("ein_stein").start()
    assert len(start.move_codes()) == start.game.max_moves == 720
    position = start.play("123465", "654321")
    assert str(position).splitlines() == [
        "5 b1 b2 b3  .  .",
        "4 b4 b6  .  .  .",
        "3 b5  .  .  . w6",
        "2  .  .  . w5 w4",
        "1  .  . w3 w2 w1",
        "   a  b  c  d  e",
        "w rolls",
    ]
    assert position.play("1").acting == 1


def test_the_stone_that_was_rolled_moves_in_three_directions():
    position = _place({1: "a5", 3: "b4"}, {2: "e1"}, 0, MOVING, 3)
    assert sorted(position.moves()) == ["3b3", "3c3", "3c4"]


def test_if_that_stone_is_gone_the_next_below_and_above_may_move():
    position = _place({1: "a5", 2: "c5", 6: "b4"}, {2: "e1"}, 0, MOVING, 4)
    assert sorted(position.moves()) == ["2c4", "2d4", "2d5", "6b3", "6c3", "6c4"]


def test_with_nothing_above_only_the_next_below_may_move():
    position = _place({1: "a5", 2: "c5"}, {2: "e1"}, 0, MOVING, 4)
    assert sorted(position.moves()) == ["2c4", "2d4", "2d5"]


def test_at_the_edge_one_direction_is_left():
    assert _place({1: "b1"}, {2: "e2"}, 0, MOVING, 5).moves() == ["1c1"]
    assert _place({1: "b1"}, {2: "a4"}, 1, MOVING, 5).moves() == ["2a5"]


def test_a_stone_takes_whatever_stands_on_its_target_its_own_too():
    position = _place({1: "a5", 2: "b4"}, {1: "a4", 2: "e1"}, 0, MOVING, 1)
    own = position.play("1b4")
    assert own.play("1").moves()
    assert int(own.state[0]) & 0xFF == 6
    assert int(own.state[0]) >> 8 & 0xFF == GONE
    other = position.play("1a4")
    assert int(other.state[1]) & 0xFF == GONE


def test_captures_have_odd_numbers():
    position = _place({1: "a5", 2: "b4"}, {1: "a4", 2: "e1"}, 0, MOVING, 1)
    taken = {position.name(code): code % 2 for code in position.move_codes()}
    assert taken == {"1b4": 1, "1a4": 1, "1b5": 0}


def test_reaching_the_far_corner_wins():
    assert _place({1: "d2"}, {2: "c3"}, 0, MOVING, 1).play("1e1").payoffs() == (1.0, -1.0)
    assert _place({1: "d2"}, {2: "b4"}, 1, MOVING, 1).play("2a5").payoffs() == (-1.0, 1.0)


def test_ones_own_corner_wins_nothing():
    # White starts on e1 and black on a5; neither may win by standing at home.
    position = _place({1: "a4"}, {2: "e1", 3: "e2"}, 1, MOVING, 3)
    assert not position.play("3d2").is_over


def test_taking_the_last_stone_wins():
    assert _place({1: "b3"}, {2: "c2"}, 0, MOVING, 1).play("1c2").payoffs() == (1.0, -1.0)
    assert _place({1: "b3"}, {2: "c2"}, 1, MOVING, 1).play("2b3").payoffs() == (-1.0, 1.0)


def test_no_player_has_more_than_six_moves():
    position = _place({1: "a5", 6: "b4"}, {2: "e1"}, 0, MOVING, 4)
    assert len(position.move_codes()) == 6


def test_no_game_is_longer_than_the_stones_can_walk():
    game = load("ein_stein")
    dice = random.Random(7)
    longest = 0
    for _ in range(60):
        position, plies = game.start(), 0
        while not position.is_over:
            codes = position.move_codes()
            if position.is_chance:
                move = dice.choice(codes)
            else:
                # Shortest steps, no captures if possible: as long a game as can be.
                straight = [code for code in codes if code // 2 % 6 not in (0, 4)]
                quiet = [code for code in straight if code % 2 == 0]
                move = dice.choice(quiet or straight or codes)
            position = position.play(move)
            plies += 1
        longest = max(longest, plies)
    assert 60 < longest <= game.max_plies


@pytest.mark.parametrize("plies", [0, 1, 2, 3, 8, 9])
def test_playouts_from_anywhere_are_games_through_the_rules(plies):
    game = load("ein_stein")
    position = after_random_moves(game.start(), plies, random.Random(plies))
    assert_playouts_are_games_through_the_rules(position, 6000, 6000, rel=0.03)


def test_a_playout_leaves_a_position_that_is_over_and_pays_as_said():
    game = load("ein_stein")
    for end, state, _ in ends_of_playouts(game.start(), 300, seed=4):
        winner = 0 if end.payoffs()[0] > 0 else 1
        cells = [[int(state[player]) >> 8 * i & 255 for i in range(6)] for player in (0, 1)]
        assert cells[1 - winner] == [GONE] * 6 or (24, 0)[winner] in cells[winner]
