"""Dice: which lines may be rolled, what a full line does, and the exact value of a small board."""

import random
from functools import cache

import numpy as np
import pytest

from trellis.game.errors import BadParameter
from trellis.game.playouts import PlayoutRunner
from trellis.game.rules import CHANCE, NOBODY
from trellis.loading import load


def _value(game):
    """The first player's exact value, by expectimax over everything."""
    rules, tables = game.rules, game.tables
    buffer = np.empty(game.max_moves, np.int32)
    shares = np.empty(game.max_moves)
    out = np.zeros(2)

    @cache
    def value(words):
        state = np.array(words, np.uint64)
        who = rules.acting(tables, state)
        if who == NOBODY:
            rules.payoffs(tables, state, out)
            return float(out[0])
        count = rules.moves(tables, state, buffer)
        moves = [int(move) for move in buffer[:count]]
        if who == CHANCE:
            rules.chances(tables, state, shares)
            weights = shares[:count].tolist()
        values = []
        for move in moves:
            after = state.copy()
            rules.play(tables, after, move)
            values.append(value(tuple(int(word) for word in after)))
        if who == CHANCE:
            return sum(w * v for w, v in zip(weights, values, strict=True))
        return max(values) if who == 0 else min(values)

    return value(tuple(int(word) for word in game.start().state))


def test_the_first_player_of_three_by_three_has_the_known_value():
    assert _value(load("dice:m=3,k=3")) == pytest.approx(0.347450846, abs=1e-8)


def test_two_by_two_is_won_with_every_second_checker():
    # Any two cells of a 2 by 2 board are in line.
    assert _value(load("dice:m=2,k=2,lines=any")) == 1.0


class Twin:
    """The same game on a grid of letters, written without sets of bits."""

    def __init__(self, m, k, lines, full):
        self.m, self.k, self.lines, self.full = m, k, lines, full
        self.grid = [["."] * m for _ in range(m)]
        self.mover, self.rolled, self.over, self.winner = 0, None, False, None

    def cells(self, line):
        kind, i = line
        return [(i, j) if kind == "row" else (j, i) for j in range(self.m)]

    def room(self, line):
        return [(r, c) for r, c in self.cells(line) if self.grid[r][c] == "."]

    def names(self):
        if self.rolled is not None:
            return sorted(f"{'abcdefgh'[c]}{r + 1}" for r, c in self.room(self.rolled))
        return sorted(self.roll_names())

    def roll_names(self):
        rows = [("row", i) for i in range(self.m)]
        columns = [("column", i) for i in range(self.m)]
        mine = {"rc": [rows, columns][self.mover], "any": rows + columns, "rows": rows}[self.lines]
        return {
            f"row-{i + 1}" if kind == "row" else f"column-{'abcdefgh'[i]}": (kind, i)
            for kind, i in mine
            if self.full == "pass" or self.room((kind, i))
        }

    def play(self, name):
        if self.rolled is None:
            line = self.roll_names()[name]
            if self.room(line):
                self.rolled = line
            else:
                self.mover = 1 - self.mover
            return
        column, row = "abcdefgh".index(name[0]), int(name[1:]) - 1
        self.grid[row][column] = "xo"[self.mover]
        self.rolled = None
        if self.line_at("xo"[self.mover]):
            self.over, self.winner = True, self.mover
        elif not any("." in line for line in self.grid):
            self.over = True
        self.mover = 1 - self.mover

    def line_at(self, mark):
        for r in range(self.m):
            for c in range(self.m):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    run = [(r + i * dr, c + i * dc) for i in range(self.k)]
                    if all(
                        0 <= a < self.m and 0 <= b < self.m and self.grid[a][b] == mark
                        for a, b in run
                    ):
                        return True
        return False


@pytest.mark.parametrize("lines", ["rc", "any", "rows"])
@pytest.mark.parametrize("full", ["reroll", "pass"])
@pytest.mark.parametrize(("m", "k"), [(2, 2), (3, 3), (5, 4), (8, 5), (6, 2)])
def test_a_plain_twin_plays_the_same_games(m, k, lines, full):
    game = load(f"dice:m={m},k={k},lines={lines},full={full}")
    dice = random.Random(m * 100 + k)
    for _ in range(8):
        position, twin = game.start(), Twin(m, k, lines, full)
        while not twin.over:
            assert position.is_chance == (twin.rolled is None)
            assert sorted(position.moves()) == twin.names()
            move = dice.choice(twin.names())
            position = position.play(move)
            twin.play(move)
            drawn = [line.split()[1:] for line in str(position).splitlines()[:m]]
            assert drawn == twin.grid[::-1]
        assert position.is_over
        value = {None: 0.0, 0: 1.0, 1: -1.0}[twin.winner]
        assert position.payoffs() == (value, -value)


def _filled(game, *moves):
    position = game.start()
    for move in moves:
        position = position.play(move)
    return position


ROW_ONE_FULL = ("row-1", "a1", "column-b", "b1", "row-1", "c1", "column-a", "a2")


def test_a_full_line_is_not_rolled_where_it_is_rolled_again():
    position = _filled(load("dice:m=3,k=3"), *ROW_ONE_FULL)
    assert position.chances() == [("row-2", 0.5), ("row-3", 0.5)]


def test_a_full_line_ends_the_turn_where_it_passes():
    position = _filled(load("dice:m=3,k=3,full=pass"), *ROW_ONE_FULL)
    assert [share for _, share in position.chances()] == pytest.approx([1 / 3] * 3)
    passed = position.play("row-1")
    assert passed.is_chance
    assert passed.moves() == ["column-a", "column-b", "column-c"]
    assert position.state[:2].tolist() == passed.state[:2].tolist()


def test_a_full_board_without_a_line_is_a_draw():
    game = load("dice:m=3,k=3,lines=rows")
    position = game.start()
    for cell in ("a3", "b3", "c3", "b2", "a2", "c2", "b1", "a1", "c1"):
        assert not position.is_over
        position = position.play(f"row-{cell[1]}", cell)
    assert position.is_over
    assert position.payoffs() == (0.0, 0.0)


def test_rows_belong_to_the_first_player_and_columns_to_the_second():
    game = load("dice:m=4,k=3")
    assert game.start().moves() == ["row-1", "row-2", "row-3", "row-4"]
    after = game.start().play("row-2", "c2")
    assert after.moves() == ["column-a", "column-b", "column-c", "column-d"]
    assert after.play("column-c").moves() == ["c1", "c3", "c4"]


def test_the_die_with_all_lines_has_most_outcomes_and_no_position_has_more():
    game = load("dice:m=8,k=8,lines=any")
    assert len(game.start().move_codes()) == game.max_moves == 16
    assert len(game.start().play("column-h").move_codes()) == 8


@pytest.mark.parametrize("spec", ["dice", "dice:m=3,k=3,full=pass", "dice:m=3,k=3,lines=any"])
def test_playouts_from_the_middle_pay_what_games_through_the_rules_pay(spec):
    game = load(spec)
    dice = random.Random(spec)
    position = game.start()
    for _ in range(5):  # ends after a roll
        position = position.play(dice.choice(position.move_codes()))
    for place in (position, position.play(position.move_codes()[0])):
        fast = PlayoutRunner(game, 1).run(place, 5000)
        slow = PlayoutRunner(game, 2, own=False).run(place, 5000)
        assert fast.plies / 5000 == pytest.approx(slow.plies / 5000, rel=0.03)
        error = np.hypot(fast.errors[0], slow.errors[0])
        assert fast.means[0] == pytest.approx(slow.means[0], abs=5 * error)


def test_a_line_longer_than_the_board_is_refused():
    with pytest.raises(BadParameter, match="k must be at most m"):
        load("dice:m=3,k=4")
