"""The code that the paper on Star2-TT prints, run against expectimax; what its tables say."""

import pytest

from trellis.lab.papers import star2_tt as paper
from trellis.lab.papers.star2_printed import REPAIRS, PrintedStar2, judged, two_checkers
from trellis.search.star.reference import expectimax

from places import SHARED


def test_published_figures_are_those_of_the_tables():
    for place, file in enumerate(("star2tt_tableI_nodes_millions", "star2tt_tableII_seconds")):
        path = SHARED / "tables" / f"{file}.tsv"
        if not path.is_file():
            pytest.skip("needs ../shared/tables, which is not here")
        titles, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
        assert titles[1:] == [*paper.SEARCHES.values()]
        for row in rows:
            for search, text in zip(paper.SEARCHES, row[1:], strict=True):
                assert paper.PUBLISHED[row[0].lower()][search][place] == float(text)


def test_roots_are_all_pairs_of_checkers():
    roots = two_checkers()
    assert len({position.code for position in roots}) == len(roots) == 9 * 8 // 2
    for position in roots:
        assert position.is_chance
        assert [int(word).bit_count() for word in position.state[:2]] == [1, 1]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6])
def test_with_all_faults_repaired_the_printed_code_is_expectimax(depth):
    for position in two_checkers()[::5]:
        found = PrintedStar2(frozenset(REPAIRS)).value(position, depth)
        assert found == pytest.approx(expectimax(position, depth, judged), abs=1e-9)


def test_as_printed_it_is_not():
    """Three positions of which one has no value, and one that gets a wrong one."""
    lost = [
        PrintedStar2().value(position, 9) is None for position in two_checkers()[:4]
    ]  # the board is left in a mess by a return without undoing
    assert any(lost)
    wrong, text = paper.wrong_roots(("undo",), "roots=36,depth=9")
    assert 0 < wrong < 10
    assert text == f"{wrong:.0f} of 36"  # every one has a value


def test_windows_are_those_of_the_formulas_that_are_printed():
    """ChildMin and ChildMax of section IV, worked out by hand."""
    low, high = 0.8, 0.8  # of the first outcome
    upper_sum, lower_sum = (high + 1 + 1) / 3, (low - 1 - 1) / 3
    child_min = (-0.4 - upper_sum + 1 / 3) / (1 / 3)
    child_max = (0.1 - lower_sum - 1 / 3) / (1 / 3)
    beta, text = paper.star1_windows("second")
    assert beta == pytest.approx(child_max)
    assert child_max == pytest.approx(0.5)
    assert text == f"{max(-1.0, child_min):g} to 0.5"


def test_a_cut_leaves_bounds_on_both_sides_of_the_value():
    lower, value, upper = (paper.cut_interval(case)[0] for case in ("lower", "value", "upper"))
    assert -1 < lower < value <= upper < value + 0.02  # the window began there
