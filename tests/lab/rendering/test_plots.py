"""Plots are made for each kind, and show what was measured."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from trellis import lab
from trellis.game.errors import BadParameter
from trellis.lab.rendering.plots import figure_of, svg_of


def drawn_as(results, kind, **more):
    plot = replace(results.experiment.plot, kind=kind, **more)
    return replace(results, experiment=replace(results.experiment, plot=plot))


def test_lines_go_through_what_was_measured(figure):
    panels = figure.plot().axes
    assert [axes.get_title(loc="left") for axes in panels] == ["small", "large"]
    line = panels[0].lines[0]
    assert [*line.get_xdata()] == [10, 100, 1000]
    assert [*line.get_ydata()] == pytest.approx([37.5, 100 * 35 / 85, 100 * 40 / 90])
    assert panels[0].get_xlabel() == "playouts"
    assert panels[0].get_xscale() == "log"
    band = panels[0].collections[0].get_datalim(panels[0].transData)
    low, high = (figure.cells[place].estimate_at(0.95) for place in (0, 2))
    assert band.y0 == pytest.approx(min(low.low, high.low))
    shown = [text.get_text() for text in panels[0].get_legend().get_texts()]
    assert shown == ["tree", "tree, published", "graph", "graph, published"]


def test_bars_have_an_interval_each_and_diamonds_where_something_was_printed(table):
    (axes,) = drawn_as(table, "bars").plot().axes
    assert [bar.get_width() for bar in axes.patches] == [52.0, 50.5, 50.0, 48.5, 65.5]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "a,1", "a,2", "a,3", "b,1", "b,2",
    ]  # fmt: skip
    printed = axes.collections[-1].get_offsets()[:, 0]
    assert [*printed] == [50.0, 62.0, 91.5, 47.25]


def test_heat_maps_have_ours_and_what_was_printed(table):
    ours, printed, _ = drawn_as(table, "heat").plot().axes
    assert [text.get_text() for text in ours.texts] == ["52.0", "50.5", "50.0", "48.5", "65.5"]
    assert [text.get_text() for text in printed.texts] == ["50.0", "62.0", "91.5", "47.2", "33.0"]
    assert [label.get_text() for label in ours.get_yticklabels()] == ["a", "b"]
    assert ours.collections[0].norm.vmin + ours.collections[0].norm.vmax == 100  # even is white


def test_without_a_kind_the_cells_tell(figure, table):
    assert drawn_as(figure, "").plot().axes[0].lines
    assert drawn_as(table, "").plot().axes[0].patches


def test_an_unknown_kind_is_refused(table):
    with pytest.raises(BadParameter, match=r"unknown kind 'pie' of plot: expected one of lines"):
        figure_of(drawn_as(table, "pie"))


@pytest.mark.parametrize("kind", ["lines", "bars", "heat"])
@pytest.mark.parametrize("log", [False, True])
def test_hostile_names_are_drawn_as_they_are(hostile, kind, log):
    text = svg_of(drawn_as(hostile, kind, log_x=log, log_y=log))
    root = ET.fromstring(text)
    words = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("}text")]
    assert any("<script>alert(1)</script>" in each for each in words)
    assert not any(each.tag.endswith("}script") for each in root.iter())


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_files_of_every_format(table, figure, tmp_path, kind):
    files = lab.write_plots([table, figure], tmp_path, kind)
    begin = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[kind]
    assert [file.name for file in files] == [f"table-1.{kind}", f"figure-2.{kind}"]
    first = [file.read_bytes() for file in files]
    assert all(each.startswith(begin) for each in first)
    lab.write_plots([table, figure], tmp_path, kind)
    assert [file.read_bytes() for file in files] == first


def test_nothing_is_drawn_where_nothing_was_measured(cell, made, tmp_path):
    empty = made((cell("one"), 0, 0), plot=lab.Plot("bars"))
    assert lab.write_plots([empty], tmp_path) == []


def test_a_frame_has_a_row_for_each_cell(table):
    pytest.importorskip("pandas")
    frame = table.frame()
    assert [*frame["cell"]] == [each.cell.name for each in table.cells]
    assert frame["value"].sum() == pytest.approx(52 + 50.5 + 50 + 48.5 + 65.5)


def test_without_pandas_it_says_what_is_missing(table, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(lab.results.TrellisError, match="pandas is not installed"):
        table.frame()
