"""Verdicts: each rule can say yes, no and that it is open, and chance alone seldom convinces."""

from itertools import product
from random import Random

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.estimates import of_many
from trellis.lab.experiment import Cell, Claim, Experiment, Published, Scale
from trellis.lab.measures import Estimate, measure_of
from trellis.lab.results import CellResult, Results
from trellis.lab.verdicts import RULES, check_claim, compare, judge_claim

MATCH, WORKED = measure_of("match"), measure_of("worked")


def games(wins, of):
    """Return the scores of so many games, wins spread over them evenly."""
    return [float((n + 1) * wins // of > n * wins // of) for n in range(of)]


def results(cells, measure=MATCH, published=None, unmeasured=()):
    """Return results with these values of each cell."""
    published = published or {}
    made = tuple(Cell(name, {}, published.get(name)) for name in (*cells, *unmeasured))
    experiment = Experiment("made", "made", measure.name, made, {"paper": Scale(1)})
    found = []
    for cell in made[: len(cells)]:
        samples = [
            value if isinstance(value, dict) else {"value": value} for value in cells[cell.name]
        ]
        found.append(CellResult(cell, measure, tuple(enumerate(samples)), len(samples)))
    return Results(experiment, "paper", tuple(found))


def answer(found, rule, **settings):
    return judge_claim(found, Claim("so it is", rule, settings)).answer


def printed(value, samples=200):
    return {"a": Published(value, samples=samples)}


def text(what):
    return {"value": 1.0, "text": what}


EXACT = {"a": Published(text="1/2|0.5")}
CASES = [
    ("as_published", {}, {"published": printed(60)}, {
        "yes": {"a": games(110, 200)}, "no": {"a": games(60, 200)}, "open": {"a": games(1, 2)}}),
    ("some_fit", {}, {"published": printed(60)}, {
        "yes": {"a": games(110, 200), "b": games(20, 200)}, "no": {"a": games(60, 200)},
        "open": {"a": games(1, 2)}}),
    ("between", {"least": 40, "most": 60}, {}, {
        "yes": {"a": games(500, 1000)}, "no": {"a": games(300, 1000)}, "open": {"a": games(1, 2)}}),
    ("rising", {}, {}, {
        "yes": {"a": games(60, 200), "b": games(140, 200)},
        "no": {"a": games(140, 200), "b": games(60, 200)},
        "open": {"a": games(100, 200), "b": games(101, 200)}}),
    ("alike", {"by": 10}, {}, {
        "yes": {"a": games(5000, 10000), "b": games(5010, 10000)},
        "no": {"a": games(140, 200), "b": games(60, 200)},
        "open": {"a": games(100, 200), "b": games(101, 200)}}),
    ("mean_above", {"than": 50}, {}, {
        "yes": {"a": games(140, 200), "b": games(100, 200)},
        "no": {"a": games(60, 200), "b": games(100, 200)},
        "open": {"a": games(101, 200), "b": games(100, 200)}}),
    ("exact", {}, {"published": EXACT, "measure": WORKED}, {
        "yes": {"a": [text("0.5")]}, "no": {"a": [text("0.6")]}, "open": {"a": []}}),
    ("above", {"than": 50}, {}, {
        "yes": {"a": games(140, 200), "b": games(160, 200)},
        "no": {"a": games(60, 200), "b": games(160, 200)},
        "open": {"a": games(101, 200), "b": games(160, 200)}}),
    ("below", {"than": 50}, {}, {
        "yes": {"a": games(60, 200)}, "no": {"a": games(140, 200)}, "open": {"a": games(99, 200)}}),
    ("best_above", {"than": 50, "by": 5}, {}, {
        "yes": {"a": games(140, 200), "b": games(100, 200)},
        "no": {"a": games(5000, 10000), "b": games(4900, 10000)},
        "open": {"a": games(110, 200), "b": games(100, 200)}}),
    ("more", {"more": "a", "less": "b"}, {}, {
        "yes": {"a": games(140, 200), "b": games(100, 200)},
        "no": {"a": games(60, 200), "b": games(100, 200)},
        "open": {"a": games(105, 200), "b": games(100, 200)}}),
    ("ratio", {"of": "a", "to": "b", "most": 0.5}, {}, {
        "yes": {"a": [1.0, 2.0, 3.0], "b": [10.0, 20.0, 31.0]},
        "no": {"a": [9.0, 21.0, 30.0], "b": [10.0, 20.0, 31.0]},
        "open": {"a": [1.0, 21.0, 3.0], "b": [10.0, 20.0, 31.0]}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "settings", "more", "cells", "expected"),
    [
        (rule, settings, more, cells, expected)
        for rule, settings, more, by_answer in CASES
        for expected, cells in by_answer.items()
    ],
)
def test_every_rule_can_say_yes_and_no_and_open(rule, settings, more, cells, expected):
    found = results(cells, **more)
    assert answer(found, rule, **settings) == expected
    check_claim(Claim("so it is", rule, settings), [*cells])


def test_every_rule_is_tested():
    assert {rule for rule, *_ in CASES} == set(RULES)


@pytest.mark.parametrize(
    ("rule", "settings", "cells", "more"),
    [
        ("as_published", {}, {"a": games(110, 200)}, {"published": printed(55)}),
        ("exact", {}, {"a": [text("0.5")]}, {"published": EXACT, "measure": WORKED}),
        ("above", {"than": 50}, {"a": games(140, 200)}, {}),
    ],
)
def test_what_is_said_of_all_cells_is_open_until_all_are_measured(rule, settings, cells, more):
    assert answer(results(cells, **more), rule, **settings) == "yes"
    found = results(cells, **more, unmeasured=("later",))
    assert answer(found, rule, **settings) == "open"
    assert answer(found, rule, **settings, cells="a") == "yes"


@pytest.mark.parametrize("rule", ["more", "ratio"])
def test_a_cell_that_was_not_measured_leaves_it_open(rule):
    names = {"more": ("more", "less"), "ratio": ("of", "to")}[rule]
    found = results({"a": games(1, 2)}, unmeasured=("b",))
    assert answer(found, rule, **dict(zip(names, "ab", strict=True))) == "open"


def null_table(random, cells=27, of=200):
    """Return a table of cells without any effect, games in pairs."""
    return results({
        f"{a}{b}{c}": [float(random.random() < 0.5) for _ in range(of)]
        for a, b, c in [*product("012", repeat=3)][:cells]
    })  # fmt: skip


def test_the_best_of_27_cells_without_effect_is_seldom_called_one():
    """The share of false alarms is at most 5 %; 200 tables at that share have at most 18."""
    random = Random(11)
    tables = [null_table(random) for _ in range(200)]
    alarms = sum(answer(table, "best_above", than=50) == "yes" for table in tables)
    assert alarms <= 18
    best = [max(each.estimate_at(0.95).value for each in table.cells) for table in tables]
    assert sum(best) / len(best) == pytest.approx(57, abs=0.5), "as the best of 27 look"
    naive = sum(any(each.estimate_at(0.95).low > 50 for each in table.cells) for table in tables)
    assert naive > 75, "what nobody who looks at one cell at a time would notice"


def test_an_effect_among_27_cells_is_found():
    random = Random(5)
    found = 0
    for _ in range(50):
        table = null_table(random, 26)
        better = results({"better": [float(random.random() < 0.68) for _ in range(200)]})
        table = Results(table.experiment, "paper", (*table.cells, *better.cells))
        found += answer(table, "best_above", than=50) == "yes"
    assert found >= 45


def test_a_table_that_was_printed_from_the_same_truth_fits():
    """Both are samples: the rule allows for the noise of both, over all cells together."""
    random = Random(2)
    refused = 0
    for _ in range(200):
        shares = {f"c{n}": random.uniform(0.3, 0.7) for n in range(27)}

        def draw(share):
            return [float(random.random() < share) for _ in range(200)]

        there = {n: Published(sum(draw(s)) / 2, samples=200) for n, s in shares.items()}
        here = results({n: draw(s) for n, s in shares.items()}, published=there)
        refused += answer(here, "as_published") == "no"
    assert refused <= 20  # 5 % would be 10


def test_bounds_are_held_against_the_side_that_they_bound():
    confidence = of_many(0.95, 1)
    at_least = Published(1000.0, at_least=True)
    assert compare(Estimate(2000, 1900, 2100, 9), at_least, confidence, "playouts") is True
    assert compare(Estimate(500, 400, 600, 9), at_least, confidence, "playouts") is False
    given_up = Estimate(500, 400, 600, 9, at_least=True)
    assert compare(given_up, Published(900.0), confidence, "playouts") is True
    assert compare(given_up, Published(100.0), confidence, "playouts") is False
    assert compare(given_up, Published(text="draw"), confidence, "playouts") is None


def test_nothing_measured_is_open():
    assert answer(results({}, unmeasured=("a",)), "above", than=50) == "open"


@pytest.mark.parametrize(
    ("rule", "settings", "message"),
    [
        ("abov", {}, "unknown rule 'abov' of a claim: expected one of as_published"),
        ("above", {}, "a claim by the rule above needs than"),
        ("above", {"than": "x"}, "bad value 'x' for than of a claim by the rule above"),
        ("above", {"than": True}, "bad value 'True' for than"),
        ("above", {"than": 1, "cell": "a"}, "unknown field 'cell' of a claim by the rule above"),
        ("above", {"than": 1, "cells": "z"}, "bad value 'z' for cells"),
        ("more", {"more": "a", "less": "z"}, "bad value 'z' for less"),
    ],
)
def test_a_claim_that_cannot_be_judged_is_refused(rule, settings, message):
    with pytest.raises(BadParameter) as refused:
        check_claim(Claim("so it is", rule, settings), ["a", "b"])
    assert message in str(refused.value)
