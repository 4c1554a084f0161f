"""Quarto: rules by hand, a plain twin, recorded games, and 32 ways to look at the board."""

import gzip
import json
import random

import numpy as np
import pytest

from trellis.game.playouts import playouts
from trellis.loading import load

LINES = [
    *([(row, column) for column in range(4)] for row in range(4)),
    *([(row, column) for row in range(4)] for column in range(4)),
    [(i, i) for i in range(4)],
    [(i, 3 - i) for i in range(4)],
]


class Plain:
    """The rules once more, as plainly as possible: pieces are texts, the board is a dict."""

    def __init__(self):
        self.board = {}
        self.pool = {f"{piece:04b}" for piece in range(16)}
        self.hand = None
        self.player = 0  # who chooses
        self.winner = None

    def moves(self):
        if self.winner is not None or len(self.board) == 16:
            return set()
        if self.hand is None:
            return set(self.pool)
        return {
            f"{'abcd'[column]}{4 - row}"
            for row in range(4)
            for column in range(4)
            if (row, column) not in self.board
        }

    def play(self, name):
        if self.hand is None:
            self.pool.remove(name)
            self.hand = name
            self.player = 1 - self.player
            return
        self.board[4 - int(name[1]), "abcd".index(name[0])] = self.hand
        self.hand = None
        for line in LINES:
            pieces = [self.board.get(place) for place in line]
            if None not in pieces and any(
                len(set(marks)) == 1 for marks in zip(*pieces, strict=True)
            ):
                self.winner = self.player

    def payoffs(self):
        return tuple(
            0.0 if self.winner is None else 1.0 if self.winner == player else -1.0
            for player in (0, 1)
        )


def test_game_and_plain_twin_agree_through_random_games():
    dice = random.Random(16)
    results = set()
    for _ in range(300):
        position, twin = load("quarto").start(), Plain()
        while twin.moves():
            assert set(position.moves()) == twin.moves()
            assert position.acting == twin.player
            move = dice.choice(position.moves())
            position = position.play(move)
            twin.play(move)
        assert position.is_over
        assert position.payoffs() == twin.payoffs()
        results.add(twin.payoffs())
    assert len(results) >= 2


def test_who_places_a_piece_gives_the_next_one():
    position = load("quarto").start()
    actors = [position.acting]
    for move in ("0000", "a1", "1111", "b2", "0101", "c4"):
        position = position.play(move)
        actors.append(position.acting)
    assert actors == [0, 1, 1, 0, 0, 1, 1]


def test_a_piece_can_be_given_once():
    position = load("quarto").start().play("0110", "a1")
    assert "0110" not in position.moves()
    assert len(position.moves()) == 15


def test_placing_is_on_free_cells_only():
    position = load("quarto").start().play("0110", "a1", "0111")
    assert "a1" not in position.moves()
    assert len(position.moves()) == 15


@pytest.mark.parametrize(
    ("pieces", "over"),
    [
        (["0001", "0011", "0101", "1001"], True),  # all have the last property
        (["1110", "1100", "1010", "0110"], True),  # all lack it
        (["0111", "0100", "0010", "0001"], True),  # all lack the first
        (["1000", "1011", "1101", "1110"], True),  # all have the first
        (["0000", "1111", "0011", "1100"], False),  # nothing in common
        (["1000", "0100", "0010", "0001"], False),
    ],
)
@pytest.mark.parametrize(
    "cells",
    [
        ["a4", "b4", "c4", "d4"],
        ["a1", "b1", "c1", "d1"],
        ["c1", "c2", "c3", "c4"],
        ["a1", "b2", "c3", "d4"],
        ["a4", "b3", "c2", "d1"],
    ],
)
def test_four_in_a_row_win_when_they_share_a_property_or_its_lack(pieces, over, cells):
    position = load("quarto").start()
    for piece, cell in zip(pieces, cells, strict=True):
        assert not position.is_over
        position = position.play(piece, cell)
    assert position.is_over == over
    if over:
        assert position.payoffs() == (1.0, -1.0)  # the first player places the fourth piece


@pytest.mark.parametrize(
    "cells", [["d4", "a3", "b3", "c3"], ["b4", "a3", "d2", "c1"], ["a4", "a3", "b4", "b3"]]
)
def test_four_alike_that_are_no_line_do_not_win(cells):
    position = load("quarto").start()
    for piece, cell in zip(["0001", "0011", "0101", "1001"], cells, strict=True):
        position = position.play(piece, cell)
    assert not position.is_over


def test_second_player_can_win():
    position = load("quarto").start().play("1110", "d1")
    for piece, cell in zip(["0001", "0011", "0101", "1001"], ["a4", "b4", "c4", "d4"], strict=True):
        position = position.play(piece, cell)
    assert position.payoffs() == (-1.0, 1.0)


DRAWN = [4, 11, 10, 13, 12, 3, 6, 0, 1, 15, 14, 5, 2, 8, 9, 7]  # by rows from the top left


def test_full_board_without_a_line_is_a_draw_after_32_moves():
    """The longest game; the first move has all 16 pieces, the second all 16 cells."""
    game = load("quarto")
    position = game.start()
    assert len(position.move_codes()) == game.max_moves == 16
    assert len(position.play(0).move_codes()) == game.max_moves
    for cell, piece in enumerate(DRAWN):
        assert not position.is_over
        position = position.play(piece, 16 + cell)
    assert position.is_over
    assert position.payoffs() == (0.0, 0.0)
    assert game.max_plies == 32


def test_last_piece_of_all_can_win():
    """The same board with two pieces exchanged: only the very last one completes a line."""
    game = load("quarto")
    found = 0
    for seed in range(2000):
        dice = random.Random(seed)
        pieces = DRAWN[:]
        i, j = dice.sample(range(16), 2)
        pieces[i], pieces[j] = pieces[j], pieces[i]
        twin, position = Plain(), game.start()
        for cell in dice.sample(range(16), 16):
            moves = (f"{pieces[cell]:04b}", f"{'abcd'[cell % 4]}{4 - cell // 4}")
            position = position.play(*moves)
            for move in moves:
                twin.play(move)
            if position.is_over:
                break
        assert position.payoffs() == twin.payoffs()
        if len(twin.board) == 16 and twin.winner is not None:
            found += 1
            assert position.payoffs() == (1.0, -1.0)  # the first player places the sixteenth
            break
    assert found


def test_all_32_symmetries_differ_and_keep_the_ten_lines():
    game = load("quarto")
    lines = {frozenset(4 * row + column for row, column in line) for line in LINES}
    images = set()
    for index in range(32):
        image = tuple(game.rules.map_move(game.tables, index, 16 + cell) - 16 for cell in range(16))
        assert sorted(image) == list(range(16))
        assert {frozenset(image[cell] for cell in line) for line in lines} == lines
        assert all(game.rules.map_move(game.tables, index, piece) == piece for piece in range(16))
        images.add(image)
    assert len(images) == len(game.symmetries) == 32
    assert len({symmetry.name for symmetry in game.symmetries}) == 32


def test_corners_and_middle_cells_are_all_alike_and_edges_another_kind():
    """Up to symmetry there are two first cells."""
    start = load("quarto").start().play("0000")
    assert len({start.play(move).canonical_key() for move in start.moves()}) == 2


@pytest.mark.parametrize("plies", [1, 4, 7, 9, 12])
def test_playouts_from_the_middle_pay_what_moves_through_the_rules_pay(plies):
    dice = random.Random(plies)
    position = load("quarto").start()
    while True:
        for _ in range(plies):
            if not position.is_over:
                position = position.play(dice.choice(position.move_codes()))
        if not position.is_over:
            break
        position = load("quarto").start()
    fast = playouts(position, 200_000, seed=2)
    slow = playouts(position, 50_000, seed=3, own=False)
    error = float(np.hypot(fast.errors[0], slow.errors[0]))
    assert abs(fast.means[0] - slow.means[0]) < 4.5 * error
    assert abs(fast.plies / fast.games - slow.plies / slow.games) < 0.15


def test_playout_of_a_finished_game_moves_nothing():
    position = load("quarto").start()
    for piece, cell in zip(["0001", "0011", "0101", "1001"], ["a4", "b4", "c4", "d4"], strict=True):
        position = position.play(piece, cell)
    result = playouts(position, 10)
    assert result.plies == 0
    assert result.means == (1.0, -1.0)


def test_board_shows_pieces_hand_and_pool():
    lines = str(load("quarto").start().play("0110", "b1", "1000")).splitlines()
    assert lines[3] == "1 .... 0110 .... ...."
    assert lines[5] == "in hand: 1000"
    assert lines[6].startswith("left: 0000 0001")
    assert "1000" not in lines[6]


def test_recorded_games_of_the_rulesheet_are_the_same_game(shared):
    with gzip.open(shared / "gdl" / "reference" / "base__quarto.jsonl.gz", "rt") as lines:
        records = [json.loads(line) for line in lines]

    def name(move: str) -> str:
        words = move.strip("()").split()
        if words[0] == "select":
            return words[1][1:]
        return f"{'abcd'[int(words[2]) - 1]}{words[3]}"

    assert records
    for record in records:
        assert record["roles"] == ["white", "black"]
        position = load("quarto").start()
        for step in record["steps"]:
            check_facts(position, step["state"], record["roles"])
            assert position.is_over == step["terminal"]
            if step["terminal"]:
                assert [50 + 50 * payoff for payoff in position.payoffs()] == step["goals"]
                break
            acting = position.acting
            assert step["legal"][1 - acting] == ["noop"]
            assert sorted(position.moves()) == sorted(map(name, step["legal"][acting]))
            position = position.play(name(step["joint"][acting]))


def check_facts(position, facts, roles):
    """Compare the board, the pool, the hand and who acts with the facts of a recorded state."""
    planes, rest = map(int, position.state)
    for fact in facts:
        words = fact.strip("()").split()
        if words[0] == "cell":
            cell = 4 * (4 - int(words[2])) + int(words[1]) - 1
            piece = sum((planes >> 16 * p + cell & 1) << p for p in range(4))
            assert (f"p{piece:04b}" if rest >> cell & 1 else "empty") == words[3]
        elif words[0] == "selected":
            assert rest >> 36 & 1
            assert f"p{rest >> 32 & 15:04b}" == words[1]
        elif words[0] == "pool":
            assert rest >> 16 + int(words[1][1:], 2) & 1
        elif not position.is_over:
            assert words[1] == roles[position.acting]
            assert (words[0] == "placeControl") == bool(rest >> 36 & 1)
    assert (rest >> 16 & 0xFFFF).bit_count() == sum(fact.startswith("(pool") for fact in facts)
