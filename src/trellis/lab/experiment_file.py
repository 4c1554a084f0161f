"""Experiments in files: TOML, checked on reading.

    title = "Which constant for Connect Four?"
    measure = "match"

    [settings]            # of all cells
    game = "connect_four"
    a = "uct:c={c}"       # {c} is filled in from the grid
    b = "uct:c=0.7"
    sims = 200

    [grid]                # a cell for each combination
    c = [0.3, 0.5, 1.0]

    [scales.paper]
    samples = 200

    [[claims]]
    text = "0.3 is better than 0.7"
    rule = "above"
    cells = "c=0.3"
    than = 50

In place of a grid, or besides, cells are written one by one as `[[cells]]`, with a `name`,
`settings` and what was `published`.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.lab.experiment import (
    Cell,
    Claim,
    Experiment,
    Plot,
    Published,
    Scale,
    check_names,
)
from trellis.lab.measures import measure_of
from trellis.lab.verdicts import check_claim

_MOST_BYTES = 1 << 20
_MOST_CELLS = 10_000
_MOST_SAMPLES = 10_000_000
_MOST_SEED = (1 << 63) - 1  # what a record keeps
_PLOTS = ("lines", "bars", "heat")
_IN_WORDS = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list",
    dict: "a table",
}  # fmt: skip
_KINDS: dict[str, tuple[type, ...]] = {
    "title": (str,), "measure": (str,), "source": (str,), "settings": (dict,), "grid": (dict,),
    "cells": (list,), "scales": (dict,), "claims": (list,), "deviations": (list,),
    "notes": (list,), "plot": (dict,), "seed": (int,), "batch": (int,), "needs": (list,),
    "name": (str,), "pace": (int, float),
}  # fmt: skip


def read_experiment(path: Path | str) -> Experiment:
    """Read an experiment; refuse what is wrong with it in one line that says where."""
    path = Path(path)
    shown = shorten(str(path))
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadParameter(f"{shown} is too large: expected at most {_MOST_BYTES >> 10:,} KiB")
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadParameter(f"cannot read {shown}: {reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadParameter(f"{shown} is not TOML: {error}") from error
    try:
        return experiment_of(content, path.stem)
    except BadParameter as error:
        raise BadParameter(f"{shown}: {error}") from None


def experiment_of(content: Mapping[str, Any], name: str) -> Experiment:
    """Make an experiment from what a file says."""
    _check_kinds(content, _KINDS, "the file")
    for needed in ("measure", "scales"):
        if needed not in content:
            raise BadParameter(f"{needed} is missing")
    settings = content.get("settings", {})
    cells = [*_grid_cells(content.get("grid", {}), settings)]
    cells += [_read_cell(entry, settings) for entry in _tables(content, "cells")]
    experiment = Experiment(
        name=content.get("name", name),
        title=content.get("title", name),
        measure=content["measure"],
        cells=tuple(cells),
        scales={each: _read_scale(each, entry) for each, entry in content["scales"].items()},
        source=content.get("source", ""),
        claims=tuple(_read_claim(entry) for entry in _tables(content, "claims")),
        deviations=_texts(content, "deviations"),
        notes=_texts(content, "notes"),
        plot=_make(Plot, content.get("plot", {}), "plot"),
        seed=_whole(content.get("seed", 0), "seed", -_MOST_SEED, _MOST_SEED),
        batch=_whole(content.get("batch", 2), "batch", 1, 100_000),
        needs=_texts(content, "needs"),
        pace=float(content.get("pace", 0.0)),
    )
    check_names(experiment)
    if not experiment.name or not experiment.name.isprintable():
        raise BadParameter(f"bad value {shorten(experiment.name)} for name: expected one line")
    if experiment.plot.kind not in ("", *_PLOTS):
        raise BadParameter(
            f"bad value {shorten(experiment.plot.kind)} for kind of plot: expected one of "
            f"{', '.join(_PLOTS)}"
        )
    for claim in experiment.claims:
        check_claim(claim, [cell.name for cell in experiment.cells])
    measure = measure_of(experiment.measure)
    for of, scale in experiment.scales.items():
        chosen = experiment.cells_at(scale)
        if not chosen:
            raise BadParameter(
                f"no cell is called {shorten(scale.cells)}, the cells of scale {shorten(of)}"
            )
        for cell in chosen:
            measure.read(cell.settings)
    return experiment


def _grid_cells(grid: Mapping[str, Any], settings: Mapping[str, Any]) -> list[Cell]:
    """Return a cell for each combination of the grid's values."""
    if not grid:
        return []
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise BadParameter(f"bad grid {shorten(name)}: expected a list of values")
    number = 1
    for values in grid.values():
        number *= len(values)
    if number > _MOST_CELLS:
        raise BadParameter(f"the grid has {number:,} cells: expected at most {_MOST_CELLS:,}")
    found = []
    for values in product(*grid.values()):
        at = dict(zip(grid, map(_written, values), strict=True))
        used = {each for each in at if any(f"{{{each}}}" in str(v) for v in settings.values())}
        plain = {each: value for each, value in zip(grid, values, strict=True) if each not in used}
        names = [*at]
        number_of_last = values[-1] if isinstance(values[-1], int | float) else None
        found.append(
            Cell(
                ",".join(f"{each}={value}" for each, value in at.items()),
                {**{each: _filled(value, at) for each, value in settings.items()}, **plain},
                row=",".join(f"{each}={at[each]}" for each in names[:-1]),
                column=f"{names[-1]}={at[names[-1]]}",
                x=None if number_of_last is None else float(number_of_last),
            )
        )
    return found


def _filled(value: Any, at: Mapping[str, str]) -> Any:
    """Put the values of a grid into the places that name them, which may be all of a setting."""
    if not isinstance(value, str):
        return value
    for name, text in at.items():
        value = value.replace(f"{{{name}}}", text)
    return value


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read_cell(entry: Mapping[str, Any], settings: Mapping[str, Any]) -> Cell:
    kinds: dict[str, tuple[type, ...]] = {
        "name": (str,), "settings": (dict,), "published": (int, float, str), "row": (str,),
        "published_samples": (int,), "column": (str,), "table": (str,), "x": (int, float),
    }  # fmt: skip
    _check_kinds(entry, kinds, "a cell")
    if not entry.get("name"):
        raise BadParameter("a cell has no name")
    published = None
    if "published" in entry:
        value = entry["published"]
        if isinstance(value, float) and not math.isfinite(value):
            raise BadParameter(f"bad value {value} for published of a cell: expected a number")
        if "published_samples" in entry:
            _whole(entry["published_samples"], "published_samples of a cell", 1, _MOST_SAMPLES)
        published = Published(
            float(value) if not isinstance(value, str) else None,
            value if isinstance(value, str) else "",
            samples=entry.get("published_samples"),
        )
    return Cell(
        entry["name"], {**settings, **entry.get("settings", {})}, published,
        entry.get("row", ""), entry.get("column", ""), entry.get("table", ""), entry.get("x"),
    )  # fmt: skip


def _read_scale(name: str, entry: Any) -> Scale:
    if not isinstance(entry, dict):
        raise BadParameter(f"bad scale {shorten(name)}: expected samples, and maybe settings")
    kinds: dict[str, tuple[type, ...]] = {"samples": (int,), "cells": (str,), "settings": (dict,)}
    _check_kinds(entry, kinds, f"scale {name}")
    if "samples" not in entry:
        raise BadParameter(f"scale {shorten(name)} does not say how many samples")
    samples = _whole(entry["samples"], f"samples of scale {name}", 1, _MOST_SAMPLES)
    return Scale(samples, entry.get("cells", "*"), entry.get("settings", {}))


def _read_claim(entry: Mapping[str, Any]) -> Claim:
    for needed in ("text", "rule"):
        if not isinstance(entry.get(needed), str):
            raise BadParameter(f"a claim needs {needed}")
    settings = {name: value for name, value in entry.items() if name not in {"text", "rule"}}
    return Claim(entry["text"], entry["rule"], settings)


def _make(kind: type, entry: Mapping[str, Any], what: str) -> Any:
    known = {each.name: (type(each.default),) for each in fields(kind)}
    _check_kinds(entry, known, what)
    return kind(**entry)


def _check_kinds(
    entry: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]], where: str
) -> None:
    for name, value in entry.items():
        if name not in kinds:
            raise BadParameter(
                f"unknown field {shorten(name)} of {where}: expected one of {', '.join(kinds)}"
                f"{nearest(name, kinds)}"
            )
        right = isinstance(value, kinds[name])
        if not right or (isinstance(value, bool) and bool not in kinds[name]):
            expected = _IN_WORDS.get(kinds[name][-1], "another")
            raise BadParameter(
                f"bad value {shorten(str(value))} for {name} of {where}: expected {expected}"
            )


def _tables(content: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = content.get(name, [])
    if not all(isinstance(each, dict) for each in found):
        raise BadParameter(f"bad {name}: expected tables, [[{name}]]")
    return found


def _texts(content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = content.get(name, [])
    if not all(isinstance(each, str) for each in found):
        raise BadParameter(f"bad {name}: expected a list of texts")
    return tuple(found)


def _whole(value: int, what: str, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadParameter(f"bad value {value} for {what}: expected {least:,} to {most:,}")
    return value
