"""Endgames are played as backward induction says, and the same way every time."""

from random import Random

import pytest

from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.players.player import make_player
from trellis.search.solve.questions.reference import value_of

# How many random moves lead to positions with few others behind them.
ENDGAMES = {
    "connect_four": 34,
    "connect_four:rows=4,columns=5": 11,
    "othello:board_size=6": 26,
    "othello:board_size=4": 6,
    "kalah:houses=3,seeds=2": 5,
}


def positions(spec, wanted):
    """Random positions of a game in which somebody has a choice, with their values."""
    random, game, found = Random(spec), load(spec), []
    while len(found) < wanted:
        position = game.start()
        for _ in range(ENDGAMES[spec]):
            if not position.is_over:
                position = position.play(random.choice(position.move_codes()))
        if not position.is_over and len(position.move_codes()) > 1:
            found.append(position)
    return found


@pytest.mark.parametrize("spec", ENDGAMES)
def test_endgames_are_answered_exactly(spec):
    """Whatever is not lost is proven, and no move loses anything."""
    player = make_player("auto:sims=4000,endgame=true")
    known: dict = {}
    for position in positions(spec, 12):
        value, before = value_of(position, known), player.solved
        lost = value == (-1 if position.acting == 0 else 1)
        after = position.play(player.choose(position, position.acting))
        assert value_of(after, known) == value
        if not lost:
            assert player.solved == before + 1
            assert player.report is None


def test_openings_are_left_to_the_search():
    player = make_player("auto:sims=300,endgame=true")
    start = load("connect_four").start()
    player.choose(start, 0)
    assert player.solved == 0
    assert player.report is not None


def test_the_same_seed_plays_the_same_games():
    games = []
    for _ in range(2):
        players = [make_player("auto:sims=200,endgame=true", seed) for seed in (3, 4)]
        position, moves = load("connect_four:rows=5,columns=5").start(), []
        while not position.is_over:
            moves.append(players[position.acting].choose(position, position.acting))
            position = position.play(moves[-1])
        games.append(moves)
        assert any(player.solved for player in players)
    assert games[0] == games[1]


@pytest.mark.parametrize(
    ("game", "text", "why"),
    [
        ("pig", "auto:endgame=true", "without chance"),
        ("go:board_size=5", "uct2:endgame=true,groups=manhattan", "do not go together"),
    ],
)
def test_games_without_endgames_are_refused(game, text, why):
    with pytest.raises(BadParameter, match=why):
        make_player(text, game=load(game))
