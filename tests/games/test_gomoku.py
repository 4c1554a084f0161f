"""Gomoku: rows in all directions, edges that do not wrap, long rows, full boards."""

import random

import numpy as np
import pytest
from random_play import (
    after_random_moves,
    assert_playouts_are_games_through_the_rules,
    ends_of_playouts,
)

from trellis.game.game import Position
from trellis.game.playouts import playouts
from trellis.loading import load


def alternate(position: Position, first: list[str], second: list[str]) -> Position:
    """Play the first player's moves with the second player's in between."""
    for index, name in enumerate(first):
        position = position.play(name)
        if index < len(second) and not position.is_over:
            position = position.play(second[index])
    return position


@pytest.mark.parametrize(
    "row",
    [
        ["a1", "b1", "c1", "d1", "e1"],
        ["k15", "l15", "m15", "n15", "o15"],
        ["h3", "h4", "h5", "h6", "h7"],
        ["a1", "b2", "c3", "d4", "e5"],
        ["o1", "n2", "m3", "l4", "k5"],
        ["k11", "l12", "m13", "n14", "o15"],
    ],
)
def test_five_in_any_direction_win_in_any_order(row):
    others = ["a9", "c9", "e9", "g9"]
    dice = random.Random(1)
    for _ in range(10):
        dice.shuffle(row)
        before = alternate(load("gomoku").start(), row[:4], others)
        assert not before.is_over
        after = before.play(row[4])
        assert after.is_over
        assert after.payoffs() == (1.0, -1.0)


def test_second_player_wins_too():
    position = load("gomoku:m=5,n=5,k=3").start().play("a1", "c1", "a2", "c2", "e5", "c3")
    assert position.payoffs() == (-1.0, 1.0)


def test_more_than_five_win_as_well():
    row = ["a1", "b1", "c1", "e1", "f1", "d1"]
    position = alternate(load("gomoku").start(), row, ["a9", "c9", "e9", "g9", "i9"])
    assert position.is_over
    assert position.payoffs() == (1.0, -1.0)


@pytest.mark.parametrize("row", [["d3", "e3", "a2", "b2"], ["e3", "a2", "b1"], ["a3", "e3", "d2"]])
def test_rows_do_not_go_on_at_the_other_edge(row):
    """Cells that follow each other by number, around the edge of a board of five columns."""
    game = load(f"gomoku:m=5,n=3,k={len(row)}")
    position = alternate(game.start(), row, ["c1", "c3", "d1"])
    assert not position.is_over


def test_board_without_a_row_is_a_draw():
    game = load("gomoku:m=3,n=3,k=3")
    position = game.start().play("a1", "b1", "c1", "a2", "b2", "c3", "c2", "a3", "b3")
    assert position.is_over
    assert position.payoffs() == (0.0, 0.0)


def test_row_made_by_the_last_stone_of_the_board_wins():
    game = load("gomoku:m=3,n=3,k=3")
    position = game.start().play("a1", "b1", "c1", "a2", "b2", "c2", "b3", "a3")
    assert not position.is_over
    assert position.play("c3").payoffs() == (1.0, -1.0)


def test_row_longer_than_the_board_cannot_be_won():
    game = load("gomoku:m=2,n=2,k=3")
    assert playouts(game.start(), 100).means == (0.0, 0.0)
    assert playouts(game.start(), 100).plies == 100 * game.max_plies


@pytest.mark.parametrize(("m", "n"), [(15, 15), (19, 19), (1, 19), (8, 8)])
def test_all_cells_are_open_at_the_start(m, n):
    game = load(f"gomoku:m={m},n={n}")
    assert game.start().move_codes() == list(range(m * n))
    assert game.max_moves == game.max_plies == m * n


def test_corners_are_named_from_the_bottom_left():
    names = load("gomoku:m=4,n=3").start().moves()
    assert names[0] == "a3"
    assert names[3] == "d3"
    assert names[8] == "a1"
    assert names[11] == "d1"


def test_board_shows_row_one_at_the_bottom():
    position = load("gomoku:m=3,n=2,k=2").start().play("a1", "c2")
    assert str(position).splitlines() == [" 2 . . o", " 1 x . .", "   a b c"]


def test_number_of_symmetries_follows_from_the_shape():
    assert len(load("gomoku:m=4,n=4").symmetries) == 8
    assert len(load("gomoku:m=4,n=5").symmetries) == 4


@pytest.mark.parametrize("spec", ["gomoku", "gomoku:m=7,n=9,k=4", "gomoku:m=19,n=19,k=6"])
@pytest.mark.parametrize("plies", [5, 12])
def test_playouts_from_the_middle_pay_what_moves_through_the_rules_pay(spec, plies):
    dice = random.Random(spec)
    position = after_random_moves(load(spec).start(), plies, dice)
    assert position.acting == plies % 2
    assert_playouts_are_games_through_the_rules(position, 20_000, 10_000, moves=2.0)


@pytest.mark.parametrize("spec", ["gomoku", "gomoku:m=6,n=5,k=4", "gomoku:m=19,n=11,k=5"])
def test_playout_stops_at_the_first_row(spec):
    """Where a playout ends, exactly the player who moved last has a row."""
    game = load(spec)
    for end, state, plies in ends_of_playouts(game.start(), 50, seed=99):
        columns, rows, length = (game.parameters[name] for name in "mnk")
        lasts = [has_row(stones, columns, rows, length) for stones in both(state, columns * rows)]
        winner = next((player for player in (0, 1) if end.payoffs()[player] > 0), None)
        assert lasts == [winner == 0, winner == 1]
        assert winner is None or winner == (plies - 1) % 2
        assert winner is not None or plies == columns * rows


def both(state: np.ndarray, cells: int) -> list[set[int]]:
    words = len(state) // 2
    return [
        {cell for cell in range(cells) if int(state[first + cell // 64]) >> cell % 64 & 1}
        for first in (0, words)
    ]


def has_row(stones: set[int], columns: int, rows: int, length: int) -> bool:
    places = {divmod(cell, columns) for cell in stones}
    return any(
        all((row + i * down, column + i * right) in places for i in range(length))
        for row, column in places
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


@pytest.mark.parametrize(("size", "connect"), [(3, 3), (6, 4), (9, 5)])
def test_openspiels_own_gomoku_is_the_same_game_on_a_square(size, connect):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    theirs = pyspiel.load_game(f"gomoku(size={size},connect={connect})")
    game = load(f"gomoku:m={size},n={size},k={connect}")
    dice = random.Random(size)
    for _ in range(30):
        position, state = game.start(), theirs.new_initial_state()
        while not state.is_terminal():
            assert position.move_codes() == state.legal_actions()
            assert position.acting == state.current_player()
            move = dice.choice(position.move_codes())
            position = position.play(move)
            state.apply_action(move)
        assert position.payoffs() == tuple(state.returns())
