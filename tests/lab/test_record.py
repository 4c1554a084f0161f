"""The record: one row a job whatever happens, and one line for a file that cannot be used."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from laboratory import experiment, samples_of
from trellis.game.errors import BadParameter, LimitReached
from trellis.lab import record as record_file
from trellis.lab.jobs import Job
from trellis.lab.record import Record
from trellis.lab.running import run

JOB = Job("match", (("a", "random"),), 0, 0, 2)
WON = ({"value": 1.0}, {"value": 0.0})


def add(record, samples=WON, job=JOB):
    return record.add("an experiment", "a cell", job, samples, 1.5, 1.25, "a machine")


def refusal(path):
    with pytest.raises(BadParameter) as refused:
        Record(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_is_added_is_found_by_whoever_opens_it_next(tmp_path):
    path = tmp_path / "record"
    with closing(Record(path)) as record:
        assert record.find(JOB) is None
        assert add(record)
    with closing(Record(path)) as record:
        done = record.find(JOB)
        assert (done.samples, done.seconds, done.cpu_seconds) == (WON, 1.5, 1.25)
        assert done.machine == "a machine"
        (row,) = record.rows()
        assert row["settings"] == {"a": "random"}
        assert row["samples"] == [*WON]
        assert record.find(Job("match", (("a", "random"),), 0, 0, 4)) is None


def test_a_job_is_on_record_once_and_the_first_result_stands(tmp_path):
    with closing(Record(tmp_path / "record")) as record:
        assert add(record)
        assert not add(record, ({"value": 0.5}, {"value": 0.5}))
        assert record.find(JOB).samples == WON
        assert len([*record.rows()]) == 1


def test_samples_that_do_not_count_are_replaced_by_those_that_do(tmp_path):
    void = ({"value": 1.0}, {"value": None, "void": "crashed"})
    with closing(Record(tmp_path / "record")) as record:
        assert add(record, void)
        assert record.find(JOB).void
        assert add(record)
        assert record.find(JOB).samples == WON
        assert not add(record, void)
        assert len([*record.rows()]) == 1


def test_attempts_are_kept_apart(tmp_path):
    with closing(Record(tmp_path / "record")) as record:
        record.add_attempt(JOB, "a cell", "its process has died")
        assert record.find(JOB) is None
        assert record.attempts() == [("a cell", "its process has died")]


def test_numbers_that_do_not_exist_can_be_written_down(tmp_path):
    with closing(Record(tmp_path / "record")) as record:
        add(record, ({"value": float("nan")},))
        assert record.find(JOB).samples[0]["value"] != 0
        assert str(record.find(JOB).samples[0]["value"]) == "nan"


def test_results_of_other_versions_are_kept_apart_unless_asked_for(monkeypatch):
    tiny = experiment(samples=4)
    with closing(Record(":memory:")) as record:
        first = run(tiny, "smoke", record=record)
        monkeypatch.setattr(record_file, "version", lambda measure: "0.0+another")
        jobs = len([*record.rows()])
        assert samples_of(run(tiny, "smoke", record=record, any_version=True)) == samples_of(first)
        assert len([*record.rows()]) == jobs
        second = run(tiny, "smoke", record=record)
        assert len([*record.rows()]) == 2 * jobs
        assert samples_of(second) == samples_of(first)
        (origin,) = {row["version"] for row in record.rows()} - {"0.0+another"}
        assert first.versions == (origin,)


# -- files that cannot be used -----------------------------------------------------------------


def test_a_file_of_another_kind_is_refused_and_stays_as_it_is(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("All that I know. " * 500)
    before = path.read_bytes()
    assert "is not a record of results: file is not a database" in refusal(path)
    assert path.read_bytes() == before


def test_somebody_elses_database_is_refused_and_stays_as_it_is(tmp_path):
    path = tmp_path / "music.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE songs (title TEXT)")
    before = path.read_bytes()
    assert "is not a record of results: name another file" in refusal(path)
    assert path.read_bytes() == before


def test_a_record_of_another_version_is_refused(tmp_path):
    path = tmp_path / "record"
    Record(path).close()
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE meta SET value = '99'")
        base.commit()
    assert "is a record of version 99: expected 1, name another file" in refusal(path)


@pytest.mark.parametrize("name", ["no/such/folder/record", "."])
def test_a_path_that_leads_nowhere_is_refused(tmp_path, name):
    assert "cannot use" in refusal(tmp_path / name)
    assert "unable to open database file" in refusal(tmp_path / name)


def test_a_file_that_was_begun_by_somebody_who_died_is_finished(tmp_path):
    """SQLite makes the file first, and the header; the tables come later."""
    empty, begun = tmp_path / "empty", tmp_path / "begun"
    empty.touch()
    with closing(sqlite3.connect(begun)) as base:
        base.execute("PRAGMA journal_mode = WAL")
    assert begun.stat().st_size > 0
    for path in (empty, begun):
        with closing(Record(path)) as record:
            assert add(record)


def test_a_damaged_record_gets_one_line(tmp_path):
    path = tmp_path / "record"
    with closing(Record(path)) as record:
        for first in range(0, 400, 2):
            add(record, ({"value": 1.0, "moves": "abc " * 100},) * 2, Job("match", (), 0, first, 2))
    damaged = bytearray(path.read_bytes())
    damaged[5000:] = bytes([255]) * (len(damaged) - 5000)
    path.write_bytes(damaged)
    refused = pytest.raises(BadParameter, match="is not a record of results: ")
    with refused, closing(Record(path)) as record:
        [*record.rows()]


# -- one run at a time -------------------------------------------------------------------------


def test_a_second_run_on_one_record_is_refused_whatever_it_calls_it(tmp_path):
    path, other_name = tmp_path / "record", tmp_path / "link"
    other_name.symlink_to(path)
    code = (
        "import sys; from trellis.lab.record import Record; from trellis.game.errors import *\n"
        "try:\n  with Record(sys.argv[1]).leading(): print('leads')\n"
        "except TrellisError as error: print(error)"
    )

    def second(name):
        done = subprocess.run(
            [sys.executable, "-c", code, name], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    with closing(Record(path)) as record:
        with record.leading():
            for name in (path, other_name):
                assert second(name).startswith("another run is using ")
            with closing(Record(path)) as reader:  # reading is free
                assert [*reader.rows()] == []
        assert second(path) == "leads"


def test_a_lock_that_is_no_lock_is_refused(tmp_path):
    path = tmp_path / "record"
    (tmp_path / "record.lock").write_text("not mine " * 1000)
    refused = pytest.raises(BadParameter, match=r"'record\.lock' is not a record of results")
    with closing(Record(path)) as record, refused, record.leading():
        pass


# -- no room -----------------------------------------------------------------------------------


def test_a_full_disk_ends_the_run_in_one_line_and_it_goes_on_with_more_room(tmp_path):
    path = tmp_path / "record"
    tiny = experiment(samples=200, batch=20)
    told = "no room to write .*what is recorded is safe; with more room, the same command goes on"
    with closing(Record(path)) as record:
        pages = record._base.execute("PRAGMA page_count").fetchone()[0]
        record._base.execute(f"PRAGMA max_page_count = {pages + 8}")
        with pytest.raises(LimitReached, match=told):
            run(tiny, "smoke", record=record)
        assert 0 < len([*record.rows()]) < 30
        assert not record._base.in_transaction
    with closing(Record(path)) as record:
        before = {row["key"]: row["finished"] for row in record.rows()}
        assert samples_of(run(tiny, "smoke", record=record)) == samples_of(run(tiny, "smoke"))
        after = {row["key"]: row["finished"] for row in record.rows()}
        assert len(after) == 30
        assert before.items() <= after.items(), "nothing was done twice"


FILLING = """
import json, resource, signal, sys
sys.path.insert(0, sys.argv[2])
from laboratory import experiment
from trellis.game.errors import TrellisError
from trellis.lab.running import run
run(experiment(samples=2), "smoke")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000))
try:
    run(experiment(samples=2000, batch=20), "smoke", record=sys.argv[1])
except TrellisError as error:
    print(error)
"""


def test_a_file_that_may_not_grow_ends_the_run_in_one_line(tmp_path):
    path = tmp_path / "record"
    command = [sys.executable, "-c", FILLING, str(path), str(Path(__file__).parent.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = done.stdout.splitlines()
    assert line.startswith("no room to write ")
    assert "Traceback" not in done.stderr
    with closing(Record(path)) as record:
        assert json.dumps([*record.rows()]), "it can be read"
        assert add(record), "and written, with room again"
