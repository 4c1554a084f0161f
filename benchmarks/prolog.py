"""Random games of rulesheets: ours beside SWI-Prolog running the same rules, in one run.

    python benchmarks/prolog.py src/trellis/gdl/sheets/tic_tac_toe.kif [more sheets]
    python benchmarks/prolog.py --seconds 10 SHEET...

The thesis compares its compiler with a Prolog system in this way.  Needs `swipl` (Debian's package
swi-prolog).  The sheet's names reach Prolog as numbers only.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from trellis.game.errors import TrellisError
from trellis.game.playouts import PlayoutRunner
from trellis.gdl.game import SheetGame
from trellis.gdl.sheet import Sheet
from trellis.lab.prolog import play_prolog


def play_ours(sheet: Sheet, seconds: float) -> tuple[float, float]:
    """Return games and steps a second of the circuit, 256 games at once."""
    game = SheetGame(sheet, playouts="lanes", lanes=256)
    start, runner = game.start(), PlayoutRunner(game, 1)
    runner.run(start, 4096)
    games = steps = 0
    began = perf_counter()
    while perf_counter() - began < seconds:
        found = runner.run(start, 4096)
        steps += found.plies
        games += found.games
    time = perf_counter() - began
    return games / time, steps / time


def main() -> None:
    """Compare all sheets named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sheets", nargs="+", metavar="SHEET")
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    if shutil.which("swipl") is None:
        sys.exit("swipl not found: install SWI-Prolog (Debian: swi-prolog)")
    print(f"{'sheet':30} {'ours/s':>12} {'swi-prolog/s':>14} {'ratio':>10}")
    for path in given.sheets:
        try:
            sheet = Sheet.from_file(path)
            ours, theirs = play_ours(sheet, given.seconds), play_prolog(sheet, given.seconds)
        except (TrellisError, subprocess.TimeoutExpired) as error:
            print(f"{Path(path).stem:30} {error}")
            continue
        ratio = ours[0] / theirs[0] if theirs[0] else float("inf")
        print(f"{Path(path).stem:30} {ours[0]:12,.0f} {theirs[0]:14,.1f} {ratio:10,.0f}")


if __name__ == "__main__":
    main()
