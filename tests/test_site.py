"""The documentation site: its reference, its notebooks, and that it fetches nothing."""

import json

import pytest
from api_reference import documented, render
from build_site import ROOT, fetched
from notebooks import cells_of, page_of, run_cell

import trellis

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_everything_exported_is_in_the_reference_and_explained():
    page = render()
    for name in trellis.__all__:
        assert f"\n### {name}\n" in page
    plain = {"CHANCE", "NOBODY"}  # numbers
    assert {name for name, doc in documented().items() if not doc} <= plain


def test_examples_of_the_reference_are_whole_blocks_of_code():
    page = render()
    assert page.count("```") % 2 == 0


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook, monkeypatch):
    monkeypatch.chdir(ROOT)
    page = page_of(notebook)
    assert page.startswith("# ")
    assert "```text\n" in page or "class='output'" in page


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_what_they_printed(notebook):
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    assert all(not cell.get("outputs") for cell in content["cells"])
    assert cells_of(notebook)[0][0] == "markdown"


def test_there_is_a_notebook_for_each_tutorial():
    tutorials = {page.stem.replace("-", "_") for page in (ROOT / "docs/tutorials").glob("*.md")}
    assert {notebook.stem for notebook in NOTEBOOKS} == tutorials


def test_a_cell_shows_what_it_printed_and_its_last_line():
    names = {}
    assert run_cell("x = 2\nprint(x)\nx + 1", names, "cell") == ("2\n", 3)
    assert run_cell("y = x", names, "cell") == ("", None)
    with pytest.raises(ZeroDivisionError):
        run_cell("1 / 0", names, "cell")


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.html", '<script src="https://elsewhere.org/x.js"></script>', 1),
        ("a.html", '<link rel="stylesheet" href="//elsewhere.org/x.css">', 1),
        ("a.css", "a { background: url(http://elsewhere.org/x.png) }", 1),
        ("a.css", '@import "https://elsewhere.org/x.css";', 1),
        ("a.html", '<a href="https://elsewhere.org">there</a><img src="here.png">', 0),
    ],
)
def test_what_a_browser_would_fetch_is_found(tmp_path, name, text, found):
    (tmp_path / name).write_text(text)
    assert len(fetched(tmp_path)) == found
