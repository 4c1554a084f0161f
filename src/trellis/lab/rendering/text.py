"""Results on a terminal: tables as in the paper where they fit the width, else a row a cell."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from trellis.lab.rendering.chapters import Chapter
from trellis.lab.rendering.tables import Entry, Part, Table
from trellis.lab.rendering.wording import ANSWERS, LEGEND, SIGNS

_GAP = "  "


def text_lines(chapter: Chapter, width: int = 100) -> Iterator[str]:
    """Yield everything that is to be said of an experiment, line by line."""
    yield f"{chapter.name}: {chapter.title}"
    if chapter.source:
        yield chapter.source
    samples = dict(chapter.facts).get("samples of a cell", "0")
    yield f"{chapter.measured}; {samples} samples a cell, {chapter.state}"
    for part in chapter.parts:
        yield ""
        if part.title:
            yield part.title
        yield from part_lines(part, width)
    if any(entry.agreement for entry in chapter.entries()):
        yield ""
        yield from (f"{SIGNS[word]} {what}" for word, what in LEGEND)
    if chapter.standing or chapter.verdicts:
        yield ""
    if chapter.standing:
        yield chapter.standing
    for verdict in chapter.verdicts:
        yield f"{verdict.claim}: {ANSWERS[verdict.answer]}; {verdict.why}"


def part_lines(part: Part, width: int) -> list[str]:
    """Return one table."""
    if part.grid is not None:
        lines = _grid_lines(part.grid)
        if max(map(cell_len, lines)) <= width:
            return lines
    return _list_lines(part.entries)


def _grid_lines(table: Table) -> list[str]:
    """Lay out rows of two lines: ours with its interval, and below what was printed."""
    printed = any(entry.published for entry in table.entries())
    rows = [[table.corner, *table.columns]]
    for label, entries in table.rows:
        rows.append([label, *(_ours(entry) for entry in entries)])
        if printed:
            rows.append(["  published", *(_printed(entry) for entry in entries)])
    return aligned(rows, left=1)


def _ours(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if not entry.ours:
        return "failed" if entry.remark else "-"
    return f"{entry.ours} ({entry.between})" if entry.between else entry.ours


def _printed(entry: Entry | None) -> str:
    return "" if entry is None else f"{entry.published} {SIGNS[entry.agreement]}".strip()


def _list_lines(entries: Sequence[Entry]) -> list[str]:
    printed = any(entry.published for entry in entries)
    remarks = any(entry.remark for entry in entries)
    titles = ["cell", "samples", "ours", "95 % interval"]
    titles += ["published", ""] if printed else []
    rows = [titles + ["remarks"] * remarks]
    for entry in entries:
        row = [entry.name, f"{entry.samples:,}", entry.ours or "-", entry.between]
        row += [entry.published, SIGNS[entry.agreement]] if printed else []
        rows.append(row + [entry.remark] * remarks)
    return aligned(rows, left=1, left_last=remarks)


def aligned(rows: Sequence[Sequence[str]], *, left: int = 1, left_last: bool = False) -> list[str]:
    """Return rows with columns under each other: the first so many to the left, others right."""
    widths = [max(cell_len(text) for text in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        places = []
        for place, (text, wide) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (wide - cell_len(text))
            to_left = place < left or (left_last and place == len(row) - 1)
            places.append(text + blanks if to_left else blanks + text)
        lines.append(_GAP.join(places).rstrip())
    return lines


def summary_lines(chapters: Sequence[Chapter]) -> list[str]:
    """Return a line for each experiment: how far it is, what fits, what its claims came to."""
    rows = [["experiment", "state", "fit", "noise", "differ", "claims"]]
    for chapter in chapters:
        counts = chapter.agreements()
        answers = ", ".join(ANSWERS[verdict.answer] for verdict in chapter.verdicts)
        rows.append([
            chapter.name, chapter.state, *(str(counts[word]) for word, _ in LEGEND), answers,
        ])  # fmt: skip
    return aligned(rows, left=2, left_last=True)
