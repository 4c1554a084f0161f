"""Sweeps: a match for each combination of a grid."""

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.running import run
from trellis.lab.sweep import read_grid, sweep_of


def test_each_combination_is_a_cell_with_the_values_filled_in():
    grid = read_grid(["c=0.2 0.4", "sims=10 20"])
    experiment = sweep_of("tic_tac_toe", "uct:c={c}", "random", grid, games=4)
    assert [cell.name for cell in experiment.cells] == [
        "c=0.2,sims=10", "c=0.2,sims=20", "c=0.4,sims=10", "c=0.4,sims=20",
    ]  # fmt: skip
    assert experiment.cells[1].settings["a"] == "uct:c=0.2"
    assert experiment.cells[1].settings["sims"] == 20


def test_games_may_be_varied_and_a_stronger_player_is_seen():
    grid = read_grid(["game=tic_tac_toe nim"])
    experiment = sweep_of("tic_tac_toe", "uct:sims=300", "random", grid, games=20)
    found = {each.cell.settings["game"]: each.estimate_at(0.95) for each in run(experiment).cells}
    assert found["tic_tac_toe"].low > 50
    assert found["nim"].samples == 20


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ([], "nothing is varied"),
        (["c"], "bad grid 'c'"),
        (["c=1", "c=2"], "given twice"),
        (["d=1 2"], "nothing is varied by 'd'"),
    ],
)
def test_bad_grids_are_refused_by_name(texts, named):
    with pytest.raises(BadParameter, match=named):
        sweep_of("tic_tac_toe", "uct:c={c}", "random", read_grid(texts))
