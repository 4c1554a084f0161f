"""Pentago: fives count after the turn, for whoever has them."""

import gzip
import json
import random

import numpy as np
import pytest
from random_play import after_random_moves, assert_playouts_are_games_through_the_rules

from trellis.game.game import Position
from trellis.games.pentago import _BIT_OF_PLACE
from trellis.loading import load


def position_of(rows: list[str]) -> Position:
    """Read a drawn board, top row first; whose turn it is follows from the number of marbles."""
    sides = [0, 0]
    for row, line in enumerate(rows):
        for column, mark in enumerate(line.replace(" ", "")):
            if mark in "xo":
                sides["xo".index(mark)] |= 1 << _BIT_OF_PLACE[row, column]
    return Position(load("pentago"), np.array(sides, np.uint64))


def rows_of(position: Position) -> list[str]:
    """Read the board back from its drawing."""
    lines = [line for line in str(position).splitlines() if "|" in line]
    return ["".join(mark for mark in line[3:].split("|")[i] if mark in "xo.")
            for line in lines for i in (0, 1)]  # fmt: skip


def test_first_player_has_288_moves():
    game = load("pentago")
    assert len(game.start().move_codes()) == game.max_moves == 288
    assert len(set(game.start().moves())) == 288


def test_turning_right_is_clockwise_and_takes_both_colours_along():
    before = position_of(["xo....", "......", "......", "......", "......", "......"])
    after = before.play("f1-1R")
    assert rows_of(after)[0] == "..x"
    assert rows_of(after)[2] == "..o"
    back = before.play("f1-1L")
    assert [rows_of(back)[i] for i in (0, 2, 4)] == ["...", "o..", "x.."]


@pytest.mark.parametrize(
    ("quadrant", "cell"), [(1, "a6"), (2, "d6"), (3, "a3"), (4, "d3")]
)  # fmt: skip
def test_quadrants_are_numbered_in_reading_order(quadrant, cell):
    """A marble in the top left corner of a quadrant goes to its top right corner."""
    after = load("pentago").start().play(f"{cell}-{quadrant}R")
    expected = load("pentago").start().play(f"{chr(ord(cell[0]) + 2)}{cell[1]}-{quadrant % 4 + 1}L")
    assert after == expected


def test_five_that_survive_the_turn_win():
    before = position_of(["xxxx..", "......", "......", "......", "oooo..", "......"])
    after = before.play("e6-4R")
    assert after.is_over
    assert after.payoffs() == (1.0, -1.0)


def test_five_that_the_turn_breaks_do_not_count():
    before = position_of(["xxxx..", "......", "......", "......", "oooo..", "......"])
    assert not before.play("e6-2R").is_over


def test_six_in_a_row_win_too():
    before = position_of(["xxx.xx", "......", "......", "......", "oooo..", "o....."])
    assert before.play("d6-4R").payoffs() == (1.0, -1.0)


def test_turn_that_completes_the_opponents_five_loses():
    """The column of o in the top left quadrant becomes the end of a row."""
    before = position_of(["..o..x", "..o...", "..oooo", "x.....", "x.....", "x.x.x."])
    assert before.acting == 0
    after = before.play("f5-1R")
    assert rows_of(after)[4:6] == ["ooo", "ooo"]
    assert after.payoffs() == (-1.0, 1.0)


def test_fives_of_both_are_a_draw():
    """x completes the lowest row, and its own turn completes a row of o."""
    before = position_of(["..o..x", "..o..x", "..oooo", "......", "......", "xxxx.."])
    assert before.acting == 0
    assert before.play("e1-2R").payoffs() == (1.0, -1.0)
    after = before.play("e1-1R")
    assert [has_five(rows_of(after), mark) for mark in "xo"] == [True, True]
    assert after.is_over
    assert after.payoffs() == (0.0, 0.0)


def has_five(halves: list[str], mark: str) -> bool:
    rows = [halves[2 * i] + halves[2 * i + 1] for i in range(6)]
    places = {(r, c) for r in range(6) for c in range(6) if rows[r][c] == mark}
    return any(
        all((r + i * down, c + i * right) in places for i in range(5))
        for r, c in places
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def test_outcome_is_what_plain_counting_of_fives_says():
    """Random games, judged by looking at the drawn board after every move."""
    dice = random.Random(6)
    ends = set()
    for _ in range(100):
        position, plies = load("pentago").start(), 0
        while not position.is_over:
            position = position.play(dice.choice(position.move_codes()))
            plies += 1
            fives = [has_five(rows_of(position), mark) for mark in "xo"]
            assert position.is_over == (any(fives) or plies == 36)
        expected = float(fives[0]) - float(fives[1])
        assert position.payoffs() == (expected, -expected)
        ends.add((*fives, plies == 36, plies % 2))
    assert (True, False, False, 0) in ends  # somebody completed the opponent's five
    assert (False, True, False, 1) in ends


def test_playouts_from_the_middle_pay_what_moves_through_the_rules_pay():
    dice = random.Random(1)
    for plies in (1, 6, 9, 14):
        position = after_random_moves(load("pentago").start(), plies, dice)
        assert position.acting == plies % 2
        assert_playouts_are_games_through_the_rules(position, 100_000, 30_000, moves=0.2)


FULL_BUT_ONE = ["xxooxx", "ooxxoo", "xxooxx", "ooxxoo", "xxooxx", "ooxxo."]


def test_full_board_without_five_is_a_draw():
    """The longest game there is: the last of 36 marbles is placed and nobody has five."""
    before = position_of(FULL_BUT_ONE)
    assert before.acting == 1
    assert len(before.move_codes()) == 8
    drawn = [name for name in before.moves() if before.play(name).payoffs() == (0.0, 0.0)]
    assert drawn
    for name in drawn:
        fives = [has_five(rows_of(before.play(name)), mark) for mark in "xo"]
        assert fives[0] == fives[1]
    assert all(before.play(name).is_over for name in before.moves())
    assert before.game.max_plies == 36


@pytest.mark.parametrize("version", ["pentago", "pentago.v1"])
def test_recorded_playouts_move_the_same_marbles(shared, version):
    """There a move is two steps, and a five may end the game between them; up to that, the same.

    Quadrants are counted from the top right against the clock there, y upwards.
    """
    with gzip.open(shared / "gdl" / "reference" / f"base__{version}.jsonl.gz", "rt") as lines:
        records = [json.loads(line) for line in lines]
    corner = {"1": (3, 3), "2": (0, 3), "3": (0, 0), "4": (3, 0)}
    quadrant = {"1": 1, "2": 0, "3": 3, "4": 2}

    def place(q: str, x: str, y: str) -> tuple[int, int]:
        """Row from the top and column from the left."""
        return 6 - (corner[q][1] + int(y)), corner[q][0] + int(x) - 1

    def words(fact: str) -> list[str]:
        return fact.strip("()").split()

    turns = 0
    for record in records:
        position = load("pentago").start()
        steps = record["steps"]
        for step, after in zip(steps[::2], steps[1::2], strict=False):
            marbles = [0, 0]
            for fact in map(words, step["state"]):
                if fact[0] == "cellHolds":
                    side = record["roles"].index(fact[4])
                    marbles[side] |= 1 << _BIT_OF_PLACE[place(*fact[1:4])]
            assert position.state.tolist() == marbles
            assert position.is_over == step["terminal"]
            row_column = [place(*words(move)[1:]) for move in step["legal"][position.acting]]
            assert sorted(position.move_codes()) == sorted(
                (6 * row + column) * 8 + turn for row, column in row_column for turn in range(8)
            )
            assert len(after["legal"][position.acting]) == 8
            if "joint" not in step or "joint" not in after:
                break
            row, column = place(*words(step["joint"][position.acting])[1:])
            _, which, sense = words(after["joint"][position.acting])
            turn = 2 * quadrant[which] + (sense == "clockwise")
            position = position.play((6 * row + column) * 8 + turn)
            turns += 1
    assert turns >= 10
