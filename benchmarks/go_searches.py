"""Searches of Go a second, ours and OpenSpiel's in C++, turn by turn, by the processor's clock.

`trellis bench --search --against openspiel` measures the same by the clock on the wall, which says
little on a busy machine.  OpenSpiel's game is a draw where a board comes again.
`python benchmarks/go_searches.py [SPEC ...]`
"""

import sys
from statistics import median
from time import thread_time

from trellis.bridges.openspiel import OpenSpiel
from trellis.loading import load
from trellis.search.mcts.engine import Search

SPECS = [f"go:board_size={size}{ko}" for size in (6, 9) for ko in ("", ",superko=simple")]
OURS, THEIRS, ROUNDS, C = 100_000, 30_000, 5, 0.7


def main() -> None:
    """Print both rates and the ratio, with the lowest and highest of the rounds."""
    for spec in sys.argv[1:] or SPECS:
        game = load(spec)
        theirs = OpenSpiel(game, seed=1)
        Search(game.start(), bounds="off", memory=1024, c=C).simulate(1)  # compiles
        rates: list[tuple[float, float]] = []
        for seed in range(ROUNDS):
            search = Search(game.start(), bounds="off", memory=1024, c=C, seed=seed)
            began = thread_time()
            search.simulate(OURS)
            between = thread_time()
            theirs.search(C, THEIRS)
            rates.append((OURS / (between - began), THEIRS / (thread_time() - between)))
        our, their = (median(column) for column in zip(*rates, strict=True))
        ratios = [mine / other for mine, other in rates]
        print(
            f"{spec:32} {our:9,.0f} {their:9,.0f}   {median(ratios):5.1f} times, "
            f"{min(ratios):.1f} to {max(ratios):.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
