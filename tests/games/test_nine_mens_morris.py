"""Nine men's morris: mills, flying, ends, the clock and its absence; a plain twin."""

import random
from itertools import pairwise

import numpy as np
import pytest

from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.loading import load

# The sixteen lines, as people name their points.
LINES = [
    line.split()
    for line in (
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2",
        "a1 d1 g1", "a7 a4 a1", "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3",
        "f6 f4 f2", "g7 g4 g1",
    )
]  # fmt: skip
# OpenSpiel numbers the points by rows from the top.
POINTS = sorted({point for line in LINES for point in line}, key=lambda p: (-int(p[1]), p[0]))
RINGS = [
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4", "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4",
    "c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4",
]  # fmt: skip


def set_up(first, second, turns=18, limit=200, mill=False):
    """Make a position from the points of each player's men and the number of turns so far."""
    word = int(mill) << 48 | turns << 49
    for player, men in enumerate((first, second)):
        for point in men.split():
            word |= 1 << 24 * player + RINGS.index(point)
    return Position(load(f"nine_mens_morris:turn_limit={limit}"), np.array([word], np.uint64))


def men(position):
    """Read the men off the drawing."""
    found = {}
    for line in str(position).splitlines()[:7]:
        for column, cell in enumerate(line[2::2]):
            if cell in "xo":
                found["abcdefg"[column] + line[0]] = cell
    return found


def test_men_are_placed_on_any_free_point_by_turns():
    start = load("nine_mens_morris").start()
    assert sorted(start.moves()) == sorted(POINTS)
    after = start.play("d6")
    assert after.acting == 1
    assert "d6" not in after.moves()
    assert "in hand: x 8, o 9" in str(after)


def test_a_mill_takes_a_man_in_a_move_of_its_own():
    position = load("nine_mens_morris").start().play("a7", "d6", "d7", "b4", "g7")
    assert position.acting == 0
    assert sorted(position.moves()) == ["xb4", "xd6"]
    after = position.play("xd6")
    assert after.acting == 1
    assert men(after) == {"a7": "x", "d7": "x", "g7": "x", "b4": "o"}


def test_men_in_mills_are_safe_while_there_are_others():
    position = set_up("a7 d7 g4 b4", "c5 d5 e5 f2").play("g4-g7")
    assert position.moves() == ["xf2"]


def test_any_man_may_be_taken_if_all_stand_in_mills():
    position = set_up("a7 d7 g4 b4", "c5 d5 e5 c4 c3").play("g4-g7")
    assert sorted(position.moves()) == ["xc3", "xc4", "xc5", "xd5", "xe5"]


def test_two_mills_at_once_take_one_man():
    position = set_up("a7 g7 d6 d5", "a1 d1 b2 f2 f4", turns=14).play("d7")
    after = position.play("xf4")
    assert after.acting == 1
    assert list(men(after).values()).count("o") == 4


def test_a_mill_opened_and_closed_again_takes_again():
    position = set_up("a7 d7 g7 b4", "a1 d1 b2 f4").play("g7-g4", "a1-a4", "g4-g7")
    assert sorted(position.moves()) == ["xa4", "xb2", "xd1", "xf4"]


def test_men_slide_along_lines_until_three_are_left_and_then_fly():
    slides = set_up("a7 d6 f2 e3", "a1 d1 b2 f4")
    assert sorted(slides.moves()) == sorted(
        ["a7-d7", "a7-a4", "d6-b6", "d6-d7", "d6-f6", "d6-d5", "f2-d2", "e3-d3", "e3-e4"]
    )
    flies = set_up("a7 d6 f2", "a1 d1 b2 f4")
    assert len(flies.moves()) == 3 * (24 - 7)
    assert "a7-g1" in flies.moves()


def test_three_against_three_reach_the_bound_on_moves():
    position = set_up("a7 d6 f2", "a1 d2 f4")
    assert len(position.moves()) == position.game.max_moves == 54


def test_all_other_phases_have_fewer_moves_than_the_bound():
    assert len(POINTS) < 54
    neighbours = {pair for line in LINES for pair in pairwise(line)}
    assert len(neighbours) == 32  # between two points one man slides at most


def test_who_has_two_men_left_loses():
    position = set_up("a7 d7 g4 b4", "a1 d2 f4").play("g4-g7", "xd2")
    assert position.is_over
    assert position.payoffs() == (1.0, -1.0)


def test_men_in_hand_count_as_men():
    position = load("nine_mens_morris").start().play("a7", "d6", "d7", "b4", "g7", "xd6")
    assert not position.is_over


def test_who_cannot_slide_loses():
    position = set_up("a7 d7 g7 b6", "a4 b4 g4 d5 f6 f2", turns=19)
    assert position.acting == 1
    after = position.play("d5-d6")
    assert after.is_over
    assert after.payoffs() == (-1.0, 1.0)


def test_the_turn_limit_is_a_draw_but_being_stuck_comes_first():
    position = set_up("a7 d6 f2 e3", "a1 d1 b2 f4", turns=199)
    assert position.play("a1-a4").payoffs() == (0.0, 0.0)
    stuck = set_up("a7 d7 g7 b6", "a4 b4 g4 d5 f6 f2", turns=199).play("d5-d6")
    assert stuck.payoffs() == (-1.0, 1.0)


def test_a_mill_at_the_turn_limit_still_takes_its_man():
    position = set_up("a7 d6 f2 e3", "a1 d1 g4 f4", turns=199).play("g4-g1")
    assert not position.is_over
    assert position.play("xa7").payoffs() == (0.0, 0.0)


def test_without_a_limit_positions_come_up_again():
    there_and_back = ["a7-d7", "a1-a4", "d7-a7", "a4-a1"]
    endless = set_up("a7 d6 f2 e3", "a1 d1 b2 f4", limit=0)
    assert endless.play(*there_and_back) == endless
    assert endless.game.max_plies is None
    clocked = set_up("a7 d6 f2 e3", "a1 d1 b2 f4")
    assert clocked.play(*there_and_back) != clocked
    assert clocked.game.max_plies == 213


def test_moves_are_named_as_openspiel_numbers_them():
    position = set_up("a7 d6 f2", "a1 d1 b2 f4")
    for code, name in zip(position.move_codes(), position.moves(), strict=True):
        source, target = name.split("-")
        assert code == 24 + 24 * POINTS.index(source) + POINTS.index(target)


def test_a_limit_out_of_bounds_is_refused():
    with pytest.raises(BadParameter, match="turn_limit"):
        load("nine_mens_morris:turn_limit=-1")


# -- a plain twin -----------------------------------------------------------------------------


class Twin:
    """The rules once more, with men by the names of their points."""

    def __init__(self, limit):
        self.limit, self.turns, self.player, self.taking = limit, 0, 0, False
        self.men, self.hands, self.lost = {}, [9, 9], [0, 0]

    def in_mill(self, point):
        who = self.men[point]
        return any(point in line and all(self.men.get(p) == who for p in line) for line in LINES)

    def legal(self):
        own = [point for point, who in self.men.items() if who == self.player]
        free = [point for point in POINTS if point not in self.men]
        if self.taking:
            others = [point for point, who in self.men.items() if who != self.player]
            loose = [point for point in others if not self.in_mill(point)]
            return ["x" + point for point in loose or others]
        if self.hands[self.player]:
            return free
        near = {frozenset(p) for line in LINES for p in pairwise(line)}
        flies = len(own) <= 3
        return [f"{a}-{b}" for a in own for b in free if flies or frozenset((a, b)) in near]

    def play(self, move):
        if self.taking:
            del self.men[move[1:]]
            self.lost[1 - self.player] += 1
            self.taking = False
        else:
            *source, target = move.split("-")
            for point in source:
                del self.men[point]
            if not source:
                self.hands[self.player] -= 1
            self.men[target] = self.player
            self.taking = self.in_mill(target)
        if not self.taking:
            self.player = 1 - self.player
            self.turns += 1

    def payoffs(self):
        """Return None while the game goes on."""
        if not self.legal():
            return (-1.0, 1.0) if self.player == 0 else (1.0, -1.0)
        if max(self.lost) == 7:
            return (-1.0, 1.0) if self.lost[0] == 7 else (1.0, -1.0)
        return (0.0, 0.0) if self.limit and self.turns >= self.limit else None


@pytest.mark.parametrize("limit", [0, 1, 5, 40, 200])
def test_a_plain_twin_agrees_move_by_move(limit):
    game = load(f"nine_mens_morris:turn_limit={limit}")
    dice = random.Random(limit)
    for _ in range(6):
        position, twin = game.start(), Twin(limit)
        while twin.payoffs() is None:
            assert position.acting == twin.player
            assert sorted(position.moves()) == sorted(twin.legal())
            assert men(position) == {point: "xo"[who] for point, who in twin.men.items()}
            move = dice.choice(position.moves())
            position = position.play(move)
            twin.play(move)
        assert position.is_over
        assert position.payoffs() == twin.payoffs()
