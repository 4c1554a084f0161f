"""Chapter 4 of Saffidine's thesis: playouts until a position is solved, and a match.

Three searches are compared: `plain` records bounds and cuts nothing, `cuts` prunes by them, and
`biased` (for Connect Four `guided`) also selects by them.  All are trees without transpositions in
which every descent counts as a playout, and a run ends with its last one.
"""

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of
from trellis.lab.papers.thesis_games import SOURCE

RUNS, LIMIT = 30, 1_000_000
C, RAVE = 0.05, 300


def experiments() -> list[Experiment]:
    """Return the experiments, in the order of the chapter."""
    return [*(_playouts(table) for table in ("4.4", "4.5", "4.6")), _connect_four(), _match()]


# -- tables 4.4 to 4.6 -----------------------------------------------------------------------

_MODES = {
    "plain": "bounds=plain", "cuts": "bounds=cuts",
    "biased": "bounds=guided,gamma=0,delta=10000",
}  # fmt: skip
_TABLES = {
    "4.4": ("plain", "thesis_table4.4_seki_playouts_plain.tsv"),
    "4.5": ("cuts", "thesis_table4.5_seki_playouts_bounds_pruning.tsv"),
    "4.6": ("biased", "thesis_table4.6_seki_playouts_bounds_pruning_bias.tsv"),
}
_RAVES = {"rave": f",rave={RAVE}", "none": ""}


def printed_mean(text: str) -> Published:
    """Read a mean of thirty runs; with > before it some were given up."""
    return Published(float(text.removeprefix(">")), text, text.startswith(">"), RUNS)


def _seki_cell(mode: str, rave: str, least: int, most: int, published: Published | None) -> Cell:
    name = f"{rave},{least},{most}" if published else f"{mode},{rave},{least},{most}"
    return Cell(
        name,
        {"game": f"seki:max={most},min={least}",
         "search": f"uct:c={C},{_MODES[mode]}{_RAVES[rave]}", "limit": LIMIT},
        published, row=f"Min {least}", column=f"Max {most}",
        table=f"{'with' if rave == 'rave' else 'without'} RAVE" if published else "for comparison",
    )  # fmt: skip


def _playouts(table: str) -> Experiment:
    mode, file = _TABLES[table]
    cells = [
        _seki_cell(mode, rave, int(row[0]), most, printed_mean(printed))
        for rave in _RAVES
        for row in rows_of(file)
        for most, printed in enumerate(row[1:], start=1)
    ]
    claims = [Claim("every cell comes out as printed", "as_published")]
    before = {"cuts": "plain", "biased": "cuts"}.get(mode)
    for rave, words in (("rave", "with RAVE"), ("none", "without RAVE")) if before else ():
        cells.append(_seki_cell(str(before), rave, 3, 3, None))
        # Printed are 541,065, 107,353 and 9,208 playouts for three liberties of either side.
        of, to = f"{rave},3,3", f"{before},{rave},3,3"
        text, most = (
            ("cuts save four playouts of five", 0.25)
            if mode == "cuts"
            else ("the bias saves nine playouts of ten", 0.15)
        )
        claims.append(
            Claim(
                f"{text} at three liberties, {words}", "ratio", {"of": of, "to": to, "most": most}
            )
        )
    return Experiment(
        name=f"thesis-table-{table}",
        title=f"Playouts until a seki is solved: {mode}",
        measure="proof_playouts",
        source=f"{SOURCE}, table {table}",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "*,1,1 *,1,2 *,2,1", {"limit": 5_000}), RUNS, 4 * RUNS),
        claims=tuple(claims),
        deviations=(
            ("the thesis used RAVE, and says nothing of its constant nor of that of exploration: "
            f"here RAVE has an equivalence of {RAVE}, or is off, and c is {C}, with which the "
            "table on Connect Four comes out"),
            "the abstract game instead of a board of Go: a filled liberty, or a pass, is a move",
            "runs that are given up count as the limit in means, as they seem to in the thesis",
        ),
        notes=(
            "ours takes fewer playouts nearly everywhere; why is not known",
        ),
        plot=Plot("heat"),
        seed=440,  # one for all three tables: what they share is measured once
        batch=1,
    )  # fmt: skip


# -- table 4.7 -------------------------------------------------------------------------------

_BOARDS = ("3x3", "3x4", "4x3", "4x4")
_SOLVERS = {
    "plain": "bounds=plain", "cuts": "bounds=cuts", "guided": "bounds=guided,gamma=0,delta=-0.1",
}  # fmt: skip


def _connect_four() -> Experiment:
    rows = rows_of("thesis_table4.7_connect_four.tsv")
    cells = []
    for (solver, bounds), row in zip(_SOLVERS.items(), rows, strict=True):
        for board, printed in zip(_BOARDS, row[1:], strict=True):
            columns, height = board.split("x")
            hopeless = printed.startswith(">")
            memory = ",memory=4096" if hopeless else ""
            cells.append(
                Cell(
                    f"{solver},{board}",
                    {"game": f"connect_four:columns={columns},rows={height}",
                     "search": f"uct:c={C},{bounds}{memory}",
                     "limit": 5_000_000 if hopeless else 10_000_000},
                    printed_mean(printed), row=solver, column=board,
                )
            )  # fmt: skip

    def saving(board: str, of: str, to: str, most: float) -> Claim:
        text = f"{of} takes at most {most:.0%} of the playouts of {to} on {board}"
        return Claim(text, "ratio", {"of": f"{of},{board}", "to": f"{to},{board}", "most": most})

    return Experiment(
        name="thesis-table-4.7",
        title="Playouts until small boards of Connect Four are solved",
        measure="proof_playouts",
        source=f"{SOURCE}, table 4.7",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "*,3x3"), RUNS, 10 * RUNS),
        claims=(
            Claim("every mean is as printed", "as_published"),
            Claim("every mean is within 10 % of what is printed", "as_published",
                  {"tolerance": 0.1}),
            saving("4x3", "cuts", "plain", 0.2),
            saving("4x3", "guided", "cuts", 0.9),
            saving("4x4", "guided", "cuts", 1.0),
        ),
        deviations=(
            ("sizes are columns x rows, with four in a row: the thesis does not say which is "
            "which, but its figures come out this way only"),
            f"c is {C}, at which its figures come out; the thesis does not name it",
            ("plain records bounds of draws as well; with wins and losses only it takes twice as "
            "many playouts or more"),
        ),
        plot=Plot("heat"),
        seed=470,
        batch=1,
    )  # fmt: skip


# -- the match -------------------------------------------------------------------------------


def _match() -> Experiment:
    published = Published(100 * 114.5 / 200, "114.5 of 200", samples=200)
    cells = tuple(
        Cell(
            f"{base},c={c:g}",
            {"game": "connect_four", "a": f"uct:c={c:g},bounds=cuts",
             "b": f"uct:c={c:g},bounds={base}", "sims": 10_000},
            published, row=f"against {base}", column=f"c={c:g}",
        )
        for base in ("off", "plain")
        for c in (0.05, 0.2, 0.4, 0.7)
    )  # fmt: skip
    return Experiment(
        name="thesis-connect-four-match",
        title="Connect Four 7x6: cuts against none, 10,000 playouts a move",
        measure="match",
        source=f"{SOURCE}, section 4.5",
        cells=cells,
        scales=three_scales(Scale(2, "off,c=0.4", {"sims": 50}), 200, 2_000),
        claims=(
            Claim("every cell comes out as printed", "as_published"),
            Claim("cuts are better than no bounds", "best_above", {"cells": "off,*", "than": 50}),
            Claim(
                "cuts are better than bounds without cuts", "best_above",
                {"cells": "plain,*", "than": 50},
            ),
        ),
        deviations=(
            ("the thesis says neither the constant nor whether the other program kept bounds: four "
            "constants, against both"),
        ),
        plot=Plot("heat"),
        seed=457,
        batch=4,
    )  # fmt: skip
