"""Every format has every number, and no text of an experiment does harm in any."""

import csv
import json
import re
from html.parser import HTMLParser

import pytest

from trellis import lab
from trellis.game.errors import BadParameter
from trellis.lab.rendering.chapters import chapter_of
from trellis.lab.rendering.tables import parts_of

EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
LOADING = {"src", "href", "xlink:href", "srcset", "action", "data", "poster", "background"}


class Page(HTMLParser):
    """Reads a page strictly: what opens is closed, in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(f"{word} " for word in self.words).split())


def written(results, tmp_path, kind, **more):
    path = tmp_path / f"report.{kind}"
    lab.write_report(results, path, **more)
    return path.read_text(encoding="utf-8")


def unescaped(text):
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return re.sub(r"\\(.)", r"\1", text)


def markdown_tables(text):
    """Return the rows of all tables, as a reader of Markdown takes them apart."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [
        [unescaped(place.strip()) for place in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows
    ]


# -- HTML --------------------------------------------------------------------------------------


def test_a_page_is_well_formed_and_asks_nobody(table, figure, tmp_path):
    text = written([table, figure], tmp_path, "html")
    page = Page(text)
    assert {"html", "head", "body", "svg", "table", "style"} <= set(page.tags)
    assert not {"script", "link", "iframe", "img", "object"} & set(page.tags)
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in LOADING:
            assert value.startswith(("#", "data:image/png;")), (name, value)
    assert "url(http" not in text
    assert "@import" not in text


def test_names_in_a_page_are_there_once_and_lead_somewhere(table, figure, tmp_path):
    page = Page(written([table, figure], tmp_path, "html"))
    names = [value for name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))
    links = [value for name, value in page.attributes if name in LOADING]
    wanted = {value[1:] for value in links if value.startswith("#")}
    assert wanted <= set(names)


def test_the_page_has_every_number(table, figure, tmp_path):
    text = Page(written([table, figure], tmp_path, "html")).text
    for results in (table, figure):
        for part in parts_of(results):
            for entry in part.entries:
                assert entry.ours in text
                assert entry.between in text
                assert entry.published in text
    for words in ("A table", "a note", "a deviation", "not borne out", "a machine", "c0ffee",
                  "2 of 4 cells fit what was printed"):  # fmt: skip
        assert words in text


def test_colours_are_those_of_the_verdicts(table, tmp_path):
    page = Page(written([table], tmp_path, "html"))
    classes = [value for name, value in page.attributes if name == "class"]
    # One place each in the table and in the legend, and where there are any, in the summary's bar.
    assert [classes.count(word) for word in ("fits", "noise", "differs")] == [3, 2, 2]


# -- other formats -----------------------------------------------------------------------------


def test_csv_has_the_same_numbers(table, figure, tmp_path):
    rows = [*csv.DictReader(written([table, figure], tmp_path, "csv").splitlines())]
    facts = [cell for results in (table, figure) for cell in results.to_dict()["cells"]]
    assert [row["cell"] for row in rows] == [cell["cell"] for cell in facts]
    for row, cell in zip(rows, facts, strict=True):
        for name in ("value", "low", "high", "published", "x", "samples", "seconds"):
            assert row[name] == ("" if cell[name] is None else str(cell[name]))
        assert json.loads(row["settings"]) == cell["settings"]
        assert row["agreement"] == cell["agreement"]


def test_json_lines_have_every_sample(table, figure, tmp_path):
    lines = [json.loads(line) for line in written([table, figure], tmp_path, "jsonl").splitlines()]
    assert len(lines) == sum(len(each.samples) for r in (table, figure) for each in r.cells)
    assert sum(line["value"] for line in lines if line["cell"] == "b,2") == 131
    assert {line["experiment"] for line in lines} == {"table-1", "figure-2"}


def test_markdown_has_the_same_numbers(table, tmp_path):
    rows = markdown_tables(written([table], tmp_path, "md"))
    grid = {row[0]: row[1:] for row in rows if row[0] in {"a", "b"}}
    found = {}
    for row, places in grid.items():
        for column, place in zip("123", places, strict=True):
            read = re.fullmatch(r"\*\*([\d.]+)\*\* ([\d.]+) to ([\d.]+)(?:<br>([\d.]+) .)?", place)
            found[f"{row},{column}"] = read and read.groups()
    assert found["a,3"] == ("50.0", "43.1", "56.9", "91.5")
    assert found["b,1"] == ("48.5", "41.7", "55.4", "47.25")
    assert found["b,2"][3] is None
    assert grid["b"][2] == "–<br>33.0"


def test_markdown_shows_pictures_that_are_there(table, figure, tmp_path):
    plots = tmp_path / "pictures"
    assert "![" not in written([table], tmp_path, "md", plots=plots)
    drawn = lab.write_plots([table, figure], plots)
    text = written([table, figure], tmp_path, "md", plots=plots)
    named = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert named == ["pictures/table-1.svg", "pictures/figure-2.svg"]
    assert [tmp_path / each for each in named] == drawn


def test_the_same_results_make_the_same_files(table, figure, tmp_path):
    for kind in ("html", "md", "csv", "jsonl", "txt"):
        first = written([table, figure], tmp_path, kind)
        assert written([table, figure], tmp_path, kind) == first


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.exe"])
def test_other_names_are_refused(table, tmp_path, name):
    with pytest.raises(BadParameter, match=r"expected a name that ends in \.html, \.md"):
        lab.write_report([table], tmp_path / name)
    assert not (tmp_path / name).exists()


# -- what means harm ---------------------------------------------------------------------------


def test_no_text_becomes_markup_in_a_page(hostile, tmp_path):
    text = written([hostile], tmp_path, "html")
    page = Page(text)
    assert not {"script", "i", "img"} & set(page.tags)
    assert "<script" not in text
    assert "<script>alert(1)</script>" in page.text  # as words
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in LOADING:
            assert value.startswith(("#", "data:image/png;"))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_no_text_breaks_a_table_of_markdown(hostile, tmp_path):
    text = written([hostile], tmp_path, "md")
    assert "<script" not in text
    assert "\x1b" not in text
    assert re.search(r"(?<!\\)\]\(http", text) is None  # no link of theirs
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        "# Experiments, reproduced"
    ]
    chapter = chapter_of(hostile)
    rows = markdown_tables(text)
    grid = [row for row in rows if row[0] in dict(chapter.parts[0].grid.rows)]
    assert [len(row) for row in grid] == [3, 3]
    assert [row[0] for row in rows if row[0] == chapter.name] == [chapter.name]


def test_csv_and_json_lines_keep_what_is_written(hostile, tmp_path):
    names = [each.cell.name for each in hostile.cells]
    with (tmp_path / "report.csv").open("w") as file:
        file.write(written([hostile], tmp_path, "csv"))
    with (tmp_path / "report.csv").open(newline="") as file:
        assert [row["cell"] for row in csv.DictReader(file)] == names
    lines = written([hostile], tmp_path, "jsonl").split("\n")[:-1]
    assert [json.loads(line)["cell"] for line in lines[::100]] == names


def test_a_terminal_is_not_commanded(hostile):
    text = hostile.text()
    assert all(each.isprintable() or each == "\n" for each in text)


def test_files_stay_in_their_folder(hostile, tmp_path):
    (drawn,) = lab.write_plots([hostile], tmp_path / "plots")
    assert drawn.parent == tmp_path / "plots"
    assert drawn.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["plots"]
