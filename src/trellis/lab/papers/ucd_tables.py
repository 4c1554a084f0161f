"""Tables 3 to 12 of the paper on UCD: depths (d1, d2, d3) on ten games, against a plain tree.

A cell is UCD with depths from 0 to 2 against UCT without a transposition table, 200 games at 10
seconds a move, with rules from rulesheets.  Each table is there four times: with our own rules at
a fixed number of playouts, which gives the same result on every machine (`ucd-table-5`), or at a
fixed time (`ucd-table-5-time`), and with the rules of a sheet (`ucd-table-5-sheet` and
`ucd-table-5-sheet-time`, which is closest to the paper).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from trellis.game.spec import Value
from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of
from trellis.lab.sheets import FOLDER, digest_of_sheet

SOURCE = (
    "Saffidine, Cazenave and Méhat, UCD: Upper Confidence bound for rooted Directed acyclic graphs"
)
GAMES = 200  # of a cell, as published
PLAYOUTS = 1_000
SECONDS = 10
C = 0.4  # 40 for payoffs up to 100
USUAL = "1,0,1"  # what the paper calls the usual combination
_MEMORY = 512  # MiB of each search that has seconds: no machine of today fills them in ten


BY_D1 = Plot("lines", x="d1")


def note_on_axis(infinite: float) -> str:
    """Say where on the axis of `BY_D1` infinity stands."""
    return f"on the axis d1 = {infinite:g} stands for infinity"


def update_all_cells(
    orders: Sequence[str],
    settings: Callable[[str], Mapping[str, Value]],
    published: Published,
    table: str = "",
) -> list[Cell]:
    """Return the cells of update-all, which the paper does not describe: depths and last moves."""
    return [
        Cell(
            f"update-all,{depths},{final}",
            settings(f"ucd:{depths},own_playouts=edge,backup=all,final_move={final}"),
            published,
            row=f"update-all, {depths}",
            column=final,
            table=table,
        )
        for depths in orders
        for final in ("robust", "max")
    ]


@dataclass(frozen=True)
class Table:
    """One table: its game here, and what there is to say of it."""

    number: int
    title: str
    file: str  # with what was printed
    game: str
    sheet: str
    best: str  # the depths that the paper calls best
    deviations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


_OWN_RULES = "our own rules, compiled, instead of a rulesheet"
_READ_ANEW = "as printed after repair of what the scan of the paper garbles: "
TABLES = (
    Table(
        3, "Breakthrough", "ucd_table03_breakthrough.tsv", "breakthrough", "breakthrough.kif",
        "2,1,1",
        notes=(f"{_READ_ANEW}(1,1,2) 51.8, (2,2,2) 53.5; the latter is uncertain",),
    ),
    Table(
        4, "Capture the King", "ucd_table04_capture_the_king.tsv", "capture_the_king",
        "capture_the_king.kif", "1,0,0",
    ),
    Table(
        5, "Connect 4", "ucd_table05_connect4.tsv", "connect_four", "connect_four.kif", "2,1,2",
        notes=(
            "one of the two tables whose best cells chance alone does not explain",
            ("at 1,000 playouts and 200 games a cell (1,0,1) came out, 62 %, and six others did "
            "not: (2,1,2) is at 53 % here, 70.9 printed"),
        ),
        claims=(
            Claim("many depths score above 60 %", "best_above", {"than": 60}),
            Claim("the usual depths beat a plain tree", "above", {"cells": USUAL, "than": 50}),
        ),
    ),
    Table(
        6, "CrissCross", "ucd_table06_crisscross.tsv", "crisscross", "crisscross.kif", "0,2,0",
        deviations=(
            ("a game counts 1, 1/2 or 0 by who gets more; the paper may have averaged payoffs, "
            "which in this game do not add up to 100 (ucd-table-6-points)"),
        ),
        notes=("one of the two tables whose best cells chance alone does not explain",),
    ),
    Table(
        7, "Knightthrough", "ucd_table07_knightthrough.tsv", "knightthrough", "knightthrough.kif",
        "2,1,1", notes=(f"{_READ_ANEW}(1,1,2) 53.1, (1,2,2) 54.8",),
    ),
    Table(
        8, "Merrills", "ucd_table08_merrills.tsv", "nine_mens_morris", "merrills.kif", "1,2,2",
        deviations=(
            ("nine men's morris as OpenSpiel has it, drawn after 200 turns: the sheet that the "
            "paper played was not at hand"),
        ),
    ),
    Table(
        9, "Othello", "ucd_table09_othello_comp2007.tsv", "othello", "othello.kif", "1,1,1",
        deviations=(
            "the usual rules: whether the sheet `othello-comp2007` differs from them is not known",
        ),
    ),
    Table(
        10, "Pawn Whopping", "ucd_table10_pawn_whopping.tsv", "pawn_whopping", "pawn_whopping.kif",
        "1,1,1",
        deviations=(
            ("both players have the double step; there is an older sheet in which a slip gives it "
            "to the first alone, and the paper does not say which it played"),
        ),
        notes=(f"{_READ_ANEW}(0,2,0) 53.8",),
    ),
    Table(
        11, "Pentago", "ucd_table11_pentago_2008.tsv", "pentago", "pentago.kif", "0,2,1",
        deviations=(
            "our rules of Pentago: whether the sheet `pentago_2008` differs is not known",
        ),
    ),
    Table(
        12, "Quarto", "ucd_table12_quarto.tsv", "quarto", "quarto.kif", "0,0,0",
        notes=(f"{_READ_ANEW}(0,1,0) 53.7",),
    ),
)  # fmt: skip


def experiments() -> list[Experiment]:
    """Return an experiment for each table and each way of playing it."""
    ways = (_at_playouts, _at_time, _on_sheet, _on_sheet_at_time)
    found = [way(table) for way in ways for table in TABLES]
    crosses = next(table for table in TABLES if table.game == "crisscross")
    found.insert(len(TABLES), _by_points(crosses))
    return found


def _at_playouts(table: Table) -> Experiment:
    return _experiment(
        table,
        "",
        f"UCD on {table.title}: 27 depths against a plain tree",
        {"game": table.game, "sims": PLAYOUTS},
        (
            (
                f"{PLAYOUTS:,} playouts a move instead of {SECONDS} seconds: the result does not "
                "depend on the machine"
            ),
            _OWN_RULES,
        ),
        scales=three_scales(Scale(2, f"0,0,0 {USUAL}", {"sims": 20}), GAMES, 1_000),
    )


def _by_points(table: Table) -> Experiment:
    """Return a table as it is where payoffs are averaged, in a game in which both may get some."""
    usual = _at_playouts(table)
    cells = [replace(cell, settings={**cell.settings, "score": "payoff"}) for cell in usual.cells]
    tree = cells[0].settings["b"]
    even = replace(
        cells[0], name="even", settings={**cells[0].settings, "a": tree}, published=None,
        row="a plain tree", column="itself",
    )  # fmt: skip
    return replace(
        usual,
        name=f"{usual.name}-points",
        title=f"UCD on {table.title}, payoffs averaged: 27 depths against a plain tree",
        cells=(*cells, even),
        claims=(
            Claim("every cell comes out as printed", "as_published"),
            *(
                Claim(
                    f"({depths}) gets more than a plain tree gets against itself",
                    "more",
                    {"more": depths, "less": "even"},
                )
                for depths in (table.best, USUAL)
            ),
        ),
        deviations=(
            *usual.deviations[:2],
            ("a game counts the payoff of the player, 0 to 100, as one may read `average score`"),
            *usual.deviations[3:],
        ),
        notes=(
            (
                "the mean of the 27 printed cells is 55.0; where payoffs are averaged a match of "
                "equals does not give 50, since the loser is paid as well: `even`, a plain tree "
                "against itself, is what cells are to be compared with"
            ),
        ),
    )


def _at_time(table: Table) -> Experiment:
    return _experiment(
        table,
        "-time",
        f"UCD on {table.title}: 27 depths against a plain tree, at equal time",
        {"game": table.game, "time": SECONDS},
        (
            _OWN_RULES,
            "how many playouts a second was there is not told, and here it depends on the machine",
            f"searches have {_MEMORY} MiB each, so that memory ends none of them",
            "scale full has 0.1 seconds a move, so that 1,000 games of a cell can be played at all",
        ),
        scales={
            "smoke": Scale(2, f"0,0,0 {USUAL}", {"time": 0.002}),
            "paper": Scale(GAMES),
            "full": Scale(1_000, settings={"time": 0.1}),
        },
        more=f",memory={_MEMORY}",
        batch=2,
    )


def _on_sheet(table: Table) -> Experiment:
    return _by_sheet(_at_playouts(table), table)


def _on_sheet_at_time(table: Table) -> Experiment:
    return _by_sheet(_at_time(table), table)


def _by_sheet(usual: Experiment, table: Table) -> Experiment:
    """Return an experiment with the rules of a sheet in place of ours."""
    sheet = {"game": table.sheet, "sheet": digest_of_sheet(table.sheet)}
    smoke = usual.scales["smoke"].settings
    few = {name: min(value, 5) for name, value in smoke.items() if isinstance(value, int | float)}
    kind = usual.name.removeprefix(f"ucd-table-{table.number}")
    return replace(
        usual,
        name=f"ucd-table-{table.number}-sheet{kind}",
        title=usual.title.replace(table.title, f"{table.title}, by a rulesheet", 1),
        cells=tuple(replace(cell, settings={**cell.settings, **sheet}) for cell in usual.cells),
        scales={**usual.scales, "smoke": Scale(2, USUAL, few)},
        deviations=(
            *(each for each in usual.deviations if each != _OWN_RULES),
            (
                f"{table.sheet} is a rulesheet of ours, not the one of the paper's server; one of "
                f"that name in the folder that {FOLDER} names is taken in its place"
            ),
        ),
    )


def _experiment(
    table: Table,
    kind: str,
    title: str,
    settings: Mapping[str, int | float | str],
    deviations: tuple[str, ...],
    *,
    scales: Mapping[str, Scale],
    more: str = "",
    batch: int = 10,
) -> Experiment:
    printed = {row[:3]: float(row[3]) for row in rows_of(table.file)}
    tree = f"uct:c={C},bounds=off{more}"
    fixed = {**settings, "b": tree}
    cells = [
        Cell(
            ",".join(depths),
            {**fixed, "a": f"ucd:{','.join(depths)},c={C},bounds=off{more}"},
            Published(printed[depths], samples=GAMES),
            row=f"d1={depths[0]}, d2={depths[1]}",
            column=f"d3={depths[2]}",
        )
        for depths in product("012", repeat=3)
    ]
    claims = [
        Claim("every cell comes out as printed", "as_published"),
        Claim("some depths are better than a plain tree", "best_above", {"than": 50}),
        Claim(
            f"the best depths, ({table.best}), are better than the usual ones, ({USUAL})",
            "more",
            {"more": table.best, "less": USUAL},
        ),
        *table.claims,
    ]
    return Experiment(
        name=f"ucd-table-{table.number}{kind}",
        title=title,
        source=f"{SOURCE}, table {table.number}",
        measure="match",
        cells=tuple(cells),
        scales=scales,
        claims=tuple(claims),
        deviations=(
            *deviations,
            *table.deviations,
            (
                "a node's own playouts (n' and µ' of the paper) are kept at the node, where edges "
                "that come later find them; the paper keeps them at the edge"
            ),
            "payoffs are scaled to 0..1, so its constant of 40 is 0.4 here",
        ),
        notes=(
            "with 200 games a cell the best of 27 cells without any effect averages 57 %",
            *table.notes,
        ),
        plot=Plot("heat"),
        seed=table.number,
        batch=batch,
    )
