"""Slices of a budget: how large they are, and when it is spent."""

import pytest

from trellis._kernel import deadline
from trellis._kernel.slices import Slices


class Clock:
    """A clock that stands still until somebody works."""

    def __init__(self, monkeypatch, pace):
        self.now, self.pace = 100.0, pace
        monkeypatch.setattr("trellis._kernel.slices.perf_counter", lambda: self.now)

    def spend(self, slices, stop=1000):
        """Work through slices, so many seconds a unit; return their sizes."""
        sizes = []
        for size in slices:
            sizes.append(size)
            self.now += size * self.pace
            slices.finish(size)
            if slices.over or len(sizes) == stop:
                return sizes
        raise AssertionError("slices never end by themselves")


def test_slices_grow_to_the_time_they_are_to_last(monkeypatch):
    clock = Clock(monkeypatch, pace=0.001)
    sizes = clock.spend(slices := Slices(units=100, each=0.0302))
    assert sizes == [1, 4, 16, 30, 30, 19]
    assert (slices.done, slices.over, slices.late, slices.fraction) == (100, True, False, 1.0)
    assert clock.spend(Slices(7, each=0.0), stop=4) == [7, 1, 1, 1]


def test_no_slice_is_to_last_longer_than_there_is_time(monkeypatch):
    clock = Clock(monkeypatch, pace=0.25)
    slices = Slices(4, seconds=3.0, each=10.0)
    assert clock.spend(slices) == [4, 8]
    assert (slices.elapsed, slices.left, slices.late) == (3.0, 0.0, True)
    slices = Slices(4, units=100, seconds=16.0, each=10.0)
    assert clock.spend(slices, stop=1) == [4]
    assert slices.fraction == pytest.approx(1 / 16)
    assert slices.left == 15.0


def test_work_that_stops_early_counts_as_what_it_was(monkeypatch):
    clock = Clock(monkeypatch, pace=0.0)
    slices = Slices(64, units=100)
    for _ in slices:
        clock.now += 0.01
        slices.finish(1)
        break
    assert (slices.done, slices.over) == (1, False)
    assert next(iter(slices)) == 1  # one unit took as long as a slice may


def test_somebody_who_asks_to_stop_is_heard():
    slices = Slices(units=10)
    assert not slices.over
    deadline.ask_to_stop()
    try:
        assert slices.over
        assert not slices.late
    finally:
        deadline.forget_stop()
