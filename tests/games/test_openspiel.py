"""Our games and OpenSpiel's, stepped side by side through random games."""

import random

import pytest

from trellis.bridges.openspiel import load_openspiel, openspiel_name
from trellis.games import load

from sizes import ALL

pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")

GAMES_EACH = 100
MOST_PLIES = 40_000  # all games of one size together


@pytest.mark.parametrize("spec", [spec for spec in ALL if openspiel_name(load(spec))])
def test_same_moves_same_end_same_payoffs(spec):
    game = load(spec)
    theirs = load_openspiel(game)
    dice = random.Random(spec)
    plies = 0
    assert theirs.num_players() == game.players
    for _ in range(GAMES_EACH):
        position, state = game.start(), theirs.new_initial_state()
        while not state.is_terminal():
            plies += 1
            assert sorted(position.codes()) == sorted(state.legal_actions()), str(state)
            if state.is_chance_node():
                assert position.is_chance
                ours = dict(zip(position.codes(), position.probabilities(), strict=True))
                assert ours == pytest.approx(dict(state.chance_outcomes()))
            else:
                assert position.acting == state.current_player()
            move = dice.choice(position.codes())
            position = position.play(move)
            state.apply_action(move)
        assert position.is_over, str(state)
        assert position.payoffs() == pytest.approx(tuple(state.returns()))
        if plies > MOST_PLIES:
            break
