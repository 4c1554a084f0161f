"""Write docs/commands.md from the commands themselves.

    python docs/generate_commands.py

Run it after any change of a command or an option; a test compares the page with the commands.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from trellis.cli.help import Row, described_elsewhere, paragraphs, sections, usage
from trellis.cli.main import app
from trellis.cli.options import SHEET_OPTIONS

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
    listed = [f"- [`{name}`](#{_anchor(name)}): {paragraphs(each)[0]}" for name, each in commands]
    title = SHEET_OPTIONS.title
    rules = (
        f"- [{title}](#{_anchor(title)}): for commands that take a game, where it is a rulesheet."
    )
    lines = [*ABOUT.splitlines(), "", *listed, rules]
    for name, each in commands:
        lines += ["", *_section(name, each)]
    lines += ["", f"## {title}", "", *_table("option", SHEET_OPTIONS.rows())]
    return "\n".join(lines) + "\n"


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield all commands with their full names, those of groups included."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> Iterator[str]:
    yield f"## `{name}`"
    for paragraph in paragraphs(command):
        yield from ("", paragraph)
    yield from ("", "```", usage(name, command), "```")
    for title, rows in sections(command).items():
        yield from (
            "",
            *_table({"Arguments": "argument", "Options": "option"}.get(title, title), rows),
        )
    for title in described_elsewhere(command):
        yield from ("", f"Also [{title[0].lower()}{title[1:]}](#{_anchor(title)}).")


def _table(title: str, rows: list[Row]) -> Iterator[str]:
    yield from (f"| {title} | default | meaning |", "|---|---|---|")
    for written, default, meaning in rows:
        cells = (f"`{written}`", default, meaning)
        yield f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |"


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
