"""Whether it helps to share what is known of a position between all paths to it.

Graphs and their variants against a plain tree, on fifteen games: at an equal number of playouts,
and at equal time, since a graph costs time as well.
"""

from trellis.game.spec import Value
from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Scale, three_scales
from trellis.lab.studies import GAMES, short

_SOURCE = "our own question; the paper on UCD asks it of ten games, its answer is in 200 games each"
PLAYOUTS = (1_000, 10_000)
SECONDS = 0.02
_C = "c=0.5"
# What is shared, each against `uct`, which shares nothing.
_WAYS = {
    "uct1": "uct1",  # one node a position, statistics of the edges alone
    "uct2": "uct2",
    "uct3": "uct3",
    "simple": "simple",
    "ucd:0,1,1": "ucd:0,1,1",
    "ucd:2,0,1": "ucd:2,0,1",
    "symmetry": "simple:symmetry=true",
}
_SYMMETRIC = (
    "connect_four", "hex:board_size=7", "hex", "breakthrough", "knightthrough", "othello",
    "pentago", "quarto", "amazons:board_size=6", "go:board_size=6,superko=simple",
    "gomoku:m=9,n=9,k=5", "nine_mens_morris",
)  # fmt: skip


def experiments() -> list[Experiment]:
    """Return one experiment for each kind of equality."""
    by_playouts = [
        _experiment(
            f"sharing-{sims}", f"what sharing is worth at {sims:,} playouts a move", "match",
            {"sims": sims}, {"sims": 20},
        )
        for sims in PLAYOUTS
    ]  # fmt: skip
    by_time = _experiment(
        "sharing-time", f"what sharing is worth at {SECONDS * 1000:g} ms of the processor a move",
        "equal_time", {"seconds": SECONDS}, {"seconds": 0.001},
    )  # fmt: skip
    return [*by_playouts, by_time]


def _experiment(
    name: str, title: str, measure: str, budget: dict[str, Value], smoke: dict[str, Value]
) -> Experiment:
    cells = [
        Cell(
            f"{short(game)}/{way}",
            {
                "game": game, "a": _with(player, _C), "b": f"uct:{_C},bounds=off",
                "opening": 2, **budget,
            },
            row=short(game),
            column=way,
        )
        for game in GAMES
        for way, player in _WAYS.items()
        if way != "symmetry" or game in _SYMMETRIC
    ]  # fmt: skip
    return Experiment(
        name=name,
        title=title,
        source=_SOURCE,
        measure=measure,
        cells=tuple(cells),
        scales=three_scales(Scale(2, "connect_four/*", smoke), 400, 4_000),
        claims=tuple(
            Claim(f"{way} is better than a tree in some game", "best_above",
                  {"cells": f"*/{way}", "than": 50})
            for way in _WAYS
        ),
        deviations=(
            "bounds are off on both sides: a proof would hide what sharing is worth",
            "c = 0.5 on both sides, two random moves first",
        ),
        plot=Plot("heat"),
        seed=31,
        batch=4,
    )  # fmt: skip


def _with(player: str, c: str) -> str:
    return f"{player}{',' if ':' in player else ':'}{c},bounds=off"
