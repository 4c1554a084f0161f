"""Playouts to a proof, against numbers that others published and found; means with a limit."""

import math
from random import Random

import pytest

from trellis.lab.measures import measure_of

MEASURE = measure_of("proof_playouts")


def samples_of(count, stream=3, **settings):
    read = MEASURE.read(settings)
    MEASURE.check(read)
    return [MEASURE.take(read, stream, number) for number in range(count)]


@pytest.mark.parametrize(
    ("bounds", "published", "rerun"),
    [
        ("plain", 2700.9, 2693.1), ("cuts", 2529.2, 2531.1), ("guided,delta=-0.1", 1607.1, 1603.8),
    ],
)  # fmt: skip
def test_connect_four_on_three_by_three_takes_what_others_found(bounds, published, rerun):
    """Table 4.7 of the thesis, and an independent program in another language."""
    found = samples_of(
        40, game="connect_four:columns=3,rows=3", search=f"uct:c=0.05,bounds={bounds}"
    )
    estimate = MEASURE.sum_up(found, 0.999)
    assert not estimate.at_least
    assert estimate.facts["solved"] == 40
    for value in (published, rerun):
        assert estimate.low - 30 < value < estimate.high + 30
    assert {(sample["low"], sample["high"]) for sample in found} == {(0.0, 0.0)}  # a draw


def test_a_run_at_its_limit_counts_as_one_that_was_given_up():
    few, some, many = (
        samples_of(12, game="seki:max=1,min=1", search="uct:c=0.05,bounds=plain", limit=limit)
        for limit in (20, 150, 100_000)
    )
    assert all(sample["value"] == 20 and not sample["solved"] for sample in few)
    assert {sample["solved"] for sample in some} == {True, False}
    for short, whole in zip(some, many, strict=True):  # the same runs, only longer
        assert whole["solved"]
        assert short["value"] == min(whole["value"], 150)
        assert short["solved"] == (whole["value"] <= 150)
    estimate = MEASURE.sum_up(few, 0.95)
    assert estimate.at_least
    assert estimate.high == math.inf
    assert estimate.text == ">20"
    assert estimate.facts == {"solved": 0, "unsolved": 12, "worst": 20.0}


def test_intervals_hold_the_true_mean_whether_runs_are_given_up_or_not():
    """Draws from an exponential distribution of mean 100, cut at a limit."""
    dice = Random(4)
    for limit in (50, 200, 1e9):
        held = 0
        for _ in range(300):
            drawn = [dice.expovariate(0.01) for _ in range(30)]
            samples = [{"value": min(x, limit), "solved": x <= limit} for x in drawn]
            estimate = MEASURE.sum_up(samples, 0.95)
            held += estimate.low <= 100 <= estimate.high
        assert held >= 270, limit


def test_the_same_sample_is_the_same_run_and_others_differ():
    settings = {"game": "seki:max=2,min=2", "search": "uct:c=0.05,bounds=cuts"}
    first, again = samples_of(5, **settings), samples_of(5, **settings)
    assert first == again
    assert len({sample["value"] for sample in first}) > 1
    assert samples_of(5, stream=4, **settings) != first


def test_a_graph_that_is_full_proves_nothing_more_and_that_is_said():
    (sample,) = samples_of(1, game="connect_four", search="uct:bounds=cuts,memory=1", limit=100_000)
    assert sample["value"] is None
    assert "memory" in sample["void"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "tic_tac_toe", "search": "uct:bounds=off"}, "bounds are off"),
        ({"game": "tic_tac_toe", "search": "random"}, "expected one of a graph or tree"),
        ({"game": "tic_tac_toe", "search": "uct:sims=9"}, "without a budget"),
        ({"game": "tic_tac_to", "search": "uct"}, "unknown game"),
    ],
)
def test_what_proves_nothing_is_refused(settings, message):
    with pytest.raises(Exception, match=message):
        MEASURE.check(MEASURE.read(settings))
