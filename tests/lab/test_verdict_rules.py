"""Rules of verdicts over made-up games whose answer is known."""

from dataclasses import dataclass

import pytest

from trellis.lab.experiment import Cell, Claim, Experiment, Published, Scale
from trellis.lab.measures import measure_of
from trellis.lab.results import CellResult, Results
from trellis.lab.verdicts import NO, OPEN, YES, compare, judge_claim

MEASURE = measure_of("alone")


@dataclass(frozen=True)
class Made:
    """Cells with a mean and a spread of so much around it, 100 samples each."""

    means: dict

    def results(self, left_out=()):
        cells = tuple(Cell(name, {}) for name in self.means)
        found = tuple(
            CellResult(cell, MEASURE, tuple(self.samples(cell.name)), 100)
            for cell in cells
            if cell.name not in left_out
        )
        experiment = Experiment("made", "", "alone", cells, {"paper": Scale(100)})
        return Results(experiment, "paper", found)

    def samples(self, name):
        for number in range(100):
            yield number, {"value": self.means[name] + (1 if number % 2 else -1)}


def answer(means, rule, left_out=(), **settings):
    return judge_claim(Made(means).results(left_out), Claim("", rule, settings)).answer


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ({"a": 10, "b": 20, "c": 30}, YES),
        ({"a": 10, "b": 9.9, "c": 30}, YES),  # a fall within the noise
        ({"a": 10, "b": 30, "c": 20}, NO),
        ({"a": 10, "b": 10.1, "c": 10.1}, OPEN),
        ({"a": 10}, OPEN),
    ],
)
def test_rising(means, expected):
    assert answer(means, "rising") == expected


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ({"a": 50, "b": 50.1}, YES),
        ({"a": 50, "b": 54}, NO),
        ({"a": 50, "b": 51.9}, OPEN),
    ],
)
def test_alike(means, expected):
    assert answer(means, "alike", by=2) == expected


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ({"a": 49, "b": 51}, YES),
        ({"a": 49, "b": 56}, NO),
        ({"a": 40, "b": 50}, NO),
        ({"a": 45.1, "b": 50}, OPEN),
    ],
)
def test_between(means, expected):
    assert answer(means, "between", least=45, most=55) == expected


def test_what_has_not_been_measured_is_open_and_not_an_error():
    means = {"a": 10, "b": 20}
    assert answer(means, "more", more="b", less="a") == YES
    assert answer(means, "more", left_out=("a",), more="b", less="a") == OPEN
    assert answer(means, "ratio", left_out=("b",), of="b", to="a") == OPEN


def test_a_printed_number_may_be_off_by_its_own_error():
    result = Made({"a": 50}).results().cells[0]
    estimate = result.estimate_at(0.95)
    assert compare(estimate, Published(50.1), 0.95, "%") is True
    assert compare(estimate, Published(53.0), 0.95, "%") is False
    assert compare(estimate, Published(53.0, error=2.0), 0.95, "%") is True
    # The error that is told counts, not the one that games won and lost would have.
    assert compare(estimate, Published(53.0, samples=200), 0.95, "%") is True
    assert compare(estimate, Published(53.0, samples=200, error=0.3), 0.95, "%") is False
