"""Facts of rulesheets: proven from the rules, observed in play, or refuted with a play."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.proving import Fact, prove, replay_refutation
from trellis.gdl.proving.bounded import Bounded
from trellis.gdl.proving.facts import NAMES
from trellis.gdl.proving.guesses import Guess
from trellis.gdl.proving.invariants import Steps
from trellis.gdl.proving.lanes import Lanes
from trellis.gdl.proving.length import ranking, steps_until_over
from trellis.gdl.proving.properties import several_choose, somebody_stuck
from trellis.gdl.proving.prover import _Prover
from trellis.gdl.proving.replaying import payoffs
from trellis.gdl.proving.solver import Clock, TooHard, Watch
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.facts import as_json, describe, facts_of

from places import SHARED

# Twenty steps, in which white says zero or one.  One line in a million says one all the time, and
# then something rare is true.  The end is after 21 steps.
STEPS = 20
LOCK = """
(role white) (role black)
(init (step 0)) (init open)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next open) (true open) (does white one))
(<= rare (true open) (true (step 20)))
(<= (next rare_before) rare)
(<= (legal white zero) (true (step ?n)))
(<= (legal white one) (true (step ?n)))
""" + " ".join(f"(succ {number} {number + 1})" for number in range(STEPS + 1))
USUAL = {
    "waiting": "(<= (legal black wait) (true (step ?n)))",
    "end": "(<= terminal (true (step 21)))",
    "white": "(<= (goal white 100) (true (step ?n)))",
    "black": "(<= (goal black 0) (true (step ?n)))",
}


def lock(more: str = "", **changed: str) -> Sheet:
    return Sheet(LOCK + "\n".join({**USUAL, **changed}.values()) + more, "lock")


RARE = {
    "turn_taking": lock("(<= (legal black hurry) rare)"),
    "constant_sum": lock(
        white="""(<= (goal white 100) (not (true rare_before)))
        (<= (goal white 50) (true rare_before))"""
    ),
    "always_a_move": lock(waiting="(<= (legal black wait) (true (step ?n)) (not rare))"),
    "one_goal": lock(black="(<= (goal black 0) (not (true rare_before)))"),
    # After the rare position the counter goes back.
    "max_steps": lock(
        "(<= (next (step 20)) (true rare_before)) (<= (next open) (true rare_before))",
        end="(<= terminal (true (step 21)) (not (true rare_before)))",
    ),
}


def statuses(facts) -> dict[str, str]:
    return {name: getattr(facts, name).status for name in NAMES}


def test_what_always_holds_is_proven():
    facts = prove(lock().circuit, seconds=30)
    assert set(statuses(facts).values()) == {"proven"}
    assert facts.constant_sum.value == 100
    assert facts.max_steps.value == 21
    assert facts.turn_taking.value is True
    assert facts.turn_taking.play is None


@pytest.mark.parametrize("name", NAMES)
def test_a_rare_position_refutes(name):
    """One line of play in a million breaks one fact: it is refuted by a play, the others proven."""
    sheet = RARE[name]
    facts = prove(sheet.circuit, seconds=60)
    fact = getattr(facts, name)
    assert fact.status == "refuted"
    assert fact.value in (False, None)
    assert [joint[0] for joint in fact.play[:STEPS]] == ["one"] * STEPS
    assert replay_refutation(sheet.forward, name, fact, sheet.circuit)
    assert replay_refutation(CircuitMachine(sheet.circuit), name, fact, sheet.circuit)
    others = statuses(facts)
    del others[name]
    assert set(others.values()) == {"proven"}


def test_a_play_that_refutes_nothing_is_not_believed():
    sheet = RARE["turn_taking"]
    circuit = sheet.circuit
    fact = prove(circuit, seconds=60, only=["turn_taking"]).turn_taking
    illegal = replace(fact, play=(*fact.play[:-1], ("two", "wait")))
    harmless = replace(fact, play=(*fact.play[:-1], ("zero", "wait")))
    for machine in (sheet.forward, CircuitMachine(circuit)):
        assert replay_refutation(machine, "turn_taking", fact, circuit)
        assert not replay_refutation(machine, "turn_taking", illegal, circuit)
        assert not replay_refutation(machine, "turn_taking", harmless, circuit)
        for name in NAMES[1:]:
            assert not replay_refutation(machine, name, fact, circuit)
        too_long = replace(fact, play=(*fact.play, *[("one", "wait")] * 2))
        assert not replay_refutation(machine, "max_steps", too_long, circuit)
        assert not replay_refutation(machine, "turn_taking", Fact(True, "proven"), circuit)


def test_what_is_paid_adds_up_although_goals_are_amiss():
    """With two goals the one listed first is paid; with none, nothing is."""
    both = lock("(<= (goal black 70) (true rare_before))").circuit
    black = both.goals[1]
    black.sort()
    facts = prove(both, seconds=30)
    assert facts.one_goal.refuted
    assert (facts.constant_sum.status, facts.constant_sum.value) == ("proven", 100)
    black.reverse()
    facts = prove(both, seconds=30)
    assert facts.constant_sum.refuted
    assert replay_refutation(CircuitMachine(both), "constant_sum", facts.constant_sum, both)
    nothing = lock(black="").circuit
    facts = prove(nothing, seconds=30)
    assert facts.one_goal.refuted
    assert (facts.constant_sum.status, facts.constant_sum.value) == ("proven", 100)


def test_without_time_nothing_is_proven():
    facts = prove(RARE["constant_sum"].circuit, seconds=1e-6)
    assert set(statuses(facts).values()) <= {"observed", "unknown"}


def test_only_what_is_wanted_is_proven():
    facts = prove(lock().circuit, seconds=30, only=["max_steps"])
    assert facts.max_steps.status == "proven"
    assert statuses(facts)["always_a_move"] == "observed"
    with pytest.raises(ValueError, match="'length' is not a fact"):
        prove(lock().circuit, only=["length"])


def test_induction_begins_at_the_first_state():
    """What every step keeps, or leads to, need not hold at first; play is not asked here."""
    rules = """
    (role white) (role black) (init a)
    (<= (next b) (true a)) (<= (next b) (true b))
    (legal white x) (legal white y) (legal black x) (<= (legal black y) (true a))
    (<= terminal (true a) (true b)) (goal white 1) (goal black 1)
    """
    circuit = Sheet(rules, "begin").circuit
    place = {latch.fact: number for number, latch in enumerate(circuit.latches)}
    a, b = 2 * place["a"], 2 * place["b"]
    with Watch() as watch:
        clock = Clock(30)
        steps = Steps(circuit, watch, clock)
        guesses = [Guess((b,)), Guess((a, b)), Guess((a,)), Guess((a, b), at_most_one=True)]
        found = steps.inductive(guesses, None, clock)
        assert found == [Guess((a, b)), Guess((a, b), at_most_one=True)]
        prover = _Prover(circuit, clock, 30, set(NAMES), watch, None)
        assert not prover._holds_after(several_choose, clock)
        assert prover._holds_after(somebody_stuck, clock)


def test_guesses_that_lean_on_a_wrong_one_fall_with_it():
    rules = """
    (role white) (legal white x) (legal white y) (init start)
    (<= (next third) (does white x)) (<= (next second) (true third))
    (<= (next first) (true second)) (<= (next only) (true only))
    (<= terminal (true first)) (<= (goal white 1) (true first)) (<= (goal white 0) (true second))
    """
    circuit = Sheet(rules, "chain").circuit
    place = {latch.fact: number for number, latch in enumerate(circuit.latches)}
    guesses = [Guess((2 * place[name] + 1,)) for name in ("first", "second", "third")]
    with Watch() as watch:
        steps = Steps(circuit, watch, Clock(30))
        assert steps.inductive(guesses[:2], None, Clock(30)) == []
        assert steps.inductive(guesses, None, Clock(30)) == []


def test_a_move_that_may_be_legal_counts_in_simulation():
    """Going back is legal after some plays only, and then the game need never end."""
    rules = """
    (role white) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (legal white a) (legal white b) (<= (legal white back) (true p))
    (<= (next p) (does white b)) (<= (next (at 0)) (does white back))
    (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (not (does white back)))
    (<= terminal (true (at 3))) (goal white 1)
    """
    assert steps_until_over(Sheet(rules, "back").circuit, Clock(30)) is None
    assert steps_until_over(lock().circuit, Clock(30)) == 21


def test_facts_of_a_later_layer_change_between_any_two_changes_before():
    """A binary counter of three bits makes seven steps, and each bit is a layer."""
    rules = """
    (role white) (legal white count)
    (<= (next low) (not (true low)))
    (<= (next middle) (true middle) (not (true low)))
    (<= (next middle) (true low) (not (true middle)))
    (<= (next high) (true high)) (<= (next high) (true middle) (true low))
    (<= terminal (true low) (true middle) (true high)) (goal white 1)
    """
    circuit = Sheet(rules, "binary").circuit
    with Watch() as watch:
        steps = Steps(circuit, watch, Clock(30))
        assert ranking(steps, Lanes(circuit, lay_out(circuit)), watch, Clock(30)) == 7


def test_a_question_that_was_too_hard_is_remembered_to_the_end():
    def too_hard(frame):
        raise TooHard

    with Watch() as watch:
        bounded = Bounded(lock().circuit, watch, Clock(30))
        assert bounded.run({"one_goal": too_hard}, Clock(30), returns=False) == {}
    assert bounded.ended
    assert bounded.not_decided == {"one_goal"}


# --- our own sheets


ALL = set(NAMES)
PROVEN = {
    "breakthrough": ALL,
    "connect_four": ALL,
    "crisscross": ALL - {"constant_sum"},
    "eight_puzzle": ALL - {"constant_sum"},  # for one player
    "goofspiel": ALL - {"turn_taking"},
    "lights_out": ALL - {"constant_sum"},
    "nim": ALL,
    "tic_tac_toe": ALL,
    "three_player_tic_tac_toe": ALL - {"constant_sum"},
}


@pytest.mark.parametrize("name", PROVEN)
def test_our_own_sheets(name):
    sheet = Sheet.from_file(SHEETS / f"{name}.kif")
    facts = prove(sheet.circuit, seconds=60, only=PROVEN[name])
    proven = {each for each, status in statuses(facts).items() if status == "proven"}
    assert proven >= PROVEN[name]
    for each in NAMES:
        if getattr(facts, each).refuted:
            assert replay_refutation(sheet.forward, each, getattr(facts, each), sheet.circuit)


# --- against all states there are


def truths(sheet: Sheet):
    """Find out by forward chaining what is true of all reachable states; None where for ever."""
    machine, circuit = sheet.forward, sheet.circuit
    players = [number for number, role in enumerate(machine.roles) if role != RANDOM]
    first = machine.initial()
    following = {}
    turns = moves = goals = True
    sums = set()
    work = [first]
    while work:
        state = work.pop()
        if state in following:
            continue
        following[state] = set()
        if machine.terminal(state):
            found = machine.goals(state)
            goals &= all(found[number] is not None for number in players)
            sums.add(sum(payoffs(machine, state, circuit)))
            continue
        legal = machine.legal(state)
        moves &= all(legal)
        turns &= sum(len(legal[number]) > 1 for number in players) < 2
        following[state] = {machine.next(state, joint) for joint in product(*legal)}
        work += following[state]
    layer, length = {first}, 0
    while length <= len(following):
        layer = set().union(*(following[state] for state in layer))
        if not layer:
            break
        length += 1
    return {
        "turn_taking": turns,
        "always_a_move": moves,
        "one_goal": goals,
        "constant_sum": sums,
        "max_steps": length if not layer else None,
    }


def agree(sheet: Sheet, facts) -> int:
    """Compare with what is true; return how much is settled."""
    true = truths(sheet)
    settled = 0
    for name in NAMES:
        fact = getattr(facts, name)
        settled += fact.status in ("proven", "refuted")
        if fact.refuted:
            assert replay_refutation(sheet.forward, name, fact, sheet.circuit), name
        if name in ("turn_taking", "always_a_move", "one_goal"):
            assert fact.status != ("refuted" if true[name] else "proven"), name
        elif name == "constant_sum":
            assert fact.status != "proven" or true[name] == {fact.value}
            assert not fact.refuted or len(true[name]) > 1
        elif fact.status == "proven":
            assert true[name] is not None
            assert fact.value is None or true[name] <= fact.value
        elif fact.refuted:
            assert true[name] is None
    return settled


def test_proven_facts_of_our_smallest_sheets_are_true_of_all_states():
    for name in ("tic_tac_toe", "nim"):
        sheet = Sheet.from_file(SHEETS / f"{name}.kif")
        assert agree(sheet, prove(sheet.circuit, seconds=30)) == 5


def random_sheet(dice: Random) -> Sheet:
    """Write rules by throwing dice."""
    names = [f"p{number}" for number in range(dice.randint(3, 6))]
    roles = ["white", "black", *(["random"] if dice.random() < 0.3 else [])]

    def where(most: int) -> str:
        chosen = dice.sample(names, dice.randint(1, most))
        return " ".join(
            f"(true {name})" if dice.random() < 0.5 else f"(not (true {name}))" for name in chosen
        )

    rules = [f"(role {role})" for role in roles]
    rules += [f"(init {name})" for name in names if dice.random() < 0.5] or [f"(init {names[0]})"]
    for role in roles:
        rules.append(f"(legal {role} stay)" if dice.random() < 0.8 else "")
        rules += [f"(<= (legal {role} m{number}) {where(3)})" for number in range(2)]
        for goal in (0, 50, 100):
            rules += [f"(<= (goal {role} {goal}) {where(2)})" for _ in range(dice.randint(0, 2))]
        if dice.random() < 0.5:
            rules.append(f"(<= (goal {role} 50) {where(1)})")
    for name in names:
        for _ in range(dice.randint(1, 3)):
            does = f"(does {dice.choice(roles[:2])} m{dice.randint(0, 1)})"
            rules.append(f"(<= (next {name}) {dice.choice([does, ''])} {where(2)})")
    rules.append(f"(<= terminal {where(3)})")
    if dice.random() < 0.5:
        rules += ["(init (at 1))", "(<= terminal (true (at 5)))"]
        rules += [f"(<= (next (at {n + 1})) (true (at {n})))" for n in range(1, 5)]
    return Sheet("\n".join(rules), "random")


@pytest.mark.parametrize("seed", range(8))
def test_random_sheets(seed):
    """Nothing false is proven, and nothing true refuted; nearly all is settled."""
    dice = Random(seed)
    settled = 0
    for _ in range(6):
        sheet = random_sheet(dice)
        settled += agree(sheet, prove(sheet.circuit, seconds=20))
    assert settled >= 24


# --- recursive rules, roles without moves, no facts


def test_relations_that_depend_on_themselves():
    """The least fixpoint is meant: nothing is reached from nowhere."""
    rules = """
    (role white) (role black)
    (cell a) (cell b) (cell c) (cell d) (edge a b) (edge b a) (edge c d) (edge d c)
    (init (on a)) (init fresh)
    (<= (reached ?x) (true (on ?x)))
    (<= (reached ?y) (reached ?x) (edge ?x ?y))
    (<= (next (on ?x)) (does white (go ?x)))
    (<= (legal white (go ?x)) (reached ?x))
    (<= (legal black wait) (true fresh))
    (<= (legal black wait) (not (reached c)))
    (<= (legal black hurry) (reached c))
    (<= terminal (reached d))
    (<= (goal white 100) (reached a)) (<= (goal black 0) (reached a))
    """
    sheet = Sheet(rules, "loop")
    facts = prove(sheet.circuit, seconds=5)
    agree(sheet, facts)
    assert not facts.turn_taking.refuted


def test_a_role_that_never_has_a_move():
    rules = """(role white) (role black) (init a) (<= (legal white go) (true a))
    (<= (next a) (does white go)) (<= terminal (not (true a)))
    (<= (goal white 1) (true a)) (<= (goal black 1) (true a))"""
    sheet = Sheet(rules, "stuck")
    facts = prove(sheet.circuit, seconds=5)
    assert facts.always_a_move.refuted
    assert facts.always_a_move.play == ()
    assert replay_refutation(sheet.forward, "always_a_move", facts.always_a_move, sheet.circuit)
    assert facts.max_steps.value == 0


def test_a_game_that_is_over_at_once():
    rules = """(role white) (role black) (legal white a) (legal white b) (legal black a)
    (legal black b) terminal (goal white 60) (goal black 40)"""
    facts = prove(Sheet(rules, "over").circuit, seconds=5)
    assert set(statuses(facts).values()) == {"proven"}
    assert (facts.constant_sum.value, facts.max_steps.value) == (100, 0)


# --- what is said of a sheet


def test_facts_say_how_well_they_are_known():
    sheet = RARE["turn_taking"]
    found = facts_of(sheet, steps=200, seconds=60)
    told = as_json(found, sheet)
    assert told["turn_taking"]["status"] == "refuted"
    assert told["turn_taking"]["value"] is False
    assert told["turn_taking"]["play"][0] == ["one", "wait"]
    assert told["simultaneous"]
    assert told["constant_sum"] == {"value": 100, "status": "proven", "play": None}
    assert told["max_steps"] == {"value": 21, "status": "proven", "play": None}
    text = "\n".join(describe(found, sheet))
    assert "several players choose at once (refuted: all plays of 20 steps) after" in text
    assert "after one wait, one wait" in text
    assert "payoffs add up to 100 (proven: " in text
    unsure = facts_of(sheet, steps=200, seconds=1e-6)
    assert not as_json(unsure, sheet)["simultaneous"]
    assert "several players" not in "\n".join(describe(unsure, sheet))


def test_nothing_is_proven_without_a_circuit():
    for name in ("tic_tac_toe", "goofspiel"):
        text = (SHEETS / f"{name}.kif").read_text()
        sheet = Sheet(text, name, Limits(rules=1))
        known = facts_of(sheet).known
        assert "proven" not in statuses(known).values()
        assert known.always_a_move.status == "observed"
        assert known.turn_taking.refuted == (name == "goofspiel")
        for each in NAMES:
            if getattr(known, each).refuted:
                assert replay_refutation(sheet.forward, each, getattr(known, each))


BASE = SHARED / "gdl" / "base"


@pytest.mark.skipif(not BASE.exists(), reason="needs the public rulesheets in ../shared/gdl")
def test_public_sheets_that_random_play_takes_for_what_they_are_not():
    for name, wrong in (("coloredtrails", "constant_sum"), ("asteroidsParallel", "one_goal")):
        sheet = Sheet.from_file(BASE / f"{name}.kif")
        fact = getattr(prove(sheet.circuit, seconds=60), wrong)
        assert fact.refuted
        assert replay_refutation(sheet.forward, wrong, fact, sheet.circuit)
