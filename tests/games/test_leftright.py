"""LeftRight: binomial coefficients in the shape of a game."""

from math import comb

import numpy as np
import pytest

from trellis.game.playouts import playouts
from trellis.loading import load


@pytest.mark.parametrize("h", [1, 5, 12])
def test_there_are_as_many_positions_as_pairs_of_steps_and_lefts(h):
    game = load(f"leftright:h={h}")
    positions = {game.start()}
    layer = set(positions)
    for _ in range(h):
        layer = {position.play(move) for position in layer for move in ("L", "R")}
        positions |= layer
    assert len(positions) == (h + 1) * (h + 2) // 2
    assert all(position.is_over for position in layer)


def test_the_payoff_is_the_share_of_steps_to_the_left():
    position = load("leftright:h=4").start().play("L", "R", "L", "L")
    assert position.payoffs() == (0.75,)
    assert str(position) == "step 4 of 4: 3 left, 1 right"


def test_the_order_of_steps_does_not_matter():
    start = load("leftright:h=9").start()
    assert start.play("L", "R", "R") == start.play("R", "R", "L")
    assert start.play("L", "R", "R") != start.play("L", "L", "R")


@pytest.mark.parametrize("h", [3, 63, 64, 65, 130])
def test_playouts_spread_as_coin_tosses_do(h):
    game = load(f"leftright:h={h}")
    result = playouts(game.start(), 20_000)
    assert result.plies == 20_000 * h
    assert result.means[0] == pytest.approx(0.5, abs=0.02)
    spread = result.errors[0] * np.sqrt(20_000)
    assert spread == pytest.approx(0.5 / np.sqrt(h), rel=0.05)


def test_a_playout_keeps_the_steps_already_made():
    game = load("leftright:h=6")
    position = game.start().play("L", "L", "L")
    counts = dict.fromkeys(range(7), 0)
    rng = np.array([17], np.uint64)
    out = np.zeros(1)
    for _ in range(4000):
        state = position.state
        assert game.rules.playout(game.tables, state, rng, np.zeros(2, np.int32), out) == 3
        counts[round(out[0] * 6)] += 1
    for lefts in range(4):
        assert counts[3 + lefts] == pytest.approx(4000 * comb(3, lefts) / 8, abs=150)
    assert counts[0] == counts[1] == counts[2] == 0
