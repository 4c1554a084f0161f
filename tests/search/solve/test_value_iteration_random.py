"""Random games solved exactly, against recursion and a dense solver written another way."""

import numpy as np
import pytest

from trellis.game.rules import CHANCE
from trellis.loading import load
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.reference import expectimax

PRECISE = 1e-9
SWEEPS = 2000  # of the dense solver


def dense(solution):
    """The graph of a solution by plain play: who acts, what ends pay, successors and shares."""
    listed = list(solution.values)
    number = {position.state.tobytes(): n for n, position in enumerate(listed)}
    acting = [position.acting for position in listed]
    pays = {n: p.payoffs()[0] for n, p in enumerate(listed) if p.is_over}
    leads = [[number[p.play(code).state.tobytes()] for code in p.move_codes()] for p in listed]
    return listed, acting, pays, leads, [p.probabilities() for p in listed]


def swept(graph, begin, sweeps, when_full=None):
    """Iterate values of all positions at once; `when_full` binds the moves of some positions."""
    _, acting, pays, leads, shares = graph
    count = len(acting)
    values = np.full(count, begin)
    chance = np.zeros((count, count))
    widest = max(map(len, leads))
    choices = np.zeros((count, widest), np.int64)
    for n, targets in enumerate(leads):
        if acting[n] == CHANCE:
            for target, share in zip(targets, shares[n], strict=True):
                chance[n, target] += share
        bound = [targets[when_full[n]]] if when_full and n in when_full else targets or [n]
        choices[n] = [*bound, *[bound[-1]] * (widest - len(bound))]
    who = np.array(acting)
    ends = np.array(list(pays))
    values[ends] = list(pays.values())
    for _ in range(sweeps):
        seen = values[choices]
        new = np.where(who == 0, seen.max(axis=1), seen.min(axis=1))
        new = np.where(who == CHANCE, chance @ values, new)
        new[ends] = values[ends]
        values = new
    return values


AUTOMATA = [
    {"states": 40, "branching": 3, "chance": 40},
    {"states": 60, "branching": 4, "chance": 30, "players": 1, "payoffs": 20},
    {"states": 50, "branching": 3, "chance": 0},
]


@pytest.mark.parametrize("settings", AUTOMATA, ids=str)
def test_random_games_without_cycles_against_recursion(settings):
    for seed in range(20):
        game = load("random_automaton", seed=seed, **settings)
        solution = solve_exactly(game).for_player(0)
        wanted = expectimax(game.start(), game.max_plies, lambda _: 9.9)
        assert not solution.cycles
        assert solution.low == solution.high == pytest.approx(wanted, abs=PRECISE)


@pytest.mark.parametrize("settings", AUTOMATA, ids=str)
def test_random_games_with_cycles_against_dense_iteration(settings):
    cyclic = endless = exact = 0
    for seed in range(12):
        solution = solve_exactly(load("random_automaton", seed=seed, cyclic=True, **settings))
        graph = dense(solution)
        low, high = swept(graph, 0.0, SWEEPS), swept(graph, 1.0, SWEEPS)
        found = np.array([solution.values[position] for position in graph[0]])
        np.testing.assert_allclose(found[:, 0], low, atol=PRECISE)
        np.testing.assert_allclose(found[:, 1], high, atol=PRECISE)
        cyclic += bool(solution.cycles)
        exact += solution.solved
        endless += solution.endless
        assert solution.endless == bool((high - low).max() > PRECISE)
    assert cyclic > 6
    assert exact > 3
    assert endless > 0


@pytest.mark.parametrize("settings", AUTOMATA, ids=str)
def test_best_moves_get_what_was_found_against_everybody(settings):
    """A player bound to best moves gets as much, even if a game without an end is a loss."""
    for seed in range(12):
        solution = solve_exactly(load("random_automaton", seed=seed, cyclic=True, **settings))
        graph = dense(solution)
        listed, acting = graph[:2]
        for player, loss, column in ((0, 0.0, 0), (1, 1.0, 1)):
            when_full = {
                n: position.move_codes().index(solution.values.best(position))
                for n, position in enumerate(listed)
                if acting[n] == player
            }
            reached = swept(graph, loss, SWEEPS, when_full)
            wanted = np.array([solution.values[position][column] for position in listed])
            np.testing.assert_allclose(reached, wanted, atol=PRECISE)
