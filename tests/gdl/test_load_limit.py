"""Loading a rulesheet has a limit of its own: then it falls back, or is refused."""

import threading
from pathlib import Path

import pytest

import trellis.gdl
from trellis.game.errors import BadParameter, LimitReached
from trellis.gdl import game as game_module
from trellis.gdl.circuit import layout
from trellis.gdl.game import load_sheet
from trellis.gdl.grounding.time_limit import time_limit
from trellis.loading import load

TIC_TAC_TOE = Path(trellis.gdl.__file__).parent / "sheets" / "tic_tac_toe.kif"


def dawdle(*_):
    while True:
        pass


def slow_circuits(monkeypatch):
    monkeypatch.setattr(layout, "lay_out", dawdle)


def test_a_circuit_that_is_not_finished_in_time_falls_back(monkeypatch):
    slow_circuits(monkeypatch)
    game = load(str(TIC_TAC_TOE), seconds=6)
    assert game.evaluator == "forward"
    assert game.reason.startswith("a circuit takes more than")
    assert "of the 6 seconds for loading" in game.reason
    assert game.spec.endswith(":load_time=6")  # so that workers load it alike
    assert len(game.start().moves()) == 9


def test_it_falls_back_in_other_threads_too(monkeypatch):
    slow_circuits(monkeypatch)
    found = []
    thread = threading.Thread(target=lambda: found.append(load(str(TIC_TAC_TOE), seconds=6)))
    thread.start()
    thread.join()
    assert found[0].evaluator == "forward"


@pytest.mark.parametrize("evaluator", ["circuit", "event", "forward"])
def test_what_cannot_fall_back_is_refused_with_the_option_that_helps(monkeypatch, evaluator):
    slow_circuits(monkeypatch)
    monkeypatch.setattr(game_module, "ForwardGame", dawdle)
    with pytest.raises(LimitReached, match=r"tic_tac_toe.kif: loading took more than 0\.5 seconds"):
        load_sheet(TIC_TAC_TOE, evaluator, seconds=0.5)
    with pytest.raises(LimitReached, match="--load-time"):
        load(f"{TIC_TAC_TOE}:evaluator={evaluator}", seconds=0.5)


def test_a_limit_inside_is_told_as_it_is(monkeypatch):
    def limited(*_):
        with time_limit(0.01, "something else"):
            dawdle()

    monkeypatch.setattr(layout, "lay_out", limited)
    assert load(str(TIC_TAC_TOE)).reason == "something else took more than 0.01 seconds"


def test_what_is_left_is_handed_down(monkeypatch):
    seen = []

    def noted(sheet, reason, parameters):
        seen.append(sheet.budget.left())
        raise BadParameter("enough")

    monkeypatch.setattr(game_module, "ForwardGame", noted)
    with pytest.raises(BadParameter, match="enough"):
        load_sheet(TIC_TAC_TOE, "forward", seconds=50)
    assert 0 < seen[0] < 50


@pytest.mark.parametrize("value", ["0", "-3", "soon", "nan"])
def test_a_bad_load_time_is_refused(value):
    with pytest.raises(BadParameter, match="load_time"):
        load(f"{TIC_TAC_TOE}:load_time={value}")
