"""How strong the best setting for Go is: against GNU Go, at several lengths of thought.

GNU Go 3.8 at level 10 by Chinese rules, on 9x9 with komi 7.5.  Playouts a move do not depend on
how busy the machine is, seconds do.
"""

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Scale, three_scales

PLAYER = "uct2:playouts=patterns,rave=1000,c=0,rave_order=true,fpu=1,reuse=true,memory=256"
_OPPONENT = "gtp:command=gnugo --mode gtp --level {} --chinese-rules --capture-all-dead"
_GAME = "go:board_size=9,komi=7.5,superko=simple"
_BUDGETS = ("sims=3000", "sims=10000", "sims=30000", "sims=100000", "time=1", "time=5")


def experiments() -> list[Experiment]:
    """Return the match."""
    cells = tuple(
        Cell(
            budget,
            {"game": _GAME, "a": f"{PLAYER},{budget}", "b": _OPPONENT.format(10)},
            row=budget,
        )
        for budget in _BUDGETS
    )
    return [
        Experiment(
            name="go-against-gnugo",
            title="Go 9x9 against GNU Go 3.8 at level 10",
            source="our own question",
            measure="match",
            cells=cells,
            scales=three_scales(
                Scale(2, "sims=3000", {"a": f"{PLAYER},sims=20", "b": _OPPONENT.format(0),
                                       "longest": 12}),
                100, 1_000,
            ),
            claims=(
                Claim("80 % of games with five seconds a move", "above",
                      {"cells": "time=5", "than": 80}),
                Claim("more playouts win more games", "more",
                      {"more": "sims=100000", "less": "sims=10000"}),
            ),
            deviations=("our rules settle results, so GNU Go takes all dead stones",),
            plot=Plot("bars"),
            seed=91,
            batch=2,
            needs=("gnugo",),
        )
    ]  # fmt: skip
