"""Commands that read and write games of Go."""

import json

import pytest

from trellis.sgf.go_record import read_collection, read_game

from places import told

GAME = b"(;SZ[5]KM[0.5];B[cc];W[bb];B[db])(;SZ[3]KM[0];B[bb])"


@pytest.fixture
def game_file(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_bytes(GAME)
    return path


def test_a_game_is_saved(run, tmp_path):
    path = tmp_path / "new.sgf"
    code, out, _ = run(
        "play", "go:board_size=5,komi=0.5", "--side", "all", "--save", path,
        typed="c3\nb4\nresign\n",
    )  # fmt: skip
    assert code == 0
    assert f"written to {path}" in out
    record = read_game(path)
    assert record.root.text("RE") == "W+R"
    assert record.root.text("PB") == "person"
    assert [step.move for step in record.steps()] == [None, 12, 16]


def test_only_go_is_saved_so(run, tmp_path):
    for game in ("hex", "go:groups=manhattan"):
        code, _, err = run("play", game, "--save", tmp_path / "new.sgf")
        assert code == 2
        assert ".sgf is for go" in err


def test_the_position_before_a_move(run, game_file):
    code, out, err = run("analyze", "go", "--sgf", game_file, "--move", 3, "--sims", 200, "--json")
    content = json.loads(out)
    assert code == 0
    assert content["game"] == "go:board_size=5,komi=0.5"
    assert content["player"] == "black"
    assert {line["move"] for line in content["moves"]}.isdisjoint({"c3", "b4"})
    assert told(err) == []
    code, out, _ = run("analyze", "go", "--sgf", game_file, "--sims", 200, "--json")
    assert json.loads(out)["player"] == "white"
    code, out, _ = run(
        "analyze", "go", "--sgf", game_file, "--sgf-game", 2, "--sims", 200, "--json"
    )
    assert json.loads(out)["game"] == "go:board_size=3,komi=0.0"


def test_a_file_without_komi_is_told_of(run, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_bytes(b"(;SZ[5];B[cc]")
    code, _, err = run("analyze", "go", "--sgf", path, "--sims", 50)
    assert code == 0
    assert "no komi in" in err
    assert "7.5 is used" in err
    assert "game 1 ends too early" in err


def test_every_move_is_annotated(run, game_file, tmp_path):
    path = tmp_path / "annotated.sgf"
    code, out, err = run(
        "analyze", "go", "--sgf", game_file, "--annotate", path, "--sims", 300, "--json"
    )
    assert code == 0, err
    assert [found["move"] for found in json.loads(out)["positions"]] == [1, 2, 3, 4]
    first, second = read_collection(path)
    assert all("Trellis: best for" in (node.text("C") or "") for node in first.root.main_line())
    assert second.root.text("C") is None
    assert first.position_before(None) == read_game(game_file).position_before(None)
    code, _, err = run(
        "analyze", "go", "--sgf", game_file, "--annotate", path, "--sims", 300, "--move", 2
    )
    assert code == 0
    assert "1 positions are annotated" in err
    assert read_game(path).root.text("C") is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hex", "--sgf", "FILE"], "--sgf is for go"),
        (["go", "--move", 3], "--move is for --sgf FILE"),
        (["go", "--sgf", "FILE", "--move", 9], "no move 9: expected 1 to 4"),
        (["go", "--sgf", "FILE", "--move", 0], "bad value 0 for --move"),
        (["go", "--sgf", "FILE", "--sgf-game", 3], "expected 1 to 2"),
        (["go", "--sgf", "none.sgf"], "cannot read 'none.sgf'"),
        (["go", "--sgf", "FILE", "--moves", "a1"], "--moves is not for --sgf"),
        (["go:board_size=9", "--sgf", "FILE"], "a board of 9x9 was asked for"),
        (["go", "--sgf", "FILE", "--depth", 3], "--sgf is for searches of the graph"),
        (["go", "--sgf", "FILE", "--annotate", "/nowhere/x.sgf"], "cannot write"),
    ],
)
def test_one_line_for_what_makes_no_sense(run, game_file, words, message):
    words = [game_file if word == "FILE" else word for word in words]
    code, _, err = run("analyze", *words)
    assert code == 2
    assert message in err
    assert len(told(err)) == 1
