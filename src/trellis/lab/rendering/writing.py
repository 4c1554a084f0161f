"""Reports as files: which format a file is in says the end of its name."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trellis._kernel.files import write_whole
from trellis.game.errors import BadParameter, shorten
from trellis.lab.rendering.chapters import Chapter, chapter_of

if TYPE_CHECKING:
    from trellis.lab.results import Results

ENDINGS = (".html", ".md", ".csv", ".jsonl", ".txt")
PICTURES = ("svg", "png", "pdf")


def check_report(path: Path) -> None:
    """Refuse a file that cannot become a report, before anything is measured for it."""
    if path.suffix.lower() not in ENDINGS:
        raise BadParameter(
            f"cannot report to {shorten(str(path))}: expected a name that ends in "
            f"{', '.join(ENDINGS)}"
        )


def write_report(
    results: "Sequence[Results]", path: Path | str, *, plots: Path | str | None = None,
    title: str = "Experiments, reproduced",
) -> None:  # fmt: skip
    """Write results to a file: .html, .md, .csv, .jsonl or .txt.

    Plots are in a page of HTML; Markdown shows those in the folder `plots`, where they have been
    written.
    """
    path = Path(path)
    check_report(path)
    chapters = [chapter_of(each) for each in results]
    try:
        write_whole(path, _report(chapters, path, None if plots is None else Path(plots), title))
    except OSError as error:
        reason = error.strerror or error
        raise BadParameter(f"cannot write {shorten(str(path))}: {reason}") from error


def write_plots(
    results: "Sequence[Results]", folder: Path | str, kind: str = "svg"
) -> list[Path]:  # fmt: skip
    """Draw every experiment that can be drawn into a folder; return the files."""
    from trellis.lab.rendering.plots import has_plot, picture_of

    if kind not in PICTURES:
        raise BadParameter(f"cannot draw {shorten(kind)}: expected one of {', '.join(PICTURES)}")
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in results:
            if has_plot(each):
                path = folder / f"{_file_name(each)}.{kind}"
                path.write_bytes(picture_of(each, kind))
                written.append(path)
    except OSError as error:
        reason = error.strerror or error
        raise BadParameter(f"cannot write to {shorten(str(folder))}: {reason}") from error
    return written


def _report(chapters: Sequence[Chapter], path: Path, plots: Path | None, title: str) -> str:
    kind = path.suffix.lower()
    if kind == ".html":
        from trellis.lab.rendering.html import html_page

        return html_page(chapters, title)
    if kind == ".md":
        from trellis.lab.rendering.markdown import markdown_text

        return markdown_text(chapters, _pictures(chapters, path, plots), title)
    from trellis.lab.rendering.data import csv_text, jsonl_lines

    if kind == ".csv":
        return csv_text(chapters)
    if kind == ".jsonl":
        return "".join(f"{line}\n" for line in jsonl_lines(chapters))
    from trellis.lab.rendering.text import text_lines

    return "\n\n".join("\n".join(text_lines(chapter)) for chapter in chapters) + "\n"


def _pictures(chapters: Sequence[Chapter], path: Path, plots: Path | None) -> dict[str, str]:
    """Return where plots are, seen from the page."""
    if plots is None:
        return {}
    found = {}
    for chapter in chapters:
        for kind in PICTURES[:2]:
            file = plots / f"{_file_name(chapter.results)}.{kind}"
            if file.exists():
                seen = os.path.relpath(file.resolve(), path.resolve().parent)
                found[chapter.results.experiment.name] = Path(seen).as_posix()
                break
    return found


def _file_name(results: "Results") -> str:
    """Return a name for files about an experiment, whatever it is called.

    Only letters, digits, dots and lines are kept, and no dot begins it.
    """
    name = "".join(
        each if each.isascii() and (each.isalnum() or each in "-_.") else "-"
        for each in results.experiment.name
    )
    return name.lstrip(".")[:100] or "experiment"
