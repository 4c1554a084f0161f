"""`trellis reproduce`: what it takes, prints and writes."""

import csv
import json
import shlex
import signal
import subprocess
import sys
import time

import pytest

EXPERIMENT = """
title = "Heaps"
measure = "match"
source = "Nobody, On heaps, table 2"
settings = { a = "random", b = "random", game = "nim:pile_sizes={heap}" }
grid = { heap = [3, 4] }
scales = { paper = { samples = 4 }, smoke = { samples = 2 } }
[[claims]]
text = "heaps of 3 are lost"
rule = "below"
cells = "heap=3"
than = 1
[plot]
kind = "bars"
"""


@pytest.fixture
def heaps(tmp_path):
    """Write an experiment down; return the words that run it."""
    path = tmp_path / "heaps.toml"
    path.write_text(EXPERIMENT)
    return ["reproduce", path, "--record", tmp_path / "record.sqlite"]


def test_the_list_is_grouped_by_paper_and_says_how_long_it_takes(run, tmp_path):
    record = tmp_path / "none.sqlite"
    code, out, _ = run("reproduce", "--list", "--record", record)
    assert code == 0
    lines = out.splitlines()
    paper = lines.index(
        "Saffidine, Cazenave and Méhat, UCD: Upper Confidence bound for rooted Directed acyclic "
        "graphs"
    )
    row = next(line for line in lines[paper:] if line.split()[0] == "ucd-table-5")
    assert "2 / 200 / 1,000" in row
    assert "? / ? / ?" in row
    assert not record.exists()
    content = json.loads(run("reproduce", "--list", "--json", "--record", record)[1])
    (facts,) = [each for each in content["experiments"] if each["name"] == "ucd-table-5"]
    assert facts["cells"] == 27
    assert facts["paper"] == lines[paper]
    assert facts["scales"]["paper"] == {"cells": 27, "samples": 200, "seconds": None}


def test_tables_and_verdicts_are_printed_and_written(run, heaps, tmp_path):
    plots = tmp_path / "plots"
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "csv", "jsonl", "txt")]
    reports = [word for file in files for word in ("--report", file)]
    code, out, err = run(*heaps, *reports, "--plots", plots)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "heaps: Heaps"
    assert lines[2] == "score of the first player, %; 4 samples a cell, complete"
    assert any(line.startswith("heaps of 3 are lost: not ") for line in lines)
    assert err.count("a report is in") == len(files)
    assert [file.name for file in plots.iterdir()] == ["heaps.svg"]
    with files[2].open() as file:
        assert [row["samples"] for row in csv.DictReader(file)] == ["4", "4"]
    # Nothing is measured the second time, and everything is the same.
    before = [file.read_bytes() for file in files]
    code, again, _ = run(*heaps, *reports, "--plots", plots, "--report-only")
    assert code == 0
    assert again.splitlines() == lines[: len(again.splitlines())]
    assert [file.read_bytes() for file in files] == before


def cells(out):
    """Return what is said of cells, but for times, which an export has to the millisecond."""
    found = json.loads(out)["experiments"][0]["cells"]
    return [{name: each[name] for name in each if "seconds" not in name} for each in found]


def test_an_export_is_shown_and_added_to_another_record(run, heaps, tmp_path):
    export, other = tmp_path / "e.jsonl.gz", tmp_path / "other.sqlite"
    first = cells(run(*heaps, "--json", "--export", export)[1])
    code, out, _ = run(*heaps[:2], "--record", export, "--report-only", "--json")
    assert code == 0
    assert cells(out) == first
    code, _, err = run("reproduce", "--import", export, "--record", other)
    assert code == 0
    assert "4 of 4 jobs were not on record yet" in err
    out = run(*heaps[:2], "--record", other, "--report-only", "--json")[1]
    assert cells(out) == first
    assert "0 of 4 jobs" in run("reproduce", "--import", export, "--record", other)[2]


def test_an_estimate_stops_after_one_job_of_each_cell(run, heaps):
    code, out, _ = run(*heaps, "--estimate")
    assert code == 0
    assert out.startswith("heaps: the rest takes about ")
    assert " here with 1 process, " in out
    assert out.endswith(" on 1,000 processors like these\n")
    (found,) = json.loads(run(*heaps, "--report-only", "--json")[1])["experiments"]
    assert [cell["samples"] for cell in found["cells"]] == [2, 2]
    assert run(*heaps)[0] == 0
    assert run(*heaps, "--estimate")[1] == "heaps: nothing is left to be done\n"


def test_several_experiments_end_with_a_summary(run, heaps, tmp_path):
    second = tmp_path / "second.toml"
    second.write_text(EXPERIMENT.replace("Heaps", "More heaps"))
    code, out, _ = run(*heaps, second, "--scale", "smoke")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[-2:]] == [
        ["heaps", "complete"], ["second", "complete"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "no experiment: expected a name that --list tells, a file, or --all"),
        (["ucd-tabel-5"], "unknown experiment 'ucd-tabel-5'"),
        (["none.toml"], "cannot read 'none.toml'"),
        (["ucd-table-5", "--report", "r.pdf"], "expected a name that ends in .html, .md"),
        (["ucd-table-5", "--report", "no/r.md"], "no such folder"),
        (["ucd-table-5", "--plot-format", "gif"], "unknown format 'gif' of plots"),
        (["ucd-table-5", "--export", "e.csv"], "expected a name that ends in .jsonl or .jsonl.gz"),
        (["ucd-table-5", "--report-only", "--record", "none.sqlite"], "no record 'none.sqlite'"),
        (["ucd-table-5", "--record", "e.jsonl"], "'e.jsonl' is an export: --report-only shows it"),
        (["--import", "none.jsonl", "--record", "r.sqlite"], "cannot read 'none.jsonl'"),
    ],
)
def test_bad_input_gets_one_line(run, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("reproduce", *words)
    assert (code, out) == (2, "")
    assert expected in err
    assert err.count("\n") == 1


GAME = """
import time

class Slow:
    max_moves, payoff_range = 2, (-1.0, 1.0)

    def start(self):
        return 2

    def moves(self, state):
        return ["wait"] if state else []

    def play(self, state, move):
        time.sleep(0.02)
        return state - 1

    def payoffs(self, state):
        return 1
"""


def test_ctrl_c_prints_the_command_that_goes_on(tmp_path):
    game = tmp_path / "my slow game.py"
    game.write_text(GAME)
    path = tmp_path / "slow.toml"
    path.write_text(
        f"measure = 'match'\n[settings]\ngame = '{game}:Slow'\na = 'random'\nb = 'random'\n"
        "[[cells]]\nname = 'one'\n[scales.paper]\nsamples = 4000\n"
    )
    record = tmp_path / "record.sqlite"
    words = ["reproduce", str(path), "--scale", "paper", "--record", str(record)]
    running = subprocess.Popen(
        [sys.executable, "-m", "trellis", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    from trellis.lab import Record

    while not (record.exists() and record.stat().st_size and _jobs(Record, record)):
        assert running.poll() is None, running.communicate()
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "slow: " in out
    command = next(line for line in err.splitlines() if "goes on: " in line)
    assert shlex.split(command.partition("goes on: ")[2]) == ["trellis", *words]
    assert "Traceback" not in err


def _jobs(record, path):
    from contextlib import closing

    from trellis.game.errors import TrellisError

    try:
        with closing(record(path)) as opened:
            return any(True for _ in opened.rows())
    except TrellisError:  # it is being made
        return False


def test_an_experiment_that_has_no_such_scale_is_left_out(run, heaps, tmp_path):
    second = tmp_path / "second.toml"
    second.write_text(EXPERIMENT.replace("smoke", "other"))
    code, out, err = run(*heaps, second, "--scale", "smoke", "--json")
    assert code == 0
    assert [each["experiment"] for each in json.loads(out)["experiments"]] == ["heaps"]
    assert "second is left out: second has no scale 'smoke': expected one of paper, other" in err
    code, _, err = run(*heaps[:1], second, "--scale", "smoke")
    assert code == 2
    assert err.startswith("trellis: second has no scale")
