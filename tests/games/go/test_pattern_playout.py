"""Random games of Go that answer the last move: move by move beside a twin with sets."""

from math import sqrt

import numpy as np
import pytest

from games.go.plain_go import PlainGo, Point
from games.go.test_playout import begun, is_eye, wanted
from marks import watched_playout
from trellis.game.bits import seeded
from trellis.game.errors import BadParameter
from trellis.games.go import Go
from trellis.games.go.pattern_playout import marked_pattern_playout
from trellis.games.go.patterns import BOTH, ONLY_X, PICTURES
from trellis.loading import load
from trellis.search.mcts.engine import Search

# Ways to look at a board: where a step up and a step to the right lead.
VIEWS = [((a, 0), (0, b)) for a in (1, -1) for b in (1, -1)]
VIEWS += [((0, a), (b, 0)) for a in (1, -1) for b in (1, -1)]


def cell_fits(go: PlainGo, cell: str, point: Point, x: int) -> bool:
    """Tell whether a point is what a cell of a picture says, where X is a colour."""
    inside = 0 <= point[0] < go.rows and 0 <= point[1] < go.columns
    stone = go.stones.get(point)
    return {
        "X": stone == x, "O": stone == 1 - x, ".": inside and stone is None, "?": True,
        "x": stone != x, "o": stone != 1 - x, "-": not inside,
    }[cell]  # fmt: skip


def fits_pattern(go: PlainGo, point: Point) -> bool:
    """Tell whether some picture, seen from some side, fits around a point for who moves."""
    for *rows, who in PICTURES:
        for x in (0, 1):
            if who != BOTH and go.side != (x if who == ONLY_X else 1 - x):
                continue
            for up, right in VIEWS:
                places = [
                    (point[0] + i * up[0] + j * right[0], point[1] + i * up[1] + j * right[1])
                    for i in (-1, 0, 1) for j in (-1, 0, 1)
                ]  # fmt: skip
                cells = "".join(rows)
                if all(map(lambda c, p, x=x: cell_fits(go, c, p, x), cells, places)):
                    return True
    return False


def liberties_with(go: PlainGo, point: Point) -> tuple[int, int]:
    """Return stones and liberties of the chain a stone makes, before anything is taken."""
    chain, liberties = go.chain({**go.stones, point: go.side}, point)
    return len(chain), len(liberties)


def policy(go: PlainGo, last: Point | None) -> tuple[str, list[Point]]:
    """Return which rule applies, and all that it may play."""
    if last is None:
        return "any", wanted(go)
    rescues = set()
    for near in go.near(last):
        if go.stones.get(near) != go.side:
            continue
        chain, ways = go.chain(go.stones, near)
        if len(ways) != 1:
            continue
        (way,) = ways
        if go.is_legal(way) and (go.after(way)[1] or liberties_with(go, way)[1] > 1):
            rescues.add(way)
        for stone in chain:
            for foe in go.near(stone):
                if go.stones.get(foe) == 1 - go.side:
                    exits = go.chain(go.stones, foe)[1]
                    rescues |= {e for e in exits if len(exits) == 1 and go.is_legal(e)}
    if rescues:
        return "rescue", sorted(rescues)
    exits = go.chain(go.stones, last)[1]
    if len(exits) == 1 and go.is_legal(min(exits)):
        return "capture", sorted(exits)
    shapes = []
    for point in wanted(go):
        if max(abs(point[0] - last[0]), abs(point[1] - last[1])) == 1 and fits_pattern(go, point):
            stones, liberties = liberties_with(go, point)
            if go.after(point)[1] or stones == 1 or liberties > 1:
                shapes.append(point)
    return ("shape", shapes) if shapes else ("any", wanted(go))


@pytest.mark.parametrize("size", [(2, 2), (3, 3), (1, 5), (5, 5), (7, 7), (4, 9), (9, 9), (19, 19)])
def test_every_move_is_drawn_evenly_from_what_the_policy_offers(size: tuple[int, int]) -> None:
    rows, columns = size
    game = Go(rows=rows, columns=columns, superko="simple", playouts="patterns")
    rng, points = seeded(rows * 100 + columns), rows * columns
    ranks: list[float] = []
    met: dict[str, int] = {}
    for number in range(max(2, 1000 // points)):
        go, state = begun(game, size, rng, number % 7)  # games begin anywhere
        made, plies, payoffs, _ = watched_playout(game, marked_pattern_playout, state, rng)
        last: Point | None = None
        for side, code in made:
            assert side == go.side
            rule, choice = policy(go, last)
            met[rule] = met.get(rule, 0) + 1
            if code == points:
                assert not choice
                last = None
                go.play(None)
                continue
            last = divmod(code, columns)
            assert last in choice, rule
            assert go.is_legal(last)
            assert not is_eye(go, last)
            if len(choice) > 1:
                ranks.append((choice.index(last) + 0.5) / len(choice))
            go.play(last)
        assert go.passes == 2 or plies == 3 * points
        assert payoffs == ([1, -1] if go.area() > 7.5 else [-1, 1])
    assert abs(np.mean(ranks) - 0.5) < 5 / sqrt(12 * len(ranks))
    if points > 24:
        assert min(met.get(rule, 0) for rule in ("rescue", "capture", "shape", "any")) > 5


def test_a_search_asks_for_patterns_by_a_setting_or_by_the_game() -> None:
    by_setting = Search(load("go:board_size=5"), playouts="patterns", seed=3).run(sims=300)
    by_game = Search(load("go:board_size=5,playouts=patterns"), seed=3).run(sims=300)
    plain = Search(load("go:board_size=5"), seed=3).run(sims=300)
    values = [[line.value for line in report.moves] for report in (by_setting, by_game, plain)]
    assert values[0] == values[1] != values[2]


def test_a_game_without_patterns_says_so() -> None:
    with pytest.raises(BadParameter, match="no playouts called 'patterns'"):
        Search(load("tic_tac_toe"), playouts="patterns")
