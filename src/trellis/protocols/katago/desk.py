"""What waits to be analysed: a queue by priority, from which anything may be taken back.

Lines are read while a search runs, by another thread; so everything here is locked.
"""

import heapq
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from trellis._kernel.deadline import ask_to_stop, forget_stop
from trellis.protocols.katago.fields import QueryError
from trellis.protocols.katago.query import Query

MOST_WAITING = 10_000  # turns
MOST_TEXT = 1 << 27  # characters of their queries


@dataclass(order=True)
class Task:
    """One turn of one query; what is smaller comes first."""

    key: tuple[int, int]  # minus the priority, then the order in which they came
    query: Query = field(compare=False)
    turn: int = field(compare=False)
    size: int = field(compare=False)  # how much of its query's text counts for it
    stopped: bool = field(default=False, compare=False)


class Desk:
    """Tasks that wait, and the one that is being worked on."""

    def __init__(self) -> None:
        self._waiting: list[Task] = []
        self._size = self._count = 0
        self._current: Task | None = None
        self._closed = self._abandoned = False
        self._lock = threading.Condition()

    def add(self, query: Query, size: int) -> None:
        """Take all turns of a query, or none where there is no room."""
        with self._lock:
            if len(self._waiting) + len(query.turns) > MOST_WAITING or self._size > MOST_TEXT:
                raise QueryError("id", "Too many queries are waiting: send it again later")
            for turn, priority in zip(query.turns, query.priorities, strict=True):
                part = size // len(query.turns)
                heapq.heappush(self._waiting, Task((-priority, self._count), query, turn, part))
                self._count += 1
                self._size += part
            self._lock.notify_all()

    def close(self) -> None:
        """Take nothing more: what waits is still given out."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()

    def abandon(self) -> None:
        """Give nothing out any more, and end what is being done: nobody will be told."""
        with self._lock:
            self._closed = self._abandoned = True
            if self._current is not None:
                self._current.stopped = True
                ask_to_stop()
            self._lock.notify_all()

    def next_task(self) -> Task | None:
        """Wait for a task; None where none will come.  The one before it is done."""
        with self._lock:
            self._current = None
            forget_stop()  # what was asked for concerned that one
            self._lock.wait_for(lambda: self._waiting or self._closed)
            if self._waiting and not self._abandoned:
                self._current = heapq.heappop(self._waiting)
                self._size -= self._current.size
            return self._current

    @property
    def waits(self) -> bool:
        """Tell whether there is something to do."""
        return bool(self._waiting)

    def stop(self, wanted: str | None, turns: Collection[int] | None) -> Iterable[Task]:
        """End tasks of a query, or of all, of some turns or all; return those not begun."""

        def meant(task: Task) -> bool:
            return wanted in (None, task.query.id) and (turns is None or task.turn in turns)

        with self._lock:
            dropped = sorted(filter(meant, self._waiting))
            self._waiting = [task for task in self._waiting if not meant(task)]
            heapq.heapify(self._waiting)
            self._size -= sum(task.size for task in dropped)
            if self._current is not None and meant(self._current):
                self._current.stopped = True
                ask_to_stop()
        return dropped
