"""What a job of the laboratory costs besides its work: given out, taken back, recorded.

    python benchmarks/job_overhead.py [JOBS]

Jobs that only wait for a millisecond run in this process and in one to several others, and every
result is written to a record on disk.  The overhead is what each job takes beyond its millisecond,
divided by the number of processes; processor time of this process, which leads the run and writes
the record, stands beside it, because other programs on the machine cannot change that.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from trellis.lab import work
from trellis.lab.executors import Executor
from trellis.lab.executors.local import InProcess, Processes
from trellis.lab.experiment import Cell, Experiment, Scale
from trellis.lab.jobs import Job
from trellis.lab.measures import Measure, Sample, measure_of
from trellis.lab.record import Record
from trellis.lab.running import Run
from trellis.lab.version import commit
from trellis.players.workers import Workers

LASTS = 0.0005  # seconds of a sample; a job has two
PAIR = {"game": "nim", "a": "random", "b": "random"}


def wait(settings: Any, stream: int, number: int) -> Sample:
    """Do nothing for as long as a short game takes."""
    until = perf_counter() + LASTS
    while perf_counter() < until:
        pass
    return {"value": float(number % 2), "moves": "a1 b2 c3", "end": "rules"}


@cache
def waiting(name: str) -> Measure:
    """Return the measure of matches, but that it waits instead of playing."""
    return replace(measure_of(name), take=wait)


def perform(job: Job) -> work.Outcome:
    """Do a job of waiting."""
    vars(work)["measure_of"] = waiting
    return work.perform(job)


class Waiting(Processes):
    """Processes that wait, and are ready before the clock runs."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._workers = Workers(perform, workers)
        for number in range(workers):
            self._workers.submit(Job("match", tuple(sorted(PAIR.items())), 1, number, 1))
        while self._workers.in_flight:
            self._workers.wait_some(0.1)


def measure(jobs: int, make: Callable[[], Executor]) -> tuple[float, float]:
    """Return seconds and processor seconds of a run of so many jobs."""
    cells = tuple(Cell(f"cell-{n}", {**PAIR, "opening": n}) for n in range(10))
    samples = 2 * jobs // len(cells)
    made = Experiment("waiting", "", "match", cells, {"all": Scale(samples)}, batch=2)
    with tempfile.TemporaryDirectory() as folder:
        record = Record(Path(folder) / "record")
        run = Run(made, "all", record)
        executor = make()
        for cell in cells:  # loads what is loaded once, however long a run is
            run.measure.check(run.measure.read(cell.settings))
        commit()
        began, spent = perf_counter(), process_time()
        results = run.go(lambda: executor)
        took = perf_counter() - began, process_time() - spent
        record.close()
    if not results.complete:
        raise SystemExit("not every job was done")
    return took


def main() -> None:
    """Measure one process and several."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    vars(work)["measure_of"] = waiting
    print("processes  jobs a second  overhead of a job, ms  of it processor time here, ms")
    for workers in (1, 2):
        seconds, spent = measure(jobs, InProcess if workers == 1 else lambda: Waiting(2))
        each = 1000 * seconds * workers / jobs
        own = 1000 * spent / jobs - (2000 * LASTS if workers == 1 else 0)
        print(f"{workers:9} {jobs / seconds:14.0f} {each - 2000 * LASTS:22.2f} {own:30.2f}")


if __name__ == "__main__":
    main()
