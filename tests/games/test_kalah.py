"""Kalah: sowing, captures, extra moves, ends; a plain twin for all sizes."""

import random

import numpy as np
import pytest

from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.loading import load


def set_up(first, first_store, second, second_store, turn=0):
    """Make a position from the houses of each player in the order of sowing."""
    game = load(f"kalah:houses={len(first)},seeds=4")
    words = [
        sum(seeds << 8 * house for house, seeds in enumerate(row)) | store << 56
        for row, store in ((first, first_store), (second, second_store))
    ]
    return Position(game, np.array([words[0] | turn << 63, words[1]], np.uint64))


def pits(position):
    """List the pits in OpenSpiel's order: the second store, the first side, and so on."""
    houses = position.game.houses
    words = [int(word) for word in position.state]
    rows = [[word >> 8 * house & 0xFF for house in range(houses)] for word in words]
    return [words[1] >> 56, *rows[0], words[0] >> 56 & 0x7F, *rows[1]]


def test_start_has_four_seeds_in_each_house_and_six_moves():
    start = load("kalah").start()
    assert pits(start) == [0, 4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4]
    assert start.move_codes() == [1, 2, 3, 4, 5, 6]
    assert len(start.move_codes()) == start.game.max_moves


def test_last_seed_in_the_own_store_gives_another_move():
    after = load("kalah").start().play("3")
    assert pits(after) == [0, 4, 4, 0, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4]
    assert after.acting == 0
    assert load("kalah").start().play("4").acting == 1


def test_second_player_sows_past_the_own_store_to_the_first_side():
    after = load("kalah").start().play("1", "13")
    assert pits(after) == [1, 1, 6, 6, 5, 5, 4, 0, 4, 4, 4, 4, 4, 0]
    assert after.acting == 0


def test_last_seed_in_an_empty_house_captures_with_what_lies_opposite():
    after = set_up([1, 0, 3, 0, 0, 0], 5, [1, 1, 1, 1, 7, 1], 6).play("1")
    assert pits(after) == [6, 0, 0, 3, 0, 0, 0, 13, 1, 1, 1, 1, 0, 1]
    assert after.acting == 1


def test_with_score_the_lead_is_paid_and_stores_bound_it():
    random_ = random.Random(5)
    for _ in range(20):
        position = load("kalah:houses=3,seeds=2,score=true").start()
        plain = load("kalah:houses=3,seeds=2").start()
        safe = (-12.0, 12.0)
        while not position.is_over:
            out = np.zeros(4)
            position.game.rules.bounds(position.game.tables, position.state, out)
            assert safe[0] <= out[0] <= out[1] <= safe[1]
            assert (out[2], out[3]) == (-out[1], -out[0])
            safe = out[0], out[1]
            code = random_.choice(position.move_codes())
            position, plain = position.play(code), plain.play(code)
        row = pits(position)
        lead = sum(row[1:5]) - sum(row[5:]) - row[0]
        assert position.payoffs() == (lead, -lead)
        assert safe[0] <= lead <= safe[1]
        assert plain.payoffs()[0] == (lead > 0) - (lead < 0)


def test_nothing_is_captured_where_the_opposite_house_is_empty():
    after = set_up([1, 0, 3, 0, 0, 0], 5, [1, 1, 1, 1, 0, 1], 6).play("1")
    assert pits(after) == [6, 0, 1, 3, 0, 0, 0, 5, 1, 1, 1, 1, 0, 1]


def test_nothing_is_captured_in_an_empty_house_of_the_opponent():
    after = set_up([3, 0, 0, 0, 0, 2], 0, [0, 1, 1, 1, 1, 1], 0).play("6")
    assert pits(after) == [0, 3, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]


def test_thirteen_seeds_skip_the_other_store_and_capture_where_they_began():
    after = set_up([0, 13, 0, 0, 0, 0], 0, [1, 1, 1, 1, 1, 1], 9).play("2")
    # One in every pit but store 0; the last falls into house 2, opposite to pit 12.
    assert pits(after) == [9, 1, 0, 1, 1, 1, 1, 4, 2, 2, 2, 2, 0, 2]
    assert after.acting == 1


def test_a_long_move_may_end_in_the_own_store_after_a_whole_lap():
    position = set_up([0, 0, 0, 0, 0, 14], 0, [1, 0, 0, 0, 0, 0], 0).play("6")
    assert pits(position) == [0, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1]
    assert position.acting == 0


def test_game_is_over_when_the_player_who_would_not_move_has_nothing_left():
    # The last seed earns another move, but the other side is empty: the game ends at once.
    position = set_up([0, 0, 0, 0, 1, 1], 20, [0, 0, 0, 0, 0, 0], 26)
    assert position.is_over
    ended = set_up([0, 0, 0, 0, 0, 1], 20, [1, 0, 0, 0, 0, 0], 26).play("6")
    assert ended.is_over
    assert ended.payoffs() == (-1.0, 1.0)


def test_seeds_left_on_a_side_count_for_its_owner():
    ended = set_up([0, 0, 0, 0, 0, 1], 20, [9, 9, 0, 0, 0, 0], 9).play("6")
    assert ended.is_over
    assert ended.payoffs() == (-1.0, 1.0)  # 21 to 9 in the stores, but 18 more are at home


def test_as_many_seeds_are_a_draw():
    ended = set_up([0, 0, 0, 0, 0, 1], 23, [3, 0, 0, 0, 0, 0], 21).play("6")
    assert ended.payoffs() == (0.0, 0.0)


def test_sizes_out_of_bounds_are_refused():
    with pytest.raises(BadParameter, match="houses"):
        load("kalah:houses=8")
    with pytest.raises(BadParameter, match="seeds"):
        load("kalah:seeds=10")


def weight(position):
    """What bounds the length of a game: every move must take some of it off."""
    houses = position.game.houses
    board = pits(position)
    return sum(
        board[side + place] * (houses * (houses - 1) + houses + 1 - place)
        for side in (0, houses + 1)
        for place in range(1, houses + 1)
    )


@pytest.mark.parametrize("spec", ["kalah", "kalah:houses=7,seeds=9", "kalah:houses=2,seeds=9"])
def test_every_move_takes_off_weight_so_no_game_is_longer_than_max_plies(spec):
    game = load(spec)
    assert game.max_plies == weight(game.start())
    dice = random.Random(spec)
    for _ in range(20):
        position = game.start()
        while not position.is_over:
            after = position.play(dice.choice(position.move_codes()))
            assert weight(after) <= weight(position) - 1
            position = after


# -- a plain twin -----------------------------------------------------------------------------


def naive_move(board, houses, player, pit):
    """Sow one seed after the other; return who moves next."""
    size = 2 * (houses + 1)
    own, others = (houses + 1, 0) if player == 0 else (0, houses + 1)
    hand, board[pit] = board[pit], 0
    while hand:
        pit = (pit + 1) % size
        if pit != others:
            board[pit] += 1
            hand -= 1
    at_home = 0 < pit <= houses if player == 0 else pit > houses + 1
    if at_home and board[pit] == 1 and board[size - pit]:
        board[own] += 1 + board[size - pit]
        board[pit] = board[size - pit] = 0
    return player if pit == own else 1 - player


@pytest.mark.parametrize(
    ("houses", "seeds"), [(1, 1), (1, 9), (2, 3), (3, 3), (5, 3), (6, 6), (7, 1), (7, 9)]
)
def test_a_plain_twin_agrees_move_by_move(houses, seeds):
    game = load(f"kalah:houses={houses},seeds={seeds}")
    dice = random.Random(f"{houses} {seeds}")
    for _ in range(40):
        position, player = game.start(), 0
        board = [0, *[seeds] * houses, 0, *[seeds] * houses]
        while True:
            assert pits(position) == board
            sides = [range(1, houses + 1), range(houses + 2, 2 * houses + 2)]
            homes = [sum(board[pit] for pit in side) for side in sides]
            if not homes[0] or not homes[1]:
                break
            assert position.acting == player
            assert position.move_codes() == [pit for pit in sides[player] if board[pit]]
            move = dice.choice(position.move_codes())
            player = naive_move(board, houses, player, move)
            position = position.play(move)
        assert position.is_over
        lead = board[houses + 1] + homes[0] - board[0] - homes[1]
        assert position.payoffs() == (float(np.sign(lead)), float(-np.sign(lead)))
