"""When Python may look for garbage: a look at all objects takes 50 milliseconds and more."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_NEARLY = 0.5  # seconds before time is up


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be collected: for work that makes many objects and keeps nearly all."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def punctual(seconds: float | None) -> Iterator[None]:
    """Let no garbage be collected when the time that something may take is nearly up.

    Before that it is: rules and progress in plain Python may leave a lot of it behind.
    """
    if seconds is None or not gc.isenabled():
        yield
        return
    changing, ended = threading.Lock(), False

    def stop_collecting() -> None:
        with changing:
            if not ended:
                gc.disable()

    timer = None
    if seconds > _NEARLY:
        timer = threading.Timer(seconds - _NEARLY, stop_collecting)
        timer.daemon = True
        timer.start()
    else:
        stop_collecting()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
        with changing:
            ended = True
            gc.enable()
