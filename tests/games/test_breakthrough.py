"""Breakthrough: captures, wins, how pieces start, and a record from another implementation."""

import pytest
from random_play import (
    assert_playouts_average_to,
    assert_random_games_take,
    board_facts,
    exact_value,
    from_words,
    needs_many_playouts,
    published_length,
    recorded,
)  # fmt: skip

from trellis.game.bits import popcount
from trellis.game.errors import BadParameter
from trellis.loading import load

EMPTY = ["........"] * 8


def position(rows, turn=0):
    """A position from rows as they are drawn, the top one first."""
    game = load(f"breakthrough:rows={len(rows)},columns={len(rows[0])}")
    sets = [
        sum(1 << 8 * y + x for y, row in enumerate(rows) for x, c in enumerate(row) if c == symbol)
        for symbol in "bw"
    ]
    return from_words(game, *sets, turn)


def test_pieces_fill_two_rows_a_side_from_six_rows_on_and_one_before():
    assert str(load("breakthrough:rows=6,columns=3").start()).splitlines() == [
        "6 b b b", "5 b b b", "4 . . .", "3 . . .", "2 w w w", "1 w w w", "  a b c",
    ]  # fmt: skip
    assert str(load("breakthrough:rows=5,columns=3").start()).splitlines() == [
        "5 b b b", "4 . . .", "3 . . .", "2 . . .", "1 w w w", "  a b c",
    ]  # fmt: skip


def test_pawn_captures_diagonally_and_is_blocked_straight_ahead():
    here = position(["....", ".b..", "www.", "...."])
    assert sorted(here.moves()) == ["b3a2*", "b3c2*"]


def test_pawn_moves_onto_empty_diagonals_without_capturing():
    here = position(["....", ".b..", "....", "..w."])
    assert sorted(here.moves()) == ["b3a2", "b3b2", "b3c2"]


def test_second_player_moves_up_the_board():
    here = position(["b...", "...b", "..w.", "...."], turn=1)
    assert sorted(here.moves()) == ["c2b3", "c2c3", "c2d3*"]


def test_nothing_wraps_around_the_edge_of_the_board():
    rows = [*EMPTY[:3], "b......b", "........", "w......w", *EMPTY[6:]]
    assert sorted(position(rows).moves()) == ["a5a4", "a5b4", "h5g4", "h5h4"]
    assert sorted(position(rows, turn=1).moves()) == ["a3a4", "a3b4", "h3g4", "h3h4"]


@pytest.mark.parametrize(
    ("rows", "turn", "move", "payoffs"),
    [
        (["....", "w...", ".b..", "...."], 0, "b2b1", (1, -1)),
        (["....", "w...", ".b..", "...."], 1, "a3a4", (-1, 1)),
        (["b...", ".w..", "....", "...."], 0, "a4b3*", (1, -1)),
        (["....", ".b..", "w...", "...."], 1, "a2b3*", (-1, 1)),
    ],
    ids=["first crosses", "second crosses", "first takes the last", "second takes the last"],
)
def test_reaching_the_far_side_or_taking_the_last_piece_wins(rows, turn, move, payoffs):
    end = position(rows, turn).play(move)
    assert end.is_over
    assert end.payoffs() == payoffs


def test_sixteen_pieces_away_from_edges_and_each_other_reach_the_bound_on_moves():
    rows = [
        ".bbbbbb.",
        "........",
        ".bbbbbb.",
        "........",
        ".bbbb...",
        "........",
        "..ww....",
        "........",
    ]
    here = position(rows)
    assert popcount(here.state[0]) == 16
    assert len(here.move_codes()) == here.game.max_moves == 48


def test_on_two_columns_every_piece_stands_at_an_edge_and_has_two_moves_at_most():
    here = position(["bb", "..", "bb", "..", "..", "..", "..", "ww"])
    assert len(here.move_codes()) == here.game.max_moves == 8


@needs_many_playouts
def test_playouts_draw_every_legal_move_alike():
    # Captures, blocked and free pawns at different distances: any other distribution shows.
    here = position([*EMPTY[:3], ".b......", "w.......", "....b...", "...w....", "........"])
    for turn in (0, 1):
        start = from_words(here.game, *(int(word) for word in here.state[:2]), turn)
        assert_playouts_average_to(start, exact_value(start))


def test_playouts_average_to_the_exact_value_of_random_play_on_a_small_board():
    here = load("breakthrough:rows=4,columns=3").start()
    assert_playouts_average_to(here, exact_value(here), games=2000)


@pytest.mark.parametrize("spec", ["breakthrough:rows=9", "breakthrough:columns=1"])
def test_boards_that_do_not_fit_are_refused(spec):
    with pytest.raises(BadParameter, match="expected a whole number"):
        load(spec)


@pytest.mark.parametrize(
    ("sheet", "spec", "fact"),
    [
        ("breakthrough", "breakthrough", "cellHolds"),
        ("breakthroughSmall", "breakthrough:rows=6,columns=6", "cell"),
    ],
)
def test_recorded_games_of_the_rulesheet_replay(shared, sheet, spec, fact):
    game = load(spec)

    def name(move):
        """Their first player starts at the bottom, ours at the top."""
        x1, y1, x2, y2 = (int(number) for number in move.strip("()").split()[1:])
        return f"{'abcdefgh'[x1 - 1]}{game.rows + 1 - y1}{'abcdefgh'[x2 - 1]}{game.rows + 1 - y2}"

    steps_seen = 0
    for steps in recorded(shared, sheet):
        here = game.start()
        for step in steps:
            board = board_facts(here, fact, ("white", "black"))
            assert board == {true for true in step["state"] if true.startswith(f"({fact}")}
            assert here.is_over == step["terminal"]
            if here.is_over:
                assert [50 + 50 * payoff for payoff in here.payoffs()] == step["goals"]
                break
            assert f"(control {('white', 'black')[here.acting]})" in step["state"]
            legal = {name(move) for move in step["legal"][here.acting]}
            assert {move.rstrip("*") for move in here.moves()} == legal
            move = name(step["joint"][here.acting])
            here = here.play(next(m for m in here.moves() if m.rstrip("*") == move))
            steps_seen += 1
    assert steps_seen > 10


@needs_many_playouts
def test_random_games_are_as_long_as_published(shared):
    assert_random_games_take(load("breakthrough"), published_length(shared, "BASE/breakthrough"))
