"""What `--help` prints: what a command does, and everything it takes, in sections.

Also what is said of words that a command does not take.
"""

import re
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from trellis.game.errors import nearest, shorten

Row = tuple[str, str, str]  # how something is written, its default, what it means
_HARD = "\N{NO-BREAK SPACE}"
_WIDEST = 100  # columns: longer lines are hard to read
_NARROWEST = 60
_TOO_MANY = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.DOTALL)
_NO_COMMAND = re.compile(r"No such command '(.*?)'(\. Did you mean .*)?$", re.DOTALL)


class _Helpful:
    """Prints its help in our own way."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; Typer asks for it."""
        out = Console(highlight=False)
        columns = min(max(out.width, _NARROWEST), _WIDEST)
        print(f"Usage: {usage(ctx.command_path, self)}")
        for paragraph in paragraphs(self):
            print("", *_fold(paragraph, columns), sep="\n")
        found = sections(self)
        width = max(len(name) for rows in found.values() for name, *_ in rows)
        for title, rows in found.items():
            out.print(Text(f"\n{title}", style="bold"))
            for name, default, meaning in rows:
                # A short default stays in one piece.
                told = f"[default: {default}]".replace(" ", _HARD if len(default) < 20 else " ")
                lines = _fold(
                    f"{meaning} {told}" if default else meaning, max(columns - width - 4, 20)
                )
                for left, right in zip_longest([name], lines, fillvalue=""):
                    print(f"  {left:{width}}  {right}")
        for title, names in described_elsewhere(self).items():
            told = f"{title}, which `trellis gdl --help` describes: {', '.join(names)}"
            print("", *_fold(told, columns), sep="\n")


def _fold(text: str, columns: int) -> list[str]:
    return [line.replace(_HARD, " ") for line in wrap(text, columns, break_on_hyphens=False)]


class HelpfulCommand(_Helpful, TyperCommand):
    """A command."""


class HelpfulGroup(_Helpful, TyperGroup):
    """A command with commands below it."""


def option_name(name: str) -> str:
    """Return how an option is written on the command line; Python wants `import_` for import."""
    return f"-{name}" if len(name) == 1 else "--" + name.rstrip("_").replace("_", "-")


def usage(path: str, command: Any) -> str:
    """Return how a command is called."""
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    last = "[OPTIONS] COMMAND ..." if hasattr(command, "commands") else "[OPTIONS]"
    return " ".join([path, *map(_argument, arguments), last])


def paragraphs(command: Any) -> list[str]:
    """Return what the help of a command says, paragraph by paragraph."""
    return [" ".join(part.split()) for part in (command.help or "").split("\n\n")]


def sections(command: Any) -> dict[str, list[Row]]:
    """Return what a command takes, by title."""
    found: dict[str, list[Row]] = {"Arguments": [], "Options": []}
    for each in command.params:
        if each.param_type_name == "argument":
            found["Arguments"].append(_row(_argument(each), each))
        elif not each.hidden:
            found.setdefault(each.rich_help_panel or "Options", []).append(
                _row(_option(each), each)
            )
    below = getattr(command, "commands", {}).items()
    if below:
        found["Commands"] = [(name, "", paragraphs(each)[0]) for name, each in below]
    for group in getattr(command, "describes", ()):
        found[group.title] = group.rows()
    return {title: rows for title, rows in found.items() if rows}


def described_elsewhere(command: Any) -> dict[str, list[str]]:
    """Return the options of a command that another help describes, by title."""
    found: dict[str, list[str]] = {}
    for each in command.params:
        if getattr(each, "hidden", False):
            found.setdefault(each.rich_help_panel, []).append(each.opts[0])
    return found


def refusal(error: TyperException) -> str:
    """Say which words of a command line cannot be, and what was expected, in one line."""
    message = error.format_message().removesuffix(".")
    context = getattr(error, "ctx", None)
    name = getattr(error, "option_name", "")
    if context is None:  # the value of an option
        takes = "expected a value behind it" if "requires" in message else "takes no value"
        return f"{name}: {takes} (try --help)" if name else f"{message} (try --help)"
    command, path = context.command, context.command_path
    expected = f"expected {usage(path, command)}"
    match type(error).__name__:
        case "NoSuchOption":
            known = [each for option in command.params for each in option.opts]
            return f"unknown option {shorten(name)} (try {path} --help){nearest(name, known)}"
        case "MissingParameter":
            return f"missing argument {error.param.metavar}: {expected}"  # type: ignore[attr-defined]
    if found := _TOO_MANY.match(message):
        return f"unexpected argument {shorten(found[1])}: {expected}"
    if found := _NO_COMMAND.match(message):
        known = list(command.commands)
        close = nearest(found[1], known)
        return f"unknown command {shorten(found[1])}: expected {', '.join(known)}{close}"
    return f"{message} (try {path} --help)"


def _argument(argument: Any) -> str:
    name = argument.metavar + ("..." if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    name = ", ".join(option.opts)
    if option.secondary_opts:
        name = name.replace("--", "--[no-]")
    return f"{name} {option.metavar or ''}".strip()


def _row(written: str, parameter: Any) -> Row:
    default: Any = parameter.show_default
    if default is True:
        default = parameter.default
    if default is None or isinstance(default, bool):
        default = ""
    shown = str(default) if isinstance(default, str) else f"{default:,}".removesuffix(".0")
    return written, shown, parameter.help
