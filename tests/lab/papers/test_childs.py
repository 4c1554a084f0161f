"""Childs, Brodeur and Kocsis: games, searches, and the matches with another program."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trellis.lab.experiment import Experiment, Scale
from trellis.lab.experiments import all_experiments
from trellis.lab.papers import childs, go_groups
from trellis.lab.running import run
from trellis.loading import load
from trellis.players import gtp_engine
from trellis.players.texts import read_player

FAKE = Path(__file__).parent.parent.parent / "players" / "fake_engine.py"
FIGURES = [f"childs-figure-{number}" for number in (2, 3, 4, 5)]


@pytest.mark.parametrize("name", FIGURES)
def test_searches_are_childs(name):
    experiment = all_experiments()[name]
    assert experiment.scales["paper"].samples == 200
    for cell in experiment.cells:
        read = read_player(cell.settings["player"])
        settings = read.graph_settings()
        assert settings.c == pytest.approx(2**0.5, abs=1e-4)
        assert settings.bounds == "off"
        assert settings.final_move == "max"  # the best average result
        assert cell.settings["runs"] == 200
        assert cell.x == cell.settings["sims"]
        kind = cell.row.split(",")[0] if cell.row.startswith("uct") else "uct2"
        assert read.kind == kind
        assert cell.settings.get("groups", False) == cell.row.endswith("%") * (kind not in cell.row)


@pytest.mark.parametrize("name", FIGURES)
def test_games_are_childs(name):
    for cell in all_experiments()[name].cells:
        game = load(cell.settings["game"].replace("{seed}", "1"))
        known = game.parameters
        if name in FIGURES[:2]:
            assert (known["branching"], known["depth"]) == (2, 20)
            combine = 20 if name == FIGURES[0] else int(cell.row.split(",")[1].strip("%"))
            assert known["combine"] == combine
            assert not game.group_names
        else:
            assert (known["branching"], known["depth"], known["group_size"]) == (10, 6, 5)
            assert known["overlap"] == (name == FIGURES[3])
            assert game.group_names
            if cell.row != "ungrouped":
                assert known["bias"] == int(cell.row.strip("%"))


def test_levels_are_those_of_games():
    """Positions that can be reached, counted one by one."""
    for combine in (0, 20):
        level = {load(f"pgame:branching=2,depth=20,combine={combine}").start()}
        for ply in range(1, 8):
            level = {position.play(move) for position in level for move in (0, 1)}
            assert childs.level(f"{combine},{ply}")[0] == len(level)


def small(name, opponent):
    experiment = all_experiments()[name]
    cells = tuple(
        replace(cell, settings={**cell.settings, "b": opponent}) for cell in experiment.cells
    )
    return replace(experiment, cells=cells, scales={"tiny": Scale(2, "*", {"sims": 200})}, needs=())


def test_bars_play_another_program():
    results = run(small("childs-figure-6", f"gtp:command={sys.executable} {FAKE} good"), "tiny")
    assert results.complete
    for each in results.cells:
        assert [sample["value"] for _, sample in each.samples] == [1.0, 1.0]  # it only passes
        assert all("pass" in sample["moves"] for _, sample in each.samples)


def failing(manner):
    """Return one bar against a program that fails, and what was told meanwhile."""
    told = []
    experiment = small("childs-figure-6", f"gtp:command={sys.executable} {FAKE} {manner}")
    results = run(experiment, "tiny", cells="uct2", notice=told.append)
    assert any("ended with code 3" in line for line in told)
    return results.cells[0]


def test_a_program_that_fails_is_no_result():
    bar = failing("crashing 2")  # at its second move
    assert len(bar.void) == 2
    assert "ended with code 3" in bar.halted


def test_a_program_that_fails_at_once_is_not_played_at_all():
    bar = failing("crashing")
    assert bar.samples == ()
    assert "cannot play: ended with code 3" in bar.halted


def test_boards_and_players_of_the_bars():
    for size, name in ((9, "childs-figure-6"), (13, "childs-figure-7")):
        experiment: Experiment = all_experiments()[name]
        assert experiment.needs == ("gnugo",)
        for cell in experiment.cells:
            assert f"board_size={size}" in cell.settings["game"]
            read = read_player(cell.settings["a"])
            assert read.graph_settings().bounds == "off"
            assert (read.options.get("groups") == "manhattan") == (cell.name == "groups")
            assert cell.settings["sims"] == go_groups.PLAYOUTS == 10_000
            assert cell.settings["b"] == go_groups.GNUGO


def test_where_gnugo_is_not_nothing_is_played_and_that_is_said(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    results = run("childs-figure-6", "smoke", cells="groups")
    assert "gnugo" in results.skipped
    assert not results.complete
    assert results.cells[0].samples == ()


def test_programs_are_found_among_games_too(tmp_path, monkeypatch):
    program = tmp_path / "a_game_of_nobody"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert gtp_engine.find_program(program.name) is None
    monkeypatch.setattr(gtp_engine, "_GAMES", (str(tmp_path),))
    assert gtp_engine.find_program(program.name) == str(program)
