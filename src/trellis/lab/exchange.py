"""Results in a file of text, to be kept beside the source, sent around, and read again.

An export is JSON Lines: a first line that says what it is, then a line for each lot of jobs that
differ in nothing but their samples.  Of samples each field is a column: games without their moves
take some bytes each.  A file that ends in .gz is compressed.
"""

import gzip
import json
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, shorten
from trellis.lab.jobs import Job
from trellis.lab.record import Record

FORMAT = 1
_SAME = (
    "experiment", "cell", "measure", "settings", "seed", "version", "git", "machine",
)  # fmt: skip
_OWN = ("first", "count", "seconds", "cpu_seconds")
LONG = ("moves",)  # what samples may be told without
ENDINGS = (".jsonl", ".jsonl.gz")


def is_export(path: Path | str) -> bool:
    """Tell from a file's name whether it is an export."""
    return str(path).endswith(ENDINGS)


def export_record(
    record: Record, path: Path, experiments: Collection[str] = (), *, moves: bool = False
) -> int:
    """Write what is on record of some experiments, or of all; return how many jobs that is.

    What is written depends on the record alone, so the same results make the same file.
    """
    rows = (row for row in record.rows() if not experiments or row["experiment"] in experiments)
    written = 0
    lines = [_json({"trellis_results": FORMAT})]
    for same, group in groupby(sorted(rows, key=_order), key=_lot):
        jobs = list(group)
        written += len(jobs)
        samples = [
            {name: value for name, value in sample.items() if moves or name not in LONG}
            for job in jobs
            for sample in job["samples"]
        ]
        lot = dict(zip(_SAME, json.loads(same), strict=True))
        own = {name: _column([_rounded(job[name]) for job in jobs]) for name in _OWN}
        finished = max(job["finished"] for job in jobs)
        lines.append(
            _json(
                {**lot, "finished": finished, "number": len(jobs), "jobs": own,
                 "samples": _columns(samples)}
            )
        )  # fmt: skip
    content = "".join(f"{line}\n" for line in lines).encode()
    try:
        # No time of writing: the same results make the same file.
        path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    except OSError as error:
        raise BadParameter(f"cannot write {shorten(str(path))}: {error.strerror}") from error
    return written


def import_record(record: Record, path: Path) -> tuple[int, int]:
    """Write down what an export has; return how many jobs were new, and how many it has.

    All of it is written down, or nothing where something is wrong with the file.
    """
    rows = list(_read(path))
    return record.restore(rows), len(rows)


def _read(path: Path) -> Iterator[Mapping[str, Any]]:
    shown = shorten(str(path))
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        lines = content.decode().splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadParameter(f"cannot read {shown}: {reason}") from error
    at = 0
    try:
        if json.loads(lines[0])["trellis_results"] != FORMAT:
            raise BadParameter(f"{shown} is an export of another version: expected {FORMAT}")
        for line in lines[1:]:
            at += 1
            yield from _jobs(json.loads(line))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        where = f"line {at + 1}" if at else "its first line"
        raise BadParameter(
            f"{shown} is not an export of results, as `--export` writes them: see {where}"
        ) from error


def _jobs(lot: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the jobs of a line as they were on record."""
    number = int(lot["number"])
    own = {name: _spread(lot["jobs"][name], number) for name in _OWN}
    samples = _rows(lot["samples"], sum(map(int, own["count"])))
    begin = 0
    for place in range(number):
        mine = {name: own[name][place] for name in _OWN}
        job = Job(
            str(lot["measure"]), tuple(sorted(lot["settings"].items())), int(lot["seed"]),
            int(mine["first"]), int(mine["count"]),
        )  # fmt: skip
        found = samples[begin : begin + job.count]
        begin += job.count
        if not all("value" in sample for sample in found):
            raise ValueError
        yield {
            "key": job.key(str(lot["version"])), "work": job.work(),
            **{name: lot[name] for name in (*_SAME, "finished")}, **mine, "samples": found,
        }  # fmt: skip


# -- columns -----------------------------------------------------------------------------------


def _columns(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Return samples by field; where a sample lacks one, there is a list of those that have it."""
    names = list(dict.fromkeys(name for sample in samples for name in sample))
    found: dict[str, Any] = {}
    for name in sorted(names):
        places = [place for place, sample in enumerate(samples) if name in sample]
        column = _column([samples[place][name] for place in places])
        found[name] = column if len(places) == len(samples) else {**column, "at": places}
    return found


def _rows(columns: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(number)]
    for name, column in columns.items():
        places = column.get("at", range(number))
        for place, value in zip(places, _spread(column, len(places)), strict=True):
            rows[place][name] = value
    return rows


def _column(values: list[Any]) -> dict[str, Any]:
    """Return values as a list, or once where they are all the same."""
    if len(values) > 1 and all(_json(value) == _json(values[0]) for value in values):
        return {"all": values[0]}
    return {"each": values}


def _spread(column: Mapping[str, Any], number: int) -> list[Any]:
    values = [column["all"]] * number if "all" in column else list(column["each"])
    if len(values) != number:
        raise ValueError
    return values


def _rounded(value: float) -> float:
    """Return a time to the millisecond."""
    return round(value, 3) if isinstance(value, float) else value


def _lot(row: Mapping[str, Any]) -> str:
    return _json([row[name] for name in _SAME])


def _order(row: Mapping[str, Any]) -> tuple[str, int]:
    return _lot(row), row["first"]


def _json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)
