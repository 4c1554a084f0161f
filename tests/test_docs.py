"""Examples in the documentation run, and show what is really in the files they name."""

import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import learn_connect_four
import pytest

from trellis.loading import registered_games

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
DOCS = [*sorted((ROOT / "docs").glob("*.md")), *TUTORIALS]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
MAPS = sorted((ROOT / "src").rglob("README.md"))
LINK = re.compile(r"\]\((?!http)([^)#]*)(?:#([^)]*))?\)")
FILE = re.compile(r"^```\w+ [^\n]*file=(\S+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)  # what the page's code prints


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_page_runs(page):
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    script = "\n".join(code for header, code in blocks if "file=" not in header)
    if not script:
        return
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stdout.splitlines() if line]
    promised = re.findall(r"print\(.*\)\s+# (.+)$", script, re.MULTILINE)
    for words in promised:
        assert words in shown
    for output in OUTPUT.findall(text):
        assert output in done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_shown_in_the_page_are_the_files(page):
    for name, shown in FILE.findall(page.read_text(encoding="utf-8")):
        assert shown == (ROOT / name).read_text(encoding="utf-8"), name


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "page", [*PAGES, *MAPS], ids=lambda page: f"{page.parent.name}/{page.name}"
)
def test_links_lead_somewhere(page):
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        path = page.parent / target if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(((?:tutorials/)?[\w-]+\.md)\)", index))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in DOCS}
    assert pages - {"README.md"} == linked


def test_what_modules_are_called_now_is_there():
    """The table of renamed modules: a new name stays true when something moves again."""
    table = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("| modules |")[2]
    rows = table.partition("| interface |")[0].splitlines()
    named = []
    for row in rows:
        package = ""
        for name in re.findall(r"`([\w.]+)`(?![^(|]*\))", row.split("|")[-2]):
            package = name.rpartition(".")[0] if name.startswith("trellis.") else package
            if package:
                named.append(name if name.startswith("trellis.") else f"{package}.{name}")
    assert len(named) > 60
    assert [name for name in named if find_spec(name) is None] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_readme_lists_the_games_there_are_in_order():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| game | | game | |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([\w.]+)`", line) for line in table.splitlines() if "`" in line]
    left, right = ([row[place] for row in rows] for place in (0, 1))
    assert (left[-1], right[-1]) == ("FILE.kif", "FILE.py")
    assert left[:-1] + right[:-1] == [entry.name for entry in registered_games()]


def test_the_command_reference_is_up_to_date():
    """After a change of a command: python docs/generate_commands.py."""
    script = runpy.run_path(str(ROOT / "docs" / "generate_commands.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["render"]()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_moves_shown_in_the_page_are_moves(page):
    shown = re.findall(
        r"^(?:\$ )?trellis (analyze .*--moves .*)$", page.read_text("utf-8"), re.MULTILINE
    )
    for line in shown:
        words = [*shlex.split(line), *([] if "--search" in line else ["--sims", "10"])]
        done = subprocess.run(
            [sys.executable, "-m", "trellis", *words], cwd=ROOT, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr


def commands_of(page: Path) -> list[str]:
    """The commands of a tutorial, in order: lines of `trellis …` that are set as code."""
    found = re.findall(r"^(?:    |\$ )trellis (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return [line.partition("#")[0].rstrip() for line in found]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_commands_of_the_tutorial_run(page, run, tmp_path, monkeypatch):
    """They are typed as they stand; whoever plays leaves at once."""
    for folder in ("src", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    learn_connect_four.Network().save(learn_connect_four.FILE)  # stands for one that was learnt
    commands = commands_of(page)
    assert commands
    for command in commands:
        code, _, err = run(*shlex.split(command), typed="/quit\n")
        assert code == 0, f"trellis {command}: {err}"
