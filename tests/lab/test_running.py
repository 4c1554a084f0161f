"""Runs: the same table whoever does the jobs, and what goes wrong costs no more than itself."""

import os
import signal
from contextlib import closing
from dataclasses import replace

import pytest

from laboratory import experiment, samples_of
from trellis._kernel import deadline
from trellis.game.errors import BadParameter
from trellis.lab.executors.local import Processes
from trellis.lab.experiment import Cell, Scale
from trellis.lab.measures import measure_of
from trellis.lab.record import Record
from trellis.lab.running import Run, in_words, run
from trellis.lab.work import Outcome, perform

RANDOM = {"game": "nim", "a": "random", "b": "random"}


class Made:
    """An executor that does jobs as it is told to, several in flight, the last one first."""

    width = 3

    def __init__(self, do=perform):
        self.do, self.jobs, self.done = do, [], []

    def submit(self, job):
        self.jobs.append(job)
        assert len(self.jobs) <= self.width

    def wait_some(self, seconds):
        job = self.jobs.pop()
        self.done.append(job)
        return [self.do(job)]

    def close(self):
        self.jobs.clear()


def go(made, do=perform, record=None, **more):
    """Run an experiment; return the results, what was told meanwhile, and the executor."""
    told = []
    executor = Made(do)
    with closing(Record(":memory:")) as own:
        this = Run(made, "smoke", record or own, notice=told.append, **more)
        return this.go(lambda: executor), told, executor


def lost(job):
    return Outcome(job, None, error="its process has died", lost=True)


@pytest.fixture(scope="module")
def alone():
    return samples_of(run(experiment(), "smoke"))


def test_the_table_is_the_same_whoever_does_the_jobs(alone, tmp_path):
    assert samples_of(run(experiment(), "smoke", workers=2)) == alone
    assert samples_of(go(experiment())[0]) == alone


def test_a_worker_that_is_killed_changes_nothing(alone):
    class Deadly(Processes):
        kills = 0

        def wait_some(self, seconds):
            busy = [worker for worker, _, _ in self._workers._busy.values() if worker.ready]
            if busy and self.kills < 2:
                os.kill(busy[0].process.pid, signal.SIGKILL)
                self.kills += 1
            return super().wait_some(seconds)

    executor = Deadly(2)
    with closing(Record(":memory:")) as record:
        results = Run(experiment(), "smoke", record).go(lambda: executor)
        keys = [row["key"] for row in record.rows()]
    assert executor.kills == 2
    assert samples_of(results) == alone
    assert results.complete
    assert len(set(keys)) == len(keys) == 18


def test_a_lost_job_is_tried_again_and_attempts_are_on_record(alone):
    tries = {}

    def do(job):
        tries[job] = tries.get(job, 0) + 1
        return lost(job) if tries[job] < 3 else perform(job)

    with closing(Record(":memory:")) as record:
        results, told, _ = go(experiment(), do, record)
        assert len(record.attempts()) == 2 * len(tries)
    assert samples_of(results) == alone
    assert told == []


def test_a_job_that_is_always_lost_ends_its_cell_and_no_other():
    def do(job):
        return lost(job) if dict(job.settings)["game"] == "nim" else perform(job)

    results, told, executor = go(experiment(), do)
    assert told == ["nim: its process has died"] * 2
    assert [cell.halted for cell in results.cells] == ["its process has died", "", ""]
    assert [len(cell.samples) for cell in results.cells] == [0, 12, 12]
    assert sum(dict(job.settings)["game"] == "nim" for job in executor.done) <= 3 * executor.width


def test_one_failure_costs_one_job_which_the_next_run_does(alone):
    def do(job):
        failing = job.first == 4 and dict(job.settings)["game"] == "nim"
        return Outcome(job, None, error="out of luck") if failing else perform(job)

    with closing(Record(":memory:")) as record:
        results, told, _ = go(experiment(), do, record)
        assert told == ["nim: out of luck"]
        assert not results.complete
        assert [len(cell.samples) for cell in results.cells] == [10, 12, 12]
        again, _, executor = go(experiment(), perform, record)
        assert len(executor.done) == 1
    assert samples_of(again) == alone
    assert again.complete


def test_a_cell_that_cannot_run_is_left_out_with_one_line():
    cells = (
        Cell("unknown-game", {**RANDOM, "game": "nimm"}),
        Cell("unknown-player", {**RANDOM, "a": "rndom"}),
        Cell("setting-refused", {**RANDOM, "game": "pig", "a": "uct:groups=manhattan"}),
        Cell("too-long-an-opening", {**RANDOM, "opening": 500}),
        Cell("no-program", {**RANDOM, "b": "gtp:command=no-such-program"}),
        Cell("fine", RANDOM),
    )
    results, told, _ = go(experiment(cells=cells))
    assert [line.partition(" cannot be measured: ")[0] for line in told] == [
        cell.name for cell in cells[:-1]
    ]
    assert all("\n" not in line for line in told)
    assert "did you mean 'nim'" in told[0]
    assert "no program 'no-such-program'" in told[4]
    assert [len(cell.samples) for cell in results.cells] == [0, 0, 0, 0, 0, 12]
    assert results.to_dict()["cells"][0]["halted"]


def test_a_fault_of_ours_in_one_cell_ends_no_run(monkeypatch):
    measure = measure_of("match")

    def check(settings):
        if settings.game == "nim":
            raise ZeroDivisionError("by nothing")

    made = experiment()
    with closing(Record(":memory:")) as record:
        told = []
        this = Run(made, "smoke", record, notice=told.append)
        this.measure = replace(measure, check=check)
        results = this.go(Made)
    assert told == ["nim cannot be measured: internal error: ZeroDivisionError: by nothing"]
    assert [len(cell.samples) for cell in results.cells] == [0, 12, 12]


# -- samples that do not count -----------------------------------------------------------------


def with_voids(*numbers):
    """Do jobs, but for samples of these numbers in nim, which come to nothing."""

    def do(job):
        outcome = perform(job)
        samples = [
            {**sample, "value": None, "void": f"game {number} went wrong"}
            if number in numbers and dict(job.settings)["game"] == "nim"
            else sample
            for number, sample in enumerate(outcome.samples, start=job.first)
        ]
        return replace(outcome, samples=tuple(samples))

    return do


def test_a_void_game_is_kept_aside_and_two_running_end_the_cell():
    results, told, _ = go(experiment(), with_voids(3, 6))
    assert told == []
    nim = results.cells[0]
    assert nim.void == ("game 3 went wrong", "game 6 went wrong")
    assert nim.estimate_at(0.95).samples == 10
    for numbers in ((3, 4), (4, 5)):  # of two jobs, or of one
        results, told, _ = go(experiment(samples=60), with_voids(*numbers))
        nim = results.cells[0]
        assert nim.halted
        assert told == [f"nim is left at that: {nim.halted}"]
        assert len(nim.samples) < 30
        assert [len(cell.samples) for cell in results.cells[1:]] == [60, 60]


def test_the_next_run_plays_void_games_again(alone):
    with closing(Record(":memory:")) as record:
        go(experiment(), with_voids(2, 3), record)
        attempts = record.attempts()
        assert attempts == [("nim", "game 2 went wrong"), ("nim", "game 3 went wrong")]
        shown = Run(experiment(), "smoke", record)
        shown.recorded()
        assert shown.results().cells[0].halted, "whoever only looks sees them"
        again, told, _ = go(experiment(), perform, record)
        assert record.attempts() == attempts
        assert len([*record.rows()]) == 18
    assert told == []
    assert samples_of(again) == alone


# -- cells and versions ------------------------------------------------------------------------


def test_cells_that_are_the_same_but_for_their_names_share_their_jobs():
    """As where a scale sets what they differ in."""
    cells = (Cell("short", {**RANDOM, "sims": 10}), Cell("long", {**RANDOM, "sims": 1000}))
    made = replace(experiment(cells=cells), scales={"smoke": Scale(6, "*", {"sims": 5})})
    results, _, executor = go(made)
    assert len(executor.done) == 3
    first, second = ([*cell.counted()] for cell in results.cells)
    assert len(first) == 6
    assert first == second


def test_nothing_is_done_twice():
    with closing(Record(":memory:")) as record:
        first, _, _ = go(experiment(), perform, record)
        second, _, executor = go(experiment(), perform, record)
    assert executor.done == []
    assert samples_of(first) == samples_of(second)
    assert first.to_dict()["cells"] == second.to_dict()["cells"]


def test_more_samples_go_on_from_those_there_are():
    with closing(Record(":memory:")) as record:
        go(experiment(samples=6), perform, record)
        more, _, executor = go(experiment(samples=12), perform, record)
    assert len(executor.done) == 9
    assert samples_of(more) == samples_of(run(experiment(samples=12), "smoke"))


def test_a_program_that_is_needed_and_not_here_skips_the_experiment():
    results, _, executor = go(experiment(needs=("no-such-program",)))
    assert results.skipped == "no-such-program is not installed on this machine"
    assert executor.done == []
    assert not results.complete


def test_whoever_asks_to_stop_gets_what_is_known(alone):
    def do(job):
        if job.first == 6:
            deadline.ask_to_stop()
        return perform(job)

    with closing(Record(":memory:")) as record:
        try:
            results, _, _ = go(experiment(), do, record)
        finally:
            deadline.forget_stop()
        assert results.interrupted
        assert not results.complete
        known = len([*record.rows()])
        assert 1 <= known < 18
        again, _, executor = go(experiment(), perform, record)
        assert len(executor.done) == 18 - known
    assert samples_of(again) == alone


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scale": "huge"}, "tiny has no scale 'huge': expected one of smoke"),
        ({"cells": "nimm"}, "no cell of tiny is called 'nimm'"),
        ({"cells": " "}, "no cells"),
    ],
)
def test_what_cannot_be_run_is_refused(more, message):
    with pytest.raises(BadParameter, match=message):
        run(experiment(), **({"scale": "smoke"} | more))


# -- one job -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("take", "error"),
    [
        (lambda *_: {"value": "much"}, "expected a number as the value of a sample, not 'much'"),
        (lambda *_: {"score": 1}, "internal error: KeyError: 'value'"),
        (lambda *_: {"value": 1, "by": {1, 2}}, "is not JSON serializable"),
        (lambda *_: 1 / 0, "internal error: ZeroDivisionError: division by zero"),
    ],
)
def test_a_measure_that_gives_what_cannot_be_kept_costs_its_job(monkeypatch, take, error):
    broken = replace(measure_of("match"), take=take)
    monkeypatch.setattr("trellis.lab.work.measure_of", lambda name: broken)
    results, told, _ = go(experiment())
    assert all(error in line for line in told)
    assert len(told) == 6  # two for each cell
    assert all(cell.halted for cell in results.cells)


def test_samples_are_at_once_what_will_be_read_later(monkeypatch):
    odd = replace(measure_of("match"), take=lambda *_: {"value": 1, "pair": (1, 2), 3: "x"})
    monkeypatch.setattr("trellis.lab.work.measure_of", lambda name: odd)
    with closing(Record(":memory:")) as record:
        now, _, _ = go(experiment(), perform, record)
        later, _, _ = go(experiment(), perform, record)
    assert now.cells[0].samples == later.cells[0].samples


def test_times_in_words():
    assert [in_words(seconds) for seconds in (0, 59, 90, 5400, 86400)] == [
        "0 s", "59 s", "1.5 min", "1.5 h", "1.0 days",
    ]  # fmt: skip
