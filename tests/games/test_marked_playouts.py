"""Playouts that say which moves were made: the moves lead through the rules to the same end."""

import numpy as np
import pytest

import trellis
from marks import watched_playout
from trellis.game.bits import below, seeded
from trellis.game.game import Position
from trellis.game.rules import words_of_codes

ORDERED = [
    "go:board_size=3", "go:rows=2,columns=4,suicide=true", "go:board_size=5", "go:board_size=9",
    "breakthrough", "breakthrough:rows=5,columns=3", "breakthrough:rows=8,columns=2",
    "othello", "othello:board_size=6", "othello:board_size=4",
    "pentago", "amazons", "amazons:board_size=5",
    "connect_four", "connect_four:rows=3,columns=5,x_in_row=3",
    "connect_four:rows=1,columns=26",
]  # fmt: skip
FILLED = ["hex:board_size=3", "hex:board_size=8", "hex:board_size=9", "hex:board_size=11",
          "hex:board_size=13"]  # fmt: skip
STARTS = 8


def starts(spec):
    """Yield positions at and after the start of a game, each with a seed."""
    game = trellis.load(spec)
    rng = seeded(77)
    for number in range(STARTS):
        position = game.start()
        for _ in range(number * number // 2):
            codes = position.move_codes()
            after = position.play(codes[below(rng, len(codes))])
            if after.is_over:
                break
            position = after
        yield position, 1000 + number


def run(position, seed, *, marked):
    """Play out; return plies, payoffs, the end, the generator and the marks."""
    game = position.game
    rng, out, state = seeded(seed), np.zeros(game.players), position.state
    buffer = np.zeros(game.max_moves, np.int32)
    made = np.zeros(game.players * words_of_codes(game.move_codes), np.uint64)
    if marked:
        plies = game.rules.marked_playout(game.own_tables(), state, rng, buffer, made, out)
    else:
        plies = game.rules.playout(game.own_tables(), state, rng, buffer, out)
    return int(plies), out.tolist(), state.tolist(), int(rng[0]), made.tolist()


def set_bits(game, made):
    """Return the moves of each player that are marked."""
    words = words_of_codes(game.move_codes)
    return [
        [
            move
            for move in range(64 * words)
            if made[player * words + move // 64] >> move % 64 & 1
        ]
        for player in range(game.players)
    ]  # fmt: skip


@pytest.mark.parametrize("spec", ORDERED + FILLED)
def test_marking_changes_nothing_else(spec):
    for position, seed in starts(spec):
        assert run(position, seed, marked=True)[:4] == run(position, seed, marked=False)[:4]


@pytest.mark.parametrize("spec", ORDERED)
def test_the_moves_that_are_marked_lead_to_the_same_end(spec):
    for position, seed in starts(spec):
        game = position.game
        plies, payoffs, end, generator, made = run(position, seed, marked=True)
        state, rng = position.state, seeded(seed)
        order, *seen = watched_playout(game, game.rules.marked_playout, state, rng)
        assert seen == [plies, payoffs, made]
        assert (state.tolist(), int(rng[0])) == (end, generator)
        assert len(order) == plies
        assert set_bits(game, made) == [
            sorted({move for who, move in order if who == player}) for player in (0, 1)
        ]
        for who, move in order:
            assert position.acting == who
            assert move in position.move_codes()
            position = position.play(move)
        if position.is_over:
            assert list(position.payoffs()) == payoffs
        else:
            assert game.name == "go"  # whose random games have a limit of their own
            assert plies == 3 * game.points


@pytest.mark.parametrize("spec", FILLED)
def test_who_fills_the_board_as_marked_gets_the_same(spec):
    for position, seed in starts(spec):
        game = position.game
        plies, payoffs, _, _, made = run(position, seed, marked=True)
        left = set_bits(game, made)
        assert sorted(left[0] + left[1]) == position.move_codes()
        assert len(left[0]) + len(left[1]) == plies
        while not position.is_over:
            position = position.play(left[position.acting].pop())
        assert list(position.payoffs()) == payoffs


@pytest.mark.parametrize("spec", ["connect_four", "hex:board_size=5", "othello"])
def test_nothing_is_marked_where_the_game_is_over(spec):
    position = trellis.load(spec).start()
    while not position.is_over:
        position = position.play(position.move_codes()[0])
    plies, payoffs, _, _, made = run(position, 1, marked=True)
    assert (plies, payoffs) == (0, list(position.payoffs()))
    assert not any(made)


def test_every_start_is_a_position_of_its_own():
    for spec in ORDERED + FILLED:
        found = {bytes(position.state) for position, _ in starts(spec)}
        assert len(found) > 3, spec
        assert isinstance(next(starts(spec))[0], Position)
