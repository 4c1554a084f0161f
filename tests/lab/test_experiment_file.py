"""Experiments in files: what is read, and one line that names what is wrong."""

from pathlib import Path

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.experiment_file import read_experiment
from trellis.lab.running import run

GOOD = """
title = "Does an opening matter?"
measure = "match"
seed = 5
batch = 4
[settings]
game = "{game}"
a = "uct:sims={sims}"
b = "random"
[grid]
game = ["nim", "tic_tac_toe"]
sims = [3, 10]
[[cells]]
name = "more"
settings = {opening = 1, game = "nim", a = "random"}
published = 50
published_samples = 100
[scales.smoke]
samples = 4
cells = "more game=nim*"
[scales.paper]
samples = 100
settings = {opening = 2}
[[claims]]
text = "it does not"
rule = "as_published"
cells = "more"
[plot]
kind = "bars"
"""


def test_a_file_says_all_that_is_to_be_known(written):
    path = written(GOOD, "openings.toml")
    found = read_experiment(path)
    assert (found.name, found.seed, found.batch) == ("openings", 5, 4)
    assert [cell.name for cell in found.cells] == [
        "game=nim,sims=3", "game=nim,sims=10", "game=tic_tac_toe,sims=3",
        "game=tic_tac_toe,sims=10", "more",
    ]  # fmt: skip
    assert found.cells[1].settings == {"game": "nim", "a": "uct:sims=10", "b": "random"}
    assert (found.cells[1].row, found.cells[1].column, found.cells[1].x) == (
        "game=nim", "sims=10", 10.0,
    )  # fmt: skip
    assert found.cells[4].published.value == 50
    assert found.cells_at(found.scale("paper"))[0].settings["opening"] == 2
    assert len(found.cells_at(found.scale("smoke"))) == 3
    results = run(str(path), "smoke", cells="more")
    assert [len(cell.samples) for cell in results.cells] == [4]


def changed(before, after):
    assert before in GOOD
    return GOOD.replace(before, after)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "measure is missing"),
        ("x = ", "is not TOML: Invalid value"),
        ("a = " + "[" * 5000, "is not TOML: maximum recursion depth exceeded"),
        ("# " + "x" * (1 << 20), "is too large: expected at most 1,024 KiB"),
        (b"\xff\xfe", "cannot read"),
        ("colour = 1\n" + GOOD, "unknown field 'colour' of the file: expected one of title"),
        ("seed = true\n" + changed("seed = 5", ""), "bad value 'True' for seed of the file"),
        (changed("seed = 5", "seed = 10000000000000000000"), "bad value 1000000000000000"),
        (changed("batch = 4", "batch = 0"), "bad value 0 for batch: expected 1 to 100,000"),
        (changed('measure = "match"', ""), "measure is missing"),
        (changed('"match"', '"matches"'), "unknown measure 'matches': expected one of match"),
        (changed('b = "random"', ""), "measure match needs a setting b"),
        (changed('b = "random"', "b = 3"), "bad value '3' for setting b of measure match"),
        (changed("opening = 1", "openings = 1"), "unknown setting 'openings' of measure match"),
        (changed("opening = 1", "opening = -1"), "bad value -1 for opening: expected a whole numb"),
        (changed("opening = 1", "time = nan"), "bad value nan for time: expected a number above 0"),
        (changed("opening = 1", "time = inf"), "bad value inf for time: expected a number above 0"),
        (changed("opening = 1", "time = 2020-01-01"), "for setting time of measure match"),
        (changed("opening = 2", "opening = 2.5"), "bad value '2.5' for setting opening"),
        (changed("sims = [3, 10]", "sims = []"), "bad grid 'sims': expected a list of values"),
        (changed("sims = [3, 10]", "sims = 3"), "bad grid 'sims': expected a list of values"),
        (changed("sims = [3, 10]", "sims = [3, 3]"), "has two cells called 'game=nim,sims=3'"),
        (changed("[3, 10]", str([*range(6000)])), "the grid has 12,000 cells: expected at most"),
        (changed('name = "more"', 'name = ""'), "a cell has no name"),
        (changed('name = "more"', "name = 3"), "bad value '3' for name of a cell: expected text"),
        (changed("published = 50", "published = nan"), "bad value nan for published of a cell"),
        (changed("= 100\n[", "= 0\n["), "bad value 0 for published_samples of a cell"),
        (changed("samples = 4", ""), "scale 'smoke' does not say how many samples"),
        (changed("samples = 4", "samples = 0"), "bad value 0 for samples of scale smoke"),
        (changed("samples = 4", 'samples = "4"'), "bad value '4' for samples of scale smoke"),
        (changed("game=nim*", "x").replace('"more x"', '"x"'), "no cell is called 'x', the cells"),
        (GOOD.partition("[scales")[0], "scales is missing"),
        ("scales = {paper = 3}\n" + GOOD.partition("[scales")[0], "bad scale 'paper': expected"),
        ("scales = {}\n" + GOOD.partition("[scales")[0], "has no scales"),
        (GOOD.partition("[grid")[0] + "[scales.paper]\nsamples = 1", "has no cells"),
        (changed('"as_published"', '"as_publishd"'), "unknown rule 'as_publishd' of a claim"),
        (changed('"as_published"', '"above"'), "a claim by the rule above needs than"),
        (changed('cells = "more"\n', 'cell = "more"\n'), "unknown field 'cell' of a claim by"),
        (changed('cells = "more"\n', 'cells = "less"\n'), "bad value 'less' for cells of a claim"),
        (changed('text = "it does not"', ""), "a claim needs text"),
        ("claims = [1]\n" + GOOD.partition("[[claims")[0], "bad claims: expected tables"),
        (changed('"bars"', '"pie"'), "bad value 'pie' for kind of plot: expected one of lines"),
        ("needs = [1]\n" + GOOD, "bad needs: expected a list of texts"),
        ('name = "a\\nb"\n' + GOOD, "for name: expected one line"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_in_one_line(written, monkeypatch, text, message):
    monkeypatch.chdir(written(text, "bad.toml").parent)
    with pytest.raises(BadParameter) as refused:
        read_experiment(Path("bad.toml"))
    said = str(refused.value)
    assert message in said
    assert "bad.toml" in said
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize("name", ["none.toml", "."])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    with pytest.raises(BadParameter, match="cannot read"):
        read_experiment(tmp_path / name)
