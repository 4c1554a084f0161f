"""The commands sweep and tune."""

import json

import pytest

from trellis.players.tuned import tuned_file


def test_the_command_shows_every_cell_and_goes_on_with_its_record(run, tmp_path):
    words = [
        "sweep", "tic_tac_toe", "uct:c={c}", "random", "--grid", "c=0.2 0.7", "--sims", 20,
        "--games", 4, "--record", tmp_path / "results.sqlite",
    ]  # fmt: skip
    first, again = (json.loads(run(*words, "--json")[1]) for _ in range(2))
    assert [cell["cell"] for cell in first["cells"]] == ["c=0.2", "c=0.7"]
    assert all(cell["samples"] == 4 for cell in first["cells"])
    assert json.dumps(first["cells"]) == json.dumps(again["cells"])


def test_the_command_keeps_what_has_beaten_auto_and_nothing_else(run, tmp_path, monkeypatch):
    pytest.importorskip("optuna", reason="Optuna is not installed")
    monkeypatch.setenv("TRELLIS_DATA_DIR", str(tmp_path / "data"))
    words = [
        "tune", "tic_tac_toe", "--params", "c", "--budget", 320, "--sims", 20, "--test-games", 20,
        "--record", tmp_path / "results.sqlite",
    ]  # fmt: skip
    found = json.loads(run(*words, "--default", "random", "--sprt", "elo0=0,elo1=200", "--json")[1])
    assert found["accepted"] is True
    assert found["kept"] is None
    assert not tuned_file().exists()
