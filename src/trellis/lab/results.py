"""What a run of an experiment has found out, so far or in the end."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from trellis.game.errors import TrellisError
from trellis.lab.estimates import of_many
from trellis.lab.experiment import Cell, Experiment
from trellis.lab.measures import Estimate, Measure, Sample, measure_of
from trellis.lab.verdicts import CONFIDENCE, compare, judge

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NOTHING = Estimate(math.nan, -math.inf, math.inf, 0)


@dataclass(frozen=True)
class CellResult:
    """What is known of one cell: its samples by number, in order."""

    cell: Cell
    measure: Measure
    samples: tuple[tuple[int, Sample], ...]
    wanted: int  # samples
    seconds: float = 0.0  # of work, whoever did it
    cpu_seconds: float = 0.0
    halted: str = ""  # why no more of its samples are taken

    def counted(self) -> Iterator[tuple[int, float]]:
        """Yield the numbers and values of samples that count."""
        for number, sample in self.samples:
            if sample["value"] is not None:
                yield number, float(sample["value"])

    @property
    def void(self) -> tuple[str, ...]:
        """Return why samples do not count, of those that do not."""
        return tuple(
            str(sample.get("void", "")) for _, sample in self.samples if sample["value"] is None
        )

    def estimate_at(self, confidence: float) -> Estimate:
        """Return what the samples say together."""
        counting = [sample for _, sample in self.samples if sample["value"] is not None]
        return self.measure.sum_up(counting, confidence) if counting else NOTHING

    def fits(self, confidence: float = CONFIDENCE) -> bool | None:
        """Tell whether what was printed fits; None where nothing can be compared."""
        if self.cell.published is None or not self.samples:
            return None
        estimate = self.estimate_at(confidence)
        return compare(estimate, self.cell.published, confidence, self.measure.unit)

    def agreement(self, together: float) -> str:
        """Return how what was printed lies to the estimate: `fits`, `noise` or `differs`.

        It fits where the two differ by no more than both may be off.  Of many cells some do not
        by mere chance: what is within reach at the confidence that holds for all of them,
        `together`, is noise.  Nothing is returned where nothing can be compared.
        """
        printed = self.cell.published
        if printed is None or not any(True for _ in self.counted()):
            return ""
        estimate = self.estimate_at(CONFIDENCE)
        text = estimate.text
        if text and text in printed.text.split("|"):
            return "fits"
        if text and printed.text and not _is_number(text) and not estimate.at_least:
            return "differs"  # words were printed, and other ones come out
        alone, all_of_them = self.fits(), self.fits(together)
        if all_of_them is None:  # words, which are not the same
            return "differs" if text and printed.text else ""
        return "fits" if alone else "noise" if all_of_them else "differs"


@dataclass(frozen=True)
class Results:
    """What is known of all cells that were asked for."""

    experiment: Experiment
    scale: str
    cells: tuple[CellResult, ...]
    workers: str = "1 process"
    seconds: float = 0.0  # of this run
    versions: tuple[str, ...] = ()  # of the code that has measured
    commits: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    skipped: str = ""  # why nothing was measured: a program that is not here
    interrupted: bool = False
    left: Mapping[int, float] = field(default_factory=dict)  # seconds, by processors that do it

    @property
    def measure(self) -> Measure:
        """Return the measure of the experiment."""
        return measure_of(self.experiment.measure)

    @property
    def complete(self) -> bool:
        """Tell whether every cell has all of its samples."""
        return not self.skipped and all(
            len(each.samples) >= each.wanted or each.halted for each in self.cells
        )

    def confidence(self) -> float:
        """Return the confidence of one interval, where all of them are to hold together."""
        return of_many(CONFIDENCE, sum(each.cell.published is not None for each in self.cells))

    def to_dict(self) -> dict[str, Any]:
        """Return everything that programs are told."""
        return {
            "experiment": self.experiment.name, "title": self.experiment.title,
            "source": self.experiment.source, "scale": self.scale,
            "measure": self.measure.what, "unit": self.measure.unit,
            "cells": [self._cell_facts(each) for each in self.cells],
            "claims": [asdict(each) for each in judge(self)],
            "deviations": list(self.experiment.deviations), "complete": self.complete,
            "skipped": self.skipped, "seconds": self.seconds, "versions": list(self.versions),
            "commits": list(self.commits), "machines": list(self.machines),
            "seconds_left": {str(number): seconds for number, seconds in self.left.items()},
        }  # fmt: skip

    def _cell_facts(self, each: CellResult) -> dict[str, Any]:
        estimate = each.estimate_at(CONFIDENCE)
        published = each.cell.published
        return {
            "cell": each.cell.name, "table": each.cell.table, "row": each.cell.row,
            "column": each.cell.column, "x": each.cell.x, "settings": dict(each.cell.settings),
            "samples": estimate.samples, "wanted": each.wanted,
            "value": _finite(estimate.value), "low": _finite(estimate.low),
            "high": _finite(estimate.high), "at_least": estimate.at_least, "text": estimate.text,
            "published": published.value if published else None,
            "published_text": published.text if published else "",
            "published_facts": dict(published.facts) if published else {},
            "published_samples": published.samples if published else None,
            "fits": each.fits(self.confidence()), "agreement": each.agreement(self.confidence()),
            "void": len(each.void), "halted": each.halted,
            "seconds": each.seconds, "cpu_seconds": each.cpu_seconds, **estimate.facts,
        }  # fmt: skip

    def frame(self) -> "pd.DataFrame":
        """Return the cells as a frame of pandas, a row each."""
        try:
            import pandas as pd
        except ImportError:
            raise TrellisError(
                "pandas is not installed, which this needs: pip install pandas"
            ) from None
        return pd.DataFrame(self.to_dict()["cells"])

    def plot(self) -> "Figure":
        """Return a figure of matplotlib: lines, bars or a heat map, as the experiment says."""
        from trellis.lab.rendering.plots import figure_of

        return figure_of(self)

    def text(self, width: int = 100) -> str:
        """Return tables and verdicts as text."""
        from trellis.lab.rendering.chapters import chapter_of
        from trellis.lab.rendering.text import text_lines

        return "\n".join(text_lines(chapter_of(self), width))

    def samples(self) -> Iterator[dict[str, Any]]:
        """Yield every sample with the cell it is of."""
        for each in self.cells:
            for number, sample in each.samples:
                yield {"cell": each.cell.name, "number": number, **sample}


def _is_number(text: str) -> bool:
    """Tell whether a text is a number as people write it.

    >>> _is_number("10.4"), _is_number("1,024"), _is_number("1: base")
    (True, True, False)
    """
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def distinct(values: Sequence[str]) -> tuple[str, ...]:
    """Return values once each, in the order in which they came."""
    return tuple(dict.fromkeys(value for value in values if value))
