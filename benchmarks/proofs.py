"""What `solve` proves from the start, and what it takes: playouts, nodes, seconds.

`python benchmarks/proofs.py [GAME ...]`
"""

import sys

from trellis.loading import load
from trellis.search.solve.proof import solve

GAMES = (
    "tic_tac_toe", "connect_four:rows=3,columns=3", "connect_four:rows=4,columns=3",
    "connect_four:rows=3,columns=4", "connect_four:rows=4,columns=4",
    "connect_four:rows=5,columns=4", "connect_four:rows=4,columns=5", "hex:board_size=3",
    "hex:board_size=4", "breakthrough:rows=4,columns=4", "breakthrough:rows=5,columns=3",
    "breakthrough:rows=5,columns=4", "breakthrough:rows=6,columns=3", "othello:board_size=4",
    "nim:pile_sizes=3;4;5", "connect_four:rows=5,columns=5", "hex:board_size=5",
)  # fmt: skip


def main() -> None:
    """Print one line a game."""
    print(f"{'game':32}  {'outcome':7}  {'playouts':>10}  {'nodes':>10}  {'seconds':>7}")
    for name in sys.argv[1:] or GAMES:
        found = solve(load(name), memory=2048)
        print(
            f"{name:32}  {found.outcome or 'open':7}  {found.sims:>10,}  {found.nodes:>10,}  "
            f"{found.seconds:>7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
