"""What is on record is the same after it has been written to a file and read again."""

import gzip
import json

import pytest

from trellis import lab
from trellis.game.errors import BadParameter
from trellis.lab.jobs import Job
from trellis.lab.running import Run

SAMPLES = (
    {"value": 1.0, "plies": 12, "moves": "a b c", "end": "rules"},
    {"value": 0.5, "plies": 9, "moves": "d", "end": "rules"},
    {"value": None, "void": "no answer", "plies": 3, "moves": "", "end": "failed"},
    {"value": -0.1, "curve": [1, 2.5], "text": "é\n"},
)


@pytest.fixture
def record():
    """Make a record with two experiments of several jobs."""
    record = lab.Record(":memory:")
    for experiment in ("one", "two"):
        for first in range(0, 8, 2):
            job = Job("match", (("a", "uct"), ("sims", 10)), len(experiment), first, 2)
            own = [SAMPLES[(first + n) % 4] for n in range(2)]
            if experiment == "two":
                job = Job("match", (("a", "uct"), ("c", 0.5)), 7, first, 2)
            record.add(experiment, f"cell {experiment}", job, own, 0.123456, 0.1)
    return record


def rows(record, but=()):
    """Return what is on record, times to the millisecond."""
    found = []
    for row in record.rows():
        row = dict(row)
        del row["finished"]  # that of the last of a lot is kept
        row["samples"] = [
            {name: value for name, value in sample.items() if name not in but}
            for sample in row["samples"]
        ]
        row["seconds"] = round(row["seconds"], 3)
        found.append(row)
    return found


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_everything_comes_back(record, tmp_path, ending):
    path = tmp_path / f"export.{ending}"
    assert lab.export_record(record, path, moves=True) == 8
    back = lab.Record(":memory:")
    assert lab.import_record(back, path) == (8, 8)
    assert rows(back) == rows(record)
    assert lab.import_record(back, path) == (0, 8)  # nothing twice
    again = tmp_path / f"again.{ending}"
    lab.export_record(back, again, moves=True)
    assert again.read_bytes() == path.read_bytes()


def test_games_are_told_without_their_moves(record, tmp_path):
    path = tmp_path / "export.jsonl"
    lab.export_record(record, path)
    assert "a b c" not in path.read_text()
    back = lab.Record(":memory:")
    lab.import_record(back, path)
    assert rows(back) == rows(record, but=("moves",))


def test_only_the_experiments_that_were_asked_for(record, tmp_path):
    path = tmp_path / "export.jsonl"
    assert lab.export_record(record, path, ["two"]) == 4
    head, *lots = map(json.loads, path.read_text().splitlines())
    assert head == {"trellis_results": 1}
    assert [lot["experiment"] for lot in lots] == ["two"]


def test_imported_jobs_are_not_done_again(tmp_path):
    cells = tuple(
        lab.Cell(str(heap), {"game": f"nim:pile_sizes={heap}", "a": "random", "b": "random"})
        for heap in (3, 4)
    )
    experiment = lab.Experiment("nims", "Nim", "match", cells, {"paper": lab.Scale(6)})
    record = lab.Record(":memory:")
    first = lab.run(experiment, record=record)
    path = tmp_path / "export.jsonl"
    lab.export_record(record, path)
    back = lab.Record(":memory:")
    lab.import_record(back, path)
    run = Run(experiment, "paper", back)
    assert not run.recorded()
    values = [[sample["value"] for _, sample in cell.samples] for cell in first.cells]
    assert [[s["value"] for _, s in cell.samples] for cell in run.results().cells] == values


def broken(path, change):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("\n".join(map(json.dumps, lines)))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda lines: lines.pop(0), "its first line"),
        (lambda lines: lines.__setitem__(0, []), "its first line"),
        (lambda lines: lines.__setitem__(2, []), "line 3"),
        (lambda lines: lines[2].pop("seed"), "line 3"),
        (lambda lines: lines[1].update(settings=3), "line 2"),
        (lambda lines: lines[1]["samples"].pop("value"), "line 2"),
        (lambda lines: lines[1]["jobs"]["first"]["each"].pop(), "line 2"),
        (lambda lines: lines[2].update(number=3), "line 3"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_and_nothing_of_it_is_taken(record, tmp_path, change, where):
    path = tmp_path / "export.jsonl"
    lab.export_record(record, path)
    broken(path, change)
    back = lab.Record(":memory:")
    with pytest.raises(BadParameter, match=f"is not an export of results.*see {where}$"):
        lab.import_record(back, path)
    assert rows(back) == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", gzip.compress(b"{", mtime=0)[:9]])
def test_what_is_no_export_at_all_is_refused_in_one_line(tmp_path, content):
    for name in ("export.jsonl", "export.jsonl.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadParameter, match=r"^(cannot read|'.*' is not an export)"):
            lab.import_record(lab.Record(":memory:"), tmp_path / name)
    with pytest.raises(BadParameter, match=r"cannot read .*No such file"):
        lab.import_record(lab.Record(":memory:"), tmp_path / "none.jsonl")


def test_another_version_is_refused(record, tmp_path):
    path = tmp_path / "export.jsonl"
    lab.export_record(record, path)
    broken(path, lambda lines: lines[0].update(trellis_results=2))
    with pytest.raises(BadParameter, match="is an export of another version: expected 1"):
        lab.import_record(lab.Record(":memory:"), path)
