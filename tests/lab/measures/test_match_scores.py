"""Matches that count payoffs instead of wins."""

import pytest

from trellis.lab.measures import measure_of

MATCH = measure_of("match")


def taken(game, number, **settings):
    made = MATCH.read({"game": game, "a": "random", "b": "random", **settings})
    MATCH.check(made)
    return MATCH.take(made, 4, number)


def test_payoffs_are_parts_of_what_can_be_had():
    by_payoff = [taken("crisscross", number, score="payoff") for number in range(20)]
    by_result = [taken("crisscross", number) for number in range(20)]
    assert [sample["moves"] for sample in by_payoff] == [each["moves"] for each in by_result]
    assert {sample["value"] for sample in by_payoff} <= {n / 100 for n in range(0, 101, 5)}
    assert [sample["result"] for sample in by_payoff] == [each["value"] for each in by_result]
    estimate = MATCH.sum_up(by_payoff, 0.95)
    assert estimate.facts == MATCH.sum_up(by_result, 0.95).facts
    assert estimate.value == pytest.approx(5 * sum(sample["value"] for sample in by_payoff))


def test_where_one_loses_what_the_other_wins_both_scores_agree():
    for number in range(6):
        by_payoff = taken("connect_four", number, score="payoff")
        assert by_payoff["value"] == taken("connect_four", number)["value"]
