"""Othello: what is flipped, who passes, when it ends; a plain twin; recorded games."""

import gzip
import json
import random

import numpy as np
import pytest
from random_play import count_moves

from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.loading import load

DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]


def set_up(drawing, turn=0, spec="othello"):
    """Make a position from rows of x, o and dots, row 1 first."""
    game = load(spec)
    state = np.zeros(3, np.uint64)
    for row, line in enumerate(drawing.split()):
        for column, cell in enumerate(line):
            if cell != ".":
                state["xo".index(cell)] |= np.uint64(1 << 8 * row + column)
    state[2] = turn
    return Position(game, state)


def discs(position):
    return tuple(int(word).bit_count() for word in position.state[:2])


def test_first_player_has_the_four_usual_first_moves():
    assert sorted(load("othello").start().moves()) == ["c4", "d3", "e6", "f5"]


def test_a_disc_flips_in_all_eight_directions():
    position = set_up("........ .x.x.x.. ..ooo... .xo.ox.. ..ooo... .x.x.x.. ........ ........")
    after = position.play("d4")
    assert discs(position) == (8, 8)
    assert discs(after) == (17, 0)


@pytest.mark.parametrize(
    ("row", "move", "flipped"),
    [("xoooooo.", "h1", 6), (".oooooox", "a1", 6), ("xoo.ooox", "d1", 5), ("xo.ooo..", "c1", 1)],
)
def test_a_run_is_flipped_up_to_the_nearest_own_disc(row, move, flipped):
    position = set_up(row + " ........" * 7)
    assert discs(position.play(move))[0] == row.count("x") + 1 + flipped


def test_no_flank_reaches_around_the_edge():
    # o on h1 lies between g1 and a2 only for one who forgets where a row ends.
    position = set_up("......xo ........ ........ ..ox.... ........ ........ ........ ........")
    assert position.moves() == ["b4"]


def test_who_cannot_flip_passes_and_the_other_goes_on():
    position = set_up("xo...... ........ ........ ........ ........ ........ ........ ........", 1)
    assert position.moves() == ["pass"]
    assert position.move_codes() == [64]
    after = position.play("pass")
    assert after.acting == 0
    assert after.moves() == ["c1"]


def test_shortest_game_ends_with_one_colour_and_an_open_board():
    moves = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
    position = load("othello").start().play(*moves)
    assert position.is_over
    assert discs(position) == (13, 0)
    assert position.payoffs() == (1.0, -1.0)
    assert load("othello:score=true").start().play(*moves).payoffs() == (13.0, -13.0)


def test_the_last_flip_ends_the_game_without_passes():
    position = set_up("xo.. ...o .... ....", spec="othello:board_size=4").play("c1")
    # o on d2 is left, but neither side can flank anything any more.
    assert position.is_over
    assert position.payoffs() == (1.0, -1.0)


@pytest.mark.parametrize(
    ("drawing", "payoffs"),
    [
        ("xxxx xxxx oooo ooo.", (1.0, -1.0)),
        ("xxxx xxxx oooo oooo", (0.0, 0.0)),
        ("xxxx xx.. oooo oooo", (-1.0, 1.0)),
    ],
)
def test_more_discs_win_and_as_many_draw(drawing, payoffs):
    assert set_up(drawing, 2, "othello:board_size=4").payoffs() == payoffs


@pytest.mark.parametrize("size", [4, 6, 8])
def test_middle_squares_are_never_moves_so_the_bound_on_plies_holds(size):
    game = load(f"othello:board_size={size}")
    dice = random.Random(size)
    middle = {
        size * row + column
        for row in (size // 2 - 1, size // 2)
        for column in (size // 2 - 1, size // 2)
    }
    assert game.max_plies == 2 * (size * size - len(middle)) - 1
    for _ in range(10):
        position = game.start()
        while not position.is_over:
            assert not middle & set(position.move_codes())
            position = position.play(dice.choice(position.move_codes()))


@pytest.mark.parametrize(
    ("drawing", "most"),
    [
        ("...x .ox. xoo. .x.x", 8),
        ("...... .oo.o. .oxxo. x.oxxx .ooxo. ......", 20),
        (".....x.. .oo.oxo. .ox.xxx. .oxo.... .x...xo. .oxxoxxx .oxo.xo. ........", 35),
    ],
    ids=["4", "6", "8"],
)
def test_position_with_the_most_moves_reaches_the_bound(drawing, most):
    size = len(drawing.split())
    position = set_up(drawing, spec=f"othello:board_size={size}")
    assert count_moves(position) == most == position.game.max_moves
    cells = unpack(position)
    assert position.move_codes() == [
        m for m in range(size * size) if naive_flips(cells, size, 0, m)
    ]
    other = set_up(drawing.translate(str.maketrans("xo", "ox")), 1, f"othello:board_size={size}")
    assert count_moves(other) == most


def test_position_with_the_middle_filled_has_one_move_less_than_the_bound():
    drawing = "x....... ..o.o.o. .ooxoxo. ..oxxxo. .oxxo.o. .xx..xx. .oooxoo. ........"
    assert count_moves(set_up(drawing)) == 34


def test_a_move_is_found_on_every_square_around_a_surrounded_board():
    # All of the rim but the corners' neighbours flanks something: no move is lost on the way.
    position = set_up("........ .oooooo. .oxxxxo. .oxxxxo. .oxxxxo. .oxxxxo. .oooooo. ........")
    expected = set(range(8)) | set(range(56, 64)) | {8 * r for r in range(8)}
    expected |= {8 * r + 7 for r in range(8)}
    naive = [cell for cell in range(64) if naive_flips(unpack(position), 8, 0, cell)]
    assert sorted(position.move_codes()) == naive
    assert set(naive) <= expected
    assert len(naive) >= 20


def test_other_sizes_are_refused():
    with pytest.raises(BadParameter, match="board_size"):
        load("othello:board_size=5")


# -- a plain twin -----------------------------------------------------------------------------


def unpack(position):
    size = position.game.board_size
    cells = {}
    for row in range(size):
        for column in range(size):
            for player in (0, 1):
                if int(position.state[player]) >> 8 * row + column & 1:
                    cells[row, column] = player
    return cells


def naive_flips(cells, size, player, move):
    row, column = divmod(move, size)
    if (row, column) in cells:
        return []
    flips = []
    for down, right in DIRECTIONS:
        run, at = [], (row + down, column + right)
        while cells.get(at) == 1 - player:
            run.append(at)
            at = (at[0] + down, at[1] + right)
        if cells.get(at) == player:
            flips += run
    return flips


@pytest.mark.parametrize("size", [4, 6, 8])
def test_a_plain_twin_agrees_move_by_move(size):
    game = load(f"othello:board_size={size}")
    dice = random.Random(size)
    for _ in range(40):
        position, cells, player = game.start(), unpack(game.start()), 0
        while True:
            options = {
                who: [m for m in range(size * size) if naive_flips(cells, size, who, m)]
                for who in (0, 1)
            }
            assert unpack(position) == cells
            if not options[0] and not options[1]:
                break
            assert position.acting == player
            assert position.move_codes() == (options[player] or [size * size])
            move = dice.choice(position.move_codes())
            if options[player]:
                for cell in naive_flips(cells, size, player, move):
                    cells[cell] = player
                cells[divmod(move, size)] = player
            player = 1 - player
            position = position.play(move)
        assert position.is_over
        lead = sum(1 if owner == 0 else -1 for owner in cells.values())
        assert position.payoffs() == (float(np.sign(lead)), float(-np.sign(lead)))


# -- recorded games of the rulesheets reversi and othello-comp2007 ------------------------------


def replayed_square(column, row):
    """Translate a square: those rulesheets start with the two colours exchanged, ours mirrored."""
    return f"{'abcdefgh'[8 - int(column)]}{row}"


@pytest.mark.parametrize("name", ["base__reversi", "base__othello-comp2007"])
def test_recorded_games_are_replayed(shared, name):
    with gzip.open(shared / "gdl" / "reference" / f"{name}.jsonl.gz", "rt") as lines:
        records = [json.loads(line) for line in lines]
    assert records
    for record in records:
        position = load("othello").start()
        assert record["roles"] == ["black", "red"]
        for step in record["steps"]:
            assert position.is_over == step["terminal"]
            theirs = set()
            for fact in step["state"]:
                kind, *words = fact.strip("()").split()
                if kind == "cell":
                    theirs.add((replayed_square(*words[:2]), words[2]))
                else:
                    assert record["roles"][position.acting] == words[0]
            ours = {
                (position.game.move_name(None, 8 * row + column), record["roles"][player])
                for (row, column), player in unpack(position).items()
            }
            assert ours == theirs
            if step["terminal"]:
                assert [50 + 50 * payoff for payoff in position.payoffs()] == step["goals"]
                break
            legal = step["legal"][position.acting]
            names = {
                "pass" if move == "noop" else replayed_square(*move.strip("()").split()[1:])
                for move in legal
            }
            assert set(position.moves()) == names
            if "joint" in step:
                move = step["joint"][position.acting]
                position = position.play(
                    "pass" if move == "noop" else replayed_square(*move.strip("()").split()[1:])
                )
