"""Nim: who wins, what may be taken, and records of the same game elsewhere."""

import gzip
import json
import random
import re
from functools import cache

import numpy as np
import pytest

from trellis.game.bits import seeded
from trellis.game.errors import BadParameter
from trellis.game.playouts import PlayoutRunner
from trellis.loading import load

THESIS = "nim:pile_sizes=5,max_take=3,is_misere=false"


def test_a_heap_of_five_and_takes_of_three_make_ten_states_and_eighteen_edges():
    positions = {load(THESIS).start()}
    waiting = list(positions)
    edges = 0
    for position in waiting:
        for move in position.move_codes():
            after = position.play(move)
            edges += 1
            if after not in positions:
                positions.add(after)
                waiting.append(after)
    assert (len(positions), edges) == (10, 18)


def test_its_unfolding_has_27_edges():
    def edges(position):
        return sum(1 + edges(position.play(move)) for move in position.move_codes())

    assert edges(load(THESIS).start()) == 27


@pytest.mark.parametrize(("misere", "payoffs"), [("true", (-1.0, 1.0)), ("false", (1.0, -1.0))])
def test_taking_the_last_object_loses_in_misere_play_and_wins_otherwise(misere, payoffs):
    position = load(f"nim:pile_sizes=1;2;1,is_misere={misere}").start()
    for move in ("b2", "a1", "c1"):
        assert not position.is_over
        position = position.play(move)
    assert position.is_over
    assert position.payoffs() == payoffs
    assert "nothing is left" in str(position)


def test_moves_are_numbered_by_take_then_heap():
    position = load("nim:pile_sizes=2;3").start()
    assert position.move_codes() == [0, 1, 2, 3, 5]
    assert position.moves() == ["a1", "b1", "a2", "b2", "b3"]


def test_no_move_takes_more_than_max_take():
    position = load("nim:pile_sizes=2;9,max_take=4").start()
    assert position.moves() == ["a1", "b1", "a2", "b2", "b3", "b4"]


def test_the_start_has_as_many_moves_as_objects_and_no_position_has_more():
    game = load("nim:pile_sizes=255;255;255;255;255;255;255;255")
    assert len(game.start().move_codes()) == game.max_moves == 8 * 255
    assert max(game.start().move_codes()) == game.move_codes - 1


def test_normal_play_is_lost_exactly_where_the_heaps_cancel_out():
    # Bouton's theorem: the player to move loses where the exclusive or of the heaps is zero.
    game = load("nim:pile_sizes=3;4;5,is_misere=false")

    @cache
    def wins(position):
        if position.is_over:
            return position.payoffs()[int(position.state[1])] > 0
        return any(not wins(position.play(move)) for move in position.move_codes())

    waiting = [game.start()]
    seen = set(waiting)
    for position in waiting:
        heaps = [int(position.state[0]) >> 8 * heap & 255 for heap in range(3)]
        assert wins(position) == (heaps[0] ^ heaps[1] ^ heaps[2] != 0)
        for move in position.move_codes():
            after = position.play(move)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    assert len(seen) > 200


@pytest.mark.parametrize(
    "sizes", ["", ";", "0", "256", "3;x", "1;2;3;4;5;6;7;8;9", "1;-2", "1_0", "٣", "99999999999"]
)
def test_bad_heaps_are_refused_in_one_line(sizes):
    from trellis.games.nim import Nim

    with pytest.raises(BadParameter, match="expected 1 to 8 heaps of 1 to 255") as error:
        Nim(pile_sizes=sizes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "spec", ["nim", THESIS, "nim:pile_sizes=100;90;3", "nim:pile_sizes=60;60,max_take=5"]
)
def test_playouts_are_as_long_and_pay_as_much_as_games_through_the_rules(spec):
    game = load(spec)
    games = 3000
    fast = PlayoutRunner(game, 1).run(game.start(), games)
    slow = PlayoutRunner(game, 2, own=False).run(game.start(), games)
    assert fast.plies / games == pytest.approx(slow.plies / games, rel=0.04)
    assert fast.means[0] == pytest.approx(slow.means[0], abs=0.12)


def test_first_moves_of_playouts_are_uniform():
    # Two objects are taken at once or one by one, so the length tells the first move.
    game = load("nim:pile_sizes=2,is_misere=false")
    out, rng = np.zeros(2), seeded(3)
    lengths = [0, 0, 0]
    for _ in range(2000):
        state = game.start().state
        lengths[game.rules.playout(game.tables, state, rng, np.zeros(2, np.int32), out)] += 1
        assert game.rules.acting(game.tables, state) == -2
    assert lengths[0] == 0
    assert lengths[1] == pytest.approx(1000, abs=120)


@pytest.mark.parametrize(
    ("sheet", "sizes"), [("nim1", "1;5;4;2"), ("nim2", "2;2;10;10"), ("nim3", "11;12;15;25")]
)
def test_recorded_games_of_the_rulesheets_replay(shared, sheet, sizes):
    game = load(f"nim:pile_sizes={sizes},is_misere=false")
    file = shared / "gdl" / "reference" / f"base__{sheet}.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    assert records
    for record in records:
        position = game.start()
        for step in record["steps"]:
            heaps = dict(re.findall(r"\(heap (\w) (\d+)\)", " ".join(step["state"])))
            assert position.is_over == step["terminal"]
            words = int(position.state[0])
            assert [words >> 8 * heap & 255 for heap in range(4)] == [int(heaps[h]) for h in "abcd"]
            if position.is_over:
                assert [50 + 50 * payoff for payoff in position.payoffs()] == step["goals"]
                break
            assert f"(control player{position.acting + 1})" in step["state"]
            left = {
                f"(reduce {name[0]} {int(heaps[name[0]]) - int(name[1:])})"
                for name in position.moves()
            }
            assert left == set(step["legal"][position.acting])
            if "joint" not in step:
                break
            heap, rest = re.fullmatch(
                r"\(reduce (\w) (\d+)\)", step["joint"][position.acting]
            ).groups()
            position = position.play(f"{heap}{int(heaps[heap]) - int(rest)}")


def test_turning_heaps_round_changes_nothing_but_names():
    game = load("nim")
    dice = random.Random(5)
    position = game.start()
    while not position.is_over:
        images = {position.image(index) for index in range(len(game.symmetries))}
        assert len({image.canonical_key() for image in images}) == 1
        position = position.play(dice.choice(position.move_codes()))
