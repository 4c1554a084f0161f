"""The thesis: what is counted, proven and printed, against the boards of Go and plain Python."""

from fractions import Fraction

import pytest

import trellis
from trellis.games.go.problem import GoProblem
from trellis.lab.experiments import all_experiments
from trellis.lab.measures import measure_of
from trellis.lab.papers import thesis_bounds as bounds
from trellis.lab.papers import thesis_games as games
from trellis.lab.papers import thesis_solving as solving
from trellis.lab.papers.data import rows_of
from trellis.players.texts import read_player
from trellis.sgf.problem_file import problem_of_diagram

TABLES = {"4.4": "plain", "4.5": "pruning", "4.6": "pruning_bias"}


def printed_of(name):
    return {cell.name: cell.published for cell in all_experiments()[name].cells if cell.published}


# -- Nim and GDL -----------------------------------------------------------------------------


def paths(objects):
    """Count the edges below a heap: every path is a position of its own."""
    return sum(1 + paths(objects - taken) for taken in (1, 2, 3) if taken <= objects)


def test_nims_graph_and_tree_against_counting_by_hand():
    reached, waiting = set(), [(5, 0)]
    while waiting:
        heap, mover = waiting.pop()
        if (heap, mover) not in reached:
            reached.add((heap, mover))
            waiting += [(heap - taken, 1 - mover) for taken in (1, 2, 3) if taken <= heap]
    assert games.nim("states")[0] == len(reached) == 10
    assert games.nim("edges")[0] == sum(min(heap, 3) for heap, _ in reached) == 18
    assert games.nim("unfolded-edges")[0] == paths(5) == 27
    assert games.nim("unfolded-states")[0] == 28
    assert games.nim("bisimilar") == (1.0, "yes")


def test_places_of_predicates():
    assert games.predicate("does")[1] == "2: body"
    assert games.predicate("goal")[1] == "2: base, body, head"
    assert games.predicate("init")[1] == "1: base, head"
    # Where the table and our checker differ.
    assert games.predicate("role")[1] == "1: base, body"
    assert games.predicate("next")[1] == "1: base, head"


# -- figures 4.1 and 4.2 ---------------------------------------------------------------------


def test_the_tree_of_the_cut():
    known = {name: bounds.cut(name)[0] for name in ("a-pess", "a-opti", "d-pess", "d-opti")}
    assert known == {"a-pess": 0.5, "a-opti": 1.0, "d-pess": 0.0, "d-opti": 0.5}
    assert bounds.cut("d-visits,cuts")[0] == 0
    assert bounds.cut("d-visits,plain")[0] > 0


def test_what_lies_below_the_tree_takes_a_while():
    found = trellis.solve(trellis.load(bounds.CutTree()))
    assert found.solved
    assert found.value == 0.5  # so nobody needs d


def test_the_bias_turns_the_choice_at_its_turning_point():
    turning, _ = bounds.bias("turning")
    assert bounds.bias(f"0,{turning - 0.01}")[1] == "b"
    assert bounds.bias(f"0,{turning + 0.01}")[1] == "c"


# -- semeai and seki -------------------------------------------------------------------------


def test_shares_are_rounded_as_printed():
    halves = {Fraction(1, 8): "0.13", Fraction(3, 200): "0.02", Fraction(1, 3): "0.33"}
    assert {share: bounds.rounded(share) for share in halves} == halves


@pytest.mark.parametrize("least", range(1, 5))
def test_seki_on_a_board_are_worth_what_the_abstract_game_says(least):
    printed = rows_of("thesis_table4.3_seki_results.tsv")[least - 1]
    for most in range(1, 5):
        assert bounds.seki(f"board,{least},{most}")[1] == printed[most]
        assert bounds.seki(f"game,{least},{most}")[1] == printed[most]


def test_semeai_on_a_board_are_worth_what_the_abstract_game_says():
    for own in range(1, 6):
        for opponent in range(1, 6):
            game = GoProblem(problem_of_diagram(bounds.seki_diagram(own, opponent, 0)))
            found = trellis.solve(game)
            assert found.outcome == ("first" if own >= opponent else "second")


# -- playouts to solve -----------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_printed_means_stand_in_their_cells(table):
    (rows,) = [
        rows_of(f"thesis_table{table}_seki_playouts_{TABLES[table]}.tsv")
        if table == "4.4"
        else rows_of(f"thesis_table{table}_seki_playouts_bounds_{TABLES[table]}.tsv")
    ]
    found = printed_of(f"thesis-table-{table}")
    assert len(found) == 2 * 36
    for row in rows:
        for most, text in enumerate(row[1:], start=1):
            for rave in ("rave", "none"):
                published = found[f"{rave},{row[0]},{most}"]
                assert published.text == text
                assert published.at_least == text.startswith(">")
                assert published.value == float(text.strip(">"))


def test_printed_means_of_connect_four():
    found = printed_of("thesis-table-4.7")
    assert found["plain,3x3"].value == 2700.9
    assert found["cuts,4x3"].value == 31772.9
    assert found["guided,4x4"].value == 351320.3
    assert found["plain,4x4"].at_least
    assert not found["cuts,4x4"].at_least
    games_of = {
        cell.name: cell.settings["game"] for cell in all_experiments()["thesis-table-4.7"].cells
    }
    assert games_of["plain,3x4"] == "connect_four:columns=3,rows=4"


def test_searches_differ_in_bounds_and_rave_alone():
    for table in TABLES:
        for cell in all_experiments()[f"thesis-table-{table}"].cells:
            read = read_player(cell.settings["search"]).graph_settings()
            assert (read.select, read.c) == ("uct0", 0.05)
            rave = "none" not in cell.name
            assert read.rave == (300 if rave else 0)
            mode = next((m for m in ("plain", "cuts") if m in cell.name), {
                "4.4": "plain", "4.5": "cuts", "4.6": "guided"}[table])  # fmt: skip
            assert read.bounds == mode
            assert read.delta == (10_000 if mode == "guided" else None)


def test_cells_for_comparison_are_those_of_the_table_before():
    """What both tables have is measured once: the same settings, the same seed."""
    found = all_experiments()
    first = {cell.name: dict(cell.settings) for cell in found["thesis-table-4.4"].cells}
    second = {cell.name: dict(cell.settings) for cell in found["thesis-table-4.5"].cells}
    assert second["plain,rave,3,3"] == first["rave,3,3"]
    seeds = {found[f"thesis-table-{table}"].seed for table in TABLES}
    assert len(seeds) == 1


def test_cuts_and_bias_save_playouts_as_printed():
    measure = measure_of("proof_playouts")
    means = []
    for mode in ("plain", "cuts", "biased"):
        cell = solving._seki_cell(mode, "none", 3, 3, None)
        read = measure.read(cell.settings)
        means.append(sum(measure.take(read, 1, number)["value"] for number in range(5)) / 5)
    plain, cuts, biased = means
    assert cuts < plain / 2
    assert biased < cuts


def test_a_half_point_in_the_match():
    cells = all_experiments()["thesis-connect-four-match"].cells
    assert {cell.published.value for cell in cells} == {57.25}
    for cell in cells:
        ours, theirs = (read_player(cell.settings[who]).graph_settings() for who in "ab")
        assert ours.bounds == "cuts"
        assert theirs.bounds in ("off", "plain")
        assert ours.c == theirs.c
