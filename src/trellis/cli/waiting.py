"""What somebody who waits is told: what is being compiled, what takes so long, how far it is."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from time import perf_counter
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from trellis._kernel.progress import Progress
from trellis.cli.output import say
from trellis.game.errors import shorten

_PATIENCE = 1.0  # seconds after which somebody who watches is told what takes so long
_shown = threading.Lock()  # held by whatever draws on the terminal


def on_terminal() -> bool:
    """Tell whether somebody watches standard error."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def _slow_work(what: str, most: float | None, began: float | None = None) -> Iterator[None]:
    """Say on a terminal what takes so long; nothing on a pipe, nor beside a bar."""
    if not on_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    since = perf_counter() if began is None else began

    def tell() -> None:
        wait, told = _PATIENCE, False
        while not done.wait(wait):
            wait, told = 1.0, True
            limit = "" if most is None else f" of at most {most:g}"
            _draw(f"{what} ({perf_counter() - since:.0f} s{limit}) …")
        if told:
            _draw("")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        _shown.release()


def _draw(line: str) -> None:
    sys.stderr.write(f"\r{line}\x1b[K")
    sys.stderr.flush()


def watch_slow_work() -> None:
    """Have somebody at a terminal told while a rulesheet is grounded and made into a circuit."""
    from trellis.gdl.sheet import on_slow_work

    on_slow_work(_slow_work)


class _NotedBar(Bar):
    """A bar with lines below it, which are cut off where the terminal ends."""

    below = ""

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the bar and the lines."""
        yield self.make_tasks_table(self.tasks)
        if self.below:
            yield Text(self.below, no_wrap=True, overflow="ellipsis")


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing on a pipe; what it yields is told how far work is.

    The first line of a note stands beside the bar, others below it.
    """
    if not on_terminal():
        yield lambda fraction, note: None
        return
    claimed = _shown.acquire(blocking=False)
    try:
        with _NotedBar(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[note]}"), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task(title, total=1.0, note="")

            def show(fraction: float, note: str) -> None:
                first, _, bar.below = note.partition("\n")
                bar.update(task, completed=fraction, note=first)

            yield show
    finally:
        if claimed:
            _shown.release()


@cache
def _announce_compiling(what: str) -> None:
    """Say once that kernels are compiled, and on a terminal for how long they have been."""
    say(f"compiling what this needs of {shorten(what)}, once; later starts are quick …")
    from numba.core import event

    began = perf_counter()
    drawn: list[AbstractContextManager[None]] = []  # one compiles while another does

    class Compiler(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            drawn.append(_slow_work("compiling", None, began))
            drawn[-1].__enter__()

        def on_end(self, event: Any) -> None:
            if drawn:  # this may be the end of what had begun before
                drawn.pop().__exit__(None, None, None)

    event.register("numba:compiler_lock", Compiler())


def await_compiling(what: str) -> None:
    """Import what every command needs; say so, once, where kernels have to be compiled first."""
    # Numba imports SciPy's linear algebra where SciPy happens to be installed, which takes longer
    # than all of ours; nothing here needs it.  So a command loads its game first, and imports
    # whatever else needs Numba after that.
    absent = "scipy" not in sys.modules
    if absent:
        sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        from trellis._kernel import jit

        jit.heed_interrupts()
        jit.on_compile(lambda module: _announce_compiling(what))
        from trellis.game import playouts  # noqa: F401  (compiles what every command needs)
    finally:
        if absent:
            del sys.modules["scipy"]


def compiled() -> None:
    """Remember that everything this command needs has been compiled, where anything could be."""
    if "trellis._kernel.jit" in sys.modules:
        from trellis._kernel import jit

        jit.finish_compiling()
