"""A proof goes on from what was written down, and from nothing that was damaged."""

import os
import signal
import subprocess
import sys
import time
from random import Random

import pytest

from trellis.game.errors import BadParameter, BadRecord
from trellis.loading import load
from trellis.search.solve.checkpoint import Saver, resume, save
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.settings import QuestionSettings

QUICK = QuestionSettings(memory=8.0, rating_games=500)
SPEC = "connect_four:rows=5,columns=5"


def begun(method="alphabeta", nodes=200_000, spec=SPEC, settings=QUICK):
    """Return a search that has looked at so many positions."""
    search = Portfolio(load(spec), method, settings)
    for member in search.members:
        if nodes:
            member.search.run(nodes=nodes)
            search._take(member)
    return search


@pytest.mark.parametrize("method", ["alphabeta", "dfpn"])
def test_a_search_goes_on_with_what_was_saved(method, tmp_path):
    whole = begun(method, 0)
    whole.run()
    search = begun(method, int(0.8 * whole.members[0].nodes))
    save(search, tmp_path / "so far")
    other = begun(method, 0)
    resume(other, tmp_path / "so far")
    before = other.members[0].nodes
    assert before == search.members[0].nodes > 0
    other.run()
    assert (other.low, other.high) == (0.0, 0.0)
    assert other.members[0].nodes - before < 0.8 * whole.members[0].nodes


def test_what_was_proven_need_not_be_proven_again(tmp_path):
    search = begun(nodes=10_000_000)
    assert search.solved
    save(search, tmp_path / "so far")
    other = begun(nodes=0)
    resume(other, tmp_path / "so far")
    assert other.solved
    assert other.report().outcome == "draw"


def test_damaged_files_are_refused(tmp_path):
    path, random = tmp_path / "so far", Random(1)
    save(begun(nodes=20_000), path)
    written = path.read_bytes()
    for at in [0, 5, 30, len(written) - 1, *(random.randrange(len(written)) for _ in range(60))]:
        changed = bytearray(written)
        changed[at] ^= 1 << random.randrange(8)
        path.write_bytes(bytes(changed))
        with pytest.raises(BadRecord):
            resume(begun(nodes=0), path)
        path.write_bytes(written[:at])
        with pytest.raises(BadRecord):
            resume(begun(nodes=0), path)


def test_files_of_other_positions_settings_and_too_little_memory_are_refused(tmp_path):
    path = tmp_path / "so far"
    save(begun(), path)
    with pytest.raises(BadParameter, match="another position"):
        resume(begun(nodes=0, spec="tic_tac_toe"), path)
    plain = QuestionSettings(memory=8.0, rating_games=500, symmetry=False)
    with pytest.raises(BadParameter, match="symmetries"):
        resume(begun(nodes=0, settings=plain), path)
    small = QuestionSettings(memory=0.3, rating_games=500)
    with pytest.raises(BadParameter, match="does not fit"):
        resume(begun(nodes=0, settings=small), path)


def test_a_checkpoint_is_written_now_and_then(tmp_path):
    search = begun(nodes=0)
    search.saver = saver = Saver(search, tmp_path / "so far", between=0.0)
    search.run(progress=lambda fraction, note: None)
    assert search.solved
    assert saver.written >= 1


_KILLED = """
import sys
from pathlib import Path
from trellis.loading import load
from trellis.search.solve.checkpoint import Saver
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.settings import QuestionSettings
settings = QuestionSettings(memory=8.0, rating_games=500)
search = Portfolio(load("connect_four:rows=6,columns=6"), "alphabeta", settings)
search.saver = Saver(search, Path(sys.argv[1]), between=0.0)
search.saver._between = 0.0
print("begun", flush=True)
search.run(progress=lambda fraction, note: None)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no way to kill here")
def test_a_killed_run_leaves_a_whole_file(tmp_path):
    path, size = tmp_path / "so far", "connect_four:rows=6,columns=6"
    for _ in range(2):
        run = subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(path)], stdout=subprocess.PIPE, env=os.environ
        )
        try:
            assert run.stdout.readline() == b"begun\n"
            before = path.stat().st_mtime_ns if path.exists() else 0
            while not path.exists() or path.stat().st_mtime_ns == before:
                assert run.poll() is None
                time.sleep(0.01)
        finally:
            run.kill()
            run.wait()
            run.stdout.close()
        other = begun(nodes=0, spec=size)
        resume(other, path)
        assert other.members[0].nodes > 0
