"""Proofs that are kept: recalled for the same circuit, asked again where anything differs."""

from gdl.own_sheets import SHEETS as OWN_SHEETS
from trellis.gdl.proving import remembering
from trellis.gdl.proving.facts import NAMES
from trellis.gdl.sheet import Sheet


def circuit_of(text_or_name):
    if text_or_name.endswith(".kif"):
        return Sheet.from_file(OWN_SHEETS / text_or_name).circuit
    return Sheet(text_or_name).circuit


def count_calls(monkeypatch, tmp_path):
    calls = []
    real = remembering.prove

    def counting(circuit, **options):
        calls.append(circuit)
        return real(circuit, **options)

    monkeypatch.setattr(remembering, "prove", counting)
    monkeypatch.setattr(remembering, "cache_home", lambda: tmp_path)
    return calls


def test_the_same_circuit_is_proven_once_and_recalled_whole(monkeypatch, tmp_path):
    calls = count_calls(monkeypatch, tmp_path)
    first = remembering.prove_once(circuit_of("tic_tac_toe.kif"), seconds=20)
    again = remembering.prove_once(circuit_of("tic_tac_toe.kif"), seconds=20)
    assert len(calls) == 1
    for name in NAMES:
        assert getattr(first, name) == getattr(again, name)
    assert first.turn_taking.proven


def test_a_circuit_that_differs_in_one_goal_is_another(monkeypatch, tmp_path):
    calls = count_calls(monkeypatch, tmp_path)
    text = (OWN_SHEETS / "nim.kif").read_text()
    remembering.prove_once(circuit_of(text), seconds=5)
    remembering.prove_once(circuit_of(text.replace(" 100)", " 99)")), seconds=5)
    assert len(calls) == 2


def test_what_was_not_settled_is_asked_again_with_more_time(monkeypatch, tmp_path):
    calls = count_calls(monkeypatch, tmp_path)
    remembering.prove_once(circuit_of("othello.kif"), seconds=0.01)
    remembering.prove_once(circuit_of("othello.kif"), seconds=0.01)
    assert len(calls) == 1
    remembering.prove_once(circuit_of("othello.kif"), seconds=0.02)
    assert len(calls) == 2


def test_a_file_that_makes_no_sense_is_no_proof(monkeypatch, tmp_path):
    calls = count_calls(monkeypatch, tmp_path)
    remembering.prove_once(circuit_of("tic_tac_toe.kif"), seconds=5)
    for file in (tmp_path / "facts").glob("*"):
        file.write_text('{"facts": {"turn_taking": 1}}')
    found = remembering.prove_once(circuit_of("tic_tac_toe.kif"), seconds=5)
    assert len(calls) == 2
    assert found.turn_taking.proven
