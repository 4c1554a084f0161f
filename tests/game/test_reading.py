"""Positions from text, and many at once as arrays, for all games."""

import random
from pathlib import Path

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter, IllegalMove

import sizes

SHEETS = Path(trellis.__file__).parent / "gdl" / "sheets"
SPECS = [sizes.specs(name)[0] for name in sizes.SIZES]
BOARDS = [
    "tic_tac_toe", "connect_four", "connect_four:rows=4,columns=5,x_in_row=3",
    "hex:board_size=4", "gomoku:m=5,n=6,k=4", "gomoku:m=3,n=3,k=3",
]  # fmt: skip


def positions(spec, seed, most=60):
    draw = random.Random(seed)
    position = trellis.load(spec).start()
    yield position
    while not position.is_over and most > 0:
        position = position.play(draw.choice(position.move_codes()))
        most -= 1
        yield position


@pytest.mark.parametrize("spec", [*SPECS, str(SHEETS / "tic_tac_toe.kif")])
def test_codes_and_moves_lead_back_to_every_position(spec):
    *_, last = positions(spec, seed=1, most=12)
    for position in positions(spec, seed=2, most=12):
        again = position.game.parse(position.code)
        assert again == position
        assert again.history == []
    assert last.game.start().play(*last.history) == last
    if last.history:
        by_moves = last.game.parse(" ".join(last.history))
        assert by_moves == last
        assert by_moves.history == last.history


@pytest.mark.parametrize("spec", BOARDS)
def test_boards_lead_back_to_every_position(spec):
    for seed in range(3):
        for position in positions(spec, seed):
            found = position.game.parse(str(position))
            assert found == position
            assert np.array_equal(found.state, position.state)
            assert found.acting == position.acting


@pytest.mark.parametrize(
    ("spec", "text", "message"),
    [
        ("tic_tac_toe", " ", "expected a code"),
        ("tic_tac_toe", "b2 b2", "illegal move 'b2'"),
        ("tic_tac_toe", "1-2.00000000", "was not written by"),
        ("tic_tac_toe", "3 x x .\n2 . . .\n1 . . .\n  a b c", "no board of tic_tac_toe"),
        ("tic_tac_toe", "3 z . .\n2 . . .\n1 . . .\n  a b c", "no board of tic_tac_toe"),
        ("tic_tac_toe", "3 x x x\n2 o o o\n1 . . .\n  a b c", "no board of tic_tac_toe"),
        ("tic_tac_toe", "x .\n. .", "no board of tic_tac_toe"),
        ("connect_four:rows=2,columns=2", "x .\n. .\na b", "no board of connect_four"),
        ("connect_four:rows=2,columns=2", "x .\nx .\na b", "no board of connect_four"),
        ("nim", "a 0\nb 1", "does not say all"),
    ],
)
def test_bad_text_gets_one_line(spec, text, message):
    with pytest.raises(BadParameter, match=message) as error:
        trellis.load(spec).parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", [*SPECS, "examples/subtraction.py"])
def test_a_batch_is_its_positions_one_by_one(spec):
    game = trellis.load(spec)
    draw = random.Random(5)
    batch = game.batch(3)
    alone = [game.start() for _ in range(3)]
    for _ in range(8):
        moves = []
        for i, position in enumerate(alone):
            codes = position.move_codes()
            assert batch[i] == position
            assert batch.acting[i] == position.acting
            assert np.flatnonzero(batch.legal[i]).tolist() == sorted(codes)
            if position.is_over:
                assert tuple(batch.payoffs[i]) == position.payoffs()
            else:
                assert np.isnan(batch.payoffs[i]).all()
            likely = dict(zip(codes, position.probabilities(), strict=False))
            assert [batch.probabilities[i, code] for code in likely] == [*likely.values()]
            moves.append(draw.choice(codes) if codes and i else -1)
        alone = [p if m < 0 else p.play(m) for p, m in zip(alone, moves, strict=True)]
        batch.play(moves)
    assert batch.over.tolist() == [position.is_over for position in alone]


def test_a_name_is_a_game_wherever_one_is_expected():
    assert trellis.check_game("tic_tac_toe", games=2).game == "tic_tac_toe"
    assert trellis.record_game("nim", seed=1) == trellis.record_game(trellis.load("nim"), seed=1)
    assert trellis.perft("tic_tac_toe", 2)[-1].games == 72
    assert trellis.playouts("nim", 5, seed=1).games == 5
    for made in (trellis.unfolded, trellis.folded, trellis.paranoid):
        assert made("connect_four:rows=3,columns=3").start().moves()
    with pytest.raises(BadParameter, match="no groups of its own"):
        trellis.grouped("connect_four")
    with pytest.raises(BadParameter, match="expected a game or its name"):
        trellis.check_game(3)


def test_a_batch_refuses_what_is_no_move():
    batch = trellis.load("connect_four").batch(2)
    for moves, message in (([0], "2 whole numbers"), ([0.5, 1.0], "2 whole numbers")):
        with pytest.raises(BadParameter, match=message):
            batch.play(moves)
    with pytest.raises(IllegalMove, match="illegal move 7 in position 1"):
        batch.play([0, 7])
    with pytest.raises(BadParameter, match="from 1 up"):
        trellis.load("connect_four").batch(0)
