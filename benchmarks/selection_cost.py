"""What a selection rule written through the door costs, beside the same rule built in.

    python benchmarks/selection_cost.py --rounds 15

Plain UCT and adapted values are in `examples/selection_rules.py` once more.  Both search the same
position with the same seed, turn by turn, and each turn gives one ratio of processor time; printed
is the median of the ratios.
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from time import process_time

import trellis
from trellis.parts import Selection

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import selection_rules as own

GAMES = ("connect_four", "hex:board_size=7", "othello", "breakthrough", "go:board_size=9")
PAIRS = (
    ("uct1", own.uct),
    ("simple", own.adapted),
    ("ucd:2,1,1", Selection(own.adapted, "ucd:2,1,1")),
)


def seconds(search: trellis.Search, sims: int) -> float:
    """Return the processor time of so many simulations, begun anew."""
    search.restart_at(search.position)
    search.begin(1)
    began = process_time()
    search.simulate(sims)
    return process_time() - began


def main() -> None:
    """Measure by turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="turns of each")
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a turn, about")
    options = parser.parse_args()
    print(f"{'game':<18} {'rule':<12} {'sims/s':>10} {'cost':>7}")
    for name in GAMES:
        for built_in, rule in PAIRS:
            searches = [
                trellis.Search(trellis.load(name), select=select, bounds="off", seed=1)
                for select in (built_in, rule)
            ]
            sims = int(2_000 / max(seconds(searches[0], 2_000), 1e-9) * options.seconds)
            turns = [[seconds(search, sims) for search in searches] for _ in range(options.rounds)]
            cost = median(theirs / ours for ours, theirs in turns) - 1
            rate = sims / median(ours for ours, _ in turns)
            print(f"{name:<18} {built_in:<12} {rate:>10,.0f} {cost:>+7.1%}")


if __name__ == "__main__":
    main()
