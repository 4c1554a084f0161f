"""Tables that are matches: what is printed, who plays whom, and the commands at a tiny scale."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.cells import choose_cells
from trellis.lab.papers import go_groups, ucd_go
from trellis.players.texts import read_player

from places import SHARED

FAKE = Path(__file__).parent.parent.parent / "players" / "fake_engine.py"
GNUGO = shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin")
SMALL = ("--games", 2, "--playouts", 20)
DEPTHS = "?,0,0,c=0.4"


def opponent(manner="good"):
    return f"gtp:command={sys.executable} {FAKE} {manner}"


def rows_of(name):
    path = SHARED / "tables" / name
    if not path.is_file():
        pytest.skip("needs ../shared/tables, which is not here")
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_published_figures_are_those_of_the_tables():
    cells = {cell.name: cell.published for cell in ucd_go.all_cells()}
    printed = {}
    for d1, d2, d3, *percents in rows_of("ucd_table01_go6x6.tsv"):
        for c, percent in zip(("0.2", "0.4", "0.6"), percents, strict=True):
            printed[f"{d1},{d2},{d3},c={c}"] = float(percent)
    for constant, depth, mean, percent in rows_of("ucd_table02_go6x6_rave.tsv"):
        assert depth == "1"
        printed[f"mean={mean},rave={constant}"] = float(percent)
    assert cells == printed
    assert len(cells) == 36 + 14


def test_players_are_those_of_the_papers():
    cells = {cell.name: cell for cell in ucd_go.all_cells(1000)}
    table1, table2 = cells["2,0,1,c=0.6"], cells["mean=1,rave=0.0016"]
    ours, theirs = read_player(table1.a), read_player(table1.b)
    assert ours.graph_settings().depths == (2, 0, 1)
    assert (ours.options["c"], theirs.options["c"]) == (0.6, 0.4)
    assert theirs.graph_settings().select == "uct0"
    ours, theirs = (read_player(each).graph_settings() for each in (table2.a, table2.b))
    assert ours.depths == (1, 0, 0)
    assert (ours.rave_children, theirs.rave_children) == (True, False)
    assert ours.rave_bias == theirs.rave_bias == 0.0016
    bars = {cell.name: cell for cell in go_groups.all_cells(500, opponent="random")}
    assert len(bars) == 6
    assert "groups=manhattan" in bars["13x13,groups"].a
    assert "board_size=13" in bars["13x13,groups"].game
    for cell in [*cells.values(), *bars.values()]:
        read = read_player(cell.a)
        assert read.graph_settings().bounds == "off"
        assert read.options["sims"] == (500 if cell.name in bars else 1000)


def test_cells_are_chosen_by_name():
    cells = ucd_go.all_cells()
    assert choose_cells(cells, "*") == cells
    names = [cell.name for cell in choose_cells(cells, "2,0,0,c=0.4 ?,0,0,c=0.4")]
    assert names == ["2,0,0,c=0.4", "0,0,0,c=0.4", "1,0,0,c=0.4"]
    assert len(choose_cells(cells, ucd_go.USUAL)) == 8
    with pytest.raises(BadParameter, match=r"no cell is called '3,0,0,c=0\.4': expected"):
        choose_cells(cells, "3,0,0,c=0.4")
    with pytest.raises(BadParameter, match="no cells"):
        choose_cells(cells, " ")


def test_ucd_on_go(run, tmp_path):
    file = tmp_path / "games.jsonl"
    words = ("paper", "ucd-go", "--cells", f"{DEPTHS} mean=1,rave=0.0002", "--playouts", 20,
             "--seed", 3, "--record", file)  # fmt: skip
    code, out, _ = run(*words, "--games", 2)
    assert code == 0
    assert "37.0%" in out
    assert "ucd:2,0,0,c=0.4,bounds=off,sims=20 against uct:c=0.4,bounds=off,sims=20" in out
    begun = file.read_text()
    assert len(begun.splitlines()) == 8
    code, out, _ = run(*words, "--games", 4, "--json")
    assert file.read_text().startswith(begun)
    assert len(file.read_text().splitlines()) == 16
    content = json.loads(out)
    assert [cell["games"] for cell in content["cells"]] == [4] * 4
    assert content["cells"][2]["published"] == 0.37
    assert content["interrupted"] is False
    for cell in content["cells"]:
        assert cell["wins"] + cell["draws"] + cell["losses"] == 4
        assert cell["low"] <= cell["score"] <= cell["high"]


def test_a_cell_is_a_match_with_the_same_seed(run):
    code, out, _ = run("paper", "ucd-go", "--cells", "1,0,1,c=0.2", "--games", 4, "--playouts", 30,
                       "--opening", 2, "--seed", 9, "--json")  # fmt: skip
    cell = json.loads(out)["cells"][0]
    assert code == 0
    code, out, _ = run("match", cell["game"], cell["a"], cell["b"], "--games", 4, "--seed", 9,
                       "--opening", 2, "--json")  # fmt: skip
    match = json.loads(out)
    assert [match[name] for name in ("wins_a", "wins_b", "plies")] == [
        cell[name] for name in ("wins", "losses", "plies")
    ]


def test_groups_against_a_program(run, tmp_path):
    file = tmp_path / "games.jsonl"
    code, out, _ = run("paper", "go-groups", *SMALL, "-c", 0.5, "--opponent", opponent(),
                       "--record", file)  # fmt: skip
    assert code == 0
    assert "uct2:groups=manhattan,c=0.5,bounds=off,sims=20 against" in out
    games = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(games) == 6
    assert all(game["score_a"] == 1.0 and not game["forfeit"] for game in games)  # it only passes
    assert all("pass" in game["moves"] for game in games)


def test_a_program_that_fails_loses_and_that_is_said(run):
    code, out, err = run("paper", "go-groups", "--cells", "9x9,uct2", *SMALL, "--opponent",
                         opponent("crashing"))  # fmt: skip
    assert code == 0
    assert "2 games were lost by a player that could not go on" in out
    assert "ended with code 3" in err


def test_gnugo_that_is_not_there_is_asked_for_in_one_line(run, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    code, out, err = run("paper", "go-groups", *SMALL)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "expected GNU Go, which is in the package gnugo of Debian" in err


@pytest.mark.skipif(not GNUGO, reason="needs gnugo, which is not installed")
def test_gnugo_plays_the_same_games_again(run):
    words = ("paper", "go-groups", "--cells", "9x9,groups", *SMALL, "--opponent",
             f"gtp:command={GNUGO} --mode gtp --level 1 --chinese-rules", "--json")  # fmt: skip
    first, second = (json.loads(run(*words)[1])["cells"][0] for _ in range(2))
    assert first["forfeits"] == []
    assert first["wins"] == 0
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["semeai", "--games", 3], "--games is for ucd-go and go-groups"),
        (["seki-playouts", "--record", "x"], "--record is for ucd-go and go-groups"),
        (["ucd-go", "--runs", 3], "--runs is for seki-playouts"),
        (["ucd-go", "-c", 0.4], "-c is not for ucd-go"),
        (["semeai", "-c", 0.4], "-c is for seki-playouts and go-groups"),
        (["ucd-go", "--cells", "9,9"], "no cell is called '9,9'"),
        (["ucd-go", "--games", 0], "--games"),
        (["ucd-go", "--playouts", 10**20], "sims"),
        (["ucd-go", "--opening", 500], "opening"),
        (["ucd-go", "--opponent", "nobody"], "unknown player 'nobody'"),
        (["ucd-go", "--record", "/nowhere/at/all.jsonl"], "cannot write"),
        (["go-groups", "--opponent", "gtp:command=no_such_program"], "no program"),
    ],
)
def test_one_line_for_what_makes_no_sense(run, words, message):
    code, out, err = run("paper", *words)
    assert code == 2
    assert out == ""
    assert message in err
    assert len([line for line in err.splitlines() if "later starts" not in line]) == 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal as Unix does")
def test_ctrl_c_tells_what_is_known_and_the_file_goes_on(tmp_path, run):
    file = tmp_path / "games.jsonl"
    words = ["paper", "ucd-go", "--cells", DEPTHS, "--playouts", "20", "--games", "100000",
             "--record", str(file), "--json"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "trellis", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not file.is_file() or file.read_bytes().count(b"\n") < 3:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    content = json.loads(out)
    assert process.returncode == 130
    assert content["interrupted"] is True
    played = file.read_bytes().count(b"\n")
    assert [cell["games"] for cell in content["cells"]] == [played]
    words[words.index("100000")] = str(played)
    code, out, _ = run(*words, "--cells", "0,0,0,c=0.4")
    assert code == 0
    assert json.loads(out)["cells"][0]["wins"] == content["cells"][0]["wins"]
    assert file.read_bytes().count(b"\n") == played
