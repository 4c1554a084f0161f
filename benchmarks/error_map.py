"""What the error map says: which depths help in which games, and whether the graph foretells it.

    trellis reproduce error-map-100 graph-shape --record map.sqlite
    python benchmarks/error_map.py map.sqlite --plot error-map.svg

prints tables in Markdown: for each game the errors of a tree and of UCD, each with the constant
that suits it best; what each depth does, all else equal; and how these gains go together with the
shape of the graph.  Searches are compared on the same positions, so differences are of pairs.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np

from trellis.game.errors import TrellisError
from trellis.lab.exchange import import_record, is_export
from trellis.lab.experiments import find_experiment
from trellis.lab.record import Record
from trellis.lab.results import CellResult, Results
from trellis.lab.running import Run
from trellis.lab.studies.error_map import BUDGETS, CONSTANTS, DEPTHS, GAMES

TRIPLES = [",".join(triple) for triple in product(DEPTHS, repeat=3)]
PLAIN = TRIPLES.index("0,0,0")
FEATURES = {
    "shared": "moves to a position that was there, %", "ways": "moves that lead to a position",
    "depth": "mean depth", "choices": "moves of a position",
}  # fmt: skip
_TOGETHER = NormalDist().inv_cdf(1 - 0.05 / 2 / len(TRIPLES))  # all depths of a game at once


class GameMap:
    """Wrong choices in one game: percent, of each position, for each constant and depths."""

    def __init__(self, name: str, cells: dict[str, CellResult]) -> None:
        def row(cell: str, c: float) -> dict[int, float]:
            return dict(cells[f"{name}/{cell}/c={c:g}"].counted())

        trees = [row("tree", c) for c in CONSTANTS]
        maps = [[row(triple, c) for triple in TRIPLES] for c in CONSTANTS]
        known = set.intersection(*(set(each) for each in [*trees, *(m for r in maps for m in r)]))
        numbers = sorted(known)
        self.name = name
        self.samples = len(numbers)
        self.tree = np.array([[each[n] for n in numbers] for each in trees])
        self.ucd = np.array([[[each[n] for n in numbers] for each in r] for r in maps])

    def best(self) -> tuple[int, int]:
        """Return the constants, by place, that suit the tree and all depths together best."""
        return int(self.tree.mean(1).argmin()), int(self.ucd.mean((1, 2)).argmin())

    def gains(self) -> np.ndarray:
        """Return by how much each depth errs less than the tree: [depths, positions].

        Both have the constant that suits the tree best.
        """
        at = self.best()[0]
        return np.asarray(self.tree[at] - self.ucd[at])

    def effect(self, which: int, depth: str) -> tuple[float, float]:
        """Return what raising one depth from 0 takes off the errors, and its standard error."""
        errors = self.ucd[self.best()[1]]
        places = [triple.split(",") for triple in TRIPLES]
        with_it = [n for n, each in enumerate(places) if each[which] == depth]
        without = [n for n, each in enumerate(places) if each[which] == "0"]
        return mean_and_error(errors[without].mean(0) - errors[with_it].mean(0))


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1)) / sqrt(len(values))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation; ranks of equal values are averaged.

    >>> round(rank_correlation([1, 2, 3, 4], [10, 20, 40, 30]), 3)
    0.8
    """

    def ranks(values: Sequence[float]) -> np.ndarray:
        found = np.array(values, dtype=float)
        return np.array([(found < x).sum() + ((found == x).sum() - 1) / 2 for x in found])

    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def recorded(record: Record, name: str) -> Results:
    """Return what is on record of an experiment, whichever version has measured it."""
    run = Run(find_experiment(name), "paper", record, any_version=True)
    run.recorded()
    return run.results()


def maps_of(results: Results) -> list[GameMap]:
    """Return the maps of all games of which every cell is known."""
    cells = {each.cell.name: each for each in results.cells}
    found = []
    for name in GAMES:
        own = [each for each in results.cells if each.cell.name.startswith(f"{name}/")]
        if all(any(True for _ in each.counted()) for each in own):
            found.append(GameMap(name, cells))
    return found


# -- tables ------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(value: float, error: float) -> str:
    """Write a difference in points with its 95 % interval.

    >>> signed(1.23, 0.5), signed(-0.04, 0.01)
    ('+1.2 ± 1.0', '-0.0 ± 0.0')
    """
    return f"{value:+.1f} ± {1.96 * error:.1f}"


def overview(maps: Sequence[GameMap]) -> str:
    """Return how a tree and UCD do, and how many depths differ from the tree."""
    rows = []
    for each in maps:
        tree, ucd = each.best()
        gains = [mean_and_error(gain) for gain in each.gains()]
        better = sum(gain > _TOGETHER * error for gain, error in gains)
        worse = sum(-gain > _TOGETHER * error for gain, error in gains)
        order = each.ucd[ucd].mean(1).argsort(kind="stable")
        rows.append([
            each.name, f"{each.samples:,}",
            f"{each.tree[tree].mean():.1f} ({CONSTANTS[tree]:g})",
            f"{each.ucd[ucd][PLAIN].mean():.1f} ({CONSTANTS[ucd]:g})",
            f"{each.ucd[ucd][order[0]].mean():.1f} ({TRIPLES[order[0]]})",
            f"{each.ucd[ucd][order[-1]].mean():.1f} ({TRIPLES[order[-1]]})",
            signed(*gains[TRIPLES.index("1,0,1")]), f"{better} : {worse}",
        ])  # fmt: skip
    return table(
        ["game", "positions", "tree (c)", "0,0,0 (c)", "fewest (depths)", "most (depths)",
         "1,0,1 takes off the tree", "depths better : worse"],
        rows,
    )  # fmt: skip


def effects(maps: Sequence[GameMap]) -> str:
    """Return what each depth does, the mean over the other two."""
    columns = [(which, depth) for which in range(3) for depth in DEPTHS[1:]]
    head = ["game", *(f"d{which + 1}={depth}" for which, depth in columns)]
    rows = [
        [each.name, *(signed(*each.effect(which, depth)) for which, depth in columns)]
        for each in maps
    ]
    return table(head, rows)


def features_of(shapes: Results, sims: int) -> dict[str, dict[str, float]]:
    """Return the shape of each game's graphs."""
    found = {}
    for each in shapes.cells:
        if each.cell.x == sims and any(True for _ in each.counted()):
            estimate = each.estimate_at(0.95)
            found[each.cell.row] = {"shared": estimate.value, **estimate.facts}
    return found


def foretold(maps: Sequence[GameMap], features: dict[str, dict[str, float]]) -> str:
    """Return shapes of graphs beside gains, and their rank correlations."""
    known = [each for each in maps if each.name in features]
    gains = {
        "gain of 1,0,1": [float(m.gains()[TRIPLES.index("1,0,1")].mean()) for m in known],
        **{
            f"gain of d{which + 1}=inf": [each.effect(which, "inf")[0] for each in known]
            for which in range(3)
        },
    }
    rows = [
        [each.name, *(f"{features[each.name][name]:.1f}" for name in FEATURES),
         *(f"{values[place]:+.1f}" for values in gains.values())]
        for place, each in enumerate(known)
    ]  # fmt: skip
    shapes = {name: [features[each.name][name] for each in known] for name in FEATURES}
    ranks = [
        [what, *(f"{rank_correlation(shapes[name], values):+.2f}" for name in FEATURES)]
        for what, values in gains.items()
    ]
    return "\n\n".join([
        table(["game", *FEATURES.values(), *gains], rows),
        f"Rank correlations over {len(known)} games:",
        table(["", *FEATURES.values()], ranks),
    ])  # fmt: skip


# -- the picture -------------------------------------------------------------------------------


def draw(maps: Sequence[GameMap], path: Path, sims: int) -> None:
    """Draw by how much each of the depths errs less than the tree."""
    from matplotlib.figure import Figure

    gains = np.array([each.gains().mean(1) for each in maps])
    figure = Figure(figsize=(13, 0.45 * len(maps) + 1.8), layout="constrained")
    axes = figure.subplots()
    far = max(float(np.abs(gains).max()), 1.0)
    image = axes.imshow(gains, cmap="RdBu", vmin=-far, vmax=far, aspect="auto")
    axes.set_yticks(range(len(maps)), [each.name for each in maps])
    axes.set_xticks(range(len(TRIPLES)), TRIPLES, rotation=90, fontsize=7)
    axes.set_xlabel("d1, d2, d3")
    axes.set_title(f"points by which UCD errs less than a tree, {sims:,} playouts")
    figure.colorbar(image, ax=axes)
    figure.savefig(path)


def main() -> int:
    """Print the tables of one budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("record", type=Path, help="a record, or an export of one")
    parser.add_argument("--sims", type=int, choices=BUDGETS, default=BUDGETS[0])
    parser.add_argument("--plot", type=Path, help="draw the map into this file")
    asked = parser.parse_args()
    if not asked.record.is_file():
        parser.error(f"there is no record {asked.record}")
    exported = is_export(asked.record)
    with closing(Record(":memory:" if exported else asked.record)) as record:
        if exported:
            import_record(record, asked.record)
        maps = maps_of(recorded(record, f"error-map-{asked.sims}"))
        if not maps:
            parser.error(f"nothing is on record of error-map-{asked.sims}")
        features = features_of(recorded(record, "graph-shape"), asked.sims)
    parts = [overview(maps), effects(maps)]
    if features:
        parts.append(foretold(maps, features))
    print("\n\n".join(parts))
    if asked.plot is not None:
        draw(maps, asked.plot, asked.sims)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TrellisError as error:
        sys.exit(str(error))
