"""Speeds are measured in rounds; here the clock is made up."""

import pytest

from trellis._kernel.timing import Lot, Rounds, timed


def made_up(paces, sizes):
    """Something that does 1,000 things a second, or as many as `paces` say, lot by lot."""
    paces = iter(paces)

    def run(count, most_seconds):
        sizes.append(count)
        return Lot(count, 2.0 * count, count / next(paces, 1000.0))

    return run


def test_lots_grow_and_fill_a_round():
    sizes = []
    rounds = Rounds(made_up([], sizes), 1.0)
    lot = rounds.next()
    assert sizes[:5] == [1, 4, 16, 64, 200]  # fourfold, then a fifth of a second
    assert 0.8 <= lot.seconds <= 1.0
    assert lot.amount == 2.0 * lot.count
    assert lot.rate == pytest.approx(1000.0)
    sizes.clear()
    rounds.next()
    assert sizes[0] == 200  # the next round need not find out again


def test_the_fastest_round_counts():
    rounds = Rounds(made_up([100.0, 400.0, 200.0], []), 0.001)
    assert rounds.fastest(3).rate == pytest.approx(400.0)


def test_a_round_is_one_lot_at_least_and_none_is_smaller_than_it_may_be():
    sizes = []
    assert Rounds(made_up([], sizes), 0.0, smallest_lot=64).next().count == 64
    Rounds(made_up([], sizes), 0.1, smallest_lot=64).next()
    assert min(sizes) == 64


def test_work_is_timed_by_the_clock():
    lot = timed(lambda count: 3.0 * count)(5, 0.0)
    assert (lot.count, lot.amount) == (5, 15.0)
    assert lot.seconds >= 0.0
