"""Faults seeded into our own sheets: each is named at its place, and sound sheets pass."""

import importlib.util
import re
from pathlib import Path
from random import Random

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.checking.check import check
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.checking.suspect import suspect
from trellis.gdl.language.kif import read
from trellis.gdl.sheet import Sheet

_PATH = Path(__file__).parents[3] / "benchmarks" / "seeded_faults.py"
_SPEC = importlib.util.spec_from_file_location("seeded_faults", _PATH)
seeded = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(seeded)

TIC_TAC_TOE = (SHEETS / "tic_tac_toe.kif").read_text(encoding="utf-8")


def line_of(text, part):
    """Return the line on which a part of a text begins."""
    return text[: text.index(part)].count("\n") + 1


def said(text):
    """Return errors and warnings of the text alone: line, column, kind, message."""
    sheet = Sheet(text)
    found = list(sheet.findings)
    if not any(each.fatal for each in found):
        found += suspect(sheet.reading)
    return [
        (each.line, each.column, each.kind, each.message) for each in found if each.kind != "note"
    ]


@pytest.mark.parametrize("path", sorted(SHEETS.glob("*.kif")), ids=lambda path: path.stem)
def test_nothing_is_said_of_our_own_sheets(path):
    assert said(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("kind", seeded.IN_TEXT)
def test_faults_are_found_where_they_are(kind):
    dice, missed, tried = Random(1), [], 0
    for path in sorted(SHEETS.glob("*.kif")):
        text = path.read_text(encoding="utf-8")
        faults = list(seeded.IN_TEXT[kind](text, read(text)))
        for fault in dice.sample(faults, min(2, len(faults))):
            tried += 1
            if not seeded.is_found(fault, seeded.findings(fault, play=False)):
                missed.append(f"{path.stem} {fault.done}")
    assert tried
    # Three rows of a board of four are too short to be taken for a row.
    assert [each for each in missed if "three_player" not in each] == []


@pytest.mark.parametrize("kind", ["parenthesis lost", "parenthesis added", "rule twice"])
def test_these_faults_are_one_finding_and_nothing_else(kind):
    for path in sorted(SHEETS.glob("*.kif")):
        text = path.read_text(encoding="utf-8")
        fault = next(iter(seeded.IN_TEXT[kind](text, read(text))))
        (found,) = seeded.findings(fault, play=False)
        assert seeded.is_found(fault, [found])


CHANGES = [  # what is replaced, by what, the place within the new text, and what is said
    (
        "(true (cell b ?r ?p))",
        "(true (cell b ?s ?p))",
        "?s ?p",
        "?s stands only once in its rule; did you mean ?r as in the other sentences like it?",
    ),
    (
        "(true (cell a 1 ?p))\n",
        "(true (cell a one ?p))\n",
        "(true (cell a one",
        "(true (cell a one ?p)) never holds: argument 2 of cell is 1, 2 or 3",
    ),
    (
        "(true (cell a 1 ?p))\n",
        "(true (cell a 1 p))\n",
        "(true (cell a 1 p))",
        "(true (cell a 1 p)) never holds: argument 3 of cell is o or x; did you mean ?p?",
    ),
    (
        "    (does ?p (mark ?c ?r))",
        "    (does ?p (mrak ?c ?r))",
        "(does ?p (mrak",
        (
            "(does ?p (mrak ?c ?r)) never holds: a legal move is noop or (mark …); "
            "did you mean 'mark'?"
        ),
    ),
    (
        "    (free ?c ?r))\n(<= (legal x",
        "    (fre ?c ?r))\n(<= (legal x",
        "(fre ?c",
        "nothing makes fre true; did you mean 'free'?",
    ),
    (
        "(<= (goal x 0)",
        "(<= (goal z 0)",
        "(goal z 0)",
        "z is not a role",
    ),
    (
        "(not (marked ?c ?r))",
        "(not (true (cell ?c ?r b)))",
        "(true (cell ?c ?r b))",
        "(true (cell ?c ?r b)) never holds, so its 'not' always does: argument 3 of cell is o or x",
    ),
    (
        "    (square ?c ?r)\n    (not (marked ?c ?r)))",
        "    (square ?r ?r)\n    (column ?c)\n    (not (marked ?c ?r)))",
        "(square ?r ?r)",
        "(square ?r ?r) never holds: the arguments ?r have nothing in common",
    ),
    (
        "(<= decided\n    (line ?p))",
        "(<= decided\n    (line ?p)\n    (row ?p))",
        "(row ?p))\n(<= open",
        "the rule never applies: ?p is o or x in (line ?p) and 1, 2 or 3 in (row ?p)",
    ),
    (
        "(<= open\n    (free ?c ?r))",
        "(<= open\n    (free ?c ?r)\n    (distinct ?c ?c))",
        "(distinct ?c ?c)",
        "(distinct ?c ?c) never holds: both sides are the same",
    ),
    (
        "(<= open\n    (free ?c ?r))",
        "(<= open\n    (free ?c ?r)\n    (not (free ?c ?r)))",
        "(free ?c ?r)))",
        "the rule never applies: it asks for (free ?c ?r) and its opposite",
    ),
]


@pytest.mark.parametrize(("old", "new", "place", "message"), CHANGES)
def test_a_slip_in_tic_tac_toe_is_named_once_at_its_place(old, new, place, message):
    assert TIC_TAC_TOE.count(old) == 1
    text = TIC_TAC_TOE.replace(old, new)
    at = text.index(place)
    column = at - text.rfind("\n", 0, at)
    found = [each for each in said(text) if each[3] == message]
    assert found == [(line_of(text, place), column, "warning", message)]


def test_the_same_slip_brings_no_others_with_it():
    text = TIC_TAC_TOE.replace("    (does ?p (mark ?c ?r))", "    (does ?p (mrak ?c ?r))")
    assert len(said(text)) == 1


def test_an_unsafe_variable_is_told_with_the_one_that_was_meant():
    text = TIC_TAC_TOE.replace("    (does ?p (mark ?c ?r))", "    (does ?p (mark ?c ?rr))")
    ((line, _, kind, message),) = said(text)
    assert (line, kind) == (line_of(text, "(<= (next (cell ?c ?r ?p))\n    (does"), "error")
    assert message.startswith("'?r' of the head")
    assert message.endswith("did you mean '?rr'?")


def test_variables_that_stand_once_are_no_slip_by_themselves():
    text = TIC_TAC_TOE + "(<= crowded (true (cell ?some ?where x)) (true (cell ?c ?d o)))"
    assert said(text) == []


def test_a_rule_for_what_is_not_in_this_game_is_a_note():
    """As one for kings, in a game of chess without them; a variable too many is a warning."""
    text = TIC_TAC_TOE + "(sort x cross) (sort o ring) (sort z star)\n"
    text += "(<= rich (true (cell ?c ?r ?p)) (sort ?p star))\n"
    assert said(text) == []
    (note,) = [each for each in suspect(Sheet(text).reading) if each.kind == "note"]
    assert note.message == (
        "the rule never applies: ?p is o or x in (true (cell ?c ?r ?p)) and z in (sort ?p star)"
    )
    text = text.replace("(sort ?p star)", "(sort ?r star)")
    assert ["never applies" in each[3] for each in said(text)] == [True]


def test_a_gap_in_a_row_is_told_after_what_comes_before_it():
    text = TIC_TAC_TOE + "(<= (late ?n) (after ?m ?n))\n(after 1 2) (after 2 3)\n(after 4 5)\n"
    (found,) = [each for each in said(text) if "row" in each[3]]
    assert found[3] == "(after 3 4) is missing in the row"
    assert found[0] == line_of(text, "(after 2 3)")


def test_a_role_without_moves_is_told_at_the_role():
    text = TIC_TAC_TOE + "(role z)\n"
    place = (line_of(text, "(role z)"), 1)
    assert (*place, "error", "z never has a legal move") in said(text)


def test_a_misplaced_parenthesis_that_comes_out_even():
    text = TIC_TAC_TOE.replace("(<= open\n    (free ?c ?r))", "(<= open\n    (free ?c ?r)")
    text = text.replace("(<= terminal\n    decided)", "(<= terminal\n    decided))")
    assert [each.message for each in check(read(text))] == [
        (
            "'<=' inside a rule: is a ')' missing before it, in the statement at "
            f"{line_of(text, '(<= open')}:1?"
        )
    ]


# --- by playing

MARKS_STAY = "(<= (next (cell ?c ?r ?p))\n    (true (cell ?c ?r ?p)))"
IN_PLAY = [
    (
        MARKS_STAY,
        "",
        "(<= (next (cell ?c ?r ?p))\n    (does",
        (
            r"likely a frame axiom is missing: \(cell . . x\) is true and then gone after "
            r"\(mark . .\) noop, noop \(mark . .\), and no rule could keep it"
        ),
    ),
    (
        "(<= (goal o 0)\n    (line x))",
        "",
        "(<= (goal ?p 100)",
        r"o has no goal at the end after (\d steps: )?\(mark . .\) noop, .*; so .* random games.*",
    ),
    (
        "    (role ?p)\n    (not decided))\n(<= (goal x 0)",
        "    (role ?p))\n(<= (goal x 0)",
        "(<= (goal ?p 50)",
        r"\w has two goals at the end, (0|50) by \d+:1 and (50|100) by \d+:1, after .*",
    ),
    (
        "(<= (legal o noop)\n    (true (control x)))",
        "(<= (legal o noop)\n    (true (control x))\n    (free b 2))",
        "(<= (legal ?p (mark",
        r"o has no legal move after .*\(mark b 2\).*; a role .*",
    ),
]


@pytest.mark.parametrize(("old", "new", "place", "message"), IN_PLAY)
def test_what_play_shows_comes_with_a_line_of_play(old, new, place, message):
    assert TIC_TAC_TOE.count(old) == 1
    text = TIC_TAC_TOE.replace(old, new)
    (found,) = [each for each in check_by_play(Sheet(text)) if each.kind != "note"]
    assert re.fullmatch(message, found.message), found.message
    assert found.line in (line_of(text, place), line_of(text, "(<= (goal x 0)"))
    assert found.play
    assert all(
        re.fullmatch(r"(noop|\(mark . .\)) (noop|\(mark . .\))", each) for each in found.play
    )


def test_men_that_are_taken_are_no_missing_frame_axiom():
    for name in ("breakthrough", "merrills"):
        assert check_by_play(Sheet.from_file(SHEETS / f"{name}.kif")) == []
    text = (SHEETS / "breakthrough.kif").read_text(encoding="utf-8")
    begin = text.index("(<= (next (cell ?c ?r ?p))\n    (true")
    text = text[:begin] + text[text.index("(<= (next (control") :]
    (found,) = [each for each in check_by_play(Sheet(text)) if "frame axiom" in each.message]
    assert len(found.play) == 1
