"""A chance node near the root, split over threads.

All outcomes of a chance node count, whatever the others turn out to be, so two threads that take
one outcome each seldom do work in vain; two moves of a player are another matter, since the first
may make the second one useless.  So threads meet at chance nodes only.  They share the table.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from trellis.chance import stack as s
from trellis.game.game import Position

if TYPE_CHECKING:
    from trellis.chance.engine import StarSearch

Answer = tuple[float, float, int]  # a lower and an upper bound, and which hold to the end
Spent = Callable[[], None]

_HEARD = 0.02  # seconds between two looks at the clock


class Splitter:
    """Searches one position with several workers, each a search of its own with the same table."""

    def __init__(self, workers: "list[StarSearch]") -> None:
        self.workers = workers
        self.best = -1
        self.notes: dict[int, Answer] = {}  # of the root's moves or outcomes, by number

    def search(
        self, position: Position, depth: int, deadline: float | None, spent: Spent | None
    ) -> Answer | None:
        """Return the bounds of a position to a depth, None where the deadline came first."""
        low, high = self.workers[0].range
        with ThreadPoolExecutor(len(self.workers)) as pool:
            try:
                if position.is_chance:
                    answer = self._chance(
                        pool, position, depth, low, high, deadline, spent, self.notes
                    )
                else:
                    answer = self._decision(pool, position, depth, deadline, spent)
            except BaseException:  # Ctrl-C, or a fault of one: the others must not go on
                for worker in self.workers:
                    worker.halted = True
                raise
        return answer

    def _decision(
        self,
        pool: ThreadPoolExecutor,
        position: Position,
        depth: int,
        deadline: float | None,
        spent: Spent | None,
    ) -> Answer | None:
        """Search one move after the other, the best one of the last depth first."""
        sign = 1.0 if position.acting == 0 else -1.0
        least, most = sorted(sign * end for end in self.workers[0].range)
        codes = sorted(position.codes(), key=lambda code: code != self.best)
        low, high, low_mark, high_mark = least, least, 0, True
        best = codes[0]
        for number, code in enumerate(codes):
            alpha, beta = sorted((sign * low, sign * most))
            found = self._any(pool, position.play(code), depth - 1, alpha, beta, deadline, spent)
            if found is None:
                return None
            self.notes[code] = found
            mine = (found[0], found[1]) if sign > 0 else (-found[1], -found[0])
            marks = _turned(found[2], sign)
            if mine[0] > low or number == 0:
                low, best, low_mark = mine[0], code, marks & s.LOW_TO_END
            high = max(high, mine[1]) if number else mine[1]
            high_mark &= bool(marks & s.HIGH_TO_END)
        self.best = best
        marks = _turned(low_mark | (s.HIGH_TO_END if high_mark else 0), sign)
        high = max(high, low)
        return (low, high, marks) if sign > 0 else (-high + 0.0, -low + 0.0, marks)

    def _any(
        self,
        pool: ThreadPoolExecutor,
        position: Position,
        depth: int,
        alpha: float,
        beta: float,
        deadline: float | None,
        spent: Spent | None,
    ) -> Answer | None:
        if position.is_chance and depth > 1:
            return self._chance(pool, position, depth, alpha, beta, deadline, spent)
        return _one(self.workers[0], position, depth, alpha, beta, deadline, spent)

    def _chance(
        self,
        pool: ThreadPoolExecutor,
        position: Position,
        depth: int,
        alpha: float,
        beta: float,
        deadline: float | None,
        spent: Spent | None,
        notes: dict[int, Answer] | None = None,
    ) -> Answer | None:
        """Hand outcomes to threads as they become free, each with the window of that moment."""
        shares = position.probabilities()
        children = [position.play(code) for code in position.codes()]
        least, most = self.workers[0].range
        lows, highs = [least] * len(children), [most] * len(children)
        marks = [s.BOTH_TO_END] * len(children)
        free, waiting = list(self.workers), list(range(len(children)))
        running: dict[Future[Answer | None], tuple[int, StarSearch]] = {}
        rounding, late = self.workers[0].rounding, False
        while waiting or running:
            low = sum(p * each for p, each in zip(shares, lows, strict=True))
            high = sum(p * each for p, each in zip(shares, highs, strict=True))
            if low >= beta - rounding or high <= alpha + rounding or late:
                waiting.clear()  # decided; who still searches may finish
            while waiting and free:
                child, worker = waiting.pop(0), free.pop()
                share = shares[child]
                floor = (alpha - (high - share * highs[child])) / share if share else least
                ceiling = (beta - (low - share * lows[child])) / share if share else most
                running[
                    pool.submit(
                        _one, worker, children[child], depth - 1,
                        max(least, floor), min(most, ceiling), deadline,
                    )
                ] = (child, worker)  # fmt: skip
            done, _ = wait(running, timeout=_HEARD, return_when=FIRST_COMPLETED)
            for future in done:
                child, worker = running.pop(future)
                free.append(worker)
                found = future.result()
                if found is None:
                    late = True
                    continue
                lows[child], highs[child], marks[child] = found
            if spent is not None:
                spent()
        if late:
            return None
        low = sum(p * each for p, each in zip(shares, lows, strict=True))
        high = sum(p * each for p, each in zip(shares, highs, strict=True))
        both = s.BOTH_TO_END
        for mark in marks:
            both &= mark
        if notes is not None:
            notes.update(zip(position.codes(), zip(lows, highs, marks, strict=True), strict=True))
        return low, max(low, high), both


def _one(
    worker: "StarSearch",
    position: Position,
    depth: int,
    alpha: float,
    beta: float,
    deadline: float | None,
    spent: Spent | None = None,
) -> Answer | None:
    """Let one worker search a position, whatever it is."""
    if position.is_over:
        value = position.payoffs()[0]
        return value, value, s.BOTH_TO_END
    if depth == 0:
        value = worker.judge(position)
        return value, value, 0
    worker.set_position(position)
    return worker.search(depth, alpha, beta, deadline, spent)


def _turned(marks: int, sign: float) -> int:
    if sign > 0:
        return marks
    return (marks & s.LOW_TO_END) << 1 | (marks & s.HIGH_TO_END) >> 1
