"""Go beside OpenSpiel's, which ends a game as a draw where a board comes again: up to there."""

import random

import numpy as np
import pytest

from trellis.games.go import Go

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")

GAMES = {2: 1000, 3: 1000, 5: 600, 9: 200, 13: 60, 19: 20}


@pytest.mark.parametrize("size", GAMES)
def test_same_moves_and_same_scores_until_a_board_comes_again(size):
    komi, longest = 0.5 + size % 3, 3 * size * size
    theirs = pyspiel.load_game(f"go(board_size={size},komi={komi},max_game_length={longest})")
    game = Go(board_size=size, komi=komi, superko="simple", max_plies=longest)
    rules, tables = game.rules, game.tables
    dice = random.Random(size)
    buffer, payoffs = np.empty(game.max_moves, np.int32), np.zeros(2)
    ended = repeated = 0
    words = 2 * ((size * (size + 1) + 62) // 64)
    for _ in range(GAMES[size]):
        ours, state = game.start().state, theirs.new_initial_state()
        boards = {ours[:words].tobytes()}
        while not state.is_terminal():
            codes = buffer[: rules.moves(tables, ours, buffer)].tolist()
            assert codes == state.legal_actions(), str(state)
            assert rules.acting(tables, ours) == state.current_player()
            # Passes are rare, so that boards fill and stones are taken.
            move = codes[-1] if dice.random() < 0.02 else dice.choice(codes[:-1] or codes)
            rules.play(tables, ours, move)
            state.apply_action(move)
            board = ours[:words].tobytes()
            if move != size * size and board in boards:
                repeated += 1
                break
            boards.add(board)
        else:
            ended += 1
            rules.payoffs(tables, ours, payoffs)
            assert rules.acting(tables, ours) < 0
            assert payoffs.tolist() == state.returns(), str(state)
    assert ended > 0
    assert repeated > 0 or size > 5
