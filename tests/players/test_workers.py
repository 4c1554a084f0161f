"""Processes that do tasks: whatever becomes of one, it is told once, and nobody stays behind."""

import os
import signal
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import crew
from trellis.game.errors import BadParameter, LimitReached
from trellis.players import workers as workers_file
from trellis.players.workers import LOST, Workers


def answers(workers, tasks):
    """Have tasks done; return what came of each."""
    for task in tasks:
        workers.submit(task)
    found = []
    while workers.in_flight:
        found += workers.wait_some(0.1)
    assert Counter(str(task) for task, _ in found) == Counter(str(task) for task in tasks)
    return {str(task): answer for task, answer in found}


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def two():
    with closing(Workers(crew.do, 2)) as workers:
        yield workers


def test_every_task_is_done_once(two):
    tasks = [str(number) for number in range(50)]
    assert answers(two, tasks) == {task: task for task in tasks}


def test_what_cannot_travel_comes_back_as_an_error_and_the_rest_goes_on(two):
    before = set(answers(two, [f"pid {number}" for number in range(20)]).values())
    nameless = lambda: 1  # noqa: E731
    found = answers(
        two, ["one", nameless, "particular", "function", "unreadable", "break", "bad", "leave"]
    )
    told = {task: f"{type(answer).__name__}: {answer}" for task, answer in found.items()}
    assert told.pop("one") == "str: one"
    assert told.pop("bad") == "BadParameter: a bad value"
    assert told.pop(str(nameless)).startswith("RuntimeError: a worker cannot be given <function")
    assert told.pop("particular") == (
        "RuntimeError: a worker failed at particular: Particular: something in somewhere"
    )
    assert (
        told.pop("break") == "RuntimeError: a worker failed at break: ZeroDivisionError: by nothing"
    )
    assert told.pop("leave") == "RuntimeError: a worker failed at leave: SystemExit: 3"
    assert "failed at function" in told.pop("function")
    assert "cannot be read to unreadable: ValueError: not with me" in told.pop("unreadable")
    assert not told
    assert "crew.py" in "".join(found["break"].__notes__), "where it was is told as well"
    after = set(answers(two, [f"pid {number}" for number in range(20)]).values())
    assert before | after == before, "no process has died of it"


def test_a_worker_that_dies_is_replaced_and_its_task_is_lost(two):
    found = answers(two, ["die 1", "a", "b", "die 2", "c", "d"])
    assert found.pop("die 1") is found.pop("die 2") is LOST
    assert found == {task: task for task in "abcd"}


def has_gone(process):
    """Tell whether a process has ended with all of its threads, and its pipes are closed."""
    try:
        return " Z " in (process / "stat").read_text() and len([*(process / "task").iterdir()]) == 1
    except OSError:
        return True


def test_one_that_dies_while_it_waits_costs_no_task(two):
    for pid in set(answers(two, [f"pid {number}" for number in range(20)]).values()):
        os.kill(pid, signal.SIGKILL)
        while not has_gone(Path(f"/proc/{pid}")):
            time.sleep(0.01)
    assert answers(two, ["a", "b", "c"]) == {task: task for task in "abc"}


def test_close_ends_workers_whatever_they_do(tmp_path):
    workers = Workers(crew.do, 2)
    (pid,) = answers(workers, ["pid"]).values()
    for name in "ab":
        workers.submit(f"sleep {tmp_path / name}")
    workers.submit("waiting")
    while not all((tmp_path / name).exists() for name in "ab"):
        time.sleep(0.01)
    pids = [worker.process.pid for worker in workers._all]
    assert pid in pids
    workers.close()
    assert not any(map(alive, pids))
    assert workers.in_flight == 0
    workers.close()  # twice does no harm


def test_an_interrupt_in_the_midst_leaves_nobody(tmp_path, monkeypatch):
    """As in a script, where Ctrl-C is an exception wherever the program is."""
    workers = Workers(crew.do, 1)
    (pid,) = answers(workers, ["pid"]).values()
    workers.submit("a")

    def pressed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(workers_file.pickle, "loads", pressed)
    with pytest.raises(KeyboardInterrupt), closing(workers):
        answers(workers, ["b"])
    assert not alive(pid)


def test_workers_that_end_before_they_begin_are_not_tried_for_ever():
    refused = pytest.raises(LimitReached, match="workers end before they begin")
    with closing(Workers(crew.DiesWhereItArrives(), 2)) as workers, refused:
        answers(workers, ["a", "b", "c"])
    assert not workers._all


def test_one_more_process_than_the_system_has_is_refused_in_one_line(monkeypatch):
    def refuse(*arguments, **more):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with closing(Workers(crew.do, 1)) as workers:
        monkeypatch.setattr(workers._context, "Pipe", refuse)
        with pytest.raises(LimitReached) as refused:
            workers.submit("a")
    assert str(refused.value) == (
        "cannot start worker 1: Resource temporarily unavailable; expected fewer workers"
    )


def test_ctrl_c_is_for_the_parent_alone(two):
    (pid,) = answers(two, ["pid"]).values()
    os.kill(pid, signal.SIGINT)
    found = answers(two, [f"pid {number}" for number in range(20)])
    assert pid in found.values()


def test_errors_of_ours_are_raised_by_matches_as_they_are():
    with pytest.raises(BadParameter, match="a bad value"):
        [*workers_file.hand_out(crew.refuse, range(3), 2)]
