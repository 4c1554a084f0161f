"""Every index of the games is checked."""

from modes import run_checked, whole_run

pytestmark = whole_run


def test_kernels_with_checked_array_bounds(tmp_path):
    run_checked(
        [
            "tests/games/test_contract.py",
            "tests/game/test_perft.py",
            "tests/game/test_playouts.py",
        ],
        tmp_path,
    )
