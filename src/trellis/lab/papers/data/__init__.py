"""What the papers print, one file for each table, tab-separated with a line of titles."""

from importlib import resources


def rows_of(file: str) -> list[tuple[str, ...]]:
    """Return the rows of a table below its titles, as text."""
    text = (resources.files(__name__) / file).read_text("utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines()[1:] if line]
