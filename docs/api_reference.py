"""The API reference: a page about everything that `trellis` exports, from its docstrings.

Docstrings are Markdown, so the page is, too: `render()` returns it.
"""

import inspect
import re
from types import ModuleType
from typing import Any

import trellis

_PLAIN = frozenset(vars(Exception)) | frozenset(vars(object))
_INTRODUCTION = """# API reference

Everything that `import trellis` offers, from its docstrings.
Parts of a search (`trellis.parts`) are explained in [doors](docs/doors.md), those of compiled games
(`trellis.authoring`) in [a game is functions plus tables](docs/functions-plus-tables.md).
"""


def render() -> str:
    """Return the page."""
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": [], "Others": []}
    for name in sorted(trellis.__all__, key=str.casefold):
        thing = getattr(trellis, name)
        groups[_group(thing)].append(_entry(name, thing))
    parts = [_INTRODUCTION]
    for title, entries in groups.items():
        parts += [f"## {title}", *entries] if entries else []
    return "\n\n".join(parts) + "\n"


def documented() -> dict[str, str]:
    """Return the docstring of everything that is exported, by name."""
    return {name: _doc(getattr(trellis, name)) for name in trellis.__all__}


def _group(thing: Any) -> str:
    if inspect.isclass(thing):
        return "Errors" if issubclass(thing, BaseException) else "Classes"
    return "Functions" if callable(thing) else "Others"


def _entry(name: str, thing: Any) -> str:
    lines = [f"### {name}", ""]
    if callable(thing):
        kind = "exception" if _group(thing) == "Errors" else "class"
        kind = kind if inspect.isclass(thing) else "function"
        lines += [f"```{{py:{kind}}} trellis.{name}{_signature(thing)}", "```", ""]
    elif not isinstance(thing, ModuleType):
        lines += [f"`trellis.{name}` is {thing!r}.", ""]
    lines.append(_markdown(_doc(thing)))
    if inspect.isclass(thing) and _group(thing) == "Classes":
        lines += _members(name, thing)
    return "\n".join(lines)


def _members(owner: str, thing: type) -> list[str]:
    lines = []
    for name, member in inspect.getmembers(thing):
        if name.startswith("_") or name in _PLAIN:
            continue
        is_property = isinstance(member, property)
        if not (is_property or inspect.isroutine(member)) or not _doc(member):
            continue
        kind = "attribute" if is_property else "method"
        written = name if is_property else f"{name}{_signature(member, method=True)}"
        lines += ["", f"```{{py:{kind}}} trellis.{owner}.{written}", "```"]
        lines += ["", _markdown(_doc(member))]
    return lines


def _doc(thing: Any) -> str:
    doc = thing.__doc__ if not isinstance(thing, int | float | str) else ""
    return inspect.cleandoc(doc or "")


def _signature(thing: Any, *, method: bool = False) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = []
    for number, each in enumerate(signature.parameters.values()):
        if method and number == 0 and each.name in ("self", "cls"):
            continue
        if each.default is not each.empty and not isinstance(
            each.default, int | float | str | bool | tuple | None
        ):
            each = each.replace(default=...)
        plain.append(each.replace(annotation=each.empty))
    return str(inspect.Signature(plain)).replace("Ellipsis", "...")


def _markdown(doc: str) -> str:
    """Put examples and tables of a docstring into blocks of code."""
    lines, out, inside = doc.splitlines(), [], False
    for number, line in enumerate(lines):
        starts = line.startswith(">>> ")
        if starts and not inside:
            out += ["", "```python"]
            inside = True
        elif inside and not line:
            out += ["```", ""]
            inside = False
            continue
        blank_before = number == 0 or not lines[number - 1].strip()
        if line.startswith("    ") and blank_before and not inside and out and out[-1]:
            out.append("")
        out.append(line)
    if inside:
        out.append("```")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out))
