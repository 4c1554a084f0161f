"""Backgammon: entering, hitting, bearing off, which dice must be used, and what a win is worth."""

import random

import numpy as np
import pytest
from random_play import (
    along_a_random_game,
    assert_playouts_are_games_through_the_rules,
    ends_of_playouts,
)

from trellis.game.game import Position
from trellis.game.rules import CHANCE, NOBODY
from trellis.games.backgammon.evaluation import evaluation_kernel
from trellis.games.backgammon.game import STATUS
from trellis.loading import load

ROLLING, MOVING = 1, 2
OFF, BAR = 0, 25


def _words(checkers):
    planes = [sum(1 << p for p, n in checkers.items() if n >> bit & 1) for bit in range(4)]
    return [planes[0] | planes[1] << 32, planes[2] | planes[3] << 32]


def _place(x, o, dice=None, who=0, second_half=False, **parameters):
    """A position with checkers given as {point: number}, seen from each player's own side."""
    status = ROLLING | who << 2
    if dice:
        low, high = sorted(dice)
        status = MOVING | who << 2 | second_half << 3 | low << 4 | high << 7
    state = np.array([*_words(x), *_words(o), status], np.uint64)
    return Position(load("backgammon", **parameters), state)


def _after_opening(*moves):
    return load("backgammon").start().play(*moves)


def test_the_first_roll_decides_who_begins_and_is_no_double():
    start = load("backgammon").start()
    assert len(start.move_codes()) == 30
    assert start.probabilities() == pytest.approx([1 / 30] * 30)
    assert start.play("x:6-1").acting == 0
    assert start.play("o:6-1").acting == 1


def test_two_different_dice_come_twice_as_often_as_a_double():
    rolling = _after_opening("x:3-1", "8/5+6/5")
    chances = dict(rolling.chances())
    assert len(chances) == 21
    assert chances["6-5"] == pytest.approx(1 / 18)
    assert chances["6-6"] == pytest.approx(1 / 36)


def test_the_board_as_people_see_it():
    position = _after_opening("x:3-1", "8/5+6/5", "6-6")
    assert str(position).splitlines() == [
        "13 14 15 16 17 18 | 19 20 21 22 23 24",
        " o  .  .  .  x  . |  x  x  .  .  .  o",
        " o  .  .  .  x  . |  x  x  .  .  .  o",
        " o  .  .  .  .  . |  x  .  .  .  .  .",
        " o  .  .  .  .  . |  x  .  .  .  .  .",
        " o  .  .  .  .  . |  .  .  .  .  .  .",
        "                  |",
        " x  .  .  .  .  . |  o  .  .  .  .  .",
        " x  .  .  .  .  . |  o  .  .  .  .  .",
        " x  .  .  .  o  . |  o  .  .  .  .  .",
        " x  .  .  .  o  . |  o  .  .  .  .  x",
        " x  .  .  .  o  . |  o  .  .  .  .  x",
        "12 11 10  9  8  7 |  6  5  4  3  2  1",
        "x: 0 off, 0 on the bar",
        "o: 0 off, 0 on the bar",
        "o has rolled 6-6 (turn 2)",
    ]


def test_a_tall_point_shows_its_number():
    assert " 7" in str(_place({6: 7}, {1: 1})).splitlines()[5]


def test_a_double_is_played_in_two_halves():
    position = _after_opening("x:3-1", "8/5+6/5", "6-6", "24/18(2)")
    assert position.acting == 1
    assert str(position).endswith("o has rolled 6-6, second half (turn 2)")
    assert position.play("13/7(2)").acting == CHANCE


def test_a_single_checker_is_hit_and_must_come_in_before_others_move():
    position = _place({10: 2, 6: 2}, {20: 1, 1: 2}, (5, 3))
    hit = position.play("10/5*+10/7")
    counts = hit.game.counts(hit.state, 1)
    assert (counts[20], counts[BAR]) == (0, 1)
    assert all(name.startswith("bar/") for name in hit.play("6-2").moves())


def test_one_checker_may_hit_twice_and_its_path_matters():
    position = _place({10: 1}, {20: 1, 18: 1, 6: 1}, (5, 2))
    assert position.moves() == ["10/5*/3", "10/8/3"]
    hit = position.play("10/5*/3")
    assert hit.game.counts(hit.state, 1)[BAR] == 1


def test_a_checker_that_cannot_come_in_passes():
    position = _place({BAR: 1, 6: 2}, {3: 2, 4: 2}, (3, 4))
    assert position.moves() == ["pass"]
    assert position.play("pass").acting == CHANCE


def test_after_one_of_two_comes_in_the_other_must():
    # The 6 is open, the 5 is not: one comes in, the second cannot, nobody else may move.
    position = _place({BAR: 2, 13: 3}, {5: 2}, (6, 5))
    assert position.moves() == ["bar/19"]


def test_both_dice_must_be_used_if_they_can():
    # 8/3 would leave no 6: from 13 it is blocked.
    position = _place({8: 1, 13: 1}, {18: 2, 1: 1}, (6, 5))
    assert position.moves() == ["8/2+13/8"]


def test_if_only_one_die_can_be_used_it_is_the_higher():
    # From 12 the 6 and the 5 are open, but not both: 12 - 11 = 1 is blocked.
    position = _place({12: 1}, {24: 2, 1: 1}, (6, 5))
    assert position.moves() == ["12/6"]


def test_the_lower_die_alone_is_used_where_the_higher_cannot():
    position = _place({12: 1}, {24: 2, 19: 2, 1: 1}, (6, 5))
    assert position.moves() == ["12/7"]


def test_nobody_bears_off_before_all_are_home():
    position = _place({7: 1, 1: 1}, {1: 1}, (2, 1))
    assert sorted(position.moves()) == ["7/5+1/off", "7/5/4"]


def test_a_higher_die_takes_the_farthest_checker_off():
    position = _place({4: 1, 2: 1}, {1: 1}, (6, 5))
    assert position.moves() == ["4/off+2/off"]


def test_a_higher_die_takes_nothing_off_while_another_checker_is_farther():
    assert _place({5: 1, 2: 1}, {1: 1}, (3, 3)).moves() == ["5/2/off"]


def test_a_game_may_end_in_the_middle_of_a_double():
    position = _place({1: 2}, {1: 1}, (6, 6))
    end = position.play("1/off(2)")
    assert end.is_over
    assert end.payoffs() == (1.0, -1.0)


@pytest.mark.parametrize(
    ("loser", "winloss", "gammons", "full"),
    [
        ({1: 14}, 1, 1, 1),
        ({1: 15}, 1, 2, 2),
        ({1: 14, 18: 1}, 1, 2, 2),
        ({1: 14, 19: 1}, 1, 2, 3),
        ({1: 14, BAR: 1}, 1, 2, 3),
        ({1: 13, BAR: 1}, 1, 1, 1),
    ],
)
@pytest.mark.parametrize("who", [0, 1])
def test_what_a_win_is_worth(loser, winloss, gammons, full, who):
    for scoring, worth in (("winloss", winloss), ("gammons", gammons), ("full", full)):
        sides = ({1: 1}, loser) if who == 0 else (loser, {1: 1})
        position = _place(*sides, (2, 1), who, scoring=scoring)
        end = position.play(position.move_codes()[0])
        assert end.payoffs()[who] == worth
        assert end.payoffs()[1 - who] == -worth
        assert end.game.payoff_range[1] >= worth


def test_turns_run_out():
    game = load("backgammon:max_player_turns=3")
    dice = random.Random(5)
    position, turns = game.start(), 0
    while not position.is_over:
        turns += position.is_chance
        position = position.play(dice.choice(position.move_codes()))
    assert turns == 4  # a draw after *more* turns than that, as in OpenSpiel
    assert position.payoffs() == (0.0, 0.0)
    assert str(position).endswith("turns have run out (turn 4)")


def test_without_a_bound_on_turns_positions_come_again():
    def turned(game):
        # Both stand on the bar before a closed board and can only pass.
        position = _place({BAR: 1, **dict.fromkeys(range(1, 7), 2)},
                          {BAR: 1, **dict.fromkeys(range(1, 7), 2)}, (2, 1),
                          max_player_turns=game)  # fmt: skip
        return position, position.play("pass", "2-1", "pass", "2-1")

    before, after = turned(0)
    assert before == after
    before, after = turned(500)
    assert before != after


@pytest.mark.parametrize(("spec", "at_least"), [("", 210), ("repeats=true", 430)])
def test_a_position_with_nearly_as_many_plays_as_the_bound_allows(spec, at_least):
    points = {
        210: (4, 5, 6, 7, 9, 11, 13, 15, 17, 18, 19, 20, 22, 23, 24),
        430: (5, 6, 7, 8, 10, 11, 12, 14, 16, 18, 20, 21, 22, 23, 24),
    }[at_least]
    position = _place(dict.fromkeys(points, 1), {BAR: 15}, (3, 1), repeats=bool(spec))
    assert at_least <= len(position.move_codes()) <= position.game.max_moves
    assert len(set(position.moves())) == len(position.move_codes())


# -- a naive twin: checkers in lists, every order of the dice tried ---------------------------


def _single_moves(own, other, die):
    """Every position (own, other) that one checker of the mover can lead to with one die."""
    found = []
    for point in range(25, 0, -1):
        if not own[point] or (own[BAR] and point != BAR):
            continue
        to = point - die
        if to <= 0:
            if any(own[7:]) or (to < 0 and any(own[point + 1 :])):
                continue
            to = OFF
        elif other[25 - to] > 1:
            continue
        mine, theirs = list(own), list(other)
        mine[point] -= 1
        mine[to] += 1
        if to != OFF and theirs[25 - to] == 1:
            theirs[25 - to] = 0
            theirs[BAR] += 1
        found.append((tuple(mine), tuple(theirs)))
    return found


def _whole_turns(own, other, dice):
    """Every position a whole turn can lead to, by the rule on which dice must be used."""
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    ends = {}  # (number of moves, die of the first) -> positions
    for order in orders:
        level = {(tuple(own), tuple(other))}
        ends.setdefault((0, 0), set()).update(level)
        for n, die in enumerate(order, 1):
            level = {after for position in level for after in _single_moves(*position, die)}
            ends.setdefault((n, order[0] if n == 1 else 0), set()).update(level)
    most = max(key for key, positions in ends.items() if positions)
    return ends[most]


def _turn_ends(position):
    """Every position in which the mover's turn can end, by the game's own moves."""
    mover = position.acting
    ends, waiting = set(), [position]
    while waiting:
        here = waiting.pop()
        for code in here.move_codes():
            after = here.play(code)
            if after.acting == mover:
                waiting.append(after)
            else:
                game, state = after.game, after.state
                ends.add((tuple(game.counts(state, mover)), tuple(game.counts(state, 1 - mover))))
    return ends


@pytest.mark.parametrize("spec", ["backgammon", "backgammon:hyper=true"])
def test_turns_end_where_a_naive_twin_says(spec):
    game = load(spec)
    dice = random.Random(spec)
    turns = doubles = 0
    while turns < 600:
        position = game.start()
        while not position.is_over:
            status = int(position.state[STATUS])
            if position.acting >= 0 and not status >> 3 & 1:
                mover, rolled = position.acting, (status >> 4 & 7, status >> 7 & 7)
                own, other = (game.counts(position.state, p) for p in (mover, 1 - mover))
                if rolled[0] != rolled[1] or turns % 4 == 0:  # doubles have thousands of turns
                    assert _turn_ends(position) == _whole_turns(own, other, rolled), str(position)
                    doubles += rolled[0] == rolled[1]
                turns += 1
            position = position.play(dice.choice(position.move_codes()))
    assert doubles > 10


# -- OpenSpiel ---------------------------------------------------------------------------------


@pytest.mark.parametrize("hyper", [False, True])
@pytest.mark.parametrize("turns", [500, 20])
def test_plays_lead_where_those_of_openspiel_lead_each_once(hyper, turns):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    theirs = pyspiel.load_game(
        f"backgammon(hyper_backgammon={hyper},max_player_turns={turns},scoring_type=full_scoring)"
    )
    game = load("backgammon", hyper=hyper, max_player_turns=turns, scoring="full")
    rules, tables = game.rules, game.tables
    buffer = np.empty(game.max_moves, np.int32)
    dice = random.Random(turns)

    def after(state, code):
        copy = state.copy()
        rules.play(tables, copy, code)
        return copy.tobytes()

    for _ in range(120):
        ours, state = game.start().state, theirs.new_initial_state()
        while not state.is_terminal():
            codes = buffer[: rules.moves(tables, ours, buffer)].tolist()
            if not state.is_chance_node():
                assert rules.acting(tables, ours) == state.current_player()
            listed = [after(ours, code) for code in codes]
            assert len(set(listed)) == len(listed)
            assert set(listed) == {after(ours, code) for code in state.legal_actions()}
            code = dice.choice(codes)
            rules.play(tables, ours, code)
            state.apply_action(code)
            _assert_same_board(game, ours, state)
        assert rules.acting(tables, ours) == NOBODY
        if not hyper:  # there OpenSpiel pays nobody
            assert list(Position(game, ours).payoffs()) == state.returns()


def _assert_same_board(game, ours, state):
    for player in (0, 1):
        counts = game.counts(ours, player)
        points = counts[24:0:-1] if player == 0 else counts[1:25]
        assert [state.board(player, place) for place in range(24)] == points
    bar = "x" * game.counts(ours, 0)[BAR] + "o" * game.counts(ours, 1)[BAR]
    assert f"Bar:{' ' if bar else ''}{bar}\n" in str(state)


# -- playouts and the evaluation ----------------------------------------------------------------


@pytest.mark.parametrize("spec", ["backgammon:scoring=full", "backgammon:hyper=true"])
def test_playouts_from_anywhere_are_games_through_the_rules(spec):
    for position in along_a_random_game(load(spec).start(), 5, 5, random.Random(spec)):
        assert_playouts_are_games_through_the_rules(position, 3000, 3000, rel=0.04)


def test_a_playout_leaves_a_position_that_is_over_and_pays_as_said():
    game = load("backgammon:scoring=full,max_player_turns=60")
    drawn = 0
    for end, _, plies in ends_of_playouts(game.start(), 200, seed=4):
        assert 0 < plies <= game.max_plies
        drawn += end.payoffs()[0] == 0
    assert 0 < drawn < 200


def _mirror(state):
    """The same position with the players exchanged."""
    turned = state.copy()
    turned[0:2], turned[2:4] = state[2:4], state[0:2]
    turned[STATUS] ^= np.uint64(4)
    return turned


def test_the_evaluation_stays_in_its_bounds_is_fair_and_pays_at_the_end():
    for scoring, most in (("winloss", 1), ("full", 3)):
        game = load("backgammon", scoring=scoring)
        dice = random.Random(2)
        for _ in range(30):
            position = game.start()
            position = position.play(dice.choice(position.move_codes()))
            while not position.is_over:
                value = evaluation_kernel(game.tables, position.state)
                assert -1 / most <= value <= 1 / most
                turned = evaluation_kernel(game.tables, _mirror(position.state))
                assert turned == pytest.approx(-value, abs=1e-12)
                position = position.play(dice.choice(position.move_codes()))
            value = evaluation_kernel(game.tables, position.state)
            assert value == pytest.approx(position.payoffs()[0] / most)


def test_looking_one_move_ahead_with_the_evaluation_beats_random_plays():
    game = load("backgammon")
    dice = random.Random(1)
    won = 0
    for number in range(40):
        position, side = game.start(), number % 2
        while not position.is_over:
            codes = position.move_codes()
            if position.acting == side:
                sign = 1 if side == 0 else -1
                code = max(
                    codes,
                    key=lambda c: sign * evaluation_kernel(game.tables, position.play(c).state),
                )
            elif position.is_chance:
                code = dice.choices(codes, position.probabilities())[0]
            else:
                code = dice.choice(codes)
            position = position.play(code)
        won += position.payoffs()[side] > 0
    assert won >= 36
