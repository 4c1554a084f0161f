"""Random automata: whatever the parameters, every promise a game makes is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trellis.game.contract import check_game
from trellis.game.errors import BadParameter
from trellis.game.perft import perft
from trellis.games.random_automaton import RandomAutomaton
from trellis.loading import load


@st.composite
def automata(draw, *, cyclic=None):
    players = draw(st.integers(1, 4))
    chance = draw(st.integers(0, 60))
    together = draw(st.integers(0, 40)) if players > 1 else 0
    return RandomAutomaton(
        seed=draw(st.integers(0, 2**31 - 1)),
        states=draw(st.integers(2, 60)),
        branching=draw(st.integers(1, 6)),
        players=players,
        chance=chance,
        simultaneous=together,
        cyclic=draw(st.booleans()) if cyclic is None else cyclic,
        payoffs=draw(st.integers(2, 7)),
    )


def _positions(game):
    """All positions that can be reached, and where the moves of each lead."""
    start = game.start()
    after = {}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        if position not in after:
            after[position] = [position.play(move) for move in position.move_codes()]
            waiting += after[position]
    return after


@settings(max_examples=25, deadline=None)
@given(automata())
def test_every_automaton_keeps_the_contract(game):
    assert check_game(game, games=2, walk=40).positions > 2


@settings(max_examples=30, deadline=None)
@given(automata())
def test_an_end_can_be_reached_from_everywhere(game):
    after = _positions(game)
    good = {position for position in after if position.is_over}
    assert good
    before = {position: [] for position in after}
    for position, followers in after.items():
        for follower in followers:
            before[follower].append(position)
    waiting = list(good)
    while waiting:
        for position in before[waiting.pop()]:
            if position not in good:
                good.add(position)
                waiting.append(position)
    assert good == set(after)


@settings(max_examples=30, deadline=None)
@given(automata())
def test_every_numbered_position_can_be_reached(game):
    numbers = {int(position.state[0]) for position in _positions(game)}
    assert numbers == set(range(game.parameters["states"]))


@settings(max_examples=25, deadline=None)
@given(automata(cyclic=False))
def test_counting_the_games_of_an_acyclic_automaton_comes_to_an_end(game):
    plies = perft(game, game.max_plies + 1)
    assert len(plies) == game.max_plies + 1  # the longest game is as long as the bound says
    assert plies[-1].games == plies[-1].ended


@settings(max_examples=30, deadline=None)
@given(automata(cyclic=False))
def test_payoffs_lie_on_the_scale(game):
    steps = game.parameters["payoffs"] - 1
    for position in _positions(game):
        if position.is_over:
            payoffs = position.payoffs()
            assert all(abs(payoff * steps - round(payoff * steps)) < 1e-9 for payoff in payoffs)
            assert game.players != 2 or sum(payoffs) == pytest.approx(1.0)


def test_the_default_game_has_neither_chance_nor_hidden_choices():
    game = load("random_automaton")
    assert game.rules.chances is None
    assert game.rules.actors is None
    assert game.rules.view is None


def test_chance_and_hidden_choices_come_with_their_parameters():
    game = load("random_automaton:states=200,chance=30,simultaneous=30")
    after = _positions(game)
    assert any(position.is_chance for position in after)
    assert any(len(position.actors) == 2 for position in after)
    assert any(len(position.actors) == 1 for position in after)


def test_a_joint_choice_decides_together():
    game = load("random_automaton:seed=3,states=300,branching=4,simultaneous=90")
    decided_by_both = 0
    for position in _positions(game):
        if len(position.actors) == 2 and position.acting == 0:
            table = [
                [int(position.play(a, b).state[0]) for b in position.play(a).move_codes()]
                for a in position.move_codes()
            ]
            rows, columns = {tuple(row) for row in table}, set(zip(*table, strict=True))
            decided_by_both += len(rows) > 1 and len(columns) > 1
    assert decided_by_both > 20


def test_paths_meet_often():
    plies = perft(load("random_automaton:states=300,branching=4,seed=2"), 8)
    assert plies[8].games > 5 * plies[8].positions


def test_only_cyclic_automata_lead_back():
    def leads_back(game):
        return any(
            int(follower.state[0]) < int(position.state[0])
            for position, followers in _positions(game).items()
            for follower in followers
        )

    assert leads_back(load("random_automaton:cyclic=true,states=50"))
    assert not leads_back(load("random_automaton:states=50"))


def test_one_move_each_makes_a_chain():
    game = load("random_automaton:branching=1,states=30")
    assert len(_positions(game)) == 30
    assert game.max_plies == 29


def test_some_position_has_as_many_moves_as_allowed():
    game = load("random_automaton:branching=16,states=500,seed=1")
    most = max(len(position.move_codes()) for position in _positions(game))
    assert most == game.max_moves == 16


def test_the_same_seed_makes_the_same_game():
    one, other = (load("random_automaton:seed=5,states=40,chance=20") for _ in range(2))
    assert np.array_equal(one.tables.ints, other.tables.ints)
    assert np.array_equal(one.tables.reals, other.tables.reals)
    assert not np.array_equal(one.tables.ints, load("random_automaton:states=40").tables.ints)


@pytest.mark.parametrize("bad", ["chance=60,simultaneous=50", "players=1,simultaneous=10"])
def test_impossible_shares_are_refused(bad):
    with pytest.raises(BadParameter, match="expected"):
        load(f"random_automaton:{bad}")
