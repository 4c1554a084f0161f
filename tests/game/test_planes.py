"""Planes against the boards that games draw, cell by cell."""

import numpy as np
import pytest

import trellis

GAMES = [
    "connect_four", "connect_four:rows=4,columns=5", "tic_tac_toe", "othello:board_size=6",
    "breakthrough:rows=6,columns=5", "gomoku:m=9,n=8,k=5", "hex:board_size=9", "go:board_size=9",
    "go:rows=3,columns=5",
]  # fmt: skip


def drawn(position):
    """Read a board as text: 1 and 2 for the players' symbols, row by row from the top."""
    game, (rows, columns) = position.game, position.game.planes.shape[1:]
    values = {game.symbols[0]: 1, game.symbols[1]: 2, ".": 0, "+": 0}
    found = []
    for line in str(position).split("\n"):
        cells = [values[word] for word in line.split() if word in values]
        if len(cells) == columns and len(found) < rows:
            found.append(cells)
    return found


@pytest.mark.parametrize("spec", GAMES)
def test_planes_show_what_the_board_shows(spec):
    game = trellis.load(spec)
    draw = np.random.default_rng(4)
    top_first = spec.startswith(("othello", "hex"))
    for _ in range(3):
        position = game.start()
        while not position.is_over:
            own, other, first = game.planes.of(position)
            stones = own + 2 * other if position.acting == 0 else other + 2 * own
            rows = stones.astype(int).tolist()
            assert (rows if top_first else rows[::-1]) == drawn(position)
            assert (first == (position.acting == 0)).all()
            position = position.play(int(draw.choice(position.move_codes())))


def test_many_positions_at_once():
    game = trellis.load("hex:board_size=5")
    one = game.start()
    two = one.play("c3")
    both = game.planes.of(one, two)
    assert both.shape == (2, 3, 5, 5)
    assert (both[1] == game.planes.of(two)).all()
    assert game.planes.names == ("own", "opponent", "player 0 moves")


def test_other_games_have_none():
    assert trellis.load("nim").planes is None
