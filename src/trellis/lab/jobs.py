"""Jobs: the small independent pieces that a run of an experiment is made of.

A job is some samples of one cell.  Its key says what is measured, with which settings and seed, and
with which version of the code; where the same key has been measured before, the result stands.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trellis.game.spec import Value
from trellis.lab.experiment import Cell


@dataclass(frozen=True)
class Job:
    """Samples `first` to `first + count - 1` of one cell."""

    measure: str
    settings: tuple[tuple[str, Value], ...]  # by name
    seed: int  # of the experiment
    first: int
    count: int

    def work(self) -> str:
        """Return what the job is found by, whatever version does it: the same on every machine."""
        return _digest([self.measure, dict(self.settings), self.seed, self.first, self.count])

    def key(self, version: str) -> str:
        """Return what the job of one version is found by."""
        return _digest([version, self.work()])

    def stream(self) -> int:
        """Return the seed of the cell: samples do not depend on how they are put into jobs."""
        return stream_of(self.measure, dict(self.settings), self.seed)


def stream_of(measure: str, settings: Mapping[str, Value], seed: int) -> int:
    """Return the seed from which the samples of a cell take theirs."""
    return int(_digest([measure, dict(settings), seed])[:15], 16)


def seed_of(stream: int, number: int, purpose: str = "") -> int:
    """Return a seed for one sample of a cell, and for one purpose where it has several."""
    return int(_digest([stream, number, purpose])[:15], 16)


def jobs_of(
    measure: str, cells: tuple[Cell, ...], *, seed: int, samples: int, batch: int
) -> Iterator[tuple[Cell, Job]]:
    """Yield the jobs of cells, the first of each cell first: wherever a run ends, it is fair."""
    for first in range(0, samples, batch):
        for cell in cells:
            count = min(batch, samples - first)
            settings = tuple(sorted(cell.settings.items()))
            yield cell, Job(measure, settings, seed, first, count)


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
