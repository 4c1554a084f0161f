"""Connect Four: lines on boards of odd shapes."""

import random

import pytest

from trellis.loading import load


def _has_line(board, length):
    """Look for a line the slow way, from every disc in four directions."""
    rows = [line.split() for line in board.splitlines()[:-1]]
    for row, line in enumerate(rows):
        for column, disc in enumerate(line):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(length)]
                inside = all(0 <= r < len(rows) and 0 <= c < len(line) for r, c in cells)
                if disc != "." and inside and all(rows[r][c] == disc for r, c in cells):
                    return True
    return False


@pytest.mark.parametrize(
    "shape",
    [
        "rows=31,columns=2",
        "rows=15,columns=4,x_in_row=8",
        "rows=1,columns=26,x_in_row=3",
        "rows=7,columns=8",
        "rows=6,columns=7,x_in_row=2",
        "rows=2,columns=21,x_in_row=5",
        "rows=30,columns=2,x_in_row=26",
        "rows=9,columns=6,x_in_row=6",
    ],
)
def test_a_game_is_won_exactly_when_a_line_stands(shape):
    game = load(f"connect_four:{shape}")
    length = game.parameters["x_in_row"]
    for seed in range(10):
        dice, position = random.Random(seed), game.start()
        while not position.is_over:
            assert not _has_line(str(position), length)
            position = position.play(dice.choice(position.move_codes()))
        assert _has_line(str(position), length) == (position.payoffs() != (0.0, 0.0))


def test_two_discs_on_a_tall_board_are_not_four():
    """A shift by 64 or more is not a shift to nothing; it once made lines out of thin air."""
    assert not load("connect_four:rows=31,columns=2").start().play("a", "a", "b").is_over
