"""Ctrl-C while experiments run: what is recorded stays, workers end, and the next run goes on."""

import json
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from trellis.lab.record import Record

EXPERIMENT = """
measure = "match"
[settings]
a = "uct:sims=20"
b = "random"
[[cells]]
name = "tic"
settings = {game = "tic_tac_toe"}
[scales.paper]
samples = SAMPLES
"""


@pytest.fixture
def running(tmp_path):
    """Start `trellis reproduce` on an endless experiment; yield it when something is recorded."""
    started = []

    def run(*more):
        path, record = tmp_path / "endless.toml", tmp_path / "record"
        path.write_text(EXPERIMENT.replace("SAMPLES", "1000000"))
        command = ["reproduce", path, path, "--record", record, "--json", *more]
        process = subprocess.Popen(
            [sys.executable, "-m", "trellis", *map(str, command)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        while jobs_in(record) < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        return process, record

    yield run
    for process in started:
        process.kill()
        process.communicate()


def jobs_in(record):
    if not record.exists():
        return 0
    with closing(Record(record)) as opened:
        return len([*opened.rows()])


def children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("needs /proc to see processes")
    return [int(word) for word in found.read_text(encoding="ascii").split()]


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_tells_what_is_known_and_ends_workers(running, workers):
    process, record = running("--workers", workers)
    crew = children(process.pid)
    assert len(crew) >= workers if workers > 1 else True
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "trellis: interrupted"
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["interrupted"] is True
    (experiment,) = found["experiments"]  # the second one was not begun
    assert experiment["complete"] is False
    assert experiment["cells"][0]["samples"] == 2 * jobs_in(record)
    while any(Path(f"/proc/{child}").exists() for child in crew):
        time.sleep(0.05)


def test_pressed_again_it_leaves_at_once_and_what_is_recorded_stays(running):
    process, record = running("--workers", 2)
    crew = children(process.pid)
    before = jobs_in(record)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert jobs_in(record) >= before
    while any(Path(f"/proc/{child}").exists() for child in crew):
        time.sleep(0.05)
