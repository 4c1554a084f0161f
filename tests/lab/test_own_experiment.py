"""The example of an experiment of one's own: a file and the same in Python."""

import runpy
from pathlib import Path

import pytest

from trellis import lab

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def experiment():
    return lab.read_experiment(EXAMPLES / "which_constant.toml")


def test_the_file_and_the_python_say_the_same(experiment):
    assert runpy.run_path(str(EXAMPLES / "which_constant.py"))["EXPERIMENT"] == experiment


def test_the_file_has_thirty_lines():
    assert len((EXAMPLES / "which_constant.toml").read_text().splitlines()) <= 30


def test_both_run_and_come_to_the_same(experiment):
    written = runpy.run_path(str(EXAMPLES / "which_constant.py"))["EXPERIMENT"]
    first, second = (lab.run(each, "smoke") for each in (experiment, written))
    assert first.complete
    assert [len(cell.samples) for cell in first.cells] == [4] * 6
    assert [cell.samples for cell in first.cells] == [cell.samples for cell in second.cells]
    assert [verdict["answer"] for verdict in first.to_dict()["claims"]] == ["open"]
    (axes,) = first.plot().axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "select=uct0", "select=simple",
    ]  # fmt: skip
