"""Options of commands, made from the settings that say what each of them is.

A command takes a group of options as one argument, `Annotated[Given, OptionGroup(…)]`, and gets
those that were given, by name.  What was not given is not there, or None: so a command can refuse
what would have no effect, and nobody compares with defaults.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Annotated, Any, get_args

import typer
from typer.models import ParameterInfo

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import options_of
from trellis.game.spec import Parameter, read_real
from trellis.gdl.options import SheetOptions

Given = dict[str, Any]
DEFAULT = " \\[default: "  # what a default follows at the end of a help text


def whole_number(text: str | int) -> int:
    """Read a whole number from the command line, or say which text was none."""
    digits = str(text).removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 30:
        raise BadParameter(f"bad number {shorten(str(text))}: expected a whole number")
    return int(text)


def real_number(text: str | float) -> float:
    """Read a finite number from the command line, or say which text was none."""
    number = read_real(str(text))
    if number is None:
        raise BadParameter(f"bad number {shorten(str(text))}: expected a number")
    return number


Whole = {"parser": whole_number, "metavar": "N"}
Real = {"parser": real_number, "metavar": "X"}


@dataclass(frozen=True)
class OptionGroup:
    """Options that belong together: some or all fields of `settings`, under a title in the help.

    `usual` says what defaults a command has of its own, in words.
    """

    settings: type
    title: str
    names: tuple[str, ...] = ()
    usual: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, Parameter]:
        """Return the options of the group by name."""
        known = options_of(self.settings)
        return {name: known[name] for name in self.names or known}

    def parameters(self) -> list[inspect.Parameter]:
        """Return what Typer makes options from."""
        return [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=self._annotation(each),
            )
            for name, each in self.options().items()
        ]

    def _annotation(self, each: Parameter) -> Any:
        option = option_name(each.public_name)
        usual = self.usual.get(each.name, each.shown_default())
        reading: dict[type, dict[str, Any]] = {int: Whole, float: Real, str: {"metavar": "TEXT"}}
        if each.type is bool:
            usual = "" if each.default is False and each.name not in self.usual else usual
            option += f"/--no-{option[2:]}" if usual else ""
        words = f"{each.help} One of {', '.join(map(str, each.choices))}." if each.choices else ""
        return Annotated[
            each.type | None,
            typer.Option(
                option,
                help=words or each.help,
                show_default=usual or False,
                rich_help_panel=self.title,
                **reading.get(each.type, {}),
            ),
        ]


SheetGroup = Annotated[Given, OptionGroup(SheetOptions, "Options for rulesheets")]


def option_name(name: str) -> str:
    """Return how an option is written on the command line."""
    return f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")


def add_command(app: typer.Typer, command: Callable[..., None]) -> None:
    """Add a command under the name of its function; Typer sees its groups as single options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, OptionGroup] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        found = [
            each for each in get_args(parameter.annotation)[1:] if isinstance(each, OptionGroup)
        ]
        if found:
            groups[name] = found[0]
            parameters += found[0].parameters()
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    for parameter in parameters:
        _tell_default(parameter.annotation)

    @wraps(command)
    def run(**values: Any) -> None:
        given = {
            group: {
                name: value
                for name in groups[group].options()
                if (value := values.pop(name)) is not None
            }
            for group in groups
        }
        command(**values, **given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(command.__name__, help=text)(run)


def _tell_default(annotation: Any) -> None:
    """Write a default that is told in words as Typer writes others; it would add brackets."""
    for info in get_args(annotation)[1:]:
        if isinstance(info, ParameterInfo) and isinstance(info.show_default, str):
            info.help = f"{info.help}{DEFAULT}{info.show_default}]"
            info.show_default = False


def refuse(why: str, **options: Any) -> None:
    """Refuse the first of these options that was given: it would have no effect."""
    for name, value in options.items():
        if value is not None:
            raise BadParameter(f"{option_name(name)} {why}")


def positive(**options: float | None) -> None:
    """Refuse a number that was given and is not above zero."""
    for name, value in options.items():
        if value is not None and not value > 0:
            raise BadParameter(
                f"bad value {value:g} for {option_name(name)}: expected a number above 0"
            )
