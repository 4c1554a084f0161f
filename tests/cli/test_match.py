"""`trellis match`, and `trellis play` against a search."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import trellis

from places import told

TRELLIS = [sys.executable, "-m", "trellis"]


def test_json_has_the_promised_keys_and_they_agree(run):
    words = ["match", "tic_tac_toe", "uct:sims=200", "random", "--games", 20, "--seed", 4, "--json"]
    code, out, _ = run(*words)
    assert code == 0
    assert out.count("\n") == 1
    content = json.loads(out)
    assert {
        "game", "a", "b", "games", "wins_a", "wins_b", "draws", "score_a", "low", "high",
        "seconds",
    } <= set(content)  # fmt: skip
    assert (content["game"], content["a"], content["b"]) == (
        "tic_tac_toe", "uct:sims=200", "random",
    )  # fmt: skip
    assert content["games"] == content["wins_a"] + content["wins_b"] + content["draws"] == 20
    assert content["score_a"] == (content["wins_a"] + content["draws"] / 2) / 20 >= 0.8
    assert content["low"] < content["score_a"] < content["high"] or content["score_a"] == 1
    again = json.loads(run(*words)[1])
    assert {**again, "seconds": 0} == {**content, "seconds": 0}


def test_the_table_says_what_it_counts(run):
    code, out, _ = run("match", "tic_tac_toe", "uct:sims=50", "random", "--games", 4)
    assert code == 0
    assert "A  uct:sims=50" in out
    assert "B  random" in out
    assert "95 % interval" in out
    assert "Wilson" in out
    assert "a draw 1/2" in out
    assert "A is first in every other game" in out
    assert "each plays alone" in run("match", "leftright:h=5", "random", "random")[1]
    stopped = run("match", "nine_mens_morris", "random", "random", "--games", 2, "--longest", 5)[1]
    assert "2 games were stopped before their end and count as draws" in stopped


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tic_tac_toe", "random", "random", "--games", -1], "bad value -1 for --games"),
        (["tic_tac_toe", "random", "random", "--games", "x"], "bad value 'x' for --games"),
        (["tic_tac_toe", "random", "random", "--workers", 0], "bad value 0 for --workers"),
        (["tic_tac_toe", "random", "random", "--workers", 999], "from 1 to 256"),
        (["tic_tac_toe", "random", "random", "--opening", -2], "bad value -2 for opening"),
        (["tic_tac_toe", "random", "random", "--moves", "a1 a1"], "move 2: illegal move 'a1'"),
        (["tic_tac_toe", "random", "radom"], "did you mean 'random'"),
        (["tic_tac_toe", "random", "uct:sim=3"], "did you mean 'sims'"),
        (["tic_tac_toe", "ucd:0,1,z", "random"], "bad depth 'z'"),
        (["tic_tac_to", "random", "random"], "did you mean 'tic_tac_toe'"),
        (["tic_tac_toe", "random"], "missing argument B: expected trellis match GAME A B"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(run, words, expected):
    code, out, err = run("match", *words)
    assert (code, out) == (2, "")
    assert len(told(err)) == 1
    assert expected in err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_ctrl_c_ends_a_match_and_its_workers():
    running = subprocess.Popen(
        [*TRELLIS, "match", "connect_four", "uct:time=60", "uct:time=60", "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while len(_children(running.pid)) < 3:  # two workers, and Python's own helper
        assert running.poll() is None
        time.sleep(0.05)
    workers = _children(running.pid)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "trellis: interrupted"
    assert "Traceback" not in err
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _children(parent):
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                found.append(int(file.parent.name))
    return found


@pytest.fixture
def play(run):
    """Play a game, typing some lines."""
    return lambda *words, typed="": run("play", *words, typed=typed)


def test_play_searches_unless_told_otherwise_and_hints_with_proofs(play):
    """o must take the middle; x then cannot win, which a small search proves."""
    code, out, _ = play("tic_tac_toe", typed="a1\nhint\nquit\n")
    assert code == 0
    assert "o plays b2" in out
    assert "(value +0, a draw, proven)" in out


@pytest.mark.parametrize("side", ["first", "second"])
def test_hints_where_several_choose_at_once(play, side):
    game = "goofspiel:num_cards=3,points_order=descending"
    code, out, _ = play(game, "--side", side, typed="hint\nquit\n")
    assert code == 0
    assert " simulations)" in out


def test_play_follows_a_strategy_and_says_when_it_ends(play, tmp_path):
    after = trellis.load("tic_tac_toe").start().play("a1")
    file = tmp_path / "strategy.jsonl"
    file.write_text(
        '{"game": "tic_tac_toe", "player": 1, "value": 0}\n'
        + json.dumps({"position": after.code, "move": "c2"})
    )
    player = ["--player", f"strategy:{file}"]
    code, out, err = play("tic_tac_toe", *player, typed="a1\nb1\nquit\n")
    assert code == 0
    assert "o plays c2" in out
    assert err.count("outside the strategy") == 1
    code, _, err = play("hex", *player)
    assert code == 2
    assert "is a strategy of 'tic_tac_toe': expected one of hex" in err


def test_what_solve_writes_play_and_match_can_follow(play, run, tmp_path):
    file = tmp_path / "strategy.jsonl"
    assert run("solve", "tic_tac_toe", "--strategy", file)[0] == 0
    code, out, err = run(
        "match", "tic_tac_toe", f"strategy:{file}", "random", "--games", 40, "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["wins_b"] == 0
