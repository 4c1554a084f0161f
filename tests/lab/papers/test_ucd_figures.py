"""Worked examples of the paper on UCD against its definitions, worked out by hand in fractions."""

from fractions import Fraction

import pytest

from trellis.game.python_game import PythonGame
from trellis.lab.papers.ucd_figures import EXAMPLES, Hidden, Meeting
from trellis.search.mcts.reference import ReferenceSearch

# Playouts through a to b paid 0, to c 1, three each.  Of sixteen from `beside` to b, which paid 1,
# the first ended at `beside`; those to c paid 0.  Likewise those from `below` to d and e.
B = Fraction(15, 3 + 15)
C = Fraction(3, 3 + 16)
# At depth 2: one playout ended at b itself, two went on to d, whose mean is that of its node.
DEEP_B = (1 * 0 + 2 * Fraction(15, 2 + 15)) / 3
DEEP_C = (1 * 1 + 2 * Fraction(2, 2 + 16)) / 3


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("beside,0", Fraction(-1)),
        ("beside,1", B - C),
        ("below,0", Fraction(-1)),
        ("below,1", Fraction(-1)),
        ("below,2", DEEP_B - DEEP_C),
    ],
)
def test_local_information(case, expected):
    value, text = EXAMPLES["local information"](case)
    assert value == pytest.approx(float(expected), abs=1e-12)
    b, c = (float(each.split()[1]) for each in text.split(","))
    assert b - c == pytest.approx(value, abs=0.0011)


def test_a_node_counts_what_its_edges_count():
    count = {case: EXAMPLES["nodes or edges"](case)[0] for case in ("node", "x", "y", "edges")}
    # Of x y x x y x the first of either kind ended before it came to v.
    assert count == {"node": 4, "x": 3, "y": 1, "edges": 4}


def test_a_playout_by_x_changes_what_y_counts():
    """n_2(y) = n'(x or y) + n_1(v) = 1 + (n'(v) + n_0(w)): all playouts that came to v."""
    assert EXAMPLES["update rule"]("before") == (3.0, "3")
    assert EXAMPLES["update rule"]("after") == (4.0, "4")


def test_the_counter_example():
    assert EXAMPLES["counter-example"]("path") == (10, "10 of 10")
    assert EXAMPLES["counter-example"]("all") == (0, "0 of 10")


def test_depths_make_no_difference_where_nothing_is_transposed():
    assert EXAMPLES["remarks"]("tree") == (27, "27 of 27")
    assert EXAMPLES["remarks"]("graph")[0] < 27


@pytest.mark.parametrize("game", [Hidden, Meeting])
def test_the_games_are_graphs_and_no_trees(game):
    search = ReferenceSearch(PythonGame(game()), select="uct1", c=0.7, bounds="off")
    search.simulate(100)
    assert max(len(node.edges_in) for node in search.nodes) > 1
