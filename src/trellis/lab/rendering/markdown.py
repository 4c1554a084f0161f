"""Results as Markdown, with pictures beside the file where there are some."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from trellis.lab.rendering.chapters import Chapter, by_paper
from trellis.lab.rendering.tables import Entry, Part, Table
from trellis.lab.rendering.wording import ANSWERS, LEGEND, SIGNS

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")


def markdown_text(
    chapters: Sequence[Chapter], pictures: Mapping[str, str], title: str = "Results"
) -> str:
    """Return all chapters as a page; `pictures` has paths of plots by the name of an experiment."""
    return "\n".join(_lines(chapters, pictures, title)) + "\n"


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, in tables too.

    >>> escaped("a|b <i> *c*")
    'a\\|b &lt;i&gt; \\*c\\*'
    """
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", html)


def _lines(
    chapters: Sequence[Chapter], pictures: Mapping[str, str], title: str
) -> Iterator[str]:  # fmt: skip
    yield f"# {escaped(title)}"
    yield ""
    for word, what in LEGEND:
        yield f"- **{SIGNS[word]}** {what}"
    for paper, group in by_paper(chapters):
        yield from ("", f"## {escaped(paper)}", "")
        titles = ("experiment", "what", "state", *(word for word, _ in LEGEND), "claims")
        yield from _table(titles, [_summary(chapter) for chapter in group], left=3)
    for chapter in chapters:
        yield ""
        yield from _chapter(chapter, pictures.get(chapter.results.experiment.name, ""))


def _summary(chapter: Chapter) -> list[str]:
    counts = chapter.agreements()
    answers = (ANSWERS[verdict.answer] for verdict in chapter.verdicts)
    return [
        escaped(chapter.name), escaped(chapter.title), escaped(chapter.state),
        *(str(counts[word]) for word, _ in LEGEND), ", ".join(answers),
    ]  # fmt: skip


def _chapter(chapter: Chapter, picture: str) -> Iterator[str]:
    yield from (f"## {escaped(chapter.name)}: {escaped(chapter.title)}", "")
    if chapter.source:
        yield from (escaped(chapter.source), "")
    yield f"Measured: {escaped(chapter.measured)}."
    if chapter.standing:
        yield f"**{escaped(chapter.standing)}.**"
    if chapter.verdicts:
        yield ""
    for verdict in chapter.verdicts:
        yield f"- {escaped(verdict.claim)}: **{ANSWERS[verdict.answer]}**; {escaped(verdict.why)}"
    for part in chapter.parts:
        yield ""
        if part.title:
            yield from (f"### {escaped(part.title)}", "")
        yield from _part(part)
    if picture:
        yield from ("", f"![{escaped(chapter.title)}]({quote(picture)})")
    for heading, texts in (("What came of it", chapter.notes),
                           ("Different from the source", chapter.deviations)):  # fmt: skip
        if texts:
            yield from ("", f"{heading}:", "", *(f"- {escaped(text)}" for text in texts))
    yield ""
    yield from _table(("", ""), [[escaped(name), escaped(fact)] for name, fact in chapter.facts], 2)


def _part(part: Part) -> Iterator[str]:
    if part.grid is not None:
        yield from _grid(part.grid)
        return
    printed = any(entry.published for entry in part.entries)
    remarks = any(entry.remark for entry in part.entries)
    titles = ["cell", "samples", "ours", "95 % interval"]
    titles += ["published", ""] * printed + ["remarks"] * remarks
    rows = []
    for entry in part.entries:
        row = [escaped(entry.name), f"{entry.samples:,}", escaped(entry.ours), entry.between]
        if printed:
            row += [escaped(entry.published), SIGNS[entry.agreement]]
        rows.append(row + [escaped(entry.remark)] * remarks)
    yield from _table(titles, rows)


def _grid(table: Table) -> Iterator[str]:
    rows = [[escaped(label), *map(_place, entries)] for label, entries in table.rows]
    yield from _table((escaped(table.corner), *map(escaped, table.columns)), rows)


def _place(entry: Entry | None) -> str:
    if entry is None:
        return ""
    text = f"**{escaped(entry.ours)}**" if entry.ours else "–"
    if entry.between:
        text += f" {entry.between}"
    if entry.published:
        text += f"<br>{escaped(entry.published)} {SIGNS[entry.agreement]}"
    return text.rstrip()


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    marks = ["---" if place < left else "--:" for place in range(len(titles))]
    for row in (titles, marks, *rows):
        yield f"| {' | '.join(row)} |"
