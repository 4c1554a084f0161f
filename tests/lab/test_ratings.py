"""Ratings against the formula they come from, and against drawn results."""

import math

import numpy as np
import pytest

from trellis.lab.ratings import elo_of_score, rate


def test_two_players_are_as_far_apart_as_their_score_says() -> None:
    """Nearly: one drawn game is added, so that nobody is infinitely strong."""
    first, second = rate(["a", "b"], {(0, 1): [1.5] * 200 + [1.0] * 200}, draws=50)
    assert first.elo - second.elo == pytest.approx(elo_of_score(0.625), abs=0.2)
    assert (first.games, first.score) == (800, 0.625)
    assert first.low < first.elo < first.high


def test_drawn_results_give_the_ratings_they_were_drawn_with() -> None:
    true = np.array([120.0, 10.0, -40.0, -90.0])
    random = np.random.default_rng(4)
    pairs = {}
    for i in range(4):
        for j in range(i):
            chance = 1 / (1 + 10 ** ((true[j] - true[i]) / 400))
            pairs[i, j] = random.binomial(2, chance, 1500).astype(float)
    ratings = rate(list("abcd"), pairs, draws=100)
    assert [rating.elo for rating in ratings] == pytest.approx(true, abs=15)
    held = sum(rating.low <= elo <= rating.high for rating, elo in zip(ratings, true, strict=True))
    assert held >= 3


def test_whoever_has_lost_every_game_has_a_rating() -> None:
    ratings = rate(["a", "b", "c"], {(0, 1): [2.0] * 10, (1, 2): [2.0] * 10}, draws=20)
    elos = [rating.elo for rating in ratings]
    assert all(map(math.isfinite, elos))
    assert elos == sorted(elos, reverse=True)


def test_scores_as_differences() -> None:
    assert elo_of_score(0.5) == 0
    assert elo_of_score(10 / 11) == pytest.approx(400)
    assert elo_of_score(0.0) == -math.inf
