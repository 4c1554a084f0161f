"""How long the rest takes, from what is known of jobs."""

import pytest

from trellis import lab
from trellis.lab.duration import Left, Paces, time_needed
from trellis.lab.rendering.listing import seconds_needed


def test_many_processors_share_the_work_down_to_a_job():
    parts = [Left(100, 1.0, 10), Left(50, 4.0, 5)]
    assert [time_needed(parts, n) for n in (1, 2, 10, 1000)] == [300, 150, 30, 20]
    assert time_needed([], 4) == 0


def test_a_process_that_has_just_begun_tells_little():
    paces = Paces()
    paces.add("a", 30.0, 2, fresh=True)  # 28 seconds of which it compiled
    assert paces.each("ab") == {"a": 15, "b": None}  # nothing better is known
    paces.add("b", 4.0, 2)
    assert paces.each("ab") == {"a": 2, "b": 2}  # as the others
    paces.add("a", 3.0, 1)
    assert paces.each("abc") == {"a": 3, "b": 2, "c": 2.5}


def nims(**more):
    cells = tuple(
        lab.Cell(str(heap), {"game": f"nim:pile_sizes={heap}", "a": "random", "b": "random"})
        for heap in (3, 4, 5)
    )
    scales = {"smoke": lab.Scale(2, "3 4", {"sims": 1}), "paper": lab.Scale(6)}
    return lab.Experiment("nims", "Nim", "match", cells, scales, **more)


def test_an_estimate_does_one_job_of_each_cell_and_then_nothing():
    record = lab.Record(":memory:")
    found = lab.run(nims(), record=record, estimate=True)
    assert [len(cell.samples) for cell in found.cells] == [2, 2, 2]
    assert [*found.left] == [1, 1000]
    assert found.left[1] >= found.left[1000] > 0
    before = [row["key"] for row in record.rows()]
    assert lab.run(nims(), record=record, estimate=True).left.keys() == {1, 1000}
    assert [row["key"] for row in record.rows()] == before
    whole = lab.run(nims(), record=record)
    assert whole.complete
    assert whole.left == {}


def test_a_run_is_part_of_its_estimate():
    """What the estimate has done is as it would have been without it."""
    record = lab.Record(":memory:")
    lab.run(nims(), record=record, estimate=True)
    both = [cell.samples for cell in lab.run(nims(), record=record).cells]
    assert [cell.samples for cell in lab.run(nims()).cells] == both


def test_times_of_a_list_are_those_on_record_or_stated():
    assert seconds_needed(nims(), "paper", {}) is None
    assert seconds_needed(nims(pace=2.0), "paper", {}) == 36
    assert seconds_needed(nims(pace=2.0), "smoke", {}) is None  # other settings
    key = ("match", '{"a":"random","b":"random","game":"nim:pile_sizes=4"}')
    assert seconds_needed(nims(pace=2.0), "paper", {key: 5.0}) == 90  # of one, for all
    record = lab.Record(":memory:")
    lab.run(nims(), record=record)
    measured = sum(row["seconds"] for row in record.rows())
    assert seconds_needed(nims(), "paper", record.paces()) == pytest.approx(measured)


def test_progress_tells_what_is_left_and_how_it_stands():
    claim = lab.Claim("heaps of 3 are won", "above", {"cells": "3", "than": 50})
    told = []
    lab.run(nims(claims=(claim,)), progress=lambda share, note: told.append((share, note)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    lines = told[0][1].splitlines()
    assert lines[0].startswith("1 of 9 jobs, ")
    assert lines[0].endswith(" s left")
    assert lines[1].startswith("3: ")
    assert lines[1].endswith(" after 2 of 6")
    assert lines[2].startswith("claims as they stand: 1 ")
