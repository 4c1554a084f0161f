# ruff: noqa: INP001  # a script beside the pages, not a package
"""Write docs/commands.md from the commands themselves.

    python docs/generate_commands.py

Run it after any change of a command or an option; a test compares the page with the commands.
"""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer.main

from trellis.cli.main import app
from trellis.cli.options import DEFAULT

PAGE = Path(__file__).parent / "commands.md"
ABOUT = """# Commands

<!-- Written by `python docs/generate_commands.py`.  Do not edit: change the command instead. -->

Every command, its arguments and its options, as `trellis COMMAND --help` tells them.
Where an option has no default in the table, leaving it out means what its line says, or *off*.
Exit codes: 0 done, 1 something differs (or an error of ours), 2 bad input, 130 interrupted.
"""


def render() -> str:
    """Return the page."""
    group: Any = typer.main.get_command(app)
    commands = list(_commands(group, "trellis"))
    listed = [f"- [`{name}`](#{_anchor(name)}): {_summary(each)}" for name, each in commands]
    lines = [*ABOUT.splitlines(), "", *listed]
    for name, each in commands:
        lines += ["", *_section(name, each)]
    return "\n".join(lines) + "\n"


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield all commands with their full names, those of groups included."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> Iterator[str]:
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    usage = " ".join([name, *map(_argument, arguments), *(["[OPTIONS]"] if options else [])])
    yield f"## `{name}`"
    for paragraph in _paragraphs(command.help):
        yield from ("", paragraph)
    yield from ("", "```", usage, "```")
    if arguments:
        yield from ("", "| argument | meaning |", "|---|---|")
        for each in arguments:
            yield f"| `{_cell(_argument(each))}` | {_cell(_meaning(each))} |"
    panels = dict.fromkeys(each.rich_help_panel or "option" for each in options)
    for panel in panels:
        yield from ("", f"| {_cell(panel)} | default | meaning |", "|---|---|---|")
        for each in options:
            if (each.rich_help_panel or "option") == panel:
                cells = f"`{_cell(_option(each))}`", _cell(_default(each)), _cell(_meaning(each))
                yield f"| {' | '.join(cells)} |"


def _meaning(parameter: Any) -> str:
    """Return the help without the default at its end, which has a column of its own."""
    return (parameter.help or "").partition(DEFAULT)[0]


def _argument(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[]").removesuffix("...").strip("[]")
    if argument.nargs != 1:
        name += "..."
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    names = ", ".join(option.opts)
    if option.secondary_opts:
        names += " / " + ", ".join(option.secondary_opts)
    return names if option.is_flag else f"{names} {option.metavar or 'TEXT'}"


def _default(option: Any) -> str:
    if option.required:
        return "required"
    _, told, default = (option.help or "").partition(DEFAULT)
    if told:
        return default.removesuffix("]")
    value = option.default.value if isinstance(option.default, Enum) else option.default
    if value is None or value is False or value in ("", ()) or callable(value):
        return ""
    return f"`{value}`"


def _summary(command: Any) -> str:
    return next(_paragraphs(command.help), "")


def _paragraphs(text: str | None) -> Iterator[str]:
    for paragraph in (text or "").split("\f")[0].split("\n\n"):
        words = " ".join(paragraph.split())
        if words:
            yield words


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
