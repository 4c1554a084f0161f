"""The error map: how often a search chooses a wrong move, against the truth, not an opponent.

Games that are solved exactly; positions drawn along random play in which the choice matters; depths
(d1, d2, d3) of 0, 1, 2 and infinity each, some constants and budgets.  A game's row tells which
depths help there; `graph-shape` tells what the graphs of the same positions are like, to be held
beside it (`benchmarks/error_map.py` does).
"""

from itertools import product

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Scale, three_scales

_SOURCE = "our own question"
DEPTHS = ("0", "1", "2", "inf")
CONSTANTS = (0.1, 0.3, 0.7)
BUDGETS = (100, 1_000)
# Solved in seconds, by looking at every position.
GAMES = {
    "connect_four-4x4": "connect_four:rows=4,columns=4",
    "hex-3": "hex:board_size=3",
    "breakthrough-5x3": "breakthrough:rows=5,columns=3",
    "othello-4": "othello:board_size=4",
    "kalah-3x2": "kalah:houses=3,seeds=2",
    "tic_tac_toe": "tic_tac_toe",
    "tree": "random_automaton:seed={seed},states=300,branching=4",
    "graph": "random_automaton:seed={seed},states=60,branching=4",
    "P-tree": "pgame:branching=2,depth=12,seed={seed}",
    "P-graph": "pgame:branching=2,depth=12,combine=20,seed={seed}",
}
_GENERATED = ("tree", "graph", "P-tree", "P-graph")
_SAMPLES = 100  # positions
_RUNS = 10  # searches of each


def experiments() -> list[Experiment]:
    """Return a map for each budget, and the shapes of the graphs."""
    return [*(_map(sims) for sims in BUDGETS), _shapes()]


def _where(name: str) -> str:
    """Return which positions of a game are searched."""
    return "start" if name in _GENERATED[2:] else "random"


def _shapes() -> Experiment:
    cells = [
        Cell(
            f"{name}/{sims}",
            {"game": game, "sims": sims, "positions": _where(name)},
            row=name,
            column=f"{sims:,} playouts",
            x=sims,
        )
        for name, game in GAMES.items()
        for sims in BUDGETS
    ]
    return Experiment(
        name="graph-shape",
        title="how much is shared in the graphs behind the error maps",
        source=_SOURCE,
        measure="graph_shape",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "tic_tac_toe/*", {"sims": 20}), _SAMPLES, 1_000),
        claims=tuple(
            Claim(f"more is shared in {more} than in {less}", "more",
                  {"more": f"{more}/{BUDGETS[-1]}", "less": f"{less}/{BUDGETS[-1]}"})
            for more, less in (("P-graph", "P-tree"), ("graph", "tree"))
        ),
        plot=Plot("lines", "playouts"),
        seed=61,
        batch=20,
    )  # fmt: skip


def _map(sims: int) -> Experiment:
    ways = {",".join(depths): f"ucd:{','.join(depths)}," for depths in product(DEPTHS, repeat=3)}
    cells = [
        Cell(
            f"{name}/{way}/c={c:g}",
            {
                "game": game, "player": f"{player}c={c:g},bounds=off", "sims": sims,
                "runs": _RUNS, "positions": _where(name),
            },
            row=f"{name}, c={c:g}",
            column=way,
        )
        for name, game in GAMES.items()
        for way, player in (ways | {"tree": "uct:"}).items()
        for c in CONSTANTS
    ]  # fmt: skip
    return Experiment(
        name=f"error-map-{sims}",
        title=f"wrong moves of UCD by its depths, {sims:,} playouts",
        source=_SOURCE,
        measure="choice_error",
        cells=tuple(cells),
        scales=three_scales(
            Scale(2, "tic_tac_toe/?,0,0/c=0.3", {"sims": 20, "runs": 2}), _SAMPLES, 1_000
        ),
        claims=tuple(
            Claim(f"on {name} the simple way errs less than a tree", "more",
                  {"more": f"{name}/tree/c=0.3", "less": f"{name}/1,0,1/c=0.3"})
            for name in GAMES
        ),
        plot=Plot("heat"),
        seed=61,
        batch=20,
    )  # fmt: skip
