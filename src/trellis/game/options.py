"""Settings as dataclasses whose fields say all there is to say of an option, once.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Oven:
...     heat: int = option(180, "How hot.", low=0, high=250)
>>> options_of(Oven)["heat"].expected()
'a whole number from 0 to 250'

From these come the options of commands, those of players and searches as text, the checks of
values and the tables in the documentation.
"""

from collections.abc import Iterable
from dataclasses import field, fields
from functools import cache
from typing import Any, cast, get_args, get_type_hints

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.spec import Parameter, Value


def option(default: Any, what: str, **facts: Any) -> Any:
    """Return a field that is an option: `what` it does, and further `facts` of `Parameter`."""
    return field(default=default, metadata={"help": what, **facts})


@cache
def options_of(settings: type) -> dict[str, Parameter]:
    """Return the options that the fields of a dataclass describe, by name."""
    types = get_type_hints(settings)
    return {
        each.name: Parameter(
            each.name,
            cast("Value | None", each.default),
            kind=next(iter(get_args(types[each.name])), types[each.name]),
            **each.metadata,
        )
        for each in fields(settings)
        if "help" in each.metadata
    }


def check_options(settings: Any) -> None:
    """Refuse settings with a value that its option does not allow."""
    for name, known in options_of(type(settings)).items():  # type: ignore[arg-type]
        known.check(getattr(settings, name))


def refuse_unknown(settings: Any, names: Iterable[str], what: str) -> None:
    """Refuse names that no field of a dataclass has."""
    known = sorted(each.name for each in fields(settings))
    for name in names:
        if name not in known:
            raise BadParameter(
                f"unknown setting {shorten(name)} of {what}: expected one of {', '.join(known)}"
                f"{nearest(name, known)}"
            )


def markdown_table(options: Iterable[Parameter]) -> str:
    """Return the table of some options for the documentation."""
    lines = ["| option | default | values | what it does |", "|---|---|---|---|"]
    for each in options:
        values = each.expected().removeprefix("one of ") or "text"
        lines.append(f"| `{each.public_name}` | {each.shown_default()} | {values} | {each.help} |")
    return "\n".join(lines) + "\n"
