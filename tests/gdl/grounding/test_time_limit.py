"""A bound on time holds whatever the work inside takes its exceptions for."""

import gc
import threading
import time
from contextlib import suppress

import pytest

from trellis.game.errors import LimitReached
from trellis.gdl.grounding.time_limit import time_limit


def dawdle():
    while True:
        with suppress(Exception):
            time.sleep(0.01)


def test_work_that_never_ends_is_stopped():
    told = pytest.raises(LimitReached, match=r"dawdling took more than 0\.05 seconds")
    with told, time_limit(0.05, "dawdling"):
        dawdle()


@pytest.mark.parametrize(("outer", "inner", "first"), [(0.05, 30, "outer"), (30, 0.05, "inner")])
def test_the_limit_that_is_up_first_is_the_one_that_is_told(outer, inner, first):
    told = pytest.raises(LimitReached, match=first)
    with told, time_limit(outer, "outer"), time_limit(inner, "inner"):
        dawdle()


def test_work_in_time_is_left_alone():
    with time_limit(30, "this"):
        assert sum(range(10)) == 45


class Slow:
    """Takes long to go away; Python throws away what is raised meanwhile."""

    def __del__(self):
        until = time.perf_counter() + 0.1
        while time.perf_counter() < until:
            pass


def tidy():
    Slow()
    dawdle()


def test_time_that_is_up_while_python_tidies_up():
    with pytest.raises(LimitReached, match="tidying took more than"), time_limit(0.03, "tidying"):
        tidy()


def in_thread(work):
    """Run something in a thread; return what it returned or raised."""
    found = []

    def run():
        try:
            found.append(work())
        except BaseException as error:  # noqa: BLE001 - handed to the test
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_work_in_other_threads_is_stopped_too():
    def work():
        with time_limit(0.05, "dawdling"):
            dawdle()

    found = in_thread(work)
    assert isinstance(found, LimitReached)
    assert str(found) == "dawdling took more than 0.05 seconds"


@pytest.mark.parametrize(("outer", "inner", "first"), [(0.05, 30, "outer"), (30, 0.05, "inner")])
def test_of_two_limits_in_a_thread_the_first_is_told(outer, inner, first):
    def work():
        with time_limit(outer, "outer"), time_limit(inner, "inner"):
            dawdle()

    assert first in str(in_thread(work))


def test_work_in_a_thread_that_is_in_time_is_left_alone():
    def work():
        total = 0
        for number in range(2000):
            with time_limit(30, "this"):
                total += number
        time.sleep(0.05)  # nothing comes late
        return total

    assert in_thread(work) == sum(range(2000))


def test_time_that_is_up_while_somebody_is_told_of_garbage():
    """Python prints an exception that leaves a callback of its collector, and drops it."""

    def told(phase, info):
        time.sleep(0.05)

    def work():
        gc.collect()
        dawdle()

    gc.callbacks.append(told)
    try:
        with pytest.raises(LimitReached), time_limit(0.01, "this"):
            work()
    finally:
        gc.callbacks.remove(told)


def test_time_that_is_up_in_a_thread_while_python_tidies_up():
    def work():
        with time_limit(0.03, "tidying"):
            tidy()

    assert "tidying took more than" in str(in_thread(work))
