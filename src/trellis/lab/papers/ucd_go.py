"""Go on 6x6: tables 1 and 2 of the paper on UCD, upper confidence bounds for acyclic graphs.

Table 1: UCD with depths d1, d2, d3 and a constant c against UCT without a transposition table,
whose constant is the best one found, 0.4.  Table 2: RAVE UCD, which mixes the AMAF statistics of
the children (depth RAVE 1) and takes means of depth 0 or 1, against standard RAVE.  Both: 10,000
playouts a move, 200 games a cell, komi 5.5.
"""

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of
from trellis.lab.papers.ucd_tables import GAMES, SOURCE

GAME = "go:board_size=6,komi=5.5"
PLAYOUTS = 10_000
_CONSTANTS = ("0.2", "0.4", "0.6")
_RULES = (
    (
        "the paper leaves the rules open: area scoring, positional superko in the graph; playouts "
        "fill no eye of one point and know simple ko; the graph knows a position by stones, turn, "
        "ko and passes"
    ),
    "no graph is kept from move to move, nobody resigns, and the move with most visits is played",
    "players take turns in being black; openings are not prescribed",
)


def experiments() -> list[Experiment]:
    """Return both tables."""
    return [_depths(), _rave()]


def _depths() -> Experiment:
    opponent = "uct:c=0.4,bounds=off"
    cells = []
    for d1, d2, d3, *percents in rows_of("ucd_table01_go6x6.tsv"):
        depths = f"{d1},{d2},{d3}"
        for c, percent in zip(_CONSTANTS, percents, strict=True):
            cells.append(
                Cell(
                    f"{depths},c={c}",
                    {"game": GAME, "a": f"ucd:{depths},c={c},bounds=off", "b": opponent,
                     "sims": PLAYOUTS},
                    Published(float(percent), samples=GAMES),
                    row=depths,
                    column=f"c={c}",
                )
            )  # fmt: skip
    return Experiment(
        name="ucd-table-1",
        title="UCD on Go 6x6: depths and constants against a plain tree",
        source=f"{SOURCE}, table 1",
        measure="match",
        cells=tuple(cells),
        scales=_scales("0,0,0,c=0.4 2,0,0,c=0.4"),
        claims=(
            Claim("every cell comes out as printed", "as_published"),
            Claim("d1 = 2 loses, whatever the rest", "below", {"cells": "2,*", "than": 50}),
            Claim("the usual depths win only 48 %", "as_published", {"cells": "1,0,1,c=0.4"}),
            Claim("(1,1,0) wins 56 %", "as_published", {"cells": "1,1,0,c=0.4"}),
            Claim("some depths are better than a plain tree", "best_above", {"than": 50}),
        ),
        deviations=(*_RULES, "a node's own playouts are kept at the node"),
        notes=(
            (
                "the loss at d1 = 2 did not come out when it was tried here: in 200 games (2,0,0) "
                "with c = 0.4 won as often as (0,0,0), 48.5 %, and the printed 37 % is outside of "
                "the interval"
            ),
            (
                "the paper's own rule for keeping means of depth 2 up to date is not exact, ours "
                "is; taken at its word, it lost all of 35 games"
            ),
            (
                "go-depth-two has other readings: with own playouts at edges, or left out, (2,0,0) "
                "won 22 of 68 games"
            ),
        ),
        plot=Plot("heat"),
        seed=1,
        batch=2,
    )


def _rave() -> Experiment:
    cells = []
    for constant, _, mean, percent in rows_of("ucd_table02_go6x6_rave.tsv"):
        rave = f"c=0,rave_bias={constant},bounds=off"
        cells.append(
            Cell(
                f"mean={mean},rave={constant}",
                {"game": GAME, "a": f"ucd:{mean},0,0,rave_children=true,{rave}",
                 "b": f"uct:{rave}", "sims": PLAYOUTS},
                Published(float(percent), samples=GAMES),
                row=f"mean of depth {mean}",
                column=constant,
                x=float(constant),
            )
        )  # fmt: skip
    return Experiment(
        name="ucd-table-2",
        title="RAVE UCD on Go 6x6 against RAVE without transpositions",
        source=f"{SOURCE}, table 2",
        measure="match",
        cells=tuple(cells),
        scales=_scales("mean=?,rave=0.0002"),
        claims=(
            Claim("every cell comes out as printed", "as_published"),
            Claim("with means of depth 1 it loses", "below", {"cells": "mean=1,*", "than": 50}),
            Claim(
                "means of depth 0 are better than those of depth 1",
                "more",
                {"more": "mean=0,rave=0.0002", "less": "mean=1,rave=0.0002"},
            ),
        ),
        deviations=(
            *_RULES,
            (
                "the RAVE constant is read as 4b² in the weight of Gelly and Silver, there is no "
                "exploration term (c = 0), p and n are the edges' own (d2 = d3 = 0)"
            ),
            "standard RAVE is a tree without transpositions that has the constant of its row",
        ),
        notes=(
            (
                "in 85 games here mean=0,rave=0.0002 won 23.5 % (52.0 printed), mean=1 won 28.2 % "
                "(38.0 printed): what loses is taking RAVE's statistics from the children, which "
                "ours keep on moves that a node has tried"
            ),
        ),
        plot=Plot("lines", x="RAVE constant", log_x=True),
        seed=2,
        batch=2,
    )


def _scales(smoke: str) -> dict[str, Scale]:
    return three_scales(Scale(2, smoke, {"sims": 20}), GAMES, 1_000)
