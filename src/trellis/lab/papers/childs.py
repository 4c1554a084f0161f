"""Transpositions and move groups on P-games: figures 1 to 5 of Childs, Brodeur and Kocsis.

A point is the share of wrong moves after so many playouts: 200 random games, 200 searches of each.
The figures are drawings, so what can be compared is what the paper says of them in words.
"""

from collections.abc import Callable, Iterable, Mapping
from math import sqrt

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales

SOURCE = (
    "Childs, Brodeur and Kocsis, Transpositions and move groups in Monte Carlo tree search, 2008"
)
GAMES, RUNS = 200, 200
PLAYOUTS = tuple(2**power for power in range(3, 13))  # 8 to 4,096
C = round(sqrt(2), 4)
SHARED = "pgame:branching=2,depth=20,combine={combine},seed={{seed}}"
GROUPED = "pgame:branching=10,depth=6,group_size=5,bias={bias},overlap={overlap},seed={{seed}}"

DEVIATIONS = (
    "a search adds one position to its graph with every playout; the paper added all of a playout",
    "payoffs are scaled to 0..1, where the paper's constant, the root of 2, belongs",
    "the numbers of playouts are our own choice: the axes of the figures are not in the text",
    (
        "which nodes are merged follows our own reading of the paper's words: near ones, with near "
        "scores, the better score kept"
    ),
)


def experiments() -> list[Experiment]:
    """Return an experiment for each figure."""
    return [_sizes(), _variants(), _combinations(), _groups("4", False), _groups("5", True)]


# -- figure 1 --------------------------------------------------------------------------------


def level(case: str) -> tuple[float, str]:
    """Count the positions of a level of a P-game of which so many percent are merged."""
    from trellis.games.pgame.graphs import level_sizes

    combine, ply = map(int, case.split(","))
    count = level_sizes(2, 20, combine)[ply]
    return float(count), f"{count:,}"


def go_sharing(case: str) -> tuple[float, str]:
    """Tell how many games of five moves of Go there are for each position they reach."""
    from trellis.game.perft import perft
    from trellis.loading import load

    last = perft(load(f"go:board_size={case},superko=simple").start(), 5)[-1]
    ratio = last.games / last.positions
    return ratio, f"{ratio:.1f}"


def _sizes() -> Experiment:
    def cell(name: str, example: str, case: str, **more: object) -> Cell:
        settings = {"paper": "childs", "example": example, "case": case}
        return Cell(name, settings, **more)  # type: ignore[arg-type]

    cells = [
        cell(
            f"{combine}%,{ply}", "level", f"{combine},{ply}", row=f"{combine} %", column=str(ply),
            x=float(ply),
        )
        for combine in (0, 5, 10, 20, 40)
        for ply in range(0, 21, 5)
    ]  # fmt: skip
    ten = Published(10.0, "approximately ten times")
    cells += [cell(f"go-{size}x{size}", "go_sharing", str(size), published=ten) for size in (5, 6)]
    return Experiment(
        name="childs-figure-1",
        title="Positions by level of P-games that are graphs",
        measure="worked",
        cells=tuple(cells),
        scales=three_scales(Scale(1, "*%,*"), 1, 1),
        source=f"{SOURCE}, figure 1 and section IV-A",
        claims=(
            Claim(
                "a greater part that is merged makes smaller levels", "more",
                {"more": "10%,20", "less": "20%,20"},
            ),
            Claim(
                "five plies of Go reach a tenth as many positions as there are games",
                "as_published", {"cells": "go-*", "tolerance": 0.15},
            ),
        ),
        deviations=(
            *DEVIATIONS[-1:],
            "the paper does not say on which board it counted plies of Go: 5x5 and 6x6 here",
        ),
        plot=Plot("lines", x="level", log_y=True),
        batch=1,
    )  # fmt: skip


# -- figures 2 to 5 --------------------------------------------------------------------------


def _points(line: str, game: str, player: str, **settings: bool) -> list[Cell]:
    """Return the points of a line of a figure, one for each number of playouts."""
    text = f"{player}:c={C:g},bounds=off,final_move=max"
    return [
        Cell(
            f"{line},{playouts}",
            {"game": game, "player": text, "sims": playouts, "runs": RUNS, **settings},
            row=line, column=f"{playouts:,}", x=float(playouts),
        )
        for playouts in PLAYOUTS
    ]  # fmt: skip


def _less(line: str, than: str, playouts: Iterable[int]) -> list[Claim]:
    """Claim that a line lies below another one, at some numbers of playouts."""
    return [
        Claim(
            f"after {count:,} playouts {line} errs less than {than}", "ratio",
            {"of": f"{line},{count}", "to": f"{than},{count}", "most": 1.0},
        )
        for count in playouts
    ]  # fmt: skip


def _figure(
    number: str, title: str, cells: list[Cell], claims: list[Claim], smoke: str,
    deviations: tuple[str, ...] = (), notes: tuple[str, ...] = (), section: str = "IV-A.1",
) -> Experiment:  # fmt: skip
    return Experiment(
        name=f"childs-figure-{number}",
        title=title,
        measure="choice_error",
        cells=tuple(cells),
        scales=three_scales(Scale(4, smoke, {"runs": 3}), GAMES, 5 * GAMES),
        source=f"{SOURCE}, figure {number} and section {section}",
        claims=tuple(claims),
        deviations=(*DEVIATIONS, *deviations),
        notes=(
            ("a sample is a game, and stands for all of its searches; the games are the same on "
            "all lines with the same game, so that lines are compared in pairs"),
            *notes,
        ),
        plot=Plot("lines", x="playouts", log_x=True, log_y=True),
        seed=int(number),
        batch=5,
    )  # fmt: skip


def _variants() -> Experiment:
    game = SHARED.format(combine=20)
    cells = [each for kind in range(4) for each in _points(f"uct{kind}", game, f"uct{kind}")]
    claims = [
        *(each for kind in (1, 2, 3) for each in _less(f"uct{kind}", "uct0", (64, 256, 1024))),
        *_less("uct3", "uct2", (64, 256, 1024)),
        *_less("uct2", "uct1", (64, 256, 1024)),
    ]
    return _figure(
        "2", "UCT0 to UCT3 on P-games of which 20 % is merged", cells, claims,
        "uct?,16 uct?,64",
        notes=(
            ("the paper sees a significant improvement of all three over UCT0, UCT3 slightly "
            "ahead, and UCT2 slightly better than UCT1"),
        ),
    )  # fmt: skip


def _combinations() -> Experiment:
    parts = (0, 10, 20, 40)
    cells = [
        each
        for part in parts
        for kind in ("uct0", "uct2")
        for each in _points(f"{kind},{part}%", SHARED.format(combine=part), kind)
    ]
    claims = [
        each for part in parts[1:] for each in _less(f"uct2,{part}%", f"uct0,{part}%", (256, 1024))
    ]
    claims += [
        Claim(
            f"on trees UCT2 is never worse than UCT0: {count:,} playouts",
            "ratio",
            {"of": f"uct2,0%,{count}", "to": f"uct0,0%,{count}", "most": 1.1},
        )
        for count in (256, 1024)
    ]
    return _figure(
        "3", "UCT2 beside UCT0 where more and more is merged", cells, claims,
        "uct?,20%,16 uct?,0%,64",
        notes=(
            ("the paper sees larger improvements where more is merged, and UCT2 never worse than "
            "UCT0; at 0 % a graph has nothing to share, and the two are one search with other "
            "seeds"),
        ),
    )  # fmt: skip


def _groups(number: str, overlap: bool) -> Experiment:
    shown = str(overlap).lower()
    biases = (0, 25, 50, 75, 100)
    cells = [
        each
        for bias in biases
        for each in _points(
            f"{bias}%", GROUPED.format(bias=bias, overlap=shown), "uct2", groups=True
        )
    ]
    cells += _points("ungrouped", GROUPED.format(bias=50, overlap=shown), "uct2")
    counts = (32, 64, 128)
    if overlap:
        claims = [*_less("100%", "50%", counts), *_less("50%", "0%", counts)]
        said = (
            "groups of winning moves help even more with overlap, and groups of losing moves hurt"
        )
    else:
        claims = [*_less("100%", "50%", counts), *_less("0%", "50%", counts)]
        said = "groups help where their bias is near 0 or 100 %, and least at 50 %"
    claims += _less("100%", "ungrouped", counts)
    words = "that may overlap" if overlap else "without overlap"
    return _figure(
        number, f"Move groups {words}, with more or fewer winning moves in one", cells, claims,
        "*%,16 ungrouped,16",
        deviations=(
            ("ten moves, of which five places of one group are given to winning moves with so many "
            "percent, as far as there are any; the other group has the rest, or all moves"),
            "the move played is the best one of the best group",
        ),
        notes=(f"the paper sees that {said}",),
        section="IV-A.2",
    )  # fmt: skip


EXAMPLES: Mapping[str, Callable[[str], tuple[float, str]]] = {
    "level": level, "go_sharing": go_sharing,
}  # fmt: skip
