"""What random play is worth, exactly: against counting, and against what is known."""

from fractions import Fraction

import pytest

import trellis
from trellis.game.errors import LimitReached
from trellis.lab.random_play import random_play_value


def counted(position):
    """Return the mean payoff of the first player by going through the whole tree."""
    if position.is_over:
        return Fraction(position.payoffs()[0])
    after = [counted(position.play(code)) for code in position.move_codes()]
    if position.is_chance:
        shares = map(Fraction, position.probabilities())
        return sum((share * each for share, each in zip(shares, after, strict=True)), Fraction(0))
    return sum(after, Fraction(0)) / len(after)


@pytest.mark.parametrize("name", ["nim:pile_sizes=1;2;2", "connect_four:rows=2,columns=3"])
def test_it_is_what_the_whole_tree_says(name):
    start = trellis.load(name).start()
    assert random_play_value(start) == counted(start)
    assert random_play_value(start, 1) == -counted(start)


def test_tic_tac_toe_as_everybody_knows():
    # The first player wins 737/1260 of random games, the second 121/420.
    assert random_play_value(trellis.load("tic_tac_toe").start()) == Fraction(737, 1260) - Fraction(
        121, 420
    )


def test_positions_that_come_again():
    """One player rolls a die with two faces until it stops, or has two points: a cycle."""
    game = trellis.load("pig:target=2,faces=2,players=2")
    value = random_play_value(game.start())
    played = trellis.playouts(game.start(), 100_000, seed=3)
    assert abs(float(value) - played.means[0]) < 4 * played.errors[0]


def test_too_many_positions():
    with pytest.raises(LimitReached, match="more than 100,000 positions"):
        random_play_value(trellis.load("connect_four").start())
