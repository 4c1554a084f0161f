"""Games, searches and players as people write them: `hex:board_size=5`, `star2tt:pvs=true`.

All of them are a name and options as `name=value`; what an option is, `Parameter` says, and one
function splits them.  Nothing here imports Numba, so refusing bad text is quick.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, UnknownGame, nearest, shorten

Value = int | float | str | bool
LONGEST_SPEC = 1000  # characters; a longer one is a mistake or mischief
_MOST_DIGITS = 30
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game or option of a search: its type, its default and what is allowed.

    The default decides the type unless `kind` says it.  `low` and `high` are inclusive, `above` is
    not.  `usual` says in words what a default stands for that depends on other things.
    """

    name: str
    default: Value | None
    low: float | None = None
    high: float | None = None
    choices: tuple[Value, ...] = ()
    text: str = ""  # which text is expected besides choices, where its reader judges it
    help: str = ""
    above: float | None = None
    usual: str = ""
    kind: type | None = None
    written: str = ""  # how people write the name where Python cannot

    @property
    def type(self) -> "type":
        """Return the type of the values."""
        return self.kind or type(self.default)

    @property
    def public_name(self) -> str:
        """Return the name as people write it."""
        return self.written or self.name

    def expected(self) -> str:
        """Say in a few words which values are allowed."""
        if self.choices:
            names = ", ".join(map(str, self.choices))
            return f"one of {names}" + (f", or {self.text}" if self.text else "")
        if self.type is bool:
            return "true or false"
        if self.type not in (int, float):
            return self.text
        number = "a whole number" if self.type is int else "a number"
        if self.above is not None:
            return f"{number} above {_number(self.above)}" + (
                "" if self.high is None else f", at most {_number(self.high)}"
            )
        if self.low is None:
            return number
        upper = "up" if self.high is None else f"to {_number(self.high)}"
        return f"{number} from {_number(self.low)} {upper}"

    def shown_default(self) -> str:
        """Return the default as people read it."""
        if self.usual or self.default is None:
            return self.usual
        return str(self.default).lower() if self.type is bool else _number(self.default)

    def to_dict(self) -> dict[str, Any]:
        """Return what programs are told of the parameter."""
        return {"default": self.default, "expected": self.expected(), "help": self.help}

    def read(self, text: str, where: str = "") -> Value:
        """Turn text into a value, or say what was wrong with it."""
        value: Value | None = text
        if self.type is bool:
            value = _TRUTHS.get(text.casefold())
        elif self.type is int:
            # int() also takes "1_0", " 7 " and digits of other scripts.
            digits = text[1:] if text[:1] in ("+", "-") else text
            usable = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
            value = int(text) if usable else None
        elif self.type is float:
            value = read_real(text)
        if value is None:
            raise self._refuse(shorten(text), where)
        self.check(value, where)
        return value

    def check(self, value: Any, where: str = "") -> None:
        """Refuse a value that is not allowed; None is where the default is."""
        if value is None and self.default is None:
            return
        if self.choices:
            if self.text and is_part(value):
                return  # its reader judges it
            if value not in self.choices:
                hint = nearest(str(value), map(str, self.choices))
                raise self._refuse(shorten(str(value)), where, hint)
        elif self.type in (int, float) and not (
            math.isfinite(value)
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
        ):
            raise self._refuse(str(value) if isinstance(value, int) else f"{value:g}", where)

    def _refuse(self, shown: str, where: str, hint: str = "") -> BadParameter:
        name = f"{where}:{self.public_name}" if where else self.public_name
        return BadParameter(f"bad value {shown} for {name}: expected {self.expected()}{hint}")


def _number(value: Any) -> str:
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 1e15):
        return f"{value:g}"
    return f"{int(value):,}" if isinstance(value, int | float) else str(value)


def read_real(text: str) -> float | None:
    """Return the finite number that text stands for, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_part(given: Any) -> bool:
    """Tell whether a setting is a part of the user's own: a function, or `file.py:name`."""
    if not isinstance(given, str):
        return given is not None
    head, found, rest = given.partition(".py")
    return bool(head and found) and (not rest or rest[0] == ":")


def split_options(text: str, what: str = "option") -> tuple[list[str], dict[str, str]]:
    """Split `a,b,name=value,other=value`: words that come first, and options by name.

    This is the only place that knows how options are written.  `what` is what messages call them.
    """
    words: list[str] = []
    given: dict[str, str] = {}
    for part in (piece.strip() for piece in text.split(",")) if text.strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if part and not equals and not given:
            words.append(part)
        elif not name or not value:
            raise BadParameter(f"bad {what} {shorten(part)}: expected name=value")
        elif name in given:
            raise BadParameter(f"{what} {shorten(name)} is given twice")
        else:
            given[name] = value
    return words, given


def read_options(
    given: Mapping[str, str], known: Mapping[str, Parameter], what: str = "option", where: str = ""
) -> dict[str, Any]:
    """Turn the options that were given as text into values; refuse unknown names."""
    for name in given:
        if name not in known:
            names = ", ".join(known) or f"no {what}s"
            of = f" for {where}" if where else ""
            raise BadParameter(
                f"unknown {what} {shorten(name)}{of}: expected {names}{nearest(name, known)}"
            )
    return {name: known[name].read(text, where) for name, text in given.items()}


@dataclass(frozen=True)
class Entry:
    """One built-in game: what can be said about it without loading it.

    `class_name` is looked up in the module of the game's own name; `state_bytes` is the size of
    a position with default parameters.
    """

    name: str
    class_name: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    players: int = 2
    chance: bool = False
    simultaneous: bool = False
    state_bytes: int = 0
    aliases: tuple[str, ...] = ()

    def settings(self, given: dict[str, str]) -> dict[str, Value]:
        """Check parameters given as text and fill in the defaults."""
        known = {parameter.name: parameter for parameter in self.parameters}
        usual: dict[str, Any] = {name: each.default for name, each in known.items()}
        return usual | read_options(given, known, "parameter", self.name)


@dataclass(frozen=True)
class Spec:
    """The text of a game, split: built-in, in a `.py` file, a rulesheet, or a problem of Go.

    `name` is that of the game or class, empty where a file needs none; `given` are parameters.
    """

    name: str
    given: dict[str, str]
    file: Path | None = None

    @property
    def is_sheet(self) -> bool:
        """Tell whether the game is a rulesheet."""
        return self.file is not None and self.file.suffix in _SHEETS

    @property
    def is_problem(self) -> bool:
        """Tell whether the game is a problem of Go."""
        return self.file is not None and self.file.suffix in _PROBLEMS

    def with_parameters(self, more: Mapping[str, str]) -> "Spec":
        """Return the same game with more parameters; none may be given twice."""
        for name in more:
            if name in self.given:
                raise BadParameter(f"parameter {shorten(name)} is given twice")
        return replace(self, given={**self.given, **more})


_SHEETS = (".kif", ".gdl")
_PROBLEMS = (".sgf", ".txt")


def split_spec(text: str) -> Spec:
    """Split `name:a=1,b=2`, `name(a=1,b=2)`, `file.py:Class(a=1)`, `file.kif:a=1`, `file.sgf`."""
    if len(text) > LONGEST_SPEC:
        raise BadParameter(f"game {shorten(text)} is longer than {LONGEST_SPEC} characters")
    file, rest = _split_file(text.strip())
    head, bracket, body = rest.partition("(")
    if bracket and ":" not in head:
        if not body.endswith(")"):
            raise BadParameter(f"game {shorten(text)} lacks its closing bracket")
        name, body = head, body[:-1]
    elif file is not None and file.suffix == ".py" and "=" in head:
        name, body = "", rest  # file.py:a=1, without a class
    else:
        name, _, body = rest.partition(":")
    try:
        # A comma too many does no harm here.
        parts = ",".join(part for part in body.split(",") if part.strip())
        words, given = split_options(parts, "parameter")
    except BadParameter as error:
        raise BadParameter(f"game {shorten(text)}: {error}") from None
    if words:
        raise BadParameter(
            f"game {shorten(text)}: bad parameter {shorten(words[0])}: expected name=value"
        )
    return Spec(name.strip(), given, file)


def _split_file(text: str) -> tuple[Path | None, str]:
    """Return the file that a text begins with, if it does, and the rest."""
    for ending in (*_SHEETS, *_PROBLEMS, ".py"):
        head, found, rest = text.partition(ending)
        if found and (not rest or rest[0] in ":("):
            path = Path(head + found)
            return path, rest.removeprefix(":") if ending == ".py" else rest
    return None, text


def find_entry(name: str, entries: Iterable[Entry]) -> Entry:
    """Find the game called `name`, by its own name or an alias."""
    names: dict[str, Entry] = {}
    for entry in entries:
        for alias in (entry.name, *entry.aliases):
            names[alias] = entry
    if name.casefold() in names:
        return names[name.casefold()]
    raise UnknownGame(
        f"unknown game {shorten(name)}: expected a name that `trellis games` lists"
        f"{nearest(name.casefold(), names)}"
    )


def plain_value(value: Value | None) -> str:
    """Return a value as it is written after `name=`."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_value(text: str) -> Value:
    """Return a number, a truth or text: what a parameter is that nobody has declared."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.casefold(), text)
