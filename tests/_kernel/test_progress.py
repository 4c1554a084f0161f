"""Callbacks of progress that act now and then."""

import pytest

from trellis._kernel import progress


@pytest.mark.parametrize(
    ("interval", "acts_at"), [(0, [1, 2, 3, 4, 5]), (2, [2, 4]), (2.5, [3]), (9, [])]
)
def test_it_acts_once_in_an_interval_and_not_at_once(monkeypatch, interval, acts_at):
    now, acted = [0.0], []
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    tell = progress.every(interval, lambda: acted.append(now[0]))
    for now[0] in range(1, 6):
        tell(now[0] / 5, "a note")
    assert acted == acts_at
