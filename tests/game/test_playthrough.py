"""Records of games: written, replayed, and different where the rules are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trellis
from trellis.game.errors import BadRecord, GameOver, TrellisError
from trellis.game.playthrough import moves_of


@pytest.fixture(scope="module")
def game():
    return trellis.load("tic_tac_toe")


def test_a_record_replays(game):
    text = trellis.record_game(game, ["b2", "a1", "c3"])
    assert moves_of(text) == ("tic_tac_toe", ["b2", "a1", "c3"])
    assert trellis.replay_game(text, game) == game.start().play("b2", "a1", "c3")
    assert trellis.record_game(game, seed=5) == trellis.record_game(game, seed=5)
    assert trellis.record_game(game, seed=5) != trellis.record_game(game, seed=6)


def test_every_changed_line_is_found(game):
    lines = trellis.record_game(game, seed=2).splitlines()
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        changed = [*lines[:number], line + "!", *lines[number + 1 :]]
        with pytest.raises(BadRecord):
            trellis.replay_game("\n".join(changed), game)


def test_a_record_cut_short_is_found(game):
    text = trellis.record_game(game, seed=2)
    with pytest.raises(BadRecord):
        trellis.replay_game(text[: len(text) // 2], game)


def test_moves_after_the_end_are_refused(game):
    with pytest.raises(GameOver):
        trellis.record_game(game, ["a1", "a2", "b1", "b2", "c1", "c3"])


def test_a_record_of_another_game_is_refused(game):
    text = trellis.record_game(trellis.load("connect_four"), seed=1)
    with pytest.raises(BadRecord, match="the record is of 'connect_four"):
        trellis.replay_game(text, game)


@given(st.text())
def test_garbage_is_refused(text):
    with pytest.raises(TrellisError):
        trellis.replay_game(text, trellis.load("tic_tac_toe"))
    with pytest.raises(TrellisError):
        trellis.replay_game("game: tic_tac_toe\nmove: " + text, trellis.load("tic_tac_toe"))
