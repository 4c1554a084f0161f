"""How a run stands while it goes on: the cell at work, and what its claims would come to now."""

from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from trellis.lab.rendering.wording import ANSWERS, interval, number, plain
from trellis.lab.verdicts import CONFIDENCE, judge

if TYPE_CHECKING:
    from trellis.lab.results import Results

_PART = 0.02  # of the time may go into telling how it stands
_PAUSE = 0.5  # seconds between two looks at least


class Standing:
    """Two lines for somebody who watches; looked at again only as often as that costs little."""

    def __init__(self) -> None:
        self.at = ""  # the cell of which something has come in last
        self._shown: list[str] = []
        self._next = 0.0

    def lines(self, results: "Callable[[], Results]") -> list[str]:
        """Return how it stands, as it was at the last look or is now."""
        began = perf_counter()
        if self.at and began >= self._next:
            self._shown = standing_lines(results(), self.at)
            now = perf_counter()
            self._next = now + max(_PAUSE, (now - began) / _PART)
        return self._shown


def standing_lines(results: "Results", cell: str) -> list[str]:
    """Say what is known of one cell, and how the claims stand."""
    digits, unit = results.measure.digits, results.measure.unit
    lines = []
    for each in results.cells:
        estimate = each.estimate_at(CONFIDENCE)
        if each.cell.name == cell and estimate.samples:
            value = estimate.text or number(estimate.value, digits)
            between = interval(estimate.low, estimate.high, digits)
            told = f"{plain(cell)}: {value} {unit}".rstrip() + (f" ({between})" if between else "")
            lines.append(f"{told} after {estimate.samples:,} of {each.wanted:,}")
    counts = Counter(verdict.answer for verdict in judge(results))
    if counts:
        told = ", ".join(
            f"{counts[answer]} {words}" for answer, words in ANSWERS.items() if counts[answer]
        )
        lines.append(f"claims as they stand: {told}")
    return lines
