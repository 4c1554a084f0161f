"""The experiments on score bounds: what is counted, and the command that prints it."""

import json

import pytest

import trellis
from trellis.games.go.problem import GoProblem
from trellis.lab.papers import score_bounds as paper
from trellis.sgf.problem_file import problem_of_diagram

from places import SHARED

_FILES = {
    "plain": "thesis_table4.4_seki_playouts_plain.tsv",
    "cuts": "thesis_table4.5_seki_playouts_bounds_pruning.tsv",
    "biased": "thesis_table4.6_seki_playouts_bounds_pruning_bias.tsv",
}


@pytest.mark.parametrize("mode", _FILES)
def test_published_figures_are_those_of_the_tables(mode):
    path = SHARED / "tables" / _FILES[mode]
    if not path.is_file():
        pytest.skip("needs ../shared/tables, which is not here")
    rows = [line.split("\t")[1:] for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    for least in range(1, 7):
        for most in range(1, 7):
            printed = paper.cell(paper.PUBLISHED_PLAYOUTS[mode], least, most)
            assert printed == rows[least - 1][most - 1]


@pytest.mark.parametrize("least", range(1, 5))
def test_seki_on_a_board_are_worth_what_the_abstract_game_says(least):
    for most in range(1, 5):
        assert paper.seki_on_board(most, least) == paper.cell(paper.PUBLISHED_SEKI, least, most)


def test_semeai_on_a_board_are_worth_what_the_abstract_game_says():
    for own in range(1, 6):
        for opponent in range(1, 6):
            game = GoProblem(problem_of_diagram(paper.seki_diagram(own, opponent, 0)))
            found = trellis.solve(game)
            assert found.outcome == ("first" if own >= opponent else "second")


def test_cuts_and_bias_save_playouts_as_printed():
    means = [sum(paper.playouts_to_solve(mode, 3, 3, runs=5).runs) / 5 for mode in paper.MODES]
    plain, cuts, biased = means
    assert cuts < plain / 2
    assert biased < cuts


def test_a_cell_that_is_too_hard_is_left_at_that():
    found = paper.playouts_to_solve("plain", 5, 5, limit=2000)
    assert found.runs == [2000] * 3
    assert found.unsolved == 3
    assert found.text == ">2000"
    assert found.published == ">1000000"


def test_the_same_seed_gives_the_same_runs():
    first, again = (paper.playouts_to_solve("cuts", 2, 2, runs=4, seed=7) for _ in range(2))
    assert first == again
    assert len(set(first.runs)) > 1


def test_the_command(run):
    code, out, _ = run("paper", "seki-playouts", "--largest", 2, "--runs", 3, "--json")
    content = json.loads(out)
    assert code == 0
    assert len(content["cells"]) == 3 * 4
    assert all(len(each["playouts"]) == 3 for each in content["cells"])
    code, out, _ = run("paper", "seki-playouts", "--largest", 1, "--runs", 2, "--rave", 0)
    assert code == 0
    assert "biased: Min's, Max's liberties" in out
    assert "137" in out


def test_the_command_for_exact_tables(run):
    code, out, _ = run("paper", "seki")
    assert code == 0
    assert "36 of 36 cells as printed" in out
    code, out, _ = run("paper", "semeai", "--json")
    assert json.loads(out)["as_printed"] == 81


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sekis"], "unknown table 'sekis': expected semeai, seki, seki-board, seki-playouts, "),
        (["sekis"], "did you mean 'seki'"),
        (["seki", "--runs", 3], "--runs is for seki-playouts"),
        (["seki-playouts", "--largest", 7], "expected 1 to 6"),
        (["seki-playouts", "--runs", 0], "--runs"),
    ],
)
def test_one_line_for_what_makes_no_sense(run, words, message):
    code, _, err = run("paper", *words)
    assert code == 2
    assert message in err
