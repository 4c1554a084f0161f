"""Knightthrough: jumps, captures, wins; a plain twin; a record from another implementation."""

import random

import pytest
from random_play import (
    assert_playouts_average_to,
    assert_random_games_take,
    exact_value,
    from_words,
    needs_many_playouts,
    published_length,
    recorded,
    squares,
)  # fmt: skip

from trellis.game.errors import BadParameter
from trellis.games import load

JUMPS = [(-2, 1), (-1, 2), (1, 2), (2, 1)]


class Twin:
    """The rules again, from a dictionary of squares."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.turn = rows, columns, 0
        deep = 2 if rows >= 6 else 1
        self.board = {(x, y): 0 for x in range(columns) for y in range(deep)}
        self.board |= {(x, rows - 1 - y): 1 for x in range(columns) for y in range(deep)}

    def moves(self):
        found = {}
        for (x, y), player in self.board.items():
            if player != self.turn:
                continue
            for right, up in JUMPS:
                target = (x + right, y + up if player == 0 else y - up)
                inside = 0 <= target[0] < self.columns and 0 <= target[1] < self.rows
                if inside and self.board.get(target) != player:
                    takes = "x" if target in self.board else ""
                    name = f"{'abcdefgh'[x]}{y + 1}{takes}{'abcdefgh'[target[0]]}{target[1] + 1}"
                    found[name] = ((x, y), target)
        return found

    def play(self, name):
        origin, target = self.moves()[name]
        self.board[target] = self.board.pop(origin)
        self.turn = 1 - self.turn

    def winner(self):
        for player, last in ((0, self.rows - 1), (1, 0)):
            across = any(y == last for (_, y), who in self.board.items() if who == player)
            if across or (1 - player) not in self.board.values():
                return player
        return None


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (4, 4), (5, 7), (6, 4), (7, 5), (8, 6)])
def test_game_goes_as_in_the_plain_twin(rows, columns):
    dice = random.Random(rows * 10 + columns)
    for _ in range(15):
        here, twin = (
            load(f"knightthrough:rows={rows},columns={columns}").start(),
            Twin(rows, columns),
        )
        while twin.winner() is None:
            assert here.acting == twin.turn
            assert sorted(here.moves()) == sorted(twin.moves())
            move = dice.choice(here.moves())
            here = here.play(move)
            twin.play(move)
        assert here.is_over
        assert here.payoffs()[twin.winner()] == 1
        assert sum(here.payoffs()) == 0


def test_knight_jumps_ahead_only_and_takes_where_it_lands():
    here = from_words(load("knightthrough"), squares("d4", "e6"), squares("b5", "f5", "d5"), 0)
    assert sorted(here.moves()) == ["d4c6", "d4xb5", "d4xf5", "e6c7", "e6d8", "e6f8", "e6g7"]
    assert sorted(from_words(here.game, *map(int, here.state[:2]), 1).moves()) == [
        "b5a3", "b5c3", "b5xd4", "d5b4", "d5c3", "d5e3", "d5f4", "f5e3", "f5g3", "f5h4", "f5xd4",
    ]  # fmt: skip


def test_nothing_wraps_around_the_edges_of_the_board():
    here = from_words(load("knightthrough"), squares("a4", "b4", "g4", "h4"), squares("a8"), 0)
    assert sorted(here.moves()) == [
        "a4b6", "a4c5", "b4a6", "b4c6", "b4d5", "g4e5", "g4f6", "g4h6", "h4f5", "h4g6",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("white", "black", "turn", "move", "payoffs"),
    [
        ("c6", "a4", 0, "c6b8", (1, -1)),
        ("c6", "d2", 1, "d2f1", (-1, 1)),
        ("c2", "d4", 0, "c2xd4", (1, -1)),
        ("c2", "d4", 1, "d4xc2", (-1, 1)),
    ],
    ids=["first crosses", "second crosses", "first takes the last", "second takes the last"],
)
def test_reaching_the_far_side_or_taking_the_last_knight_wins(white, black, turn, move, payoffs):
    here = from_words(load("knightthrough"), squares(white), squares(black), turn)
    end = here.play(move)
    assert end.is_over
    assert end.payoffs() == payoffs


def test_four_jumps_a_knight_bound_the_moves_and_eight_knights_in_the_middle_have_them_all():
    game = load("knightthrough")
    rows = [f"{column}{row}" for column in "cdef" for row in (1, 4)]
    here = from_words(game, squares(*rows), squares("a8"), 0)
    assert len(here.codes()) == 4 * 8
    assert game.max_moves == 4 * 16  # sixteen knights cannot have more


def test_a_foremost_knight_always_has_a_jump_on_every_board():
    for columns in range(4, 9):
        game = load(f"knightthrough:rows=6,columns={columns}")
        for cell in range(columns):
            start = from_words(game, 1 << 8 * 4 + cell, 1 << 8 * 5, 0)
            assert start.codes()
    with pytest.raises(BadParameter, match="from 4 to 8"):
        load("knightthrough:columns=3")


@needs_many_playouts
def test_playouts_draw_every_legal_move_alike():
    game = load("knightthrough")
    for turn in (0, 1):
        here = from_words(game, squares("d4", "h5"), squares("e5", "b4"), turn)
        assert_playouts_average_to(here, exact_value(here))


def test_recorded_game_of_the_rulesheet_replays(shared):
    game = load("knightthrough")

    def name(move):
        x1, y1, x2, y2 = (int(number) for number in move.strip("()").split()[1:])
        return f"{'abcdefgh'[x1 - 1]}{y1}{'abcdefgh'[x2 - 1]}{y2}"

    steps_seen = 0
    for steps in recorded(shared, "knightThrough"):
        here = game.start()
        for step in steps:
            board = {
                f"(cell {cell % 8 + 1} {cell // 8 + 1} {colour})"
                for player, colour in ((0, "white"), (1, "black"))
                for cell in range(64)
                if int(here.state[player]) >> cell & 1
            }
            assert {*board, f"(control {('white', 'black')[here.acting]})"} == set(step["state"])
            assert here.is_over == step["terminal"]
            legal = {name(move) for move in step["legal"][here.acting]}
            assert {move.replace("x", "") for move in here.moves()} == legal
            move = name(step["joint"][here.acting])
            here = here.play(next(m for m in here.moves() if m.replace("x", "") == move))
            steps_seen += 1
    assert steps_seen > 10


@needs_many_playouts
def test_random_games_are_as_long_as_published(shared):
    assert_random_games_take(load("knightthrough"), published_length(shared, "BASE/knightThrough"))
