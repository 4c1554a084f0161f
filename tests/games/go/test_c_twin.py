"""Random games of Go beside those of a plain C program, which shares no line with ours."""

from pathlib import Path
from shutil import which

import pytest
from go_playouts import MOST_OFF, PlainC, play_ours, standard_errors_apart

pytestmark = pytest.mark.skipif(which("cc") is None, reason="there is no C compiler, cc")

GAMES = {2: 200_000, 3: 200_000, 5: 200_000, 7: 60_000, 9: 60_000, 13: 40_000, 19: 6_000}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> PlainC:
    return PlainC(Path(tmp_path_factory.mktemp("c")))


@pytest.mark.parametrize(("size", "games"), GAMES.items())
def test_means_are_those_of_the_c_program(program: PlainC, size: int, games: int) -> None:
    apart = standard_errors_apart(play_ours(size, games, seed=1), program.play(size, games, seed=1))
    assert all(abs(z) < MOST_OFF for z in apart.values()), apart


def test_other_random_games_are_told_apart(program: PlainC) -> None:
    ours = play_ours(9, 40_000, seed=1, playouts="patterns")
    apart = standard_errors_apart(ours, program.play(9, 40_000, seed=1))
    assert abs(apart["wins"]) > MOST_OFF
