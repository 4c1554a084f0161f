"""Counts of games and positions, against published ones.

A data file is a table: game, ply, games, positions, source.  A `-` stands for a count that the
source does not give.
"""

import csv

import pytest

from trellis.game.perft import perft
from trellis.loading import load

from places import DATA


def _published():
    rows: dict[str, list[dict[str, str]]] = {}
    for file in sorted((DATA / "perft").glob("*.tsv")):
        with file.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                rows.setdefault(row["game"], []).append(row)
    return rows


@pytest.mark.parametrize(("spec", "rows"), _published().items(), ids=lambda x: str(x)[:40])
def test_counts_equal_the_published_ones(spec, rows):
    plies = perft(load(spec), max(int(row["ply"]) for row in rows))
    for row in rows:
        ours = plies[int(row["ply"])]
        assert row["source"]
        for column in ("games", "positions"):
            if row[column] != "-":
                assert getattr(ours, column) == int(row[column]), (row, ours)
