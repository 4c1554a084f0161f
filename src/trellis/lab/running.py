"""Running an experiment: jobs go out, results come in and are written down at once.

A run may be killed at any moment and begun again: jobs on record are not done again, and which
samples there are depends on nothing but the experiment, so the table is the same in the end.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import TrellisError
from trellis.lab.duration import THOUSAND, Left, Paces, forecast_line, in_words, time_needed
from trellis.lab.executors import Executor
from trellis.lab.executors.choice import executor_maker
from trellis.lab.experiment import Cell, Experiment, check_names
from trellis.lab.jobs import Job, jobs_of
from trellis.lab.measures import Sample, measure_of
from trellis.lab.record import Done, Record
from trellis.lab.results import CellResult, Results, distinct
from trellis.lab.standing import Standing
from trellis.lab.version import commit, version
from trellis.lab.work import Outcome
from trellis.players.gtp_engine import find_program

_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_ATTEMPTS = 3  # at a job whose worker has died
_WORTH_TELLING = 10.0  # seconds that are left
_FAILURES = 2  # running, after which a cell is left at that


@dataclass
class _CellState:
    """What is known of a cell while the run goes on."""

    cell: Cell
    wanted: int
    samples: dict[int, Sample] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    halted: str = ""
    failures: int = 0  # running

    def take(self, job: Job, samples: tuple[Sample, ...], seconds: float, cpu: float) -> None:
        """Count the samples of a job; two running that do not count are the end of the cell."""
        numbers = range(job.first, job.first + len(samples))
        self.samples |= zip(numbers, samples, strict=True)
        self.seconds += seconds
        self.cpu_seconds += cpu
        self.failures = 0
        for number in numbers:
            if self._is_void(number) and (self._is_void(number - 1) or self._is_void(number + 1)):
                self.halted = self.halted or void_reason(self.samples[number])

    def _is_void(self, number: int) -> bool:
        return number in self.samples and self.samples[number]["value"] is None


@dataclass
class Run:
    """A run of one experiment at one scale."""

    experiment: Experiment
    scale: str
    record: Record
    cells: str = "*"
    seed: int | None = None  # in place of the experiment's
    any_version: bool = False  # results of other versions of the code count, too
    progress: Progress | None = None
    notice: Callable[[str], None] = print  # told what is worth a line while the run goes on
    estimate: bool = False  # do no more than one job of each cell, to tell how long the rest takes
    foretell: Callable[[str], None] | None = None  # told how long it takes, once that is known

    def __post_init__(self) -> None:
        check_names(self.experiment)
        self._scale = self.experiment.scale(self.scale)
        self.measure = measure_of(self.experiment.measure)
        self._began = perf_counter()
        wanted = self._rounded(self._scale.samples)
        self._states = {
            cell.name: _CellState(cell, wanted)
            for cell in self.experiment.cells_at(self._scale, self.cells)
        }
        # Cells that are the same but for their names share their jobs.
        self._owners: dict[Job, list[_CellState]] = defaultdict(list)
        for cell, job in self.jobs():
            self._owners[job].append(self._states[cell.name])
        self._origins: dict[tuple[str, str, str], None] = {}  # versions, commits, machines
        self._tries: dict[Job, int] = defaultdict(int)
        self._total = 0
        self._paces = Paces()
        self._processes = 1
        self._standing = Standing()

    def jobs(self) -> list[tuple[Cell, Job]]:
        """Return all jobs, in the order in which they are done."""
        return [*jobs_of(
            self.experiment.measure,
            tuple(state.cell for state in self._states.values()),
            seed=self.experiment.seed if self.seed is None else self.seed,
            samples=self._rounded(self._scale.samples),
            batch=self._rounded(self.experiment.batch),
        )]  # fmt: skip

    def missing(self) -> str:
        """Return which program is needed and not here, or nothing."""
        return next((each for each in self.experiment.needs if find_program(each) is None), "")

    def recorded(self, *, mend: bool = False) -> deque[Job]:
        """Take what is on record; return the jobs that are not.

        To `mend` is to return those with samples that do not count as well: whatever was wrong
        with a player may be right by now.
        """
        left: deque[Job] = deque()
        for job in self._owners:
            done = self.record.find(job, any_version=self.any_version)
            if done is None or (mend and done.void):
                left.append(job)
            else:
                self._take(job, done)
                self._learn(job, done)
        return left

    def results(self, *, workers: str = "", skipped: str = "") -> Results:
        """Return what is known now."""
        cells = tuple(
            CellResult(
                state.cell, self.measure, tuple(sorted(state.samples.items())), state.wanted,
                state.seconds, state.cpu_seconds, state.halted,
            )
            for state in self._states.values()
        )  # fmt: skip
        versions, commits, machines = (
            distinct([origin[part] for origin in self._origins]) for part in range(3)
        )
        return Results(
            self.experiment, self.scale, cells, workers, perf_counter() - self._began, versions,
            commits, machines, skipped, stop_asked(),
            self.forecast(),
        )  # fmt: skip

    def forecast(self) -> dict[int, float]:
        """Return how many seconds the rest takes, by the number of processors that do it."""
        parts = []
        batch = self._rounded(self.experiment.batch)
        paces = self._paces.each([*self._states])
        for state in self._states.values():
            pace = paces[state.cell.name]
            missing = state.wanted - len(state.samples)
            if pace is not None and missing > 0 and not state.halted:
                parts.append(Left(missing, pace, batch))
        numbers = (self._processes, THOUSAND) if parts else ()
        return {number: time_needed(parts, number) for number in numbers}

    def go(self, make_executor: Callable[[], Executor], workers: str = "") -> Results:
        """Do what is not on record yet, and return what is known in the end."""
        left = self.recorded(mend=True)
        missing = self.missing()
        if missing and left:
            return self.results(skipped=f"{missing} is not installed on this machine")
        if left:
            self._check_cells(left)
            left = deque(job for job in left if not self._is_halted(job))
        if self.estimate:
            left = self._first_of_each(left)
        if left and not stop_asked():
            self._total = len(left)
            with closing(make_executor()) as executor:
                self._processes = max(executor.width // 2, 1)
                self._work(left, executor)
        return self.results(workers=workers)

    def _check_cells(self, left: Iterable[Job]) -> None:
        """Try cells before the first job: one that cannot run is left out, with a reason."""
        tried = {state.cell.name: state for job in left for state in self._owners[job]}
        for name, state in tried.items():
            if stop_asked():
                return
            try:
                self.measure.check(self.measure.read(state.cell.settings))
                continue
            except (TrellisError, MemoryError, OSError) as error:
                why = str(error) or type(error).__name__
            except Exception as error:  # noqa: BLE001  (a fault of ours in one cell ends no run)
                why = f"internal error: {type(error).__name__}: {error}"
            if stop_asked():  # which a player takes for a failure
                return
            state.halted = " ".join(why.split())
            self.notice(f"{name} cannot be measured: {state.halted}")

    def _work(self, left: deque[Job], executor: Executor) -> None:
        flying = 0
        while (left or flying) and not stop_asked():
            while left and flying < executor.width:
                job = left.popleft()
                if not self._is_halted(job):
                    executor.submit(job)
                    flying += 1
            for outcome in executor.wait_some(_HEARD) if flying else ():
                flying -= 1
                if self._receive(outcome):
                    left.appendleft(outcome.job)
            self._tell(len(left) + flying)

    def _receive(self, outcome: Outcome) -> bool:
        """Write down what has come; return whether the job is to be tried again."""
        job, states = outcome.job, self._owners[outcome.job]
        name = states[0].cell.name
        if outcome.samples is not None:
            done = Done(
                outcome.samples, outcome.seconds, outcome.cpu_seconds, version(job.measure),
                commit(), outcome.machine,
            )  # fmt: skip
            if not self.record.add(
                self.experiment.name, name, job, done.samples, done.seconds, done.cpu_seconds,
                done.machine,
            ):  # fmt: skip
                done = self.record.find(job) or done  # what was there first stands
            for sample in done.samples:
                if sample["value"] is None:
                    self.record.add_attempt(job, name, void_reason(sample))
            self._take(job, done, self.notice)
            self._learn(job, done, fresh=outcome.fresh)
            self._standing.at = name
            return False
        self.record.add_attempt(job, name, outcome.error)
        self._tries[job] += 1
        if outcome.lost and self._tries[job] < _ATTEMPTS:
            return True
        for state in states:
            if state.halted:  # jobs that were in flight by then are no news
                continue
            state.failures += 1
            self.notice(f"{state.cell.name}: {outcome.error}")
            if state.failures >= _FAILURES:
                state.halted = outcome.error
        return False

    def _take(self, job: Job, done: Done, notice: Callable[[str], None] | None = None) -> None:
        self._origins[done.version, done.git, done.machine] = None
        for state in self._owners[job]:
            before = state.halted
            state.take(job, done.samples, done.seconds, done.cpu_seconds)
            if notice is not None and state.halted and not before:
                notice(f"{state.cell.name} is left at that: {state.halted}")

    def _learn(self, job: Job, done: Done, *, fresh: bool = False) -> None:
        """Remember how long a job took."""
        for state in self._owners[job]:
            self._paces.add(state.cell.name, done.seconds, job.count, fresh=fresh)

    def _first_of_each(self, left: deque[Job]) -> deque[Job]:
        """Return one job of each cell of which nothing is known."""
        chosen: dict[str, Job] = {}
        for job in left:
            for state in self._owners[job]:
                if not state.samples and not state.halted:
                    chosen.setdefault(state.cell.name, job)
        return deque(dict.fromkeys(chosen.values()))

    def _is_halted(self, job: Job) -> bool:
        return all(state.halted for state in self._owners[job])

    def _tell(self, left: int) -> None:
        """Tell how it stands; once, when something is known of every cell, how long it takes."""
        known = all(state.samples or state.halted for state in self._states.values())
        if known and self.foretell is not None and not self.estimate:
            rest = self.forecast()
            if rest and rest[self._processes] >= _WORTH_TELLING:
                self.foretell(f"{self.experiment.name}: {forecast_line(rest)}")
            self.foretell = None
        if self.progress is None or not self._total:
            return
        done = self._total - left
        note = f"{done:,} of {self._total:,} jobs"
        rest = {} if self.estimate else self.forecast()
        if rest:
            note += f", {in_words(rest[self._processes])} left"
        self.progress(done / self._total, "\n".join([note, *self._standing.lines(self.results)]))

    def _rounded(self, samples: int) -> int:
        """Return so many samples or a few more, so that none is parted from its like."""
        together = self.measure.together
        return -(-samples // together) * together


def void_reason(sample: Sample) -> str:
    """Return why a sample does not count."""
    return str(sample.get("void", "")) or "a run that does not count"


def run(
    experiment: Experiment | str,
    scale: str = "paper",
    *,
    cells: str = "*",
    workers: int = 1,
    ray: str | None = None,
    record: Record | Path | str = ":memory:",
    seed: int | None = None,
    any_version: bool = False,
    estimate: bool = False,
    progress: Progress | None = None,
    notice: Callable[[str], None] = print,
    foretell: Callable[[str], None] | None = None,
) -> Results:
    """Run an experiment: one of ours by its name, one in a file, or one made here.

    With a file as `record`, the same call goes on where it was left.  `ray` is the address of a
    cluster, or `local`.  An `estimate` does one job of each cell, and `Results.left` then says how
    long the rest takes.  A script that asks for several workers needs the usual
    `if __name__ == "__main__":`, since each of them starts Python anew.
    """
    from trellis.lab.experiments import find_experiment

    if isinstance(experiment, str):
        experiment = find_experiment(experiment)
    with ExitStack() as stack:
        opened = (
            record if isinstance(record, Record) else stack.enter_context(closing(Record(record)))
        )
        stack.enter_context(opened.leading())
        this = Run(
            experiment,
            scale,
            opened,
            cells,
            seed,
            any_version,
            progress,
            notice,
            estimate,
            foretell,
        )
        make, workers_in_words = executor_maker(workers, ray)
        return this.go(make, workers_in_words)
