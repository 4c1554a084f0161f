"""Runs that are killed at any moment, and go on: nothing is lost, nothing done twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from laboratory import experiment
from trellis.lab.record import Record
from trellis.lab.running import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def killed(folder, kills, workers):
    script = Path(__file__).with_name("killed_runs.py")
    command = [sys.executable, str(script), str(folder), str(kills), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("kills", "workers"),
    [
        (50, 1),
        pytest.param(
            1, 2, marks=pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
        ),
    ],
)
def test_a_run_killed_many_times_ends_as_one_left_alone(tmp_path, kills, workers):
    found = killed(tmp_path, kills, workers)
    record = Record(":memory:")
    wanted = len(Run(experiment(samples=120), "smoke", record).jobs())
    record.close()
    assert found["killed"] == kills
    assert any(0 < size < wanted for size in found["sizes"]), "it was killed on its way"
    disturbed, left_alone = found["disturbed"], found["left_alone"]
    assert disturbed["table"] == left_alone["table"]
    assert disturbed["keys"] == left_alone["keys"]
    assert len(set(disturbed["keys"])) == len(disturbed["keys"]) == wanted
    assert all(why == "its process has died" for _, why in disturbed["attempts"])
