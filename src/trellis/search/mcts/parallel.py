"""Several searches at once, one graph a thread, merged at the root.

Threads share nothing, so nothing is locked, and each search is what it would have been alone with
its own seed.  What is merged is what the root knows: visits and payoffs add up, and of proven
bounds the tightest hold, since all of them are true.
"""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter
from typing import Unpack

from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, counted
from trellis.game.game import Game, Position
from trellis.game.memory import refuse_too_much
from trellis.search.budget import check_budget
from trellis.search.mcts.engine import Search
from trellis.search.mcts.settings import SearchOptions, Settings
from trellis.search.report import MoveReport, Report

_WATCH = 0.03  # seconds between looks at the threads


class ParallelSearch:
    """As many searches of one position as there are threads.

    >>> from trellis.loading import load
    >>> ParallelSearch(load("tic_tac_toe"), threads=2).run(sims=1000).sims
    1000
    """

    def __init__(
        self,
        start: Game | Position | str,
        settings: Settings | None = None,
        *,
        threads: int,
        seed: int = 0,
        **changes: Unpack[SearchOptions],
    ) -> None:
        if not 1 <= threads <= 256:
            raise BadParameter(f"bad value {threads} for threads: expected 1 to 256")
        settings = (settings or Settings()).replace(**changes)
        if settings.sequential_halving and threads > 1:
            raise BadParameter(
                "sequential_halving ends with one move, and each thread may end with another: "
                "expected threads 1"
            )
        refuse_too_much(settings.memory)
        of_each = settings.replace(memory=settings.memory / threads)
        # The first thread searches as a search alone would; the others have seeds of their own.
        seeds = [seed + (number << 64) for number in range(threads)]
        self.searches = [Search(start, of_each, seed=own) for own in seeds]
        if not self.searches[0].game.compiled and threads > 1:
            raise BadParameter("a game in plain Python runs on one thread: expected threads 1")
        self.seconds = 0.0
        self._asking = threading.Condition()
        self._running: set[int] = set()  # searches that a thread is at work on
        self._asked: set[int] = set()  # of these, those that shall report when they next can
        self._reports: dict[int, Report] = {}  # what they answered

    def run(
        self,
        sims: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Search until a budget is used up or one thread has solved the position."""
        check_budget(sims, seconds)
        stop, count = threading.Event(), len(self.searches)
        fractions, began = [0.0] * count, perf_counter()
        budgets: list[int | None] = [None] * count
        if sims is not None:
            budgets = [sims // count + (number < sims % count) for number in range(count)]

        def work(number: int) -> None:
            def watch(fraction: float, _: str) -> None:
                fractions[number] = fraction
                if number in self._asked:
                    self._answer(number)
                if stop.is_set():
                    raise _Stopped

            search = self.searches[number]
            try:
                search.run(budgets[number], seconds, watch)
                if search.solved:
                    stop.set()
            except _Stopped:
                pass
            except BaseException:
                stop.set()
                raise
            finally:
                with self._asking:
                    self._running.discard(number)
                    self._asking.notify_all()

        # Whoever reads a graph that nobody is at work on holds the lock: wait for the reader.
        with self._asking:
            self._running |= {number for number, budget in enumerate(budgets) if budget != 0}
        pool = ThreadPoolExecutor(count)
        runs = [pool.submit(work, number) for number in sorted(self._running)]
        try:
            running = True
            while running:
                running = self._wait(_WATCH)
                if progress is not None:
                    sims_done = sum(search.sims for search in self.searches)
                    progress(min(fractions), counted(sims_done, "simulation"))
        finally:
            stop.set()
            pool.shutdown()
            self.seconds += perf_counter() - began
        for run in runs:
            run.result()  # raises what went wrong
        return self.report()

    def _wait(self, seconds: float) -> bool:
        """Wait until all searches have ended, or for a time; tell whether any is running."""
        with self._asking:
            self._asking.wait_for(lambda: not self._running, seconds)
            return bool(self._running)

    def report(self) -> Report:
        """Merge what the searches know of the root; this may be asked while they run."""
        return replace(merge(self._ask()), seconds=self.seconds)

    def _ask(self) -> list[Report]:
        """Return a report of each search.

        A graph that is being changed cannot be read: a thread at work is asked to report between
        two slices of its search.
        """
        with self._asking:
            self._asked |= self._running
            for number in self._running:
                self._reports.pop(number, None)
            while any(number not in self._reports for number in self._running):
                self._asking.wait()
            at_work = {number: self._reports[number] for number in self._running}
            return [
                at_work[number] if number in at_work else search.report()
                for number, search in enumerate(self.searches)
            ]

    def _answer(self, number: int) -> None:
        report = self.searches[number].report()
        with self._asking:
            self._asked.discard(number)
            self._reports[number] = report
            self._asking.notify_all()


class _Stopped(Exception):
    """Leaves a search from inside its progress callback."""


def merge(reports: list[Report]) -> Report:
    """Make one report of several about the same position."""
    best = max(reports, key=lambda report: (report.solved, report.sims))
    tables = [{line.move: line for line in report.moves} for report in reports]
    moves = [_merge_move([table[move] for table in tables]) for move in tables[0]]
    bounds = tuple(
        (max(low for low, _ in pairs), min(high for _, high in pairs))
        for pairs in zip(*(report.bounds for report in reports), strict=True)
    )
    low, high = bounds[best.values_of]
    chosen = best.moves[0].move
    if not best.solved:
        proven = max(line.low for line in moves)
        chosen = max(
            (line for line in moves if line.high > proven or line.low == proven),
            key=lambda line: line.visits,
        ).move
    moves.sort(key=lambda line: (line.move != chosen, -line.visits))
    value = best.value if best.solved else moves[0].adapted
    return replace(
        best,
        best=chosen,
        value=value,
        sims=sum(report.sims for report in reports),
        moves=tuple(moves),
        nodes=sum(report.nodes for report in reports),
        edges=sum(report.edges or 0 for report in reports),
        transpositions=sum(report.transpositions or 0 for report in reports),
        bytes=sum(report.bytes for report in reports),
        low=low,
        high=high,
        bounds=bounds,
        full=any(report.full for report in reports),
        note=best.note if not any(line.visits for line in moves) else "",
        line=next((r.line for r in reports if r.line and r.line[0] == chosen), (chosen,)),
    )


def _merge_move(lines: list[MoveReport]) -> MoveReport:
    visits = sum(line.visits for line in lines)

    def mean(values: list[float]) -> float:
        if not visits:
            return math.nan
        pairs = zip(lines, values, strict=True)
        return sum(line.visits * value for line, value in pairs if line.visits) / visits

    low, high = max(line.low for line in lines), min(line.high for line in lines)
    return MoveReport(
        lines[0].move, low, high, mean([line.value for line in lines]), low == high, visits,
        mean([line.adapted for line in lines]), sum(line.count for line in lines),
        sum(line.shared for line in lines),
    )  # fmt: skip
