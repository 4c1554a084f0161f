"""Seki against a plain twin, and against the published table."""

from functools import cache

import pytest

import trellis
from trellis.lab.papers.data import rows_of
from trellis.lab.papers.thesis_bounds import seki_outcome


def plain_moves(own, other, shared):
    """List what a player may fill: (own, other, shared) after it, and whether that takes."""
    found = []
    for fills in ("own", "other", "shared"):
        a, b, s = own - (fills == "own"), other - (fills == "other"), shared - (fills == "shared")
        if min(a, b, s) < 0:
            continue
        if b + s == 0:
            found.append((fills, (a, b, s), True))
        elif a + s > 0:
            found.append((fills, (a, b, s), False))
    return found


@cache
def plain_value(own, other, shared, passed):
    """Return what who moves gets: the definition, without any of our code."""
    best = 0 if passed else -plain_value(other, own, shared, True)
    for _, (a, b, s), takes in plain_moves(own, other, shared):
        best = max(best, 1 if takes else -plain_value(b, a, s, False))
    return best


@pytest.mark.parametrize("least", range(1, 7))
def test_all_cells_of_the_published_table_are_proven(least):
    printed = rows_of("thesis_table4.3_seki_results.tsv")[least - 1]
    for most in range(1, 7):
        outcome = seki_outcome(most, least)
        assert {"first": "Won", "draw": "Draw", "second": "Lost"}[outcome] == printed[most]
        assert {"first": 1, "draw": 0, "second": -1}[outcome] == plain_value(most, least, 2, False)


@pytest.mark.parametrize(("most", "least", "shared"), [(0, 0, 1), (0, 2, 3), (4, 1, 3), (2, 3, 1)])
def test_other_numbers_of_shared_liberties(most, least, shared):
    found = trellis.solve(trellis.load("seki", max=most, min=least, shared=shared))
    assert found.value == plain_value(most, least, shared, False)


def test_moves_in_step_with_a_plain_twin():
    """Walk all positions of a small game; moves, ends and payoffs are the twin's."""
    waiting = [(trellis.load("seki", max=2, min=2, shared=2).start(), (2, 2, 2), 0, 0)]
    seen = set()
    while waiting:
        position, (a, b, s), side, passes = waiting.pop()
        if position.code in seen:
            continue
        seen.add(position.code)
        own, other = (a, b) if side == 0 else (b, a)
        kinds = {"own": "ab"[side], "other": "ba"[side], "shared": "s"}
        expected = {"pass"}
        for fills, (left, right, shared), takes in plain_moves(own, other, s):
            count = {"own": own, "other": other, "shared": s}[fills]
            names = [f"{kinds[fills]}{number + 1}" for number in range(count)]
            expected |= set(names)
            after = position.play(names[-1])
            assert after == position.play(names[0])
            assert after.is_over == takes
            if takes:
                assert after.payoffs() == ((1, -1) if side == 0 else (-1, 1))
            else:
                pair = (left, right) if side == 0 else (right, left)
                waiting.append((after, (*pair, shared), 1 - side, 0))
        assert set(position.moves()) == expected
        after = position.play("pass")
        if passes:
            assert after.payoffs() == (0, 0)
        else:
            waiting.append((after, (a, b, s), 1 - side, 1))
    assert len(seen) > 30


def test_what_is_shown():
    start = trellis.load("seki").start()
    assert str(start) == "Max has 3 liberties of its own, Min 4, 2 shared: Max to move"
    assert str(start.play("pass")).endswith("Min to move, the other one has passed")
    assert str(start.play("pass", "pass")).endswith("a draw")
    won = trellis.load("seki", max=1, min=0, shared=1).start().play("s1")
    assert str(won).endswith("Max has won")
