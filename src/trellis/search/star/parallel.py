"""One position searched by several threads, which take the rolls of the dice in different orders.

All outcomes of a chance node count, whatever the others turn out to be, so a thread that searches
one of them ahead of the others seldom works in vain.  Two moves of a player are another matter:
the first may make the second one useless.  So all threads walk the same tree and try moves in much
the same order, but where chance acts one goes through the outcomes from the front and one from the
back, at every such node and at every depth.  What one has searched the other finds in the table
they share: they meet in the middle and go on from there together.  Who comes to the end first
answers.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trellis.search.star.engine import StarSearch

Answer = tuple[float, float, int]  # a lower and an upper bound, and which hold to the end
Spent = Callable[[], None]

_HEARD = 0.02  # seconds until Ctrl-C is heard and progress shown


def search_together(
    workers: "list[StarSearch]", depth: int, deadline: float | None, spent: Spent
) -> "tuple[StarSearch, Answer] | None":
    """Return who was first and what was found; None where the deadline came before."""
    try:
        with ThreadPoolExecutor(len(workers)) as pool:
            runs = {
                pool.submit(worker.search, depth, deadline=deadline): worker for worker in workers
            }
            try:
                while True:
                    done, _ = wait(runs, timeout=_HEARD, return_when=FIRST_COMPLETED)
                    spent()
                    if done:
                        break
            finally:  # also after Ctrl-C: the others must not go on
                for worker in workers:
                    worker.halted = True
    finally:
        for worker in workers:
            worker.halted = False
    found = [(worker, run.result()) for run, worker in runs.items()]  # raises what went wrong
    for worker, answer in found:
        if answer is not None:
            return worker, answer
    return None
