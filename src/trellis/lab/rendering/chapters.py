"""What a report says of an experiment, before anything is written: a chapter, and a line on top."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from trellis.lab.duration import in_words
from trellis.lab.experiment import Experiment, Plot
from trellis.lab.rendering.tables import Entry, Part, common_settings, parts_of
from trellis.lab.rendering.wording import DIFFERS, FITS, NOISE, counted_out, plain
from trellis.lab.verdicts import CONFIDENCE, Verdict, judge

if TYPE_CHECKING:
    from trellis.lab.results import Results


@dataclass(frozen=True)
class Chapter:
    """All that is to be said of one experiment; every text is one line of what can be printed."""

    results: "Results"
    name: str
    title: str
    source: str
    paper: str
    measured: str  # what the numbers are
    parts: tuple[Part, ...]
    verdicts: tuple[Verdict, ...]
    standing: str  # 21 of 27 cells fit what was printed, …
    state: str  # how far it went
    deviations: tuple[str, ...]
    notes: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]  # settings, versions, machines, by name

    @property
    def plot(self) -> Plot:
        """Return how the experiment is drawn."""
        return self.results.experiment.plot

    def entries(self) -> list[Entry]:
        """Return what is said of all cells, in their order."""
        return [entry for part in self.parts for entry in part.entries]

    def agreements(self) -> Counter[str]:
        """Return how many cells fit, differ or are noise."""
        return Counter(entry.agreement for entry in self.entries() if entry.ours)


def chapter_of(results: "Results") -> Chapter:
    """Return what is to be said of an experiment."""
    experiment = results.experiment
    parts = tuple(parts_of(results))
    entries = [entry for part in parts for entry in part.entries]
    unit = f", {plain(results.measure.unit)}" if results.measure.unit else ""
    verdicts = tuple(
        Verdict(plain(each.claim), each.answer, plain(each.why)) for each in judge(results)
    )
    return Chapter(
        results=results,
        name=plain(experiment.name),
        title=plain(experiment.title),
        source=plain(experiment.source),
        paper=plain(experiment.paper),
        measured=plain(results.measure.what) + unit,
        parts=parts,
        verdicts=verdicts,
        standing=_standing(entries),
        state=_state(results, entries),
        deviations=tuple(map(plain, experiment.deviations)),
        notes=tuple(map(plain, experiment.notes)),
        facts=tuple(_facts(results, entries)),
    )


def by_paper(chapters: Sequence[Chapter]) -> list[tuple[str, list[Chapter]]]:
    """Return chapters under the papers they are about, in the order in which these come."""
    order = list(dict.fromkeys(each.paper for each in chapters))
    ranked = sorted(chapters, key=lambda each: order.index(each.paper))
    groups = groupby(ranked, key=lambda each: each.paper)
    return [(paper or "Without a source", list(group)) for paper, group in groups]


def papers_of(experiments: Sequence[Experiment]) -> list[tuple[str, list[Experiment]]]:
    """Do the same for experiments."""
    order = list(dict.fromkeys(each.paper for each in experiments))
    ranked = sorted(experiments, key=lambda each: order.index(each.paper))
    groups = groupby(ranked, key=lambda each: each.paper)
    return [(plain(paper) or "Without a source", list(group)) for paper, group in groups]


def command_of(results: "Results") -> str:
    """Return the command that measures what was measured, for experiments that have a name."""
    from trellis.lab.experiments import all_experiments

    if results.experiment.name not in all_experiments():
        return ""
    words = ["trellis", "reproduce", results.experiment.name, "--scale", results.scale]
    return shlex.join(map(plain, words))


def _standing(entries: Sequence[Entry]) -> str:
    counts = Counter(entry.agreement for entry in entries if entry.ours)
    compared = counts[FITS] + counts[NOISE] + counts[DIFFERS]
    if not compared:
        return ""
    text = f"{counts[FITS]} of {compared} cells fit what was printed"
    if counts[NOISE]:
        text += f", {counts[NOISE]} {'is' if counts[NOISE] == 1 else 'are'} within the noise"
    if counts[DIFFERS]:
        text += f", {counts[DIFFERS]} {'differs' if counts[DIFFERS] == 1 else 'differ'}"
    return text


def _state(results: "Results", entries: Sequence[Entry]) -> str:
    """Return how far it went, in a few words."""
    have, wanted = (
        sum(len(each.samples) for each in results.cells),
        sum(each.wanted for each in results.cells),
    )
    if results.skipped:
        return f"skipped: {plain(results.skipped)}"
    if not have:
        return "not measured yet"
    if results.complete:
        halted = sum(bool(each.halted) for each in results.cells)
        return f"complete, {halted} cells left out" if halted else "complete"
    return f"{100 * have / wanted:.0f} % of the samples"


def _facts(results: "Results", entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return what belongs to the measurement, by name."""
    settings = ", ".join(f"{name}={value}" for name, value in common_settings(results).items())
    worked = sum(each.seconds for each in results.cells)
    facts = [
        (
            "measured",
            f"{results.measure.what}{results.measure.unit and ', '}{results.measure.unit}",
        ),
        ("settings of all cells", settings),
        ("scale", results.scale),
        ("samples of a cell", counted_out([entry.samples for entry in entries])),
        ("seed", str(results.experiment.seed)),
        ("state", _state(results, entries)),
        ("command", command_of(results)),
        ("work", in_words(worked) if worked else ""),
        ("versions", ", ".join(results.versions)),
        ("commits", ", ".join(results.commits)),
        ("machines", "; ".join(results.machines)),
    ]
    together = results.confidence()
    if any(entry.agreement for entry in entries) and together > CONFIDENCE:
        facts.append(("interval for all cells together", f"{100 * together:.2f} % each"))
    return [(name, plain(value)) for name, value in facts if value]
