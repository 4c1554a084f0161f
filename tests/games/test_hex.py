"""Hex: who is connected, by votes and by following chains; playouts that fill the board."""

import gzip
import json
import random
from functools import cache

import numpy as np
import pytest

from trellis.bridges.openspiel import load_openspiel
from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.game.playouts import PlayoutRunner, playouts
from trellis.loading import load

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


def joined(stones: set[tuple[int, int]], size: int, *, across: bool) -> bool:
    """Follow chains from the first side: top to bottom, or left to right with `across`."""
    side = 1 if across else 0
    waiting = [cell for cell in stones if cell[side] == 0]
    seen = set(waiting)
    while waiting:
        row, column = waiting.pop()
        if (row, column)[side] == size - 1:
            return True
        for down, right in STEPS:
            beside = (row + down, column + right)
            if beside in stones and beside not in seen:
                seen.add(beside)
                waiting.append(beside)
    return False


@pytest.mark.parametrize("size", [2, 3, 5, 8, 9, 10, 11, 12, 16, 19])
def test_votes_and_following_chains_agree_through_random_games(size):
    game = load(f"hex:board_size={size}")
    dice = random.Random(size)
    for _ in range(10):
        position = game.start()
        stones: tuple[set, set] = (set(), set())
        cells = list(range(size * size))
        dice.shuffle(cells)
        for ply, cell in enumerate(cells):
            assert position.acting == ply % 2
            position = position.play(cell)
            stones[ply % 2].add(divmod(cell, size))
            if joined(stones[ply % 2], size, across=ply % 2 == 1):
                break
            assert not position.is_over, str(position)
        assert position.is_over, str(position)
        assert position.payoffs() == ((1.0, -1.0) if ply % 2 == 0 else (-1.0, 1.0))


def test_first_player_wins_from_top_to_bottom():
    position = load("hex:board_size=3").start().play("b1", "a1", "b2", "a2", "a3")
    assert position.is_over
    assert position.payoffs() == (1.0, -1.0)


def test_second_player_wins_from_left_to_right():
    position = load("hex:board_size=3").start().play("a1", "a3", "c3", "b2", "b3", "c1")
    assert position.is_over
    assert position.payoffs() == (-1.0, 1.0)


def test_cells_that_only_touch_at_a_corner_are_not_connected():
    """a1 and b2 lie on the short diagonal: no common edge."""
    position = load("hex:board_size=2").start().play("a1", "b1", "b2")
    assert not position.is_over


def test_a_column_of_the_wrong_player_wins_nothing():
    position = load("hex:board_size=3").start().play("a1", "b1", "a2", "b2", "c1", "b3")
    assert not position.is_over


def test_a_chain_that_winds_up_and_down_is_followed():
    """The chain goes down, up and down again before it reaches the other side."""
    rows = [
        ". . . x . . .",
        ". . . x . . .",
        ". . . x . x .",
        ". x . x . x x",
        ". x x x x . x",
        ". . . . . . x",
        ". . . . . . x",
    ]
    cells = [[mark == "x" for mark in row.split()] for row in rows]
    x = {(r, c) for r in range(7) for c in range(7) if cells[r][c]}
    game = load("hex:board_size=7")
    free = [7 * r + c for r in range(7) for c in range(7) if (r, c) not in x]
    last = 7 * 3 + 6  # what joins both halves
    order = [7 * r + c for r, c in sorted(x) if 7 * r + c != last] + [last]
    # Stones of o on the left, none of which can join left and right past column d.
    others = [cell for cell in free if cell % 7 < 3]
    position = game.start()
    for cell, other in zip(order, others, strict=False):
        assert not position.is_over
        position = position.play(cell)
        if cell != last:
            position = position.play(other)
    assert position.is_over == joined(x, 7, across=False)
    assert position.is_over


def test_a_game_can_last_until_the_last_cell():
    """The bounds are attained: four moves to begin with, four moves in all."""
    game = load("hex:board_size=2")
    assert len(game.start().move_codes()) == game.max_moves == 4
    position = game.start().play("a1", "b1", "b2")
    assert position.moves() == ["a2"]
    position = position.play("a2")
    assert position.payoffs() == (-1.0, 1.0)
    assert game.max_plies == 4


@pytest.mark.parametrize("size", [2, 11, 19])
def test_all_cells_are_open_at_the_start(size):
    game = load(f"hex:board_size={size}")
    assert sorted(game.start().move_codes()) == list(range(size * size))
    assert game.max_moves == game.max_plies == size * size


def test_opening_stone_is_the_first_players_and_the_second_moves():
    game = load("hex:board_size=5,opening=b2")
    start = game.start()
    assert start.acting == 1
    assert "b2" not in start.moves()
    assert len(start.moves()) == game.max_plies == 24
    assert list(start.state) == list(load("hex:board_size=5").start().play("b2").state)
    assert load("hex:board_size=5,opening=B2").spec == game.spec


@pytest.mark.parametrize("opening", ["f1", "a6", "b0", "b02", "2b", "bb", "b", "b2c3", "é2", "-"])
def test_bad_opening_is_one_clear_line(opening):
    with pytest.raises(BadParameter) as error:
        load(f"hex:board_size=5,opening={opening}")
    message = str(error.value)
    assert "\n" not in message
    assert repr(opening) in message
    assert "a1 to e5" in message


def test_opening_plays_on_like_openspiel_after_that_move():
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    game = load("hex:board_size=4,opening=c2")
    theirs = load_openspiel(load("hex:board_size=4"))
    dice = random.Random(4)
    for _ in range(30):
        position, state = game.start(), theirs.new_initial_state()
        state.apply_action(4 * 1 + 2)
        while not state.is_terminal():
            assert sorted(position.move_codes()) == state.legal_actions()
            assert position.acting == state.current_player()
            move = dice.choice(position.move_codes())
            position = position.play(move)
            state.apply_action(move)
        assert position.payoffs() == tuple(state.returns())


def middle(spec: str, plies: int, seed: int) -> Position:
    """Return a position in which the game still runs after so many random moves."""
    dice = random.Random(seed)
    while True:
        position = load(spec).start()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(dice.choice(position.move_codes()))
        if not position.is_over:
            return position


@pytest.mark.parametrize("moves", [[], ["b2"], ["a1", "c3"], ["a3", "b2", "c1"], ["b3", "b1"]])
def test_filling_the_board_has_exactly_the_chances_of_random_moves(moves):
    """The truth is worked out by averaging over all games that can follow."""

    @cache
    def mean(position: Position) -> float:
        if position.is_over:
            return position.payoffs()[0]
        codes = position.move_codes()
        return sum(mean(position.play(code)) for code in codes) / len(codes)

    position = load("hex:board_size=3").start().play(*moves)
    result = playouts(position, 400_000, seed=1)
    assert abs(result.means[0] - mean(position)) < 4.5 * result.errors[0]


@pytest.mark.parametrize(
    "spec", ["hex:board_size=5", "hex:board_size=8", "hex", "hex:board_size=12"]
)
@pytest.mark.parametrize("plies", [3, 8, 17])
def test_filling_the_board_pays_what_move_by_move_playouts_pay(spec, plies):
    position = middle(spec, plies, seed=plies)
    assert position.acting == plies % 2
    fast = playouts(position, 100_000, seed=2)
    slow = playouts(position, 20_000, seed=3, own=False)
    error = float(np.hypot(fast.errors[0], slow.errors[0]))
    assert abs(fast.means[0] - slow.means[0]) < 4.5 * error


@pytest.mark.parametrize(("moves", "fills"), [([], 126), (["b2"], 70), (["b2", "a1"], 35)])
def test_every_way_to_share_the_free_cells_is_equally_likely(moves, fills):
    game = load("hex:board_size=3")
    position = game.start().play(*moves)
    runner = PlayoutRunner(game, 5)
    buffer, out = np.empty(game.max_moves, np.int32), np.zeros(2)
    seen: dict[tuple[int, int], int] = {}
    for _ in range(200 * fills):
        state = position.state
        plies = game.rules.playout(game.tables, state, runner.rng, buffer, out)
        assert plies == 9 - len(moves)
        pair = (int(state[0]), int(state[1]))
        assert pair[0] & pair[1] == 0
        assert pair[0] | pair[1] == 511
        assert pair[0].bit_count() == 5
        seen[pair] = seen.get(pair, 0) + 1
    assert len(seen) == fills
    chi_squared = sum((count - 200) ** 2 / 200 for count in seen.values())
    assert chi_squared < fills + 5 * (2 * fills) ** 0.5


@pytest.mark.parametrize("size", [8, 9, 11, 12, 19])
@pytest.mark.parametrize("plies", [0, 5])
def test_every_free_cell_goes_to_either_side_equally_often(size, plies):
    position = middle(f"hex:board_size={size}", plies, seed=size)
    game = position.game
    words = len(position.state) // 2
    runner = PlayoutRunner(game, 7)
    buffer, out = np.empty(game.max_moves, np.int32), np.zeros(2)
    games, owned = 4000, np.zeros(size * size)
    before = stones_of(position.state[:words], size)
    for number in range(games):
        state = position.state
        game.rules.playout(game.tables, state, runner.rng, buffer, out)
        after = stones_of(state[:words], size)
        assert (after >= before).all()
        assert not (after & stones_of(state[words:-1], size)).any()
        assert after.sum() == (size * size + 1) // 2
        if number % 100 == 0:
            x = {divmod(int(cell), size) for cell in np.flatnonzero(after)}
            assert joined(x, size, across=False) == (out[0] > 0)
        owned += after
    free = np.array(position.move_codes())
    share = (owned[free] / games).mean()
    chi_squared = ((owned[free] - games * share) ** 2).sum() / (games * share * (1 - share))
    assert abs(chi_squared - len(free)) < 6 * (2 * len(free)) ** 0.5


def stones_of(words: np.ndarray, size: int) -> np.ndarray:
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return bits[: size * size].astype(bool)


def test_playout_of_a_finished_game_moves_nothing():
    for moves in (["b1", "a1", "b2", "a2", "a3"], ["a1", "a3", "c3", "b2", "b3", "c1"]):
        position = load("hex:board_size=3").start().play(*moves)
        result = playouts(position, 10)
        assert result.plies == 0
        assert result.means == position.payoffs()


def test_board_is_drawn_as_a_rhombus_with_a1_on_top():
    position = load("hex:board_size=3").start().play("a1", "c2")
    assert str(position).splitlines() == [
        "   a b c",
        " 1 x . .",
        "  2 . . o",
        "   3 . . .",
        "x: top to bottom, o: left to right",
    ]


def test_recorded_playout_of_another_rulesheet_is_the_same_game(shared):
    """There x is blue and goes from y = 1 to y = 5, and the board is mirrored left to right."""
    file = shared / "gdl" / "reference" / "base__laikLee_hex.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]

    def cell(x: str, y: str) -> int:
        return 5 * (int(y) - 1) + 5 - int(x)

    played = 0
    for record in records:
        assert record["roles"] == ["blue", "red"]
        position = load("hex:board_size=5").start()
        for step in record["steps"]:
            owners = {}
            for fact in step["state"]:
                words = fact.strip("()").split()
                if words[0] == "cell" and words[3] != "blank":
                    owners[cell(words[1], words[2])] = ("blue", "red").index(words[3])
            for code, owner in owners.items():
                assert int(position.state[owner]) >> code & 1
            assert sum(int(word).bit_count() for word in position.state[:2]) == len(owners)
            assert position.is_over == step["terminal"]
            if step["terminal"]:
                assert [100 * (payoff > 0) for payoff in position.payoffs()] == step["goals"]
                break
            legal = step["legal"][position.acting]
            assert step["legal"][1 - position.acting] == ["noop"]
            assert sorted(position.move_codes()) == sorted(
                cell(*move.strip("()").split()[1:]) for move in legal
            )
            if "joint" not in step:
                break
            move = step["joint"][position.acting].strip("()").split()
            position = position.play(cell(move[1], move[2]))
            played += 1
    assert played > 10
