"""Two checkouts of this repository measured turn by turn, to see whether any speed was lost.

    python benchmarks/compare_versions.py OLD NEW --rounds 10

OLD and NEW are folders, each with a `.venv` of its own (`uv sync`).  A round measures both, one
after the other, and the next round begins with the other one, so that whatever else the machine
does hits both alike.  Both must print the same of their rounds: versions up to df29e79 print
medians of playouts and simulations, later ones the fastest round, which alone is worth 7 %.  Each
row shows both medians and the median of the ratios of the rounds.  Rates are those of the
processor's clock, so that other programs count less, unless `--wall` is given; Ctrl-C shows what
was measured so far.

`--only games` is quicker: random games as `trellis.playouts` plays them, those of rulesheets in
lanes, in processes that stay for two rounds, so that little else takes time.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

SHEETS = ("tic_tac_toe", "connect_four", "breakthrough", "pentago")  # of our own
GAMES = (  # those of `trellis bench`
    "connect_four", "hex:board_size=5", "hex", "breakthrough", "othello", "nine_mens_morris",
    "pentago", "amazons", "tic_tac_toe", "pig",
)  # fmt: skip
TURN = 0.15  # seconds of the processor for a turn of random games
TOGETHER = 2  # rounds of one pair of processes: where their memory lies is worth up to 20 %
HEAD = f"{'':44} {'old':>13} {'new':>13}  {'new / old':>9}   lowest to highest"
Rates = Iterator[tuple[str, float]]
Rows = dict[str, dict[str, list[float]]]


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
        # Up to df29e79 lanes were called slices.
        yield f"sheet {name} {way.replace('sliced', 'lanes')}", row["playouts_per_second"]


def commands(new: Path, seconds: float, sims: int) -> dict[str, list[tuple[list[str], Any]]]:
    """Return what to run, by the name of its kind, and how to read what it prints."""
    time = ["--seconds", str(seconds)]
    search = ["bench", "--search", "--sims", str(sims), "--select", "simple", "--select", "uct3"]
    search += ["-c", "0.7"]  # the default of both was another one
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


PROGRAM = "import sys; from trellis.cli.main import main; sys.exit(main())"
CLOCK = "import time; time.perf_counter = time.process_time; "  # before anybody takes the other one


def measure(checkout: Path, command: list[str], wall: bool) -> dict[str, Any]:
    """Run a command of one checkout."""
    python = checkout / ".venv" / "bin" / "python"
    done = subprocess.run(  # noqa: S603
        [str(python), "-c", ("" if wall else CLOCK) + PROGRAM, *command, "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{checkout} {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


class Lasting:
    """A process of one version that stays, and plays what it is told to."""

    def __init__(self, folder: Path) -> None:
        python = folder.absolute() / ".venv" / "bin" / "python"
        self._process = subprocess.Popen(  # noqa: S603
            [str(python), __file__, "--serve"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
        )  # fmt: skip

    def seconds(self, game: str, games: int, seed: int) -> float:
        """Return how long so many games take."""
        pipe, answers = self._process.stdin, self._process.stdout
        if pipe is None or answers is None:
            raise AssertionError("a process without pipes")
        print(game, games, seed, file=pipe, flush=True)
        answer = answers.readline()
        if not answer:
            sys.exit(f"no answer for {game}")
        return float(answer)

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate()


def serve() -> None:
    """Play what standard input asks for; answer with seconds."""
    from trellis import load, playouts  # of the checkout whose Python this is

    loaded = {}
    for line in sys.stdin:
        name, games, seed = line.split()
        game = loaded.get(name) or loaded.setdefault(name, load(name))
        began = process_time()
        playouts(game, int(games), int(seed))
        print(process_time() - began, flush=True)


def compare_games(name: str, options: argparse.Namespace) -> float:
    """Print one row; return the median of the ratios of the rounds."""
    games, ratios, rates = 64, [], []
    old = new = None
    for number in range(options.rounds):
        if number % TOGETHER == 0 or old is None or new is None:
            old, new = Lasting(options.old), Lasting(options.new)
            for checkout in (old, new):  # code is compiled or loaded, memories fill
                checkout.seconds(name, games, 0)
            while old.seconds(name, games, 0) < TURN:
                games *= 2
        turns = [old, new] if number % 2 else [new, old]
        spent = {checkout: checkout.seconds(name, games, number) for checkout in turns}
        ratios.append(spent[old] / spent[new])
        rates.append((games / spent[old], games / spent[new]))
        if number % TOGETHER == TOGETHER - 1:
            old.end(), new.end()
    both = [median(each) for each in zip(*rates, strict=True)]
    print(
        f"{Path(name).name:44} {both[0]:13,.0f} {both[1]:13,.0f}  {median(ratios):9.3f}"
        f"   {min(ratios):.3f} to {max(ratios):.3f}",
        flush=True,
    )
    return median(ratios)


def random_games(options: argparse.Namespace) -> None:
    """Compare random games as users play them."""
    sheets = options.new.absolute() / "src" / "trellis" / "gdl" / "sheets"
    print(HEAD)
    names = options.games or [*GAMES, *(str(sheets / f"{name}.kif") for name in SHEETS)]
    worst = min(compare_games(name, options) for name in names)
    print(f"lowest median ratio: {worst:.3f}")


def main() -> None:
    """Measure by turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout of the old version")
    parser.add_argument("new", type=Path, help="a checkout of the new version")
    parser.add_argument("--games", nargs="*", help="for --only games: names, or rulesheets")
    parser.add_argument("--rounds", type=int, default=10, help="how often each is measured")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row and round")
    parser.add_argument("--sims", type=int, default=300_000, help="simulations of each search")
    parser.add_argument("--only", nargs="*", help="kinds: playouts, search, star, sheets, games")
    parser.add_argument("--wall", action="store_true", help="by the clock on the wall")
    options = parser.parse_args()
    if options.only == ["games"]:
        random_games(options)
        return
    rates: Rows = defaultdict(lambda: {"old": [], "new": []})
    with suppress(KeyboardInterrupt):
        for number in range(options.rounds + 1):
            one_round(options, number, rates)
            print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
    show(rates)


def one_round(options: argparse.Namespace, number: int, rates: Rows) -> None:
    """Measure both versions once; round 0 compiles, and is not counted."""
    kinds = commands(options.new.absolute(), options.seconds, options.sims)
    turns = [("old", options.old), ("new", options.new)]
    for kind in options.only or kinds:
        for which, (command, read) in enumerate(kinds[kind]):
            for version, checkout in turns if number % 2 else reversed(turns):
                for row, rate in read(measure(checkout.absolute(), command, options.wall)):
                    if number:
                        cuts = " cuts" if "cuts" in command and which else ""
                        rates[row + cuts][version].append(rate)


def show(rates: Rows) -> None:
    """Print the table."""
    print(HEAD)
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
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main()
