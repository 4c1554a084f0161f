"""What random play finds in a sheet, and which of it keeps every command from playing."""

import pytest

from trellis.game.errors import TrellisError
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.game import game_of
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey
from trellis.search.mcts.engine import Search

FINE = """
(role x) (role o)
(init (step 1))
(legal x go) (legal x stay) (legal o noop)
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(goal x 40) (goal o 60)
"""


def said(text, limits=None):
    return [(each.kind, each.message) for each in check_by_play(Sheet(text, limits=limits))]


def test_nothing_is_said_of_a_sound_sheet():
    assert said(FINE) == []


UNPLAYABLE = {
    "the only role is random": (
        "(role random) (init s) (legal random go) (<= (next t) (true s)) (<= terminal (true t))"
        "(goal random 0)"
    ),
    "never has a legal move": FINE.replace("(legal o noop)", "(legal p noop)"),
    "no legal move in the first state": FINE.replace(
        "(legal o noop)", "(<= (legal o noop) (true (step 2)))"
    ),
    "a role is stuck at the end of every random game": FINE.replace(
        "(<= terminal (true (step 2)))", "(<= terminal (true (step 3)))"
    ).replace("(legal o noop)", "(<= (legal o noop) (true (step 1)))"),
    "over at the start": FINE.replace("(<= terminal (true (step 2)))", "(<= terminal (role x))"),
}


@pytest.mark.parametrize("reason", UNPLAYABLE)
def test_what_nobody_can_play_is_an_error_and_nothing_fatal(reason):
    sheet = Sheet(UNPLAYABLE[reason])
    (found,) = [each for each in check_by_play(sheet) if each.kind == "error"]
    assert reason in found.message
    assert not found.fatal
    if "stuck" in reason:  # a game all the same; where play stops nothing is proven
        assert not Search(game_of(sheet)).run(sims=10).solved
        return
    with pytest.raises(TrellisError):
        Search(game_of(sheet)).run(sims=10)


def test_the_same_is_found_by_forward_chaining():
    for reason in list(UNPLAYABLE)[2:]:
        found = said(UNPLAYABLE[reason], Limits(rules=1))
        assert [message for kind, message in found if kind == "error" and reason in message]


def test_what_only_happens_in_some_games_is_a_warning():
    text = FINE.replace("(<= terminal (true (step 2)))", "(<= terminal (true (step 3)))")
    text += "(<= (next (step 3)) (true (step 1)) (does x stay))"
    text = text.replace("(<= (next (step 2)) (true (step 1)))", "(<= (next (step 2)) (does x go))")
    text = text.replace("(legal o noop)", "(<= (legal o noop) (true (step 1)))")
    ((kind, message),) = said(text)
    assert (kind, "o has no legal move after" in message) == ("warning", True)
    assert "a role had none" in message


def test_a_goal_out_of_range_is_said_once():
    text = FINE.replace("(goal x 40)", "(goal x 140)")
    assert said(text) == []
    found = Sheet(text).findings
    assert ["140" in each.message for each in found if each.kind == "warning"] == [True]
    # Where no rule names the value, only play can tell.
    text = FINE.replace("(goal x 40)", "(<= (goal x ?n) (worth ?n)) (worth 140)")
    assert said(text) == [("warning", "x may get 140; expected 0 to 100")]


def test_long_names_are_shortened():
    long = "x" * 10_000
    found = said(FINE.replace("(legal o noop)", "").replace("role o", f"role {long}"))
    assert found
    assert max(len(message) for _, message in found) < 200


def test_play_changes_no_verdict_of_an_independent_validator(shared):
    folder = shared / "gdl" / "test-ggpbase"
    for line in (folder / "EXPECTED_VALIDATION.tsv").read_text().splitlines():
        name, expected = line.split("\t")
        kinds = {each.kind for each in check_by_play(Sheet.from_file(folder / f"{name}.kif"))}
        assert expected == "ERROR" or "error" not in kinds, name
        assert expected != "NO_ERROR" or "warning" not in kinds, name


RARE = """
(role x) (role o) (init (cnt 0)) (init good) (init (control x))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16)
(succ 16 17) (succ 17 18)
(<= ongoing (true (cnt ?n)) (succ ?n ?m))
(<= (next (cnt ?m)) (true (cnt ?n)) (succ ?n ?m))
(<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
(<= (legal ?p right) (true (control ?p)) ongoing)
(<= (legal ?p wrong) (true (control ?p)) ongoing)
(<= (legal x noop) (true (control o)) ongoing) (<= (legal o noop) (true (control x)) ongoing)
(<= (next good) (true good) (does ?p right))
"""
RARE_FAULTS = {  # after 18 right moves, once in 262,144 random games
    "o has no legal move after 18 steps": (
        "(<= (legal ?p stop) (role ?p) (true (cnt 18)) (not (true good)))"
        "(<= (legal x stop) (true (cnt 18)) (true good)) (<= (next over) (true (cnt 18)))"
        "(<= terminal (true over)) (goal x 50) (goal o 50)"
    ),
    "x has no goal at the end after 18 steps": (
        "(<= terminal (true (cnt 18))) (<= (goal x 50) (not (true good))) (goal o 50)"
    ),
    "x has two goals at the end": (
        "(<= terminal (true (cnt 18))) (goal x 50) (<= (goal x 100) (true good)) (goal o 50)"
    ),
}


@pytest.mark.parametrize("message", RARE_FAULTS)
def test_what_random_play_does_not_meet_is_asked_for(message):
    sheet = Sheet(RARE + RARE_FAULTS[message])
    seen = survey(lay_out(sheet.circuit), 0, 20_000, 100)
    assert (seen.stuck, seen.no_goal, seen.many_goals) == (0, 0, 0)  # or it tests nothing
    (found,) = check_by_play(sheet)
    assert (found.kind, len(found.play)) == ("warning", 18)
    assert message in found.message
    assert all("right" in moves for moves in found.play)
