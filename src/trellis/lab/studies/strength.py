"""How strong the default is: the yardstick for all work on strength.

Every general setting against `auto`, `auto` against OpenSpiel's search in C++, both at equal time
of the processor; and constants of exploration against each other at equal playouts, which is equal
time where nothing else differs.
"""

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Scale, three_scales
from trellis.lab.studies import GAMES, short

_SOURCE = "our own question"
SECONDS, SIMS = 0.02, 1_000
_CONSTANTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
_USUAL_C = 0.7
# Settings that make sense in any game, each in place of what `auto` has.
_SETTINGS = {
    "tree": "uct", "uct1": "uct1", "uct2": "uct2", "uct3": "uct3", "nodes": "nodes",
    "c=0.3": "auto:c=0.3", "c=0.5": "auto:c=0.5", "c=1": "auto:c=1",
    "ucb1_tuned": "auto:ucb1_tuned=true,c=1", "decisive": "auto:decisive=true",
    "fpu=0.6": "auto:fpu=0.6", "fpu=1": "auto:fpu=1", "rave=300": "auto:rave=300,c=0.2",
    "rave_order": "auto:rave=300,c=0.1,rave_order=true,fpu=1",
    "grave": "auto:rave=300,grave=50,c=0.2",
    "own_playouts=edge": "auto:own_playouts=edge", "bounds=off": "auto:bounds=off",
    "bounds=deep": "auto:bounds=deep", "final_move=max": "auto:final_move=max",
    "final_move=secure": "auto:final_move=secure",
}  # fmt: skip
# Keys of Go with simple ko forget nothing, so all settings are allowed there.
_NOT_IN_OPENSPIEL = ("knightthrough", "quarto", "pawn_whopping", "crisscross")
_OPENSPIEL = (
    *(game for game in GAMES if game not in _NOT_IN_OPENSPIEL and not game.startswith("go")),
    "hex:board_size=5", "tic_tac_toe", "connect_four:rows=8,columns=8",
    "breakthrough:rows=6,columns=6", "gomoku:m=15,n=15,k=5",
)  # fmt: skip


def experiments() -> list[Experiment]:
    """Return the three experiments."""
    return [_constants(), _settings(), _openspiel()]


def _constants() -> Experiment:
    cells = [
        Cell(
            f"{short(game)}/c={c:g}",
            {"game": game, "a": f"auto:c={c:g}", "b": f"auto:c={_USUAL_C:g}", "sims": SIMS,
             "opening": 2},
            row=short(game),
            column=f"c={c:g}",
            x=c,
        )
        for game in GAMES
        for c in _CONSTANTS
        if c != _USUAL_C
    ]  # fmt: skip
    return Experiment(
        name="default-c",
        title=f"constants of exploration against {_USUAL_C:g}, {SIMS:,} playouts a move",
        source=_SOURCE,
        measure="match",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "connect_four/*", {"sims": 20}), 400, 2_000),
        claims=tuple(
            Claim(f"c = {c:g} is better than {_USUAL_C:g} over all games together", "mean_above",
                  {"cells": f"*/c={c:g}", "than": 50})
            for c in _CONSTANTS
            if c != _USUAL_C
        ),
        plot=Plot("heat", x="c"),
        seed=41,
        batch=4,
    )  # fmt: skip


def _settings() -> Experiment:
    cells = [
        Cell(
            f"{short(game)}/{name}",
            {"game": game, "a": player, "b": "auto", "seconds": SECONDS},
            row=short(game),
            column=name,
        )
        for game in GAMES
        for name, player in _SETTINGS.items()
    ]
    return Experiment(
        name="default-settings",
        title=f"general settings against the default, {SECONDS * 1000:g} ms a move",
        source=_SOURCE,
        measure="equal_time",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "connect_four/*", {"seconds": 0.001}), 100, 1_000),
        claims=tuple(
            Claim(f"{name} is better than the default over all games together", "mean_above",
                  {"cells": f"*/{name}", "than": 50})
            for name in _SETTINGS
        ),
        plot=Plot("heat"),
        seed=42,
        batch=2,
    )  # fmt: skip


def _openspiel() -> Experiment:
    cells = [
        Cell(
            short(game) if game != "connect_four:rows=8,columns=8" else "connect_four-8x8",
            {"game": game, "a": "auto", "b": "openspiel", "seconds": SECONDS},
        )
        for game in _OPENSPIEL
    ]
    return Experiment(
        name="default-openspiel",
        title=f"the default against OpenSpiel's search, {SECONDS * 1000:g} ms a move",
        source=_SOURCE,
        measure="equal_time",
        cells=tuple(cells),
        scales=three_scales(Scale(2, "connect_four tic_tac_toe", {"seconds": 0.002}), 100, 1_000),
        claims=(
            Claim("the default is stronger over all games together", "mean_above", {"than": 50}),
            Claim("it is stronger in every game", "above", {"than": 50}),
        ),
        deviations=(
            (
                "OpenSpiel's search proves wins and losses (solve=True); its constant is the "
                "root of 2, as usual, which would be 0.7 on our scale"
            ),
        ),
        plot=Plot("bars"),
        seed=43,
        batch=2,
    )
