"""All positions of a game: each once, in the order of a plain walk, within limits."""

import numpy as np
import pytest

import trellis
from trellis._kernel.deadline import ask_to_stop, forget_stop
from trellis.game import enumerate as counting
from trellis.game.enumerate import Enumeration
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.perft import perft

SPECS = (
    "tic_tac_toe",
    "nim:pile_sizes=2;3,is_misere=false",
    "pig:target=6,horizon=0",
    "goofspiel:num_cards=3",
    "random_automaton:seed=5,chance=30,simultaneous=20",
    "random_automaton:seed=8,cyclic=true",
)


def walk(start):
    """List positions breadth first with dictionaries, and where the moves of each lead."""
    numbers, listed, leads = {start: 0}, [start], []
    for position in listed:  # grows meanwhile
        leads.append([])
        for move in position.move_codes():
            after = position.play(move)
            if after not in numbers:
                numbers[after] = len(listed)
                listed.append(after)
            leads[-1].append(numbers[after])
    return listed, leads


def check_against_walk(start):
    """Compare an enumeration with the plain walk, position by position and edge by edge."""
    listed, leads = walk(start)
    found = Enumeration(start)
    graph = found.run()
    assert [found.position(number) for number in range(found.positions)] == listed
    assert graph.actors[: found.positions].tolist() == [each.acting for each in listed]
    edges = np.split(graph.targets[: found.edges], graph.first[1 : found.positions])
    assert [each.tolist() for each in edges] == leads
    assert [found.find(position) for position in listed] == [*range(len(listed))]


@pytest.mark.parametrize("spec", SPECS)
def test_positions_and_edges_are_those_of_a_plain_walk(spec):
    check_against_walk(trellis.load(spec).start())


def test_arrays_grow_without_changing_anything(monkeypatch):
    monkeypatch.setattr(counting, "_FIRST_ROOM", 1)
    monkeypatch.setattr(counting, "_GROWTH", (1.1,))
    monkeypatch.setattr(counting, "_FIRST_SLICE", 3)
    check_against_walk(trellis.load("pig:target=4,horizon=0").start())


def test_rules_in_plain_python_are_enumerated_alike():
    game = trellis.load("nim:pile_sizes=2;3")
    compiled = Enumeration(game.start())
    game.compiled = False
    plain = Enumeration(game.start())
    for ours, theirs in zip(compiled.run(), plain.run(), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_position_of_another_game_or_from_elsewhere_has_no_number():
    start = trellis.load("tic_tac_toe").start()
    found = Enumeration(start.play("a1"))
    found.run()
    assert found.find(start) == -1
    assert found.find(trellis.load("nim").start()) == -1


def test_it_can_stop_after_a_ply_and_go_on():
    found = Enumeration(trellis.load("tic_tac_toe").start())
    sizes = []
    for _ in range(4):
        found.run(last=found.positions)
        sizes.append(found.positions)
    assert sizes == [1 + 9, 1 + 9 + 72, 1 + 9 + 72 + 252, 1 + 9 + 72 + 252 + 756]
    found.run()
    assert found.positions == 5478


def test_limits_are_said_in_one_line():
    start = trellis.load("connect_four").start()
    with pytest.raises(LimitReached, match="connect_four has more than 900 positions: too big"):
        Enumeration(start, limit=900, advice="too big").run()
    with pytest.raises(LimitReached, match=r"does not fit into 1 MiB: [\d,]+ positions found"):
        Enumeration(start, memory=1.0).run()
    for settings in ({"memory": 0.0}, {"memory": float("nan")}, {"limit": 0}):
        with pytest.raises(BadParameter, match="bad "):
            Enumeration(start, **settings)


def test_counting_stops_where_somebody_asks_for_it():
    """Also where every position is known already, and only paths are left to count."""
    for spec in ("connect_four", "random_automaton:seed=8,cyclic=true"):
        seen = []

        def watch(fraction, note, seen=seen):
            seen.append(fraction)
            if len(seen) == 4:
                ask_to_stop()

        try:
            plies = perft(trellis.load(spec), 40, progress=watch)
        finally:
            forget_stop()
        assert [ply.ply for ply in plies] == [*range(len(plies))]
        assert 1 < len(plies) < 20
