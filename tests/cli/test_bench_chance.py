"""`trellis bench --chance`: how many positions searches look at."""

import json
from statistics import mean

import pytest

from trellis.cli.main import main
from trellis.evaluation.shipped import shipped_evaluation
from trellis.lab.star_counts import stored_positions
from trellis.loading import load
from trellis.search.star.engine import StarSearch

from places import told

QUICK = ("--seconds", "0.05")


@pytest.fixture
def bench(run):
    return lambda *words: run("bench", "--chance", *words)


def test_each_search_looks_at_fewer_positions_than_the_one_before(bench):
    """As in the paper's table I; what we add must not make it worse."""
    code, out, _ = bench("--depth", 8, "--json", *QUICK)
    assert code == 0
    content = json.loads(out)
    assert (content["game"], content["positions"], content["depth"]) == ("dice", 50, 8)
    means = [work["nodes"]["mean"] for work in content["searches"].values()]
    assert list(content["searches"]) == ["expectimax", "star1", "star2", "star2tt", "star2tt+"]
    assert means == sorted(means, reverse=True)
    for work in content["searches"].values():
        wanted = content["searches"]["expectimax"]["values"]
        assert work["values"] == pytest.approx(wanted, abs=1e-9)
        assert work["mean_nodes_by_depth"][-1] == work["nodes"]["mean"]
        assert work["nodes"]["min"] <= work["nodes"]["median"] <= work["nodes"]["max"]
        assert work["nodes_per_second_without_evaluation"] > 0


def test_searches_with_switches_and_several_at_once(bench):
    names = ["star2tt", "star2tt:chance_null_window=true", "star2tt:reuse_probe=true"]
    code, out, _ = bench(*names, "--depth", 7, "--jobs", 2, "--json", *QUICK)
    assert code == 0
    usual, null_windows, reused = (json.loads(out)["searches"][name] for name in names)
    assert reused["nodes"]["mean"] < usual["nodes"]["mean"]
    assert null_windows["nodes"]["mean"] != usual["nodes"]["mean"]
    assert null_windows["values"] == pytest.approx(usual["values"], abs=1e-9)
    code, out, _ = bench("star2tt", "--depth", 7, "--json", *QUICK)
    assert json.loads(out)["searches"]["star2tt"]["nodes"] == usual["nodes"]


def test_without_deepening_each_depth_begins_with_an_empty_table(bench):
    name = "star2tt:iterative_deepening=false"
    code, out, _ = bench(name, "--depth", 6, "--json", *QUICK)
    assert code == 0
    positions = stored_positions(load("dice"))
    evaluation = shipped_evaluation(load("dice"))
    fresh = [
        StarSearch(position, "star2tt", evaluation, iterative_deepening=False).run(depth=6).nodes
        for position in positions
    ]
    assert json.loads(out)["searches"][name]["nodes"]["mean"] == pytest.approx(
        mean(fresh), rel=1e-3
    )


def test_tables_for_people(bench):
    code, out, err = bench("star2", "star2tt", "--depth", 4, *QUICK)
    assert code == 0
    assert told(err) == []
    for part in ("nodes ", "mean nodes to depth", "without an"):
        assert part in out
    assert "star2tt: " in out
    assert "fewer nodes than star2" in out
    assert "values of a position differ by" in out


@pytest.mark.parametrize(
    ("ending", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_picture_of_nodes_by_depth(bench, tmp_path, ending, begins):
    path = tmp_path / f"nodes.{ending}"
    code, _, _ = bench("star2", "--depth", 3, "--plot", path, *QUICK)
    assert code == 0
    drawn = path.read_bytes()
    assert drawn.startswith(begins)
    if ending == "svg":
        assert b"star2" in drawn
        bench("star2", "--depth", 3, "--plot", path, *QUICK)
        assert path.read_bytes() == drawn


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--plot", "nodes.txt"], "cannot draw to 'nodes.txt': expected a name that ends in .svg"),
        (["--plot", "nowhere/nodes.svg"], "no such folder"),
        (["star2tt:depth=3"], "bad search 'star2tt:depth=3': expected depth as --depth"),
        (["star2tt:time=1"], "expected time as --time"),
        (["simple"], "unknown search 'simple'"),
        (["star2tt:speed=9"], "speed"),
        (["--depth", "0"], "bad value 0 for --depth"),
        (["--depth", "-1"], "bad value -1 for --depth"),
        (["--jobs", "0"], "bad value 0 for --jobs"),
        (["--memory", "0"], "memory"),
    ],
)
def test_bad_input_is_one_line(bench, options, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = bench(*options)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert wanted in err
    assert list(tmp_path.iterdir()) == []


def test_a_picture_needs_something_to_draw(capsys):
    assert main(["bench", "--plot", "nodes.svg"]) == 2
    assert "expected --chance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "memory"), [([], 256), (["--memory", "1024"], 1024), (["--memory", "3"], 3)]
)
def test_tables_have_the_memory_that_was_asked_for(bench, monkeypatch, words, memory):
    given = []
    monkeypatch.setattr("trellis.cli.bench.bench_chance", lambda *words: given.append(words))
    assert bench(*words)[0] == 0
    assert given[0][3] == memory


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--depth", "3", "dice"], "--depth is for star searches: expected --chance"),
        (["--jobs", "2"], "--jobs is for star searches"),
        (["--chance", "--sims", "5"], "--sims is for playouts and searches of graphs"),
        (["--chance", "--against", "openspiel"], "--against is for playouts"),
        (["--chance", "--search"], "--search is for playouts"),
        (["--sims", "5"], "--sims is for searches of graphs: expected --search with it"),
        (["--memory", "5"], "--memory is for searches of graphs"),
        (["--search", "--seconds", "1"], "--seconds is for playouts: expected --sims"),
        (["--signature", "-c", "1"], "-c has no effect with --signature"),
    ],
)
def test_options_that_would_not_be_heeded(run, words, wanted):
    code, _, err = run("bench", *words)
    assert code == 2
    assert wanted in err
