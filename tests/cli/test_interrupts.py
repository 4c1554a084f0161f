"""Ctrl-C, sent to real processes: they tell what they know, and leave with 130."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import trellis.gdl

from places import told

TRELLIS = [sys.executable, "-m", "trellis"]
TIC_TAC_TOE = Path(trellis.gdl.__file__).parent / "sheets" / "tic_tac_toe.kif"

# Moves are counted in a file, so that a test knows how far the process has come.
GAME = """
import time
from pathlib import Path

SEEN = Path(__file__).with_name("moves")

class Counting:
    max_moves = 3
    payoff_range = (-1.0, 1.0)

    def __init__(self, matches=400, nap=0.0):
        self.matches, self.nap, self.made = matches, nap, 0

    def start(self):
        return self.matches, 0

    def moves(self, state):
        return [take for take in (1, 2, 3) if take <= state[0]]

    def play(self, state, take):
        self.made += 1
        if self.made in (1, 3, 100, 2000, 20000):
            SEEN.write_text(str(self.made))
        time.sleep(self.nap)
        return state[0] - take, 1 - state[1]

    def payoffs(self, state):
        return 1 if state[1] == 1 else -1
"""


@pytest.fixture
def counting(tmp_path):
    """Write the game down; return its name."""
    (tmp_path / "counting.py").write_text(GAME)
    return f"{tmp_path / 'counting.py'}:Counting"


def interrupt(command, ready, presses=1):
    """Start a command, press Ctrl-C when it is ready; return its object and what it said."""
    running = subprocess.Popen(
        [*TRELLIS, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not ready():
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)
    for _ in range(presses):
        running.send_signal(signal.SIGINT)
        time.sleep(0.5)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert err.splitlines()[-1] == "trellis: interrupted"
    assert "Traceback" not in err
    assert out.count("\n") <= 1
    return (json.loads(out) if out else None), err


def moves_made(game, number):
    seen = Path(game.partition(":")[0]).with_name("moves")
    return lambda: seen.exists() and int(seen.read_text() or 0) >= number


def test_analyze_tells_the_best_move_so_far(counting):
    found, _ = interrupt(
        ["analyze", counting, "--time", "600", "--json"], moves_made(counting, 20000)
    )
    assert found["interrupted"] is True
    assert found["sims"] > 0
    assert found["best"] in ("1", "2", "3")
    assert found["best"] == found["moves"][0]["move"]
    assert found["note"] == ""


def test_analyze_within_the_first_playout_says_that_nothing_is_known(counting):
    slow = f"{counting}(nap=0.05)"
    found, _ = interrupt(["analyze", slow, "--sims", "9", "--json"], moves_made(counting, 3))
    assert (found["interrupted"], found["sims"]) == (True, 0)
    assert found["note"] == "no simulation was possible: the first legal move"


def test_analyze_by_a_star_search_tells_the_depth_it_has(counting):
    found, _ = interrupt(
        ["analyze", counting, "--search", "alphabeta", "--depth", "60", "--json"],
        moves_made(counting, 2000),
    )
    assert found["interrupted"] is True
    assert 0 < found["depth"] < 60
    assert found["best"] in ("1", "2", "3")


def test_solve_tells_the_bounds_it_has(counting):
    found, err = interrupt(["solve", counting, "--json"], moves_made(counting, 20000))
    assert (found["interrupted"], found["solved"]) == (True, False)
    assert (found["low"], found["high"]) == (-1.0, 1.0)
    assert "is not solved" in err


def test_a_match_tells_the_score_so_far(counting):
    command = ["match", f"{counting}(matches=30)", "random", "random", "--games", "1000000"]
    found, _ = interrupt([*command, "--json"], moves_made(counting, 2000))
    assert found["interrupted"] is True
    assert 1 <= found["games"] < 1_000_000
    assert found["wins_a"] + found["wins_b"] + found["draws"] == found["games"]
    assert found["low"] <= found["score_a"] <= found["high"]


def test_a_match_without_a_game_says_so(counting):
    command = ["match", f"{counting}(nap=0.05)", "random", "random", "--games", "10"]
    found, _ = interrupt([*command, "--json"], moves_made(counting, 3))
    assert (found["interrupted"], found["games"]) == (True, 0)


def test_bench_tells_what_it_has_measured(counting):
    quick = f"{counting}(matches=9)"
    found, _ = interrupt(
        ["bench", "tic_tac_toe", quick, "--seconds", "100", "--json"],
        lambda: time.sleep(8) is None,
    )
    assert found is None or found["interrupted"] is True  # None: it was still compiling
    found, _ = interrupt(
        ["bench", quick, "tic_tac_toe", "--seconds", "14", "--json"], moves_made(counting, 20000)
    )
    assert found["interrupted"] is True
    assert len(found["results"]) <= 1


def test_perft_tells_the_plies_it_has_counted(counting):
    slow = f"{counting}(nap=0.02)"
    found, _ = interrupt(["perft", slow, "300", "--json"], moves_made(counting, 100))
    assert found["interrupted"] is True
    assert [ply["positions"] for ply in found["plies"]][:3] == [1, 3, 5]
    assert len(found["plies"]) < 300


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (["automaton", "--json"], {"unfinished": True}),
        (["solve", "--exact", "--json"], {"unfinished": True, "solved": False}),
        (["check", "--games", "100000", "--json"], {"finished": False}),
    ],
)
def test_work_of_which_nothing_is_known_before_its_end_says_how_far_it_came(
    counting, command, known
):
    slow = f"{counting}(matches=3000,nap=0.002)"
    found, _ = interrupt([command[0], slow, *command[1:]], moves_made(counting, 2000))
    assert found["interrupted"] is True
    assert {name: found[name] for name in known} == known
    assert "3000" in found["game"]


def test_solving_every_position_keeps_what_was_proven_before(counting, tmp_path):
    file = tmp_path / "values"
    quick = f"{counting}(matches=9000)"
    found, _ = interrupt(
        ["solve", quick, "--limit", "3", "--strong", str(file), "--json"],
        moves_made(counting, 20000),
    )
    assert (found["interrupted"], found["solved"], found["sims"]) == (True, False, 3)
    assert "strong_positions" not in found
    assert not file.exists()


def test_training_writes_its_file_and_can_go_on(tmp_path):
    file = tmp_path / "net.json"
    command = ["train", "dice:m=3,k=3", "--games", "100000000", "--every", "50", "--json"]
    found, err = interrupt([*command, "--out", str(file)], file.exists)
    assert found["interrupted"] is True
    assert found["games"] >= 50
    assert found["matches"] == []
    assert "--resume goes on" in err
    assert json.loads(file.read_text())["training"]["games"] == found["games"]


def test_pressed_again_it_leaves_at_once(counting):
    """The first one waits for a move that takes minutes."""
    found, err = interrupt(
        ["analyze", f"{counting}(nap=300)", "--json"], moves_made(counting, 1), presses=2
    )
    assert found is None
    assert told(err) == ["trellis: interrupted"]


def test_play_keeps_the_moves_that_were_made(counting):
    command = ["play", f"{counting}(nap=0.05)", "--side", "none", "--player", "random", "--json"]
    found, _ = interrupt(command, moves_made(counting, 3))
    assert found["ended"] == "interrupted"
    assert found["moves"]


# -- falling back, and what memory would buy -------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["perft", TIC_TAC_TOE, 1],
        ["analyze", TIC_TAC_TOE, "--sims", 2],
        ["match", TIC_TAC_TOE, "random", "random", "--games", 1],
        ["check", TIC_TAC_TOE, "--games", 1],
        ["playthrough", TIC_TAC_TOE],
        ["automaton", TIC_TAC_TOE, "--limit", 6000],
        ["play", TIC_TAC_TOE, "--side", "none", "--player", "random"],
    ],
)
def test_falling_back_is_said_by_every_command(run, command):
    code, out, err = run(*command, "--ground-limit", "rules=10", "--json")
    assert code == 0, err
    lines = [line for line in told(err) if "steps a second" in line]
    assert len(lines) == 1
    assert lines[0].startswith(
        "trellis: tic_tac_toe: grounding makes more than 10 rules; played by"
    )
    assert "played by forward chaining, about " in lines[0]
    assert "--ground-limit" in lines[0]
    found = json.loads(out.splitlines()[-1])
    assert found["evaluator"] == "forward"
    assert found["reason"] == "grounding makes more than 10 rules"


def test_forward_chaining_that_was_asked_for_is_no_news(run):
    code, out, err = run("perft", TIC_TAC_TOE, 1, "--evaluator", "forward", "--json")
    assert (code, told(err)) == (0, [])
    assert json.loads(out)["evaluator"] == "forward"


def test_solve_says_what_more_memory_would_buy(run):
    code, _, err = run(
        "solve", "connect_four", "--limit", 20000, "--memory", 0.25, "--when-full", "stop"
    )
    assert code == 1
    assert "memory full: 0.25 MiB hold" in err
    assert "--memory 1 would hold 4 times as many" in err


def run_as(prepare, *arguments):
    """Run the command line in a process that prepares something first."""
    lines = ["import atexit, signal, sys", f"sys.argv = {['trellis', *arguments]}", prepare]
    lines += ["import trellis.cli", "trellis.cli.run()"]
    return subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )


def test_pressed_while_python_leaves_after_the_answer_it_changes_nothing():
    press = "atexit.register(signal.raise_signal, signal.SIGINT)"
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    done = run_as(f"{heard}; {press}", "--version")
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_get_json_where_nothing_was_known_yet():
    loading = "import trellis.cli.main as main; main.main = lambda: 130"
    done = run_as(loading, "analyze", "hex", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (130, {"interrupted": True})
    assert run_as(loading, "analyze", "hex").stdout == ""
