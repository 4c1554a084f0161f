"""CrissCross: steps, jumps, the clock, the payoffs; a plain twin; records from elsewhere."""

import random
from itertools import combinations

import pytest
from random_play import (
    assert_playouts_average_to,
    assert_random_games_take,
    exact_value,
    from_words,
    needs_many_playouts,
    published_length,
    recorded,
)  # fmt: skip

from trellis.loading import load

RED_LANES = [[f"{letter}{row}" for letter in "abcdef"] for row in (3, 4)]
TEAL_LANES = [[f"{column}{digit}" for digit in range(1, 7)] for column in "cd"]
SQUARES = [name for lane in RED_LANES + TEAL_LANES for name in lane]
GOALS = {"red": ["e3", "e4", "f3", "f4"], "teal": ["c5", "d5", "c6", "d6"]}


def lane_bits(lanes, names):
    found = {f"{name}": 8 * i + j for i, lane in enumerate(lanes) for j, name in enumerate(lane)}
    return sum(1 << found[name] for name in names.split())


def position(red, teal, clock, first=0):
    word = lane_bits(RED_LANES, red) | lane_bits(TEAL_LANES, teal) << 16 | clock << 32 | first << 38
    return from_words(load("crisscross"), word)


class Twin:
    """The rules again, from a dictionary of squares, fact by fact as the rulesheet has them."""

    def __init__(self):
        self.cells = dict.fromkeys(SQUARES, "blank")
        self.cells |= dict.fromkeys(["a3", "a4", "b3", "b4"], "red")
        self.cells |= dict.fromkeys(["c1", "c2", "d1", "d2"], "teal")
        self.control, self.step, self.first = "red", 1, None

    def moves(self):
        found = []
        for lane in RED_LANES if self.control == "red" else TEAL_LANES:
            for i in range(6):
                if self.cells[lane[i]] != self.control:
                    continue
                ahead = [self.cells[name] == "blank" for name in lane[i + 1 :]]
                if ahead[:1] == [True]:
                    found.append(f"{lane[i]}{lane[i + 1]}")
                if ahead[:2] == [False, True]:
                    found.append(f"{lane[i]}{lane[i + 2]}")
                    if ahead[2:4] == [False, True]:
                        found.append(f"{lane[i]}{lane[i + 4]}")
        return found

    def home(self, player):
        return all(self.cells[name] == player for name in GOALS[player])

    def play(self, move):
        first = self.first
        if self.home("red") and not self.home("teal"):
            first = "red"
        if self.home("teal") and not self.home("red"):
            first = "teal"
        if move != "pass":
            self.cells[move[:2]], self.cells[move[2:]] = "blank", self.control
        self.control = "teal" if self.control == "red" else "red"
        self.step, self.first = self.step + 1, first

    def over(self):
        other = {"red": "teal", "teal": "red"}.get(self.first)
        return self.step == 40 or (other is not None and self.home(other))

    def goal(self, player):
        if self.first == player:
            return 100
        missing = "".join(
            letter
            for letter, name in zip("xyzw", GOALS[player], strict=True)
            if self.cells[name] != player
        )
        level = {"": 0, "x": 1, "y": 1, "z": 2, "w": 2, "xy": 3}.get(missing, 4)
        return [100, 75, 50, 25, 0][level] if self.first is None else [25, 15, 10, 5, 0][level]


def test_game_goes_as_in_the_plain_twin():
    dice = random.Random(0)
    payoffs = set()
    for _ in range(150):
        here, twin = load("crisscross").start(), Twin()
        while not twin.over():
            assert ("red", "teal")[here.acting] == twin.control
            assert sorted(here.moves()) == sorted(twin.moves() or ["pass"])
            move = dice.choice(here.moves())
            here = here.play(move)
            twin.play(move)
        assert here.is_over
        assert here.payoffs() == (twin.goal("red"), twin.goal("teal"))
        payoffs.add(here.payoffs())
    assert {(100, 25), (25, 100)} <= payoffs


def test_stone_steps_jumps_and_jumps_twice():
    here = position("a3 b3 d3 a4", "c1 c2 d1 d2", 3)
    # a3 jumps b3 to c3, and on over d3 to e3; b3 steps to c3, d3 to e3, a4 to b4.
    assert sorted(here.moves()) == ["a3c3", "a3e3", "a4b4", "b3c3", "d3e3"]


def test_stones_of_either_colour_are_jumped_over():
    here = position("a3 b3 a4 b4", "c3 c2 d3 d2", 3)
    assert sorted(here.moves()) == ["a4c4", "b4c4"]
    there = position("b3 c3 a4 d4", "c1 c2 d1 d3", 4)
    assert sorted(there.moves()) == ["c2c4", "d1d2", "d3d5"]


def test_middle_squares_are_shared():
    for red, teal, square in (("c3", "c3", "c3"), ("d3", "d3", "d3"), ("c4", "c4", "c4")):
        with_red = position(f"{red} a3 b3 a4", "c1 c2 d1 d2", 2)
        with_teal = position("a3 b3 a4 b4", f"{teal} c1 d1 d2", 1)
        assert str(with_red).count("r") == str(with_teal).count("t") == 4
        assert not [move for move in with_red.moves() if move.endswith(square)]
        assert not [move for move in with_teal.moves() if move.endswith(square)]


def test_player_whose_stones_are_all_stuck_passes():
    here = position("e3 f3 e4 f4", "c1 c2 d1 d2", 21)
    assert here.moves() == ["pass"]
    after = here.play("pass")
    assert after.acting == 1
    assert "r was first" in str(after)


def test_player_is_first_only_from_the_position_after_getting_home():
    here = position("e3 f3 d4 f4", "c1 c2 d1 d2", 21).play("d4e4")
    assert "first" not in str(here)
    assert "r was first" in str(here.play("c2c3"))


def test_game_ends_when_the_second_player_comes_home_too():
    here = position("e3 f3 e4 f4", "c5 c6 d4 d6", 22, first=1).play("d4d5")
    assert here.is_over
    assert here.payoffs() == (100, 25)


@pytest.mark.parametrize(
    ("red", "share", "consolation"),
    [
        ("e3 e4 f3 f4", 100, 25),
        ("d3 e4 f3 f4", 75, 15),
        ("e3 d4 f3 f4", 75, 15),
        ("e3 e4 d3 f4", 50, 10),
        ("e3 e4 f3 d4", 50, 10),
        ("d3 d4 f3 f4", 25, 5),
        ("d3 c3 e4 f4", 0, 0),
        ("e3 e4 d3 d4", 0, 0),
        ("a3 b3 a4 b4", 0, 0),
    ],
)
def test_payoffs_at_the_last_tick_follow_what_is_missing(red, share, consolation):
    assert position(red, "c1 c2 d1 d2", 40).payoffs() == (share, 0)
    if share < 100:
        assert position(red, "c5 c6 d5 d6", 40, first=2).payoffs() == (consolation, 100)


def test_game_takes_39_moves_at_most():
    here = position("a3 b3 a4 b4", "c1 c2 d1 d2", 39)
    assert not here.is_over
    assert here.play(here.moves()[0]).is_over
    assert here.game.max_plies == 39


def test_no_placement_of_stones_has_more_moves_than_the_bound_and_one_reaches_it():
    lanes = [name for lane in RED_LANES for name in lane]
    most = 0
    for red in combinations(lanes, 4):
        # Only teal stones in the middle matter to red.
        for count in range(5):
            for teal in combinations(["c3", "c4", "d3", "d4"], count):
                if not set(red) & set(teal):
                    occupied = {*red, *teal}
                    most = max(most, sum(_moves_of(lane, red, occupied) for lane in RED_LANES))
    assert most == load("crisscross").max_moves
    here = position("a3 b3 a4 b4", "d3 d4 c1 c2", 5)
    assert len(here.move_codes()) == most


def _moves_of(lane, own, occupied):
    count = 0
    for i in range(6):
        if lane[i] in own:
            ahead = [name in occupied for name in lane[i + 1 :]]
            count += ahead[:1] == [False]
            count += ahead[:2] == [True, False]
            count += ahead[:4] == [True, False, True, False]
    return count


@needs_many_playouts
def test_playouts_draw_every_legal_move_alike():
    for clock in (25, 30):
        here = position("b3 c3 b4 c4", "c2 d1 d2 d3", clock)
        assert_playouts_average_to(here, exact_value(here))


def test_recorded_games_of_the_rulesheet_replay(shared):
    squares = {
        player: {8 * i + j: name for i, lane in enumerate(lanes) for j, name in enumerate(lane)}
        for player, lanes in (("red", RED_LANES), ("teal", TEAL_LANES))
    }
    ended = 0
    for steps in recorded(shared, "crisscross"):
        here = load("crisscross").start()
        for step in steps:
            word = int(here.state[0])
            cells = dict.fromkeys(SQUARES, "blank")
            for player, shift in (("red", 0), ("teal", 16)):
                for bit, name in squares[player].items():
                    if word >> shift + bit & 1:
                        cells[name] = player
            clock, first = word >> 32 & 63, word >> 38
            facts = {f"(cell {name} {what})" for name, what in cells.items()}
            facts |= {f"(step {clock})", f"(control {'red' if clock % 2 else 'teal'})"}
            facts |= {"(first nobody)"} if clock == 1 else set()
            facts |= {f"(first {('red', 'teal')[first - 1]})"} if first else set()
            assert facts == set(step["state"])
            assert here.is_over == step["terminal"]
            if here.is_over:
                assert list(here.payoffs()) == step["goals"]
                ended += 1
                break
            legal = {_name(move) for move in step["legal"][here.acting]}
            assert set(here.moves()) == legal
            here = here.play(_name(step["joint"][here.acting]))
    assert ended == 3


def _name(move):
    return "pass" if move == "noop" else "".join(move.strip("()").split()[1:])


@needs_many_playouts
def test_random_games_are_as_long_as_published(shared):
    assert_random_games_take(load("crisscross"), published_length(shared, "BASE/crisscross"))
