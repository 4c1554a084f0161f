"""Mixtures of moves, against equilibria of matrix games that are known."""

import pytest

from trellis.gdl.game import game_of
from trellis.gdl.sheet import Sheet
from trellis.search.mcts.engine import Search
from trellis.search.mcts.mixture import mixture_of

# What the first player gets (the second gets what is missing from 100), and both equilibria.
GAMES = {
    "matching pennies": ([[100, 0], [0, 100]], [1 / 2, 1 / 2], [1 / 2, 1 / 2]),
    "roshambo": ([[50, 0, 100], [100, 50, 0], [0, 100, 50]], [1 / 3] * 3, [1 / 3] * 3),
    "biased pennies": ([[100, 0], [0, 50]], [1 / 3, 2 / 3], [1 / 3, 2 / 3]),
    "one move is better in any case": ([[60, 90], [10, 20]], [1, 0], [1, 0]),
}


def matrix_game(rows):
    """Write a sheet in which two players choose a row and a column at once."""
    lines = ["(role A) (role B) (init new) (<= terminal (true (made ?x ?y)))"]
    lines.append("(<= (next (made ?x ?y)) (does A (pick ?x)) (does B (pick ?y)))")
    lines += [f"(<= (legal A (pick {i})) (true new))" for i in range(len(rows))]
    lines += [f"(<= (legal B (pick {j})) (true new))" for j in range(len(rows[0]))]
    for i, row in enumerate(rows):
        for j, goal in enumerate(row):
            lines.append(f"(<= (goal A {goal}) (true (made {i} {j})))")
            lines.append(f"(<= (goal B {100 - goal}) (true (made {i} {j})))")
    return "\n".join(lines)


@pytest.mark.parametrize("name", GAMES)
def test_visits_come_near_to_the_equilibrium(name):
    rows, *equilibria = GAMES[name]
    search = Search(game_of(Sheet(matrix_game(rows), name)).start(), c=0.7, seed=1)
    search.run(sims=20_000)
    for player, expected in enumerate(equilibria):
        report = search.report(player)
        chances = mixture_of([line.visits for line in report.moves])
        found = {line.move: chance for line, chance in zip(report.moves, chances, strict=True)}
        assert [found[f"pick({i})"] for i in range(len(expected))] == pytest.approx(
            expected, abs=0.05
        )


def test_moves_that_are_hardly_tried_are_left_out():
    assert mixture_of([100, 9, 10, 90]).tolist() == pytest.approx([0.5, 0.0, 0.05, 0.45])
    assert mixture_of([0, 0]).tolist() == [0.5, 0.5]
