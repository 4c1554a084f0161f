"""Results that nobody has measured: how they are shown does not depend on what they are."""

import pytest

from trellis import lab
from trellis.lab.measures import measure_of
from trellis.lab.results import CellResult, Results

SETTINGS = {"game": "nim", "a": "random", "b": "random"}


@pytest.fixture
def cell():
    """Make a cell of a match."""

    def cell(name, published=None, **where):
        printed = None if published is None else lab.Published(published, samples=200)
        return lab.Cell(name, SETTINGS, printed, **where)

    return cell


@pytest.fixture
def made():
    """Make results of cells: (cell, games won, games lost)."""

    def made(*cells, name="made", title="Made up", wanted=0, **more):
        measure = measure_of("match")
        found = []
        for cell, wins, losses in cells:
            even = min(wins, losses)  # pairs of games in which each player wins one
            values = [1.0, 0.0] * even + [1.0] * (wins - even) + [0.0] * (losses - even)
            samples = tuple((n, {"value": each, "plies": 9}) for n, each in enumerate(values))
            found.append(CellResult(cell, measure, samples, wanted or len(values), 1.5, 1.25))
        experiment = lab.Experiment(
            name, title, "match", tuple(cell for cell, _, _ in cells), {"paper": lab.Scale(200)},
            **more,
        )  # fmt: skip
        return Results(
            experiment, "paper", tuple(found), versions=("1+a",), commits=("c0ffee",),
            machines=("a machine",),
        )  # fmt: skip

    return made


@pytest.fixture
def table(cell, made):
    """Two rows, three columns: what fits, what is noise, what differs, and what nobody measured."""
    return made(
        (cell("a,1", 50.0, row="a", column="1"), 104, 96),
        (cell("a,2", 62.0, row="a", column="2"), 101, 99),
        (cell("a,3", 91.5, row="a", column="3"), 100, 100),
        (cell("b,1", 47.25, row="b", column="1"), 97, 103),
        (cell("b,2", row="b", column="2"), 131, 69),
        (cell("b,3", 33.0, row="b", column="3"), 0, 0),
        name="table-1", title="A table", wanted=200,
        source="Somebody, On something, table 1",
        claims=(lab.Claim("a,1 is weak", "below", {"cells": "a,1", "than": 20}),),
        notes=("a note",), deviations=("a deviation",), plot=lab.Plot("heat"),
    )  # fmt: skip


@pytest.fixture
def figure(cell, made):
    """Two lines of three points, and a second panel of one line."""
    points = [
        (cell(f"{line},{x},{panel}", 40.0 if x == 10 else None, row=line, x=x, table=panel),
         30 + 5 * place, 50)
        for panel, lines in (("small", ("tree", "graph")), ("large", ("tree",)))
        for line in lines
        for place, x in enumerate((10.0, 100.0, 1000.0))
    ]  # fmt: skip
    return made(*points, name="figure-2", plot=lab.Plot("lines", "playouts", log_x=True))


HOSTILE = '<script>alert(1)</script> | "quoted" & $\\frac$ _x_ `y`\n\n# heading\x1b[2J\u202e [z](http://a.example)'


@pytest.fixture
def hostile(cell, made):
    """An experiment whose every text means harm."""
    cells = [
        (lab.Cell(f"{HOSTILE} {place}", {**SETTINGS, HOSTILE: HOSTILE},
                  lab.Published(50.0, HOSTILE), row=f"{HOSTILE} r{place // 2}",
                  column=f"_{HOSTILE} c{place % 2}", table=HOSTILE, x=float(place)), 60, 40)
        for place in range(4)
    ]  # fmt: skip
    return made(
        *cells, name=f"../../{HOSTILE}", title=HOSTILE, source=HOSTILE, notes=(HOSTILE,),
        deviations=(HOSTILE,), claims=(lab.Claim(HOSTILE, "above", {"than": 50}),),
        plot=lab.Plot("heat", HOSTILE),
    )  # fmt: skip
