"""Which puzzles of a folder are solved, and how soon: games of one role, each with the same time.

    python benchmarks/puzzles.py FOLDER --seconds 60

A line a puzzle: the best goal that was found and the best that the rules name, whether it is proven
that there is no better one, the steps to it, and the seconds that loading and solving took.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

from trellis.game.errors import TrellisError
from trellis.gdl.game import load_sheet
from trellis.gdl.sheet import Sheet
from trellis.search.puzzle.solver import PuzzleSolver


def is_puzzle(path: Path) -> bool:
    """Tell whether a sheet has one role, and that is not chance."""
    try:
        return len(Sheet.from_file(path).roles) == 1
    except TrellisError:
        return False


def solve(path: Path, seconds: float, load_seconds: float, mebibytes: float) -> bool:
    """Print what is found of a puzzle; return whether the best goal was reached."""
    began = perf_counter()
    try:
        game = load_sheet(path, "circuit", seconds=load_seconds, prove_seconds=1.0)
    except TrellisError as error:
        print(f"{path.stem:32} not loaded: {error}", flush=True)
        return False
    loaded = perf_counter()
    if game.players != 1:
        return False
    solver = PuzzleSolver(game, mebibytes=mebibytes)
    solver.think(game.start(), seconds)
    took = perf_counter() - loaded
    proven = "proven" if solver.finished else "not proven"
    print(
        f"{path.stem:32} goal {solver.best_worth:g} of {game.payoff_range[1]:g}, {proven}, "
        f"{len(solver.way)} moves, loaded in {loaded - began:.1f} s, {took:.1f} s, "
        f"{solver.looked_at:,} positions and games",
        flush=True,
    )
    return solver.finished


def main() -> int:
    """Go through a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--load-seconds", type=float, default=120.0)
    parser.add_argument("--mebibytes", type=float, default=2_000.0)
    given = parser.parse_args()
    puzzles = [path for path in sorted(given.folder.glob("*.kif")) if is_puzzle(path)]
    solved = sum(
        solve(path, given.seconds, given.load_seconds, given.mebibytes) for path in puzzles
    )
    print(f"{solved} of {len(puzzles)} puzzles: the best goal reached, or proven")
    return 0


if __name__ == "__main__":
    sys.exit(main())
