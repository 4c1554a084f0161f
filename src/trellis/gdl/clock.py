"""A bound on the time that plain Python may take, for work whose size rules from outside decide."""

import signal
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
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.endswith(_TIDYING):
            return True
        frame = frame.f_back
    return False


@contextmanager
def time_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise `LimitReached` inside the block when it takes longer.

    Only the main thread of a system with timers can be stopped like that; elsewhere nothing is.
    """
    on_main_thread = threading.current_thread() is threading.main_thread()
    if not on_main_thread or not hasattr(signal, "setitimer"):
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
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    began = perf_counter()
    try:
        yield
    except _TimeIsUp as reason:
        if reason is not up:  # a wider limit
            raise
        raise LimitReached(f"{what} took more than {seconds:g} seconds") from None
    finally:
        rest = max(left - (perf_counter() - began), 0.001) if left > 0.0 else 0.0
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
