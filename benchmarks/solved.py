"""Solved positions: each row is solved anew, and compared with the value that is known.

    python benchmarks/solved.py                     # the rows of some seconds
    python benchmarks/solved.py connect_four-6x6    # some rows by name
    python benchmarks/solved.py --all               # also those of minutes and gigabytes
    python benchmarks/solved.py --list

Seconds are processor time, without compiling; the exit code is 1 where a value is not the known
one or a row was not solved in the time it may take.
"""

import argparse
import sys
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

from trellis.loading import load
from trellis.search.solve.mixed import solve_with_dice
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.settings import QuestionSettings


@dataclass(frozen=True)
class Row:
    """A position, how to solve it, and what it is worth to the first player."""

    name: str
    game: str
    value: float
    source: str
    method: str = "alphabeta"
    settings: dict[str, Any] = field(default_factory=dict)
    question: float | None = None
    moves: tuple[str, ...] = ()
    is_long: bool = False
    openings: bool = False  # every first move is solved; the value is how many of them win


_NO_HINTS = {"hints": False}
_TROMP = "Tromp, John's Connect Four Playground: the table of board sizes"
_NASH = "Nash: the first player wins"
_WITHOUT = "the same positions without hints"
_IRVING = "Irving, Donkers and Uiterwijk, Solving Kalah, 2000"
_NEW = "found by this program: a change would be an error"
_SAME = "the same position with hints"
_BOUNDS = "score-bounded search of this program"

ROWS = [
    Row("connect_four-4x4", "connect_four:rows=4,columns=4", 0, _TROMP),
    Row("connect_four-5x5", "connect_four:rows=5,columns=5", 0, _TROMP),
    Row("connect_four-6x5", "connect_four:rows=5,columns=6", 0, _TROMP),
    Row("connect_four-6x6", "connect_four:rows=6,columns=6", -1, _TROMP),
    Row("connect_four-5x5-plain", "connect_four:rows=5,columns=5", 0, _SAME, settings=_NO_HINTS),
    Row("connect_four-6x5-plain", "connect_four:rows=5,columns=6", 0, _SAME, settings=_NO_HINTS),
    Row(
        "connect_four-6x6-plain", "connect_four:rows=6,columns=6", -1, _SAME, settings=_NO_HINTS,
        is_long=True,
    ),
    Row("connect_four-7x5", "connect_four:rows=5,columns=7", 0, _TROMP, is_long=True),
    Row(
        "connect_four-7x6", "connect_four", 1, "Allis 1988; Allen 1988",
        settings={"memory": 8192.0}, question=1.0, is_long=True,
    ),
    Row("breakthrough-5x5", "breakthrough:rows=5,columns=5", 1, _BOUNDS),
    Row("hex-4", "hex:board_size=4", 1, _NASH),
    Row("hex-5", "hex:board_size=5", 1, _NASH),
    Row("hex-6", "hex:board_size=6", 1, _NASH),
    Row("hex-4-openings", "hex:board_size=4", 4, _WITHOUT, openings=True),
    Row("hex-5-openings", "hex:board_size=5", 13, _NEW, openings=True),
    Row("hex-6-openings", "hex:board_size=6", 24, _NEW, openings=True),
    Row("othello-4", "othello:board_size=4", -1, _BOUNDS),
    Row("kalah-4-4", "kalah:houses=4,seeds=4", 1, _BOUNDS, "dfpn"),
    Row("kalah-4-3", "kalah:houses=4,seeds=3", 1, _IRVING),
    Row("kalah-4-3-lead", "kalah:houses=4,seeds=3,score=true", 6, _NEW),
    Row("kalah-4-4-lead", "kalah:houses=4,seeds=4,score=true", 2, _NEW),
    Row("kalah-5-3-lead", "kalah:houses=5,seeds=3,score=true", 6, _NEW),
    Row("kalah-6-2-lead", "kalah:houses=6,seeds=2,score=true", 6, _NEW),
    Row("kalah-6-3-lead", "kalah:houses=6,seeds=3,score=true", 2, _NEW),
    Row("kalah-5-4-lead", "kalah:houses=5,seeds=4,score=true", 10, _NEW),
    Row(
        "kalah-6-4-lead", "kalah:score=true", 10, _IRVING, settings={"memory": 4096.0},
        question=10.0, is_long=True,
    ),
    Row("othello-4-lead", "othello:board_size=4,score=true", -8, _BOUNDS),
    Row("goofspiel-4", "goofspiel:num_cards=4", 0, "symmetry: nobody can be ahead", "mixed"),
]  # fmt: skip


def solve(row: Row, seconds: float) -> tuple[float | None, str, int, float]:
    """Return the value, who has proven it, how many positions there were, and the seconds."""
    start = load(row.game).start()
    if row.openings:
        each = [solve(replace(row, openings=False, moves=(m,)), seconds) for m in start.moves()]
        open_ = any(value is None for value, *_ in each)
        wins = None if open_ else float(sum(value == 1 for value, *_ in each))
        nodes, spent = (sum(found[i] for found in each) for i in (2, 3))
        return wins, f"{each[0][1]}, each opening", nodes, spent
    position = start.play(*row.moves)
    began = process_time()
    if row.method == "mixed":
        found = solve_with_dice(position)
        return float(found.value), "mixed", found.positions, process_time() - began
    search = Portfolio(position, row.method, QuestionSettings(**row.settings))
    if row.question is not None:
        search.ask_first(row.question)
    report = search.run(seconds)
    spent = process_time() - began
    value = search.low if search.solved else None
    return value, str(report.details["method"]), report.nodes, spent


def main() -> None:
    """Solve rows and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="rows; all quick ones unless told")
    parser.add_argument("--all", action="store_true", help="long rows too")
    parser.add_argument("--list", action="store_true", help="print the names of rows")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for a row, at most")
    options = parser.parse_args()
    known = {row.name: row for row in ROWS}
    if unknown := set(options.names) - set(known):
        parser.error(f"unknown rows {', '.join(sorted(unknown))}: see --list")
    if options.list:
        print("\n".join(known))
        return
    chosen = [known[name] for name in options.names] or [
        row for row in ROWS if options.all or not row.is_long
    ]
    for method in {row.method for row in chosen}:  # compiles what they need
        solve(Row("first", "tic_tac_toe", 0, "", method), 60.0)
    print("| row | value | method | positions | seconds | source of the known value |")
    print("|---|---:|---|---:|---:|---|")
    failed = False
    for row in chosen:
        value, method, nodes, spent = solve(row, options.seconds)
        failed |= value != row.value
        shown = "open" if value is None else f"{value:g}"
        wrong = "" if value == row.value else f" **(known: {row.value:g})**"
        line = (
            f"| {row.name} | {shown}{wrong} | {method} | {nodes:,} | {spent:.2f} | {row.source} |"
        )
        print(line, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
