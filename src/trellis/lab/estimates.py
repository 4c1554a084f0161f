"""Intervals: how far an estimate may be off, for shares, for means, and for games in pairs."""

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist, mean, stdev

from trellis.players.match import wilson


def normal_z(confidence: float) -> float:
    """Return how many deviations on both sides hold so much of a normal distribution.

    >>> round(normal_z(0.95), 2)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def of_many(confidence: float, number: int) -> float:
    """Return the confidence for each of `number` intervals that holds for all of them together.

    >>> round(of_many(0.95, 27), 4)
    0.9981
    """
    return float(confidence ** (1 / max(number, 1)))


def share_interval(share: float, count: float, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval for a share of `count`."""
    return wilson(share, count, normal_z(confidence))


def paired_interval(scores: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return an interval for a score from games in pairs, in the order of their numbers.

    The two games of a pair begin alike, so they are not independent.  The interval is Wilson's for
    as many games as the spread of the pairs is worth, which counts as at least one game a pair and
    at most two: however one-sided the results are, it does not shrink to a point.
    """
    games = len(scores)
    score = mean(scores)
    pairs = [(scores[n] + scores[n + 1]) / 2 for n in range(0, games - 1, 2)]
    worth: float = games
    if len(pairs) > 1:
        spread = stdev(pairs) ** 2 / len(pairs)
        single = score * (1 - score)
        worth = games if spread == 0 else min(games, max(len(pairs), single / spread))
    return share_interval(score, worth, confidence)


def mean_interval(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return an interval for a mean, by Student's distribution; all of the line for one value."""
    if len(values) < 2:
        return -math.inf, math.inf
    middle = mean(values)
    reach = student_t(confidence, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return middle - reach, middle + reach


@cache
def student_t(confidence: float, freedom: int) -> float:
    """Return how many deviations hold so much of Student's distribution on both sides.

    Found by bisection over the integral of its density, for which Simpson's rule does.

    >>> round(student_t(0.95, 9), 3), round(student_t(0.95, 1), 2)
    (2.262, 12.71)
    """
    low, high = 0.0, 1.0
    while _student_within(high, freedom) < confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if _student_within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _student_within(t: float, freedom: int) -> float:
    """Return how much of Student's distribution lies between -t and t.

    With t = sqrt(freedom) * tan(angle) the density becomes a power of the cosine.
    """
    steps = 400
    end = math.atan(t / math.sqrt(freedom))
    width = end / steps
    heights = [math.cos(n * width) ** (freedom - 1) for n in range(steps + 1)]
    inside = heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return 2 * inside * width / 3 * scale / math.sqrt(math.pi)
