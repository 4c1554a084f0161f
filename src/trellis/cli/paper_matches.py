"""Tables of `trellis paper` that are matches: what is played, what came of it, what was printed."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trellis.cli.output import print_table, say, writable, write_lines
from trellis.cli.task import SeededTask
from trellis.cli.waiting import await_compiling, compiled
from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.lab.cells import Cell
    from trellis.players.match import MatchResult

TABLES = ("ucd-go", "go-groups")


@dataclass(frozen=True)
class _Experiment:
    """What there is to know of a table before it is played."""

    cells: "list[Cell]"
    usual: str  # the cells that are played where none are asked for
    games: int
    notes: tuple[str, ...]


def print_matches(task: SeededTask, table: str, given: dict[str, Any]) -> None:
    """Play the cells that are asked for, and print them beside the paper's."""
    from trellis.lab.cells import choose_cells, play_cells
    from trellis.players.texts import read_player

    if "opponent" in given:
        read_player(given["opponent"])
    make: Callable[[dict[str, Any]], _Experiment] = _ucd_go if table == "ucd-go" else _go_groups
    experiment = make(given)
    chosen = choose_cells(experiment.cells, given.get("cells", experiment.usual))
    record: Path | None = given.get("record")
    if record is not None:
        writable(record)
    await_compiling(f"paper {table}")
    from trellis.players.match_file import MatchFile

    log = None if record is None else MatchFile(record)
    found: list[tuple[Cell, MatchResult]] = []
    with task.working(f"paper {table}") as show, suppress(KeyboardInterrupt):
        found = play_cells(
            chosen, games=given.get("games", experiment.games), seed=task.seed,
            opening=given.get("opening", 0), workers=given.get("workers", 1), log=log,
            progress=show,
        )  # fmt: skip
    compiled()
    for _, result in found:
        for note in (*result.notes, *result.forfeits):
            say(note)

    def print_cells() -> None:
        if found:
            _print(found, experiment.notes)

    cells = [_facts(cell, result) for cell, result in found]
    task.answer({"table": table, "seed": task.seed, "cells": cells}, print_cells)


def _ucd_go(given: dict[str, Any]) -> _Experiment:
    from trellis.lab.papers import ucd_go as paper

    if "c" in given:
        raise BadParameter("-c is not for ucd-go: expected it in --cells, as in 0,0,0,c=0.4")
    playouts = given.get("playouts", paper.PLAYOUTS)
    cells = paper.all_cells(playouts, given.get("opponent"))
    return _Experiment(cells, paper.USUAL, paper.GAMES, paper.NOTES)


def _go_groups(given: dict[str, Any]) -> _Experiment:
    from trellis.lab.papers import go_groups as paper

    cells = paper.all_cells(
        given.get("playouts", paper.PLAYOUTS), given.get("c", paper.C), given.get("opponent")
    )
    return _Experiment(cells, paper.USUAL, paper.GAMES, paper.NOTES)


def _facts(cell: "Cell", result: "MatchResult") -> dict[str, Any]:
    return {
        "cell": cell.name, "game": result.game, "a": result.a, "b": result.b,
        "games": result.games, "wins": result.wins_a, "draws": result.draws,
        "losses": result.wins_b, "score": result.score_a, "low": result.low, "high": result.high,
        "published": None if cell.published is None else cell.published / 100,
        "said": cell.said, "plies": result.plies, "stopped": result.stopped,
        "forfeits": list(result.forfeits), "seconds": result.seconds,
    }  # fmt: skip


def _print(found: "list[tuple[Cell, MatchResult]]", notes: tuple[str, ...]) -> None:
    rows = [
        (
            cell.name,
            f"{result.games:,}",
            f"{result.wins_a:,}",
            f"{result.draws:,}",
            f"{result.score_a:.1%}",
            f"{result.low:.1%} to {result.high:.1%}",
            cell.said if cell.published is None else f"{cell.published:.1f}%",
        )
        for cell, result in found
    ]
    titles = ("cell", "games", "wins", "draws", "score", "95 % interval", "paper")
    print_table(titles, rows)
    lines = ["", "players:"]
    lines += [f"  {cell.name}: {cell.a} against {cell.b}" for cell, _ in found]
    games = dict.fromkeys(result.game for _, result in found)
    lines += ["", f"{' and '.join(games)}; a draw counts half; interval: Wilson's", *notes]
    stopped = sum(result.stopped for _, result in found)
    lost = sum(len(result.forfeits) for _, result in found)
    if stopped:
        lines.append(f"{stopped:,} games were stopped before their end and count as draws")
    if lost:
        lines.append(f"{lost:,} games were lost by a player that could not go on")
    seconds = sum(result.seconds for _, result in found)
    write_lines([*lines, f"{seconds:.1f} s"])
