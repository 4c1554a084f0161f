"""Jobs: found again by the same key, and made of the same samples however they are cut."""

import subprocess
import sys
from dataclasses import replace

import pytest

from laboratory import experiment, samples_of
from trellis.lab.experiment import Cell
from trellis.lab.jobs import Job, jobs_of, seed_of, stream_of
from trellis.lab.running import run

JOB = Job("match", (("a", "random"), ("c", 0.1), ("sims", 7)), 3, 10, 2)


def test_keys_are_the_same_in_every_process():
    code = f"from trellis.lab.jobs import Job; j = {JOB!r}; print(j.key('v'), j.stream())"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout.split()[0]
        for seed in ("1", "2")
    }  # fmt: skip
    assert found == {JOB.key("v")}


@pytest.mark.parametrize(
    "other",
    [
        {"measure": "worked"}, {"seed": 4}, {"first": 12}, {"count": 4},
        {"settings": (("a", "random"), ("c", 0.1), ("sims", 8))},
    ],
)  # fmt: skip
def test_whatever_changes_a_result_changes_the_key(other):
    assert replace(JOB, **other).key("v") != JOB.key("v")
    assert JOB.key("w") != JOB.key("v")
    assert JOB.key("w") != JOB.work()


def test_the_order_of_settings_changes_nothing():
    assert stream_of("m", {"a": 1, "b": 2}, 0) == stream_of("m", {"b": 2, "a": 1}, 0)


def test_seeds_of_samples_differ_and_fit_into_63_bits():
    seeds = {seed_of(JOB.stream(), number, purpose) for number in range(1000) for purpose in "ab"}
    assert len(seeds) == 2000
    assert max(seeds) < 1 << 63
    assert max(seeds) > 1 << 58


def test_jobs_cover_every_sample_once_and_cells_in_turn():
    cells = tuple(Cell(name, {"name": name}) for name in "abc")
    found = [*jobs_of("m", cells, seed=0, samples=7, batch=3)]
    assert [cell.name for cell, _ in found[:3]] == ["a", "b", "c"]
    for each in cells:
        numbers = [
            number
            for cell, job in found
            if cell is each
            for number in range(job.first, job.first + job.count)
        ]
        assert numbers == [*range(7)]


def test_samples_do_not_depend_on_how_they_are_put_into_jobs():
    tables = {samples_of(run(experiment(batch=batch), "smoke")) for batch in (2, 4, 100)}
    assert len(tables) == 1
    assert samples_of(run(experiment(seed=1), "smoke")) not in tables
