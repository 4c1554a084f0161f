"""Our games and OpenSpiel's, stepped side by side through random games."""

import random

import numpy as np
import pytest

from trellis.bridges.openspiel import load_openspiel, openspiel_name
from trellis.game.rules import CHANCE, NOBODY
from trellis.loading import load

from sizes import ALL

pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")

GAMES_EACH = 1000
MOST_PLIES = 60_000  # all games of one size together


@pytest.mark.parametrize("spec", [spec for spec in ALL if openspiel_name(load(spec))])
def test_same_moves_same_end_same_payoffs(spec):
    game = load(spec)
    rules, tables = game.rules, game.tables
    theirs = load_openspiel(game)
    assert theirs.num_players() == game.players
    dice = random.Random(spec)
    buffer = np.empty(game.max_moves, np.int32)
    shares = np.empty(game.max_moves)
    payoffs = np.zeros(game.players)
    start = game.start().state
    plies = 0
    for _ in range(GAMES_EACH):
        ours, state = start.copy(), theirs.new_initial_state()
        while not state.is_terminal():
            plies += 1
            codes = buffer[: rules.moves(tables, ours, buffer)].tolist()
            assert sorted(codes) == state.legal_actions(), str(state)
            acting = rules.acting(tables, ours)
            if state.is_chance_node():
                assert acting == CHANCE
                rules.chances(tables, ours, shares)
                mine = dict(zip(codes, shares.tolist(), strict=False))
                assert mine == pytest.approx(dict(state.chance_outcomes()))
            else:
                assert acting == state.current_player()
            move = dice.choice(codes)
            rules.play(tables, ours, move)
            state.apply_action(move)
        assert rules.acting(tables, ours) == NOBODY, str(state)
        rules.payoffs(tables, ours, payoffs)
        assert payoffs.tolist() == pytest.approx(state.returns())
        if plies > MOST_PLIES:
            break
