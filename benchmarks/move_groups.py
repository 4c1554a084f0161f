"""Move groups, figures 4 and 5 of Childs, Brodeur and Kocsis: errors by bias and overlap.

P-games of branching 10 and depth 6 with two groups: one of five moves of which so many percent are
good, and one of all other moves, or, with overlap, of all moves.  Every move then is two: choose a
group, then a move of it; overlapping groups meet again in the graph.  An error is a chosen move
that is not among the best by minimax.
`python benchmarks/move_groups.py [GAMES] [ITERATIONS ...]`
"""

import sys

import trellis
from trellis.search.mcts.engine import Search

BIASES = (0, 25, 50, 75, 100)
C = 0.7


def errs(seed: int, bias: int, overlap: bool, iterations: int, select: str) -> bool:
    """Search one game; tell whether the move chosen is wrong."""
    inner = trellis.load("pgame", branching=10, depth=6, seed=seed, bias=bias, overlap=overlap)
    search = Search(trellis.grouped(inner), select=select, c=C, bounds="off", memory=16, seed=seed)
    search.simulate(iterations)
    group = search.best()
    search.advance(group)
    return search.best() not in inner.best_moves(inner.start())


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    budgets = [int(word) for word in sys.argv[2:]] or [100, 1000]
    print(f"errors in percent of {games} games")
    print(f"{'select':7} {'groups':9} {'iterations':>10} " + " ".join(f"{b:>5}%" for b in BIASES))
    for select in ("uct1", "uct2"):
        for overlap in (False, True):
            for iterations in budgets:
                rates = [
                    100
                    * sum(errs(s, bias, overlap, iterations, select) for s in range(games))
                    / games
                    for bias in BIASES
                ]
                words = "overlap" if overlap else "disjoint"
                print(
                    f"{select:7} {words:9} {iterations:>10} "
                    + " ".join(f"{r:6.1f}" for r in rates),
                    flush=True,
                )


if __name__ == "__main__":
    main()
