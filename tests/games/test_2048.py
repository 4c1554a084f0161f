"""2048: sliding and merging, points without a counter, the bounds, and small boards solved."""

import random

import numpy as np
import pytest
from random_play import along_a_random_game, assert_playouts_are_games_through_the_rules

from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.game.rules import CHANCE, NOBODY
from trellis.games.twenty_forty_eight import largest_tile, score_bound
from trellis.loading import load

TILE, MOVE = 1, 2


def _place(rows, phase=MOVE, fours=0, **parameters):
    """A position with tiles given row by row, the top one first; 0 is an empty cell."""
    tiles = [tile for row in rows for tile in row]
    board = sum((tile.bit_length() - 1) << 4 * i for i, tile in enumerate(tiles) if tile)
    game = load("2048", rows=len(rows), columns=len(rows[0]), **parameters)
    return Position(game, np.array([board, phase | fours << 32], np.uint64))


def _tiles(position):
    game, board = position.game, int(position.state[0])
    cells = [board >> 4 * i & 15 for i in range(game.rows * game.columns)]
    values = [1 << k if k else 0 for k in cells]
    return [values[i : i + game.columns] for i in range(0, len(values), game.columns)]


def _slide_line(line):
    """The rule as people say it, for one line that slides to its front; points with it."""
    tiles, points = [tile for tile in line if tile], 0
    slid = []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tiles.pop(0)
            tile *= 2
            points += tile
        slid.append(tile)
    return slid + [0] * (len(line) - len(slid)), points


def _slide(rows, direction):
    lines = [list(line) for line in (zip(*rows, strict=True) if direction in (0, 2) else rows)]
    back = direction in (1, 2)
    slid = [_slide_line(line[::-1] if back else line) for line in lines]
    lines = [line[::-1] if back else line for line, _ in slid]
    points = sum(points for _, points in slid)
    return [list(row) for row in zip(*lines, strict=True)] if direction in (0, 2) else lines, points


def test_the_number_that_names_the_game_loads_it():
    assert load("2048:rows=3").spec == "twenty_forty_eight:rows=3"


def test_a_tile_merges_once_and_the_pair_nearest_the_wall_first():
    position = _place([[2, 2, 2, 2], [4, 4, 8, 0], [2, 2, 2, 0], [0, 0, 0, 0]])
    assert _tiles(position.play("left"))[:3] == [[4, 4, 0, 0], [8, 8, 0, 0], [4, 2, 0, 0]]
    assert _tiles(position.play("right"))[:3] == [[0, 0, 4, 4], [0, 0, 8, 8], [0, 0, 2, 4]]


def test_a_move_must_change_something():
    assert _place([[2, 4], [8, 0]]).moves() == ["right", "down"]


def test_dealt_tiles_are_a_two_nine_times_in_ten():
    chances = dict(_place([[2, 4], [0, 0]], TILE).chances())
    assert chances == pytest.approx({"2@a1": 0.45, "4@a1": 0.05, "2@b1": 0.45, "4@b1": 0.05})


def test_the_board_as_people_see_it():
    position = load("2048:rows=2,columns=3").start().play("2@a1", "4@c2")
    assert str(position).splitlines() == [
        "2     .     .     4",
        "1     2     .     .",
        "      a     b     c",
        "slide, 0 points",
    ]


def test_a_full_board_without_equal_neighbours_ends_the_game():
    position = _place([[2, 4], [4, 0]], TILE, 1)
    assert position.play("2@b1").is_over
    assert not position.play("4@b1").is_over


def test_the_target_tile_ends_the_game_at_once():
    end = _place([[16, 16], [2, 0]], target=32, goal="tile").play("left")
    assert end.is_over
    assert end.payoffs() == (1.0,)
    assert _place([[2, 4], [4, 0]], TILE, goal="tile", target=32).play("2@b1").payoffs() == (0.0,)


def test_a_target_that_fits_on_no_board_cannot_be_the_goal():
    with pytest.raises(BadParameter, match="expected a target of at most 32"):
        load("2048:rows=2,columns=2,goal=tile")
    with pytest.raises(BadParameter, match="bad value '7' for twenty_forty_eight:target"):
        load("2048:target=7")


@pytest.mark.parametrize(
    ("rows", "columns", "target"), [(4, 4, 2048), (4, 4, 64), (2, 3, 64), (3, 2, 2048), (3, 4, 128)]
)
def test_random_games_slide_and_score_as_the_rule_says(rows, columns, target):
    game = load("2048", rows=rows, columns=columns, target=target)
    dice = random.Random(rows * columns + target)
    for _ in range(40):
        position, points, plies = game.start(), 0, 0
        while not position.is_over:
            code = dice.choice(position.move_codes())
            if position.acting != CHANCE:
                before = _tiles(position)
                slid = {d: _slide(before, d) for d in range(4)}
                assert position.move_codes() == [d for d in range(4) if slid[d][0] != before]
                after, gained = slid[code]
                points += gained
                assert _tiles(position.play(code)) == after
            position = position.play(code)
            plies += 1
        last = _tiles(position)
        reached = max(map(max, last)) == target
        assert reached or all(_slide(last, d)[0] == last for d in range(4))
        assert position.payoffs() == (points,)
        assert points <= game.payoff_range[1]
        assert plies <= game.max_plies


def _reachable(game):
    """All positions of a small game."""
    waiting = [game.start()]
    seen = set(waiting)
    for position in waiting:
        for code in position.move_codes():
            after = position.play(code)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen


def test_bounds_hold_in_every_position_of_the_smallest_board():
    seen = _reachable(load("2048:rows=2,columns=2"))
    most = max(position.payoffs()[0] for position in seen if position.is_over)
    largest = max(tile for position in seen for row in _tiles(position) for tile in row)
    assert largest == largest_tile(4) == 32
    # 32, 16, 8 and 4 are worth 196 points, less 4 for each dealt four; such a board needs four.
    assert most == 180
    assert most <= score_bound(4, 2048)


def _best(game):
    """The value of the start by plain recursion over positions, without a search."""
    rules, tables = game.rules, game.tables
    known = {}

    def value(state):
        key = state.tobytes()
        if key not in known:
            acting = rules.acting(tables, state)
            if acting == NOBODY:
                out = np.zeros(1)
                rules.payoffs(tables, state, out)
                known[key] = float(out[0])
            else:
                moves = np.empty(game.max_moves, np.int32)
                values = []
                for move in moves[: rules.moves(tables, state, moves)].tolist():
                    after = state.copy()
                    rules.play(tables, after, move)
                    values.append(value(after))
                if acting == CHANCE:
                    shares = np.empty(game.max_moves)
                    rules.chances(tables, state, shares)
                    known[key] = float(np.dot(shares[: len(values)], values))
                else:
                    known[key] = max(values)
        return known[key]

    return value(game.start().state)


def test_the_two_by_two_game_to_32_is_won_as_often_as_published():
    # J. Lees-Miller, The Mathematics of 2048: Optimal Play with Markov Decision Processes (2018):
    # "even when playing optimally, the player only wins about 8% of the time".
    best = _best(load("2048:rows=2,columns=2,target=32,goal=tile"))
    assert round(best, 2) == 0.08


@pytest.mark.parametrize("target", [8, 16, 32])
def test_the_two_by_two_game_has_the_value_of_a_naive_twin(target):
    known = {}

    def dealt(rows):
        """The mean over all tiles that may be dealt."""
        empty = [(r, c) for r in (0, 1) for c in (0, 1) if not rows[r][c]]
        total = 0.0
        for r, c in empty:
            for tile, share in ((2, 0.9), (4, 0.1)):
                after = [list(row) for row in rows]
                after[r][c] = tile
                total += share / len(empty) * best(after)
        return total

    def best(rows):
        key = str(rows)
        if key not in known:
            values = [0.0]
            for direction in range(4):
                slid, _ = _slide(rows, direction)
                if slid != rows:
                    values.append(1.0 if max(map(max, slid)) == target else dealt(slid))
            known[key] = max(values)
        return known[key]

    first = [[[0, 0], [0, 0]] for _ in range(8)]
    total = 0.0
    for i, rows in enumerate(first):
        rows[i // 2 // 2][i // 2 % 2] = 2 + 2 * (i % 2)
        total += 0.25 * (0.9, 0.1)[i % 2] * dealt(rows)
    ours = _best(load("2048", rows=2, columns=2, target=target, goal="tile"))
    assert ours == pytest.approx(total, abs=1e-12)
    assert 0 < ours < 1 or target == 8


@pytest.mark.parametrize("spec", ["2048", "2048:rows=2,columns=3,target=32,goal=tile"])
def test_playouts_from_anywhere_are_games_through_the_rules(spec):
    for position in along_a_random_game(load(spec).start(), 6, 1, random.Random(spec)):
        assert_playouts_are_games_through_the_rules(position, 3000, 3000, rel=0.05)


@pytest.mark.parametrize("target", [2048, 32])
def test_moves_and_points_are_those_of_openspiel(target):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    theirs = pyspiel.load_game(f"2048(max_tile={target})")
    game = load("2048", target=target)
    dice = random.Random(target)
    for _ in range(100):
        position, state = game.start(), theirs.new_initial_state()
        while not state.is_terminal():
            codes = position.move_codes()
            if state.is_chance_node():
                assert position.acting == CHANCE
                outcomes = dict(zip(codes, position.probabilities(), strict=True))
                assert outcomes == pytest.approx(dict(state.chance_outcomes()))
            else:
                assert position.acting == 0
                # Its list lacks merges with a tile that the last move made, but it makes them:
                # what changes its board is what ours lists.
                assert set(state.legal_actions()) <= set(codes)
                for direction in range(4):
                    after = state.clone()
                    after.apply_action(direction)
                    assert (str(after) != str(state)) == (direction in codes)
            code = dice.choice(codes)
            position = position.play(code)
            state.apply_action(code)
            shown = [[int(tile) for tile in row.split()] for row in str(state).splitlines()]
            assert shown == _tiles(position)
        assert position.is_over
        assert list(position.payoffs()) == state.returns()
