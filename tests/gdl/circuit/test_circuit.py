"""Circuits against forward chaining, which shares nothing with them but the reading of a sheet."""

from pathlib import Path
from random import Random

import pytest

import trellis.gdl
from trellis.game.errors import LimitReached
from trellis.gdl.circuit.build import build
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.grounding.clingo import Limits, ground
from trellis.gdl.language.normal import eliminate
from trellis.gdl.language.terms import order
from trellis.gdl.sheet import Sheet, only_what_is_asked

from places import SHARED

OWN = sorted((Path(trellis.gdl.__file__).parent / "sheets").glob("*.kif"))
REAL = [
    "ticTacToe", "connectFour", "breakthroughSmall", "pawnWhopping", "eightPuzzle", "nim1",
    "blocksWorldSerial", "tictactoe_3player", "lightsOut", "gt_attrition", "biddingTicTacToe",
    "beatMania.v1",
]  # fmt: skip

# Reachability on a graph whose edges the player makes: atoms that depend on each other.
LOOPS = """
(role builder)
(node 1) (node 2) (node 3) (node 4) (node 5)
(init (at 1))
(<= (legal builder (join ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y) (not (true (edge ?x ?y))))
(<= (next (edge ?x ?y)) (does builder (join ?x ?y)))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)))
(<= (next (at 1)) (true (at 1)))
(<= (reach ?x ?y) (true (edge ?x ?y)))
(<= (reach ?x ?y) (true (edge ?x ?z)) (reach ?z ?y))
(<= (round ?x) (reach ?x ?x))
(<= (next (closed ?x)) (round ?x) (not (true (closed ?x))))
(<= terminal (reach 1 5) (reach 5 1))
(<= (goal builder 100) (round 1))
(<= (goal builder 50) (not (round 1)) (reach 1 5))
(<= (goal builder 0) (not (round 1)) (not (reach 1 5)))
"""


def step_together(sheet, steps, seed):
    """Play at random; compare everything at every step."""
    circuit, forward = CircuitMachine(sheet.circuit), sheet.forward
    assert [*circuit.roles] == [*forward.roles]
    random = Random(seed)
    state = None
    games = 0
    for _ in range(steps):
        if state is None:
            state = circuit.initial()
            assert state == forward.initial()
            games += 1
        over = circuit.terminal(state)
        assert over == forward.terminal(state)
        assert circuit.goals(state) == forward.goals(state)
        legal = [sorted(moves, key=order) for moves in circuit.legal(state)]
        assert legal == [sorted(moves, key=order) for moves in forward.legal(state)]
        if over or not all(legal):
            state = None
            continue
        joint = [random.choice(moves) for moves in legal]
        after = circuit.next(state, joint)
        assert after == forward.next(state, joint)
        state = after
    return games


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_sheets_agree_with_forward_chaining(path):
    assert step_together(Sheet.from_file(path), 150, seed=1) >= 1


@pytest.mark.parametrize("name", REAL)
def test_real_sheets_agree_with_forward_chaining(name):
    path = SHARED / "gdl" / "base" / f"{name}.kif"
    if not path.exists():
        pytest.skip(f"no real rulesheets at {path.parent}")
    assert step_together(Sheet.from_file(path), 1000, seed=2) >= 1


@pytest.mark.parametrize("seed", range(4))
def test_relations_that_depend_on_themselves(seed):
    sheet = Sheet(LOOPS)
    assert any(len(loop.atoms) > 1 for loop in sheet.circuit.loops)
    assert step_together(sheet, 300, seed) > 3


def test_states_may_come_in_any_order():
    """The working memory goes from any position to any other."""
    sheet = Sheet(LOOPS)
    circuit, forward = CircuitMachine(sheet.circuit), sheet.forward
    random = Random(5)
    edges = [("edge", str(a), str(b)) for a in range(1, 6) for b in range(1, 6) if a != b]
    for _ in range(300):
        state = frozenset([("at", "1"), *random.sample(edges, random.randint(0, 12))])
        assert circuit.goals(state) == forward.goals(state)
        assert circuit.terminal(state) == forward.terminal(state)


def test_grounding_that_explodes_is_noticed():
    digits = " ".join(f"(d {i})" for i in range(40))
    wide = "(<= (big ?a ?b ?c ?d) (d ?a) (d ?b) (d ?c) (d ?d) (true (at ?a)))"
    use = "(<= (legal p (m ?a ?b ?c ?d)) (big ?a ?b ?c ?d))"
    after = "(<= (next (at ?b)) (does p (m ?a ?b ?c ?d)))"
    text = f"(role p) {digits} (init (at 1)) {wide} {use} {after}"
    text += "(<= terminal (true (at 39))) (goal p 100)"
    few, soon = (
        Sheet(text, limits=Limits(**each)) for each in ({"rules": 1000}, {"seconds": 0.05})
    )
    with pytest.raises(LimitReached, match="more than 1,000 rules"):
        build(few.ground, few.roles)
    with pytest.raises(LimitReached, match=r"seconds|MiB"):
        build(soon.ground, soon.roles)


def test_what_is_legal_is_asked_before_anybody_moves():
    """Not valid, but it runs: by then no move has been made."""
    text = """
    (role p) (init (at 1)) (succ 1 2) (succ 2 3)
    (<= (legal p go) (not (does p stay))) (<= (legal p stay) (true (at 1)))
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does p go))
    (<= (next (at ?x)) (true (at ?x)) (does p stay))
    (<= terminal (true (at 3))) (<= (goal p 100) (true (at 3))) (<= (goal p 0) (not (true (at 3))))
    """
    machine = CircuitMachine(Sheet(text).circuit)
    state = machine.initial()
    assert machine.legal(state) == [["go", "stay"]]
    after = machine.next(state, ["stay"])
    assert after == state
    assert machine.legal(after) == [["go", "stay"]]
    assert machine.legal(machine.next(after, ["go"])) == [["go"]]


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "quarto", "lights_out"])
def test_asking_for_less_changes_nothing_that_is_asked(name):
    sheet = Sheet.from_file(OWN[0].parent / f"{name}.kif")
    whole = CircuitMachine(sheet.circuit)
    less = CircuitMachine(build(ground(eliminate(only_what_is_asked(sheet.rules))), sheet.roles))
    random = Random(4)
    state = whole.initial()
    for _ in range(60):
        assert less.terminal(state) == whole.terminal(state)
        assert less.goals(state) == whole.goals(state)
        assert less.legal(state) == whole.legal(state)
        if whole.terminal(state):
            state = whole.initial()
        joint = [random.choice(moves) for moves in whole.legal(state)]
        after = whole.next(state, joint)
        assert less.next(state, joint) == after
        state = after
