"""Rulesheets as GAME: options, moves in both forms, and what is said of sheets nobody can play."""

import json
import os
import sys

import pytest

import trellis.cli.waiting
from gdl.own_sheets import SHEETS
from trellis.cli.main import main
from trellis.cli.task import split_moves
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.options import read_limits

from places import told

TIC_TAC_TOE = SHEETS / "tic_tac_toe.kif"
COMMANDS = {
    "analyze": ["--sims", "10"],
    "solve": ["--limit", "10"],
    "play": ["--side", "none", "--player", "random"],
    "match": ["random", "random", "--games", "2"],
    "perft": ["1"],
    "automaton": ["--limit", "10"],
    "check": ["--games", "1"],
    "playthrough": [],
}
# Nothing looks at the counter: pressing ends the game, waiting does not.
COUNTED = """
(role x) (init (step 1)) (init off)
(legal x press) (legal x wait)
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (next (step 4)) (true (step 3)))
(<= (next off) (true off) (does x wait)) (<= (next on) (does x press))
(<= terminal (true on)) (goal x 100)
"""
NEVER_OVER = """
(role x) (role o) (init (a 1)) (legal x go) (legal x stay) (legal o noop)
(<= (next (a 1)) (true (a 2))) (<= (next (a 2)) (true (a 1))) (<= terminal (true (a 3)))
(<= (next (a 3)) (true (a 3))) (goal x 50) (goal o 50)
"""
STUCK = NEVER_OVER.replace("(legal o noop)", "(<= (legal o noop) (true (a 1)))")
NAMED_LIKE_COMMANDS = """
(role x) (init (step 1)) (legal x help) (legal x quit)
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
(<= (goal x 10) (true (step 2)))
"""


@pytest.fixture
def sheet(tmp_path):
    def sheet(text):
        path = tmp_path / "sheet.kif"
        path.write_text(text, encoding="utf-8")
        return path

    return sheet


# --- options


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_sheets_reach_the_game(run, command):
    words = [command, TIC_TAC_TOE, *COMMANDS[command]]
    code, _, err = run(*words, "--ground-limit", "20,rules=10", "--evaluator", "circuit")
    assert code == 2
    assert told(err) == [f"trellis: {TIC_TAC_TOE}: grounding makes more than 10 rules"]
    code, _, err = run(*words, "--ignore-step")
    assert code == 2
    assert told(err) == [f"trellis: {TIC_TAC_TOE}: ignore_step: this sheet has no step counter"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "option", [["--ground-limit", "5"], ["--evaluator", "forward"], ["--ignore-step"]]
)
def test_other_games_refuse_them(run, command, option):
    code, out, err = run(command, "hex", *COMMANDS[command], *option)
    assert (code, out) == (2, "")
    assert told(err) == [f"trellis: {option[0]} is for rulesheets: expected a .kif file, not 'hex'"]


def test_options_join_parameters_that_are_there(run):
    name = f"{TIC_TAC_TOE}:ground_limit=5"
    for spec in (name, f"{TIC_TAC_TOE}(ground_limit=5)"):
        code, out, _ = run("perft", spec, 1, "--evaluator", "forward", "--json")
        assert code == 0
        assert json.loads(out)["game"] == f"{name},evaluator=forward"
    code, _, err = run("perft", name, 1, "--ground-limit", "6")
    assert code == 2
    assert "'ground_limit' is given twice" in err


def test_ignore_step_makes_paths_meet(run, sheet):
    path = sheet(COUNTED)
    nodes = []
    for option in ([], ["--ignore-step"]):
        _, out, _ = run("analyze", path, "--sims", 200, "--bounds", "off", "--json", *option)
        nodes.append(json.loads(out)["nodes"])
    assert nodes == [9, 2]  # four steps and none at all to wait at; ends at all but the first
    code, _, err = run("perft", path, 2, "--ignore-step", "--evaluator", "forward")
    assert code == 2
    assert "only proven harmless on a circuit: forward chaining was asked for" in err


def test_limits_by_either_separator():
    wanted = Limits(seconds=2.5, rules=7)
    assert read_limits("2.5,rules=7") == read_limits("seconds=2.5+rules=7") == wanted


# --- moves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("a b,c", ["a", "b", "c"]),
        ("mark(1,2) noop", ["mark(1,2)", "noop"]),
        ("(mark 1 2), (move (f (g (h 1) 2)) x)", ["(mark 1 2)", "(move (f (g (h 1) 2)) x)"]),
        ("f(g(h(i(1,2)),3)),b", ["f(g(h(i(1,2)),3))", "b"]),
        ("a) b (c d", ["a)", "b", "(c d"]),
        (" , ", []),
    ],
)
def test_lists_of_moves_are_split_outside_parentheses(text, moves):
    assert split_moves(text) == moves


@pytest.mark.parametrize("evaluator", ["circuit", "forward"])
def test_moves_in_both_forms(run, evaluator):
    option = ["--evaluator", evaluator]
    moves = ["--moves", "(mark a 1), mark(b,2) ( MARK c 3 )"]
    code, out, _ = run("perft", TIC_TAC_TOE, 1, "--json", *moves, *option)
    assert code == 0
    assert json.loads(out)["plies"][1]["games"] == 6
    code, out, _ = run("playthrough", TIC_TAC_TOE, "--json", *moves, *option)
    assert json.loads(out)["moves"] == ["mark(a,1)", "mark(b,2)", "mark(c,3)"]
    code, out, _ = run("match", TIC_TAC_TOE, *COMMANDS["match"], "--json", *moves, *option)
    assert code == 0
    typed = "(mark a 1)\n(mark a 1)\n(mark\n((a) b)\nquit\n"
    code, out, err = run("play", TIC_TAC_TOE, "--side", "all", "--json", *option, typed=typed)
    assert json.loads(out)["moves"] == ["mark(a,1)"]
    assert err.count("illegal move") == 3


def test_a_move_wins_over_a_command_of_its_name(run, sheet):
    path = sheet(NAMED_LIKE_COMMANDS)
    for move in ("help", "quit", "(quit)"):
        _, out, _ = run("play", path, "--json", typed=f"{move}\n")
        assert json.loads(out)["moves"] == [move.strip("()")]
    _, out, err = run("play", path, "--json", typed="/help\n/quit\n")
    assert (json.loads(out)["moves"], json.loads(out)["ended"]) == ([], "left")
    assert "/quit is the command" in err


# --- sheets that cannot be played or solved


def test_what_can_never_be_proven_stays_open(run, sheet):
    for text in (STUCK, NEVER_OVER):
        code, out, err = run("solve", sheet(text), "--limit", 500, "--json")
        assert code == 1
        found = json.loads(out)
        assert found["payoffs"] is None
        assert found["bounds"] == [[0.0, 100.0], [0.0, 100.0]]
        assert "is not solved" in err


def test_forward_chaining_proves_what_each_role_can_secure(run, sheet):
    short = NAMED_LIKE_COMMANDS.replace("(role x)", "(role x) (role o) (legal o noop)") + (
        "(<= (goal o 30) (true (step 2)))"
    )
    code, out, _ = run("solve", sheet(short), "--evaluator", "forward", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["bounds"] == [[10.0, 10.0], [30.0, 30.0]]
    assert (found["payoffs"], found["constant_sum"]) == (None, None)


@pytest.mark.parametrize("command", ["analyze", "play", "match", "solve"])
def test_a_role_without_a_legal_move_is_said(run, sheet, command):
    path = sheet(STUCK)
    given = COMMANDS.get(command, ["--limit", "10"])
    code, _, err = run(command, path, *given, "--evaluator", "circuit")
    assert code == (1 if command == "solve" else 0)
    assert f"{path}: a role has no legal move after go noop: play stops there" in err


def test_only_chance_plays(run, sheet):
    path = sheet(
        "(role random) (init s) (legal random go) (<= (next t) (true s)) (<= terminal (true t))"
        "(goal random 0)"
    )
    for evaluator in ("circuit", "forward"):
        code, _, err = run("perft", path, 1, "--evaluator", evaluator)
        assert code == 2
        assert told(err) == [f"trellis: {path}: the only role is random: nobody could play"]


# --- what takes long


@pytest.fixture
def terminal(monkeypatch):
    """Make standard error a terminal; return what reads all that was written on it."""
    reader, writer = os.openpty()
    monkeypatch.setenv("TERM", "xterm")

    def run(*words):
        with open(writer, "w", encoding="utf-8", closefd=False) as stream:
            monkeypatch.setattr(sys, "stderr", stream)
            main([str(word) for word in words])
            stream.flush()
        os.write(writer, b"\0")
        written = b""
        while not written.endswith(b"\0"):
            written += os.read(reader, 1 << 16)
        return written.decode()

    yield run
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("words", [["perft", "FILE", "1"], ["gdl", "ground", "FILE"]])
def test_grounding_tells_somebody_who_watches(run, terminal, monkeypatch, words):
    monkeypatch.setattr(trellis.cli.waiting, "_PATIENCE", 0.0)
    words = [str(TIC_TAC_TOE) if word == "FILE" else word for word in words]
    seen = terminal(*words, "--ground-limit", "50")
    assert "\rgrounding tic_tac_toe.kif (0 s of at most 50) …\x1b[K" in seen
    assert seen.rpartition("…\x1b[K")[2].startswith("\r\x1b[K")  # nothing stays
    monkeypatch.undo()
    monkeypatch.setattr(trellis.cli.waiting, "_PATIENCE", 0.0)
    assert told(run(*words)[2]) == []


def test_quick_work_is_not_told(terminal, monkeypatch):
    monkeypatch.setattr(trellis.cli.waiting, "_PATIENCE", 60.0)
    assert "grounding" not in terminal("gdl", "ground", TIC_TAC_TOE)
