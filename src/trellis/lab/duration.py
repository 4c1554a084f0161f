"""How long the rest of a run takes, learned from the jobs that have been done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

THOUSAND = 1_000  # what a cluster has


class Left(NamedTuple):
    """What is left of one cell."""

    samples: int
    pace: float  # seconds of one
    batch: int  # samples of a job, which only one processor works at


def time_needed(parts: Sequence[Left], processors: int) -> float:
    """Return how many seconds so many processors take at the least, none of which waits.

    >>> time_needed([Left(100, 2.0, 10), Left(100, 1.0, 10)], 2)
    150.0
    >>> time_needed([Left(100, 2.0, 10), Left(100, 1.0, 10)], 1_000)  # no less than a job
    20.0
    """
    total = sum(part.samples * part.pace for part in parts)
    longest = max((min(part.samples, part.batch) * part.pace for part in parts), default=0.0)
    return max(total / max(processors, 1), longest)


@dataclass
class Paces:
    """How long a sample of each cell takes.

    The first job of a process loads or compiles what it needs, which says nothing of the others:
    it counts only where nothing else is known.
    """

    usual: dict[str, tuple[float, int]] = field(default_factory=dict)  # seconds, samples
    first: dict[str, tuple[float, int]] = field(default_factory=dict)  # of processes just begun

    def add(self, cell: str, seconds: float, samples: int, *, fresh: bool = False) -> None:
        """Count a job of a cell; `fresh` is a process that has done no other."""
        into = self.first if fresh else self.usual
        before = into.get(cell, (0.0, 0))
        into[cell] = (before[0] + seconds, before[1] + samples)

    def each(self, cells: Sequence[str]) -> dict[str, float | None]:
        """Return how many seconds a sample of each cell takes, from others where it has none."""
        usual = {cell: seconds / samples for cell, (seconds, samples) in self.usual.items()}
        first = {cell: seconds / samples for cell, (seconds, samples) in self.first.items()}
        typical = median(usual.values()) if usual else None
        paces: dict[str, float | None] = {}
        for cell in cells:
            if cell not in usual and cell in first and typical is not None:
                paces[cell] = min(first[cell], typical)  # it takes longer, but hardly less
            else:
                paces[cell] = usual.get(cell, first.get(cell, typical))
        return paces


def in_words(seconds: float) -> str:
    """Return a time as people say it.

    >>> in_words(0.04), in_words(4), in_words(40), in_words(4_000), in_words(400_000)
    ('0 s', '4.0 s', '40 s', '1.1 h', '4.6 days')
    """
    for length, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s" if 0.1 <= seconds < 10 else f"{seconds:.0f} s"


def forecast_line(seconds: Mapping[int, float]) -> str:
    """Say how long the rest takes with so many processors each.

    >>> forecast_line({2: 7200.0, 1000: 30.0})
    'the rest takes about 2.0 h here with 2 processes, 30 s on 1,000 processors like these'
    >>> forecast_line({})
    'nothing is left to be done'
    """
    if not seconds:
        return "nothing is left to be done"
    told = []
    for number, time in seconds.items():
        place = (
            f"on {number:,} processors like these"
            if number == THOUSAND
            else f"here with {number:,} process{'es' if number > 1 else ''}"
        )
        told.append(f"{in_words(time)} {place}")
    return f"the rest takes about {', '.join(told)}"
