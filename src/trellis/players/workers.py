"""Work done by several processes, each of which ends with the one that started it."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from multiprocessing.reduction import ForkingPickler
from time import perf_counter
from typing import Any, Generic, TypeVar, cast

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import LimitReached, TrellisError
from trellis.players.gtp_engine import end_all_engines

_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_SECONDS_TO_END = 3.0  # a worker that has not gone by then is killed
_STILLBORN = 4  # workers running that end before they begin: more of them would, too
_READY = b"ready"
_LONGEST_TASK = 200  # letters of a task that messages show

Task = TypeVar("Task")
Result = TypeVar("Result")


class Lost:
    """What comes instead of an answer where the process that was to give it has died."""


LOST = Lost()


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    leash: Connection  # which it holds the other end of: it ends when this one is closed
    ready: bool = False  # it has begun to listen

    def let_go(self) -> None:
        self.connection.close()
        self.leash.close()

    def see_off(self, until: float) -> None:
        """Wait for the end of a process that was let go, by `perf_counter`, and then end it."""
        self.process.join(max(0.0, until - perf_counter()))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class Workers(Generic[Task, Result]):
    """Processes that do one task each at a time, as they are handed out; no order is kept.

    `do` travels to each process once.  Every task comes back once: with its result, with the
    exception that `do` has raised (or pickle, where something cannot travel), or with `LOST` where
    its process has died; that process is replaced.  A task is handed out again by itself only
    where its process has died before it began.  Whatever happens, no process stays behind.
    """

    def __init__(self, do: Callable[[Task], Result], count: int) -> None:
        self._do, self._count = do, count
        self._context = multiprocessing.get_context("spawn")  # forks of threads may hang
        self._all: list[_Worker] = []  # until they have ended
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, Task, bytes]] = {}
        self._waiting: deque[tuple[Task, bytes]] = deque()
        self._refused: list[tuple[Task, Exception]] = []  # tasks that cannot travel
        self._stillborn = 0

    def submit(self, task: Task) -> None:
        """Have a task done by the next process that is free."""
        try:
            self._waiting.append((task, bytes(ForkingPickler.dumps(task))))
        except Exception as error:  # noqa: BLE001  (whatever pickle or the task's own class says)
            self._refused.append((task, _as_text("cannot be given", task, error)))
        self._hand_out()

    def wait_some(self, seconds: float) -> list[tuple[Task, Result | Exception | Lost]]:
        """Return tasks that have ended, waiting so many seconds at most, and what came of each."""
        found: list[tuple[Task, Result | Exception | Lost]] = [*self._refused]
        self._refused.clear()
        if not self._busy:
            return found
        for connection in wait([*self._busy], timeout=0 if found else seconds):
            worker, task, sent = self._busy[cast("Connection", connection)]
            try:
                answer = worker.connection.recv_bytes()
            except (EOFError, OSError):
                del self._busy[worker.connection]
                if worker.ready:
                    found.append((task, LOST))
                else:
                    self._waiting.appendleft((task, sent))
                self._bury(worker)
                continue
            if not worker.ready:  # it has said so, and goes on with its first task
                worker.ready, self._stillborn = True, 0
                continue
            del self._busy[worker.connection]
            self._idle.append(worker)
            try:
                found.append((task, pickle.loads(answer)))  # noqa: S301  (from ourselves)
            except Exception as error:  # noqa: BLE001  (whatever the answer's own class says)
                found.append((task, _as_text("gave an answer that cannot be read to", task, error)))
        self._hand_out()
        return found

    @property
    def in_flight(self) -> int:
        """Return how many tasks have not come back."""
        return len(self._busy) + len(self._waiting) + len(self._refused)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._all:  # which a worker sees at once
            worker.let_go()
        until = perf_counter() + _SECONDS_TO_END
        for worker in self._all:
            worker.see_off(until)
        for kept in (self._all, self._idle, self._busy, self._waiting, self._refused):
            kept.clear()

    def _hand_out(self) -> None:
        while self._waiting and (self._idle or len(self._busy) < self._count):
            worker = self._idle.pop() if self._idle else self._start()
            task, sent = self._waiting[0]
            try:
                worker.connection.send_bytes(sent)
            except OSError:  # it has gone before it heard of the task
                self._bury(worker)
                continue
            self._busy[worker.connection] = worker, task, sent
            self._waiting.popleft()

    def _bury(self, worker: _Worker) -> None:
        """Forget a worker that has gone; say so where no other will do better."""
        worker.let_go()
        worker.see_off(perf_counter() + _SECONDS_TO_END)
        self._all.remove(worker)
        self._stillborn += not worker.ready
        if self._stillborn >= _STILLBORN:
            raise LimitReached(
                "workers end before they begin: expected more memory, fewer workers, or, in a "
                'script, the line `if __name__ == "__main__":`'
            )

    def _start(self) -> _Worker:
        # Workers inherit that Ctrl-C is held back: the parent alone answers it.
        with _ctrl_c_held_back():
            try:
                ours, theirs = self._context.Pipe()
                leash, held = self._context.Pipe()
                process = self._context.Process(
                    target=_work, args=(theirs, held, self._do), daemon=True
                )
                process.start()
            except OSError as error:
                raise LimitReached(
                    f"cannot start worker {len(self._all) + 1}: {error.strerror or error}; "
                    "expected fewer workers"
                ) from error
            theirs.close()
            held.close()
            worker = _Worker(process, ours, leash)
            self._all.append(worker)
        return worker


def hand_out(
    play: Callable[[int], Result], numbers: Sequence[int], workers: int
) -> Generator[Result, None, None]:
    """Let processes play games, by their numbers; yield results as they come."""
    crew: Workers[int, Result] = Workers(play, workers)
    try:
        for number in numbers:
            crew.submit(number)
        while crew.in_flight:
            for number, answer in crew.wait_some(_HEARD):
                if isinstance(answer, Lost):
                    raise LimitReached(
                        f"a worker was lost in game {number + 1}: expected more memory, fewer "
                        'workers, or, in a script, the line `if __name__ == "__main__":`'
                    )
                if isinstance(answer, Exception):
                    raise answer
                yield answer
            if stop_asked():
                return
    finally:
        crew.close()


def _work(connection: Connection, leash: Connection, do: Callable[[Any], object]) -> None:
    """Do tasks as long as the parent has any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(leash,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the parent has gone
        connection.send_bytes(_READY)
        while True:
            connection.send_bytes(_answer(do, connection.recv_bytes()))


def _answer(do: Callable[[Any], object], sent: bytes) -> bytes:
    """Do a task; return its result or why there is none, as it travels."""
    task: object = "a task that cannot be read"
    try:
        task = pickle.loads(sent)  # noqa: S301  (from our parent)
        return bytes(ForkingPickler.dumps(do(task)))
    except BaseException as error:  # noqa: BLE001  (said by the parent, whatever it is)
        return _portable(error, task)


def _portable(error: BaseException, task: object) -> bytes:
    """Return an error as it travels; one of another kind than ours becomes text."""
    note = traceback.format_exc()
    if isinstance(error, TrellisError | MemoryError):
        with contextlib.suppress(Exception):  # one whose class wants other arguments, say
            sent = type(error)(*error.args)
            sent.add_note(note)
            data = bytes(ForkingPickler.dumps(sent))
            pickle.loads(data)  # noqa: S301
            return data
    told = _as_text("failed at", task, error)
    told.add_note(note)
    return bytes(ForkingPickler.dumps(told))


def _as_text(what: str, task: object, error: BaseException) -> RuntimeError:
    shown = str(task)
    if len(shown) > _LONGEST_TASK:
        shown = shown[:_LONGEST_TASK] + "…"
    return RuntimeError(f"a worker {what} {shown}: {type(error).__name__}: {error}")


def _end_with_parent(leash: Connection) -> None:
    """End this process when its parent has ended or let go, and the programs it has started.

    A signal would be heard between two steps of Python only, or end those programs never.
    """
    parent = parent_process()
    wait([leash] if parent is None else [leash, parent.sentinel])
    end_all_engines()
    os._exit(1)


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Hold Ctrl-C back for a moment, where the system can; it is heard afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets Ctrl-C through when it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
