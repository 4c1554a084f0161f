"""What comes in while somebody thinks: lines wait, and some of them end the thinking.

Any line ends an analysis or pondering; GoGui's `# interrupt` ends any search, whose best move so
far is then played.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from trellis._kernel.deadline import ask_to_stop, forget_stop
from trellis.protocols.gtp.parsing import is_interrupt

MOST_LINES, MOST_TEXT = 1000, 1 << 22  # that wait, and their characters
LINES, INTERRUPTS, NOTHING = "lines", "interrupts", ""


class Attention:
    """Lines on their way from the thread that reads them to the one that answers."""

    def __init__(self) -> None:
        self._lines: deque[str | None] = deque()
        self._waiting = 0  # characters of all lines that wait
        self._heard = self._taken = 0  # lines so far
        self._interrupted = -1  # commands up to this one are to end
        self._lock = threading.Condition()
        self._stops = NOTHING  # what would end what is going on
        self.attended = False  # whether somebody reads lines while others think

    def hear(self, line: str | None) -> None:
        """Take a line of the input, or None at its end; called by the thread that reads."""
        with self._lock:
            interrupt = line is not None and is_interrupt(line)
            if interrupt:
                self._interrupted = self._heard
            else:
                self._lines.append(line)
                self._heard += 1
                self._waiting += len(line or "")
                self._lock.notify_all()
            if self._stops == LINES or (self._stops and interrupt):
                ask_to_stop()
            # Whoever sends more than is answered has to wait.
            self._lock.wait_for(lambda: len(self._lines) < MOST_LINES and self._waiting < MOST_TEXT)

    def next_line(self) -> str | None:
        """Wait for the next line; None where the input has ended."""
        with self._lock:
            self._lock.wait_for(lambda: self.waits)
            line = self._lines.popleft()
            self._taken += 1
            self._waiting -= len(line or "")
            self._lock.notify_all()
            return line

    @property
    def waits(self) -> bool:
        """Tell whether a line has come."""
        return bool(self._lines)

    @contextmanager
    def listening(self, to: str) -> Iterator[None]:
        """Let lines, or interrupts, end searches inside."""
        with self._lock:
            self._stops = to
            # An interrupt may have come before the search that it is meant for had begun.
            if (to == LINES and self.waits) or self._taken <= self._interrupted:
                ask_to_stop()
        try:
            yield
        finally:
            with self._lock:  # no line may ask for a stop after this
                self._stops = NOTHING
                forget_stop()
