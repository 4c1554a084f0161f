"""Spending a budget in slices: long work is done a little at a time, by the clock.

Between two slices Ctrl-C is heard, progress is told, and somebody may find that time is up.  How
long a unit of work takes is not known before the first was done, so the first slice is small; later
ones are to last as long as was asked for, and grow by no more than four times.
"""

from collections.abc import Iterator
from math import inf
from time import perf_counter

from trellis._kernel.deadline import stop_asked

# Short enough for clocks and Ctrl-C; a call of a kernel costs about a tenth of a millisecond.
SLICE_SECONDS = 0.01
_GROWTH = 4


class Slices:
    """Sizes of slices, one after the other, and what is left of the budget.

    Whoever goes through them does that much work, says with `finish` how much it was, and leaves
    when the budget is `over` or there is nothing left to do.

    >>> slices = Slices(units=10)
    >>> for size in slices:
    ...     slices.finish(size)
    ...     if slices.over:
    ...         break
    >>> slices.done, slices.fraction
    (10, 1.0)
    """

    def __init__(
        self,
        first: int = 1,
        *,
        units: int | None = None,
        seconds: float | None = None,
        each: float | None = None,
    ) -> None:
        self._units, self._seconds = units, inf if seconds is None else seconds
        self.size = first  # of the next slice
        self._each = SLICE_SECONDS if each is None else each
        self._began = self._start = perf_counter()
        self.done = 0  # units of work
        self.elapsed = 0.0  # seconds, when the last slice ended

    def __iter__(self) -> Iterator[int]:
        while True:
            self._start = perf_counter()
            yield self.size if self._units is None else min(self.size, self._units - self.done)

    def finish(self, done: int) -> None:
        """End a slice in which so much work was done."""
        now = perf_counter()
        self.done += done
        self.elapsed = now - self._began
        fitting = int(done / max(now - self._start, 1e-9) * min(self.left, self._each))
        self.size = max(1, min(_GROWTH * self.size, fitting))

    @property
    def left(self) -> float:
        """Return the seconds that were left when the last slice ended."""
        return self._seconds - self.elapsed

    @property
    def late(self) -> bool:
        """Tell whether no time was left when the last slice ended."""
        return self.left <= 0

    @property
    def over(self) -> bool:
        """Tell whether work or time is used up, or somebody has asked to stop."""
        return self.late or self.done == self._units or stop_asked()

    @property
    def fraction(self) -> float:
        """Return the fraction of the budget that is spent, from 0 to 1."""
        work = 0.0 if self._units is None else self.done / self._units
        return min(1.0, max(work, self.elapsed / self._seconds))
