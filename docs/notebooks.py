"""Notebooks run without Jupyter: cell by cell, with what each prints and what its last line is.

python docs/notebooks.py examples/notebooks/play.ipynb    # prints the page of the site
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def cells_of(notebook: Path) -> list[tuple[str, str]]:
    """Return the kind and the text of each cell."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]


def run_cell(code: str, names: dict[str, Any], where: str) -> tuple[str, Any]:
    """Run a cell; return what it printed, and the value of its last line or None."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec"), names)  # noqa: S102  (a notebook of ours)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307
    return printed.getvalue(), value


def page_of(notebook: Path) -> str:
    """Run a notebook and return it as a page of Markdown; whatever a cell raises is raised."""
    names: dict[str, Any] = {"__name__": "__notebook__"}
    parts = []
    for number, (kind, text) in enumerate(cells_of(notebook), start=1):
        if kind == "markdown":
            parts.append(text)
            continue
        printed, value = run_cell(text, names, f"{notebook.name}, cell {number}")
        parts.append(f"```python\n{text}\n```")
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
        if value is not None:
            parts.append(_shown(value))
    return "\n\n".join(parts) + "\n"


def _shown(value: Any) -> str:
    """Return a value as a notebook shows it: a picture, a table or text."""
    for way in ("_repr_html_", "_repr_svg_"):
        drawn = getattr(value, way, lambda: None)()
        if drawn:
            return f"<div class='output'>\n{_without_empty_lines(drawn)}\n</div>"
    return f"```text\n{value!r}\n```"


def _without_empty_lines(html: str) -> str:
    """Markdown would end a block of HTML at an empty line."""
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())


if __name__ == "__main__":
    print(page_of(Path(sys.argv[1])))
