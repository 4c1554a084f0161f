"""Standard input and output: one thread reads lines, one searches, one writes answers.

Answers wait where nobody reads them, so that whoever sends many queries before reading is not kept
waiting.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import TextIO

from trellis.protocols.gtp.engine import OutputFailed
from trellis.protocols.gtp.server import read_lines
from trellis.protocols.katago.fields import Json, write_json
from trellis.protocols.katago.service import Service

MOST_UNREAD = 1 << 28  # characters of answers


class Outbox:
    """Answers on their way out."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._lines: deque[str] = deque()
        self._size = 0
        self._closed = False
        self._failure: OSError | ValueError | None = None
        self.on_failure: Callable[[], None] = lambda: None
        self._lock = threading.Condition()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def send(self, found: Json) -> None:
        """Take an answer; wait only where very much is unread."""
        line = write_json(found) + "\n"
        with self._lock:
            self._lock.wait_for(lambda: self._failure or self._size < MOST_UNREAD)
            self._refuse_failure()
            self._lines.append(line)
            self._size += len(line)
            self._lock.notify_all()

    def close(self) -> None:
        """Wait until all is written."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
        self._thread.join()
        self._refuse_failure()

    def _refuse_failure(self) -> None:
        if self._failure is not None:
            raise OutputFailed from self._failure

    def _write(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._lines or self._closed)
                if not self._lines:
                    return
                lines = [*self._lines]
            try:
                self._target.write("".join(lines))
                self._target.flush()
            except (OSError, ValueError) as error:
                with self._lock:
                    self._failure = error
                    self._lock.notify_all()
                self.on_failure()
                return
            with self._lock:
                for _ in lines:
                    self._size -= len(self._lines.popleft())
                self._lock.notify_all()


def serve_queries(service: Service, outbox: Outbox, source: TextIO) -> None:
    """Answer queries until the input ends and all that was asked is answered."""
    outbox.on_failure = service.desk.abandon
    reader = threading.Thread(target=_read, args=(source, service), daemon=True)
    reader.start()
    service.work()
    outbox.close()


def _read(source: TextIO, service: Service) -> None:
    try:
        for line in read_lines(source):
            service.take(line)
    except OutputFailed:
        pass  # who searches finds out as well
    finally:
        service.desk.close()
