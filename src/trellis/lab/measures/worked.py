"""Worked examples: what comes out to the last digit, where nothing is random.

A paper's module has a dictionary `EXAMPLES` of functions, each of which takes the text of a case
and returns a number and how it is written.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import option
from trellis.lab.measures import Estimate, Measure, Sample


@dataclass(frozen=True)
class WorkedSettings:
    """Which example, and which case of it."""

    paper: str = option(None, "A file of `lab/papers`.", text="a name")
    example: str = option(None, "One of its examples.", text="a name")
    case: str = option("", "What the example is told.", text="as the example wants it")


def check(settings: WorkedSettings) -> None:
    """Refuse an example that does not exist."""
    from trellis.lab.experiments import PAPERS

    known = (
        import_module(f"trellis.lab.papers.{settings.paper}").EXAMPLES
        if f"papers.{settings.paper}" in PAPERS
        else {}
    )
    if settings.example not in known:
        raise BadParameter(
            f"no example is called {shorten(settings.example)} in {shorten(settings.paper)}"
        )


def take(settings: WorkedSettings, stream: int, number: int) -> Sample:
    """Work the example out; a number that does not exist is not a number."""
    examples = import_module(f"trellis.lab.papers.{settings.paper}").EXAMPLES
    value, text = examples[settings.example](settings.case)
    return {"value": float(value), "text": text}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return what came out; twice the same is the least that can be asked."""
    values, texts = ({sample[name] for sample in samples} for name in ("value", "text"))
    if len(texts) > 1 or len(values) > 1:
        return Estimate(math.nan, -math.inf, math.inf, len(samples), text="not the same twice")
    value = values.pop()
    return Estimate(value, value, value, len(samples), text=texts.pop())


MEASURE = Measure(
    "worked", "what comes out", "", WorkedSettings, check, take, sum_up, digits=4,
    sources=("lab/papers",),
)  # fmt: skip
