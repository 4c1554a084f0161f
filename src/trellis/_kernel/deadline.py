"""When to stop: a time that is up, or a person who pressed Ctrl-C.

Kernels are stopped by a word of memory that they read now and then: a timer sets it, from another
thread, since kernels run free of the interpreter's lock.  Rules in plain Python are stopped between
any two calls of them: whoever runs them says until when (`heeding`), and they ask (`look`).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import perf_counter
from typing import Any


class TimeIsUp(BaseException):
    """Leaves rules in plain Python; not an error that anything inside could take for its own."""


_here = threading.local()  # until when this thread may go on; nothing where nobody has said so
_asked = threading.Event()
_words: list[Any] = []  # the words of kernels that are running
_changing = threading.Lock()


def ask_to_stop() -> None:
    """Have everything that is running, in all threads, come to an end with what it knows."""
    _asked.set()
    with _changing:
        for word, place in _words:
            word[place] = 1


def stop_asked() -> bool:
    """Tell whether somebody has asked to stop."""
    return _asked.is_set()


def forget_stop() -> None:
    """Go on as if nobody had asked."""
    _asked.clear()


def look() -> None:
    """Raise `TimeIsUp` where whoever runs these rules has no time left."""
    until = getattr(_here, "until", None)
    if until is not None and (_asked.is_set() or perf_counter() >= until):
        raise TimeIsUp


@contextmanager
def heeding(deadline: float | None, word: Any = None, place: int = 0) -> Iterator[None]:
    """Let what runs inside end at a deadline, by `perf_counter`, or when somebody asks for it.

    `word[place]` becomes 1 then, for kernels; rules in plain Python are left by `TimeIsUp`.
    """
    before = getattr(_here, "until", None)
    own = inf if deadline is None else deadline
    _here.until = own if before is None else min(own, before)
    timer: threading.Timer | None = None
    if word is not None:
        word[place] = 0
        if _here.until < inf:
            timer = threading.Timer(_here.until - perf_counter(), _set, (word, place))
            timer.daemon = True
            timer.start()
        with _changing:
            _words.append((word, place))
        if _asked.is_set():
            word[place] = 1
    try:
        yield
    finally:
        _here.until = before
        if word is not None:
            if timer is not None:
                timer.cancel()
            with _changing:
                # By identity: arrays are not compared by what they hold.
                _words[:] = [each for each in _words if each[0] is not word]
                word[place] = 0


def _set(word: Any, place: int) -> None:
    with _changing:
        if any(each is word for each, _ in _words):
            word[place] = 1


class LoadBudget:
    """What is left of the time that loading may take; without seconds there is no end of it."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self._until = inf if seconds is None else perf_counter() + seconds

    def left(self) -> float:
        """Return the seconds that are left, never below zero."""
        return max(0.0, self._until - perf_counter())
