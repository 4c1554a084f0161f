"""Positions as people use them."""

import pytest

import trellis
from trellis.game.errors import BadParameter, GameOver, IllegalMove


@pytest.fixture
def start():
    return trellis.load("tic_tac_toe").start()


def test_playing_returns_another_position_and_keeps_the_first(start):
    after = start.play("b2", "A1", 2)
    assert str(after) == "3 . . x\n2 . x .\n1 o . .\n  a b c"
    assert start.moves() == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    assert after != start
    assert after == start.play("c3", "a1", "b2")
    assert hash(after) == hash(start.play("c3", "a1", "b2"))


def test_state_is_a_copy_that_can_be_changed_without_harm(start):
    start.state[0] = 511
    assert start.state[0] == 0


def test_lists_of_moves_can_be_changed_without_harm(start):
    start.move_codes().clear()
    assert start.move_codes() == list(range(9))
    assert start.play(4).acting == 1
    assert start.acting == 0


def test_a_position_neither_locks_nor_follows_the_array_it_was_made_from(start):
    words = start.play("b2").state
    position = trellis.Position(start.game, words)
    words[0] = 511
    assert position == start.play("b2")


def test_a_position_reads_back_from_its_code(start):
    position = start.play("b2", "a1")
    assert start.game.position(position.code) == position


@pytest.mark.parametrize(
    "code", ["", "xyz", "1", "1-2-3", "-1-2", "f" * 30 + "-0", "0-ffffffff", "0-0.00000000"]
)
def test_bad_codes_are_named(start, code):
    with pytest.raises(BadParameter, match="position code"):
        start.game.position(code)


def test_illegal_moves_say_what_was_expected(start):
    with pytest.raises(IllegalMove, match=r"'d9' for x in tic_tac_toe: expected a cell, a1 to c3"):
        start.play("d9")
    with pytest.raises(IllegalMove, match="illegal move 99"):
        start.play(99)
    with pytest.raises(IllegalMove):
        start.play("b2", "b2")


def test_nothing_can_be_played_after_the_end(start):
    over = start.play("a1", "a2", "b1", "b2", "c1")
    assert over.is_over
    assert over.payoffs() == (1.0, -1.0)
    assert over.actor_name() == "nobody"
    assert (over.moves(), over.actors, over.chances()) == ([], (), [])
    with pytest.raises(GameOver):
        over.play("c3")


def test_payoffs_are_refused_before_the_end(start):
    with pytest.raises(BadParameter, match="not over"):
        start.payoffs()


def test_symmetric_positions_share_a_canonical_key(start):
    corners = [start.play(move) for move in ("a1", "a3", "c1", "c3")]
    assert len({position.key for position in corners}) == 4
    assert len({position.canonical_key() for position in corners}) == 1
    assert start.play("b2").canonical_key() != corners[0].canonical_key()
    with pytest.raises(BadParameter, match="offers 8"):
        start.image(8)


def test_equal_games_have_equal_positions(start):
    again = trellis.load("tic_tac_toe")
    assert again == start.game
    assert again.start() == start
    assert trellis.load("connect_four:rows=5") != trellis.load("connect_four")
    assert trellis.paranoid(again, 0).start() != trellis.paranoid(again, 1).start()


@pytest.mark.parametrize("move", [None, 4.7, True, b"a1", ()])
def test_what_is_no_move_at_all_is_refused(start, move):
    with pytest.raises(IllegalMove):
        start.play(move)
