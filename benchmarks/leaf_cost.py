"""What judging a leaf costs besides the judge's own time, by the size of batches.

    python benchmarks/leaf_cost.py --sims 20000

A judge that says nothing of note is timed by itself, and its time taken away; what is left are
planes, legal moves, priors, edges, descents and backups, in processor time.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np

from trellis.search.mcts.engine import Search


class Judge:
    """Says that all is even, and how long it took to say so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, features: Any, legal: Any) -> tuple[Any, Any]:
        """Judge a batch."""
        began = process_time()
        told = np.zeros((len(features), 2)), np.ones(legal.shape)
        self.seconds += process_time() - began
        return told


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sims", type=int, default=20_000)
    parser.add_argument("--games", nargs="*", default=["connect_four", "othello"])
    options = parser.parse_args()
    print(f"{'game':<16} {'batch':>6} {'leaves':>8} {'asked':>7} {'µs a leaf':>10}")
    for game in options.games:
        for batch in (1, 16, 64, 256, 1024):
            judge = Judge()
            search = Search(game, evaluate=judge, batch=batch, bounds="off", seed=1)
            search.simulate(500)
            judge.seconds, first = 0.0, search.asker.asked if search.asker else 0
            began = process_time()
            search.simulate(options.sims)
            spent = process_time() - began - judge.seconds
            if search.asker:
                leaves = search.asker.asked - first
                print(
                    f"{game:<16} {batch:>6} {leaves:>8} {search.asker.batches:>7} "
                    f"{1e6 * spent / leaves:>10.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
