"""Tables of matches: a cell is a player against an opponent, and what a paper prints of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, nearest, shorten

if TYPE_CHECKING:
    from trellis.players.match import GameLog, MatchResult


@dataclass(frozen=True)
class Cell:
    """One cell of a table: who plays whom at what, and what the paper prints of the first."""

    name: str
    game: str
    a: str
    b: str
    published: float | None = None  # percent of games that `a` wins; None where only text says it
    said: str = ""  # what the paper says in words


def choose_cells(cells: Sequence[Cell], patterns: str) -> list[Cell]:
    """Return the cells whose names fit some of the patterns, such as `?,0,0,c=0.4`, in order."""
    names = [cell.name for cell in cells]
    chosen: list[Cell] = []
    for pattern in patterns.split():
        found = [cell for cell in cells if fnmatchcase(cell.name, pattern)]
        if not found:
            raise BadParameter(
                f"no cell is called {shorten(pattern)}: expected names such as {names[0]} and "
                f"{names[-1]}, with * and ? for any{nearest(pattern, names)}"
            )
        chosen += [cell for cell in found if cell not in chosen]
    if not chosen:
        raise BadParameter("no cells: expected their names, with * and ? for any")
    return chosen


def play_cells(
    cells: Sequence[Cell],
    *,
    games: int,
    seed: int = 0,
    opening: int = 0,
    workers: int = 1,
    log: "GameLog | None" = None,
    progress: Progress | None = None,
) -> "list[tuple[Cell, MatchResult]]":
    """Play the match of each cell, one after the other.

    Game number n of each has seeds of its own that come from `seed` and n alone.  Where somebody
    asks to stop, cells come back as far as they were played.
    """
    from trellis.players.match import run_match  # names of cells are refused without its weight

    found: list[tuple[Cell, MatchResult]] = []
    for done, cell in enumerate(cells):
        if stop_asked():
            break

        def show(share: float, note: str, done: int = done, name: str = cell.name) -> None:
            if progress is not None:
                progress((done + share) / len(cells), f"{name}: {note}")

        try:
            result = run_match(
                cell.game, cell.a, cell.b, games=games, seed=seed, opening=opening,
                workers=workers, progress=show, log=log,
            )  # fmt: skip
        except KeyboardInterrupt:  # not even one game
            break
        found.append((cell, result))
    return found
