"""Games in which players choose at once: exact values with dice."""

from fractions import Fraction
from random import Random

import pytest

from trellis.game.errors import BadParameter, LimitReached
from trellis.loading import load
from trellis.search.solve.each_player import secure_exactly
from trellis.search.solve.matrix import Mixed, is_solution, solve_matrix
from trellis.search.solve.mixed import solve_mixed, solve_with_dice
from trellis.search.solve.questions.reference import value_of

KNOWN = [
    ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], Fraction(0)),  # roshambo
    ([[1, -1], [-1, 1]], Fraction(0)),  # matching pennies
    ([[3, 0], [1, 2]], Fraction(3, 2)),
    ([[2]], Fraction(2)),
    ([[4, 2, 1], [3, 5, 2]], Fraction(2)),
    ([[0, 2], [Fraction(1, 3), 0]], Fraction(2, 7)),
]


@pytest.mark.parametrize(("matrix", "value"), KNOWN)
def test_known_matrices(matrix, value):
    assert solve_matrix(matrix).value == value


def test_random_matrices_are_solved_by_definition():
    random = Random(1)
    for _ in range(300):
        tall, wide = random.randint(1, 6), random.randint(1, 6)
        spread = random.choice((1, 2, 10, 1000))
        matrix = [
            [Fraction(random.randint(-spread, spread), random.randint(1, 7)) for _ in range(wide)]
            for _ in range(tall)
        ]
        found = solve_matrix(matrix)
        assert is_solution(matrix, found)
        turned = solve_matrix([[-matrix[i][j] for i in range(tall)] for j in range(wide)])
        assert turned.value == -found.value


def test_what_is_no_solution_is_seen():
    half = (Fraction(1, 2), Fraction(1, 2))
    pennies = [[1, -1], [-1, 1]]
    assert is_solution(pennies, Mixed(Fraction(0), half, half))
    assert not is_solution(pennies, Mixed(Fraction(1), half, half))
    assert not is_solution(pennies, Mixed(Fraction(0), (Fraction(1), Fraction(0)), half))
    assert not is_solution(pennies, Mixed(Fraction(0), half, (Fraction(1), Fraction(1))))


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_goofspiel_is_even(cards):
    """Both players have the same cards: nobody can be ahead."""
    assert solve_mixed(load(f"goofspiel:num_cards={cards}").start()).value == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_values_lie_within_what_pure_play_secures(seed):
    game = load(f"random_automaton:seed={seed},states=20,simultaneous=60,chance={seed % 3 * 10}")
    value = solve_with_dice(game.start()).value
    (low, high), _ = secure_exactly(game.start()).bounds
    assert low - 1e-9 <= value <= high + 1e-9
    if low == high:
        assert abs(value - Fraction(low)) < Fraction(1, 10**9)


@pytest.mark.parametrize("seed", range(10))
def test_without_simultaneous_moves_it_is_backward_induction(seed):
    game = load(f"random_automaton:seed={seed},states=30,payoffs=5")
    assert float(solve_with_dice(game.start()).value) == value_of(game.start())


def test_dice_are_told_for_both_players():
    found = solve_with_dice(load("goofspiel:num_cards=3").start())
    assert all(sum(each.values()) == 1 for each in found.dice)


@pytest.mark.parametrize("spec", ["random_automaton:players=3", "random_automaton:cyclic=true"])
def test_games_that_do_not_fit_are_refused(spec):
    with pytest.raises(BadParameter, match="expected"):
        solve_mixed(load(spec).start())


def test_too_many_positions_are_refused():
    with pytest.raises(LimitReached, match="more than 10"):
        solve_mixed(load("goofspiel:num_cards=4").start(), limit=10)
