"""How a search went on, and that it goes on elsewhere as it would have here."""

import pickle
import subprocess
import sys

import matplotlib as mpl
import pytest

import trellis
from trellis.game.errors import BadParameter

mpl.use("Agg")


def test_a_trace_holds_what_the_search_knew_at_each_time():
    search = trellis.Search("connect_four:rows=4,columns=5", seed=1, bounds="off")
    trace = trellis.Trace(search, most=10)
    report = search.run(sims=20_000, progress=trace)
    sims = [row.sims for row in trace.rows]
    assert sims == sorted(sims)
    assert sims[-1] == report.sims == 20_000
    last = trace.rows[-1].report
    assert [line.visits for line in last.moves] == [line.visits for line in report.moves]
    columns = trace.to_dict()
    assert {len(column) for column in columns.values()} == {
        sum(len(r.report.moves) for r in trace.rows)
    }
    upper, lower = trace.plot()
    assert [*upper.lines[0].get_ydata()][-1] == report.moves[0].visits
    assert [*lower.lines[0].get_ydata()][-1] == report.moves[0].adapted


def test_what_cannot_be_traced_gets_one_line():
    search = trellis.Search("tic_tac_toe")
    with pytest.raises(BadParameter, match="nothing to plot yet"):
        trellis.Trace(search).plot()
    with pytest.raises(BadParameter, match="from 1 up"):
        trellis.Trace(search, most=0)


def test_a_search_goes_on_in_another_process_as_it_would_here(tmp_path):
    search = trellis.Search("tic_tac_toe", seed=4, bounds="off")
    search.simulate(10)
    data = pickle.dumps(search)
    assert len(data) < 1_000_000
    (tmp_path / "search").write_bytes(data)
    program = (
        "import pickle, sys\n"
        "search = pickle.load(open(sys.argv[1], 'rb'))\n"
        "search.simulate(500)\n"
        "print([(line.move, line.visits, line.value) for line in search.report().moves])\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "search")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    search.simulate(500)
    here = [(line.move, line.visits, line.value) for line in search.report().moves]
    assert there.stdout.strip() == str(here)
