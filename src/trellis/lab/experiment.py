"""An experiment as data: what is measured, in which cells, how often, and what was published.

An experiment says what; how a cell is measured, its `measure` knows (`lab/measures`); where the
work is done, an executor (`lab/executors`); where it is kept, a record (`lab/record.py`).  A cell's
settings are those of the measure; samples are numbered from 0, and what sample n of a cell is
depends on the experiment's seed, the cell's settings and n alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.spec import Value

SCALES = ("smoke", "paper", "full")
_PLACE = re.compile(r",\s+(?=(?:tables?|figures?|sections?|chapters?|algorithms?|pages?|§)\b)")


@dataclass(frozen=True)
class Published:
    """What a source prints of a cell, in the unit of the measure."""

    value: float | None = None  # None where there are only words
    text: str = ""  # as printed, where that says more than the number: ">1,000,000", "draw"
    at_least: bool = False  # the number is where they gave up
    samples: int | None = None  # games or runs behind it, where the source tells
    error: float | None = None  # standard error of the number, where the source tells that
    facts: Mapping[str, float] = field(default_factory=dict)  # what else, as the estimate's facts


@dataclass(frozen=True)
class Cell:
    """One cell of a table or point of a figure."""

    name: str  # of its own within the experiment, such as 0,1,2
    settings: Mapping[str, Value]  # what the measure is told
    published: Published | None = None
    row: str = ""  # where it stands in the table; of a figure, which line it belongs to
    column: str = ""
    table: str = ""  # of which table, where the experiment has several
    x: float | None = None  # where a point of a figure stands


@dataclass(frozen=True)
class Claim:
    """What the source concludes, and the rule by which it is judged (`lab/verdicts.py`)."""

    text: str  # in a sentence of ours
    rule: str
    settings: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is done: seconds for tests, as published, or what decides it."""

    samples: int  # games or runs of a cell
    cells: str = "*"  # names of cells, with * and ? for any
    settings: Mapping[str, Value] = field(default_factory=dict)  # in place of those of all cells


def three_scales(smoke: Scale, paper: int, full: int) -> dict[str, Scale]:
    """Return the usual scales: a part of the cells, and two numbers of samples of all of them."""
    return dict(zip(SCALES, (smoke, Scale(paper), Scale(full)), strict=True))


@dataclass(frozen=True)
class Plot:
    """How an experiment is drawn; nothing is drawn where `kind` is empty."""

    kind: str = ""  # "lines" over `Cell.x`, "bars", or "heat" over rows and columns
    x: str = ""  # what stands on the axis
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Experiment:
    """Everything that is to be known before a run."""

    name: str  # as in `trellis reproduce ucd-table-5`
    title: str
    measure: str  # one of those of `lab.measures`
    cells: tuple[Cell, ...]
    scales: Mapping[str, Scale]
    source: str = ""  # the paper, and where in it
    claims: tuple[Claim, ...] = ()
    deviations: tuple[str, ...] = ()  # from the source, each with its reason
    notes: tuple[str, ...] = ()  # what came of it, and what explains it
    plot: Plot = Plot()
    seed: int = 0
    batch: int = 2  # samples of one job: few enough to take some seconds at most
    needs: tuple[str, ...] = ()  # programs that must be there, such as gnugo
    pace: float = (
        0.0  # seconds of one sample on one processor, roughly; 0 where nobody has stated it
    )

    @property
    def paper(self) -> str:
        """Return the source without the place in it."""
        return _PLACE.split(self.source, maxsplit=1)[0]

    def cells_at(self, scale: Scale, patterns: str = "*") -> tuple[Cell, ...]:
        """Return the cells of a scale that some of the patterns name, with its settings."""
        names = [cell.name for cell in self.cells]
        wanted = [name for name in names if _fits(name, scale.cells)]
        for pattern in patterns.split():
            if not any(fnmatchcase(name, pattern) for name in names):
                raise BadParameter(
                    f"no cell of {self.name} is called {shorten(pattern)}: expected names such as "
                    f"{names[0]} and {names[-1]}, with * and ? for any{nearest(pattern, names)}"
                )
        if not patterns.split():
            raise BadParameter("no cells: expected their names, with * and ? for any")
        if patterns != "*":  # whoever asks for a cell gets it at any scale
            wanted = [name for name in names if _fits(name, patterns)]
        return tuple(
            replace(cell, settings={**cell.settings, **scale.settings})
            for cell in self.cells
            if cell.name in wanted
        )

    def scale(self, name: str) -> Scale:
        """Return how much is done at a scale."""
        if name not in self.scales:
            raise BadParameter(
                f"{self.name} has no scale {shorten(name)}: expected one of "
                f"{', '.join(self.scales)}{nearest(name, self.scales)}"
            )
        return self.scales[name]


def _fits(name: str, patterns: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns.split())


def check_names(experiment: Experiment) -> None:
    """Refuse an experiment without cells or with two of one name."""
    names: Sequence[str] = [cell.name for cell in experiment.cells]
    if not names:
        raise BadParameter(f"experiment {shorten(experiment.name)} has no cells")
    for place, name in enumerate(names):
        if not name or any(character.isspace() for character in name):
            raise BadParameter(
                f"bad name {shorten(name)} of a cell of {shorten(experiment.name)}: expected one "
                "without blanks, which part patterns"
            )
        if name in names[:place]:
            raise BadParameter(
                f"experiment {shorten(experiment.name)} has two cells called {shorten(name)}"
            )
    if not experiment.scales:
        raise BadParameter(f"experiment {shorten(experiment.name)} has no scales")
