"""Games of OpenSpiel as ours, and our players as its bots."""

import numpy as np
import pytest

import trellis
from trellis.bridges.openspiel_game import load_openspiel
from trellis.game.errors import BadParameter

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

GAMES = ["y(board_size=4)", "havannah(board_size=2)", "tic_tac_toe", "pig(winscore=8)", "oware"]


@pytest.mark.parametrize("name", GAMES)
def test_a_random_game_is_the_same_in_both(name):
    game, theirs = trellis.load(f"openspiel:{name}"), pyspiel.load_game(name)
    draw = np.random.default_rng(3)
    position, state = game.start(), theirs.new_initial_state()
    for _ in range(60):
        assert position.is_over == state.is_terminal()
        if position.is_over:
            assert list(position.payoffs()) == state.returns()
            break
        assert position.is_chance == state.is_chance_node()
        legal = [a for a, _ in state.chance_outcomes()] if position.is_chance else (
            state.legal_actions()
        )  # fmt: skip
        codes = position.move_codes()
        assert len(codes) == len(legal)
        assert str(state) in str(position)
        place = int(draw.integers(len(legal)))
        position = position.play(codes[place])
        state.apply_action(legal[place])


def test_positions_are_what_led_to_them_unless_a_key_says_otherwise():
    tree = trellis.load("openspiel:tic_tac_toe")
    merged = load_openspiel("openspiel:tic_tac_toe", key=str)
    ways = [(0, 1, 2), (2, 1, 0)]
    for game, same in ((tree, False), (merged, True)):
        ends = []
        for way in ways:
            position, state = game.start(), pyspiel.load_game("tic_tac_toe").new_initial_state()
            for action in way:
                place = state.legal_actions().index(action)
                position = position.play(position.move_codes()[place])
                state.apply_action(action)
            ends.append(position)
        assert (ends[0].key == ends[1].key) == same
    with pytest.raises(BadParameter, match="expected no key"):
        trellis.Search(merged, bounds="cuts")
    assert trellis.Search(merged).params.bounds == 0
    assert trellis.Search(tree).params.bounds > 0


def test_a_search_wins_where_it_can():
    game = trellis.load("openspiel:tic_tac_toe")
    position = game.start()
    for name in ("x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)"):
        position = position.play(name)
    report = trellis.Search(position, seed=1).run(sims=300)
    assert (report.best, report.solved, report.value) == ("x(0,2)", True, 1.0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openspiel:kuhn_poker", "hides something"),
        ("openspiel:goofspiel", "take turns|hides"),
        ("openspiel:havanah", "did you mean 'havannah'"),
        ("openspiel:", "bad game"),
        ("openspiel:y(nothing=3)", "cannot load"),
    ],
)
def test_what_cannot_be_loaded_gets_one_line(name, message):
    with pytest.raises(BadParameter, match=message) as error:
        trellis.load(name)
    assert "\n" not in str(error.value)


def test_our_players_are_bots():
    game = pyspiel.load_game("tic_tac_toe")
    first = trellis.openspiel.bot("uct:sims=60", game, 0, seed=1)
    state = game.new_initial_state()
    policy, action = first.step_with_policy(state)
    assert action in state.legal_actions()
    assert sum(share for _, share in policy) == pytest.approx(1.0)
    while not state.is_terminal():
        who = state.current_player()
        state.apply_action(first.step(state) if who == 0 else state.legal_actions()[-1])
    assert state.returns()[0] >= 0
    first.restart()
    assert first.step(game.new_initial_state()) in range(9)
