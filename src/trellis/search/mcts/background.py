"""A search that runs while its caller does something else, and can be asked and stopped.

>>> from trellis.loading import load
>>> from trellis.search.mcts.engine import Search
>>> search = Search(load("connect_four"), bounds="off")
>>> search.start(sims=50)
>>> search.wait().sims
50
"""

import threading
from time import perf_counter
from typing import TYPE_CHECKING, Any

from trellis.game.errors import BadParameter
from trellis.game.halting import HALT_AT
from trellis.search.budget import check_budget, refuse_chance
from trellis.search.report import Report

_FOREVER = 1 << 40  # simulations, where nothing else ends a search


class Background:
    """The part of a search that runs in a thread of its own.

    Whoever asks waits for the end of a slice, a hundredth of a second: between slices the graph is
    whole.  While it runs, nothing but `report`, `stop`, `wait` and `running` may be called.
    """

    _thread: threading.Thread | None = None
    _stopping = False
    _failed: BaseException | None = None

    if TYPE_CHECKING:
        rng: Any
        position: Any
        think: Any
        report: Any

    @property
    def running(self) -> bool:
        """Tell whether the search is at work in its thread."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, sims: int | None = None, seconds: float | None = None) -> None:
        """Search in a thread until a budget is used up or somebody calls `stop`."""
        if self.running:
            raise BadParameter("the search is running already: expected stop() before start()")
        if sims is None and seconds is None:
            sims = _FOREVER
        check_budget(sims, seconds)
        refuse_chance(self.position)
        self._failed, self._stopping = None, False

        def run() -> None:
            try:
                self.think(sims, seconds, self._look)
            except _Stopped:
                pass
            except BaseException as error:  # noqa: BLE001 - told to whoever waits
                self._failed = error

        self._thread = threading.Thread(target=run, name="trellis search", daemon=True)
        self._thread.start()

    def stop(self) -> Report:
        """End the search, whatever it is at; tell what was found."""
        self._stopping = True
        if self.running:
            self.rng[HALT_AT] = 1
        return self.wait()

    def wait(self, timeout: float | None = None) -> Report:
        """Wait until the search has ended, or so many seconds; tell what was found so far."""
        thread, until = self._thread, None if timeout is None else perf_counter() + timeout
        if thread is not None:
            thread.join(timeout if until is None else max(0.0, until - perf_counter()))
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        found: Report = self.report()
        return found

    def _look(self, fraction: float, note: str) -> None:
        """Leave between two slices, where somebody has asked to."""
        if self._stopping:
            raise _Stopped


class _Stopped(Exception):
    """Leaves a search from its progress callback."""
