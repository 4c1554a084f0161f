"""The paper on Star2-TT (Veness and Blair, 2007): worked figures, its code as printed, its tables.

Its positions and its network are not known.  Ours are fifty positions of games that the network of
the package played against itself, so what can be compared is how much less one search does than
another, not how much any of them does.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from types import SimpleNamespace

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of

SOURCE = (
    "Veness and Blair, Effective use of transposition tables in stochastic game tree search, 2007"
)
DEPTH = PUBLISHED_DEPTH = 13
POSITIONS = 50
SEARCHES = {
    "expectimax": "Expectimax", "star1": "Star1", "star2": "Star2", "star2tt": "Star2-TT",
}  # fmt: skip
SMOKE = Scale(2, "*", {"depth": 3, "memory": 1.0})


def _published() -> dict[str, dict[str, tuple[float, float]]]:
    """Read tables I (millions of nodes) and II (seconds): statistics, then searches."""
    nodes, seconds = (
        {row[0].lower(): row[1:] for row in rows_of(file)}
        for file in ("star2tt_tableI_nodes_millions.tsv", "star2tt_tableII_seconds.tsv")
    )
    return {
        name: {
            search: (float(nodes[name][place]), float(seconds[name][place]))
            for place, search in enumerate(SEARCHES)
        }
        for name in nodes
    }


PUBLISHED = _published()


def experiments() -> list[Experiment]:
    """Return the experiments of the paper, in its order."""
    return [
        _windows(), _bounds(), _probing(), _printed_code(), _table(0), _table(1), _by_depth(),
    ]  # fmt: skip


# -- worked figures --------------------------------------------------------------------------


def _worked(
    name: str, title: str, where: str, cells: tuple[Cell, ...], claims: tuple[Claim, ...],
    smoke: Scale | None = None, deviations: tuple[str, ...] = (), notes: tuple[str, ...] = (),
) -> Experiment:  # fmt: skip
    once = Scale(1)
    return Experiment(
        name=name, title=title, measure="worked", cells=cells, source=f"{SOURCE}, {where}",
        scales={"smoke": smoke or once, "paper": once, "full": once}, claims=claims, batch=1,
        deviations=deviations, notes=notes,
    )  # fmt: skip


def _cell(name: str, example: str, case: str = "", published: Published | None = None) -> Cell:
    settings = {"paper": "star2_tt", "example": example, "case": case}
    return Cell(name, settings, published)


def star1_windows(case: str) -> tuple[float, str]:
    """Work out the windows of figure 2.1 with the formulas of our search.

    Three outcomes are equally likely, values lie between -1 and 1, the window of the node is -0.4
    to 0.1, and the first outcome is worth 0.8.
    """
    from trellis._kernel.jit import plain
    from trellis.search.star.chance_node import window_above, window_below

    known = {"first": (-1.0, 1.0, 0), "second": (0.8, 0.8, 1), "bound": (0.8, 0.8, 1)}[case]
    low, high, done = known
    others = 3 - done
    frame = SimpleNamespace(
        alpha=-0.4, beta=0.1, low=(done * low - others) / 3, high=(done * high + others) / 3
    )
    child = SimpleNamespace(low=-1.0, high=1.0, probability=1 / 3)
    alpha, beta = plain(window_below)(frame, child), plain(window_above)(frame, child)
    if case == "bound":  # the second outcome is worth that much: what the node is worth at least
        least = (low + beta - 1.0) / 3
        return round(least, 12), f"{least:.10g}"
    return round(beta, 12), f"{alpha + 0.0:.10g} to {beta:.10g}"


def _windows() -> Experiment:
    cells = (
        _cell("first", "star1_windows", "first", Published(text="-1 to 1")),
        _cell("second", "star1_windows", "second", Published(0.5, "-1 to 0.5")),
        _cell("node-at-0.5", "star1_windows", "bound", Published(0.1, "0.1")),
    )
    return _worked(
        "star2tt-figure-2.1", "Star1's windows at a chance node", "figure 2.1", cells,
        (Claim("an outcome at 0.8 leaves the next one a window up to 0.5, which cuts", "exact"),),
    )  # fmt: skip


def cut_interval(case: str) -> tuple[float, str]:
    """Search a roll of Dice in a window that its value is below; return a bound of it.

    The search ends before all outcomes are known, and holds the value between two bounds.
    """
    from trellis.loading import load
    from trellis.search.star.engine import StarSearch

    position = load("dice:m=3,k=3").start().play(9).play(0)  # the second player rolls
    value = StarSearch(position, "expectimax").run(depth=10).for_player(0).value
    found = StarSearch(position, "star2tt", memory=1.0).search(10, alpha=value + 0.02, beta=1.0)
    lower, upper = (math.nan, math.nan) if found is None else found[:2]
    shown = {"lower": lower, "value": value, "upper": upper}[case]
    return shown, f"{shown:.6f}"


def _bounds() -> Experiment:
    cells = tuple(_cell(name, "cut_interval", name) for name in ("lower", "value", "upper"))
    return _worked(
        "star2tt-figure-3.1", "A cut at a chance node leaves two bounds", "figure 3.1", cells,
        (
            Claim("the value is above the lower bound", "more", {"more": "value", "less": "lower"}),
            Claim("and at most the upper one", "more", {"more": "upper", "less": "value"}),
            Claim("the lower bound says something", "above", {"cells": "lower", "than": -1}),
        ),
        deviations=(
            ("the figure has letters only: here a roll of Dice 3x3, ten plies, is searched in a "
            "window above its value"),
        ),
    )  # fmt: skip


def probed_nodes(case: str) -> tuple[float, str]:
    """Count positions of a search whose third outcome stands in the table already."""
    from trellis.loading import load
    from trellis.search.star.engine import StarSearch

    position = load("dice:m=3,k=3").start().play(9).play(0)
    search = StarSearch(position, "star2tt", memory=1.0, etc_chance=2 if case == "probing" else 0)
    value = StarSearch(position, "expectimax").run(depth=8).for_player(0).value
    search.set_position(position.play(position.move_codes()[2]))
    search.search(7)
    search.set_position(position)
    before = search.nodes
    search.search(8, alpha=value + 0.1, beta=1.0)
    nodes = search.nodes - before
    return float(nodes), f"{nodes:,}"


def _probing() -> Experiment:
    cells = tuple(_cell(name, "probed_nodes", name) for name in ("probing", "without"))
    return _worked(
        "star2tt-figure-3.2", "Outcomes looked up in the table before any is searched",
        "figure 3.2", cells,
        (Claim("probing saves positions", "more", {"more": "without", "less": "probing"}),),
        deviations=(
            ("the figure has letters only: here a roll of Dice 3x3, eight plies, the value of "
            "whose third outcome is in the table, is searched in a window above its value"),
        ),
    )  # fmt: skip


# -- the code as printed ---------------------------------------------------------------------


def wrong_roots(repairs: tuple[str, ...], case: str) -> tuple[float, str]:
    """Count positions whose value the printed code gets wrong, with some faults repaired."""
    from trellis.game.spec import split_options
    from trellis.lab.papers.star2_printed import PrintedStar2, judged, two_checkers
    from trellis.search.star.reference import expectimax

    _, given = split_options(case)
    depth, roots = int(given["depth"]), two_checkers()[: int(given["roots"])]
    known: dict[tuple[bytes, int], float] = {}
    wrong = lost = 0
    for position in roots:  # the first player rolls, so values are the first player's
        found = PrintedStar2(frozenset(repairs)).value(position, depth)
        lost += found is None
        wrong += found is None or abs(found - expectimax(position, depth, judged, known)) > 1e-9
    return float(wrong), f"{wrong} of {len(roots)}" + (f", {lost} without a value" if lost else "")


def _names_of_repairs() -> dict[str, tuple[str, ...]]:
    from_all = ("undo", "sides", "combine")
    sets = [each for number in range(4) for each in combinations(from_all, number)]
    return {"+".join(each) or "printed": each for each in sets}


def _printed_code() -> Experiment:
    cells = tuple(_cell(name, name, "roots=36,depth=9") for name in _names_of_repairs())
    return _worked(
        "star2tt-figure-4.1", "The printed pseudocode, run: wrong values of 36 positions",
        "figure 4.1", cells,
        (
            Claim(
                "the printed code finds the values of expectimax", "below",
                {"cells": "printed", "than": 0.5},
            ),
            Claim(
                "with undo and sides repaired it does", "below",
                {"cells": "undo+sides undo+sides+combine", "than": 0.5},
            ),
            Claim("sides has to be repaired", "above", {"cells": "undo undo+combine", "than": 0}),
        ),
        smoke=Scale(1, "printed undo+sides+combine", {"case": "roots=3,depth=7"}),
        deviations=(
            "the paper prints neither negamax nor a board: ours is the usual one with a table",
            ("every position of Dice 3x3 with a checker of each player, to nine plies, where an "
            "evaluation gives any number: so bounds seldom agree by accident"),
            "event_info is read as cinfo, and board as brd",
        ),
        notes=(
            ("undo: successor probing returns, and stores, while the outcome is still applied; "
            "most searches then end on a board that is none, without a value"),
            ("sides: the Star1 phase makes both bounds of an outcome what it found before it asks "
            "whether that was only a bound, and stores the result"),
            ("combine: what the table knows of an outcome replaces what was known instead of being "
            "combined with it; here that changes no value"),
        ),
    )  # fmt: skip


# -- tables and figure 6.3 -------------------------------------------------------------------

_DEVIATIONS = (
    "positions of our own, from games of our network against itself: the paper's are not known",
    "a network of our own (54 inputs, 10 hidden nodes, as in the paper), trained by self-play",
    (
        "rows for the first player, columns for the second, and a full line is rolled again: the "
        "paper says neither"
    ),
    "Star1 and Star2 take the best move of a table for move ordering, and no bounds",
)


def _table(place: int) -> Experiment:
    """Return table I (nodes) or II (seconds)."""
    nodes = place == 0
    cells = []
    for search, title in SEARCHES.items():
        unit = 1e6 if nodes else 1.0
        printed = {name: row[search][place] * unit for name, row in PUBLISHED.items()}
        cells.append(
            Cell(
                title, {"search": search, "depth": DEPTH},
                Published(printed.pop("mean"), samples=POSITIONS, facts=printed), row=title,
            )
        )  # fmt: skip
    fewer = "37 % fewer nodes" if nodes else "31 % less time"
    part = 0.63 if nodes else 0.69
    what = "looks at fewer positions" if nodes else "takes less time"

    def claim(text: str, of: str, to: str, **ends: float) -> Claim:
        return Claim(text, "ratio", {"of": of, "to": to, **ends})

    return Experiment(
        name=f"star2tt-table-{'I' if nodes else 'II'}",
        title=f"{'Nodes' if nodes else 'Seconds'} of searches of Dice to depth {DEPTH}",
        measure="star_nodes" if nodes else "star_seconds",
        cells=tuple(cells),
        scales=three_scales(SMOKE, POSITIONS, 4 * POSITIONS),
        source=f"{SOURCE}, table {'I' if nodes else 'II'}",
        claims=(
            claim(f"Star1 {what} than expectimax", "Star1", "Expectimax", most=1.0),
            claim(f"Star2 {what} than Star1", "Star2", "Star1", most=1.0),
            claim(f"Star2-TT {what} than Star2", "Star2-TT", "Star2", most=1.0),
            claim(
                f"Star2-TT takes {fewer} than Star2, give or take five points", "Star2-TT",
                "Star2", least=part - 0.05, most=part + 0.05,
            ),
        ),
        deviations=_DEVIATIONS
        + (() if nodes else ("a processor of today, one core, other work beside it",)),
        notes=(
            ("means are compared with the paper's only in passing, since positions differ; the "
            "ratios of searches are what the paper is about"),
        ),
        plot=Plot("bars", log_y=True),
        batch=1,
    )  # fmt: skip


def _by_depth() -> Experiment:
    cells = tuple(
        Cell(
            f"{title},{depth}", {"search": search, "depth": depth}, row=title, column=str(depth),
            x=float(depth),
        )
        for search, title in SEARCHES.items()
        for depth in range(1, DEPTH + 1, 2)
    )  # fmt: skip
    return Experiment(
        name="star2tt-figure-6.3",
        title="Nodes by depth, four searches of Dice",
        measure="star_nodes",
        cells=cells,
        scales=three_scales(Scale(2, "*,1 *,3 *,5", {"memory": 1.0}), POSITIONS, 4 * POSITIONS),
        source=f"{SOURCE}, figure 6.3",
        claims=tuple(
            Claim(
                f"at depth {depth} Star2-TT looks at fewer positions than Star2", "ratio",
                {"of": f"Star2-TT,{depth}", "to": f"Star2,{depth}", "most": 1.0},
            )
            for depth in (9, 11, 13)
        ),
        deviations=(*_DEVIATIONS, "the figure is a drawing: no numbers are printed"),
        plot=Plot("lines", x="depth", log_y=True),
        batch=1,
    )  # fmt: skip


EXAMPLES: Mapping[str, Callable[[str], tuple[float, str]]] = {
    "star1_windows": star1_windows,
    "cut_interval": cut_interval,
    "probed_nodes": probed_nodes,
    **{name: partial(wrong_roots, repairs) for name, repairs in _names_of_repairs().items()},
}
