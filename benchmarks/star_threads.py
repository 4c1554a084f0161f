"""How much faster two threads search a position of Dice than one.

    python benchmarks/star_threads.py [--depth 13] [--positions 5] [--search star2tt]

Both search the same positions in turn, so that other work on the machine slows them alike.
"""

import argparse

from trellis.evaluation.shipped import shipped_evaluation
from trellis.lab.star_counts import stored_positions
from trellis.loading import load
from trellis.search.star.engine import StarSearch


def main() -> None:
    """Search the earliest of the stored positions, alone and together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=13)
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--search", default="star2tt")
    options = parser.parse_args()
    game = load("dice")
    evaluation = shipped_evaluation(game)
    seconds, nodes = [0.0, 0.0], [0, 0]
    for position in stored_positions(game)[: options.positions]:
        values = []
        for threads in (1, 2):
            search = StarSearch(position, options.search, evaluation, memory=256)
            report = search.run(depth=options.depth, threads=threads)
            seconds[threads - 1] += report.seconds
            nodes[threads - 1] += report.nodes
            values.append(report.value)
        if abs(values[0] - values[1]) > 1e-9:
            raise AssertionError(f"{position.code}: {values[0]} alone, {values[1]} together")
        print(f"{position.code}: {seconds[0]:.2f} s alone, {seconds[1]:.2f} s together so far")
    print(
        f"{options.search}, {options.depth} plies: two threads are {seconds[0] / seconds[1]:.2f} "
        f"times as fast and look at {nodes[1] / nodes[0]:.2f} times as many positions"
    )


if __name__ == "__main__":
    main()
