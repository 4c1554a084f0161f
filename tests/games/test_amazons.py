"""Amazons: turns of three moves, what blocks, who loses; a plain twin; recorded games."""

import gzip
import json
import random

import numpy as np
import pytest
from random_play import after_random_moves, ends_of_playouts

from trellis.game.errors import BadParameter, IllegalMove
from trellis.game.game import Position
from trellis.loading import load

QUEEN = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]


def set_up(drawing, turn=0):
    """Make a position at the start of a turn from rows of x, o, # and dots, top row first."""
    rows = drawing.split()
    cells = "".join(rows)
    taken = sum(1 << square for square, cell in enumerate(cells) if cell != ".")
    amazons = [square for who in "xo" for square, cell in enumerate(cells) if cell == who]
    state = np.array(
        [
            taken & (1 << 64) - 1,
            taken >> 64 | turn << 50,
            sum(square << 8 * index for index, square in enumerate(amazons)),
        ],
        np.uint64,
    )
    return Position(load(f"amazons:board_size={len(rows)}"), state)


@pytest.mark.parametrize(
    ("size", "first", "second"),
    [
        (10, "a4 d1 g1 j4", "a7 d10 g10 j7"),
        (9, "a3 c1 g1 i3", "a7 c9 g9 i7"),
        (8, "a3 c1 f1 h3", "a6 c8 f8 h6"),
        (7, "a3 c1 e1 g3", "a5 c7 e7 g5"),
        (6, "a2 b1 e1 f2", "a5 b6 e6 f5"),
        (5, "a2 b1 d1 e2", "a4 b5 d5 e4"),
    ],
)
def test_amazons_start_near_the_corners_of_their_half(size, first, second):
    position = load(f"amazons:board_size={size}").start()
    assert sorted(position.moves()) == first.split()
    # The second player's, after a turn that leaves all of them free to move.
    after = position.play(*first.split()[1:2])
    after = after.play(after.moves()[0])
    after = after.play(after.moves()[0])
    assert after.acting == 1
    assert sorted(after.moves()) == second.split()


def test_a_turn_is_amazon_then_square_then_arrow():
    start = load("amazons").start()
    lifted = start.play("d1")
    moved = lifted.play("d7")
    shot = moved.play("d9")
    assert [start.acting, lifted.acting, moved.acting, shot.acting] == [0, 0, 0, 1]
    assert str(shot).count("#") == 1
    assert not {"d9", "d8", "d7"} & set(shot.play("d10").moves())


def test_the_square_just_left_is_free_for_the_arrow():
    assert "d1" in load("amazons").start().play("d1", "d7").moves()


def test_nothing_jumps_over_amazons_or_arrows():
    position = set_up("x..#. ..... #.... .ox.o xxo.o")
    assert sorted(position.play("a5").moves()) == sorted(["b5", "c5", "a4", "b4", "c3", "d2"])


def test_an_amazon_without_a_free_neighbour_is_not_offered():
    position = set_up("x#... ##... ..... xx.oo x.o.o")
    assert sorted(position.moves()) == ["a1", "a2", "b2"]
    with pytest.raises(IllegalMove):
        position.play("a5")


def test_who_cannot_move_at_the_start_of_a_turn_loses():
    position = set_up("xx### xx##o ####. ooo.. .....", turn=1)
    assert not position.is_over
    ended = position.play("e4", "e3", "e4")
    assert ended.is_over
    assert ended.payoffs() == (-1.0, 1.0)


def test_the_order_of_turns_does_not_matter_where_the_board_is_the_same():
    start = load("amazons").start()
    left, right, reply = ("d1", "d2", "d3"), ("g1", "g2", "g3"), ("d10", "d9", "d8")
    assert start.play(*left, *reply, *right) == start.play(*right, *reply, *left)


def test_which_amazon_stands_where_does_not_matter():
    start, reply = load("amazons").start(), ("a7", "b7", "a7")
    straight = start.play("d1", "d4", "d8", *reply, "g1", "g4", "g8")
    crossed = start.play("d1", "g4", "g8", *reply, "g1", "d4", "d8")
    assert straight == crossed
    assert straight.key == crossed.key


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9, 10])
def test_a_queen_in_the_middle_of_an_open_board_reaches_the_bound_on_moves(size):
    middle = size // 2
    off_lines = [
        (row, column)
        for row in range(size)
        for column in range(size)
        if middle not in (row, column) and abs(row - middle) != abs(column - middle)
    ]
    cells = [["."] * size for _ in range(size)]
    cells[middle][middle] = "x"
    for (row, column), who in zip(off_lines, "xxxoooo", strict=False):
        cells[row][column] = who
    position = set_up(" ".join("".join(row) for row in cells))
    assert len(position.play(size * middle + middle).move_codes()) == position.game.max_moves


def test_every_turn_takes_a_square_so_no_game_is_longer_than_max_plies():
    game = load("amazons:board_size=5")
    dice = random.Random(5)
    for _ in range(20):
        position, plies = game.start(), 0
        while not position.is_over:
            position = position.play(dice.choice(position.move_codes()))
            plies += 1
            assert str(position).count("#") == plies // 3
    assert game.max_plies == 3 * (25 - 8)


@pytest.mark.parametrize("size", [5, 10])
@pytest.mark.parametrize("moves", [0, 1, 2, 3, 10])
def test_a_playout_from_any_point_of_a_turn_leaves_a_finished_position(size, moves):
    game = load(f"amazons:board_size={size}")
    position = after_random_moves(game.start(), moves, random.Random(moves))
    for ended, _, plies in ends_of_playouts(position, 20, seed=moves):
        assert (moves + plies) % 3 == 0
        assert str(ended).count("#") == (moves + plies) // 3
        assert [str(ended).count(symbol) for symbol in "xo"] == [4, 4]
        loser = ended.payoffs().index(-1.0)
        assert not naive_amazons(naive_board(ended), size, loser)


def test_other_sizes_are_refused():
    with pytest.raises(BadParameter, match="board_size"):
        load("amazons:board_size=11")


# -- a plain twin -----------------------------------------------------------------------------


def naive_board(position):
    """Read a position off its drawing."""
    size = position.game.board_size
    lines = str(position).splitlines()[:size]
    return {
        (row, column): cell
        for row, line in enumerate(lines)
        for column, cell in enumerate(line[3:].split())
        if cell != "."
    }


def naive_targets(board, size, row, column):
    targets = []
    for down, right in QUEEN:
        at = (row + down, column + right)
        while 0 <= at[0] < size and 0 <= at[1] < size and at not in board:
            targets.append(size * at[0] + at[1])
            at = (at[0] + down, at[1] + right)
    return targets


def naive_amazons(board, size, player):
    return [
        size * row + column
        for (row, column), cell in board.items()
        if cell == "xo"[player] and naive_targets(board, size, row, column)
    ]


@pytest.mark.parametrize("size", [5, 7, 9, 10])
def test_a_plain_twin_agrees_move_by_move(size):
    game = load(f"amazons:board_size={size}")
    dice = random.Random(size)
    for _ in range(5):
        position, board, player, chosen = game.start(), naive_board(game.start()), 0, 0
        while naive_amazons(board, size, player):
            assert naive_board(position) == board
            for step in range(3):
                assert position.acting == player
                if step == 0:
                    legal = naive_amazons(board, size, player)
                else:
                    legal = naive_targets(board, size, *divmod(chosen, size))
                assert sorted(position.move_codes()) == sorted(legal)
                move = dice.choice(legal)
                if step == 0:
                    del board[divmod(move, size)]
                else:
                    board[divmod(move, size)] = "xo"[player] if step == 1 else "#"
                chosen = move
                position = position.play(move)
            player = 1 - player
        assert position.is_over
        assert position.payoffs()[player] == -1.0


# -- recorded games of the rulesheets amazons_10x10 and amazons_8x8 -----------------------------


@pytest.mark.parametrize("size", [8, 10])
def test_recorded_games_are_replayed(shared, size):
    """In those rulesheets a turn is two moves: from where to where, then the arrow."""

    def square(column, row):
        return f"{'abcdefghij'[int(column) - 1]}{row}"

    name = f"base__amazons_{size}x{size}.jsonl.gz"
    with gzip.open(shared / "gdl" / "reference" / name, "rt") as lines:
        records = [json.loads(line) for line in lines]
    assert records
    for record in records:
        position = load(f"amazons:board_size={size}").start()
        for step in record["steps"]:
            assert position.is_over == step["terminal"]
            symbols = {"white": "x", "black": "o", "arrow": "#"}
            theirs = {}
            for fact in step["state"]:
                kind, *words = fact.strip("()").split()
                if kind == "cell":
                    theirs[size - int(words[1]), int(words[0]) - 1] = symbols[words[2]]
                elif kind == "turn":
                    turn = words
            assert naive_board(position) == theirs
            if step["terminal"]:
                assert [50 + 50 * payoff for payoff in position.payoffs()] == step["goals"]
                break
            assert record["roles"][position.acting] == turn[0]
            legal = [move.strip("()").split()[1:] for move in step["legal"][position.acting]]
            if turn[1] == "move":
                ours = {(a, b) for a in position.moves() for b in position.play(a).moves()}
                assert ours == {(square(*move[:2]), square(*move[2:])) for move in legal}
            else:
                assert set(position.moves()) == {square(*move) for move in legal}
            if "joint" in step:
                words = step["joint"][position.acting].strip("()").split()[1:]
                position = position.play(
                    *(square(*words[i : i + 2]) for i in range(0, len(words), 2))
                )
