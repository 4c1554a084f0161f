"""Seconds that a depth-first search of a game of chance takes: searches as in `star_nodes`."""

from collections.abc import Sequence

from trellis.lab.measures import Estimate, Measure, Sample
from trellis.lab.measures import star_nodes as nodes


def take(settings: nodes.StarNodesSettings, stream: int, number: int) -> Sample:
    """Search one position with an empty table; clearing it is not counted."""
    found = nodes.take(settings, stream, number)
    if found["value"] is None:
        return found
    return {**found, "value": found["seconds"], "nodes": found["value"]}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean number of seconds."""
    return nodes.estimate([float(sample["value"]) for sample in samples], confidence)


MEASURE = Measure(
    "star_seconds", "seconds of a search", "s", nodes.StarNodesSettings, nodes.check, take, sum_up,
    digits=3, timed=True,
)  # fmt: skip
