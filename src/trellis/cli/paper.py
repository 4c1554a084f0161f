"""`trellis paper`: tables of published papers, measured here, beside what was printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trellis.cli.options import Argument, Option, refuse
from trellis.cli.output import print_table, write_lines
from trellis.cli.paper_matches import TABLES as MATCHES
from trellis.cli.paper_matches import print_matches
from trellis.cli.task import SeededTask
from trellis.cli.waiting import await_compiling
from trellis.game.errors import BadParameter, nearest, shorten

if TYPE_CHECKING:
    from trellis.lab.papers.score_bounds import Playouts

_TABLES = ("semeai", "seki", "seki-board", "seki-playouts", *MATCHES)
_PLAYOUTS = "Options for seki-playouts"
_MATCHES = "Options for ucd-go and go-groups"


def paper(
    task: SeededTask,
    table: Annotated[
        str,
        Argument(
            "semeai (tables 4.1 and 4.2 of the thesis on score bounds: wins of random play), "
            "seki (4.3: results), seki-board (the same by the rules of go), seki-playouts (4.4 to "
            "4.6: playouts to solve), ucd-go (tables 1 and 2 of the paper on UCD: go 6x6), "
            "go-groups (figures 6 and 7 of the paper on move groups: go against GNU Go).",
            metavar="TABLE",
        ),
    ],
    runs: Annotated[int | None, Option("Runs of a cell.", "30", _PLAYOUTS, above=0)] = None,
    limit: Annotated[
        int | None,
        Option(
            "Playouts of a run; a cell ends where its first three runs reach them.",
            "1,000,000",
            _PLAYOUTS,
            above=0,
        ),
    ] = None,
    largest: Annotated[
        int | None, Option("Most liberties of a side.", "6", _PLAYOUTS, above=0)
    ] = None,
    c: Annotated[
        float | None,
        Option("Exploration constant.", "0.05; go-groups: 0.4", _PLAYOUTS, low=0),
    ] = None,
    rave: Annotated[
        float | None,
        Option("RAVE with this equivalence parameter; 0 is off.", "300", _PLAYOUTS, low=0),
    ] = None,
    cells: Annotated[
        str | None,
        Option(
            "Cells by name, such as '?,0,0,c=0.4 mean=*' or '9x9,* 13x13,uct0'; '*' is all.",
            "those that show what the paper found; 9x9",
            _MATCHES,
        ),
    ] = None,
    games: Annotated[int | None, Option("Games of a cell.", "200", _MATCHES, above=0)] = None,
    playouts: Annotated[
        int | None, Option("Playouts of a move.", "10,000", _MATCHES, above=0)
    ] = None,
    opening: Annotated[
        int | None,
        Option("Random moves first; both games of a pair have the same.", "0", _MATCHES, low=0),
    ] = None,
    opponent: Annotated[
        str | None,
        Option("Another opponent than the paper's.", "the paper's", _MATCHES, metavar="PLAYER"),
    ] = None,
    workers: Annotated[
        int | None, Option("Number of worker processes.", "1", _MATCHES, above=0)
    ] = None,
    record: Annotated[
        Path | None,
        Option(
            "Add every game to this file, a line of JSON each, and do not play again those that "
            "are in it.",
            panel=_MATCHES,
        ),
    ] = None,
) -> None:
    """Print a table of a paper as it comes out here, beside what the paper prints.

    A cell of ucd-go is named by d1,d2,d3 and the constant, 2,0,0,c=0.4, or by the depth of means
    and the constant of RAVE, mean=1,rave=0.0002; a bar of go-groups by the board and uct0, uct2 or
    groups.  Ctrl-C ends a run with what is known; with --record the same command goes on with it.
    """
    if table not in _TABLES:
        hint = nearest(table, _TABLES)
        raise BadParameter(f"unknown table {shorten(table)}: expected {', '.join(_TABLES)}{hint}")
    given = {"runs": runs, "limit": limit, "largest": largest, "rave": rave}
    matches: dict[str, Any] = {
        "cells": cells, "games": games, "playouts": playouts, "opening": opening,
        "opponent": opponent, "workers": workers, "record": record,
    }  # fmt: skip
    if table != "seki-playouts":
        refuse("is for seki-playouts", **given)
    if table in MATCHES:
        matches["c"] = c
        print_matches(
            task, table, {name: each for name, each in matches.items() if each is not None}
        )
        return
    refuse("is for ucd-go and go-groups", **matches)
    if table != "seki-playouts":
        refuse("is for seki-playouts and go-groups", c=c)
    given["c"] = c
    await_compiling(f"paper {table}")
    if table == "seki-playouts":
        _playouts(task, {name: value for name, value in given.items() if value is not None})
    else:
        _exact(task, table)


def _exact(task: SeededTask, table: str) -> None:
    """Print tables that come out to the last digit."""
    from trellis.lab.papers import score_bounds as paper

    rows: list[list[tuple[str, str]]] = []
    liberties = paper.LIBERTIES if table == "semeai" else paper.SEKI_LIBERTIES
    with task.working(f"paper {table}", whole=True) as show:
        for row in liberties:
            show((row - 1) / len(liberties), f"row {row}")
            rows.append([_exact_cell(table, row, column) for column in liberties])
    same = sum(ours == printed for line in rows for ours, printed in line)
    cells = sum(map(len, rows))

    def print_rows() -> None:
        head = "own, opponent's liberties" if table == "semeai" else "Min's, Max's liberties"
        shown = [
            (str(number), *(o if o == p else f"{o} (paper {p})" for o, p in line))
            for number, line in enumerate(rows, start=1)
        ]
        print_table((head, *map(str, liberties)), shown)
        write_lines([f"{same} of {cells} cells as printed"])

    ours = [[ours for ours, _ in line] for line in rows]
    task.answer({"table": table, "ours": ours, "cells": cells, "as_printed": same}, print_rows)


def _exact_cell(table: str, row: int, column: int) -> tuple[str, str]:
    """Return what comes out here, and what is printed."""
    from trellis.lab.papers import score_bounds as paper

    if table != "semeai":
        solve = paper.seki_outcome if table == "seki" else paper.seki_on_board
        ours = solve(column, row) or "open"
        return ours, paper.cell(paper.PUBLISHED_SEKI, row, column)
    always, seldom = (paper.semeai_wins(row, column, e) for e in (0.0, paper.ELSEWHERE))
    # Halves of a hundredth are exact here, and rounded up.
    both = [f"{int((share * 200 + 1) / 2) / 100:.2f}" for share in (always, seldom)]
    ours = both[0] if always == seldom else "/".join(both)
    return ours, paper.cell(paper.PUBLISHED_SEMEAI, row, column)


def _playouts(task: SeededTask, given: dict[str, Any]) -> None:
    from trellis.lab.papers import score_bounds as paper

    chosen = {"largest": 6, "rave": paper.RAVE, **given}
    if chosen["largest"] > paper.SEKI_LIBERTIES[-1]:
        raise BadParameter(f"bad value {chosen['largest']} for --largest: expected 1 to 6")
    with task.working("paper seki-playouts") as show:
        found = paper.all_playouts(seed=task.seed, progress=show, **chosen)

    def print_modes() -> None:
        for mode in paper.MODES:
            cells = [each for each in found if each.mode == mode and each.runs]
            if cells:
                _print_mode(mode, cells, chosen["largest"])

    cells = [_facts(each) for each in found]
    task.answer({"table": "seki-playouts", **chosen, "cells": cells}, print_modes)


def _facts(each: "Playouts") -> dict[str, Any]:
    return {
        "mode": each.mode, "max": each.max_liberties, "min": each.min_liberties,
        "playouts": each.runs, "unsolved": each.unsolved, "mean": each.text,
        "published": each.published,
    }  # fmt: skip


def _print_mode(mode: str, cells: "list[Playouts]", largest: int) -> None:
    known = {(each.min_liberties, each.max_liberties): each for each in cells}
    titles = [f"{mode}: Min's, Max's liberties"]
    for column in range(1, largest + 1):
        titles += [str(column), "paper"]
    rows: list[list[str]] = []
    for row in range(1, largest + 1):
        words = [str(row)]
        for column in range(1, largest + 1):
            each = known.get((row, column))
            words += (
                ["", ""] if each is None else [_thousands(each.text), _thousands(each.published)]
            )
        rows.append(words)
    print_table(titles, rows)


def _thousands(text: str) -> str:
    more = ">" if text.startswith(">") else ""
    return f"{more}{int(text.removeprefix('>')):,}"
