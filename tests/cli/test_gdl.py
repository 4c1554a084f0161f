"""`trellis gdl`: what people and programs get from it, and what bad input gets."""

import gzip
import json
import os
import subprocess
import sys

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.tools.replay import EVALUATORS

from places import told

TIC_TAC_TOE = SHEETS / "tic_tac_toe.kif"
COMMANDS = ("check", "show", "bench", "diff", "replay", "ground")
STUCK = """
(role x) (role o) (init (step 1))
(<= (legal x go) (true (step 1))) (legal o noop)
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 3))) (<= terminal (true (step 3)))
(goal x 50) (goal o 50)
"""


@pytest.fixture
def gdl(run):
    return lambda *words: run("gdl", *words)


@pytest.fixture
def run_json(gdl):
    def run_json(*words, code=0):
        found, out, err = gdl(*words, "--json")
        assert found == code, err
        assert out.count("\n") == 1
        return json.loads(out)

    return run_json


@pytest.fixture
def sheet(written):
    return lambda text, name="sheet.kif": written(text, name)


def test_help_lists_the_commands_without_waiting_for_numba(gdl):
    code, out, _ = gdl()
    assert code == 0
    assert all(command in out for command in COMMANDS)
    script = (
        "import sys; from trellis.cli.main import main; code = main(['gdl', 'show', '--help']); "
        "assert code == 0; heavy = {'numba', 'numpy'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


# --- check


def test_check_of_a_sound_sheet(gdl, run_json):
    content = run_json("check", TIC_TAC_TOE)
    assert content == {"file": str(TIC_TAC_TOE), "errors": [], "warnings": [], "notes": []}
    assert gdl("check", TIC_TAC_TOE)[1] == f"{TIC_TAC_TOE}: 0 errors, 0 warnings, 0 notes\n"


def test_check_of_several_sheets(run_json, sheet):
    broken = sheet("(role x")
    content = run_json("check", TIC_TAC_TOE, broken, "missing.kif", code=2)
    sound, bad, missing = content["results"]
    assert sound["errors"] == []
    assert bad["errors"][0] == {"line": 1, "column": 1, "message": "'(' is never closed"}
    assert "missing.kif" in missing["error"]


def test_check_says_what_and_where(gdl, sheet):
    path = sheet("(role x)\n(legal x (a)\n")
    code, out, err = gdl("check", path)
    assert code == 2
    assert f"{path}:2:1: error: '(' is never closed" in out
    assert err == ""


def test_check_also_plays(run_json, sheet):
    text = TIC_TAC_TOE.read_text(encoding="utf-8")
    path = sheet(text.replace("(<= (goal o 0)\n    (line x))", ""))
    (warning,) = run_json("check", path)["warnings"]
    assert "o has no goal at the end after" in warning["message"]
    assert len(warning["play"]) >= 5
    assert run_json("check", path, "--no-play")["warnings"] == []


def test_check_counts_one_thing_as_one(gdl, sheet):
    text = TIC_TAC_TOE.read_text(encoding="utf-8")
    _, out, _ = gdl("check", sheet(text + "(role x)"), "--no-play")
    assert "the role 'x' is given twice" in out
    assert out.endswith(": 0 errors, 1 warning, 0 notes\n")


def test_a_sheet_nobody_can_play_does_not_pass(gdl, sheet):
    path = sheet(STUCK)
    code, out, _ = gdl("check", path)
    assert code == 2
    assert "error: x has no legal move after go noop; a role is stuck at the end" in out
    assert gdl("show", path, "--stage", "circuit")[0] == 0


def test_old_sheets_in_latin_1_are_read_and_told(run_json, sheet):
    text = TIC_TAC_TOE.read_text(encoding="utf-8") + "\n; voil\xe0"
    content = run_json("check", sheet(text.encode("latin-1")))
    (warning,) = content["warnings"]
    assert warning["message"] == "byte 224 is not UTF-8: the file is read as Latin-1"
    assert (warning["line"], warning["column"]) == (text.count("\n") + 1, 7)
    assert run_json("check", sheet(text))["warnings"] == []


# --- show


@pytest.mark.parametrize("stage", ["parsed", "mini", "normal", "inverted", "code", "ground"])
def test_show_a_stage(gdl, run_json, stage):
    code, out, _ = gdl("show", TIC_TAC_TOE, "--stage", stage)
    assert code == 0
    content = run_json("show", TIC_TAC_TOE, "--stage", stage)
    assert (content["stage"], content["lines"]) == (stage, out.splitlines())


def test_show_the_circuit_and_facts(gdl, run_json):
    code, out, _ = gdl("show", TIC_TAC_TOE, "--stage", "circuit", "--facts")
    assert code == 0
    assert "legal(x,mark(a,1)) = " in out
    assert "2 players: x, o" in out
    total = run_json("show", TIC_TAC_TOE, "--facts")["facts"]["constant_sum"]
    assert total == {"value": 100, "status": "proven", "play": None}


def test_facts_without_time_are_not_proven(gdl, run_json):
    facts = run_json("show", TIC_TAC_TOE, "--facts", "--prove-time", "0")["facts"]
    assert facts["constant_sum"]["status"] in ("observed", "unknown")
    for bad, words in (
        ("-1", "bad value -1 for --prove-time"),
        ("inf", "bad value 'inf' for --prove-time"),
        ("nan", "bad value 'nan' for --prove-time"),
    ):
        code, _, err = gdl("show", TIC_TAC_TOE, "--facts", "--prove-time", bad)
        assert code == 2
        assert words in err


def test_show_without_a_stage_draws_the_first_state(gdl):
    code, out, _ = gdl("show", TIC_TAC_TOE)
    assert code == 0
    assert "3 . . .\n2 . . .\n1 . . .\n  a b c\n(control x)" in out


def test_show_more_than_one_sheet(gdl):
    _, out, _ = gdl("show", TIC_TAC_TOE, SHEETS / "nim.kif", "--stage", "parsed")
    assert out.count("; ") == 2


def test_the_reader_of_a_long_stage_may_leave():
    words = [sys.executable, "-m", "trellis", "gdl", "show", str(SHEETS / "hex.kif")]
    with subprocess.Popen(
        [*words, "--stage", "ground"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read().decode()
    # As of every other command.
    assert err == "trellis: the reader of the output went away (broken pipe)\n"
    assert process.returncode == 2


# --- ground


def test_ground(gdl, run_json):
    content = run_json("ground", TIC_TAC_TOE)
    assert set(content) >= {"file", "seconds", "rules", "atoms", "inputs", "facts", "limits"}
    assert content["inputs"] == 40
    assert "rules over" in gdl("ground", TIC_TAC_TOE)[1]


def test_a_limit_is_kept_and_named(gdl):
    code, out, err = gdl("ground", TIC_TAC_TOE, "--ground-limit", "rules=10")
    assert (code, out) == (2, "")
    assert told(err) == [f"trellis: {TIC_TAC_TOE}: grounding makes more than 10 rules"]


@pytest.mark.parametrize("limit", ["0", "x", "rules=-3", "hours=3", "seconds=nan", "rules=1.5", ""])
def test_a_bad_limit_is_refused(gdl, limit):
    code, _, err = gdl("ground", TIC_TAC_TOE, "--ground-limit", limit)
    assert code == 2
    assert len(told(err)) == 1


# --- bench


def test_bench(gdl, run_json):
    content = run_json("bench", TIC_TAC_TOE, "--seconds", 0.01)
    assert set(content) >= {"file", "load_seconds", "gates", "evaluators", "chosen"}
    assert set(content["evaluators"]) == set(EVALUATORS)
    for speed in content["evaluators"].values():
        assert speed["playouts_per_second"] > 0
        # No game is shorter than five steps or longer than nine.
        assert 5 <= speed["states_per_second"] / speed["playouts_per_second"] <= 9
    fastest = max(
        content["evaluators"], key=lambda name: content["evaluators"][name]["playouts_per_second"]
    )
    assert content["chosen"] == fastest
    assert content["reference_per_second"] > 0
    code, out, _ = gdl("bench", TIC_TAC_TOE, "--seconds", 0.01, "--evaluator", "event,forward")
    assert code == 0
    assert "fixed loop" in out
    assert "lanes" not in out


def test_bench_where_grounding_explodes(run_json):
    content = run_json("bench", TIC_TAC_TOE, "--seconds", 0.01, "--ground-limit", "rules=10")
    assert content["gates"] is None
    assert content["chosen"] == "forward"
    assert "more than 10 rules" in content["reason"]


def test_bench_of_a_game_that_never_ends(run_json, sheet):
    path = sheet(
        "(role x) (init (a 1)) (<= (next (a 1)) (true (a 2))) (<= (next (a 2)) (true (a 1)))"
        "(legal x go) (legal x stay) (<= terminal (true (a 3))) (goal x 50)"
    )
    content = run_json("bench", path, "--seconds", 0.01, "--evaluator", "lanes64,forward")
    for speed in content["evaluators"].values():
        assert speed["playouts_per_second"] is None
        assert "not" in speed["reason"]
    assert content["chosen"] is None


@pytest.mark.parametrize("command", ["bench", "diff", "replay"])
def test_the_help_and_a_refusal_name_the_same_evaluators(gdl, tmp_path, command):
    path = tmp_path / "record.jsonl"
    path.write_text(json.dumps(record()), encoding="utf-8")
    words = {"bench": [], "diff": [TIC_TAC_TOE], "replay": [path]}[command]
    _, _, err = gdl(command, TIC_TAC_TOE, *words, "--evaluator", "magic")
    (line,) = told(err)
    _, _, expected = line.partition("bad evaluator 'magic': expected ")
    plain = " ".join(gdl(command, "--help")[1].replace("│", " ").split())
    assert expected
    assert f"{expected}." in plain


# --- diff


def test_diff_of_a_sheet_and_its_twin(gdl, run_json):
    content = run_json("diff", TIC_TAC_TOE, "tic_tac_toe", "--games", 5)
    assert content["difference"] is None
    assert (content["games"], content["how"]) == (5, "names")
    assert "no difference in 5 random games" in gdl("diff", TIC_TAC_TOE, TIC_TAC_TOE)[1].replace(
        "100", "5"
    )


def test_diff_prints_the_first_difference(gdl, run_json, sheet):
    text = TIC_TAC_TOE.read_text(encoding="utf-8")
    other = sheet(text.replace("(<= (goal o 0)", "(<= (goal o 1)"))
    content = run_json("diff", TIC_TAC_TOE, other, code=1)
    assert content["difference"]["what"] == "goals"
    code, out, _ = gdl("diff", TIC_TAC_TOE, other)
    assert code == 1
    assert "goals differs" in out
    assert "after: (mark " in out


# --- replay


def record(terminal=False):
    step = {
        "state": ["(control x)"],
        "terminal": terminal,
        "goals": [50, 50],
        "legal": [[f"(mark {c} {r})" for c in "abc" for r in "123"], ["noop"]],
    }
    return {"game": "own", "seed": 1, "roles": ["x", "o"], "steps": [step]}


@pytest.mark.parametrize("evaluator", [*EVALUATORS, "auto", "circuit", "lanes"])
def test_replay(run_json, tmp_path, evaluator):
    path = tmp_path / "record.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(record()).encode()))
    content = run_json("replay", TIC_TAC_TOE, path, path, "--evaluator", evaluator)
    assert content.pop("evaluator") in EVALUATORS
    assert content == {
        "file": str(TIC_TAC_TOE), "playouts": 2, "steps": 2, "agree": 2, "first_difference": None,
        "interrupted": False,
    }  # fmt: skip


def test_replay_tells_the_first_difference(gdl, run_json, tmp_path):
    path = tmp_path / "record.jsonl"
    path.write_text(json.dumps(record(terminal=True)), encoding="utf-8")
    content = run_json("replay", TIC_TAC_TOE, path, code=1)
    assert content["first_difference"] == {
        "playout": 0, "step": 0, "what": "terminal", "expected": True, "got": False,
    }  # fmt: skip
    code, out, _ = gdl("replay", TIC_TAC_TOE, path)
    assert code == 1
    assert "0 of 1 steps agree" in out
    assert f"{path}:1, step 0: terminal" in out


def test_replay_falls_back_and_says_so(gdl, tmp_path):
    path = tmp_path / "record.jsonl"
    path.write_text(json.dumps(record()), encoding="utf-8")
    code, out, err = gdl("replay", TIC_TAC_TOE, path, "--ground-limit", "rules=10")
    assert code == 0
    assert "(forward)" in out
    assert "forward chaining instead" in err
    code, _, err = gdl(
        "replay", TIC_TAC_TOE, path, "--ground-limit", "rules=10", "--evaluator", "event"
    )
    assert code == 2
    assert "more than 10 rules" in err


# --- bad input

BAD = {
    "empty": b"",
    "binary": bytes(range(256)),
    "unbalanced": b"(role x) (legal x a",
    "deep": b"(" * 1_000_000,
    "no roles": b"(legal x a) (<= terminal (true (a 1))) (goal x 100)",
    "words": b"hello",
    "cycle": b"(role x) (legal x a) (goal x 0) (<= terminal (not terminal))",
    "code": b"(role __import__('os').system('true')) terminal",
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_sheets_get_one_line_and_a_place(gdl, sheet, tmp_path, command, kind):
    path = sheet(BAD[kind])
    words = {
        "diff": [path, TIC_TAC_TOE],
        "replay": [path, tmp_path / "record.jsonl"],
        "show": [path, "--stage", "mini"],
    }
    code, out, err = gdl(command, *words.get(command, [path]))
    assert code == 2
    if command == "check":
        assert f"{path}:1:" in out
        assert ": error: " in out
    else:
        (line,) = told(err)
        assert f"{path}:1:" in line
        assert "Traceback" not in err


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_files_and_folders(gdl, tmp_path, command):
    record_path = tmp_path / "record.jsonl"
    for path in (tmp_path / "missing.kif", tmp_path):
        words = {"diff": [path, TIC_TAC_TOE], "replay": [path, record_path]}
        code, out, err = gdl(command, *words.get(command, [path]))
        assert (code, out) == (2, "")
        assert len(told(err)) == 1
        assert "internal error" not in err


def test_bad_options_get_one_line(gdl, tmp_path):
    for words in (
        ["show", TIC_TAC_TOE, "--stage", "magic"],
        ["show", TIC_TAC_TOE, "--stage", "normal", "--strategy", "magic"],
        ["bench", TIC_TAC_TOE, "--evaluator", "magic"],
        ["bench", TIC_TAC_TOE, "--seconds", "0"],
        ["diff", TIC_TAC_TOE, TIC_TAC_TOE, "--games", "0"],
        ["diff", TIC_TAC_TOE, "no_such_game"],
        ["replay", TIC_TAC_TOE, tmp_path / "missing"],
        ["replay", TIC_TAC_TOE],
        ["check"],
        ["magic"],
    ):
        code, out, err = gdl(*words)
        assert (code, out) == (2, ""), words
        assert len(told(err)) == 1, err
        assert "internal error" not in err
