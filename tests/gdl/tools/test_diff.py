"""Two descriptions of a game, side by side."""

import pytest

from gdl.own_sheets import SHEETS, TWINS, load_own
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.diff import compare_games, compare_machines
from trellis.gdl.tools.replay import machine_of
from trellis.loading import load

TEXT = (SHEETS / "tic_tac_toe.kif").read_text(encoding="utf-8")


def machine(text=TEXT, evaluator="event"):
    return machine_of(Sheet(text), evaluator)


@pytest.mark.parametrize("evaluator", ["event", "lanes64", "forward"])
def test_a_sheet_equals_itself(evaluator):
    found = compare_machines(machine(), machine(evaluator=evaluator), games=20, states=True)
    assert found.difference is None
    assert found.games == 20
    assert found.steps > 100


def changed(old, new):
    assert TEXT.count(old) == 1
    return machine(TEXT.replace(old, new))


def test_a_line_that_does_not_win_is_found():
    diagonal = "(true (cell a 3 ?p))\n    (true (cell b 2 ?p))\n    (true (cell c 1 ?p))"
    found = compare_machines(machine(), changed(diagonal, "(true (cell z z ?p))"), games=300)
    assert found.difference.what == "terminal"
    assert (found.difference.a, found.difference.b) == (True, False)
    assert found.difference.step == len(found.difference.moves) >= 5


def test_other_moves_are_found_at_once():
    found = compare_machines(machine(), changed("(row 3)", "(row 3) (row 4)"))
    assert (found.difference.game, found.difference.step) == (0, 0)
    assert found.difference.what == "legal"
    assert found.difference.a == [[], []]
    assert found.difference.b == [["(mark a 4)", "(mark b 4)", "(mark c 4)"], []]


def test_other_goals_are_found():
    found = compare_machines(machine(), changed("(goal ?p 100)", "(goal ?p 99)"))
    assert found.difference.what == "goals"


def test_other_roles_are_found():
    found = compare_machines(machine(), machine_of(Sheet.from_file(SHEETS / "nim.kif"), "event"))
    assert found.difference.what == "roles"


def test_facts_that_change_nothing_count_only_where_asked():
    other = TEXT + "(init (weather fine)) (<= (next (weather fine)) (true (weather fine)))"
    found = compare_machines(machine(), machine(other), games=5)
    assert found.difference is None
    assert "(weather fine)" in found.remark
    found = compare_machines(machine(), machine(other), games=5, states=True)
    assert found.difference.what == "state"
    assert found.to_dict()["difference"]["b"] == ["(weather fine)"]


@pytest.mark.parametrize("name", sorted(TWINS))
def test_sheets_and_built_in_games_are_matched_by_themselves(name):
    """Nobody tells which names correspond; `tests/gdl/own_sheets.py` does so by hand."""
    found = compare_games(load_own(name), load(TWINS[name].native), games=3, seed=1)
    assert found.difference is None
    assert found.how == "names"
    assert found.games == 3


def test_a_sheet_against_another_size_of_board():
    found = compare_games(load_own("hex"), load("hex:board_size=5"), games=3)
    assert found.difference.what == "legal"
    found = compare_games(load_own("tic_tac_toe"), load_own("three_player_tic_tac_toe"))
    assert found.difference.what == "players"


def test_the_misere_game_differs_in_what_it_pays():
    found = compare_games(load_own("nim"), load("nim:is_misere=false"), games=20)
    assert found.difference.what == "goals"


def test_without_common_names_games_are_counted(tmp_path):
    words = {"a": "alpha", "b": "beta", "c": "gamma"}
    text = TEXT
    for letter, word in words.items():
        text = text.replace(f"(column {letter})", f"(column {word})")
        text = text.replace(f"(cell {letter} ", f"(cell {word} ")
    path = tmp_path / "other.kif"
    path.write_text(text.replace("mark", "put"), encoding="utf-8")
    found = compare_games(load(str(path)), load("tic_tac_toe"), games=3)
    assert found.how == "counts"
    assert found.difference is None
    assert found.steps >= 4
    text = text.replace("(row 3)", "(row 4)")  # no column can be completed any more
    path.write_text(text, encoding="utf-8")
    found = compare_games(load(str(path)), load("tic_tac_toe"), games=3)
    assert (found.how, found.difference.what) == ("counts", "ended")
