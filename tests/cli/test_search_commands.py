"""The commands that search: analyze, solve, bench --search."""

import json

import pytest

from places import told


def test_solve_in_json(run):
    code, out, _ = run("solve", "tic_tac_toe", "--json")
    content = json.loads(out)
    assert code == 0
    assert content["game"] == "tic_tac_toe"
    assert content["solved"] is True
    assert content["payoffs"] == [0.0, 0.0]
    assert content["outcome"] == "draw"
    assert content["best"] in {"a1", "a3", "b2", "c1", "c3", "a2", "b1", "b3", "c2"}
    assert content["sims"] > 0
    assert content["nodes"] > 0
    assert content["seconds"] > 0


def test_solve_for_people(run):
    code, out, err = run("solve", "hex:board_size=3", "--moves", "b2")
    assert code == 0
    assert "x wins (x 1, o -1), proven" in out
    assert "line:" in out
    assert told(err) == []


def test_what_is_not_solved_says_so(run):
    code, out, err = run("solve", "connect_four", "--limit", 500, "--json")
    content = json.loads(out)
    assert code == 1
    assert content["solved"] is False
    assert content["payoffs"] is None
    assert content["outcome"] is None
    assert "not solved" in err
    assert len(told(err)) == 1


def test_a_strategy_is_written_and_followed(run, tmp_path):
    path = tmp_path / "ttt.jsonl"
    code, out, _ = run("solve", "tic_tac_toe", "--strategy", path)
    assert code == 0
    assert "strategy of" in out
    lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["game"] == "tic_tac_toe"
    code, out, _ = run(
        "match", "tic_tac_toe", f"strategy:{path}", "random", "--games", 20, "--json"
    )
    assert code == 0
    assert json.loads(out)["wins_b"] == 0


def test_every_position_is_written(run, tmp_path):
    path = tmp_path / "strong.jsonl"
    code, out, _ = run("solve", "tic_tac_toe", "--strong", path, "--json")
    assert code == 0
    assert json.loads(out)["strong_positions"] == 5_478
    assert len(path.read_text(encoding="utf-8").splitlines()) == 5_479


def test_analyze_options_work_together(run):
    for options in (
        ["--select", "ucd:2,1,2", "-c", 0.3],
        ["--select", "uct3", "--backup", "exact", "--bounds", "off"],
        ["--rave", 300, "--grave", 20],
        ["--bounds", "guided", "--symmetry", "--when-full", "collect", "--memory", 1],
        ["--threads", 2],
        ["--sequential-halving", "--bounds", "off"],
        ["--ucb1-tuned", "--fpu", 0.6, "--final-move", "secure"],
        ["--decisive"],
    ):
        code, out, err = run("analyze", "connect_four", "--sims", 500, "--json", *options)
        assert code == 0, err
        content = json.loads(out)
        assert content["sims"] == 500, options
        assert sum(line["visits"] for line in content["moves"]) == 500


def test_the_same_seed_gives_the_same_analysis(run):
    def moves(seed):
        return json.loads(run("analyze", "hex", "--sims", 400, "--seed", seed, "--json")[1])[
            "moves"
        ]

    assert moves(3) == moves(3)
    assert moves(3) != moves(4)


def test_the_top_of_the_graph_is_written(run, tmp_path):
    for name in ("top.dot", "top.graphml", "top.json"):
        code, _, err = run("analyze", "tic_tac_toe", "--graph", tmp_path / name, "--sims", 200)
        assert code == 0, err
        assert (tmp_path / name).stat().st_size > 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyze", "connect_four", "--select", "ucd:1,x,0"], "bad depth 'x'"),
        (["analyze", "connect_four", "--select", "ucd:1,-1,0"], "bad depth '-1'"),
        (["analyze", "connect_four", "--sims", "-3"], "bad value -3 for --sims"),
        (["analyze", "connect_four", "--time", "0"], "--time"),
        (["analyze", "connect_four", "--memory", "0.0001"], "bad memory"),
        (["analyze", "connect_four", "--memory", "-1"], "bad value -1 for --memory"),
        (["analyze", "connect_four", "--when-full", "burn"], "'burn'"),
        (["analyze", "connect_four", "--bounds", "loose"], "'loose'"),
        (["analyze", "connect_four", "--threads", "0"], "threads"),
        (["analyze", "goofspiel", "--select", "simple"], "at once"),
        (["analyze", "leftright", "--symmetry"], "symmetry"),
        (["analyze", "nine_mens_morris:turn_limit=0", "--select", "uct3", "--backup", "exact"],
         "comes again"),
        (["solve", "goofspiel", "--strategy", "s.jsonl"], "no strategy for goofspiel"),
        (["solve", "tic_tac_toe", "--limit", "0"], "--limit"),
        (["solve", "tic_tac_toe", "--bounds", "off"], "bounds off"),
        (["bench", "--search", "--sims", "0"], "--sims"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(run, arguments, words):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    last = err.splitlines()[-1]
    assert words in last
    assert "Traceback" not in err


def test_searches_are_measured(run):
    code, out, _ = run(
        "bench", "tic_tac_toe", "--search", "--sims", 2000, "--select", "simple", "--select",
        "uct3", "--json",
    )  # fmt: skip
    assert code == 0
    results = json.loads(out)["results"]
    assert [result["select"] for result in results] == ["simple", "uct3"]
    assert all(result["measure"] == "sims" and result["per_second"] > 0 for result in results)


def test_usual_games_that_refuse_a_setting_are_left_out_and_those_asked_for_are_not(
    run, monkeypatch
):
    monkeypatch.setattr("trellis.cli.bench._USUAL_SEARCH", ("go:board_size=2", "tic_tac_toe"))
    words = ("bench", "--search", "--sims", 100, "--bounds", "cuts")
    code, out, err = run(*words)
    assert code == 0
    assert "tic_tac_toe" in out
    assert "go:board_size=2 is left out: keys of go" in err
    assert run(*words, "go:board_size=2")[0] == 2


def test_what_rave_costs_is_measured_beside_the_same_search_without_it(run):
    words = ["bench", "tic_tac_toe", "--search", "--sims", 2000]
    (result,) = json.loads(run(*words, "--rave", 300, "--json")[1])["results"]
    assert 0 < result["of_plain_low"] <= result["of_plain"] <= result["of_plain_high"]
    assert "of plain" in run(*words, "--rave", 300)[1]
    assert "of_plain" not in json.loads(run(*words, "--json")[1])["results"][0]
    assert "of plain" not in run(*words)[1]


def test_a_game_that_differs_in_openspiel_is_measured_and_the_difference_told(run):
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    words = ["bench", "go:board_size=3", "--search", "--sims", 200, "--against", "openspiel"]
    (result,) = json.loads(run(*words, "--json")[1])["results"]
    assert result["ratio"] > 0
    assert "comes again" in result["differs"]
    assert result["differs"] in run(*words)[1]
