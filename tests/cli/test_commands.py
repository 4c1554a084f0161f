"""The command line as people and programs use it."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from trellis.game.spec import split_spec
from trellis.loading import registered_games

from places import told

TRELLIS = [sys.executable, "-m", "trellis"]


@pytest.fixture
def run_json(run):
    def run_json(*words):
        code, out, err = run(*words, "--json")
        assert code == 0, err
        assert out.count("\n") == 1
        return json.loads(out)

    return run_json


def test_help_lists_the_commands(run):
    for words in ([], ["--help"], ["-h"]):
        code, out, _ = run(*words)
        assert code == 0
        for command in ("games", "analyze", "play", "perft", "bench", "automaton", "check"):
            assert command in out
    assert run("--version")[1].startswith("trellis ")


@pytest.mark.parametrize("command", ["games", "analyze", "play", "perft", "bench", "cache"])
def test_every_command_has_help(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Usage" in out


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (
            0,
            [
                "--help",
                "games",
                "games --json",
                "cache",
                "analyze --help",
                "solve --help",
                "bench --help",
            ],
        ),
        (
            2,
            [
                "perft conect_four 3",
                "analyze hex --bounds loose",
                "analyze hex --evaluator forward",
                "analyze dice --depth 3 --select uct1",
                "analyze dice --search star2tt:memory=0",
                "solve hex --memory 0",
                "bench --chance star3",
                "train dice --lambda 3",
                "match hex random uct:c=-1",
                "play hex --player deep",
                "perft some.kif 3 --load-time 0",
            ],
        ),
    ],
)
def test_help_lists_and_refusals_do_not_wait_for_numba(code, lines):
    for line in lines:
        script = (
            "import sys; from trellis.cli.main import main; "
            f"code = main({line.split()!r}); assert code == {code}; "
            "heavy = {'numba', 'numpy', 'llvmlite'} & set(sys.modules); assert not heavy, heavy"
        )
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_the_text_of_a_game_is_split_once(run, monkeypatch):
    split = []

    def counted(text):
        split.append(text)
        return split_spec(text)

    for module in ("trellis.cli.task", "trellis.loading"):
        monkeypatch.setattr(f"{module}.split_spec", counted)
    assert run("perft", "tic_tac_toe", 1)[0] == 0
    assert split == ["tic_tac_toe"]


def test_games_shows_every_game_with_its_parameters(run, run_json):
    _, out, _ = run("games")
    for entry in registered_games():
        assert entry.name in out
        for parameter in entry.parameters:
            assert f"{parameter.name}=" in out
    listed = run_json("games")["games"]
    assert [game["name"] for game in listed] == [entry.name for entry in registered_games()]
    assert set(listed[0]) >= {"name", "players", "chance", "parameters", "state_bytes"}
    assert len(run_json("games", "hex", "nim")["games"]) == 2


def test_perft(run, run_json):
    content = run_json("perft", "tic_tac_toe", 4)
    assert content["game"] == "tic_tac_toe"
    assert content["plies"][4] == {"ply": 4, "games": 3024, "positions": 756, "ended": 0}
    assert "3,024" in run("perft", "tic_tac_toe", 4)[1]
    assert run_json("perft", "tic_tac_toe", 1, "--moves", "b2 a1")["plies"][1]["games"] == 7


def test_analyze(run, run_json):
    content = run_json("analyze", "connect_four", "--moves", "d,a,d,a,d,a", "--sims", 500)
    assert set(content) >= {
        "game", "best", "value", "sims", "seconds", "sims_per_second", "nodes", "edges",
        "transpositions", "bytes", "moves",
    }  # fmt: skip
    assert content["best"] == "d"
    assert content["solved"]  # a win in one is proven at once
    assert content["sims"] < 500
    content = run_json("analyze", "connect_four", "--sims", 500)
    assert content["sims"] == 500
    assert set(content["moves"][0]) >= {"move", "visits", "value", "low", "high"}
    code, out, err = run("analyze", "connect_four", "--sims", 500)
    assert code == 0
    assert "best for x" in out
    assert "simulations" in out
    assert told(err) == []


def test_the_same_seed_gives_the_same_analysis(run_json):
    def moves(seed):
        return run_json("analyze", "connect_four", "--sims", 2000, "--seed", seed)["moves"]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_bench(run, run_json):
    (result,) = run_json("bench", "tic_tac_toe", "--seconds", 0.05)["results"]
    assert set(result) >= {
        "game", "measure", "per_second", "against", "against_per_second", "ratio",
    }  # fmt: skip
    assert result["measure"] == "playouts"
    assert result["per_second"] > 0
    assert result["ratio"] is None
    assert "playouts/s" in run("bench", "tic_tac_toe", "--seconds", 0.05)[1]


def test_bench_against_openspiel(run, run_json):
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    words = ["bench", "tic_tac_toe", "quarto", "--seconds", 0.05, "--against", "openspiel"]
    both, alone = run_json(*words)["results"]
    assert both["against"] == "openspiel"
    assert both["ratio_low"] <= both["ratio"] <= both["ratio_high"]
    assert alone["against"] is None
    assert "ratio" in run(*words)[1]


def test_automaton_is_counted_and_drawn(run, run_json, tmp_path):
    nim = "nim:pile_sizes=5,max_take=3,is_misere=false"
    content = run_json("automaton", nim, "--minimise", "--draw", tmp_path / "nim.svg")
    assert (content["states"], content["edges"]) == (10, 18)
    assert (tmp_path / "nim.svg").read_text().startswith("<?xml")
    assert run_json("automaton", nim, "--unfold")["edges"] == 27
    code, _, err = run("automaton", nim, "--draw", tmp_path / "none" / "nim.svg")
    assert code == 2
    assert "cannot write" in err


def test_playthrough_is_written_and_replayed(run, tmp_path):
    _, text, _ = run("playthrough", "tic_tac_toe", "--seed", 3)
    file = tmp_path / "game.txt"
    file.write_text(text)
    assert run("playthrough", "tic_tac_toe", "--check", file)[0] == 0
    file.write_text(text.replace("over: ", "over: 7"))
    code, _, err = run("playthrough", "tic_tac_toe", "--check", file)
    assert code == 2
    assert "line" in err
    assert run("playthrough", "tic_tac_toe", "--check", tmp_path / "none")[0] == 2
    file.write_bytes(b"\xff\xfe\x00")
    assert run("playthrough", "tic_tac_toe", "--check", file)[0] == 2


def test_check_says_that_a_game_is_sound(run):
    code, out, _ = run("check", "tic_tac_toe", "--games", 3)
    assert code == 0
    assert "keeps the contract" in out


def test_check_stops_when_its_time_is_up(run, run_json):
    content = run_json("check", "go:board_size=9", "--time", 0.01)
    assert content["finished"] is False
    assert content["games"] == 1 <= content["positions"]
    assert "as far as was looked at" in run("check", "go:board_size=9", "--time", 0.01)[1]
    assert run_json("check", "tic_tac_toe", "--games", 2)["finished"] is True


def test_columns_that_need_it_are_explained(run):
    words = ["analyze", "tic_tac_toe", "--sims", 500, "--bounds", "off"]
    shared = run(*words, "--symmetry")[1]
    assert re.search("^move .* adapted +shared", shared, re.MULTILINE)
    assert "adapted: what selection uses" in shared
    assert "adapted" not in run(*words, "--select", "uct0")[1]


def test_all_who_choose_at_once_are_shown_with_what_they_should_mix(run, run_json):
    words = ("analyze", "goofspiel:num_cards=3", "--moves", "1", "--sims", 500, "--seed", 1)
    code, out, _ = run(*words)
    assert code == 0
    for player in ("player 1", "player 2"):
        assert f"{player} chooses, while others do:" in out
        assert f"mixture for {player}: 1 " in out
    together = run_json(*words)["together"]
    assert [each["player"] for each in together] == ["player 1", "player 2"]
    for each in together:
        assert sum(each["mixture"].values()) == pytest.approx(1.0)
        assert len(each["moves"]) == 3
    assert "together" not in run_json("analyze", "tic_tac_toe", "--sims", 50)


def test_cache_is_shown(run_json):
    assert run_json("cache")["files"] >= 0


def test_clearing_removes_all_that_is_kept_and_nothing_else(run_json, monkeypatch, tmp_path):
    from trellis._kernel import cache_home as kept
    from trellis.cli import cache

    for name in ("kernels-1/a/b", "bytecode/c", "facts/d.json", "circuits/e.bin", "somebody_elses"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1234")
    for module in (cache, kept):
        monkeypatch.setattr(module, "cache_home", lambda: tmp_path)
    assert [run_json("cache")[key] for key in ("files", "bytes", "cleared")] == [4, 16, False]
    assert run_json("cache")["parts"]["circuits"] == {"files": 1, "bytes": 4}
    assert [run_json("cache", "--clear")[key] for key in ("files", "cleared")] == [4, True]
    assert [path.name for path in tmp_path.iterdir()] == ["somebody_elses"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["perft", "conect_four", 3], "did you mean 'connect_four'"),
        (["perft", "connect_four:rows=0", 3], "from 1 to 31"),
        (["perft", "hex:board_size=99", 3], "from 2 to 19"),
        (
            ["perft", "connect_four", "three"],
            "bad value 'three' for DEPTH: expected a whole number",
        ),
        (["perft", "connect_four", 99, "--limit", 100], "more than 100 positions"),
        (["perft"], "missing argument GAME: expected trellis perft GAME DEPTH [OPTIONS]"),
        (["analyze", "connect_four", "--moves", "d z"], "move 2: illegal move 'z'"),
        (["analyze", "connect_four", "--sims", 0], "bad value 0 for --sims"),
        (["analyze", "connect_four", "--time", -1], "bad value -1 for --time"),
        (
            ["analyze", "connect_four", "--seed", "x"],
            "bad value 'x' for --seed: expected a whole number",
        ),
        (["analyze", "tic_tac_toe", "--moves", "a1 a2 b1 b2 c1"], "is over"),
        (["analyze", "game.kif"], "cannot read 'game.kif'"),
        (["play", "tic_tac_toe", "--side", "left"], "expected first, second"),
        (["play", "tic_tac_toe", "--player", "deep"], "unknown player 'deep'"),
        (["bench", "--against", "chess"], "expected openspiel"),
        (["bench", "connect_four", "--signature"], "expected no 'connect_four'"),
        (["analyze", "dice", "--moves", "xx"], "expected an outcome, for instance 'row-1'"),
        (["games", "chess"], "unknown game 'chess'"),
        (["automaton", "tic_tac_toe", "--limit", 10], "more than 10 positions"),
        (["automaton", "nim", "--draw", "x.png"], "expected a name that ends in .svg, .dot"),
        (["gmaes"], "did you mean 'games'?"),
        (["gmaes"], "unknown command 'gmaes': expected games, show, analyze,"),
        (["gdl", "chekc"], "unknown command 'chekc': expected check, show,"),
        (["gtp", "go"], "unexpected argument 'go': expected trellis gtp [OPTIONS]"),
        (["analyze", "hex", "x", "y"], "unexpected argument 'x y': expected trellis analyze GAME"),
        (["analyze", "hex", "--sims"], "--sims: expected a value behind it"),
        (["games", "--json=3"], "--json: takes no value"),
        (["games", "--jason"], "unknown option '--jason' (try trellis games --help)"),
        (["games", "--jason"], "did you mean '--json'?"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(run, words, expected):
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    lines = told(err)
    assert len(lines) == 1
    assert expected in lines[0]


def _play(words, typed):
    return subprocess.run(
        [*TRELLIS, "play", *words], input=typed, capture_output=True, text=True, check=False
    )


def test_play_through_a_pipe_reads_like_a_transcript():
    typed = "help\nmoves\nb2\nzz\nhint\nundo\nb2\nboard\nresign\n"
    done = _play(["tic_tac_toe", "--player", "random", "--seed", "1"], typed)
    assert done.returncode == 0
    assert "x> b2" in done.stdout
    assert "illegal move 'zz'" in done.stdout
    assert "taken back" in done.stdout
    assert "x resigns" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stdout == _play(["tic_tac_toe", "--player", "random", "--seed", "1"], typed).stdout


def test_play_tells_what_a_move_took():
    done = _play(["go:board_size=3", "--side", "all"], "b1\na1\na2\nquit\n")
    assert "white loses 1 stone\n" in done.stdout
    assert done.stdout.count("loses") == 1


def test_play_ends_politely_when_input_does(tmp_path):
    record = tmp_path / "game.txt"
    done = _play(["tic_tac_toe", "--json", "--save", str(record)], "b2\n")
    content = json.loads(done.stdout)
    assert (done.returncode, content["ended"], content["payoffs"]) == (0, "left", None)
    assert content["moves"][0] == "b2"
    assert "move: b2" in record.read_text()


def test_watching_two_players_finish_a_game():
    done = _play(["dice:m=3,k=3", "--side", "none", "--player", "random", "--json"], "")
    assert json.loads(done.stdout)["ended"] == "over"
    assert "the game is over" in done.stderr


def test_simultaneous_games_do_not_show_a_hidden_choice():
    game = "goofspiel:num_cards=3,points_order=descending"
    done = _play([game, "--side", "second", "--player", "random"], "")
    assert done.returncode == 0
    assert "plays" not in done.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_is_one_line_and_exit_code_2(options):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*TRELLIS, "games", *options], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "broken pipe" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "analyze connect_four --time 60",
        "analyze dice --search star2tt --depth 99 --time 60 --threads 2",
        "bench --chance --depth 13 star1",
    ],
)
def test_ctrl_c_ends_kernels_with_one_line_and_exit_code_130(command):
    running = subprocess.Popen(
        [*TRELLIS, *command.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert err.splitlines()[-1] == "trellis: interrupted"
    assert "Traceback" not in err
    shown = "best for" in out or "outcome" in out  # what is known so far
    assert out == "" or shown or command.startswith("bench")


def test_a_failure_of_ours_is_one_line_too(run, monkeypatch):
    def broken(spec):
        raise ZeroDivisionError("oops\nsecond line")

    monkeypatch.setattr("trellis.loading.load", broken)
    code, _, err = run("perft", "tic_tac_toe", 2)
    assert code == 1
    assert err.count("\n") == 1
    assert "internal error" in err


def _shell(line, **environment):
    return subprocess.run(
        ["bash", "-c", line.replace("trellis", f"{sys.executable} -m trellis")],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("trellis games >&-", 2, "standard output is closed"),
        ("trellis games 2>&-", 0, ""),
        ("trellis play tic_tac_toe <&-", 0, ""),
        ("trellis games > /dev/full", 2, "No space left"),
        ("trellis play tic_tac_toe --side none --player random --seed -5", 0, ""),
        ("trellis check tic_tac_toe --games 1 --seed -1", 0, ""),
    ],
)
def test_odd_surroundings_are_survived(line, code, words):
    done = _shell(line)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_letters_that_cannot_be_written_do_no_harm():
    done = _shell("trellis games", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "ein_stein" in done.stdout
    assert json.loads(_shell("trellis games --json", PYTHONIOENCODING="ascii").stdout)


def test_nothing_is_left_behind_where_a_file_cannot_be_written(run, tmp_path):
    nim = "nim:pile_sizes=2"
    for bad in (tmp_path, tmp_path / "none" / "x.svg"):
        draw = bad if bad.suffix else bad / "a.svg"
        (tmp_path / "a.svg").mkdir(exist_ok=True)
        code, _, err = run("automaton", nim, "--draw", draw)
        assert code == 2
        assert "cannot write" in err
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_openspiel_that_is_missing_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    code, _, err = run("bench", "tic_tac_toe", "--against", "openspiel", "--seconds", 0.01)
    assert code == 2
    assert "pip install" in err


def test_a_start_that_chance_decides_names_an_outcome(run):
    code, _, err = run("analyze", "dice", "--sims", 10)
    assert code == 2
    assert "play an outcome first, for instance 'row-1'" in err


def test_colours_are_for_pieces_alone():
    import trellis
    from trellis.cli.output import coloured

    def marked(spec, *moves):
        position = trellis.load(spec).start().play(*moves)
        text = coloured(position)
        return {str(text)[span.start : span.end] for span in text.spans}

    assert marked("dice:m=3,k=3", "row-1", "a1") == {"x", "o"}
    assert marked("breakthrough:rows=4,columns=3") == {"b", "w"}
    assert marked("pig") == set()
    assert marked("kalah") == set()
    assert marked("capture_the_king") == set("KQRBNPkqrbnp")
    headings = coloured(trellis.load("gomoku").start())
    assert not headings.spans
