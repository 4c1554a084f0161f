"""Random playouts: reproducible, bounded, and right on average."""

import pytest

import trellis
from forever import Forever
from trellis.game.errors import LimitReached
from trellis.game.playouts import LONGEST_PLAYOUT, PlayoutRunner, playouts


def test_same_seed_same_playouts():
    start = trellis.load("connect_four").start()
    one, two, other = (playouts(start, 500, seed=seed) for seed in (3, 3, 4))
    assert (one.plies, one.means) == (two.plies, two.means)
    assert (one.plies, one.means) != (other.plies, other.means)


def test_tic_tac_toe_pays_what_counting_says():
    """Random games: the first player wins 737/1260, draws 8/63 and loses the rest."""
    expected = 737 / 1260 - (1 - 737 / 1260 - 8 / 63)
    start = trellis.load("tic_tac_toe").start()
    for own in (True, False):
        result = playouts(start, 40_000, seed=1, own=own)
        assert result.means[0] == pytest.approx(expected, abs=5 * result.errors[0])


def test_a_playout_from_the_end_changes_nothing():
    over = trellis.load("tic_tac_toe").start().play("a1", "a2", "b1", "b2", "c1")
    result = playouts(over, 10)
    assert (result.plies, result.means) == (0, (1.0, -1.0))


def test_a_game_without_end_is_stopped():
    game = trellis.PythonGame(Forever())
    for own in (True, False):
        with pytest.raises(LimitReached, match=f"{LONGEST_PLAYOUT:,} moves"):
            PlayoutRunner(game, own=own).run(game.start(), 1)
