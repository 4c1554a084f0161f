"""The record of results: one SQLite file, which only the process that leads a run writes.

A finished job is one row, written in one transaction; its key can be there once only.  A job with
samples that do not count is tried again by the next run, and replaced by what that brings.
Attempts that failed stand in a table of their own, so that crashes stay visible.  Whoever leads a
run holds the record's lock; anybody may read meanwhile.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, LimitReached, shorten
from trellis.lab.jobs import Job
from trellis.lab.measures import Sample
from trellis.lab.version import commit, machine, version

SCHEMA = 1  # of this file's tables; a record of another one is refused
_BUSY_SECONDS = 10.0
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE jobs (
    key TEXT PRIMARY KEY, work TEXT NOT NULL, version TEXT NOT NULL, experiment TEXT NOT NULL,
    cell TEXT NOT NULL, measure TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
    first INTEGER NOT NULL, count INTEGER NOT NULL, samples TEXT NOT NULL, seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL, git TEXT NOT NULL, machine TEXT NOT NULL, finished TEXT NOT NULL
);
CREATE INDEX by_work ON jobs (work);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, cell TEXT NOT NULL, why TEXT NOT NULL,
    at TEXT NOT NULL
);
"""
_COLUMNS = (
    "key", "work", "version", "experiment", "cell", "measure", "settings", "seed", "first", "count",
    "samples", "seconds", "cpu_seconds", "git", "machine", "finished",
)  # fmt: skip
_INSERT = (
    f"INSERT INTO jobs VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) "  # noqa: S608
    "ON CONFLICT DO NOTHING"
)
_REPLACE = (
    "UPDATE jobs SET samples = :samples, seconds = :seconds, cpu_seconds = :cpu_seconds, "
    "git = :git, machine = :machine, finished = :finished WHERE key = :key"
)


@dataclass(frozen=True)
class Done:
    """What is on record of a job."""

    samples: tuple[Sample, ...]
    seconds: float
    cpu_seconds: float
    version: str
    git: str
    machine: str

    @property
    def void(self) -> bool:
        """Tell whether there are samples that do not count."""
        return any(sample["value"] is None for sample in self.samples)


class Record:
    """Results in a file; `:memory:` keeps them as long as the program runs.

    >>> with Record(":memory:").leading() as record:
    ...     job = Job("match", (), 0, 0, 1)
    ...     record.add("an experiment", "a cell", job, ({"value": 1.0},), 2, 2)
    ...     record.find(job).samples
    True
    ({'value': 1.0},)
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self._shown = shorten(str(path))
        try:
            self._base = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise self._refusal(error) from error
        try:
            with self._reading():
                self._prepare()
        except BaseException:
            self._base.close()
            raise

    def find(self, job: Job, *, any_version: bool = False) -> Done | None:
        """Return what is on record of a job: of this version, or the latest of any."""
        with self._reading():
            row = self._base.execute(
                "SELECT samples, seconds, cpu_seconds, version, git, machine FROM jobs "
                "WHERE work = ? AND ? IN ('', version) ORDER BY finished DESC LIMIT 1",
                (job.work(), "" if any_version else version(job.measure)),
            ).fetchone()
        if row is None:
            return None
        return Done(_samples(row[0]), *row[1:])

    def add(
        self, experiment: str, cell: str, job: Job, samples: Iterable[Sample], seconds: float,
        cpu_seconds: float, where: str = "",
    ) -> bool:  # fmt: skip
        """Write down a finished job and where it was done; return whether it is news."""
        now = version(job.measure)
        row = {
            "key": job.key(now), "work": job.work(), "version": now, "experiment": experiment,
            "cell": cell, "measure": job.measure, "settings": _json(dict(job.settings)),
            "seed": job.seed, "first": job.first, "count": job.count,
            "samples": _json(list(samples)), "seconds": seconds, "cpu_seconds": cpu_seconds,
            "git": commit(), "machine": where or machine(), "finished": _now(),
        }  # fmt: skip
        with self._reading(), self._changing():
            written = self._base.execute(_INSERT, row)
            if written.rowcount == 1:
                return True
            before = self._base.execute("SELECT samples FROM jobs WHERE key = :key", row).fetchone()
            if not any(sample["value"] is None for sample in _samples(before[0])):
                return False
            self._base.execute(_REPLACE, row)
            return True

    def add_attempt(self, job: Job, cell: str, why: str) -> None:
        """Write down that somebody tried and failed."""
        with self._reading(), self._changing():
            self._base.execute(
                "INSERT INTO attempts (key, cell, why, at) VALUES (?, ?, ?, ?)",
                (job.key(version(job.measure)), cell, why, _now()),
            )

    def attempts(self) -> list[tuple[str, str]]:
        """Return the cells of attempts that failed, and why."""
        with self._reading():
            return self._base.execute("SELECT cell, why FROM attempts ORDER BY id").fetchall()

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield everything on record, a job at a time."""
        with self._reading():
            found = self._base.execute("SELECT * FROM jobs ORDER BY experiment, cell, first")
            names = [column[0] for column in found.description]
            for row in found:
                entry = dict(zip(names, row, strict=True))
                for name in ("settings", "samples"):
                    entry[name] = json.loads(entry[name])
                yield entry

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write down jobs that were recorded elsewhere, all or none; return how many are news."""
        news = 0
        with self._reading(), self._changing():
            for row in rows:
                content = {name: _json(row[name]) for name in ("settings", "samples")}
                news += self._base.execute(_INSERT, {**row, **content}).rowcount
        return news

    def paces(self) -> dict[tuple[str, str], float]:
        """Return how many seconds a sample took, by measure and settings as they are written."""
        with self._reading():
            found = self._base.execute(
                "SELECT measure, settings, SUM(seconds) / SUM(count) FROM jobs "
                "GROUP BY measure, settings"
            )
            return {(measure, settings): pace for measure, settings, pace in found}

    @contextmanager
    def leading(self) -> Iterator["Record"]:
        """Keep others from leading a run on this record; the system lets go if this one dies."""
        if str(self.path) == ":memory:":
            yield self
            return
        # Whatever name somebody uses for the file, its lock has one.
        lock_path = f"{Path(self.path).resolve()}.lock"
        with self._reading(lock_path):
            lock = sqlite3.connect(lock_path, timeout=0, isolation_level=None)
        with closing(lock):
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                if "locked" not in str(error):
                    raise self._refusal(error, lock_path) from error
                raise BadParameter(
                    f"another run is using {self._shown}: wait for its end, or name another file"
                ) from None
            with self._reading(), self._changing():
                pass  # a file that cannot be written is refused before anything is done
            yield self

    def close(self) -> None:
        """Let the file go."""
        self._base.close()

    def _prepare(self) -> None:
        """Make the tables where there is nothing yet, and refuse files of any other kind.

        Whoever made the file may have been killed before it wrote anything into it.
        """
        if self._is_empty():
            self._base.execute("PRAGMA journal_mode = WAL")
            with self._changing():
                if self._is_empty():  # nobody else has been quicker
                    for line in _TABLES.split(";"):
                        self._base.execute(line)
                    self._base.execute("INSERT INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
        # A commit outlives the death of this process; the last ones may be lost with the power.
        self._base.execute("PRAGMA synchronous = NORMAL")
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master")}
        found = None
        if {"meta", "jobs", "attempts"} <= tables:
            found = self._base.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
        if found is None:
            raise BadParameter(f"{self._shown} is not a record of results: name another file")
        if found[0] != str(SCHEMA):
            raise BadParameter(
                f"{self._shown} is a record of version {found[0]}: expected {SCHEMA}, "
                "name another file"
            )

    def _is_empty(self) -> bool:
        return self._base.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Do all inside in one transaction, or nothing of it."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise

    @contextmanager
    def _reading(self, path: str = "") -> Iterator[None]:
        """Say in one line what is wrong with the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._refusal(error, path) from error

    def _refusal(self, error: sqlite3.Error, path: str = "") -> Exception:
        shown, text = shorten(Path(path).name) if path else self._shown, str(error)
        if "is full" in text or "disk I/O" in text:  # the latter where a file may not grow
            return LimitReached(
                f"no room to write {shown} ({text}): what is recorded is safe; with more room, the "
                "same command goes on"
            )
        if "not a database" in text or "malformed" in text:
            return BadParameter(f"{shown} is not a record of results: {text}; name another file")
        return BadParameter(f"cannot use {shown}: {text}")


def _json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _samples(text: str) -> tuple[Sample, ...]:
    return tuple(json.loads(text))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
