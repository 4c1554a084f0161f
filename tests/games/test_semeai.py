"""Semeai against dynamic programming over liberties, and against the published tables."""

from fractions import Fraction
from functools import cache

import pytest

import trellis
from trellis.lab.papers.data import rows_of
from trellis.lab.papers.thesis_bounds import semeai_wins
from trellis.search.solve.value_iteration import solve_exactly


@cache
def plain_wins(own, opponent):
    """Return how often who moves wins at random: the definition."""
    if opponent == 1:
        return Fraction(1)
    fills_own = 0 if own == 1 else 1 - plain_wins(opponent, own - 1)
    fills_other = 1 - plain_wins(opponent - 1, own)
    return (own * fills_own + opponent * fills_other) / Fraction(own + opponent)


@pytest.mark.parametrize("own", range(1, 10))
def test_all_cells_of_the_published_tables(own):
    printed = rows_of("thesis_table4.1_semeai_p0.tsv")
    for opponent in range(1, 10):
        wins = semeai_wins(own, opponent)
        assert wins == plain_wins(own, opponent)
        assert abs(wins - Fraction(printed[own - 1][opponent])) <= Fraction(1, 200)


@pytest.mark.parametrize("elsewhere", [0.5, 0.8])
def test_playing_elsewhere_changes_nothing(elsewhere):
    for own, opponent in [(1, 1), (1, 2), (2, 2), (3, 5), (6, 4), (9, 9)]:
        assert semeai_wins(own, opponent, elsewhere) == plain_wins(own, opponent)


@pytest.mark.parametrize("own", range(1, 8))
def test_with_perfect_play_who_moves_wins_with_as_many_liberties(own):
    for opponent in range(1, 8):
        found = trellis.solve(trellis.load("semeai", own=own, opponent=opponent))
        assert found.outcome == ("first" if own >= opponent else "second")


def test_random_playouts_win_as_often_as_is_computed():
    game = trellis.load("semeai", own=4, opponent=5, elsewhere=0.8)
    played = trellis.playouts(game.start(), 40_000, seed=1)
    assert abs(played.means[0] - (2 * plain_wins(4, 5) - 1)) < 4 * played.errors[0]


def test_chance_decides_only_where_nothing_can_be_taken():
    start = trellis.load("semeai", own=2, opponent=2, elsewhere=0.25).start()
    assert start.chances() == [("here", 0.75), ("elsewhere", 0.25)]
    assert start.play("elsewhere").is_chance
    here = start.play("here")
    assert here.moves() == ["b1", "b2", "w1", "w2"]
    after = here.play("w1")
    assert (after.acting, after.is_chance) == (-1, True)
    assert here.play("b1").moves() == ["b1"]  # white takes at once
    assert here.play("b1", "b1").payoffs() == (-1, 1)
    assert solve_exactly(start.game).solved


def test_what_is_shown():
    start = trellis.load("semeai", own=1, opponent=2).start()
    assert str(start) == "black has 1 of 1 liberties, white 2 of 2: black to move"
    assert str(start.play("b1")) == "black has 0 of 1 liberties, white 2 of 2: white has won"
