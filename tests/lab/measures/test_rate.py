"""Rates of random games; another program is played by a script that says what it likes."""

import os
from fractions import Fraction
from functools import cache

import pytest

from trellis.game.errors import BadParameter
from trellis.gdl.sheet import Sheet
from trellis.lab.measures import measure_of
from trellis.lab.measures.rate import sheet_path
from trellis.lab.prolog import prolog_text
from trellis.loading import load

MEASURE = measure_of("rate")


def take(**settings):
    read = MEASURE.read({"seconds": 0.05, **settings})
    MEASURE.check(read)
    return MEASURE.take(read, 1, 0)


@cache
def length(position):
    """Return how many moves random play has left."""
    if position.is_over:
        return Fraction(0)
    codes = position.move_codes()
    return 1 + sum(length(position.play(code)) for code in codes) / Fraction(len(codes))


@pytest.mark.parametrize("game", ["tic_tac_toe", "gdl:tic_tac_toe"])
def test_steps_and_games_are_counted_alike(game):
    sample = take(game=game, seconds=0.5)  # thousands of games, on a busy machine as well
    expected = float(length(load("tic_tac_toe").start()))
    assert sample["steps"] / sample["value"] == pytest.approx(expected, rel=0.02)


def test_options_of_a_rulesheet_reach_it():
    read = MEASURE.read({"game": "gdl:nim:evaluator=forward"})
    assert read.text().endswith("nim.kif:evaluator=forward")
    with pytest.raises(BadParameter, match="expected one of auto"):
        MEASURE.check(MEASURE.read({"game": "gdl:nim:evaluator=prolog"}))


def put_swipl(folder, monkeypatch, text):
    program = folder / "swipl"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(os.name != "posix", reason="a script stands for the program")
def test_another_program_is_believed(tmp_path, monkeypatch):
    put_swipl(tmp_path, monkeypatch, "echo 10 76 2.0")
    assert take(game="gdl:tic_tac_toe", engine="swipl") == {"value": 5.0, "steps": 38.0}


@pytest.mark.skipif(os.name != "posix", reason="a script stands for the program")
def test_another_program_that_fails_does_not_count(tmp_path, monkeypatch):
    put_swipl(tmp_path, monkeypatch, "echo bad luck >&2; exit 3")
    sample = take(game="gdl:tic_tac_toe", engine="swipl")
    assert sample["value"] is None
    assert sample["void"] == "swipl failed: bad luck"


def test_nothing_of_a_sheet_is_read_as_prolog():
    text = prolog_text(Sheet.from_file(str(sheet_path("tic_tac_toe"))), 1.0)
    for name in ("xplayer", "mark", "cell", "halt"):
        assert name not in text
    rules = [line for line in text.splitlines() if line.startswith("r_next(")]
    assert len(rules) == len(
        [rule for rule in Sheet.from_file(str(sheet_path("tic_tac_toe"))).rules
         if rule.name == "next"]
    )  # fmt: skip


def test_the_mean_and_the_best():
    estimate = MEASURE.sum_up([{"value": 10.0}, {"value": 14.0}], 0.95)
    assert estimate.value == 12.0
    assert estimate.facts == {"best": 14.0}
    assert estimate.low >= 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "gdl:chess"}, "no rulesheet of the package is called chess"),
        ({"game": "gdl:../sheets/nim"}, "no rulesheet"),
        ({"game": "nim", "engine": "swipl"}, "rulesheets only"),
        ({"game": "nobody"}, "unknown game"),
    ],
)
def test_what_cannot_be_played_is_refused(settings, message):
    with pytest.raises(Exception, match=message):
        MEASURE.check(MEASURE.read(settings))
