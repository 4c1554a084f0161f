"""Seki and semeai: the experiments of the chapter on score bounded Monte-Carlo tree search.

Semeai: how often black wins a race of liberties where both sides fill any liberty at random.
Seki: what strings with two shared liberties are worth, and how many playouts a search takes to
prove it: with bounds that are only recorded, with cuts, and with selection biased by bounds.

The search is a tree without transpositions, every descent counts as a playout, and a run ends with
its last one.  The paper says neither its exploration constant nor how RAVE was set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import mean
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.games.go.problem import GoProblem
from trellis.lab.random_play import random_play_value
from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.mcts.settings import Settings
from trellis.search.solve.proof import solve
from trellis.sgf.problem_file import problem_of_diagram

LIBERTIES = range(1, 10)  # of either side in a semeai
SEKI_LIBERTIES = range(1, 7)
RUNS, LIMIT = 30, 1_000_000
ELSEWHERE = 0.8
C, RAVE = 0.05, 300.0
_GIVE_UP = 3  # runs without an end after which a cell is left at that
_MEMORY = 1024.0

# Tables 4.1 and 4.2, which are the same: rows own liberties, columns the opponent's.
PUBLISHED_SEMEAI = """
1.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00
1.00 0.50 0.30 0.20 0.14 0.11 0.08 0.07 0.05
1.00 0.70 0.50 0.37 0.29 0.23 0.18 0.15 0.13
1.00 0.80 0.63 0.50 0.40 0.33 0.28 0.24 0.20
1.00 0.86 0.71 0.60 0.50 0.42 0.36 0.31 0.27
1.00 0.89 0.77 0.67 0.58 0.50 0.44 0.38 0.34
1.00 0.92 0.82 0.72 0.64 0.56 0.50 0.45 0.40
1.00 0.93 0.85 0.76 0.69 0.62 0.55 0.50 0.45
1.00 0.95 0.87 0.80 0.73 0.66 0.60 0.55 0.50
"""
# Table 4.3: rows liberties of Min, columns those of Max.
PUBLISHED_SEKI = """
draw first first first first first
draw draw first first first first
second draw draw first first first
second second draw draw first first
second second second draw draw first
second second second second draw draw
"""
# Tables 4.4, 4.5 and 4.6.
PUBLISHED_PLAYOUTS = {
    "plain": """
359 479 1535 2059 10566 25670
1389 11047 12627 68718 98155 289324
7219 60755 541065 283782 516514 791945
41385 422975 >1000000 >1000000 >989407 >999395
275670 >1000000 >1000000 >1000000 >1000000 >1000000
>1000000 >1000000 >1000000 >1000000 >1000000 >1000000
""",
    "cuts": """
192 421 864 2000 4605 14521
786 3665 3427 17902 40364 116749
4232 22021 107353 94844 263485 588912
21581 177693 >964871 >1000000 878072 >1000000
125793 >1000000 >1000000 >1000000 >1000000 >1000000
825760 >1000000 >1000000 >1000000 >1000000 >1000000
""",
    "biased": """
137 259 391 1135 2808 7164
501 1098 1525 3284 13034 29182
1026 5118 9208 19523 31584 141440
2269 10094 58397 102314 224109 412043
6907 27947 127588 737774 >999587 >1000000
16461 85542 372366 >1000000 >1000000 >1000000
""",
}
MODES: Mapping[str, Mapping[str, Any]] = {
    "plain": {"bounds": "plain"},
    "cuts": {"bounds": "cuts"},
    "biased": {"bounds": "guided", "gamma": 0.0, "delta": 10_000.0},
}


def cell(table: str, row: int, column: int) -> str:
    """Return what a table prints, by liberties."""
    return table.split("\n")[row].split()[column - 1]


def semeai_wins(own: int, opponent: int, elsewhere: float = 0.0) -> Fraction:
    """Return how often black, who begins, wins a semeai at random: exactly."""
    game = load("semeai", own=own, opponent=opponent, elsewhere=elsewhere)
    return (1 + random_play_value(game.start())) / 2


def seki_outcome(most: int, least: int) -> str | None:
    """Return who wins a seki of so many liberties of Max and of Min, proven; None where not."""
    return solve(load("seki", max=most, min=least)).outcome


def seki_on_board(most: int, least: int) -> str | None:
    """Return who wins the same seki on a board of Go, proven by its rules; None where not."""
    return solve(GoProblem(problem_of_diagram(seki_diagram(most, least)))).outcome


@dataclass
class Playouts:
    """How many playouts it took to solve one seki, run by run."""

    mode: str
    max_liberties: int
    min_liberties: int
    limit: int
    runs: list[int] = field(default_factory=list)
    unsolved: int = 0

    @property
    def text(self) -> str:
        """Return the mean, as the paper writes it: > where a run came to its limit."""
        return f"{'>' if self.unsolved else ''}{mean(self.runs):.0f}" if self.runs else ""

    @property
    def published(self) -> str:
        """Return what the paper prints."""
        return cell(PUBLISHED_PLAYOUTS[self.mode], self.min_liberties, self.max_liberties)


def playouts_to_solve(
    mode: str,
    most: int,
    least: int,
    *,
    runs: int = RUNS,
    limit: int = LIMIT,
    c: float = C,
    rave: float = 0.0,
    seed: int = 0,
) -> Playouts:
    """Solve one seki again and again; a cell whose first runs all come to their limit ends there.

    Where somebody asks to stop, only runs count that came to their own end.
    """
    game = load("seki", max=most, min=least)
    settings = Settings(select="uct0", c=c, rave=rave, memory=_MEMORY, **MODES[mode])
    found = Playouts(mode, most, least, limit)
    for run in range(runs):
        report = Search(game, settings, seed=seed + run).run(sims=limit)
        if stop_asked():
            break
        found.unsolved += not report.solved
        found.runs.append(report.sims if report.solved else limit)
        if found.unsolved == run + 1 == _GIVE_UP:
            break
    return found


def all_playouts(
    modes: tuple[str, ...] = tuple(MODES),
    *,
    largest: int = SEKI_LIBERTIES[-1],
    progress: Progress | None = None,
    **how: Any,
) -> list[Playouts]:
    """Solve all seki up to so many liberties in each mode."""
    cells = [
        (mode, most, least)
        for mode in modes
        for least in range(1, largest + 1)
        for most in range(1, largest + 1)
    ]
    found: list[Playouts] = []
    for done, (mode, most, least) in enumerate(cells):
        if stop_asked():
            break
        if progress is not None:
            progress(done / len(cells), f"{mode}, {most} against {least} liberties")
        found.append(playouts_to_solve(mode, most, least, **how))
    return found


def seki_diagram(most: int, least: int, shared: int = 2) -> str:
    """Return a seki, or without shared liberties a semeai, as a diagram of a board of Go.

    From the top: room of the white wall, that wall, black's liberties, black's stones, shared
    liberties, white's stones, their liberties, the black wall and its room.  A stone on a liberty
    is connected to the own string or wall, so that nothing but the two strings can be taken.
    """
    width = max(most, least, shared)
    rows = [
        "." * width, "O" * width, "C" * most + "B" * (width - most), "B" * width,
        "C" * shared + "B" * (width - shared), "W" * width, "C" * least + "W" * (width - least),
        "X" * width, "." * width,
    ]  # fmt: skip
    if not shared:
        del rows[4]
    return "\n".join(["black to play", *rows])
