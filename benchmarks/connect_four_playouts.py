"""Playouts to solve small Connect Four boards: table 4.7 of Saffidine's thesis, and beyond.

Sizes are columns x rows.  The first three rows are the thesis's: a tree without transpositions,
C = 0.05, every descent counts.  The others use the graph, then symmetry as well.
`python benchmarks/connect_four_playouts.py [SEEDS] [SIZE ...]`
"""

import sys
from statistics import mean, stdev

from trellis.loading import load
from trellis.search.mcts.engine import Search

PUBLISHED = {
    "plain": {"3x3": 2700.9, "3x4": 26042.7, "4x3": 227617.6},
    "cuts": {"3x3": 2529.2, "3x4": 12496.7, "4x3": 31772.9, "4x4": 386324.3},
    "guided": {"3x3": 1607.1, "3x4": 9792.7, "4x3": 24340.2, "4x4": 351320.3},
}
TREE = {"select": "uct0", "c": 0.05}
GRAPH = {"select": "simple", "c": 0.05, "bounds": "deep", "delta": -0.1}
MODES = {
    "tree, plain": (TREE | {"bounds": "plain"}, PUBLISHED["plain"]),
    "tree, cuts": (TREE | {"bounds": "cuts"}, PUBLISHED["cuts"]),
    "tree, guided": (TREE | {"bounds": "guided"}, PUBLISHED["guided"]),
    "graph, cuts": (GRAPH | {"bounds": "cuts", "delta": 0.0}, {}),
    "graph, deep cuts": (GRAPH, {}),
    "graph, deep cuts, symmetry": (GRAPH | {"symmetry": True}, {}),
}
LIMIT = 10_000_000


def playouts(size: str, seed: int, settings: dict[str, object]) -> int | None:
    """Solve one board; return the playouts it took, or None where it was not solved."""
    columns, rows = size.split("x")
    search = Search(
        load("connect_four", columns=int(columns), rows=int(rows)),
        seed=seed,
        memory=1024,
        **settings,
    )
    done = search.simulate(LIMIT)
    return done if search.solved else None


def main() -> None:
    """Print the table, ours beside the published figures."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    sizes = sys.argv[2:] or ["3x3", "3x4", "4x3", "4x4"]
    for name, (settings, published) in MODES.items():
        for size in sizes:
            if name == "tree, plain" and size == "4x4":
                continue  # more than five million in the thesis
            counts = [playouts(size, seed, settings) for seed in range(seeds)]
            solved = [count for count in counts if count is not None]
            error = stdev(solved) / len(solved) ** 0.5 if len(solved) > 1 else 0.0
            beside = ""
            if size in published:
                beside = (
                    f"published {published[size]:>9,.0f}, {mean(solved) / published[size] - 1:+.1%}"
                )
            print(f"{name:27} {size}  {mean(solved):>9,.0f} ± {error:<6,.0f} {beside}", flush=True)


if __name__ == "__main__":
    main()
