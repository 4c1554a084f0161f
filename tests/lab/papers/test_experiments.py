"""Every experiment of every paper: complete, runnable, and with the numbers that were printed."""

from fnmatch import fnmatchcase
from importlib import resources

import pytest

from trellis.lab.experiment import SCALES
from trellis.lab.experiments import PAPERS, all_experiments
from trellis.lab.measures import measure_of
from trellis.lab.papers import data
from trellis.lab.papers.ucd_leftright import RERUN
from trellis.lab.running import Run, run
from trellis.lab.verdicts import NO, OPEN, RULES, YES, judge
from trellis.players.texts import read_player

from places import SHARED

EXPERIMENTS = all_experiments()
EACH = pytest.mark.parametrize("name", EXPERIMENTS)
DEPTHS = [f"{d1},{d2},{d3}" for d1 in range(3) for d2 in range(3) for d3 in range(3)]


def printed_in(file):
    path = SHARED / "tables" / file
    if not path.is_file():
        pytest.skip("needs ../shared/tables, which is not here")
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


@EACH
def test_an_experiment_says_what_it_is_about(name):
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert experiment.title
    assert experiment.source
    assert experiment.claims
    assert set(experiment.scales) == set(SCALES)
    assert len({cell.name for cell in experiment.cells}) == len(experiment.cells)
    assert all(" " not in cell.name for cell in experiment.cells), "patterns are parted by spaces"


@EACH
def test_claims_have_rules_and_name_cells_that_exist(name):
    experiment = EXPERIMENTS[name]
    names = [cell.name for cell in experiment.cells]
    for claim in experiment.claims:
        assert claim.rule in RULES
        for pattern in str(claim.settings.get("cells", "*")).split():
            assert any(fnmatchcase(each, pattern) for each in names), (claim.text, pattern)
        for role in ("more", "less", "of", "to"):
            assert claim.settings.get(role, names[0]) in names


@EACH
@pytest.mark.parametrize("scale", SCALES)
def test_the_measure_takes_the_settings_of_every_cell(name, scale):
    experiment = EXPERIMENTS[name]
    measure = measure_of(experiment.measure)
    cells = experiment.cells_at(experiment.scale(scale))
    assert cells
    for cell in cells:
        measure.read(cell.settings)


@EACH
def test_smoke_runs_to_the_end(name):
    experiment = EXPERIMENTS[name]
    told = []
    results = run(experiment, "smoke", notice=told.append)
    if results.skipped:
        pytest.skip(results.skipped)
    assert told == []
    assert results.complete
    for each in results.cells:
        assert each.halted == ""
        assert len(each.samples) == each.wanted
        assert any(sample["value"] is not None for _, sample in each.samples)
    assert {verdict.answer for verdict in judge(results)} <= {YES, NO, OPEN}
    assert results.to_dict()["cells"]


@EACH
def test_cells_of_one_experiment_do_not_share_their_games(name):
    experiment = EXPERIMENTS[name]
    jobs = [job.work() for _, job in Run(experiment, "paper", _Nowhere()).jobs()]
    assert len(set(jobs)) == len(jobs)


class _Nowhere:
    """A record that is never asked."""


def test_papers_have_experiments():
    assert len(PAPERS) >= 6
    assert len(EXPERIMENTS) >= 40


# -- what was printed ------------------------------------------------------------------------

TABLES = sorted(each.name for each in resources.files(data).iterdir() if each.name.endswith(".tsv"))


@pytest.mark.parametrize("file", TABLES)
def test_tables_of_ours_are_those_that_were_checked(file):
    ours = (resources.files(data) / file).read_text("utf-8")
    assert [line.split("\t") for line in ours.splitlines()] == printed_in(file)


@pytest.mark.parametrize("number", range(3, 13))
@pytest.mark.parametrize("kind", ["", "-time", "-sheet", "-sheet-time"])
def test_numbers_of_ucd_stand_in_the_cells_they_belong_to(number, kind):
    (file,) = (name for name in TABLES if name.startswith(f"ucd_table{number:02}"))
    titles, *rows = printed_in(file)
    assert titles == ["d1", "d2", "d3", "score_pct_vs_UCT_no_TT"]
    printed = {",".join(row[:3]): float(row[3]) for row in rows}
    experiment = EXPERIMENTS[f"ucd-table-{number}{kind}"]
    ours = {cell.name: cell.published.value for cell in experiment.cells if cell.published}
    assert ours == printed
    assert sorted(ours) == DEPTHS
    titles, *rows = printed_in("ucd_tables03-12_summary.tsv")
    (summary,) = (
        dict(zip(titles, row, strict=True)) for row in rows if row[0] == str(number)
    )  # what others computed from the same table
    assert max(ours.values()) == ours[summary["best_d"]] == float(summary["best_pct"])
    assert ours["1,0,1"] == float(summary["usual_101"])
    assert sum(ours.values()) / 27 == pytest.approx(float(summary["mean_of_27_cells"]), abs=0.006)
    better = [claim.settings for claim in experiment.claims if "more" in claim.settings]
    assert better[0]["more"] == summary["best_d"]


def test_numbers_of_ucd_on_go():
    titles, *rows = printed_in("ucd_table01_go6x6.tsv")
    assert titles == ["d1", "d2", "d3", "c0.2", "c0.4", "c0.6"]
    printed = {
        f"{d1},{d2},{d3},c={c}": float(percent)
        for d1, d2, d3, *percents in rows
        for c, percent in zip(("0.2", "0.4", "0.6"), percents, strict=True)
    }
    assert len(printed) == 36
    cells = EXPERIMENTS["ucd-table-1"].cells
    assert {cell.name: cell.published.value for cell in cells} == printed
    titles, *rows = printed_in("ucd_table02_go6x6_rave.tsv")
    assert titles == ["rave_constant", "depth_rave", "depth_mean", "result_pct"]
    printed = {
        f"mean={mean},rave={constant}": float(percent) for constant, _, mean, percent in rows
    }
    assert len(printed) == 14
    cells = EXPERIMENTS["ucd-table-2"].cells
    assert {cell.name: cell.published.value for cell in cells} == printed


def test_numbers_of_the_text_of_ucd():
    leftright = {cell.name: cell.published for cell in EXPERIMENTS["ucd-figure-4"].cells}
    assert (leftright["uct"].value, leftright["inf,0,1"].value) == (81.5, 99.8)
    of_all = [each.value for name, each in leftright.items() if name.startswith("update-all")]
    assert set(of_all) == {77.7}
    assert sum(each is not None for each in leftright.values()) == 2 + len(of_all)
    hex_ = {cell.name: cell.published for cell in EXPERIMENTS["ucd-hex"].cells}
    assert (hex_["0,1,2"].value, hex_["0,1,2"].samples) == (63.5, 400)
    assert {each.value for name, each in hex_.items() if name.startswith("update")} == {51.5}
    rerun = {cell.name: cell.published.value for cell in EXPERIMENTS["ucd-figure-4-rerun"].cells}
    assert rerun == RERUN


# -- who plays -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(3, 13))
def test_players_of_the_ten_games(number):
    for kind in ("", "-time", "-sheet", "-sheet-time"):
        experiment = EXPERIMENTS[f"ucd-table-{number}{kind}"]
        for cell in experiment.cells:
            ours, theirs = (read_player(cell.settings[who]) for who in "ab")
            assert theirs.graph_settings().select == "uct0"
            assert ours.options["c"] == theirs.options["c"] == 0.4
            assert ours.graph_settings().bounds == theirs.graph_settings().bounds == "off"
            assert ours.graph_settings().depths == tuple(map(int, cell.name.split(",")))
            assert ("time" in cell.settings) == kind.endswith("-time")
            assert ("sims" in cell.settings) == (not kind.endswith("-time"))
            assert ("sheet" in cell.settings) == cell.settings["game"].endswith(".kif")
            assert ("sheet" in cell.settings) == kind.startswith("-sheet")


def test_payoffs_of_crisscross_are_beside_those_of_equals():
    experiment = EXPERIMENTS["ucd-table-6-points"]
    assert {cell.settings["score"] for cell in experiment.cells} == {"payoff"}
    even = experiment.cells[-1]
    assert even.settings["a"] == even.settings["b"]
    usual = {cell.name: cell.published for cell in EXPERIMENTS["ucd-table-6"].cells}
    assert {cell.name: cell.published for cell in experiment.cells[:-1]} == usual
    assert "1, 1/2 or 0" not in " ".join(experiment.deviations)


def test_players_on_go():
    cells = {
        cell.name: cell.settings
        for number in (1, 2)
        for cell in EXPERIMENTS[f"ucd-table-{number}"].cells
    }
    table1, table2 = cells["2,0,1,c=0.6"], cells["mean=1,rave=0.0016"]
    ours, theirs = read_player(table1["a"]), read_player(table1["b"])
    assert ours.graph_settings().depths == (2, 0, 1)
    assert (ours.options["c"], theirs.options["c"]) == (0.6, 0.4)
    assert theirs.graph_settings().select == "uct0"
    ours, theirs = (read_player(table2[who]).graph_settings() for who in "ab")
    assert ours.depths == (1, 0, 0)
    assert (ours.rave_children, theirs.rave_children) == (True, False)
    assert ours.rave_bias == theirs.rave_bias == 0.0016


def test_drakes_opponents_have_the_memory_that_his_table_has():
    for cell in EXPERIMENTS["drake-strength"].cells:
        ours, theirs = (read_player(cell.settings[who]) for who in "ab")
        assert ours.options["when_full"] == "drake"
        assert ours.options["reuse"]
        other = cell.name.split(",")[1]
        if other in ("collect", "stop"):
            assert theirs.options["when_full"] == other
            assert {**ours.options, "when_full": other} == theirs.options
