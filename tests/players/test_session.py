"""Players and games in progress."""

import pytest

import trellis
from trellis.game.errors import BadParameter, IllegalMove
from trellis.players.player import make_player
from trellis.players.session import PERSON, Session


def test_a_person_and_a_player_take_turns_and_undo_goes_back_to_the_person():
    session = Session(trellis.load("tic_tac_toe"), [PERSON, make_player("random", 1)])
    assert session.waits_for_person
    assert not session.undo()
    session.play("B2")
    assert session.moves == ["b2"]
    session.advance()
    session.play(session.position.moves()[0])
    assert not session.waits_for_person
    assert session.undo()
    assert (len(session.moves), len(session.positions)) == (2, 3)
    assert session.undo()
    assert session.position == session.game.start()


def test_an_illegal_move_changes_nothing():
    session = Session(trellis.load("tic_tac_toe"), [PERSON, PERSON])
    with pytest.raises(IllegalMove):
        session.play("z9")
    assert (session.moves, len(session.positions)) == ([], 1)


@pytest.mark.parametrize(
    ("spec", "texts"),
    [("dice:m=3,k=3", ("random", "random")), ("dice", ("star2tt:depth=2", "random"))],
)
def test_the_same_seed_plays_the_same_game(spec, texts):
    def moves(seed):
        players = [make_player(text, seed + i) for i, text in enumerate(texts)]
        session = Session(trellis.load(spec), players, seed)
        while not session.position.is_over:
            session.advance()
        return session.moves

    assert moves(4) == moves(4)
    assert len({tuple(moves(seed)) for seed in range(5)}) > 1


def test_who_chooses_second_at_the_same_moment_is_shown_the_moment_before():
    game = trellis.load("goofspiel:num_cards=3,points_order=descending")
    shown = []

    class Spy:
        name = "spy"

        def choose(self, position, player):
            shown.append((player, position))
            return make_player("random", player).choose(position, player)

    session = Session(game, [Spy(), Spy()])
    session.advance()
    session.advance()
    assert [player for player, _ in shown] == [0, 1]
    assert shown[0][1] == shown[1][1] == game.start()
    session.advance()
    assert shown[2][1] == session.positions[2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rando", "did you mean 'random'"),
        ("flat:sims=0", "bad value 0 for sims"),
        ("flat:time=-1", "expected a number above 0"),
        ("flat:time=inf", "bad value 'inf'"),
        ("flat:c=x", "bad value 'x' for c"),
        ("random:sims=3", "expected no options"),
    ],
)
def test_bad_players_are_named(text, words):
    with pytest.raises(BadParameter, match=words):
        make_player(text)


def test_a_wrong_number_of_players_is_refused():
    with pytest.raises(BadParameter, match="needs 2 players, not 1"):
        Session(trellis.load("tic_tac_toe"), [PERSON])


def test_playouts_beat_random_moves():
    wins = 0.0
    for seed in range(10):
        players = [make_player("flat:sims=300", seed), make_player("random", seed)]
        if seed % 2:
            players.reverse()
        session = Session(trellis.load("connect_four"), players, seed)
        while not session.position.is_over:
            session.advance()
        wins += session.position.payoffs()[seed % 2]
    assert wins >= 6
