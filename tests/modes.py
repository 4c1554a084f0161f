"""The same code in two other modes: as plain Python, and with every array access checked.

Each runs a selection of this suite in a process of its own: a flag of Numba's holds for a whole
process, and a checked kernel must never be mixed up with an unchecked one in the cache.  The tests
that do so are a file each, so that they can run side by side.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INSIDE = "TRELLIS_TESTS_MODE"  # set in the inner runs, so that they do not start others

# Compiling everything anew takes minutes.
whole_run = [
    pytest.mark.skipif(INSIDE in os.environ, reason="already inside such a run"),
    pytest.mark.timeout(2400),
]


def run_tests(selection, **environment):
    """Run some tests in a process with other settings; they must pass."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", *selection],
        cwd=ROOT,
        env=os.environ | {INSIDE: "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "passed" in done.stdout


def run_checked(selection, folder):
    """Run some tests with every index checked; a warm cache would check nothing."""
    cache = os.environ.get("TRELLIS_CHECKED_CACHE_DIR", str(folder))
    run_tests(selection, NUMBA_BOUNDSCHECK="1", TRELLIS_CACHE_DIR=cache)
