"""`trellis train`: what it reports, what it refuses, and that it can be killed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from places import told

SMALL = "dice:m=3,k=3"


def test_json_reports_how_good_the_network_is(run, tmp_path):
    path = tmp_path / "net.json"
    words = ["train", SMALL, "--games", 5000, "--out", path, "--test-games", 1000, "--seed", 3]
    code, out, err = run(*words, "--json")
    assert (code, told(err)) == (0, [])
    assert out.count("\n") == 1
    content = json.loads(out)
    assert (content["game"], content["file"], content["games"]) == (SMALL, str(path), 5000)
    assert (content["inputs"], content["hidden"], content["seed"]) == (22, 10, 3)
    assert [match["against"] for match in content["matches"]] == [
        "random moves", "the untrained network",
    ]  # fmt: skip
    for match in content["matches"]:
        assert match["wins"] + match["draws"] + match["losses"] == match["games"] == 1000
        assert match["score"] == (match["wins"] + match["draws"] / 2) / 1000
        assert 0 < match["low"] < match["score"] < match["high"] < 1
    assert content["matches"][0]["low"] > 0.55
    before = path.read_bytes()
    again = json.loads(run(*words, "--json")[1])
    assert again["matches"] == content["matches"]
    assert path.read_bytes() == before


def test_text_says_what_was_measured(run, tmp_path):
    path = tmp_path / "net.json"
    code, out, _ = run("train", SMALL, "--games", 300, "--out", path, "--test-games", 100)
    assert code == 0
    assert "22 inputs and 10 hidden units after 300 games" in out
    assert "95 % interval" in out
    assert "the untrained network" in out


def test_the_file_is_named_after_the_game(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("train", "pig:target=9", "--games", 50, "--test-games", 10)[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["pig.json"]


def test_killed_at_any_time_it_goes_on_and_ends_with_the_same_file(run, tmp_path):
    path, other = tmp_path / "killed.json", tmp_path / "whole.json"
    command = [sys.executable, "-m", "trellis", "train", SMALL, "--every", "100", "--seed", "7"]
    process = subprocess.Popen(
        [*command, "--games", "100000000", "--out", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    played = json.loads(path.read_text())["training"]["games"]
    assert played % 100 == 0
    total = played + 250
    # Not to be written over by a slip of the hand.
    code, _, err = run("train", SMALL, "--games", total, "--out", path)
    assert code == 2
    assert "killed.json' holds a training that is not finished: expected --resume" in err
    words = ["--games", total, "--test-games", 10, "--json"]
    code, out, _ = run("train", SMALL, *words, "--out", path, "--resume")
    assert code == 0
    assert json.loads(out)["resumed_from"] == played
    assert run("train", SMALL, *words, "--out", other, "--seed", 7)[0] == 0
    assert path.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tic_tac_toe"], "no feature function for tic_tac_toe: expected one of dice, pig"),
        (["no_such_game"], "no_such_game"),
        ([SMALL, "--games", "0"], "bad value 0 for --games"),
        ([SMALL, "--games", "many"], "bad value 'many' for --games"),
        ([SMALL, "--hidden", "0"], "bad value 0 for --hidden"),
        ([SMALL, "--lambda", "2"], "bad value 2 for --lambda"),
        ([SMALL, "--rate", "-1"], "bad value -1 for --rate"),
        ([SMALL, "--rate", "nan"], "bad value 'nan' for --rate"),
        ([SMALL, "--every", "0"], "bad value 0 for --every"),
        ([SMALL, "--test-games", "-5"], "bad value -5 for --test-games"),
        ([SMALL, "--resume"], "cannot read a network from"),
        ([SMALL, "--out", "/no/such/folder/net.json"], "no such folder"),
        (["pig:players=3"], "cannot train on pig:players=3"),
    ],
)
def test_bad_input_is_one_line_and_leaves_no_file(run, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("train", *words)
    lines = told(err)
    assert (code, out, len(lines)) == (2, "", 1)
    assert says in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_does_not_fit_is_one_line_and_stays(run, tmp_path):
    path = tmp_path / "net.json"
    quick = ["--games", 200, "--test-games", 10, "--out", path]
    assert run("train", SMALL, *quick)[0] == 0
    whole = path.read_bytes()
    for words, says in (
        (["dice", "--games", 300], "a network for 'dice:m=3,k=3' cannot judge dice"),
        ([SMALL, "--games", 300, "--rate", "0.7"], "it began with --rate 0.05, not 0.7"),
        ([SMALL, "--games", 300, "--lambda", "0.5"], "it began with --lambda 0.7, not 0.5"),
        ([SMALL, "--games", 100], "has 200 games behind it"),
    ):
        code, out, err = run("train", *words, "--resume", "--out", path)
        assert (code, out, len(told(err))) == (2, "", 1)
        assert says in told(err)[0]
        assert path.read_bytes() == whole
    path.write_bytes(whole[:-100])
    code, out, err = run("train", SMALL, "--games", 300, "--resume", "--out", path)
    assert (code, out, len(told(err))) == (2, "", 1)
    assert "net.json' is not a whole network file" in told(err)[0]
