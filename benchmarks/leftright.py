"""LeftRight, figure 4 of the UCD paper: the share of steps to the left, by depths.

300 steps, 100 playouts a step, c = 0.3, nothing kept between steps, the most visited step is
played.  `python benchmarks/leftright.py [GAMES] [edge|node]` prints ours beside an independent
rerun, which keeps the primed terms per edge; per node, the default of the search, is better still
where d3 is 1.
"""

import sys
from statistics import mean, stdev

from trellis.loading import load
from trellis.search.mcts.engine import Search

STEPS, PLAYOUTS, C = 300, 100, 0.3
RERUN_GAMES = 20
# What an independent rerun with these settings gave; the paper prints 81.5 and 99.8.
ROWS = (
    ("uct0", 81.7), ("ucd:0,0,0", 80.7), ("ucd:1,0,0", 82.0), ("ucd:2,0,0", 87.5),
    ("ucd:3,0,0", 90.9), ("ucd:5,0,0", 93.5), ("ucd:inf,0,0", 95.8), ("ucd:0,0,1", 98.5),
    ("ucd:1,0,1", 98.2), ("ucd:2,0,1", 99.3), ("ucd:3,0,1", 99.6), ("ucd:5,0,1", 99.7),
    ("ucd:inf,0,1", 99.7),
)  # fmt: skip


def share_left(select: str, seed: int, own_playouts: str) -> float:
    """Play one game; return the share of steps to the left in percent."""
    game = load("leftright", h=STEPS)
    exact = {} if select == "uct0" else {"backup": "exact", "own_playouts": own_playouts}
    search = Search(
        game, select=select, c=C, bounds="off", memory=2, seed=seed, final_move="robust", **exact
    )
    while True:
        search.simulate(PLAYOUTS)
        move = search.best()
        after = search.position.play(move)
        if after.is_over:
            return 100 * after.payoffs()[0]
        search.restart(move)


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    own_playouts = sys.argv[2] if len(sys.argv) > 2 else "edge"
    print(f"{'selection':12}  {'ours':>6}  {'error':>5}  {'rerun':>6}  off by (standard errors)")
    for select, expected in ROWS:
        shares = [share_left(select, seed, own_playouts) for seed in range(games)]
        error = stdev(shares) / len(shares) ** 0.5
        # The rerun's error is known for plain UCT alone, 0.5: that of about 20 games.
        rerun_error = stdev(shares) / RERUN_GAMES**0.5
        off = (mean(shares) - expected) / (error**2 + rerun_error**2) ** 0.5
        print(
            f"{select:12}  {mean(shares):6.2f}  {error:5.2f}  {expected:6.1f}  {off:+.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
