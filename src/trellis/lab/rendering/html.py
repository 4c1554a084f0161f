"""Results as one page of HTML that needs nothing else: style and pictures are in it."""

from collections.abc import Sequence
from importlib import resources
from itertools import count

from trellis.lab.rendering.chapters import Chapter, by_paper
from trellis.lab.rendering.markup import Markup, joined, tag
from trellis.lab.rendering.plots import has_plot, svg_of
from trellis.lab.rendering.tables import Entry, Part, Table
from trellis.lab.rendering.wording import ANSWERS, DIFFERS, FITS, LEGEND, NOISE, SIGNS, plain
from trellis.lab.verdicts import Verdict


def html_page(chapters: Sequence[Chapter], title: str = "Experiments, reproduced") -> str:
    """Return the page: a summary of all experiments, then a chapter for each."""
    marks = {id(chapter): f"e{number}" for number, chapter in zip(count(1), chapters, strict=False)}
    style = (resources.files(__package__) / "report.css").read_text("utf-8")
    head = tag(
        "head", tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title), tag("style", Markup(style)),
    )  # fmt: skip
    body = tag(
        "body",
        tag("header", tag("h1", title), _lead(chapters)),
        tag("main",
            tag("section", tag("h2", "Summary"), _legend(), *_summary(chapters, marks),
                class_="summary"),
            *(_chapter(chapter, marks[id(chapter)]) for chapter in chapters)),
        tag("footer", "Made by Trellis from recorded results; rows of every sample are in its "
                      "CSV and JSON Lines."),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _lead(chapters: Sequence[Chapter]) -> Markup:
    claims = [verdict.answer for chapter in chapters for verdict in chapter.verdicts]
    cells = sum(len(chapter.entries()) for chapter in chapters)
    samples = sum(entry.samples for chapter in chapters for entry in chapter.entries())
    told = [f"{claims.count(answer):,} {words}" for answer, words in ANSWERS.items()]
    return tag(
        "p",
        f"{len(chapters):,} experiments, {cells:,} cells, {samples:,} samples. "
        f"{len(claims):,} claims: {', '.join(told)}.",
        class_="lead",
    )


def _legend() -> Markup:
    marks = [
        tag("li", tag("span", SIGNS[word], class_=f"sign {word}"), " ", what)
        for word, what in LEGEND
    ]
    place = tag(
        "li", "In each place of a table: what was measured here, its 95 % interval, and what was "
        "printed. Point at one to see how many samples it has.",
    )  # fmt: skip
    return tag("ul", *marks, place, class_="legend")


def _summary(chapters: Sequence[Chapter], marks: dict[int, str]) -> list[Markup]:
    """Return a table for each paper, a row for each experiment."""
    found = []
    for paper, group in by_paper(chapters):
        heads = ("experiment", "state", "cells", "claims")
        rows = [tag("tr", *(tag("th", each, scope="col") for each in heads))]
        for chapter in group:
            link = tag("a", chapter.name, href=f"#{marks[id(chapter)]}")
            rows.append(
                tag(
                    "tr",
                    tag("td", link, tag("div", chapter.title, class_="what")),
                    tag("td", chapter.state, class_="state"),
                    tag("td", _bar(chapter)),
                    tag(
                        "td",
                        *map(_claim_line, chapter.verdicts),
                        class_="claims",
                    ),
                )
            )
        found.append(tag("h3", paper))
        found.append(_scrolled(tag("table", *rows, class_="overview")))
    return found


def _claim_line(verdict: Verdict) -> Markup:
    return tag(
        "div", tag("span", _badge(verdict.answer)), tag("span", verdict.claim), title=verdict.why
    )


def _badge(answer: str) -> Markup:
    return tag("span", ANSWERS[answer], class_=f"badge {answer}")


def _bar(chapter: Chapter) -> Markup:
    """Return how many cells fit, are noise and differ, as a bar with numbers."""
    counts = chapter.agreements()
    compared = sum(counts[word] for word in (FITS, NOISE, DIFFERS))
    if not compared:
        return tag("span", "nothing to compare" if any(counts.values()) else "–", class_="faint")
    pieces = [
        tag("span", str(counts[word]), class_=word, style=f"flex-grow:{counts[word]}",
            title=f"{counts[word]} of {compared}: {what}")
        for word, what in LEGEND
        if counts[word]
    ]  # fmt: skip
    return tag("div", *pieces, class_="bar")


def _chapter(chapter: Chapter, mark: str) -> Markup:
    return tag(
        "section",
        tag("h2", chapter.title),
        tag("p", tag("code", chapter.name), *([" · ", chapter.source] if chapter.source else []),
            class_="source"),
        tag("p", *_status(chapter), class_="status"),
        tag("ul", *map(_claim, chapter.verdicts),
            class_="verdicts") if chapter.verdicts else None,
        tag("div", tag("div", *map(_part, chapter.parts), class_="tables"), _picture(chapter),
            class_="shown"),
        _texts("What came of it", chapter.notes),
        _texts("Different from the source", chapter.deviations),
        tag("details", tag("summary", "Settings, command, versions, machines"),
            tag("table", *(tag("tr", tag("th", name, scope="row"),
                               tag("td", tag("code", fact) if name == "command" else fact))
                           for name, fact in chapter.facts), class_="facts")),
        tag("details", tag("summary", "Every cell"),
            *(_listed(part) for part in chapter.parts)),
        id=mark, class_="chapter",
    )  # fmt: skip


def _status(chapter: Chapter) -> list[Markup | str]:
    samples = dict(chapter.facts).get("samples of a cell", "0")
    told: list[Markup | str] = [f"{chapter.measured}; {samples} samples a cell; {chapter.state}."]
    if chapter.standing:
        told += [" ", tag("strong", f"{chapter.standing}.")]
    return told


def _claim(verdict: Verdict) -> Markup:
    return tag(
        "li", _badge(verdict.answer), tag("span", verdict.claim, class_="claim"),
        tag("span", verdict.why, class_="why"),
    )  # fmt: skip


def _texts(heading: str, texts: Sequence[str]) -> Markup | None:
    if not texts:
        return None
    return joined(tag("h3", heading), tag("ul", *(tag("li", text) for text in texts)))


def _picture(chapter: Chapter) -> Markup | None:
    if not has_plot(chapter.results):
        return None
    drawn = Markup(svg_of(chapter.results, inside=True))
    return tag("figure", tag("div", drawn, class_="plot"))


# -- tables ------------------------------------------------------------------------------------


def _part(part: Part) -> Markup:
    title = tag("h3", part.title) if part.title else None
    if part.grid is None:
        return joined(title, _list(part.entries))
    return joined(title, _grid(part.grid))


def _scrolled(table: Markup) -> Markup:
    return tag("div", table, class_="scroll")


def _grid(table: Table) -> Markup:
    """Return the table as the paper has it: ours large, its interval and what was printed below."""
    head = tag(
        "tr", tag("th", table.corner),
        *(tag("th", column, scope="col") for column in table.columns),
    )  # fmt: skip
    rows = [
        tag("tr", tag("th", label, scope="row"), *map(_place, entries))
        for label, entries in table.rows
    ]
    return _scrolled(
        tag(
            "table",
            tag("thead", head),
            tag("tbody", *rows),
            class_=f"grid{' tight' * (len(table.columns) > 6)}",
        )
    )


def _place(entry: Entry | None) -> Markup:
    if entry is None:
        return tag("td", class_="none")
    content = [tag("span", entry.ours or "–", class_="ours")]
    if entry.between:
        content.append(tag("span", entry.between, class_="between"))
    if entry.published:
        content.append(_printed(entry))
    return tag("td", *content, class_=entry.agreement or None, title=_hint(entry))


def _printed(entry: Entry) -> Markup:
    sign = SIGNS[entry.agreement]
    return tag(
        "span", *([tag("b", sign), " "] if sign else []), entry.published, class_="printed"
    )  # fmt: skip


def _hint(entry: Entry) -> str:
    told = f"{entry.name}: {entry.samples:,} of {entry.wanted:,} samples"
    if entry.published:
        told += f", published {entry.published}"
    return f"{told}; {entry.remark}" if entry.remark else told


def _list(entries: Sequence[Entry]) -> Markup:
    """Return a row for each cell."""
    printed = any(entry.published for entry in entries)
    remarks = any(entry.remark for entry in entries)
    heads = ["", "ours", "95 % interval", *["published"] * printed, "samples"]
    heads += ["remarks"] * remarks
    rows = []
    for entry in entries:
        row = [
            tag("th", entry.name, scope="row"),
            tag(
                "td", tag("span", entry.ours or "–", class_="ours"), class_=entry.agreement or None
            ),
            tag("td", entry.between, class_="faint"),
        ]
        row += [tag("td", _printed(entry), class_=entry.agreement or None)] if printed else []
        row.append(tag("td", f"{entry.samples:,}", class_="faint"))
        row += [tag("td", entry.remark, class_="words")] if remarks else []
        rows.append(tag("tr", *row))
    head = tag("tr", *(tag("th", each, scope="col") for each in heads))
    return _scrolled(tag("table", tag("thead", head), tag("tbody", *rows), class_="list"))


def _listed(part: Part) -> Markup:
    """Return everything that is known of every cell, numbers as exact as they are known."""
    names = list(dict.fromkeys(name for entry in part.entries for name in entry.settings))
    extra = [name for name in ("wins", "draws", "losses") if all(
        name in entry.facts for entry in part.entries if entry.samples)
        and any(entry.samples for entry in part.entries)]  # fmt: skip
    heads = ["cell", *names, "samples", "of", "value", "low", "high", "published", "", *extra,
             "seconds", "remarks"]  # fmt: skip
    rows = []
    for entry in part.entries:
        facts = entry.facts
        values = [
            entry.name, *(str(entry.settings.get(name, "")) for name in names),
            f"{entry.samples:,}", f"{entry.wanted:,}", _exact(facts["value"]) or entry.ours,
            _exact(facts["low"]), _exact(facts["high"]), entry.published, entry.agreement,
            *(str(facts.get(name, "")) for name in extra), f"{facts['seconds']:.1f}", entry.remark,
        ]  # fmt: skip
        rows.append(tag("tr", *(tag("td", plain(value)) for value in values)))
    head = tag("tr", *(tag("th", plain(each), scope="col") for each in heads))
    return _scrolled(tag("table", tag("thead", head), tag("tbody", *rows), class_="cells"))


def _exact(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
