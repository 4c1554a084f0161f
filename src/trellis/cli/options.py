"""How commands say what they take, and how Typer hears of it.

A parameter of a command is `Annotated[int, Option("What it does.")]`; or a group of options made
from settings, `Annotated[Given, OptionGroup(…)]`; or a record with fields like these.  Of a
group a command gets what was given, by name: so it can refuse what would have no effect, and nobody
compares with defaults.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from trellis.cli.help import HelpfulCommand, Row, option_name
from trellis.cli.offers import starting
from trellis.game.errors import BadParameter
from trellis.game.options import options_of
from trellis.game.spec import Parameter
from trellis.gdl.options import SheetOptions

Given = dict[str, Any]
_METAVARS = {int: "N", float: "X", Path: "FILE", bool: ""}


@dataclass(frozen=True)
class Option:
    """What an option does, its default where that takes words, and which numbers are allowed."""

    help: str
    usual: str = ""
    panel: str | None = None
    metavar: str = ""
    above: float | None = None
    low: float | None = None
    complete: Callable[[str], list[str]] | None = None  # what a shell is told after some letters

    def parameters(self, name: str, annotation: Any, default: Any) -> Iterator[inspect.Parameter]:
        """Yield what Typer makes the option from."""
        kind = next(iter(get_args(annotation)), annotation)
        known = Parameter(
            name, None, help=self.help, usual=self.usual, above=self.above, low=self.low, kind=kind
        )
        positional = isinstance(self, Argument)
        how: Given = {"metavar": self.metavar, "rich_help_panel": self.panel}
        if self.complete is not None:
            how["autocompletion"] = self.complete
        yield _typer_parameter(known, annotation, default, positional=positional, **how)


class Argument(Option):
    """The same for an argument."""


@dataclass(frozen=True)
class OptionGroup:
    """Options that belong together: some or all fields of `settings`, under a title in the help.

    `usual` says what defaults a command has of its own, in words.  Options that are described
    `elsewhere` fill no help but one.  Where they `change` what something else has set, they have no
    defaults, and what may be on can be switched off.
    """

    settings: type
    title: str
    names: tuple[str, ...] = ()
    usual: dict[str, str] = field(default_factory=dict)
    elsewhere: bool = False
    change: bool = False

    def options(self) -> dict[str, Parameter]:
        """Return the options of the group by name."""
        known = options_of(self.settings)
        return {name: known[name] for name in self.names or known}

    def parameters(self, name: str, annotation: Any, default: Any) -> Iterator[inspect.Parameter]:
        """Yield what Typer makes options from."""
        for each in self.options().values():
            usual = self.usual.get(each.name, "" if self.change else each.shown_default())
            shown = replace(each, usual="" if each.type is bool and usual == "false" else usual)
            how: Given = {"rich_help_panel": self.title, "hidden": self.elsewhere}
            if each.choices:
                how["autocompletion"] = starting(map(str, each.choices))
            yield _typer_parameter(shown, each.type | None, None, both=self.change, **how)

    def rows(self) -> list[Row]:
        """Return what a help says of the options."""
        return [
            (_written(each), "" if each.type is bool else each.shown_default(), _meaning(each))
            for each in self.options().values()
        ]

    def value(self, values: Given) -> Given:
        """Return those options of the group that were given."""
        return {name: values[name] for name in self.options() if values[name] is not None}


SHEET_OPTIONS = OptionGroup(SheetOptions, "Options for rulesheets", elsewhere=True)


def _typer_parameter(
    known: Parameter,
    annotation: Any,
    default: Any,
    *,
    metavar: str = "",
    positional: bool = False,
    both: bool = False,
    **how: Any,
) -> inspect.Parameter:
    """Return an option or argument as Typer wants it; one that may be on can be switched off."""
    make: Callable[..., Any]
    if positional:
        make, written = typer.Argument, metavar or known.name.upper()
        names, how["metavar"] = [], written
    else:
        make, written = typer.Option, option_name(known.public_name)
        both = known.type is bool and bool(both or known.usual or default)
        names = [f"{written}/--no-{written[2:]}" if both else written]
        how["metavar"] = metavar or _METAVARS.get(known.type, "TEXT")
    if known.type in (int, float):  # read as everywhere else, and refused by its name
        named = replace(known, written=written)
        how["parser"] = lambda given: named.read(str(given))
    info = make(*names, help=_meaning(known), show_default=known.usual or True, **how)
    kind = inspect.Parameter.KEYWORD_ONLY
    typed = Annotated[annotation, info]
    return inspect.Parameter(known.name, kind, default=default, annotation=typed)


def _written(known: Parameter) -> str:
    return f"{option_name(known.public_name)} {_METAVARS.get(known.type, 'TEXT')}".strip()


def _meaning(known: Parameter) -> str:
    choices = f" One of {', '.join(map(str, known.choices))}." if known.choices else ""
    return known.help + choices


def add_command(app: typer.Typer, command: Callable[..., None]) -> None:
    """Add a command under the name of its function, with everything that it takes."""
    ranked, call = _unfold(command)
    parameters = [each for _, each in sorted(ranked, key=itemgetter(0))]

    @wraps(command)
    def run(**values: Any) -> None:
        call(values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    app.command(command.__name__, help=inspect.getdoc(command), cls=HelpfulCommand)(run)


def _unfold(
    taker: Callable[..., Any],
) -> tuple[list[tuple[int, inspect.Parameter]], Callable[[Given], Any]]:
    """Return what Typer is told of a function's parameters, and what calls it with their values.

    Each has a rank: arguments come first, then a command's own options, then those of records.
    Of these, what more commands take comes later.
    """
    ranked: list[tuple[int, inspect.Parameter]] = []
    parts: dict[str, Callable[[Given], Any]] = {}
    taken = list(inspect.signature(taker).parameters.items())
    for name, parameter in reversed(taken) if isinstance(taker, type) else taken:
        kind, *marks = get_args(parameter.annotation) or (parameter.annotation,)
        mark = next((each for each in marks if isinstance(each, Option | OptionGroup)), None)
        if mark is None:
            found, parts[name] = _unfold(kind)
            ranked += [(2 * rank, each) for rank, each in found]
        else:
            rank = 0 if isinstance(mark, Argument) else 1
            ranked += [(rank, each) for each in mark.parameters(name, kind, parameter.default)]
            parts[name] = mark.value if isinstance(mark, OptionGroup) else itemgetter(name)
    return ranked, lambda values: taker(**{name: part(values) for name, part in parts.items()})


def refuse(why: str, **options: Any) -> None:
    """Refuse the first of these options that was given: it would have no effect."""
    for name, value in options.items():
        if value is not None:
            raise BadParameter(f"{option_name(name)} {why}")
