"""Games played by several processes, each of which ends with the one that started it."""

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process
from typing import Any, TypeVar

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import LimitReached, TrellisError
from trellis.players.gtp_engine import end_all_engines

_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_SECONDS_TO_END = 3.0  # a worker that has not gone by then is killed

Result = TypeVar("Result")


def hand_out(
    play: Callable[[int], Result], numbers: Sequence[int], workers: int
) -> Generator[Result, None, None]:
    """Let processes play games, which are handed out one by one; yield results as they come.

    `play` travels to each process once.  Whatever happens, no worker stays behind.
    """
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    processes, idle, leashes = [], [], []
    busy: dict[Connection, int] = {}
    try:
        with _ctrl_c_held_back():  # which the workers inherit: the parent alone answers Ctrl-C
            for _ in range(workers):
                ours, theirs = context.Pipe()
                leash, held = context.Pipe()
                process = context.Process(target=_work, args=(theirs, held, play), daemon=True)
                process.start()
                theirs.close()
                held.close()
                processes.append(process)
                idle.append(ours)
                leashes.append(leash)
        waiting = iter(numbers)
        for connection, number in zip(idle, waiting, strict=False):
            _hand_over(connection, number, busy)
        while busy:
            ready = wait([*busy], timeout=_HEARD)
            if stop_asked():
                return
            for connection in [each for each in busy if each in ready]:
                number = busy.pop(connection)
                answer = _receive(connection, number)
                if isinstance(answer, Exception):
                    raise answer
                yield answer
                following = next(waiting, None)
                if following is not None:
                    _hand_over(connection, following, busy)
    finally:
        for connection in (*idle, *leashes):  # which a worker sees at once, whatever it is doing
            connection.close()
        for process in processes:
            process.join(_SECONDS_TO_END)
            if process.is_alive():
                process.kill()
                process.join()


def _hand_over(connection: Connection, number: int, busy: dict[Connection, int]) -> None:
    busy[connection] = number
    with contextlib.suppress(OSError):  # a worker that has gone is noticed when it is waited for
        connection.send(number)


def _receive(connection: Connection, number: int) -> Any:
    """Return what a worker has sent: a result, or what went wrong there."""
    try:
        return connection.recv()
    except (EOFError, OSError):
        raise LimitReached(
            f"a worker was lost in game {number + 1}: expected more memory, fewer workers, or, in "
            'a script, the line `if __name__ == "__main__":`'
        ) from None


def _work(connection: Connection, leash: Connection, play: Callable[[int], object]) -> None:
    """Play games as long as the parent wants any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(leash,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the parent has gone
        while True:
            number = connection.recv()
            answer: object
            try:
                answer = play(number)
            except Exception as error:  # noqa: BLE001  (said by the parent, whatever it is)
                answer = _portable(error, number)
            connection.send(answer)


def _portable(error: Exception, number: int) -> Exception:
    """Return an error that can be sent; one of another kind than ours travels as text."""
    if isinstance(error, TrellisError | MemoryError):
        sent: Exception = type(error)(*error.args)
    else:
        sent = RuntimeError(f"in game {number + 1}, in a worker: {type(error).__name__}: {error}")
    sent.add_note(traceback.format_exc())
    return sent


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
