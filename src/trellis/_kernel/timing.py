"""How speeds are measured: in rounds, by the clock on the wall.

Machines are shared and noisy, and other work only ever makes a round slower.  So what something
can do in a second is the *fastest* of some rounds.  Two things that are compared take turns, each
turn gives one ratio, and the *median* of the ratios is the figure: what disturbs one turn disturbs
both sides alike.  Processor time is for scripts that compare two single threads for minutes.

A round is made of lots: calls long enough that calling costs nothing, and short enough that
Ctrl-C is answered.  Lots begin small and grow, which also fills memories and wakes the processor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from trellis._kernel.deadline import stop_asked

_LOT_SECONDS = 0.2
_GROWTH = 4  # a lot is at most so many times as large as the one before
_NEARLY = 0.8  # of a round: what is left would make a lot too small to count


@dataclass(frozen=True)
class Lot:
    """So many times something was done, what came of it, and how long that took."""

    count: int
    amount: float
    seconds: float

    @property
    def rate(self) -> float:
        """Return how many times it was done in a second."""
        return self.count / max(self.seconds, 1e-9)


def timed(work: Callable[[int], float]) -> Callable[[int, float], Lot]:
    """Make `work(count)`, which returns what came of it, something to measure in rounds."""

    def run(count: int, most_seconds: float) -> Lot:
        began = perf_counter()
        amount = work(count)
        return Lot(count, amount, perf_counter() - began)

    return run


class Rounds:
    """Measures `run(count, most_seconds)` in rounds of about `seconds` each."""

    def __init__(
        self, run: Callable[[int, float], Lot], seconds: float, smallest_lot: int = 1
    ) -> None:
        self._run = run
        self._seconds = seconds
        self._smallest = self._size = smallest_lot

    def next(self) -> Lot:
        """Measure one round; it is shorter where somebody asks to stop."""
        count, amount, spent, size = 0, 0.0, 0.0, self._size
        while True:
            lot = self._run(size, max(self._seconds - spent, 0.0))
            count, amount, spent = count + lot.count, amount + lot.amount, spent + lot.seconds
            self._size = max(self._size, size)
            if spent >= _NEARLY * self._seconds or stop_asked():
                return Lot(count, amount, spent)
            wanted = lot.rate * min(_LOT_SECONDS, self._seconds - spent)
            size = max(self._smallest, min(_GROWTH * self._size, int(wanted)))

    def fastest(self, number: int) -> Lot:
        """Measure so many rounds, fewer where somebody asks to stop; return the fastest."""
        found = [self.next()]
        while len(found) < number and not stop_asked():
            found.append(self.next())
        return max(found, key=lambda lot: lot.rate)
