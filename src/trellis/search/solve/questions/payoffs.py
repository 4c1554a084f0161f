"""Labels for payoffs: whole numbers that keep their order, so that nothing is ever rounded.

>>> known = Labels(-1.0, 1.0)
>>> known.add(0.0)
>>> known.label(0.0), known.payoff(known.label(0.0)), known.label(1.0) == MOST
(0, 0.0, True)
"""

from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from trellis.game.errors import LimitReached
from trellis.search.solve.questions.layout import LEAST, MOST


class Labels:
    """Payoffs that are known so far, the ends of the range among them."""

    def __init__(self, least: float, greatest: float) -> None:
        self._ends = float(least), float(greatest)
        self._payoffs = [*self._ends]
        self._labels = {self._ends[0]: LEAST, self._ends[1]: MOST}

    def __len__(self) -> int:
        return len(self._payoffs)

    def add(self, payoff: float) -> None:
        """Give a payoff a label between those of its neighbours."""
        payoff = float(payoff) + 0.0  # not -0, which is equal to 0
        if payoff in self._labels:
            return
        at = bisect_left(self._payoffs, payoff)
        below, above = (self._labels[self._payoffs[i]] for i in (at - 1, at))
        if above - below < 2:
            raise LimitReached(
                f"too many payoffs close to {payoff:g}: expected a game with fewer different ones"
            )
        least, greatest = self._ends
        part = (payoff - least) / (greatest - least)
        fitting = LEAST + round(part * (MOST - LEAST))
        insort(self._payoffs, payoff)
        self._labels[payoff] = min(max(fitting, below + 1), above - 1)

    def label(self, payoff: float) -> int:
        """Return the label of a payoff that is known."""
        return self._labels[float(payoff)]

    def payoff(self, label: int) -> float:
        """Return the payoff that has a label."""
        found = next((pay for pay, known in self._labels.items() if known == label), None)
        if found is None:
            raise AssertionError(f"no payoff has the label {label}")
        return found

    def pairs(self) -> list[tuple[float, int]]:
        """List payoffs with their labels."""
        return list(self._labels.items())

    def restore(self, pairs: Iterable[tuple[float, int]]) -> None:
        """Have the labels of another run; only where no label stands in any table yet.

        Raises ValueError where they do not keep the order of payoffs.
        """
        told = sorted((float(payoff), int(label)) for payoff, label in pairs)
        labels = [label for _, label in told]
        ends = told[:1] + told[-1:]
        rising = all(first < second for first, second in pairwise(labels))
        if not rising or ends != [(self._ends[0], LEAST), (self._ends[1], MOST)]:
            raise ValueError("labels that do not keep the order of payoffs")
        self._payoffs, self._labels = [payoff for payoff, _ in told], dict(told)

    def between(self, low: int, high: int) -> list[int]:
        """List the labels above `low` and up to `high`, the least first."""
        return sorted(label for label in self._labels.values() if low < label <= high)

    def arrays(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return payoffs and labels as kernels read them, the least first."""
        labels = [self._labels[payoff] for payoff in self._payoffs]
        return np.array(self._payoffs), np.array(labels, np.int64)
