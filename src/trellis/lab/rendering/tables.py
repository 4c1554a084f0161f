"""Tables as papers lay them out: what stands in each place, and nothing about how it is written.

Where cells say in which row and column they stand, that is the layout; points of a figure stand in
a row each, with a column for each line.  Otherwise a cell has a row to itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trellis.lab.rendering.wording import along, interval, number, plain

if TYPE_CHECKING:
    from trellis.lab.experiment import Cell
    from trellis.lab.results import Results


@dataclass(frozen=True)
class Entry:
    """What is to be said of one cell."""

    name: str
    ours: str  # as measured here, such as 52.5
    between: str  # the ends of its interval, 45.6 to 59.3
    published: str
    agreement: str  # fits, noise or differs; nothing where there is nothing to compare
    samples: int
    wanted: int
    remark: str  # why it was left at that, how many runs do not count
    settings: Mapping[str, Any]  # those that are not the same in all cells
    facts: Mapping[str, Any]  # of `Results.facts`


@dataclass(frozen=True)
class Table:
    """Entries in rows and columns; `corner` says what rows are."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Entry | None, ...]], ...]

    def entries(self) -> list[Entry]:
        """Return all entries, row by row."""
        return [entry for _, row in self.rows for entry in row if entry is not None]


@dataclass(frozen=True)
class Part:
    """What belongs to one table of the source: its cells, and their layout where there is one."""

    title: str
    entries: tuple[Entry, ...]
    grid: Table | None


def parts_of(results: "Results") -> list[Part]:
    """Return the tables of an experiment, in the order of its cells."""
    entries = _entries(results)
    cells = [each.cell for each in results.cells]
    order = list(dict.fromkeys(cell.table for cell in cells))
    parts = []
    for title in order:
        own = [cell for cell in cells if cell.table == title]
        entries_here = [entries[cell.name] for cell in own]
        grid = _grid(plain(title), own, entries_here, plain(results.experiment.plot.x))
        parts.append(Part(plain(title), tuple(entries_here), grid))
    return parts


def common_settings(results: "Results") -> dict[str, Any]:
    """Return the settings that all cells have in common."""
    every = [dict(each.cell.settings) for each in results.cells]
    first = every[0] if every else {}
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in every)
    }


def _entries(results: "Results") -> dict[str, Entry]:
    common = common_settings(results)
    digits = results.measure.digits
    made = {}
    for each, facts in zip(results.cells, results.to_dict()["cells"], strict=True):
        ours = plain(facts["text"]) or number(facts["value"], digits)
        if ours and facts["at_least"] and not facts["text"]:
            ours = f"≥ {ours}"
        remarks = [plain(facts["halted"])] if facts["halted"] else []
        if facts["void"]:
            remarks.append(f"{facts['void']:,} do not count")
        made[each.cell.name] = Entry(
            name=plain(each.cell.name),
            ours=ours,
            between=interval(facts["low"], facts["high"], digits),
            published=_published(each.cell, digits),
            agreement=facts["agreement"],
            samples=facts["samples"],
            wanted=facts["wanted"],
            remark="; ".join(remarks),
            settings={
                name: value for name, value in each.cell.settings.items() if name not in common
            },
            facts=facts,
        )
    return made


def _published(cell: "Cell", digits: int) -> str:
    """Return what was printed, as it was printed where the source says more than a number."""
    if cell.published is None:
        return ""
    text = plain(cell.published.text).replace("|", " or ")
    if text or cell.published.value is None:
        return text
    exact = f"{cell.published.value:,}".removesuffix(".0")
    shown = number(cell.published.value, digits)
    # What was printed with more digits than are usual here, or fewer than many, is left as it is.
    shown = exact if "e" not in exact and (len(exact) > len(shown) or digits > 1) else shown
    return f"≥ {shown}" if cell.published.at_least else shown


def _grid(title: str, cells: Sequence["Cell"], entries: Sequence[Entry], axis: str) -> Table | None:
    """Return the layout of rows and columns, or nothing where the cells have none."""
    points = all(cell.x is not None and not cell.column for cell in cells)
    if points and len({cell.x for cell in cells}) > 1:
        by_x = sorted({cell.x for cell in cells if cell.x is not None})
        found = _lay_out(cells, entries, lambda cell: along(cell.x), lambda cell: plain(cell.row))
        rows = tuple(along(x) for x in by_x)
        columns = tuple(dict.fromkeys(plain(cell.row) for cell in cells))
    else:
        axis = ""
        found = _lay_out(
            cells, entries, lambda cell: plain(cell.row), lambda cell: plain(cell.column)
        )
        rows = tuple(dict.fromkeys(plain(cell.row) for cell in cells))
        columns = tuple(dict.fromkeys(plain(cell.column) for cell in cells))
        if len(rows) < 2 or len(columns) < 2:
            return None
    if found is None:
        return None
    laid = tuple((row, tuple(found.get((row, column)) for column in columns)) for row in rows)
    return Table(title, axis, columns, laid)


def _lay_out(
    cells: Sequence["Cell"], entries: Sequence[Entry], row: "Callable[[Cell], str]",
    column: "Callable[[Cell], str]",
) -> dict[tuple[str, str], Entry] | None:  # fmt: skip
    """Return entries by place; nothing where two cells would stand in one place."""
    places = [(row(cell), column(cell)) for cell in cells]
    if len(set(places)) < len(places):
        return None
    return dict(zip(places, entries, strict=True))
