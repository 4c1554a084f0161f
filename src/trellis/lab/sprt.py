"""Sequential tests of two players: stop a match as soon as it is decided, and not before.

The unit is a pair of games from one start, each player having each side once: its score is 0, 1/4,
1/2, 3/4 or 1, and the five counts (the *pentanomial*) are all that a test looks at.  What is tested
is normalized Elo: how far the mean score of a game lies above one half, in standard deviations of a
game, so that one bound means the same in games that are often drawn and in games that never are.

The log-likelihood ratio is that of the two most likely distributions of the five scores whose
normalized Elo is one bound and the other: a generalised sequential probability ratio test.  It
depends on the counts alone: asking again changes nothing.  (A short formula takes scores for
normal; it agrees to three digits where both sides win, and fails where one wins every game.)

A test stops when a run of luck helps it, so the plain mean over its games says too much.
`estimate` allows for that: it takes the ratio for a walk with a drift between two bounds, and asks
which drift makes what was seen the middle of what could have been.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import check_options, option, options_of
from trellis.game.spec import read_options, split_options

ELO_OF_DEVIATION = 800 / math.log(10)  # normalized Elo of one standard deviation of a game
SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_ROOT2 = math.sqrt(2)  # a deviation of a game in deviations of the mean of two
_LEAST = 1e-3  # pairs in a cell: nothing is impossible because it has not been seen yet
_MOST_DOUBT = 0.45  # chances of an error: with more, a coin would do
_STEPS = 100  # of fixed points and bisections, at most
_CLOSE = 1e-12  # shares that do not change any more
_ZOOMS, _PLACES = 6, 42  # means that are looked at, closer each time
_OVERSHOOT = 0.5826  # -zeta(1/2) / sqrt(2 pi): what a step goes beyond a bound, in its deviations
_GRID = 2_001  # places between the bounds
_TERMS = 400  # of a series; more than a walk of a few steps needs


@dataclass(frozen=True)
class Sprt:
    """A test of "at most `elo0`" against "at least `elo1`", in normalized Elo.

    >>> Sprt(0, 2).ratio([379, 10170, 21828, 10640, 343])  # doctest: +ELLIPSIS
    2.945...
    """

    elo0: float = option(0.0, "Normalized Elo that is not worth having.", low=-1000, high=1000)
    elo1: float = option(10.0, "Normalized Elo worth having.", low=-1000, high=1000)
    alpha: float = option(
        0.05, "Chance to accept elo1 where elo0 is true.", above=0, high=_MOST_DOUBT
    )
    beta: float = option(
        0.05, "Chance to accept elo0 where elo1 is true.", above=0, high=_MOST_DOUBT
    )

    def __post_init__(self) -> None:
        check_options(self)
        if not self.elo0 < self.elo1:
            raise BadParameter(f"bad bounds {self.elo0:g} and {self.elo1:g}: expected elo0 < elo1")

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the ratios at which `elo0` and `elo1` are accepted."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, pairs: Sequence[int]) -> float:
        """Return the log-likelihood ratio of what five counts of pairs say."""
        if sum(pairs) == 0:
            return 0.0
        counts = _counts(pairs)
        shares = counts / counts.sum()
        first, second = (
            _most_likely(shares, elo * _ROOT2 / ELO_OF_DEVIATION) for elo in (self.elo0, self.elo1)
        )
        return float(counts @ np.log(second / first))

    def verdict(self, pairs: Sequence[int]) -> str | None:
        """Return the bound that is accepted, "elo0" or "elo1"; None while it is open."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "elo0" if ratio <= low else "elo1" if ratio >= high else None

    def estimate(self, pairs: Sequence[int], share: float = 0.95) -> tuple[float, float, float]:
        """Return normalized Elo and an interval, allowing for the stop as soon as it is decided."""
        low, high = self.bounds
        count = sum(pairs)
        if count == 0:
            return 0.0, -math.inf, math.inf
        step = (self.elo1 - self.elo0) * _ROOT2 / ELO_OF_DEVIATION  # also a step's deviation
        reach = _OVERSHOOT * step
        walk = _Walk(low - reach, high + reach, step, count)
        at = min(max(self.ratio(pairs), walk.low), walk.high)
        middle = (self.elo0 + self.elo1) / 2

        def elo_of(chance: float) -> float:
            drift = _root(lambda drift: walk.chance_above(at, drift) - chance, step)
            return middle + drift / step * ELO_OF_DEVIATION / _ROOT2

        tail = (1 - share) / 2
        return elo_of(0.5), elo_of(tail), elo_of(1 - tail)


def read_sprt(text: str) -> Sprt:
    """Read a test as people write it.

    >>> read_sprt("elo1=20").elo1
    20.0
    """
    words, given = split_options(text)
    if words:
        raise BadParameter(f"bad option {shorten(words[0])}: expected elo0=0,elo1=10")
    return Sprt(**read_options(given, options_of(Sprt), where="--sprt"))


def normalized_elo(pairs: Sequence[int], z: float = 1.959963984540054) -> tuple[float, float]:
    """Return normalized Elo, and how far it may be off, from five counts of pairs.

    This is for matches whose length was settled before they began.

    >>> [round(number, 2) for number in normalized_elo([379, 10170, 21828, 10640, 343])]
    [3.05, 2.31]
    """
    counts = _counts(pairs)
    total = float(counts.sum())
    mean, deviation = _moments(counts / total)
    scale = ELO_OF_DEVIATION / _ROOT2
    return (mean - 0.5) / deviation * scale, z / math.sqrt(total) * scale


def _counts(pairs: Sequence[int]) -> np.ndarray:
    if len(pairs) != 5 or min(pairs) < 0 or sum(pairs) == 0:
        raise BadParameter(
            f"bad counts of pairs {list(pairs)}: expected five, of scores 0, ½, 1, 1½ and 2"
        )
    return np.maximum(np.array(pairs, np.float64), _LEAST)


def _moments(shares: np.ndarray) -> tuple[float, float]:
    mean = float(shares @ SCORES)
    return mean, math.sqrt(float(shares @ (SCORES - mean) ** 2))


def _most_likely(seen: np.ndarray, deviations: float) -> np.ndarray:
    """Return the shares that explain what was seen best, with a mean so far above one half.

    A mean of `deviations` standard deviations above one half is a condition that bends with the
    shares; it is straightened around the last guess, whose solution is the next guess.  Far from
    one half that may lead nowhere: there the mean is searched instead.
    """
    guess = np.full(len(SCORES), 1 / len(SCORES))
    for _ in range(_STEPS):
        mean, deviation = _moments(guess)
        distance = (SCORES - mean) / deviation
        slope = SCORES - 0.5 - deviations * deviation * (1 + distance**2) / 2
        if not slope.min() < 0 < slope.max():
            break
        following = seen / (1 + _multiplier(seen, slope) * slope)
        if not (np.isfinite(following).all() and following.min() > 0):
            break
        if np.abs(following - guess).max() < _CLOSE:
            return following
        guess = following
    else:
        return guess
    return _most_likely_of_means(seen, deviations)


def _most_likely_of_means(seen: np.ndarray, deviations: float) -> np.ndarray:
    """Return the same, by looking at all means: a mean settles the deviation, too.

    With both given the conditions are straight, and there is one best answer.  Where no shares
    have such a mean and deviation, there is none.
    """
    side = 1.0 if deviations > 0 else -1.0
    # The widest spread is that of all on the two ends.
    farthest = 0.5 / math.sqrt(1 + 1 / deviations**2)
    best, found = -math.inf, np.full(len(SCORES), 1 / len(SCORES))
    low, high = 0.0, farthest
    for _ in range(_ZOOMS):
        offsets = np.linspace(low, high, _PLACES)[1:-1]
        place = 0
        for number, offset in enumerate(offsets):
            shares = _with_moments(seen, 0.5 + side * offset, offset / abs(deviations))
            likely = -math.inf if shares is None else float(seen @ np.log(shares))
            if shares is not None and likely > best:
                best, found, place = likely, shares, number
        width = offsets[1] - offsets[0]
        low, high = max(0.0, offsets[place] - width), min(farthest, offsets[place] + width)
    return found


def _with_moments(seen: np.ndarray, mean: float, deviation: float) -> np.ndarray | None:
    """Return the most likely shares of a mean and a deviation; None where there are none.

    Shares are seen / (1 + m . g), where g is what the two conditions say of each score and m makes
    the sum of seen * log(1 + m . g) greatest: Newton's method, with steps that stay where the
    logarithms exist.
    """
    conditions = np.stack([SCORES - mean, (SCORES - mean) ** 2 - deviation**2])
    multipliers = np.zeros(2)
    for _ in range(_STEPS):
        below = 1 + multipliers @ conditions
        shares = seen / below
        gradient = conditions @ shares
        if np.abs(gradient).max() < _CLOSE:
            return shares
        curvature = (conditions * (shares / below)) @ conditions.T
        determinant = curvature[0, 0] * curvature[1, 1] - curvature[0, 1] ** 2
        if not determinant > 0:
            return None
        step = (
            np.array(
                [
                    curvature[1, 1] * gradient[0] - curvature[0, 1] * gradient[1],
                    curvature[0, 0] * gradient[1] - curvature[0, 1] * gradient[0],
                ]
            )
            / determinant
        )
        rate, now = 1.0, float(seen @ np.log(below))
        while rate > _CLOSE:
            reached = 1 + (multipliers + rate * step) @ conditions
            if reached.min() > 0 and float(seen @ np.log(reached)) > now:
                break
            rate /= 2
        else:
            return shares if np.abs(gradient).max() < math.sqrt(_CLOSE) else None
        multipliers = multipliers + rate * step
        if np.abs(multipliers).max() > 1 / _CLOSE:  # no shares fulfil both conditions
            return None
    return None


def _multiplier(seen: np.ndarray, slope: np.ndarray) -> float:
    """Return the x for which the sum of seen * slope / (1 + x * slope) is zero."""
    # At either end the sum is infinite, which tells the side as well as any number.
    with np.errstate(divide="ignore"):
        return _bisect(
            lambda x: -float((seen * slope / (1 + x * slope)).sum()),
            -1 / float(slope.max()),
            -1 / float(slope.min()),
        )


def _bisect(growing: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if growing(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _root(function: Callable[[float], float], scale: float) -> float:
    """Return where a growing function is zero, beginning with a reach of `scale`."""
    low = high = 0.0
    for step in range(_STEPS):
        if function(low) <= 0 <= function(high):
            break
        low, high = -scale * 2**step, scale * 2**step
    return _bisect(function, low, high)


class _Walk:
    """A walk from 0 that stops at two bounds: its steps have a deviation and some drift."""

    def __init__(self, low: float, high: float, deviation: float, steps: int) -> None:
        self.low, self.high = low, high
        self.variance, self.steps = deviation * deviation, steps
        self.width = high - low
        self.places = np.linspace(0.0, self.width, _GRID)
        n = np.arange(1, _TERMS + 1)[:, None]
        waves = math.pi * n / self.width
        fades = np.exp(-(waves**2) * self.variance * steps / 2)
        # Where a walk without drift is that has not been stopped: waves between the bounds.
        self.free = (
            2 / self.width * fades * np.sin(-waves * low) * np.sin(waves * self.places)
        ).sum(axis=0)

    def chance_above(self, at: float, drift: float) -> float:
        """Return the chance to be above `at` now, or to have stopped at the upper bound before."""
        lean = drift / self.variance
        tilt = lean * (self.places + self.low) - lean * drift * self.steps / 2
        density = self.free * np.exp(np.minimum(tilt, 700.0))
        above = density * (self.places + self.low > at)
        begun = float(_chance_of_top(np.array([-self.low]), self.width, lean)[0])
        ahead = density * _chance_of_top(self.places, self.width, lean)
        return begun - float(np.trapezoid(ahead - above, self.places))


def _chance_of_top(places: np.ndarray, width: float, lean: float) -> np.ndarray:
    """Return the chance that a walk from places between 0 and `width` ends at the top."""
    if abs(lean) * width < 1e-9:
        return places / width
    # expm1 of negative numbers only, so that nothing overflows.
    if lean > 0:
        return np.expm1(-2 * lean * places) / math.expm1(-2 * lean * width)
    up, down = np.exp(2 * lean * (width - places)), math.exp(2 * lean * width)
    return (up - down) / (1 - down)
