"""Ratings of several players from games against each other (Bradley and Terry), with intervals.

A player of rating a beats one of rating b with the chance 1 / (1 + 10^((b - a) / 400)); a draw is
half a win for both.  Ratings are those that explain the results best, after one drawn pair between
all players who have met was added, without which whoever has won every game would be infinitely
strong.  Intervals come from drawing the pairs of games again and again (a bootstrap over pairs,
since the two games from one start are not independent).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_ELO = 400 / math.log(10)
_STEPS = 10_000
_CLOSE = 1e-9
_PRIOR = 1.0  # games drawn between players who have met, before their results count


@dataclass(frozen=True)
class Rating:
    """A player's rating, the mean of all being 0: `low` and `high` hold it 95 times in 100."""

    player: str
    elo: float
    low: float
    high: float
    games: int
    score: float


def elo_of_score(score: float) -> float:
    """Return the difference of ratings at which a player scores so much.

    >>> round(elo_of_score(0.64))
    100
    """
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return _ELO * math.log(score / (1 - score))


def rate(
    players: Sequence[str],
    pairs: Mapping[tuple[int, int], Sequence[float]],
    *,
    draws: int = 1_000,
    seed: int = 0,
) -> list[Rating]:
    """Rate players; `pairs[i, j]` has the score of i, from 0 to 2, in each pair of games with j."""
    scores, games = _sums(len(players), pairs)
    elo = _strengths(scores, games)
    random = np.random.default_rng(seed)
    drawn = np.array(
        [
            _strengths(
                *_sums(
                    len(players),
                    {
                        who: random.choice(np.asarray(results, float), len(results)).tolist()
                        for who, results in pairs.items()
                        if len(results)
                    },
                )
            )
            for _ in range(draws)
        ]
    )
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return [
        Rating(
            player, float(elo[i]), min(float(low[i]), float(elo[i])),
            max(float(high[i]), float(elo[i])), int(games[i].sum()),
            float(scores[i].sum() / games[i].sum()) if games[i].sum() else 0.5,
        )
        for i, player in enumerate(players)
    ]  # fmt: skip


def _sums(
    count: int, pairs: Mapping[tuple[int, int], Sequence[float]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of each player against each, and the number of games."""
    scores, games = np.zeros((count, count)), np.zeros((count, count))
    for (i, j), results in pairs.items():
        total = float(np.sum(results))
        scores[i, j] += total
        scores[j, i] += 2 * len(results) - total
        games[i, j] += 2 * len(results)
        games[j, i] += 2 * len(results)
    return scores, games


def _strengths(scores: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return ratings by minorisation and maximisation (Hunter 2004)."""
    met = games > 0
    wins = (scores + _PRIOR / 2 * met).sum(axis=1)
    played = games + _PRIOR * met
    strength = np.ones(len(scores))
    for _ in range(_STEPS):
        against = (played / (strength[:, None] + strength[None])).sum(axis=1)
        following = np.where(against > 0, wins / np.where(against > 0, against, 1), strength)
        following /= np.exp(np.log(following).mean())
        done = np.abs(following / strength - 1).max() < _CLOSE
        strength = following
        if done:
            break
    elo = _ELO * np.log(strength)
    return np.asarray(elo - elo.mean())
