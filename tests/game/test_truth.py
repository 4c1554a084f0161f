"""What is called true of small games, against definitions written another way."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from trellis.game.errors import LimitReached
from trellis.loading import load
from trellis.search.solve.strong import solve_strongly
from trellis.search.solve.value_iteration import solve_exactly

from attack.truth import Graph, Spot, look_at_all

WON, LOST = Spot(pays=(100, 0)), Spot(pays=(0, 100))


def secure(graph, spot, player):
    """What a player can be sure of, as one would say it: the best of the worst."""
    if spot.pays is not None:
        return spot.pays[player]
    choices = list(product(*map(range, spot.counts), range(len(spot.shares))))
    after = dict(zip(choices, spot.targets, strict=True))
    others = [number for number in range(graph.players) if number != player]
    best = []
    for own in range(spot.counts[player]):
        worst = []
        for theirs in product(*(range(spot.counts[other]) for other in others)):
            chosen = dict(zip(others, theirs, strict=True)) | {player: own}
            joint = tuple(chosen[number] for number in range(graph.players))
            worst.append(
                sum(
                    share * secure(graph, graph.spots[after[(*joint, draw)]], player)
                    for draw, share in enumerate(spot.shares)
                )
            )
        best.append(min(worst))
    return max(best)


def test_matching_pennies():
    graph = Graph([Spot((2, 2), targets=(1, 2, 2, 1)), WON, LOST], 2, 0, 100)
    assert graph.values(0)[0] == (0, 100)
    assert graph.values(1)[0] == (0, 100)


def test_a_saddle_point_needs_no_secrets():
    ends = [Spot(pays=(pay, 100 - pay)) for pay in (30, 60, 20, 90)]
    graph = Graph([Spot((2, 2), targets=(1, 2, 3, 4)), *ends], 2, 0, 100)
    assert graph.values(0)[0] == (30, 30)
    assert graph.values(1)[0] == (70, 70)


def test_chance_is_an_exact_average():
    thirds = (Fraction(1, 3),) * 3
    graph = Graph([Spot((1, 1), thirds, (1, 2, 2)), WON, LOST], 2, 0, 100)
    assert graph.values(0)[0] == (Fraction(100, 3), Fraction(100, 3))
    assert graph.exact


def test_what_chance_draws_is_not_known_when_players_choose():
    half = (Fraction(1, 2),) * 2
    graph = Graph([Spot((2, 1), half, (1, 2, 2, 1)), WON, LOST], 2, 0, 100)
    assert graph.values(0)[0] == (50, 50)


def test_three_players_two_of_them_against_the_third():
    ends = [Spot(pays=(pay, 0, 0)) for pay in range(8)]
    graph = Graph([Spot((2, 2, 2), targets=tuple(range(1, 9))), *ends], 3, 0, 100)
    assert graph.values(0)[0] == (4, 4)
    ends = [Spot(pays=(0, pay, 0)) for pay in (5, 7, 9, 1, 2, 8, 6, 4)]
    graph = Graph([Spot((2, 2, 2), targets=tuple(range(1, 9))), *ends], 3, 0, 100)
    # Player 1's first move may be answered with 5, 7, 2 or 8, the second with 9, 1, 6 or 4;
    # of the others' four choices the best answers are 9, 7, 6 and 8.
    assert graph.values(1)[0] == (2, 6)


def test_where_somebody_is_stuck_anything_may_be():
    graph = Graph([Spot((2, 1), targets=(1, 2)), WON, Spot((1, 0))], 2, 0, 100)
    assert graph.values(0)[0] == (100, 100)
    assert graph.values(1)[0] == (0, 0)
    graph = Graph([Spot((2, 1), targets=(1, 2)), LOST, Spot((1, 0))], 2, 0, 100)
    assert graph.values(0)[0] == (0, 100)


def test_play_without_an_end_is_worth_anything():
    loop = [Spot((2, 1), targets=(1, 2)), Spot((1, 2), targets=(0, 3)), WON, LOST]
    assert Graph(loop, 2, 0, 100).values(0)[0] == (100, 100)
    alone = [Spot((1,), targets=(1,)), Spot((1,), targets=(0,))]
    graph = Graph(alone, 1, 0, 100)
    assert graph.values(0) == [(0, 100), (0, 100)]
    assert graph.longest() is None
    leaving = [Spot((2, 1), targets=(0, 1)), LOST]
    assert Graph(leaving, 2, 0, 100).values(0)[0] == (0, 100)


def test_chance_that_goes_round_is_approached():
    half = (Fraction(1, 2),) * 2
    graph = Graph([Spot((1,), half, (0, 1)), Spot(pays=(60,))], 1, 0, 100)
    low, high = graph.values(0)[0]
    assert float(low) == pytest.approx(60)
    assert float(high) == pytest.approx(60)
    assert not graph.exact


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_values_are_those_of_the_definition(players, seed):
    together = 40 if players > 1 else 0
    game = load(
        "random_automaton", seed=seed, states=9, players=players, simultaneous=together, chance=20,
        general=players == 2 and seed % 2 == 0,
    )  # fmt: skip
    graph, _ = look_at_all(game.start())
    for player in range(players):
        expected = secure(graph, graph.spots[0], player)
        assert float(graph.values(player)[0][0]) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_cycles_agree_with_the_strong_solution(seed):
    game = load("random_automaton", seed=seed, states=30, cyclic=True, payoffs=5)
    graph, places = look_at_all(game.start())
    for position, pair in solve_strongly(game).items():
        assert graph.values(0)[places[position.state.tobytes()]] == pair


@pytest.mark.parametrize("seed", range(8))
def test_cycles_of_chance_agree_with_interval_iteration(seed):
    game = load("random_automaton", seed=seed, states=25, cyclic=True, chance=30, payoffs=5)
    graph, places = look_at_all(game.start())
    for position, pair in solve_exactly(game).values.items():
        found = graph.values(0)[places[position.state.tobytes()]]
        assert np.allclose([*map(float, found)], pair, atol=1e-6)


def test_players_who_choose_at_once_are_one_step():
    game = load("goofspiel:num_cards=2")
    graph, _ = look_at_all(game.start())
    assert (2, 2) in {spot.counts for spot in graph.spots}
    assert graph.longest(lambda spot: spot.choosing) == 2


def test_too_many_positions_are_refused():
    with pytest.raises(LimitReached, match="more than 100 positions"):
        look_at_all(load("tic_tac_toe").start(), limit=100)
