"""Moves without reports, and searches that begin anew in place."""

from dataclasses import replace

import numpy as np
import pytest

import trellis
from trellis.game.bits import generator
from trellis.game.errors import BadParameter
from trellis.search.mcts.decide import best_for, decide_anew, reset
from trellis.search.mcts.engine import Search

SETTINGS = [
    {},
    {"select": "uct0", "bounds": "off"},
    {"select": "uct1", "final_move": "secure"},
    {"select": "ucd:2,1,2", "final_move": "robust"},
    {"select": "uct3", "bounds": "off", "backup": "recompute"},
    {"select": "uct2", "final_move": "max", "c": 0.0},
    {"bounds": "guided", "own_playouts": "edge"},
    {"rave": 30.0, "select": "uct2"},
]
SPECS = [
    "tic_tac_toe", "connect_four:rows=4,columns=4", "hex:board_size=3", "kalah:houses=3,seeds=2",
    "dice:m=3,k=3", "go:board_size=3", "go:groups=manhattan,board_size=3", "leftright:h=9", "nim",
]  # fmt: skip


def positions(game, count, seed):
    """Yield positions of random games in which somebody chooses."""
    random = generator(seed)
    position = game.start()
    while count:
        if position.is_over:
            position = game.start()
        codes = position.move_codes()
        if not position.is_chance:
            yield position
            count -= 1
        position = position.play(codes[int(random.integers(len(codes)))])


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("changes", SETTINGS, ids=repr)
def test_the_best_move_is_the_one_that_a_report_names(spec, changes):
    game = trellis.load(spec)
    for number, position in enumerate(positions(game, 12, 3)):
        try:
            search = Search(position, seed=number, memory=1, **changes)
        except BadParameter:
            pytest.skip("these settings do not suit the game")
        for sims in (1, 2, 7, 40):
            search.run(sims=sims)
            report = search.report()
            code, sure = best_for(search)
            assert position.name(code) == report.moves[0].move
            assert sure is (not report.solved or report.moves[0].low >= report.low)


def test_ties_are_broken_in_the_same_way():
    # Every move of an empty square board of Hex is as good as its image: with few simulations many
    # have as many visits as the best.
    game = trellis.load("hex:board_size=5")
    chosen = set()
    for seed in range(60):
        search = Search(game, seed=seed, memory=1)
        search.run(sims=25)
        code, _ = best_for(search)
        assert game.start().name(code) == search.report().moves[0].move
        chosen.add(code)
    assert len(chosen) > 10


def test_who_chooses_at_the_same_moment_gets_a_move_of_their_own():
    position = trellis.load("goofspiel:num_cards=4").start()
    position = position.play(position.moves()[0])  # the first prize
    search = Search(position, seed=2)
    search.run(sims=300)
    for player in position.actors:
        place, _ = search.node_of_player(player)
        code, _ = best_for(search, player)
        assert place.name(code) == search.report(player).moves[0].move


def test_a_move_without_any_simulation_is_one_that_a_look_shows():
    position = trellis.load("tic_tac_toe").start().play("a1", "b1", "a2", "b2")
    code, _ = best_for(Search(position))
    assert position.name(code) == "a3"


def comparable(report):
    return replace(report, seconds=0.0)


RESET = [
    ("connect_four", {"memory": 1}),
    ("connect_four", {"memory": 0.1, "when_full": "collect"}),
    ("connect_four", {"memory": 0.1, "when_full": "drake", "bounds": "off"}),
    ("hex:board_size=4", {"select": "ucd:2,1,2", "memory": 2}),
    ("hex:board_size=4", {"select": "uct3", "memory": 2, "symmetry": True}),
    ("go:board_size=4", {"memory": 2}),
    ("nine_mens_morris", {"memory": 1, "select": "uct3", "backup": "recompute"}),
    ("connect_four", {"memory": 1, "sequential_halving": True}),
]


@pytest.mark.parametrize(("spec", "changes"), RESET, ids=repr)
def test_a_search_that_was_reset_is_a_new_one(spec, changes):
    game = trellis.load(spec)
    kept = Search(game, seed=1, **changes)
    for number, position in enumerate(positions(game, 4, 5)):
        kept.run(sims=3000)  # whatever this leaves behind
        reset(kept, position, number)
        new = Search(position, seed=number, **changes)
        for sims in (50, 700):
            assert comparable(kept.run(sims=sims)) == comparable(new.run(sims=sims))
        assert np.array_equal(kept.rng, new.rng)


@pytest.mark.parametrize(("spec", "changes"), RESET, ids=repr)
def test_one_call_of_a_kernel_is_a_whole_search(spec, changes):
    game = trellis.load(spec)
    kept = Search(game, seed=1, **changes)
    kept.run(sims=5000)
    assert kept.slice > 1
    for number, position in enumerate(positions(game, 6, 7)):
        kept.slice = 1 << 20
        new = Search(position, seed=number, **changes)
        new.run(sims=200)
        code, sure = decide_anew(kept, position, number, 200, position.acting)
        assert (code, sure) == best_for(new)
        assert comparable(kept.report()) == comparable(new.report())
        code, _ = decide_anew(kept, position, number, 1, position.acting)
        assert code in position.move_codes()


def test_small_memory_is_collected_in_the_middle_of_one_call():
    game = trellis.load("connect_four")
    kept = Search(game, memory=0.1, when_full="collect")
    kept.slice = 1 << 20
    new = Search(game, memory=0.1, when_full="collect", seed=3)
    new.run(sims=20_000)
    assert new.collections > 0
    code, _ = decide_anew(kept, game.start(), 3, 20_000, 0)
    assert code == best_for(new)[0]
    assert comparable(kept.report()) == comparable(new.report())
