"""When Python may look for garbage."""

import gc
import time

import pytest

from trellis._kernel import garbage
from trellis._kernel.garbage import punctual, uncollected
from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.star.engine import StarSearch


@pytest.fixture(autouse=True)
def collecting():
    assert gc.isenabled()
    yield
    gc.enable()


def test_nothing_is_collected_when_time_is_nearly_up():
    with punctual(0.1):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_is_collected_where_there_is_time_or_no_clock_at_all():
    with punctual(None):
        assert gc.isenabled()
    with punctual(60.0):
        assert gc.isenabled()


def test_the_last_part_of_a_long_run_is_left_alone(monkeypatch):
    monkeypatch.setattr(garbage, "_NEARLY", 1.0)
    with punctual(1.001):
        for _ in range(1000):
            if not gc.isenabled():
                break
            time.sleep(0.01)
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_has_switched_it_off_keeps_it_off():
    gc.disable()
    with punctual(0.1):
        pass
    assert not gc.isenabled()
    with uncollected():
        pass
    assert not gc.isenabled()


@pytest.mark.parametrize("kind", [Search, StarSearch])
def test_searches_with_little_time_let_nothing_be_collected(kind):
    seen = []
    search = kind(load("connect_four:rows=4,columns=4"), memory=1.0)
    search.run(seconds=0.05, progress=lambda fraction, note: seen.append(gc.isenabled()))
    assert seen
    assert not any(seen)
    assert gc.isenabled()
