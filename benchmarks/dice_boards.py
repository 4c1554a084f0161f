"""Small boards of Dice solved to the end in three ways: expectimax, Star2-TT, all positions.

    python benchmarks/dice_boards.py [--most 4] [--memory 4096] [GAME...]

Every board from 2x2 on, every length of a run, every die (`lines`) and both ways to treat a full
line (`full`), or the games that are named.  Expectimax has the table here, or 4x4 would take for
ever.  Where a full line ends the turn, play may pass round for ever and no depth is the last one.
A turn passes with probability 1 - 1/m at most, so the searches then go so deep that less than 1e-10
of all play is left, which is far deeper: on 4x4 runs of three and four are left to the third way.
That one makes a single position of all mirror images.
"""

import argparse
from itertools import product
from math import ceil, log
from time import perf_counter

from trellis.game.errors import LimitReached
from trellis.game.reductions import folded
from trellis.loading import load
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.engine import StarSearch
from trellis.search.star.settings import star_settings

SEARCHES = {
    "expectimax": star_settings("expectimax").replace(tt_at_decisions=True, tt_at_chance=True),
    "star2tt": star_settings("star2tt"),
}


UNSEEN = 1e-10  # how much of all play may lie beyond the depth


def boards(most: int) -> list[str]:
    """Name every board up to a side."""
    return [
        f"dice:m={m},k={k},lines={lines},full={full}"
        for m in range(2, most + 1)
        for k, lines, full in product(range(2, m + 1), ("rc", "any", "rows"), ("reroll", "pass"))
    ]


def depth_of(m: int, k: int, full: str) -> int:
    """Return how many plies the searches look ahead, 0 where that would take too long."""
    to_the_end = 2 * m * m
    if full == "reroll":
        return to_the_end
    return 0 if m > 3 and k > 2 else to_the_end + ceil(log(UNSEEN) / log(1 - 1 / m))


def main() -> None:
    """Solve all boards and tell where the ways differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="boards of dice; all of them")
    parser.add_argument("--most", type=int, default=4, help="the largest side")
    parser.add_argument("--memory", type=float, default=4096, help="MiB of each way")
    options = parser.parse_args()
    worst = 0.0
    for spec in options.games or boards(options.most):
        game = load(spec)
        depth = depth_of(game.m, game.k, game.full)
        found: dict[str, float] = {}
        began = perf_counter()
        for name, settings in SEARCHES.items() if depth else ():
            report = StarSearch(game, settings.replace(memory=options.memory)).run(depth=depth)
            if game.full == "reroll" and not report.solved:
                raise AssertionError(f"{game.spec}: {name} did not reach the end")
            found[name] = report.value
        try:
            solution = solve_exactly(folded(game), memory=options.memory)
            found["all"] = 0.5 * (solution.low + solution.high)
            note = f"{solution.nodes:,} positions" + (", cycles" if solution.cycles else "")
        except LimitReached as limit:
            note = str(limit)
        apart = max(found.values()) - min(found.values()) if found else 0.0
        worst = max(worst, apart)
        values = "  ".join(f"{name} {value:+.9f}" for name, value in found.items())
        seconds = perf_counter() - began
        line = f"{game.spec:42} {values}  apart {apart:.1e}  {note}  {seconds:.1f} s"
        print(line, flush=True)
    print(f"at most {worst:.1e} apart")


if __name__ == "__main__":
    main()
