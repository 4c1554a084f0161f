"""The project's own rulesheets: equal to the built-in games, or true to known facts."""

import os
import random
from collections.abc import Iterator
from math import comb, perm

import pytest

from gdl.own_sheets import SHEETS, TWINS, Pair, load_own
from trellis._kernel.jit import JIT_DISABLED
from trellis.game.perft import perft
from trellis.gdl.checking.check import check
from trellis.gdl.language.kif import read
from trellis.loading import load

SMALL = ("tic_tac_toe", "nim", "crisscross", "goofspiel")  # quick even in plain Python
PLAYED = SMALL if JIT_DISABLED else tuple(TWINS)
needs_speed = pytest.mark.skipif(JIT_DISABLED, reason="plain Python is too slow for this sheet")
ALONE = {"lights_out", "eight_puzzle", "three_player_tic_tac_toe"}
# Moves that random play makes too seldom: pawns straight ahead, so that some are promoted.
PREFERRED = {"capture_the_king": "([a-h])[1-8]\\1[1-8]"}


def games_of(pair: Pair) -> int:
    """Return how many games to play; more of them where somebody asks for a long check."""
    asked = os.environ.get("TRELLIS_GAMES_IN_STEP")
    return int(asked) if asked else 3 if JIT_DISABLED else pair.twin.games


def texts() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(SHEETS.glob("*.kif"))}


def test_every_sheet_is_tested_here():
    assert set(texts()) == set(TWINS) | ALONE


@pytest.mark.parametrize("name", sorted(set(TWINS) | ALONE))
def test_a_sheet_is_valid_and_says_what_it_is(name):
    text = texts()[name]
    assert check(read(text)) == []
    comment = text.split("\n\n")[0].splitlines()
    assert len(comment) >= 3
    assert all(line.startswith(";") for line in comment)
    assert max(map(len, text.splitlines())) <= 100
    assert "\t" not in text


@pytest.mark.parametrize("name", PLAYED)
def test_random_games_in_step(name):
    pair, rng = Pair(TWINS[name]), random.Random(name)
    for _ in range(games_of(pair)):
        assert pair.play_in_step(rng) > 0


@needs_speed
@pytest.mark.parametrize("name", PREFERRED)
def test_eager_games_in_step(name):
    pair, rng = Pair(TWINS[name]), random.Random(name)
    for _ in range(games_of(pair)):
        assert pair.play_in_step(rng, PREFERRED[name]) > 0


@pytest.mark.parametrize("name", PLAYED)
def test_as_many_games_and_positions(name):
    twin = TWINS[name]
    depth = min(twin.depth, 2) if JIT_DISABLED else twin.depth
    assert perft(load_own(name), depth) == perft(load(twin.native), depth)


@needs_speed
def test_pig_is_drawn_after_a_thousand_decisions():
    position = load_own("pig").start()
    for _ in range(1000):
        assert not position.is_over
        position = position.play("stop")
    assert position.payoffs() == (50.0, 50.0)


# -- Lights Out: presses commute, so only the set of buttons matters ------------------------------

BUTTONS = [f"press({column},{row})" for row in range(1, 6) for column in "abcde"]


def switched_by(button: int) -> int:
    row, column = divmod(button, 5)
    near = [(0, -1), (0, 0), (0, 1), (-1, 0), (1, 0)]
    places = [(row + up, column + right) for up, right in near]
    return sum(1 << 5 * r + c for r, c in places if 0 <= r < 5 and 0 <= c < 5)


def solutions() -> Iterator[list[int]]:
    """All sets of buttons that switch everything: the first row's presses determine the others."""
    for first in range(32):
        lights, pressed = (1 << 25) - 1, [button for button in range(5) if first >> button & 1]
        for button in pressed:
            lights ^= switched_by(button)
        for button in range(5, 25):  # each must switch the light above it off
            if lights >> button - 5 & 1:
                pressed.append(button)
                lights ^= switched_by(button)
        if lights == 0:
            yield pressed


def test_lights_out_has_four_solutions_and_the_shortest_take_fifteen_presses():
    found = list(solutions())
    assert sorted(map(len, found)) == [15, 15, 15, 15]
    game, rng = load_own("lights_out"), random.Random(1)
    for pressed in found:
        rng.shuffle(pressed)
        position = game.start()
        for button in pressed:
            assert not position.is_over
            assert sorted(position.moves()) == sorted(BUTTONS)
            position = position.play(BUTTONS[button])
        assert position.payoffs() == (100.0,)


def test_lights_out_ends_exactly_when_all_is_dark_or_after_25_presses():
    game, rng = load_own("lights_out"), random.Random(2)
    solved = list(solutions())
    for _ in range(20):
        # A solution with some buttons pressed three times: dark now and then, or too late.
        presses = rng.choice(solved) + 2 * rng.sample(range(25), rng.randint(0, 6))
        rng.shuffle(presses)
        position, lights = game.start(), (1 << 25) - 1
        for made, button in enumerate(presses, 1):
            position = position.play(BUTTONS[button])
            lights ^= switched_by(button)
            assert position.is_over == (lights == 0 or made == 25)
            if position.is_over:
                break
        assert position.payoffs() == ((100.0,) if lights == 0 else (0.0,))


# -- the eight puzzle -----------------------------------------------------------------------------

SQUARES = [f"slide({column},{row})" for row in (3, 2, 1) for column in "abc"]
SOLVED, START = "12345678.", "8672543.1"
BESIDE = [[s for s in range(9) if abs(s // 3 - t // 3) + abs(s % 3 - t % 3) == 1] for t in range(9)]


def after_slides(board: str) -> dict[int, str]:
    hole = board.index(".")
    found = {}
    for square in BESIDE[hole]:
        tiles = list(board)
        tiles[hole], tiles[square] = tiles[square], "."
        found[square] = "".join(tiles)
    return found


def layers_from(board: str) -> Iterator[list[str]]:
    """Yield all boards, those that are one move farther away in each list."""
    seen, layer = {board}, [board]
    while layer:
        yield layer
        near = {after for board in layer for after in after_slides(board).values()}
        layer = sorted(near - seen)
        seen |= near


def test_the_start_of_the_eight_puzzle_is_as_far_from_solved_as_any_board():
    layers = list(layers_from(SOLVED))
    assert sum(map(len, layers)) == 181_440
    assert len(layers) - 1 == 31
    assert START in layers[-1]


def test_the_eight_puzzle_is_solved_in_31_moves():
    distance = {board: d for d, layer in enumerate(layers_from(SOLVED)) for board in layer}
    position, board = load_own("eight_puzzle").start(), START
    while board != SOLVED:
        slides = after_slides(board)
        assert sorted(position.moves()) == sorted(SQUARES[square] for square in slides)
        square, board = min(slides.items(), key=lambda slide: distance[slide[1]])
        position = position.play(SQUARES[square])
        assert position.is_over == (board == SOLVED)
    assert position.payoffs() == (100.0,)
    assert distance[START] == 31


def test_the_eight_puzzle_is_lost_after_50_moves():
    game, rng = load_own("eight_puzzle"), random.Random(3)
    for _ in range(5):
        position, board = game.start(), START
        for _ in range(50):
            assert not position.is_over
            square, board = rng.choice(list(after_slides(board).items()))
            position = position.play(SQUARES[square])
        assert position.payoffs() == (0.0,)


def test_the_eight_puzzle_has_as_many_boards_as_there_are():
    """After an even number of moves all even layers so far can be there, and so with odd ones."""
    depth = 3 if JIT_DISABLED else 33
    sizes = [len(layer) for layer in layers_from(START)]
    wanted = [sum(sizes[ply % 2 : ply + 1 : 2]) for ply in range(depth + 1)]
    counted = [ply.positions for ply in perft(load_own("eight_puzzle"), depth)]
    assert counted == wanted
    assert JIT_DISABLED or counted[-1] + counted[-2] == 181_440


# -- tic-tac-toe for three ------------------------------------------------------------------------

CELLS = [f"mark({column},{row})" for row in range(1, 5) for column in "abcd"]
LINES = [
    {4 * (row + i * up) + column + i * right for i in range(3)}
    for row in range(4)
    for column in range(4)
    for up, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if 0 <= row + 2 * up < 4 and column + 2 * right < 4
]


def test_three_players_in_step_with_a_plain_twin():
    game, rng, ends = load_own("three_player_tic_tac_toe"), random.Random(4), set()
    assert game.players == 3
    for _ in range(30 if JIT_DISABLED else 300):
        position, marks = game.start(), [set[int](), set[int](), set[int]()]
        free = list(range(16))
        rng.shuffle(free)
        winner = None
        while free and winner is None:
            assert position.acting == (16 - len(free)) % 3
            assert sorted(position.moves()) == sorted(CELLS[cell] for cell in free)
            cell, own = free.pop(), marks[position.acting]
            own.add(cell)
            if any(line <= own for line in LINES):
                winner = position.acting
            position = position.play(CELLS[cell])
        wanted = [100.0 if player == winner else 0.0 for player in range(3)]
        assert position.payoffs() == (tuple(wanted) if winner is not None else (33.0,) * 3)
        ends.add(winner)
    assert ends == {0, 1, 2, None}


def test_three_players_have_as_many_games_as_there_are_ways_to_mark():
    """Nobody has three marks before the seventh move, so nothing is cut short."""
    for ply in perft(load_own("three_player_tic_tac_toe"), 3 if JIT_DISABLED else 5):
        n = ply.ply
        x, o = (n + 2) // 3, (n + 1) // 3
        assert ply.games == perm(16, n)
        assert ply.positions == comb(16, x) * comb(16 - x, o) * comb(16 - x - o, n - x - o)
        assert ply.ended == 0
