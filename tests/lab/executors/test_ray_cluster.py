"""Jobs on a Ray cluster: a node dies, the head dies, and what is no cluster is refused."""

import json
import socket
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from laboratory import experiment, samples_of
from trellis.game.errors import BadParameter
from trellis.lab.record import Record
from trellis.lab.running import run

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="needs Ray (uv run --extra ray pytest), whose clusters for tests do not run on Windows",
)


@needs_ray
def test_a_node_that_dies_changes_nothing_and_a_head_that_dies_gets_one_line(tmp_path):
    script = Path(__file__).with_name("ray_runs.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    (line,) = done.stdout.splitlines()  # programs read it: Ray prints nothing besides
    found = json.loads(line)
    with closing(Record(":memory:")) as record:
        alone = run(experiment(samples=400, batch=20), "smoke", record=record)
        assert found["table"] == samples_of(alone)
        assert sorted(found["keys"]) == sorted(row["key"] for row in record.rows())
    assert len(set(found["keys"])) == len(found["keys"])
    assert all("has died" in why for _, why in found["attempts"])
    assert found["nodes"] == 1, "the other was killed on the way"
    assert "does not answer any more" in found["without_head"]
    assert "what is recorded is safe" in found["without_head"]
    assert "\n" not in found["without_head"]


@needs_ray
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", "bad address 'nowhere' of a Ray cluster: expected HOST:PORT"),
        (":6379", "bad address ':6379' of a Ray cluster"),
        ("localhost:99999", "bad address 'localhost:99999' of a Ray cluster"),
        ("no-such-host.invalid:6379", "no Ray cluster at 'no-such-host.invalid:6379'"),
    ],
)
def test_an_address_that_is_none_gets_one_line(address, message):
    with pytest.raises(BadParameter) as refused:
        run(experiment(), "smoke", ray=address)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@needs_ray
def test_an_address_where_nobody_listens_gets_one_line():
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(BadParameter, match=f"no Ray cluster at '127.0.0.1:{port}'"):
        run(experiment(), "smoke", ray=f"127.0.0.1:{port}")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it():
    with pytest.raises(BadParameter, match=r"needs Ray, which is not installed here.*\[ray\]"):
        run(experiment(), "smoke", ray="local")
