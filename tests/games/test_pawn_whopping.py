"""Pawn whopping: steps, captures, passes, draws; a plain twin; records from elsewhere."""

import random

import pytest
from random_play import (
    assert_playouts_average_to,
    assert_random_games_take,
    board_facts,
    count_moves,
    exact_value,
    from_words,
    needs_many_playouts,
    published_length,
    recorded,
    squares,
)  # fmt: skip

from trellis.game.errors import BadParameter
from trellis.loading import load

FILES = "abcdefgh"


class Twin:
    """The rules again, from rows of characters; row 1 first."""

    def __init__(self, double_step):
        self.rows = [list(row) for row in ["." * 8, "x" * 8, *["." * 8] * 4, "o" * 8, "." * 8]]
        self.turn = "x"
        self.double = {"x": 1, "o": 6 if double_step == "both" else None}

    def moves(self, player):
        ahead = 1 if player == "x" else -1
        other = "o" if player == "x" else "x"
        found = {}
        for y in range(8):
            for x in range(8):
                if self.rows[y][x] != player or not 0 <= y + ahead < 8:
                    continue
                here = f"{FILES[x]}{y + 1}"
                if self.rows[y + ahead][x] == ".":
                    found[f"{here}{FILES[x]}{y + ahead + 1}"] = (x, y, x, y + ahead)
                    if y == self.double[player] and self.rows[y + 2 * ahead][x] == ".":
                        found[f"{here}{FILES[x]}{y + 2 * ahead + 1}"] = (x, y, x, y + 2 * ahead)
                for x2 in (x - 1, x + 1):
                    if 0 <= x2 < 8 and self.rows[y + ahead][x2] == other:
                        found[f"{here}x{FILES[x2]}{y + ahead + 1}"] = (x, y, x2, y + ahead)
        return found

    def play(self, name):
        if name != "pass":
            x, y, x2, y2 = self.moves(self.turn)[name]
            self.rows[y][x], self.rows[y2][x2] = ".", self.turn
        self.turn = "o" if self.turn == "x" else "x"

    def payoff(self):
        """What the first player gets, or None while the game goes on."""
        if "x" in self.rows[7] or not any("o" in row for row in self.rows):
            return 1
        if "o" in self.rows[0] or not any("x" in row for row in self.rows):
            return -1
        return None if self.moves("x") or self.moves("o") else 0


@pytest.mark.parametrize("double_step", ["both", "first"])
def test_game_goes_as_in_the_plain_twin(double_step):
    dice = random.Random(double_step)
    ends, passes = set(), 0
    for _ in range(150):
        here, twin = load(f"pawn_whopping:double_step={double_step}").start(), Twin(double_step)
        while twin.payoff() is None:
            assert "xo"[here.acting] == twin.turn
            assert sorted(here.moves()) == sorted(twin.moves(twin.turn) or ["pass"])
            move = dice.choice(here.moves())
            passes += move == "pass"
            here = here.play(move)
            twin.play(move)
        assert here.is_over
        assert here.payoffs() == (twin.payoff(), -twin.payoff())
        ends.add(twin.payoff())
    assert ends >= {1, -1}
    assert passes > 0


def test_pawns_may_step_twice_from_where_they_started_and_only_over_empty_squares():
    game = load("pawn_whopping")
    here = from_words(game, squares("a2", "b2", "c2", "d3"), squares("b4", "c3", "h6"), 0)
    assert sorted(here.moves()) == ["a2a3", "a2a4", "b2b3", "b2xc3", "d3d4"]


def test_only_the_first_player_steps_twice_in_the_older_game():
    first, both = load("pawn_whopping:double_step=first"), load("pawn_whopping")
    assert len(first.start().moves()) == len(both.start().moves()) == 16
    assert len(first.start().play("e2e4").moves()) == 8
    assert len(both.start().play("e2e4").moves()) == 16
    assert len(first.symmetries) == 2
    assert len(both.symmetries) == 4


def test_pawns_capture_diagonally_but_not_around_the_edge():
    here = from_words(load("pawn_whopping"), squares("a4", "h4"), squares("b5", "h5", "a5"), 0)
    assert here.moves() == ["a4xb5"]


def test_player_who_cannot_move_passes():
    here = from_words(load("pawn_whopping"), squares("a4"), squares("a5", "c7"), 0)
    assert here.moves() == ["pass"]
    assert sorted(here.play("pass").moves()) == ["c7c5", "c7c6"]


def test_game_in_which_nobody_can_move_is_a_draw():
    for turn in (0, 1):
        here = from_words(load("pawn_whopping"), squares("a4", "c3"), squares("a5", "c4"), turn)
        assert here.is_over
        assert here.payoffs() == (0, 0)


@pytest.mark.parametrize(
    ("x", "o", "turn", "move", "payoffs"),
    [
        (["a7"], ["c4"], 0, "a7a8", (1, -1)),
        (["a6"], ["c2"], 1, "c2c1", (-1, 1)),
        (["b4"], ["c5"], 0, "b4xc5", (1, -1)),
        (["b4"], ["c5"], 1, "c5xb4", (-1, 1)),
    ],
    ids=["first crosses", "second crosses", "first takes the last", "second takes the last"],
)
def test_reaching_the_far_side_or_taking_the_last_pawn_wins(x, o, turn, move, payoffs):
    end = from_words(load("pawn_whopping"), squares(*x), squares(*o), turn).play(move)
    assert end.is_over
    assert end.payoffs() == payoffs


@pytest.mark.parametrize("double_step", ["both", "first"])
def test_two_chains_of_pawns_that_may_take_each_other_reach_the_bound_on_moves(double_step):
    game = load(f"pawn_whopping:double_step={double_step}")
    alone = from_words(game, squares("d2"), squares("c3", "e3", "h7"), 0)
    assert len(alone.move_codes()) == 4
    x = ("b2", "d2", "f2", "h2", "a4", "c4", "e4", "g4")
    o = ("a3", "c3", "e3", "g3", "b5", "d5", "f5", "h5")
    many = from_words(game, squares(*x), squares(*o), 0)
    assert count_moves(many) == 26 == game.max_moves
    # Upside down, with the colours exchanged, the second player has as many if it steps twice.
    x, o = ([f"{name[0]}{9 - int(name[1])}" for name in names] for names in (o, x))
    other = from_words(game, squares(*x), squares(*o), 1)
    assert count_moves(other) == (26 if double_step == "both" else 22)


def test_longest_line_of_passes_stays_within_the_bound_on_moves():
    # One side is stuck throughout, so that every other move is a pass.
    here = from_words(load("pawn_whopping"), squares("a4"), squares("a5", "c7", "e7"), 0)
    plies = 0
    while not here.is_over:
        quiet = [move for move in here.moves() if not move.endswith("1")] or here.moves()
        here = here.play(quiet[0])
        plies += 1
    assert here.payoffs() == (-1, 1)
    assert 18 <= plies <= here.game.max_plies


@needs_many_playouts
def test_playouts_draw_every_legal_move_alike():
    for double_step in ("both", "first"):
        game = load(f"pawn_whopping:double_step={double_step}")
        for turn in (0, 1):
            here = from_words(game, squares("b2", "d4"), squares("c5", "e7"), turn)
            assert_playouts_average_to(here, exact_value(here))


def test_playouts_from_a_stuck_position_pass_and_end_in_draws():
    game = load("pawn_whopping")
    drawn = from_words(game, squares("a4", "c3"), squares("a5", "c4"), 1)
    assert_playouts_average_to(drawn, 0.0, games=10)
    stuck = from_words(game, squares("a4", "c4"), squares("a5", "c6"), 0)
    assert exact_value(stuck) == 0.0
    assert_playouts_average_to(stuck, 0.0, games=10)


def test_unknown_double_step_is_refused():
    with pytest.raises(BadParameter, match="expected one of both, first"):
        load("pawn_whopping:double_step=none")


@pytest.mark.parametrize(
    ("sheet", "double_step"), [("pawnWhopping", "first"), ("pawnWhopping.v1", "both")]
)
def test_recorded_games_of_the_rulesheets_replay(shared, sheet, double_step):
    game = load(f"pawn_whopping:double_step={double_step}")

    def name(move):
        if move == "noop":
            return "pass"
        kind, *numbers = move.strip("()").split()
        x1, y1, x2, y2 = (int(number) for number in numbers)
        return f"{FILES[x1 - 1]}{y1}{'x' if kind == 'capture' else ''}{FILES[x2 - 1]}{y2}"

    steps_seen = 0
    for steps in recorded(shared, sheet):
        here = game.start()
        for step in steps:
            board = board_facts(here, "cell", "xo")
            assert {*board, f"(control {'xo'[int(here.state[2])]})"} == set(step["state"])
            assert here.is_over == step["terminal"]
            assert set(here.moves()) == {name(move) for move in step["legal"][here.acting]}
            here = here.play(name(step["joint"][here.acting]))
            steps_seen += 1
    assert steps_seen > 10


@needs_many_playouts
@pytest.mark.parametrize(
    ("sheet", "double_step"),
    [
        ("BASE/pawnWhopping", "both"),
        ("DRESDEN/pawn_whopping_corrected", "both"),
        ("DRESDEN/pawn_whopping", "first"),
    ],
)
def test_random_games_are_as_long_as_published(shared, sheet, double_step):
    game = load(f"pawn_whopping:double_step={double_step}")
    assert_random_games_take(game, published_length(shared, sheet))
