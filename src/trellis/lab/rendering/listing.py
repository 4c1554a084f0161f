"""What there is to run, under the papers it is from, and how long it would take."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trellis.lab.duration import Left, in_words, time_needed
from trellis.lab.experiment import Experiment
from trellis.lab.rendering.chapters import papers_of
from trellis.lab.rendering.text import aligned
from trellis.lab.rendering.wording import plain

# Seconds of a sample, by measure and settings as they are written (`Record.paces`).
Known = Mapping[tuple[str, str], float]


def seconds_needed(experiment: Experiment, scale: str, paces: Known) -> float | None:
    """Return how long one process takes at a scale; None where nothing tells.

    Jobs on record tell, of these settings or of other cells of the experiment; otherwise what the
    experiment states.
    """
    wanted = experiment.scale(scale)
    cells = experiment.cells_at(wanted)
    found = [
        paces.get((experiment.measure, json.dumps(
            dict(cell.settings), separators=(",", ":"), sort_keys=True)))
        for cell in cells
    ]  # fmt: skip
    known = [pace for pace in found if pace is not None]
    stated = experiment.pace if experiment.pace and not wanted.settings else None
    usual = sum(known) / len(known) if known else stated
    if usual is None:
        return None
    parts = [
        Left(wanted.samples, usual if pace is None else pace, experiment.batch) for pace in found
    ]
    return time_needed(parts, 1)


def listing_facts(experiments: Sequence[Experiment], paces: Known) -> list[dict[str, Any]]:
    """Return what programs are told of experiments."""
    return [
        {
            "name": each.name,
            "title": each.title,
            "paper": each.paper,
            "source": each.source,
            "cells": len(each.cells),
            "measure": each.measure,
            "claims": [claim.text for claim in each.claims],
            "needs": list(each.needs),
            "scales": {
                name: {
                    "cells": len(each.cells_at(scale)),
                    "samples": scale.samples,
                    "seconds": seconds_needed(each, name, paces),
                }
                for name, scale in each.scales.items()
            },
        }
        for each in experiments
    ]


def listing_lines(experiments: Sequence[Experiment], paces: Known) -> list[str]:
    """Return a table for each paper."""
    titles = ["  name", "what", "cells", "samples a cell", "time with 1 process"]
    rows, papers = [titles], []
    for paper, group in papers_of(experiments):
        papers.append((len(rows), paper))
        rows += [_row(each, paces) for each in group]
    lines = aligned(rows, left=2)
    for place, paper in reversed(papers):
        lines[place:place] = ["", paper]
    return [
        *lines,
        "",
        "samples and times: of the scales "
        + ", ".join(dict.fromkeys(name for each in experiments for name in each.scales))
        + "; ? where neither jobs on record nor the experiment tell",
    ]


def _row(experiment: Experiment, paces: Known) -> list[str]:
    times = [seconds_needed(experiment, name, paces) for name in experiment.scales]
    return [
        f"  {plain(experiment.name)}",
        plain(experiment.title),
        f"{len(experiment.cells):,}",
        " / ".join(f"{scale.samples:,}" for scale in experiment.scales.values()),
        " / ".join("?" if time is None else in_words(time) for time in times),
    ]
