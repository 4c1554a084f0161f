"""Every game, in several sizes, keeps the promises that searches rely on."""

import inspect

import pytest

from trellis._kernel.jit import JIT_DISABLED
from trellis.game.contract import check_game
from trellis.loading import load, registered_games

from sizes import ALL, SIZES


@pytest.mark.parametrize("spec", ALL)
def test_game_keeps_the_contract(spec):
    games, walk = (2, 20) if JIT_DISABLED else (10, 150)
    report = check_game(load(spec), games=games, walk=walk)
    assert report.games == games
    assert report.positions > games


def test_every_game_of_the_catalogue_is_tested():
    assert sorted(SIZES) == sorted(entry.name for entry in registered_games())


@pytest.mark.parametrize("entry", registered_games(), ids=lambda entry: entry.name)
def test_catalogue_says_the_truth_about_the_game(entry):
    game = load(entry.name)
    assert game.state_words * 8 == entry.state_bytes
    assert game.players == entry.players
    assert game.has_chance == entry.chance
    assert game.is_simultaneous == entry.simultaneous
    told = {parameter.name for parameter in entry.parameters}
    assert set(game.parameters) == told, "Game.__init__(parameters=…) differs from the catalogue"
    assert load(game.spec).spec == game.spec == entry.name
    usual = inspect.signature(type(game).__init__).parameters
    for parameter in entry.parameters:
        assert usual[parameter.name].default == parameter.default
