"""Ctrl-C while a command works: it tells what it knows so far; pressed again, it leaves at once."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from trellis._kernel import deadline
from trellis.cli import INTERRUPTED, end_programs

_OVER = 0  # no signal has this number


class Stop:
    """Whether somebody has pressed Ctrl-C while the work was going on."""

    asked = False

    def leave(self) -> None:
        """Leave with the exit code of an interrupted command, where it was one."""
        if self.asked:
            raise typer.Exit(INTERRUPTED)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Let Ctrl-C end the work inside with what it knows, instead of raising an exception.

    Python hears a signal between two steps of its own, and a kernel may run for seconds; so a
    thread listens besides, at a socket that is written to the very moment a signal comes.
    """
    stop = Stop()
    heard = signal.getsignal(signal.SIGINT)
    on_main_thread = threading.current_thread() is threading.main_thread()
    if not on_main_thread or not callable(heard):  # or Ctrl-C is not meant for this process
        yield stop
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    listener = threading.Thread(target=_listen, args=(ours,), daemon=True)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    listener.start()
    signal.signal(signal.SIGINT, _ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, heard)
        signal.set_wakeup_fd(before)
        theirs.send(bytes([_OVER]))
        listener.join()
        ours.close()
        theirs.close()
        stop.asked = deadline.stop_asked()
        deadline.forget_stop()


def _ask(number: int, frame: Any) -> None:
    deadline.ask_to_stop()


def _listen(signals: socket.socket) -> None:
    presses = 0
    while True:
        for number in signals.recv(64):
            if number == _OVER:
                return
            if number == signal.SIGINT:
                presses += 1
                deadline.ask_to_stop()
        if presses > 1:
            if sys.stderr.isatty():  # a bar or a live table hides the cursor
                sys.stderr.write("\x1b[?25h\n")
            sys.stderr.write("trellis: interrupted\n")
            sys.stderr.flush()
            end_programs()
            os._exit(INTERRUPTED)
