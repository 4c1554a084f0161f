"""Rulesheets that experiments name: whose they are, and that nobody mistakes one for another."""

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.measures import measure_of
from trellis.lab.sheets import FOLDER, digest_of_sheet, find_sheet, placed_sheet

GAME = "tic_tac_toe.kif"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the user's with another tic-tac-toe."""
    text = find_sheet(GAME).read_text("utf-8")
    (tmp_path / GAME).write_text(f"; mine\n{text}", "utf-8")
    return lambda: monkeypatch.setenv(FOLDER, str(tmp_path))


def test_a_sheet_of_the_users_comes_first(folder, tmp_path):
    ours = digest_of_sheet(GAME)
    folder()
    assert find_sheet(GAME) == tmp_path / GAME
    assert digest_of_sheet(GAME) != ours
    assert find_sheet("nim.kif").parent != tmp_path


def test_a_match_by_a_sheet_is_one_by_the_rules_with_that_digest(folder):
    match = measure_of("match")
    settings = match.read(
        {"game": GAME, "sheet": digest_of_sheet(GAME), "a": "random", "b": "random"}
    )
    match.check(settings)
    assert 5 <= match.take(settings, 1, 0)["plies"] <= 9
    folder()
    with pytest.raises(BadParameter, match="is another rulesheet here"):
        placed_sheet(GAME, settings.sheet)


def test_options_of_the_sheet_stay():
    path = placed_sheet(f"{GAME}:evaluator=forward", digest_of_sheet(GAME))
    assert path.endswith(f"{GAME}:evaluator=forward")


def test_what_is_not_there_is_refused_in_one_line(monkeypatch):
    with pytest.raises(BadParameter, match=r"no rulesheet 'nowhere\.kif': expected it in the"):
        find_sheet("nowhere.kif")
    monkeypatch.setenv(FOLDER, "/nowhere/at/all")
    with pytest.raises(BadParameter, match="expected a folder"):
        find_sheet(GAME)
