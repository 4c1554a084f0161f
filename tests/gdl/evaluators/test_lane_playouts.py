"""The loop that plays random games in lanes: every game is paid what it came to, in any lane."""

from itertools import cycle
from pathlib import Path
from random import Random

import numpy as np
import pytest

import trellis.gdl
from trellis.game.bits import seeded
from trellis.game.playouts import PlayoutRunner, playouts
from trellis.gdl.circuit import layout
from trellis.gdl.circuit.layout import LANES, goals_of, lay_out
from trellis.gdl.evaluators.lane_playouts import FEW, play_leaves
from trellis.gdl.game import SheetGame
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools import bench
from trellis.loading import load

FOLDER = Path(trellis.gdl.__file__).parent / "sheets"


def sheet(name):
    return Sheet.from_file(FOLDER / f"{name}.kif")


def possible(position, known):
    """Return all payoffs that play can come to from a position, by the rules, move by move."""
    key = position.state.tobytes()
    if key not in known:
        if position.is_over:
            known[key] = {position.payoffs()}
        else:
            after = (position.play(move) for move in position.moves())
            known[key] = set().union(*(possible(each, known) for each in after))
    return known[key]


def late_positions(game, count, left):
    """Return positions of random games with at most so many moves left, of all lengths."""
    dice, found = Random(4), []
    while len(found) < count:
        line = [game.start()]
        while not line[-1].is_over:
            line.append(line[-1].play(dice.choice(line[-1].moves())))
        found += line[-1 - left : -1]
    return found[:count]


@pytest.mark.parametrize("lanes", [64, 256])
def test_every_leaf_is_paid_what_its_own_game_can_come_to(lanes):
    game = SheetGame(sheet("tic_tac_toe"), playouts="lanes", lanes=lanes)
    known = {}
    positions = late_positions(game, 300, 3)
    wanted = [possible(position, known) for position in positions]
    certain = sum(len(each) == 1 for each in wanted)
    assert certain > 50
    assert len({min(each) for each in wanted if len(each) == 1}) > 1
    count = FEW + 77
    turns = [number for number, _ in zip(cycle(range(300)), range(count), strict=False)]
    Random(1).shuffle(turns)
    states = np.concatenate([positions[number].state for number in turns])
    out = np.full(count * game.players, -1.0)
    steps = play_leaves(game.own_tables(), states, count, seeded(3), out)
    assert steps >= count / 2
    seen = {number: set() for number in range(300)}
    for number, paid in zip(turns, out.reshape(count, -1).tolist(), strict=True):
        assert tuple(paid) in wanted[number]
        seen[number].add(tuple(paid))
    several = [number for number in range(300) if len(wanted[number]) > 1]
    assert not several or any(len(seen[number]) > 1 for number in several)


@pytest.mark.parametrize("lanes", [64, 256])
@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "three_player_tic_tac_toe"])
def test_lanes_pay_what_forward_chaining_pays(name, lanes):
    text = sheet(name)
    dice, machine = Random(2), text.forward
    paid = np.array([machine.playout(dice)[0] for _ in range(1_500)], float)
    game = SheetGame(text, playouts="lanes", lanes=lanes)
    found = playouts(game, 20_000, seed=1)
    errors = paid.std(axis=0) / np.sqrt(len(paid))
    for mean, other, error in zip(found.means, paid.mean(axis=0), errors, strict=True):
        assert mean == pytest.approx(other, abs=5 * error + 1e-9)


AT_ONCE = """
(role a) (role b) (init s) (legal a x) (legal a y) (legal b x) (legal b y)
(<= (next (chose ?r ?m)) (does ?r ?m)) (<= terminal (true (chose a ?m)))
(<= (goal a 100) (true (chose a x))) (<= (goal a 0) (true (chose a y)))
(<= (goal b 100) (true (chose b x))) (<= (goal b 20) (true (chose b y)))
"""


@pytest.mark.parametrize("lanes", [64, 256])
def test_choices_that_wait_are_kept_in_every_lane(lanes):
    game = SheetGame(Sheet(AT_ONCE), playouts="lanes", lanes=lanes)
    start = game.start()
    lines = [start, start.play("x"), start.play("y")]
    count = 3 * FEW
    out = np.zeros(2 * count)
    states = np.concatenate([lines[i % 3].state for i in range(count)])
    assert play_leaves(game.own_tables(), states, count, seeded(1), out) == count
    first, second = out[::2], out[1::2]
    assert (first[1::3] == 100).all()
    assert (first[2::3] == 0).all()
    assert first[::3].mean() == pytest.approx(50, abs=8)
    assert second.mean() == pytest.approx(60, abs=4)


BITS = 13
COUNTING = f"""
(role a) (init s) (legal a x) (legal a y) (carry 0)
{
    "".join(
        f"(<= (carry {bit + 1}) (carry {bit}) (true (bit {bit})))"
        f"(<= (next (bit {bit})) (true (bit {bit})) (not (carry {bit})))"
        f"(<= (next (bit {bit})) (not (true (bit {bit}))) (carry {bit}))"
        for bit in range(BITS)
    )
}
(<= terminal (carry {BITS})) (goal a 100)
"""


def test_many_long_games_in_a_row_are_not_taken_for_endless_ones():
    game = SheetGame(Sheet(COUNTING), playouts="lanes", lanes=256, prove_seconds=0.1)
    found = playouts(game, 4_096)
    assert found.plies == 4_096 * (2**BITS - 1)
    assert found.means == (100.0,)


def test_lanes_are_as_many_as_suit_the_size_of_a_circuit(monkeypatch):
    circuit = sheet("tic_tac_toe").circuit
    wide = lay_out(circuit)
    assert wide.ints[LANES] == 256
    monkeypatch.setattr(layout, "_MOST_WIDE", 10)
    narrow = lay_out(circuit)
    assert narrow.ints[LANES] == 64
    assert len(narrow.words) < len(wide.words)
    game = SheetGame(sheet("tic_tac_toe"), playouts="lanes")
    assert playouts(game, 4 * FEW).means[0] == pytest.approx(64.5, abs=4)


def test_tables_hold_the_goals_of_all_roles():
    circuit = sheet("pig").circuit
    tables = lay_out(circuit)
    assert [[goal for goal, _ in goals] for goals in goals_of(tables)] == [
        [goal for goal, _ in goals] for goals in circuit.goals
    ]


def test_the_benchmark_measures_the_loop_that_users_run(monkeypatch):
    runners = []

    class Watched(PlayoutRunner):
        def run(self, *given):
            runners.append(self)
            return super().run(*given)

    monkeypatch.setattr(bench, "PlayoutRunner", Watched)
    names = ("lanes64", "lanes256")
    found = bench.measure_sheet(sheet("tic_tac_toe"), names, seconds=0.01)
    assert {runner.game.tables.ints[LANES] for runner in runners} == {64, 256}
    usual = load(f"{FOLDER / 'tic_tac_toe.kif'}:evaluator=lanes")
    assert {runner.game.rules.batch for runner in runners} == {usual.rules.batch}
    for name in names:
        assert found.evaluators[name].playouts > 0
        speed = found.evaluators[name]
        assert speed.states / speed.playouts == pytest.approx(7.6, abs=0.5)
