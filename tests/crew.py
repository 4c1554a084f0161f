"""What workers of tests do: functions that a new process can import."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from trellis.game.errors import BadParameter


class Unreadable:
    """Travels, and cannot be read where it arrives."""

    def __reduce__(self):
        return (_refuse, ())


def _refuse():
    raise ValueError("not with me")


class Particular(BadParameter):
    """An error that cannot be made again from what it says."""

    def __init__(self, what, where):
        super().__init__(f"{what} in {where}")
        self.lock = threading.Lock()  # which cannot travel


def do(task):
    """Do what the task says."""
    what, _, number = str(task).partition(" ")
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "leave":
        sys.exit(3)
    if what == "sleep":
        Path(number).touch()
        time.sleep(1000)
    if what == "particular":
        raise Particular("something", "somewhere")
    if what == "bad":
        raise BadParameter("a bad value")
    if what == "break":
        raise ZeroDivisionError("by nothing")
    if what == "function":
        return lambda: 1
    if what == "unreadable":
        return Unreadable()
    return os.getpid() if what == "pid" else what


class DiesWhereItArrives:
    """Ends the process that it is sent to, before that has begun."""

    def __call__(self, task):
        return task

    def __setstate__(self, state):
        os._exit(7)

    def __getstate__(self):
        return {"some": "state"}


def refuse(number):
    """Play no game."""
    raise BadParameter("a bad value")
