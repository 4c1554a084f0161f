"""Where a cell stands in a table, and what is said of it."""

from dataclasses import replace

import pytest

from trellis import lab
from trellis.lab.rendering.chapters import by_paper, chapter_of
from trellis.lab.rendering.tables import parts_of
from trellis.lab.rendering.text import part_lines, summary_lines, text_lines


def test_rows_and_columns_are_those_of_the_cells(table):
    (part,) = parts_of(table)
    assert part.grid.columns == ("1", "2", "3")
    assert [label for label, _ in part.grid.rows] == ["a", "b"]
    names = [[entry.name for entry in row] for _, row in part.grid.rows]
    assert names == [["a,1", "a,2", "a,3"], ["b,1", "b,2", "b,3"]]


def test_each_cell_beside_what_was_printed(table):
    entries = {entry.name: entry for entry in parts_of(table)[0].entries}
    # 104 of 200: the interval of Wilson is 45.1 to 58.8, as any calculator of it says.
    assert (entries["a,1"].ours, entries["a,1"].between) == ("52.0", "45.1 to 58.8")
    marks = [entry.agreement for entry in entries.values()]
    assert marks == ["fits", "noise", "differs", "fits", "", ""]
    assert [entry.published for entry in entries.values()] == [
        "50.0", "62.0", "91.5", "47.25", "", "33.0",
    ]  # fmt: skip
    assert (entries["b,3"].ours, entries["b,3"].samples) == ("", 0)


def test_points_of_a_figure_have_a_row_each_and_a_column_a_line(figure):
    small, large = parts_of(figure)
    assert (small.title, large.title) == ("small", "large")
    assert small.grid.corner == "playouts"
    assert [label for label, _ in small.grid.rows] == ["10", "100", "1,000"]
    assert (small.grid.columns, large.grid.columns) == (("tree", "graph"), ("tree",))


def test_cells_that_would_stand_in_one_place_have_a_row_each(cell, made):
    two = [
        cell(name, row="r", column=column)
        for name, column in ("p1", "q2", "q2")
        for column in column
    ]
    assert parts_of(made(*((each, 1, 1) for each in two)))[0].grid is None


@pytest.mark.parametrize("where", [{}, {"row": "a"}, {"column": "b"}])
def test_cells_without_rows_and_columns_have_a_row_each(cell, made, where):
    found = made(*((cell(name, **where), 1, 1) for name in ("one", "two")))
    (part,) = parts_of(found)
    assert part.grid is None
    assert [entry.name for entry in part.entries] == ["one", "two"]


def test_rounding_is_no_difference():
    """1/7 is printed as 0.14, which does not make it another number."""
    from trellis.lab.measures import Estimate
    from trellis.lab.verdicts import compare

    exact = Estimate(1 / 7, 1 / 7, 1 / 7, 2)
    assert compare(exact, lab.Published(0.14), 0.95, "")
    assert not compare(exact, lab.Published(0.15), 0.95, "")
    assert not compare(exact, lab.Published(0.14, "0.140"), 0.95, "")
    assert compare(Estimate(0.125, 0.125, 0.125, 2), lab.Published(0.12), 0.95, "")


def test_words_are_the_same_or_not(cell, made):
    found = made((cell("seki"), 1, 0)).cells[0]
    worked = replace(
        found, measure=lab.run.__globals__["measure_of"]("worked"),
        samples=((0, {"value": 0.5, "text": "draw"}),),
    )  # fmt: skip
    for text, mark in (("draw", "fits"), ("won|draw", "fits"), ("won", "differs")):
        printed = replace(worked.cell, published=lab.Published(None, text))
        assert replace(worked, cell=printed).agreement(0.95) == mark
        # A number beside the words changes nothing: it may be the same where the words are not.
        printed = replace(worked.cell, published=lab.Published(0.5, text))
        assert replace(worked, cell=printed).agreement(0.95) == mark
    # Words about a number are no other number.
    near = replace(worked, samples=((0, {"value": 10.4, "text": "10.4"}),))
    about = replace(worked.cell, published=lab.Published(10.0, "about ten times"))
    assert replace(near, cell=about).agreement(0.95) == "fits"


def test_a_table_that_is_too_wide_has_a_row_a_cell(table):
    (part,) = parts_of(table)
    wide, narrow = part_lines(part, 100), part_lines(part, 40)
    assert len(wide) == 1 + 2 * 2
    assert len(narrow) == 1 + 6
    assert " ".join(wide[1].split()) == (
        "a 52.0 (45.1 to 58.8) 50.5 (43.6 to 57.4) 50.0 (43.1 to 56.9)"
    )
    assert wide[2].split() == ["published", "50.0", "=", "62.0", "~", "91.5", "≠"]


def test_text_has_claims_and_what_they_came_to(table):
    text = "\n".join(text_lines(chapter_of(table)))
    assert "a,1 is weak: not borne out; 0 of 1 cells are below 20; a,1 on the other side" in text
    assert "2 of 4 cells fit what was printed, 1 is within the noise, 1 differs" in text
    assert "0 to 200 samples a cell, 83 % of the samples" in text


def test_a_summary_has_a_line_for_each_experiment(table, figure):
    lines = summary_lines([chapter_of(table), chapter_of(figure)])
    assert [line.split()[0] for line in lines] == ["experiment", "table-1", "figure-2"]
    assert lines[1].split()[-6:] == ["2", "1", "1", "not", "borne", "out"]


def test_experiments_stand_under_their_papers(table, figure):
    chapters = [chapter_of(table), chapter_of(figure), chapter_of(table)]
    grouped = [(paper, [each.name for each in group]) for paper, group in by_paper(chapters)]
    assert grouped == [
        ("Somebody, On something", ["table-1", "table-1"]),
        ("Without a source", ["figure-2"]),
    ]


def test_the_documentation_names_every_rule():
    from pathlib import Path

    from trellis.lab.verdicts import RULES

    page = Path(__file__).parents[3] / "docs" / "experiments.md"
    table = page.read_text(encoding="utf-8").partition("| rule | asks whether |")[2]
    rows = table.partition("\n\n")[0].splitlines()
    named = [name.strip(" `") for row in rows[2:] for name in row.split("|")[1].split(",")]
    assert sorted(named) == sorted(RULES)
