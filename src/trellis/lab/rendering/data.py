"""Results for other programs: a line of CSV for each cell, a line of JSON for each sample."""

import csv
import io
import json
from collections.abc import Iterator, Sequence

from trellis.lab.rendering.chapters import Chapter

COLUMNS = (
    "experiment", "scale", "table", "row", "column", "x", "cell", "measure", "unit", "samples",
    "wanted", "value", "low", "high", "at_least", "text", "published", "published_text",
    "published_samples", "agreement", "void", "halted", "seconds", "cpu_seconds", "settings",
)  # fmt: skip


def csv_text(chapters: Sequence[Chapter]) -> str:
    """Return all cells, with numbers as exact as they are known; intervals are of 95 %."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for chapter in chapters:
        facts = chapter.results.to_dict()
        same = {name: facts[name] for name in ("experiment", "scale", "measure", "unit")}
        for cell in facts["cells"]:
            row = {**same, **cell, "settings": json.dumps(cell["settings"], sort_keys=True)}
            writer.writerow("" if row[name] is None else row[name] for name in COLUMNS)
    return out.getvalue()


def jsonl_lines(chapters: Sequence[Chapter]) -> Iterator[str]:
    """Yield every sample with the cell it is of."""
    for chapter in chapters:
        known = {"experiment": chapter.results.experiment.name, "scale": chapter.results.scale}
        for sample in chapter.results.samples():
            told = {name: sample[name] for name in sorted(sample, key=_late)}
            yield json.dumps({**known, **told}, separators=(",", ":"))


def _late(name: str) -> tuple[bool, str]:
    return name not in {"cell", "number", "value"}, name
