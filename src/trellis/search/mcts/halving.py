"""Sequential halving: every root move gets as many simulations, the worse half is dropped, again.

That asks for a budget of simulations; how it is spent within a move is up to the search.
"""

from typing import TYPE_CHECKING

import numpy as np

from trellis._kernel.progress import Progress
from trellis.search.mcts.reporting import edge_lines

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search


def halve(search: "Search", sims: int, progress: Progress | None) -> None:
    """Give every root move equally many simulations, drop the worse half, and again."""
    alive = search.root_codes()
    rounds, done, before = max(1, (len(alive) - 1).bit_length()), 0, search.sims

    def tell(_: float, note: str) -> None:
        if progress is not None:
            progress(1.0 if search.solved else (search.sims - before) / sims, note)

    for number in range(rounds):
        left = (sims - done) // (rounds - number)
        each, rest = divmod(left, len(alive))
        for place, code in enumerate(alive):
            count = each + (1 if place < rest else 0)
            if count and not search.solved:
                done += search.spend(count, None, (code,), tell)
        known = {
            line.code: line.adapted for line in edge_lines(search, search.root, search.position)
        }
        alive.sort(key=lambda code: -known.get(code, -np.inf))
        alive = alive[: (len(alive) + 1) // 2]
