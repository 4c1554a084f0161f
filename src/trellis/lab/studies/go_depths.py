"""Where the loss of depth d1 = 2 on Go 6x6 could come from.

The paper on UCD prints that (2,0,0) wins 37 % against a plain tree and (2,0,1) 31 %, each with the
constant 0.4, where (0,0,0) wins 52 %: the one clear effect of its table 1, and one that did not
come out.  What the paper leaves open is varied here, one thing at a time: where playouts of a
node's own count, how values are kept up to date, how the last move is chosen, what a position is,
how games are finished, what they pay.  Depth 0 by the same reading stands beside each, since a
reading may cost both.
"""

from dataclasses import dataclass

from trellis.game.spec import Value
from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales

_GAME, _C, _GAMES, PLAYOUTS = "go:board_size=6,komi=5.5", 0.4, 200, 10_000
_PRINTED = {"2,0,0": 37.0, "2,0,1": 31.0, "1,0,0": 53.0, "0,0,0": 52.0}


@dataclass(frozen=True)
class _Reading:
    """One way to read the paper: what is not said here is as in `ucd-table-1`."""

    depths: str = "2,0,0"
    a: str = ""  # options of the graph alone
    both: str = ""  # and of both players
    game: str = ""  # parameters of the game

    def cell(self, name: str) -> Cell:
        """Return the match that this reading is."""
        shared = f"c={_C:g},bounds=off" + (f",{self.both}" if self.both else "")
        settings: dict[str, Value] = {
            "game": _GAME + (f",{self.game}" if self.game else ""),
            "a": f"ucd:{self.depths},{shared}" + (f",{self.a}" if self.a else ""),
            "b": f"uct:{shared}",
            "sims": PLAYOUTS,
        }
        return Cell(
            name, settings, Published(_PRINTED[self.depths], samples=_GAMES),
            row=name.partition(":")[2], column=self.depths,
        )  # fmt: skip


def _cells() -> dict[str, _Reading]:
    readings = {
        "as-table-1": {},
        "own=edge": {"a": "own_playouts=edge"},
        "own=none": {"a": "own_playouts=none"},
        "backup=recompute": {"a": "backup=recompute"},
        "final=max": {"a": "final_move=max"},
        "simple-ko": {"game": "superko=simple"},
        "patterns": {"both": "playouts=patterns"},
        "margin": {"game": "score=true"},
    }
    found: dict[str, _Reading] = {}
    for name, options in readings.items():
        for depths in ("2,0,0", "0,0,0"):
            if depths == "0,0,0" and name.startswith(("own", "backup")):
                continue  # says nothing where depth is 0
            found[f"{depths}:{name}"] = _Reading(depths, **options)
    for depths, places in (("2,0,1", ("node", "edge")), ("1,0,0", ("node", "edge", "none"))):
        for own in places:
            found[f"{depths}:own={own}"] = _Reading(depths, a=f"own_playouts={own}")
    return found


def experiments() -> list[Experiment]:
    """Return the hunt."""
    cells = tuple(reading.cell(name) for name, reading in _cells().items())
    return [
        Experiment(
            name="go-depth-two",
            title="what loses on Go 6x6 with means of depth 2",
            source="Saffidine, Cazenave and Méhat, UCD, section 4.3 and table 1",
            measure="match",
            cells=cells,
            scales=three_scales(
                Scale(2, "2,0,0:as-table-1 2,0,0:own=edge", {"sims": 20}), _GAMES, 1_000
            ),
            claims=(
                Claim(
                    "some reading loses at depth 2 as printed", "some_fit",
                    {"cells": "2,*"},
                ),
                Claim("depth 2 loses, whatever the reading", "below", {"cells": "2,*", "than": 50}),
            ),
            notes=("each cell changes one thing of table 1, whose own playouts are the node's",),
            plot=Plot("bars"),
            seed=61,
            batch=4,
        )
    ]  # fmt: skip
