"""Random games of Go a second: ours, those of plain C and those of OpenSpiel, turn by turn.

    python benchmarks/go_playouts.py [--sizes 6 9 13 19] [--rounds 9] [--seconds 0.5]

The C is `go_playout.c`, compiled here with `cc -O3`: the same rules and the same choice as ours,
any legal move that fills no eye of one's own, each as likely as any other.  That it is the same is
checked first: mean length, mean score and wins of black, ours and the C's, by z-tests; a mean that
is off by more than four standard errors ends the script with code 1.

OpenSpiel's random games are others: they fill eyes, a game in which a board comes again is a draw,
and the rest end after three moves for each point at the latest.  `patterns` are games that answer
the last move, beside uniform ones.  Times are of the processor.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path
from shutil import which
from statistics import median, variance
from tempfile import TemporaryDirectory
from time import thread_time

from trellis._kernel.timing import Lot, Rounds
from trellis.bridges.openspiel import OpenSpiel
from trellis.game.errors import BadParameter
from trellis.game.playouts import PlayoutRunner
from trellis.games.go import Go

SOURCE = Path(__file__).with_name("go_playout.c")
KOMI = 7.5
MOST_OFF = 4.0  # standard errors
_FOR_VARIANCE = 1_000  # games whose lengths are looked at one by one


@dataclass(frozen=True)
class Games:
    """What many random games came to; variances are those of one game."""

    count: int
    seconds: float
    length: float  # means
    score: float
    wins: float
    length_variance: float
    score_variance: float


class PlainC:
    """The C program, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        compiler = which("cc")
        if compiler is None:
            raise BadParameter("there is no C compiler, expected a program cc")
        self._program = folder / "go_playout"
        subprocess.run(  # noqa: S603
            [compiler, "-O3", "-o", str(self._program), str(SOURCE)], check=True
        )

    def play(self, size: int, games: int, seed: int) -> Games:
        """Play random games on an empty board."""
        done = subprocess.run(  # noqa: S603
            [str(self._program), str(size), str(games), str(seed)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        seconds, *sums = (float(word) for word in done.stdout.split())
        length, length_squared, score, score_squared, wins = (each / games for each in sums)
        return Games(
            games, seconds, length, score, wins, length_squared - length**2,
            score_squared - score**2,
        )  # fmt: skip


def board(size: int, **options: object) -> Go:
    """Make a game; random games know only the simple ko, so superko costs nothing here."""
    return Go(board_size=size, komi=KOMI, superko="simple", **options)  # type: ignore[arg-type]


def play_ours(size: int, games: int, seed: int, **options: object) -> Games:
    """Play random games on an empty board."""
    margin, outcome = board(size, score=True, **options), board(size, **options)
    began = thread_time()
    scored = PlayoutRunner(margin, seed).run(margin.start(), games)
    seconds = thread_time() - began
    runner = PlayoutRunner(outcome, seed + 1)
    won = runner.run(outcome.start(), games)
    lengths = [runner.run(outcome.start(), 1).plies for _ in range(_FOR_VARIANCE)]
    return Games(
        games, seconds, scored.plies / games, scored.means[0] + KOMI, (won.means[0] + 1) / 2,
        variance(lengths), scored.errors[0] ** 2 * games,
    )  # fmt: skip


def standard_errors_apart(ours: Games, theirs: Games) -> dict[str, float]:
    """Return by how many standard errors the means differ."""
    rates = (ours.wins * ours.count + theirs.wins * theirs.count) / (ours.count + theirs.count)

    def apart(mine: float, other: float, my_variance: float, other_variance: float) -> float:
        spread = sqrt(my_variance / ours.count + other_variance / theirs.count)
        return (mine - other) / spread if spread else inf if mine != other else 0.0

    won = rates * (1 - rates)
    return {
        "length": apart(ours.length, theirs.length, ours.length_variance, theirs.length_variance),
        "score": apart(ours.score, theirs.score, ours.score_variance, theirs.score_variance),
        "wins": apart(ours.wins, theirs.wins, won, won),
    }


def check_same(program: PlainC, size: int, games: int) -> bool:
    """Print ours beside the C's; tell whether they may be the same."""
    ours, theirs = play_ours(size, games, seed=size), program.play(size, games, seed=size)
    apart = standard_errors_apart(ours, theirs)
    parts = [
        f"{name} {mine:8.4f} {other:8.4f}  z {apart[name]:+.2f}"
        for name, mine, other in (
            ("length", ours.length, theirs.length),
            ("score", ours.score, theirs.score),
            ("wins", ours.wins, theirs.wins),
        )
    ]
    print(f"{size:2}x{size:<2} {'   '.join(parts)}", flush=True)
    return all(abs(z) <= MOST_OFF for z in apart.values())


def sides(
    size: int, program: PlainC | None, openspiel: bool
) -> dict[str, Callable[[int, float], Lot]]:
    """Return what takes turns: each plays so many games and says how long that took."""

    def ours(kind: str) -> Callable[[int, float], Lot]:
        game = board(size, playouts=kind)
        runner = PlayoutRunner(game, seed=1)

        def run(games: int, _: float) -> Lot:
            began = thread_time()
            runner.run(game.start(), games)
            return Lot(games, 0.0, thread_time() - began)

        return run

    found = {"uniform": ours("uniform"), "patterns": ours("patterns")}
    if program is not None:
        found["C"] = lambda games, _: Lot(games, 0.0, program.play(size, games, 1).seconds)
    if openspiel:
        theirs = OpenSpiel(board(size), seed=1)

        def run_theirs(games: int, _: float) -> Lot:
            began = thread_time()
            theirs.playout_seconds(games)
            return Lot(games, 0.0, thread_time() - began)

        found["OpenSpiel"] = run_theirs
    return found


def compare(
    size: int, program: PlainC | None, openspiel: bool, rounds: int, seconds: float
) -> None:
    """Measure all turn by turn and print a line each: uniform games against it, round by round."""
    turns = {name: Rounds(run, seconds) for name, run in sides(size, program, openspiel).items()}
    rates: dict[str, list[float]] = {name: [] for name in turns}
    for number in range(rounds + 1):
        for name, turn in turns.items():
            rate = turn.next().rate
            if number:  # the first round compiles, and finds out how many games fill a round
                rates[name].append(rate)
    for name, found in rates.items():
        ratios = [ours / each for ours, each in zip(rates["uniform"], found, strict=True)]
        beside = (
            ""
            if name == "uniform"
            else f"   uniform is {median(ratios):5.2f} times that, {min(ratios):.2f} to "
            f"{max(ratios):.2f}"
        )
        print(f"{size:2}x{size:<2} {name:9} {median(found):11,.0f} games/s{beside}", flush=True)


def main() -> None:
    """Check that ours and the C are the same, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[6, 9, 13, 19])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each, in each round")
    parser.add_argument("--games", type=int, default=200_000, help="to compare means")
    options = parser.parse_args()
    try:
        OpenSpiel(board(6))
        openspiel = True
    except BadParameter as problem:
        openspiel = False
        print(f"not compared with OpenSpiel: {problem}")
    with TemporaryDirectory() as folder:
        try:
            program = PlainC(Path(folder))
        except BadParameter as problem:
            program = None
            print(f"not compared with C: {problem}")
        same = True
        for size in options.sizes:
            if program is not None:
                same &= check_same(program, size, options.games)
        for size in options.sizes:
            compare(size, program, openspiel, options.rounds, options.seconds)
    if not same:
        sys.exit("the means of ours and of the C differ")


if __name__ == "__main__":
    main()
