"""Knightthrough: jumps, captures, wins; a plain twin; a record from another implementation."""

import random

import numpy as np
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


# For each size a position with the most moves, the top row first.
MOST = [
    (".... .... .ww. .ww.", 12),
    ("..... ..w.. .www. ..w..", 16),
    ("...... ...... .wwww. ..ww..", 20),
    ("....... ....... ..www.. ..wwww.", 24),
    ("........ ........ .ww..ww. .ww..ww.", 28),
    (".... .... ..w. .ww. ..w.", 12),
    ("..... ..... ..w.. .www. ..w..", 18),
    ("...... ...... ..ww.. ..ww.. ..ww..", 22),
    ("....... ....... ..w.w.. .w.w.w. ..w.w..", 26),
    ("........ ........ ..w.w.w. ...w.w.. ..w.w.w.", 30),
    (".... .... wwww .... .... wwww", 20),
    ("..... ..... w.w.w .w.w. w.w.w .w.w.", 28),
    ("...... ...... .w.w.w w.w.w. .w.w.w w.w.w.", 36),
    ("....... ....... w.w.w.w .w.w.w. w.w.w.w .w.w.w.", 44),
    ("........ ...w.... w.w.w.w. .w.w.w.. w.w.w.w. .w.w.w.w", 52),
    (".... .... www. .w.. .... .w.. www.", 22),
    ("..... ..w.. .www. ..w.. ..... .ww.. .www.", 31),
    ("...... ...w.. w.w.w. .w.w.. ..w.w. .w.w.. ..w.w.", 39),
    ("....... ....... .w.w.w. ..w.w.. .w.w.w. ..w.w.w .w.w.w.", 48),
    ("........ ........ .w.w.w.w ..w.w.w. .w.w.w.. ..w.w.w. .w.w.w..", 57),
    (".... .... .ww. .ww. .... .... .ww. .ww.", 24),
    ("..... ..w.. .www. ..w.. ..... ..w.. .www. ..w..", 34),
    ("...... ...... ..w.w. .w.w.. ..w.w. .w.w.. ..w.w. .w.w..", 42),
    ("....... ....... ..w.w.. .w.w.w. ..w.w.. .w.w.w. ..w.w.. .w.w...", 51),
    ("........ ........ .w.w.w.. ..w.w... .w.w.w.. ..w.w.w. ...w.w.. ..w.w.w.", 60),
]


@pytest.mark.parametrize(("drawing", "most"), MOST)
def test_position_with_the_most_moves_reaches_the_bound(drawing, most):
    lines = drawing.split()[::-1]
    rows, columns = len(lines), len(lines[0])
    game = load(f"knightthrough:rows={rows},columns={columns}")
    up = sum(1 << 8 * y + x for y in range(rows) for x in range(columns) if lines[y][x] == "w")
    down = sum(
        1 << 8 * y + x for y in range(rows) for x in range(columns) if lines[-1 - y][x] == "w"
    )
    home = game.start().state
    assert up.bit_count() <= int(home[0]).bit_count()
    first = from_words(game, up, 1 << 8 * (rows - 1), 0)
    second = from_words(game, 1, down, 1)
    for here in (first, second):
        assert not here.is_over
        assert count_moves(here) == most == game.max_moves


def most_moves_by_rows(columns):
    """For boards of 1 to 8 rows list the most moves up the board, by number of knights.

    `best[n, a, b]` is the most with n knights so far, of which the last two rows are a and b.
    """
    rows = np.arange(1 << columns)
    knights = np.bitwise_count(rows)

    def free_jumps(aside):
        """Count the jumps from one row (first index) to free squares of another (second)."""
        landings = (rows << aside & (1 << columns) - 1, rows >> aside)
        return sum(np.bitwise_count(to[:, None] & ~rows).astype(np.int16) for to in landings)

    near, far = free_jumps(1), free_jumps(2)
    best = np.full((2 * columns + 1, len(rows), len(rows)), -999, np.int16)
    best[0, 0, 0] = 0
    found = []
    for _ in range(8):
        after = np.full_like(best, -999)
        for top, n in enumerate(knights):
            below = best[: len(best) - n] + near[:, top, None]
            after[n:, :, top] = below.max(axis=1) + far[:, top]
        best = after
        found.append(best.max(axis=(1, 2)))
    return found


@pytest.mark.parametrize("columns", range(4, 9))
def test_no_way_to_place_the_knights_has_more_moves_than_the_bound(columns):
    found = most_moves_by_rows(columns)
    for rows in range(4, 9):
        game = load(f"knightthrough:rows={rows},columns={columns}")
        knights = int(game.start().state[0]).bit_count()
        assert game.max_moves == max(found[rows - 1][: knights + 1])


def test_a_foremost_knight_always_has_a_jump_on_every_board():
    for columns in range(4, 9):
        game = load(f"knightthrough:rows=6,columns={columns}")
        for cell in range(columns):
            start = from_words(game, 1 << 8 * 4 + cell, 1 << 8 * 5, 0)
            assert start.move_codes()
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
            board = board_facts(here, "cell", ("white", "black"))
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
