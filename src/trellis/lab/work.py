"""Doing one job: the same code in this process, in a worker, or on another machine."""

import json
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

from trellis.game.errors import TrellisError
from trellis.lab.jobs import Job
from trellis.lab.measures import Sample, measure_of
from trellis.lab.version import machine


@dataclass(frozen=True)
class Outcome:
    """What became of a job: samples, or why there are none.

    `lost` is where nobody knows, since whoever was doing it has gone; it may be tried again.
    """

    job: Job
    samples: tuple[Sample, ...] | None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    error: str = ""
    lost: bool = False
    machine: str = ""  # where it was done
    fresh: bool = False  # the first job of its process, which had to load or compile what it needs


_begun: set[str] = set()  # measures that this process has done a job of


def perform(job: Job) -> Outcome:
    """Do a job, whatever happens."""
    fresh = job.measure not in _begun
    _begun.add(job.measure)
    began, cpu_began = perf_counter(), process_time()
    samples, error = None, ""
    try:
        measure = measure_of(job.measure)
        settings = _read(job.measure, job.settings)
        stream = job.stream()
        numbers = range(job.first, job.first + job.count)
        samples = _as_recorded([measure.take(settings, stream, number) for number in numbers])
    except (TrellisError, MemoryError, OSError) as problem:
        error = str(problem) or type(problem).__name__
    except Exception as problem:  # noqa: BLE001  (a fault of ours in one job ends no run)
        error = f"internal error: {type(problem).__name__}: {problem}"
    seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
    line = " ".join(error.split())
    return Outcome(job, samples, seconds, cpu_seconds, line, machine=machine(), fresh=fresh)


def _as_recorded(samples: list[Sample]) -> tuple[Sample, ...]:
    """Return samples as the record will have them: a table is the same now and read again later.

    What cannot be written down is refused here, where it costs one job and not the run.
    """
    read = tuple(json.loads(json.dumps(samples)))
    for sample in read:
        value = sample["value"]
        if value is not None and not isinstance(value, int | float):
            raise TypeError(f"expected a number as the value of a sample, not {value!r}")
    return read


@lru_cache(maxsize=64)
def _read(measure: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    return measure_of(measure).read(dict(settings))
