"""Go against GNU Go: figures 6 and 7 of the paper on transpositions and move groups.

Three programs play GNU Go on 9x9 and 13x13: UCT0 (a tree), UCT2 (a graph whose edges use the means
of positions), and UCT2 whose moves are two, a group and a move of it: within Manhattan distance 2
of the last two moves, or any.  The paper gave libEGO 20 seconds a move on 9x9, 1,000 games a bar,
and 40 seconds on 13x13, 800 games.  Its figures are drawings; in words it says that groups win
about 14 % more games than the base on 9x9, which comes close to an even score, and 25 % more on
13x13.
"""

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.childs import SOURCE

PLAYOUTS, C = 10_000, 1.414
GAMES = 200  # a bar
_COMMAND = "gtp:command=gnugo --mode gtp --level {} --chinese-rules --capture-all-dead"
GNUGO, _QUICK = _COMMAND.format(10), _COMMAND.format(0)
BARS = {"uct0": "uct0:", "uct2": "uct2:", "groups": "uct2:groups=manhattan,"}
# Board, figure, and what the paper says of groups.
BOARDS = (
    (9, "6", Published(50.0, "about even", samples=1_000), 14),
    (13, "7", None, 25),
)

DEVIATIONS = (
    (
        f"a fixed number of playouts a move, {PLAYOUTS:,}, instead of seconds: what sharing and "
        "groups cost in time does not count, and it is far fewer than those seconds are"
    ),
    (
        "random games answer the last move (playouts=patterns), where those of libEGO knew nothing "
        "but eyes: at so few playouts the tree lost all of ten games without"
    ),
    (
        "the constant is the paper's, the root of 2; with 0.4 and random games that know nothing "
        "the tree won 7 of 22 games of two trials and groups 1 of 10: they help where a search is "
        "broad"
    ),
    f"{GAMES} games a bar, where the paper had 1,000 on 9x9 and 800 on 13x13",
    "UCT2 was a table of recently visited positions beside a tree; here it is a graph of all",
    "the paper ran UCT0, and UCT2 with groups; UCT2 alone is a bar of its own here",
    "as long as nobody has moved all moves are near; the pass is always near",
    "the move played has most visits over both groups, where the paper takes the best mean",
    (
        "komi 7.5, area scoring, simple ko; GNU Go 3.8 at level 10 by Chinese rules plays on until "
        "dead stones are taken, and our rules settle the result"
    ),
    ("no graph is kept from move to move, nobody resigns or proves anything, colours alternate"),
)


def experiments() -> list[Experiment]:
    """Return an experiment for each figure."""
    return [_experiment(*board) for board in BOARDS]


def _experiment(size: int, figure: str, published: Published | None, more: int) -> Experiment:
    cells = tuple(
        Cell(
            name,
            {"game": f"go:board_size={size},komi=7.5,superko=simple",
             "a": f"{player}c={C:g},playouts=patterns,bounds=off", "b": GNUGO, "sims": PLAYOUTS},
            published if name == "groups" else None, row=name,
        )
        for name, player in BARS.items()
    )  # fmt: skip
    return Experiment(
        name=f"childs-figure-{figure}",
        title=f"Go {size}x{size} against GNU Go: a tree, a graph, and move groups",
        measure="match",
        cells=cells,
        scales=three_scales(
            Scale(2, "groups", {"sims": 20, "b": _QUICK, "longest": 12}), GAMES, 1_000
        ),
        source=f"{SOURCE}, figure {figure} and section IV-B",
        claims=(
            Claim(
                "groups win more games than the base", "more", {"more": "groups", "less": "uct0"}
            ),
            Claim(
                f"about {more} points of a hundred more, give or take five", "more",
                {"more": "groups", "less": "uct0", "by": more - 5},
            ),
            Claim("a graph wins more games than a tree", "more", {"more": "uct2", "less": "uct0"}),
        ),
        deviations=DEVIATIONS,
        notes=("the figure is a drawing: what is printed of it are words",),
        plot=Plot("bars"),
        seed=int(figure),
        batch=2,
        needs=("gnugo",),
    )  # fmt: skip
