"""Sequential tests against published totals, and against truths that know no formula."""

import math
from itertools import product

import numpy as np
import pytest

from trellis.game.errors import BadParameter
from trellis.lab import sprt
from trellis.lab.sprt import ELO_OF_DEVIATION, SCORES, Sprt, _Walk, normalized_elo

# Of a test of Stockfish, as fastchess reports it: five counts of pairs, bounds 0 and 2.
PUBLISHED = [379, 10170, 21828, 10640, 343]


def test_published_totals() -> None:
    """The report says a ratio of 2.946 and 3.05 ± 2.31."""
    test = Sprt(0, 2)
    assert test.ratio(PUBLISHED) == pytest.approx(2.946, abs=1e-3)
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert test.verdict(PUBLISHED) == "elo1"
    elo, error = normalized_elo(PUBLISHED)
    assert (round(elo, 2), round(error, 2)) == (3.05, 2.31)


def test_asking_again_changes_nothing() -> None:
    test = Sprt(0, 10)
    assert [test.ratio(PUBLISHED) for _ in range(3)] == [test.ratio(PUBLISHED)] * 3


@pytest.mark.parametrize("pairs", [[3, 9, 20, 11, 4], [0, 1, 0, 3, 0], [12, 0, 5, 0, 40]])
def test_the_ratio_is_that_of_the_best_distributions_on_a_grid(pairs: list[int]) -> None:
    """All distributions of five scores on a fine grid, of which those near a bound are kept."""
    counts = np.maximum(pairs, 1e-3)
    steps = 26
    grid = np.array(
        [
            (*four, steps - sum(four))
            for four in product(range(1, steps), repeat=4)
            if sum(four) < steps
        ]
    )
    shares = grid / steps
    mean = shares @ SCORES
    deviation = np.sqrt(((SCORES[None] - mean[:, None]) ** 2 * shares).sum(axis=1))
    elo = (mean - 0.5) / deviation * ELO_OF_DEVIATION / math.sqrt(2)
    likelihood = np.log(shares) @ counts
    test = Sprt(-60, 60)
    best = [likelihood[np.abs(elo - bound) < 2].max() for bound in (test.elo0, test.elo1)]
    assert test.ratio(pairs) == pytest.approx(best[1] - best[0], abs=0.1 * sum(pairs) ** 0.5)
    assert best[1] - best[0] != pytest.approx(0, abs=0.5)


@pytest.mark.parametrize(
    ("pairs", "accepted"),
    [([0, 0, 0, 0, 500], "elo1"), ([500, 0, 0, 0, 0], "elo0"), ([0, 0, 4000, 0, 0], "elo0")],
)
def test_one_sided_results(pairs: list[int], accepted: str) -> None:
    test = Sprt(0, 10)
    assert test.verdict(pairs) == accepted
    assert all(map(math.isfinite, test.estimate(pairs)))


def test_errors_are_as_rare_as_was_asked_for() -> None:
    """Matches of two equal players: at most about one in twenty is taken for a difference."""
    random = np.random.default_rng(1)
    test = Sprt(0, 60)
    shares = [0.1, 0.15, 0.5, 0.15, 0.1]
    wrong = 0
    for _ in range(60):
        pairs = np.zeros(5, int)
        verdict = None
        while verdict is None:
            pairs += random.multinomial(16, shares)
            verdict = test.verdict(pairs.tolist())
        wrong += verdict == "elo1"
    assert wrong <= 9  # one in a thousand runs of this test would see more


def _stepped(walk: _Walk, drift: float, at: float) -> float:
    """Walk in small steps between the bounds, on a lattice, as probabilities."""
    cells, steps = 100, 4_000
    width = (walk.high - walk.low) / cells
    places = walk.low + width * np.arange(cells + 1)
    now = np.zeros(cells + 1)
    begun = -walk.low / width
    now[int(begun)] = 1 - begun % 1
    now[int(begun) + 1] += begun % 1
    time = walk.steps / steps
    move = walk.variance * time / width**2
    up, down = (move + drift * time / width) / 2, (move - drift * time / width) / 2
    assert min(up, down) >= 0
    assert up + down <= 1
    top = 0.0
    for _ in range(steps):
        inner = now[1:-1].copy()
        now[1:-1] = inner * (1 - up - down)
        now[2:-1] += inner[:-1] * up
        now[1:-2] += inner[1:] * down
        top += inner[-1] * up
        now[0] = now[-1] = 0
    return top + float(now[places > at].sum()) + float(now[np.abs(places - at) < 1e-12].sum()) / 2


@pytest.mark.parametrize("drift", [-0.02, 0.0, 0.01, 0.05])
def test_a_walk_between_bounds_against_one_in_small_steps(drift: float) -> None:
    walk = _Walk(-3.0, 3.2, 0.3, 120)
    for at in (-2.9, -0.5, 0.0, 1.7, 3.1):
        assert walk.chance_above(at, drift) == pytest.approx(_stepped(walk, drift, at), abs=0.01)


def test_a_walk_far_from_bounds_is_normal() -> None:
    walk = _Walk(-50.0, 50.0, 0.5, 100)
    for at, drift in product((-6.0, 0.0, 4.0), (-0.05, 0.0, 0.03)):
        normal = 0.5 * math.erfc((at - 100 * drift) / (0.5 * 10 * math.sqrt(2)))
        assert walk.chance_above(at, drift) == pytest.approx(normal, abs=0.005)


def test_the_estimate_allows_for_the_stop() -> None:
    """What a stopped match has shown is a little less than its mean says."""
    test = Sprt(0, 2)
    elo, low, high = test.estimate(PUBLISHED)
    assert low < elo < normalized_elo(PUBLISHED)[0] < high


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sprt(5, 5), "expected elo0 < elo1"),
        (lambda: Sprt(0, 5, alpha=0.7), "0.7.*alpha"),
        (lambda: Sprt(0, 5).ratio([1, 2, 3]), "expected five"),
        (lambda: Sprt(0, 5).ratio([1, 2, 3, -1, 2]), "expected five"),
    ],
)
def test_bad_numbers_get_one_line(make: object, message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    "pairs",
    [[0, 0, 1, 0, 0], [0, 0, 200, 0, 0], [0, 0, 0, 0, 200], [200, 0, 0, 0, 0], [100, 0, 0, 0, 100]],
)
def test_one_sided_results_and_far_bounds_have_a_ratio(pairs):
    ratios = [Sprt(0, elo1).ratio(pairs) for elo1 in (20, 100, 300, 1000)]
    assert all(math.isfinite(ratio) for ratio in ratios)
    # Whoever has won everything supports a higher bound the more, anybody else the less.
    wins = pairs == [0, 0, 0, 0, 200]
    assert ratios == sorted(ratios, reverse=not wins)


@pytest.mark.parametrize("deviations", [-0.3, -0.1, 0.05, 0.2])
def test_both_ways_to_the_most_likely_shares_agree(deviations):
    random = np.random.default_rng(3)
    for _ in range(5):
        counts = random.integers(1, 60, 5)
        seen = counts / counts.sum()
        straightened = sprt._most_likely(seen, deviations)
        searched = sprt._most_likely_of_means(seen, deviations)
        assert seen @ np.log(straightened) == pytest.approx(seen @ np.log(searched), abs=1e-6)
