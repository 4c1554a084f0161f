"""The same code in two other modes: as plain Python, and with every array access checked.

Each runs a selection of this suite in a process of its own: a flag of Numba's holds for a whole
process, and a checked kernel must never be mixed up with an unchecked one in the cache.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INSIDE = "TRELLIS_TESTS_MODE"  # set in the inner runs, so that they do not start others

pytestmark = pytest.mark.skipif(INSIDE in os.environ, reason="already inside such a run")


def _run_tests(selection, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", *selection],
        cwd=ROOT,
        env=os.environ | {INSIDE: "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


def test_kernels_as_plain_python():
    """No machine code at all: what the source says is what runs."""
    out = _run_tests(
        [
            "tests/games/test_contract.py",
            "tests/game/test_words.py",
            "tests/game/test_perft.py",
            "tests/search/test_search.py::test_recorded_games_count_as_simulations",
            "tests/search/test_search.py::test_slices_do_not_change_the_search",
            "tests/search/test_proofs.py::test_a_strategy_wins_against_everything",
        ],
        NUMBA_DISABLE_JIT="1",
    )
    assert "passed" in out


@pytest.fixture(scope="module")
def checked_cache(tmp_path_factory):
    """A cache of its own: a warm one would check nothing."""
    return os.environ.get("TRELLIS_CHECKED_CACHE_DIR", str(tmp_path_factory.mktemp("checked")))


def test_kernels_with_checked_array_bounds(checked_cache):
    """Every index of the games is checked."""
    out = _run_tests(
        [
            "tests/games/test_contract.py",
            "tests/game/test_perft.py",
            "tests/game/test_playouts.py",
        ],
        NUMBA_BOUNDSCHECK="1",
        TRELLIS_CACHE_DIR=checked_cache,
    )
    assert "passed" in out


def test_the_search_with_checked_array_bounds(checked_cache):
    """Every index of the search is checked."""
    out = _run_tests(
        [
            "tests/search/test_flat.py",
            "tests/search/test_proofs.py",
            "tests/search/test_search.py",
            "tests/chance/test_star.py::test_windows_inside_the_value_outside_a_bound",
            "tests/chance/test_star.py::test_two_threads_find_the_same_value",
        ],
        NUMBA_BOUNDSCHECK="1",
        TRELLIS_CACHE_DIR=checked_cache,
    )
    assert "passed" in out
