"""A bound on the time that plain Python may take, for work whose size rules from outside decide."""

import ctypes
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from trellis.game.errors import LimitReached

_AGAIN = 0.01  # seconds
_TIDYING = ("_weakrefset.py", "weakref.py")


class _TimeIsUp(BaseException):
    """Not an error that anything inside could take for one of its own."""


def _would_be_lost(frame: Any) -> bool:
    """Tell whether Python would throw an exception away: where it tidies up behind our back."""
    collecting = [getattr(each, "__code__", None) for each in gc.callbacks]
    while frame is not None:
        code = frame.f_code
        if (
            code.co_name == "__del__"
            or code.co_filename.endswith(_TIDYING)
            or code in collecting  # who is told of garbage collected
        ):
            return True
        frame = frame.f_back
    return False


@contextmanager
def time_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise `LimitReached` inside the block when it takes longer.

    A signal does that in the main thread, and in others a thread that watches them; a call that
    does not come back to Python is not interrupted there.
    """
    on_main_thread = threading.current_thread() is threading.main_thread()
    if not on_main_thread or not hasattr(signal, "setitimer"):
        with _watched(seconds, what):
            yield
        return
    left, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0.0 < left <= seconds:  # a wider limit is up first
        yield
        return

    up = _TimeIsUp()

    def stop(number: int, frame: Any) -> None:
        if _would_be_lost(frame):
            return  # the timer rings again
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        raise up

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6), _AGAIN)
    began = perf_counter()
    try:
        yield
    except _TimeIsUp as reason:
        if reason is not up:  # a wider limit
            raise
        raise LimitReached(f"{what} took more than {seconds:.3g} seconds") from None
    finally:
        rest = max(left - (perf_counter() - began), 0.001) if left > 0.0 else 0.0
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, rest, interval)


# -- threads that no signal reaches ------------------------------------------------------------


class _Ring:
    """A thread, when its time is up, and the exception that tells it."""

    def __init__(self, seconds: float) -> None:
        self.at = perf_counter() + seconds
        self.over = False
        self.up: type[_TimeIsUp] = type("_ThisTimeIsUp", (_TimeIsUp,), {})
        self._thread = ctypes.c_ulong(threading.get_ident())

    def ring(self) -> None:
        """Have the exception raised in the thread, as soon as it is back in Python."""
        if _would_be_lost(sys._current_frames().get(self._thread.value)):  # noqa: SLF001
            return  # it is rung again
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(self.up))

    def silence(self) -> None:
        """Ring no more, and take back what was rung but not heard yet."""
        while True:
            try:
                with _changed:
                    self.over = True
                    if self in _rings:
                        _rings.remove(self)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, None)
            except self.up:  # heard in here: once more
                continue
            return


_rings: list[_Ring] = []
_changed = threading.Condition()
_ringer: list[threading.Thread] = []


def _ring_on_time() -> None:
    """Ring for every thread whose time is up, again and again until it is heard."""
    while True:
        with _changed:
            now = perf_counter()
            for ring in _rings:
                if ring.at <= now:
                    ring.at = now + _AGAIN  # Python may throw the exception away
                    ring.ring()
            first = min((ring.at for ring in _rings), default=None)
            _changed.wait(None if first is None else max(first - now, 0.001))


@contextmanager
def _watched(seconds: float, what: str) -> Iterator[None]:
    ring = _Ring(seconds)
    try:
        with _changed:
            if not _ringer or not _ringer[0].is_alive():
                _ringer[:] = [threading.Thread(target=_ring_on_time, daemon=True)]
                _ringer[0].start()
            _rings.append(ring)
            _changed.notify()
        try:
            yield
        finally:
            ring.silence()
    except ring.up:
        ring.silence()
        raise LimitReached(f"{what} took more than {seconds:.3g} seconds") from None
