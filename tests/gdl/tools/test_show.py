"""Stages as text, and facts about games."""

import re

import pytest

from gdl.own_sheets import SHEETS
from trellis.game.errors import BadParameter
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.step_counters import step_counters
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.language.kif import read
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.facts import as_json, describe, facts_of, first_picture
from trellis.gdl.tools.show import STAGES, show

SMALL = """
(role White) (role black)
(init (Step 1)) (init (control White))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (taken ?x)) (does ?p (take ?x)))
(<= (next (taken ?x)) (true (taken ?x)))
(thing a) (thing b)
(<= (legal ?p (take ?x)) (true (control ?p)) (thing ?x) (not (true (taken ?x))))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (legal ?p noop) (true (taken a)) (true (taken b)) (role ?p))
(<= terminal (true (step 4)))
(<= (goal white 100) (true (taken a)))
(<= (goal white 0) (not (true (taken a))))
(<= (goal black 50) (or (true (taken a)) (true (taken b))))
(<= (goal black 0) (not (true (taken a))) (not (true (taken b))))
"""


@pytest.fixture(scope="module")
def small():
    return Sheet(SMALL, "small")


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_lines(small, stage):
    lines = list(show(small, stage))
    assert lines
    assert not any("\n" in line for line in lines)


@pytest.mark.parametrize("stage", ["parsed", "mini", "normal"])
def test_stages_in_the_language_itself_read_back(small, stage):
    text = "\n".join(show(small, stage))
    again = read(text)
    assert again.findings == []
    remarks = [line for line in text.splitlines() if line.startswith(";")]
    assert len(again.forms) == len(text.splitlines()) - len(remarks)
    assert len(remarks) == (stage == "normal")
    if stage != "normal":  # new relations of the normal form have names that no sheet can have
        assert list(show(Sheet(text), stage)) == text.splitlines()


def test_spelling_is_kept(small):
    assert "(init (control White))" in list(show(small, "parsed"))
    assert any("(Step 1)" in line for line in show(small, "ground"))


def test_normal_rules_have_two_literals_at_most(small):
    for strategy in ("elimination", "thesis"):
        for form in read("\n".join(show(small, "normal", strategy))).forms:
            is_rule = form.value[0].value == "<="
            assert not is_rule or len(form.value) <= 4


def test_gates_ask_only_what_stands_before_them():
    lines = list(show(Sheet.from_file(SHEETS / "tic_tac_toe.kif"), "circuit"))
    gates = [line for line in lines if re.match(r"g\d+ = ", line)]
    known = set()
    for line in gates:
        name, _, asked = line.partition(" = ")
        parts = asked.split(" & ")
        assert len(parts) > 1
        assert {part.lstrip("~") for part in parts if re.fullmatch(r"~?g\d+", part)} <= known
        known.add(name)
    assert f"; {len(gates)} gates, 20 facts, 20 moves, 0 loops" in lines
    assert "first control(x)" in lines
    assert sum(line.startswith("next cell(") for line in lines) == 18
    assert lines[-1].startswith("terminal = ")


def test_loops_are_shown():
    lines = list(show(Sheet.from_file(SHEETS / "hex.kif"), "circuit"))
    assert any(line.startswith("again loop0.0 = ") for line in lines)


def test_an_unknown_stage_is_refused(small):
    with pytest.raises(BadParameter, match="expected parsed, mini"):
        show(small, "magic")


# --- facts


def test_a_step_counter_is_proven(small):
    (counter,) = step_counters(small.circuit)
    assert [fact[1] for fact in counter.facts] == ["1", "2", "3", "4"]
    assert counter.feeds == ("terminal",)
    assert [small.circuit.latches[place].fact for place in counter.latches] == list(counter.facts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(true (step ?m)) (succ", "(true (step ?m)) (not (true (taken a))) (succ"),  # held up
        ("(succ 3 4)", "(succ 3 4) (succ 4 1)"),  # a ring
        ("(init (Step 1))", "(init (Step 1)) (init (Step 3))"),  # two at once
        ("(succ 3 4)", "(succ 3 4) (succ 1 3)"),  # two ways on
    ],
)
def test_what_does_not_count_every_step_is_no_counter(old, new):
    text = SMALL.replace("(<= terminal (true (step 4)))", "(<= terminal (true (taken b)))")
    assert old in text
    assert step_counters(Sheet(text.replace(old, new)).circuit) == []


def test_counters_of_our_own_sheets():
    def counted(name):
        circuit: Circuit = Sheet.from_file(SHEETS / f"{name}.kif").circuit
        return [(len(each.facts), each.facts[0][0]) for each in step_counters(circuit)]

    assert counted("lights_out") == [(26, "step")]
    assert counted("tic_tac_toe") == []


def test_facts_of_a_game_of_two(small):
    found = facts_of(small, steps=500)
    told = as_json(found, small)
    assert told["players"] == 2
    assert told["turn_taking"] == {"value": True, "status": "proven", "play": None}
    total = told["constant_sum"]  # both things are always taken in the end
    assert total == {"value": 150, "status": "proven", "play": None}
    assert told["symmetric_moves"] == [["White", "black"]]
    assert told["step_counters"][0]["feeds"] == ["terminal"]
    text = "\n".join(describe(found, small))
    assert "2 players: White, black" in text
    assert "payoffs add up to 150 (proven: " in text
    assert first_picture(found) == "(control White)  (Step 1)"


def test_facts_of_our_own_sheets():
    def told(name):
        sheet = Sheet.from_file(SHEETS / f"{name}.kif")
        return as_json(facts_of(sheet, steps=2000, seconds=2), sheet)

    assert told("connect_four")["constant_sum"]["value"] == 100
    assert told("breakthrough")["constant_sum"]["value"] == 100
    assert told("goofspiel")["simultaneous"]
    assert told("goofspiel")["turn_taking"]["status"] == "refuted"
    assert told("lights_out")["one_player"]
    assert told("pig")["chance"]
    (board,) = told("connect_four")["boards"]
    assert (len(board["columns"]), len(board["rows"]), board["relation"]) == (7, 6, "cell")


def test_facts_without_a_circuit(small):
    sheet = Sheet(SMALL, "small", Limits(rules=1))
    found = facts_of(sheet)
    assert "more than 1 rules" in found.reason
    assert found.counters is None
    assert found.sums is not None
    assert any("forward chaining" in line for line in describe(found, sheet))


# --- checks by playing


def played(text):
    return [(each.kind, each.message) for each in check_by_play(Sheet(text), steps=500)]


def test_a_sound_sheet_has_nothing_to_say_of_its_play(small):
    assert check_by_play(small, steps=500) == []


@pytest.mark.parametrize("limits", [Limits(), Limits(rules=1)], ids=["circuit", "forward"])
def test_what_play_shows(limits):
    stuck = SMALL.replace("(<= (legal ?p noop) (true (taken a)) (true (taken b)) (role ?p))", "")
    no_goal = SMALL.replace("(<= (goal white 100) (true (taken a)))", "")
    two_goals = SMALL + "(goal black 30)"
    for text, wanted in ((stuck, "no legal move"), (no_goal, "no goal"), (two_goals, "goal")):
        findings = check_by_play(Sheet(text, "sheet", limits), steps=500)
        kind = "error" if text is stuck else "warning"  # stuck in every game, nobody can play it
        assert any(each.kind == kind and wanted in each.message for each in findings), text
        assert all(each.line >= 1 and each.column >= 1 for each in findings)


def test_base_and_input_must_cover_what_is_played():
    base = "(base (step 1)) (base (step 2)) (base (step 3)) (base (step 4)) (base (control white))"
    more = "(base (control black)) (base (taken a))"
    inputs = "(<= (input ?p noop) (role ?p)) (<= (input ?p (take ?x)) (role ?p) (thing ?x))"
    found = played(SMALL + base + more + inputs)
    assert found == [("warning", "'base' does not declare what becomes true: (taken b)")]
    found = played(SMALL + "(<= (input ?p noop) (role ?p))")
    assert len(found) == 1
    assert "'input' does not declare what is legal: (does White (take" in found[0][1]


def test_goals_above_a_hundred_and_endless_games_are_told():
    assert ("warning", "White may get 120; expected 0 to 100") in played(
        SMALL.replace("(goal white 100) (", "(goal white ?n) (much ?n) (") + "(much 120)"
    )
    endless = SMALL.replace("(<= terminal (true (step 4)))", "(<= terminal (true (step 9)))")
    assert any("not over" in message for _, message in played(endless)) or any(
        "no random game ended" in message for _, message in played(endless)
    )
