"""Builds the documentation site: pages, the API reference and notebooks, with a search offline.

    uv run --group docs python docs/build_site.py            # writes build/site
    uv run --group docs python docs/build_site.py FOLDER

A broken link, a warning or a notebook that fails ends the build, and so does a page that would
fetch anything from elsewhere when somebody looks at it.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from api_reference import render
from notebooks import page_of

ROOT = Path(__file__).parent.parent
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:)([^)#\s]+)(#[^)]*)?\)")
# What a browser would fetch by itself: not what somebody may click on.
_FETCHED = re.compile(
    r"""(?:<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc|<link\b(?=[^>]*\brel=["']?"""
    r"""(?:stylesheet|icon|preload|preconnect|shortcut))[^>]*\bhref)\s*=\s*["']?(?:https?:)?//"""
    r"""|url\(\s*["']?(?:https?:)?//|@import\s+["'](?:https?:)?//"""
)
_CAPTIONS = {
    "To use Trellis": "Using it",
    "To understand the methods": "The methods",
    "To work on Trellis": "Working on it",
}
_FOREWORD = """# Trellis

Trellis turns rules into fast games and searches them as graphs: it plays, analyses, solves and
proves.

Five ways in:

- [Play against it](docs/tutorials/play.md)
- [Solve a game](docs/tutorials/solve.md)
- [Do an experiment](docs/tutorials/research.md)
- [Bring a rulesheet](docs/tutorials/rulesheets.md)
- [Bring a network](docs/tutorials/own-network.md)

The [README](README.md) has examples and the games; [commands](docs/commands.md) and the
[API reference](api.md) have everything.

![The top of a search graph](docs/images/search-graph.svg)
"""
_CONFIGURATION = """
project = "Trellis"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Trellis"
html_copy_source = False
html_show_sphinx = html_show_copyright = False
default_role = "code"
highlight_language = "none"
myst_heading_anchors = 6
myst_enable_extensions = ["dollarmath"]
nitpicky = False
pygments_style, pygments_dark_style = "friendly", "native"
"""


def stage(folder: Path) -> None:
    """Copy everything that the site is made of, with the pages that are written by programs."""
    pages = [
        *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("README.md"), *ROOT.glob("*.md")
    ]  # fmt: skip
    staged = {folder / page.relative_to(ROOT): page for page in pages}
    for copy, page in staged.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_relinked(page, folder), encoding="utf-8")
    for part in ("docs/images", "docs/results/plots"):
        shutil.copytree(ROOT / part, folder / part, dirs_exist_ok=True)
    shown = folder / "examples" / "notebooks"
    shown.mkdir(parents=True, exist_ok=True)
    notebooks = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
    for notebook in notebooks:
        (shown / f"{notebook.stem}.md").write_text(page_of(notebook), encoding="utf-8")
    (folder / "api.md").write_text(render(), encoding="utf-8")
    (folder / "index.md").write_text(_index(notebooks), encoding="utf-8")
    (folder / "conf.py").write_text(_CONFIGURATION, encoding="utf-8")


def _relinked(page: Path, folder: Path) -> str:
    """Return a page whose links lead to pages; files of the source come along, folders do not."""

    def relink(found: re.Match[str]) -> str:
        words, target, _ = found.groups()
        path = (page.parent / target).resolve()
        if path.is_dir():
            readme = path / "README.md"
            return f"[{words}]({target}/README.md)" if readme.is_file() else words
        if path.suffix != ".md" and path.is_file():
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        return found.group()

    return _LINK.sub(relink, page.read_text(encoding="utf-8"))


def _index(notebooks: list[Path]) -> str:
    """Return the first page, with all others in the order of docs/README.md."""
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    parts = re.split(r"^## (.+)$", index, flags=re.MULTILINE)
    listed: dict[str, list[str]] = {}
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        targets = [target for _, target, _ in _LINK.findall(text) if target.endswith(".md")]
        inside = [(ROOT / "docs" / target).resolve().relative_to(ROOT) for target in targets]
        listed[_CAPTIONS.get(title, title)] = list(dict.fromkeys(map(str, inside)))
    listed["Using it"].insert(1, "api.md")
    listed["Notebooks"] = [f"examples/notebooks/{each.stem}.md" for each in notebooks]
    listed["The methods"].append("docs/results/report.md")
    known = {page for pages in listed.values() for page in pages}
    more = [page.relative_to(ROOT) for page in sorted((ROOT / "src").rglob("README.md"))]
    listed["Working on it"] += [str(page) for page in more if str(page) not in known]
    listed["Working on it"].append("docs/README.md")
    blocks = [_FOREWORD]
    for caption, pages in listed.items():
        body = "\n".join(pages)
        blocks.append(f"```{{toctree}}\n:caption: {caption}\n:hidden:\n:titlesonly:\n\n{body}\n```")
    return "\n\n".join(blocks) + "\n"


def fetched(site: Path) -> list[str]:
    """Return what pages of a site would fetch from elsewhere."""
    return [
        f"{path.relative_to(site)}: {found.group()[:80]}"
        for path in sorted(site.rglob("*"))
        if path.suffix in {".html", ".css"}
        for found in _FETCHED.finditer(path.read_text(encoding="utf-8"))
    ]


def build(site: Path) -> int:
    """Build the site; return 0 where all is well."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        shutil.rmtree(site, ignore_errors=True)
        options = ["-W", "--keep-going", "-q", "-b", "html", "-d", f"{folder}/.doctrees"]
        code = build_main([*options, folder, str(site)])
    elsewhere = fetched(site)
    for line in elsewhere:
        print(f"fetched from elsewhere: {line}", file=sys.stderr)
    if code or elsewhere:
        return 1
    print(f"written to {site}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"))
