"""Simulations a second over a rulesheet beside those over a built-in game, turn by turn.

python benchmarks/sheet_search.py connect_four src/trellis/gdl/sheets/connect_four.kif
"""

import sys
from statistics import median
from time import perf_counter

from trellis.game.game import Game
from trellis.loading import load
from trellis.search.mcts.engine import Search

SIMS = 500_000
ROUNDS = 5


def rate(game: Game, seed: int) -> float:
    """Return simulations a second of a search from the start."""
    search = Search(game, seed=seed, bounds="off", memory=512)
    began = perf_counter()
    search.simulate(SIMS)
    return SIMS / (perf_counter() - began)


def main() -> None:
    """Compare the two games named on the command line."""
    if len(sys.argv) != 3:
        sys.exit("usage: python benchmarks/sheet_search.py GAME SHEET")
    native, sheet = (load(name) for name in sys.argv[1:])
    for game in (native, sheet):
        Search(game, bounds="off").simulate(100)
    ratios = []
    for seed in range(ROUNDS):
        one, other = rate(native, seed), rate(sheet, seed)
        ratios.append(other / one)
        print(f"{native.spec} {one:,.0f}  {sheet.spec} {other:,.0f}  ratio {other / one:.3f}")
    print(f"median {median(ratios):.3f}")


if __name__ == "__main__":
    main()
