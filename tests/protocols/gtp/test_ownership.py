"""Who owns which point: beside the playouts of the game, and where it is plain to see."""

import random

import numpy as np
import pytest

from trellis.game.halting import stoppable
from trellis.games.go.game import Go
from trellis.games.go.playout import playout
from trellis.protocols.gtp.go_board import PASS, GoBoard
from trellis.protocols.gtp.go_search import search_position
from trellis.protocols.gtp.ownership import SEED, dead_chains, owners, settled_score
from trellis.protocols.gtp.rulesets import named_rules

RULES = named_rules("chinese-ogs")
SIMPLE = named_rules("chinese")


def random_board(rows, columns, plies, seed):
    draw, board = random.Random(seed), GoBoard(rows, columns)
    for ply in range(plies):
        legal = board.legal(ply % 2, RULES)
        board.play(ply % 2, draw.choice(legal) if legal else PASS, RULES)
    return board


@pytest.mark.parametrize(("rows", "columns", "plies"), [(9, 9, 30), (13, 9, 60), (19, 19, 100)])
def test_points_add_up_to_the_scores_of_the_same_games(rows, columns, plies):
    """The same random games, scored by the game's own playout, have the same mean area."""
    games, colour = 50, plies % 2
    board = random_board(rows, columns, plies, seed=rows)
    game = Go(
        board_size=max(rows, columns),
        rows=rows,
        columns=columns,
        komi=0.0,
        score=True,
        superko="simple",
    )
    state = search_position(board, colour, SIMPLE, 0.0, passes=0).state
    tables, rng = game.own_tables(), stoppable(SEED)
    buffer, out, total = np.zeros(game.max_moves, np.int32), np.zeros(2), 0.0
    for _ in range(games):
        playout(tables, state, rng, buffer, out)
        total += out[0]
    shares = owners(board, colour, RULES, games)
    assert sum(shares) == pytest.approx(total / games)
    assert len(set(shares)) > 2


def test_what_is_settled_is_owned():
    """Two colours share a board, each with two eyes at its side."""
    board = GoBoard(5, 5)
    wall = [(0, 5 * row + 1) for row in range(5)] + [(1, 5 * row + 3) for row in range(5)]
    eyes = [(0, 10), (1, 14)]  # in the middle of either edge
    board.set_up([*wall, *eyes], 0)
    for colour in (0, 1):
        shares = owners(board, colour, RULES)
        for row in range(5):
            assert shares[5 * row] == shares[5 * row + 1] == 1.0
            assert shares[5 * row + 3] == shares[5 * row + 4] == -1.0
        assert dead_chains(board, colour, RULES) == []


def test_a_lonely_stone_is_dead_only_where_rules_ask():
    board = GoBoard(5, 5)
    wall = [(0, 5 * row + column) for row in range(5) for column in (1, 3)]
    board.set_up([*wall, (1, 10)], 0)
    assert dead_chains(board, 1, RULES) == [[10]]
    assert dead_chains(board, 1, named_rules("cgos")) == []
    assert settled_score(board, [[10]]) == 25
    assert settled_score(board, []) == 10 + 10 - 1
    assert board.stones()[10] == 1  # the board itself was left alone
