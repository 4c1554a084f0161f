"""What is read off an error map: errors of known making come out as they were made."""

import error_map as reading
import numpy as np
import pytest

from trellis.lab.experiments import find_experiment
from trellis.lab.measures import measure_of
from trellis.lab.results import CellResult, Results
from trellis.lab.studies.error_map import CONSTANTS, DEPTHS, GAMES

EXPERIMENT = find_experiment("error-map-100")
POSITIONS = 40


def errors_of(cell, rng):
    """Return what one cell has measured: d1 helps at 1 and more, d2 harms, d3 does nothing."""
    base = np.linspace(30, 60, POSITIONS)  # some positions are harder than others
    constant = 4 * CONSTANTS.index(float(cell.name.rpartition("c=")[2]))
    _, depths, _ = cell.name.split("/")
    noise = rng.normal(0, 0.5, POSITIONS)
    if depths == "tree":
        return base + noise + constant
    d1, d2, _ = (DEPTHS.index(each) for each in depths.split(","))
    return base + noise + constant + (5 if d1 == 0 else 0) - 5 + 2 * d2


@pytest.fixture(scope="module")
def maps():
    rng, measure = np.random.default_rng(8), measure_of("choice_error")
    cells = []
    for cell in EXPERIMENT.cells:
        values = errors_of(cell, rng)
        samples = tuple((n, {"value": float(value)}) for n, value in enumerate(values))
        if cell.name.startswith("othello-4/"):  # another game, of which a part is missing
            samples = samples[: POSITIONS // 2]
        if cell.name == "kalah-3x2/1,0,1/c=0.3":
            samples = ()
        cells.append(CellResult(cell, measure, samples, POSITIONS))
    return reading.maps_of(Results(EXPERIMENT, "paper", tuple(cells)))


def test_games_with_a_cell_of_which_nothing_is_known_are_left_out(maps):
    assert [each.name for each in maps] == [name for name in GAMES if name != "kalah-3x2"]
    assert {each.name: each.samples for each in maps}["othello-4"] == POSITIONS // 2


def test_depths_do_what_they_were_made_to_do(maps):
    for each in maps:
        assert each.best() == (0, 0)
        for depth in DEPTHS[1:]:
            gain, error = each.effect(0, depth)
            assert abs(gain - 5) < 5 * error < 1
            gain, error = each.effect(1, depth)
            assert abs(gain + 2 * DEPTHS.index(depth)) < 5 * error < 1
            gain, error = each.effect(2, depth)
            assert abs(gain) < 5 * error < 1


def test_tables_tell_it(maps):
    row = next(line for line in reading.overview(maps).splitlines() if "| hex-3 |" in line)
    better, _, worse = row.split("|")[-2].partition(":")
    # d1 is not 0 and d2 at most 2 (gains of 5, 3, 1): 3 x 3 x 4; worse are d1 = 0 with d2 > 0
    # (12) and d1 > 0 with d2 = inf (12), which loses 1.
    assert (int(better), int(worse)) == (36, 24)
    effects = reading.effects(maps).splitlines()
    assert effects[0].split("|")[2:11] == [f" d{n}={d} " for n in (1, 2, 3) for d in DEPTHS[1:]]
    first = effects[2].split("|")[2].partition("±")[0]
    assert float(first) == pytest.approx(5, abs=0.5)


def test_shapes_stand_beside_gains(maps):
    features = {
        each.name: dict.fromkeys(reading.FEATURES, float(place)) for place, each in enumerate(maps)
    }
    text = reading.foretold(maps, features)
    assert f"over {len(maps)} games" in text
    assert text.count("| connect_four-4x4 |") == 1


def test_correlations_of_ranks():
    rising = [1.0, 2.0, 3.0, 10.0]
    assert reading.rank_correlation(rising, [5.0, 6.0, 7.0, 100.0]) == pytest.approx(1)
    assert reading.rank_correlation(rising, [4.0, 3.0, 2.0, 1.0]) == pytest.approx(-1)
    # Two are equal: ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
    assert reading.rank_correlation([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(0.9 / 0.9486833)


def test_the_map_is_drawn(maps, tmp_path):
    reading.draw(maps, tmp_path / "map.svg", 100)
    text = (tmp_path / "map.svg").read_text("utf-8")
    assert text.startswith("<?xml")
