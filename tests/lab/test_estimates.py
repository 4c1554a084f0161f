"""Intervals: published tables, and how often they hold what is true."""

import math
from random import Random

import pytest

from trellis.lab.estimates import (
    mean_interval,
    normal_z,
    of_many,
    paired_interval,
    share_interval,
    student_t,
)

# Percentage points of Student's distribution, two-sided, from the tables of the NIST/SEMATECH
# e-Handbook of Statistical Methods, 1.3.6.7.2 (there one-sided: 0.95, 0.975, 0.995).
STUDENT = {
    1: (6.314, 12.706, 63.657), 2: (2.920, 4.303, 9.925), 5: (2.015, 2.571, 4.032),
    10: (1.812, 2.228, 3.169), 30: (1.697, 2.042, 2.750), 100: (1.660, 1.984, 2.626),
}  # fmt: skip


@pytest.mark.parametrize("freedom", STUDENT)
def test_student_is_as_in_the_tables(freedom):
    found = [round(student_t(confidence, freedom), 3) for confidence in (0.9, 0.95, 0.99)]
    assert found == pytest.approx(STUDENT[freedom], abs=0.0011)


def test_student_of_many_is_nearly_normal():
    assert student_t(0.95, 100_000) == pytest.approx(normal_z(0.95), abs=1e-4)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_shares_have_wilsons_interval(wins, games, low, high):
    """Newcombe 1998, table I, method 3."""
    assert share_interval(wins / games, games, 0.95) == pytest.approx((low, high), abs=5e-5)


def test_intervals_that_hold_together_are_wider():
    assert of_many(0.95, 1) == of_many(0.95, 0) == 0.95
    assert of_many(0.95, 27) ** 27 == pytest.approx(0.95)


def coverage(draw, truth, times=2_000, confidence=0.95):
    random = Random(7)
    held = 0
    for _ in range(times):
        low, high = paired_interval(draw(random), confidence)
        held += low <= truth <= high
    return held / times


def alone(share):
    """Games that have nothing to do with each other."""
    return lambda random: [float(random.random() < share) for _ in range(200)]


def alike(random):
    """Pairs in which who wins one game wins the other: half as many games as it seems."""
    return [won for _ in range(100) for won in 2 * [float(random.random() < 0.5)]]


def opposed(random):
    """Pairs that the opening decides: each side of it is won by who has it, but for a few."""
    scores = []
    for _ in range(100):
        first = float(random.random() < 0.5)
        scores += [first, 1 - first if random.random() < 0.9 else first]
    return scores


@pytest.mark.parametrize(
    ("draw", "truth"), [(alone(0.5), 0.5), (alone(0.8), 0.8), (alone(0.98), 0.98), (alike, 0.5)]
)
def test_pairs_hold_the_truth_as_often_as_they_say(draw, truth):
    assert 0.93 <= coverage(draw, truth) <= 0.975


def test_pairs_that_part_the_points_are_not_overrated():
    """The interval never counts more games than there are, so it holds more often than it says."""
    assert coverage(opposed, 0.5) >= 0.95


def test_games_of_pairs_that_are_alike_count_half():
    alike = [1.0, 1.0, 0.0, 0.0] * 50
    mixed = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0] * 25
    wide, narrow = (high - low for low, high in (paired_interval(x, 0.95) for x in (alike, mixed)))
    assert wide > 1.3 * narrow


@pytest.mark.parametrize("scores", [[1.0] * 40, [0.0] * 40, [0.5] * 40, [1.0, 1.0], [1.0]])
def test_one_sided_results_leave_an_interval(scores):
    low, high = paired_interval(scores, 0.95)
    assert 0 <= low <= scores[0] <= high + 1e-12
    assert high <= 1
    assert high - low > 0.05


def test_means_are_held_as_often_as_they_say():
    random = Random(3)
    held = 0
    for _ in range(2_000):
        low, high = mean_interval([random.gauss(5, 2) for _ in range(6)], 0.95)
        held += low <= 5 <= high
    assert 0.935 <= held / 2_000 <= 0.965


def test_a_mean_of_one_value_says_nothing():
    assert mean_interval([3.0], 0.95) == (-math.inf, math.inf)
