"""Random sheets are what they say, and what is found true of sheets is what one finds by hand."""

from fractions import Fraction

import pytest

from gdl.own_sheets import SHEETS
from trellis.game.errors import BadParameter, LimitReached
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey
from trellis.gdl.tools.facts import facts_of

from attack.sheet_truth import find_truth
from attack.sheets import CHOICES, draw_kind, random_sheet

CORNERS = CHOICES["corner"]
BASES = CHOICES["base"]


def truth_of(seed, **given):
    return find_truth(Sheet(random_sheet(seed, **given)))


def one_step(*pays, moves=("a", "b")):
    """A sheet of one step: red and blue choose at once, pays are of red for aa, ab, ba, bb."""
    lines = ["(role red) (role blue) (init (at start)) (<= terminal (true (end ?x ?y)))"]
    lines += [
        f"(<= (legal {role} {m}) (true (at start)))" for role in ("red", "blue") for m in moves
    ]
    lines += ["(<= (next (end ?x ?y)) (does red ?x) (does blue ?y))"]
    for (x, y), pay in zip([(x, y) for x in moves for y in moves], pays, strict=True):
        lines += [f"(<= (goal red {pay}) (true (end {x} {y})))"]
        lines += [f"(<= (goal blue {100 - pay}) (true (end {x} {y})))"]
    return find_truth(Sheet("\n".join(lines)))


# --- the oracle, by hand


def test_matching_pennies_is_open_in_pure_play():
    found = one_step(100, 0, 0, 100)
    assert (found.secure, found.hold) == ((0, 0), (100, 100))
    assert not found.is_turn_taking
    assert found.constant_sum == 100
    assert found.longest == 1


def test_a_saddle_point_has_a_value():
    found = one_step(30, 60, 20, 90)
    assert (found.secure, found.hold) == ((30, 70), (30, 70))


@pytest.mark.parametrize(
    ("name", "values", "longest"), [("tic_tac_toe", (50, 50), 9), ("nim", (0, 100), 16)]
)
def test_sheets_of_known_value(name, values, longest):
    found = find_truth(Sheet.from_file(SHEETS / f"{name}.kif"))
    assert found.secure == found.hold == values
    assert found.longest == longest
    assert found.is_turn_taking
    assert found.constant_sum == 100
    assert found.stuck < 0
    assert found.odd_goals < 0


COIN = """
(role red) (role random) (init start)
(<= (legal red (guess ?x)) (true start) (side ?x)) (<= (legal random ?x) (true start) (side ?x))
(side heads) (side tails) (side edge)
(<= (next right) (does red (guess ?x)) (does random ?x))
(<= (next wrong) (does red (guess ?x)) (does random ?y) (distinct ?x ?y))
(<= terminal (not (true start)))
(<= (goal red 100) (true right)) (<= (goal red 0) (true wrong)) (goal random 0)
"""


def test_who_guesses_does_not_know_what_chance_draws():
    found = find_truth(Sheet(COIN))
    assert found.secure == found.hold == (Fraction(100, 3),)
    assert found.is_turn_taking  # chance is not a player


def test_somebody_without_a_move_leaves_everything_open():
    sheet = Sheet(
        "(role red) (role blue) (init start) (legal red go) (<= (legal blue go) (true start))"
        "(<= (next dead) (true start)) (<= terminal (true over)) (goal red 50) (goal blue 50)"
    )
    found = find_truth(sheet)
    assert (found.secure, found.hold) == ((0, 0), (100, 100))
    assert found.way_to(found.stuck) == [("go", "go")]


def test_steps_that_go_round_leave_everything_open():
    sheet = Sheet(
        "(role red) (init a) (legal red go) (<= (next b) (true a)) (<= (next a) (true b))"
        "(<= terminal (true over)) (goal red 50)"
    )
    found = find_truth(sheet)
    assert (found.secure, found.hold, found.longest) == ((0,), (100,), None)


def test_goals_that_are_missing_or_too_many():
    text = (
        "(role red) (init a) (legal red go) (<= (next b) (true a)) (<= terminal (true b))"
        "(<= (goal red 10) (true a))"
    )
    found = find_truth(Sheet(text))
    assert found.secure == (0,)
    assert found.odd_goals == 1
    sheet = Sheet(text + "(<= (goal red 70) (true b)) (<= (goal red 30) (true b))")
    found = find_truth(sheet)
    machine = CircuitMachine(sheet.circuit)
    assert found.goals[1] == [[30, 70]]
    assert machine.terminal(found.states[1])
    order = [value for value, _ in sheet.circuit.goals[0]]
    assert found.secure == (next(value for value in order if value in (30, 70)),)
    assert found.odd_goals == 1


def test_too_many_states_are_refused():
    with pytest.raises(LimitReached, match="more than 100 states"):
        find_truth(Sheet.from_file(SHEETS / "tic_tac_toe.kif"), limit=100)


# --- the generator


def test_the_same_seed_is_the_same_sheet():
    assert random_sheet(7) == random_sheet(7)
    assert len({random_sheet(seed) for seed in range(30)}) == 30


def test_unknown_kinds_are_refused():
    with pytest.raises(BadParameter, match="unknown kind 'corners'"):
        random_sheet(1, corners="sum")
    with pytest.raises(BadParameter, match="bad value 'summ' for corner"):
        random_sheet(1, corner="summ")
    with pytest.raises(BadParameter, match="no random sheet with players=3"):
        random_sheet(1, base="path", players=3)


def test_what_is_given_is_kept_and_the_rest_is_drawn_to_fit():
    for seed in range(40):
        assert draw_kind(seed, corner="together").players > 1
        assert draw_kind(seed, chance="alone").base == "automaton"
        assert draw_kind(seed, opener="all").turns != "alternate"


@pytest.mark.parametrize("base", BASES)
def test_valid_sheets_pass_the_check(base):
    for seed in range(3):
        kind = draw_kind(seed, base=base)
        sheet = Sheet(random_sheet(seed, base=base))
        loud = [each for each in sheet.findings if each.kind != "note"]
        assert not loud, (seed, loud)
        played = {each.kind for each in check_by_play(sheet, steps=2_000)}
        assert "error" not in played
        assert not kind.is_valid or "warning" not in played


@pytest.mark.parametrize("seed", range(25))
def test_sheets_are_what_their_kind_says(seed):
    kind, found = draw_kind(seed), truth_of(seed)
    assert len(found.roles) == kind.players
    assert len(found.states) < 3_000
    if kind.is_valid:
        assert found.stuck < 0
        assert found.odd_goals < 0
        assert found.longest is not None
    if kind.turns == "alternate" and kind.corner != "together":
        assert found.is_turn_taking
    if kind.payoffs == "constant" and kind.corner not in {"sum", "no_goal", "two_goals"}:
        assert set(found.sums) <= {kind.total}


def chance_of(found, fact):
    """The probability that random play comes to a state with a fact."""
    reached = [Fraction(0)] * len(found.states)
    reached[0] = Fraction(1)
    order = sorted(range(len(found.states)), key=lambda place: len(found.way_to(place)))
    for place in order:
        targets = found.graph.spots[place].targets
        if fact in found.states[place]:
            continue
        for target in targets:
            reached[target] += reached[place] / len(targets)
    return sum(reached[place] for place in order if fact in found.states[place])


@pytest.mark.parametrize("opener", CHOICES["opener"])
def test_the_corner_is_as_rare_as_it_says(opener):
    given = {"turns": "together", "chance": "alone", "base": "automaton", "players": 2,
             "ends": "soon", "corner": "value", "opener": opener}  # fmt: skip
    kind, found = draw_kind(3, **given), truth_of(3, **given)
    assert kind.rarity >= 1_000
    assert chance_of(found, ("at", "c0")) == Fraction(1, kind.rarity)


def has(found, corner, kind):
    """Tell whether a sheet has what its corner is for."""
    spots = found.graph.spots
    at = [place for place, state in enumerate(found.states) if ("at", "c0") in state]
    assert at
    there = spots[at[0]]
    return {
        "value": there.pays is not None,
        "sum": set(found.sums) > {kind.total},
        "together": not found.is_turn_taking and there.choosing > 1,
        "stuck": found.stuck in at,
        "no_goal": [] in (found.goals[at[0]] or ()),
        "two_goals": any(len(each) == 2 for each in found.goals[at[0]] or ()),
        "round": found.longest is None and there.choosing == 0,
        "loop": found.longest is None and there.choosing == 1,
        "odd": there.choosing == 1,
        "chance": sum(len(spot.shares) > 1 for spot in spots) == len(at),
    }[corner]


@pytest.mark.parametrize("base", ["automaton", "sums"])
@pytest.mark.parametrize("corner", [each for each in CORNERS if each != "none"])
def test_the_corner_is_there(base, corner):
    given = {"corner": corner, "base": base, "players": 2, "turns": "alternate", "chance": "none",
             "payoffs": "constant", "ends": "soon"}  # fmt: skip
    for seed in range(2):
        assert has(truth_of(seed, **given), corner, draw_kind(seed, **given)), seed


@pytest.mark.parametrize("seed", range(4))
def test_random_play_does_not_see_the_corner(seed):
    given = {"players": 2, "turns": "alternate", "payoffs": "constant", "ends": "soon", "lock": 20,
             "tries": 2, "opener": "one", "base": "automaton"}  # fmt: skip
    broken = Sheet(random_sheet(seed, corner="sum", **given))
    seen = facts_of(broken, steps=20_000)
    assert seen.sums is not None
    assert seen.sums[0] == seen.sums[1]
    assert find_truth(broken).constant_sum is None
    crowded = Sheet(random_sheet(seed, corner="together", **given))
    assert survey(lay_out(crowded.circuit), steps=20_000).together == 0
    assert not find_truth(crowded).is_turn_taking


def test_there_are_positions_with_several_ways_to_them():
    found = truth_of(4, base="automaton", corner="none", ends="soon")
    ways = sum(len(set(spot.targets)) for spot in found.graph.spots)
    assert ways > len(found.states)


@pytest.mark.parametrize("seed", range(8))
def test_circuits_say_the_same_of_every_state(seed):
    sheet = Sheet(random_sheet(seed))
    machine, found = CircuitMachine(sheet.circuit), find_truth(sheet)
    for state, spot in zip(found.states, found.graph.spots, strict=True):
        assert machine.terminal(state) == (spot.pays is not None)
        if spot.pays is None:
            legal = machine.legal(state)
            players = [role for role, name in enumerate(machine.roles) if name != "random"]
            assert tuple(len(legal[role]) for role in players) == spot.counts
