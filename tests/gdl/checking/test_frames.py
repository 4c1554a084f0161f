"""Facts that get lost: told where a frame axiom is missing, not where they are meant to go."""

import importlib.util
from pathlib import Path

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.language.kif import read, to_term
from trellis.gdl.language.mini import split_statement
from trellis.gdl.language.terms import name_of
from trellis.gdl.sheet import Sheet

_PATH = Path(__file__).parents[3] / "benchmarks" / "seeded_faults.py"
_SPEC = importlib.util.spec_from_file_location("seeded_faults", _PATH)
seeded = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(seeded)

FORWARD = Limits(rules=1)  # nothing is that small: all is played by forward chaining


def lost_facts(text):
    """Return what is said of facts that got lost."""
    found = check_by_play(Sheet(text, limits=FORWARD))
    return [each for each in found if "frame axiom" in each.message]


def replay(text, play):
    """Return the last two states of a line of play, by forward chaining."""
    machine = Sheet(text).forward
    states = [machine.initial()]
    for joint in play:
        moves = [to_term(form) for form in read(joint).forms]
        for move, legal in zip(moves, machine.legal(states[-1]), strict=True):
            assert move in legal
        states.append(machine.next(states[-1], moves))
    return states[-2:]


SEEDED = [  # a sheet, the fact whose frame axiom is left out, which of several
    ("breakthrough", "cell", 0),
    ("connect_four", "cell", 0),
    ("goofspiel", "prize", 0),
    ("goofspiel", "card", 0),
    ("goofspiel", "points", 0),
    ("hex", "cell", 0),
    ("lights_out", "cell", 0),
    ("merrills", "control", 0),
    ("merrills", "men", 0),
    ("merrills", "men", 1),
    ("merrills", "ones", 0),
    ("nim", "heap", 0),
    ("pig", "control", 0),
    ("pig", "score", 0),
    ("pig", "total", 0),
    ("pig", "ones", 0),
    ("pig", "tens", 0),
    ("pig", "hundreds", 0),
    ("quarto", "pool", 0),
    ("quarto", "cell", 0),
    ("quarto", "control", 0),
]


@pytest.mark.parametrize(("sheet", "fact", "number"), SEEDED)
def test_a_lost_frame_axiom_is_told_at_the_fact_with_the_game_that_shows_it(sheet, fact, number):
    text = (SHEETS / f"{sheet}.kif").read_text(encoding="utf-8")
    faults = [
        fault
        for fault in seeded.frame_axiom_lost(text, read(text))
        if f"for ({fact} " in fault.done
    ]
    text = faults[number].text
    (found,) = lost_facts(text)
    assert f"missing: ({fact} " in found.message
    heads = [(split_statement(form)[0], form.line) for form in read(text).forms]
    makers = [
        line
        for head, line in heads
        for name in [to_term(head)]
        if name_of(name) in ("next", "init") and name_of(name[1]) == fact
    ]
    assert found.line in makers
    before, after = replay(text, found.play)
    gone = {Sheet(text).write(each) for each in before - after}
    assert found.message.split("missing: ")[1].split(" is true")[0] in gone


@pytest.mark.parametrize("path", sorted(SHEETS.glob("*.kif")), ids=lambda path: path.stem)
def test_our_own_sheets_lose_nothing(path):
    assert lost_facts(path.read_text(encoding="utf-8")) == []


FRAME = """
(role x) (role o)
(init (step 1)) (init (control x))
(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
(place a) (place b) (place c)
(<= (legal ?p (mark ?c)) (true (control ?p)) (place ?c) (not (true (just ?c))))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= terminal (true (step 7)))
(goal x 40) (goal o 60)
"""
QUIET = {
    "the last move alone may not be made again": "(<= (next (just ?c)) (does ?p (mark ?c)))",
    "a turn in two parts": """
        (<= (next (just ?c)) (does ?p (mark ?c)) (true (phase x one)))
        (init (phase x one))
        (<= (next (phase x two)) (true (phase x one)))
        (<= (next (phase o one)) (true (phase x two)))
        (<= (next (phase o two)) (true (phase o one)))
        (<= (next (phase x one)) (true (phase o two)))
        (<= (goal x 1) (true (phase o two)))
    """,
    "a clock that is gone when all is over": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (clock 1))
        (<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n) (not (true (step 6))))
        (<= (goal x 1) (true (clock 7)))
    """,
    "a count that has run out": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (fuse 5))
        (<= (next (fuse ?n)) (true (fuse ?m)) (after ?m ?n))
        (<= (goal x 1) (true (fuse 7)))
    """,
    "a count of a part of the game, which others ask for": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (opening 1))
        (<= (next (opening ?n)) (true (opening ?m)) (after ?m ?n) (not (true (step 3))))
        (<= (goal x 1) (true (opening ?any)))
    """,
    "squares that no move can name": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (square a free)) (init (square b free)) (init (square c free))
        (init (square d free)) (init (square e free)) (init (square f free))
        (<= (next (square ?c ?v)) (true (square ?c ?v)) (place ?c) (not (does x (mark ?c))))
        (<= (next (square ?c taken)) (does x (mark ?c)))
        (<= (goal x 1) (true (square a taken)))
    """,
    "the beginning is told by a fact that goes": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (opening x))
        (<= (goal x 1) (true (opening ?p)))
    """,
    "men that are taken": """
        (<= (next (just ?c)) (does ?p (mark ?c)))
        (init (man a 1)) (init (man b 1)) (init (man c 1))
        (<= (next (man ?c ?n)) (true (man ?c ?n)) (not (marked ?c)))
        (<= (marked ?c) (does ?p (mark ?c)))
        (<= (goal x 1) (true (man a 1)))
    """,
}


@pytest.mark.parametrize("name", QUIET)
def test_what_is_meant_to_go_is_not_told(name):
    assert lost_facts(FRAME + QUIET[name]) == []


LOST = {  # what is added, and the beginning of what is said
    "(init (clock 1))"
    "(<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n) (not (true (step 4))))"
    "(<= (goal x 1) (true (clock 7)))": "(clock 4) is true and then gone after",
    "(init (clock 1)) (<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n) (true (step 1)))"
    "(<= (next (clock ?n)) (true (clock ?n)) (true (step 2)))"
    "(<= (goal x 1) (true (clock 7)))": "(clock 2) is true and then gone after",
    "(init (chosen x none)) (init (chosen o none))"
    "(<= (next (chosen ?p ?c)) (does ?p (mark ?c)))"
    "(<= (goal x 1) (true (chosen x a)))": "(chosen o none) is true and then gone after",
    "(init (square a free)) (init (square b free)) (init (square c free)) (init (square d free))"
    "(<= (next (square ?c ?v)) (true (square ?c ?v)) (does x noop))"
    "(<= (next (square ?c taken)) (does x (mark ?c)))"
    "(<= (goal x 1) (true (square a taken))) (place d)": "(square ",
    "(init (stock a)) (init (stock b)) (<= (goal x 1) (true (stock a)))": (
        "(stock a) is true and then gone after"
    ),
    "(<= (goal x 1) (true (just a)))": "(just ",
}


@pytest.mark.parametrize("added", LOST)
def test_what_is_not_meant_to_go_is_told_once(added):
    text = FRAME + "(<= (next (just ?c)) (does ?p (mark ?c)))" + added
    (found,) = lost_facts(text)
    assert f"missing: {LOST[added]}" in found.message
    before, after = replay(text, found.play)
    assert len(before - after) > 0


def test_a_count_that_a_rule_keeps_in_other_states_has_words_of_its_own():
    ends = [
        lost_facts(f"{FRAME} (<= (next (just ?c)) (does ?p (mark ?c))) {added}")[0].message
        for added in list(LOST)[:2]
    ]
    assert ends[0].endswith("and no rule could keep it")
    assert ends[1].endswith("and nothing takes its place")


@pytest.mark.parametrize("name", ["gomoku_swap2_11x11", "urmAdd", "checkersSmall.v1"])
def test_real_sheets_in_which_facts_are_meant_to_go(shared, name):
    path = shared / "gdl" / "base" / f"{name}.kif"
    assert lost_facts(path.read_text(errors="replace")) == []


def test_a_real_sheet_in_which_passing_takes_walls_away(shared):
    text = (shared / "gdl" / "base" / "hallway.kif").read_text(errors="replace")
    (found,) = lost_facts(text)
    assert "missing: (walls " in found.message
    assert "(next (walls ?player ?num))" in text.splitlines()[found.line - 1]
    assert found.play[-1] == "noop noop"
    before, after = replay(text, found.play)
    assert any(name_of(fact) == "walls" for fact in before - after)
