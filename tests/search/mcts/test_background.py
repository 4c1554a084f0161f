"""Searches in a thread of their own, and searches as data."""

import pickle

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.search.mcts.engine import Search


def test_a_search_in_the_background_is_the_search_it_would_have_been():
    here, there = (Search("connect_four", bounds="off", seed=4) for _ in range(2))
    here.run(sims=120)
    there.start(sims=120)
    report = there.wait()
    assert report.sims == 120
    assert not there.running
    used = int(here.graph.counters[0])
    assert (here.graph.nodes["visits"][:used] == there.graph.nodes["visits"][:used]).all()


def test_it_can_be_asked_and_stopped():
    search = Search("connect_four", bounds="off", seed=1)
    search.start()
    assert search.running
    with pytest.raises(BadParameter, match="running already"):
        search.start()
    while search.sims < 20:  # it gets there
        search.report()
    report = search.stop()
    assert not search.running
    assert report.sims >= 20
    assert not search.stop().sims > report.sims  # nothing goes on
    search.run(sims=10)  # and it can be used as before
    assert search.sims == report.sims + 10


def test_what_goes_wrong_is_told_to_whoever_waits():
    def broken(features, legal):
        raise ZeroDivisionError("no network")

    search = Search("connect_four", evaluate=broken)
    search.start(sims=50)
    with pytest.raises(ZeroDivisionError, match="no network"):
        search.wait()
    with pytest.raises(BadParameter):
        search.start(sims=-1)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"select": "uct3"}, {"symmetry": True}, {"when_full": "drake", "bounds": "off"},
        {"rave": 50.0},
    ],
)  # fmt: skip
def test_a_search_goes_on_elsewhere(options):
    search = Search("connect_four", seed=2, memory=4, **options)
    search.simulate(60)
    data = pickle.dumps(search)
    again = pickle.loads(data)
    assert again.report().to_dict() == search.report().to_dict()
    search.simulate(60), again.simulate(60)
    assert again.sims == search.sims == 120
    for name in ("nodes", "edges", "links"):
        one, other = getattr(search.graph, name), getattr(again.graph, name)
        assert one.tobytes() == other.tobytes()


def test_a_small_search_is_small():
    search = Search("connect_four", seed=2)
    search.simulate(10)
    assert len(pickle.dumps(search)) < 1 << 16
    position = trellis.load("hex:board_size=5").start().play("c3")
    assert pickle.loads(pickle.dumps(position)) == position


def test_a_temperature_draws_by_visits():
    start = trellis.load("connect_four").start()
    drawn = [
        trellis.make_player("uct1:sims=40,temperature=1", seed=seed).choose(start, 0)
        for seed in range(12)
    ]
    assert len(set(drawn)) > 2
    cold = {
        trellis.make_player("uct1:sims=40,temperature=0.01", seed=7).choose(start, 0)
        for _ in range(3)
    }
    assert len(cold) == 1
    assert np.isin(drawn, start.moves()).all()
