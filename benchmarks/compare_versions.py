"""Two checkouts of this repository measured turn by turn, to see whether any speed was lost.

    python benchmarks/compare_versions.py OLD NEW --rounds 10

OLD and NEW are folders, each with a `.venv` of its own (`uv sync`).  A round measures both, one
after the other, and the next round begins with the other one, so that whatever else the machine
does hits both alike.  Both must print the same of their rounds: versions up to df29e79 print
medians of playouts and simulations, later ones the fastest round, which alone is worth 7 %.  Each
row shows both medians and the median of the ratios of the rounds.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

SHEETS = ("tic_tac_toe", "connect_four", "breakthrough", "pentago")  # of our own
Rates = Iterator[tuple[str, float]]


def playouts(found: dict[str, Any]) -> Rates:
    """Read what `bench` and `bench --search` print."""
    for row in found["results"]:
        how = f" {row['select']}" if row.get("select") else ""
        yield f"{row['measure']} {row['game']}{how}", row["per_second"]


def star_nodes(found: dict[str, Any]) -> Rates:
    """Read what `bench --chance` prints."""
    for name, row in found["searches"].items():
        for what in ("with_network", "without_evaluation"):
            yield f"{name} {what.replace('_', ' ')}", row[f"nodes_per_second_{what}"]


def sheet_playouts(found: dict[str, Any]) -> Rates:
    """Read what `gdl bench` prints."""
    name = Path(found["file"]).stem
    for way, row in found["evaluators"].items():
        yield f"sheet {name} {way}", row["playouts_per_second"]


def commands(new: Path, seconds: float, sims: int) -> dict[str, list[tuple[list[str], Any]]]:
    """Return what to run, by the name of its kind, and how to read what it prints."""
    time = ["--seconds", str(seconds)]
    search = ["bench", "--search", "--sims", str(sims), "--select", "simple", "--select", "uct3"]
    sheets = new / "src" / "trellis" / "gdl" / "sheets"
    return {
        "playouts": [(["bench", *time], playouts)],
        "search": [(search, playouts), ([*search, "--bounds", "cuts"], playouts)],
        "star": [(["bench", "--chance", "--depth", "3", *time], star_nodes)],
        "sheets": [
            (["gdl", "bench", str(sheets / f"{name}.kif"), *time], sheet_playouts)
            for name in SHEETS
        ],
    }


def measure(checkout: Path, command: list[str]) -> dict[str, Any]:
    """Run a command of one checkout."""
    program = checkout / ".venv" / "bin" / "trellis"
    done = subprocess.run(  # noqa: S603
        [str(program), *command, "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{program} {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main() -> None:
    """Measure by turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout of the old version")
    parser.add_argument("new", type=Path, help="a checkout of the new version")
    parser.add_argument("--rounds", type=int, default=10, help="how often each is measured")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row and round")
    parser.add_argument("--sims", type=int, default=300_000, help="simulations of each search")
    parser.add_argument("--only", nargs="*", help="kinds: playouts, search, star, sheets")
    options = parser.parse_args()
    kinds = commands(options.new.absolute(), options.seconds, options.sims)
    rates: dict[str, dict[str, list[float]]] = defaultdict(lambda: {"old": [], "new": []})
    for number in range(options.rounds + 1):
        turns = [("old", options.old), ("new", options.new)]
        for kind in options.only or kinds:
            for which, (command, read) in enumerate(kinds[kind]):
                for version, checkout in turns if number % 2 else reversed(turns):
                    for row, rate in read(measure(checkout.absolute(), command)):
                        # Round 0 compiles, and is not counted.
                        if number:
                            rates[f"{row}{' cuts' if 'cuts' in command and which else ''}"][
                                version
                            ].append(rate)
        print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
    print(f"{'':44} {'old':>13} {'new':>13}  {'new / old':>9}   lowest to highest")
    worst = 9.0
    for row, found in sorted(rates.items()):
        ratios = [new / old for old, new in zip(found["old"], found["new"], strict=False)]
        if not ratios:
            continue  # measured by one of them only
        worst = min(worst, median(ratios))
        print(
            f"{row:44} {median(found['old']):13,.0f} {median(found['new']):13,.0f}"
            f"  {median(ratios):9.3f}   {min(ratios):.3f} to {max(ratios):.3f}"
        )
    print(f"lowest median ratio: {worst:.3f}")


if __name__ == "__main__":
    main()
