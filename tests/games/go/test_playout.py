"""Random games of Go: move by move beside a twin with sets, and by means measured elsewhere."""

from math import sqrt

import numpy as np
import pytest

from games.go.plain_go import PlainGo, Point
from marks import watched_playout
from trellis.game.bits import seeded
from trellis.game.playouts import PlayoutRunner
from trellis.game.rules import Random, State
from trellis.games.go import Go
from trellis.games.go.playout import marked_playout, playout
from trellis.games.go.small_playout import marked_small_playout


def is_eye(go: PlainGo, point: Point) -> bool:
    """Tell whether all neighbours are who moves', and the corners are safe enough."""
    y, x = point
    if any(go.stones.get(near) != go.side for near in go.near(point)):
        return False
    corners = [(y + v, x + u) for v in (-1, 1) for u in (-1, 1)]
    inside = [c for c in corners if 0 <= c[0] < go.rows and 0 <= c[1] < go.columns]
    foes = sum(go.stones.get(corner) == 1 - go.side for corner in inside)
    return foes + (len(inside) < 4) < 2


def wanted(go: PlainGo) -> list[Point]:
    """List what a random game may play."""
    return [point for point in go.moves() if point is not None and not is_eye(go, point)]


def begun(game: Go, size: tuple[int, int], rng: Random, moves: int) -> tuple[PlainGo, State]:
    """Make so many moves that the generator's state chooses, in a twin and in our own game."""
    rows, columns = size
    go, state = PlainGo(rows, columns, "simple"), game.start().state
    for _ in range(moves):
        choice = [point for point in go.moves() if point is not None]
        if not choice:
            break
        y, x = choice[int(rng[0] % np.uint64(len(choice)))]
        go.play((y, x))
        game.rules.play(game.tables, state, y * columns + x)
    return go, state


SIZES = [(2, 2), (3, 3), (1, 5), (5, 5), (6, 6), (7, 7), (4, 9), (9, 9), (13, 6), (19, 19)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("small", [False, True])
def test_every_move_is_drawn_evenly_from_what_may_be_played(size: tuple[int, int], small: bool):
    rows, columns = size
    if small and (rows + 1) * (columns + 1) > 64:
        pytest.skip("the board does not fit into a word")
    game = Go(rows=rows, columns=columns, superko="simple")
    kernel = marked_small_playout if small else marked_playout
    rng, points = seeded(rows * 100 + columns + small), rows * columns
    ranks: list[float] = []
    for number in range(max(2, 1500 // points)):
        go, state = begun(game, size, rng, number % 7)  # games begin anywhere
        made, plies, payoffs, _ = watched_playout(game, kernel, state, rng)
        for side, code in made:
            assert side == go.side
            choice = wanted(go)
            if code == points:
                assert not choice
                go.play(None)
                continue
            point = divmod(code, columns)
            assert point in choice
            if len(choice) > 1:
                ranks.append((choice.index(point) + 0.5) / len(choice))
            go.play(point)
        assert go.passes == 2 or plies == 3 * points
        margin = go.area() - 7.5
        assert payoffs == ([1, -1] if margin > 0 else [-1, 1])
    mean, spread = np.mean(ranks), 1 / sqrt(12 * len(ranks))
    assert abs(mean - 0.5) < 5 * spread


# Means of millions of games of other programs, and how far ours may be off by chance.
MEANS = {6: (56.868, 0.4216), 9: (111.05, 0.421), 13: (219.37, 0.4446), 19: (455.34, 0.463)}


@pytest.mark.parametrize("size", MEANS)
@pytest.mark.parametrize("small", [False, True])
def test_games_are_as_long_and_as_often_won_as_measured_elsewhere(size: int, small: bool) -> None:
    if small and size > 7:
        pytest.skip("the board does not fit into a word")
    game = Go(board_size=size, superko="simple")
    if not small:
        game.rules = game.rules._replace(playout=playout)
    games = 400_000 // size**2 * 4
    found = PlayoutRunner(game, seed=size).run(game.start(), games)
    length, wins = MEANS[size]
    assert found.plies / games == pytest.approx(length, abs=5 * 0.12 * length / sqrt(games) + 0.05)
    assert (found.means[0] + 1) / 2 == pytest.approx(wins, abs=5 * 0.5 / sqrt(games) + 0.002)
