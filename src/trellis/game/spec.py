"""Names of games with parameters: `hex:board_size=5`, or `hex(board_size=5)` as in OpenSpiel.

Nothing here imports Numba, so listing games and refusing bad names is quick.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from trellis.game.errors import BadParameter, UnknownGame, nearest, shorten

Value = int | float | str | bool
LONGEST_SPEC = 1000  # characters; a longer one is a mistake or mischief
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game: its default decides its type; bounds are inclusive."""

    name: str
    default: Value
    low: int | None = None
    high: int | None = None
    choices: tuple[Value, ...] = ()
    text: str = ""  # which text is expected, where the game itself judges it
    help: str = ""

    def expected(self) -> str:
        """Say in a few words which values are allowed."""
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a whole number from {self.low} to {self.high}"
        return self.text

    def read(self, text: str, where: str) -> Value:
        """Turn text into a value, or say what was wrong with it."""
        value: Value | None = None
        if isinstance(self.default, bool):
            value = _TRUTHS.get(text.casefold())
        elif isinstance(self.default, int):
            try:
                # int() also takes "1_0", " 7 " and digits of other scripts; a spec does not.
                value = int(text) if text.isascii() and text.lstrip("+-").isdigit() else None
            except ValueError:  # more digits than Python converts
                value = None
        else:
            value = text
        out_of_range = isinstance(value, int) and (
            (self.low is not None and value < self.low)
            or (self.high is not None and value > self.high)
        )
        if value is None or out_of_range or (self.choices and value not in self.choices):
            raise BadParameter(
                f"bad value {shorten(text)} for {where}:{self.name}: expected {self.expected()}"
            )
        return value


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
        for name in given:
            if name not in known:
                names = ", ".join(known) or "no parameters"
                raise BadParameter(
                    f"unknown parameter {shorten(name)} for {self.name}: expected {names}"
                    f"{nearest(name, known)}"
                )
        return {
            name: parameter.read(given[name], self.name) if name in given else parameter.default
            for name, parameter in known.items()
        }


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split `name:a=1,b=2` or `name(a=1,b=2)` into the name and its parameters as text."""
    if len(spec) > LONGEST_SPEC:
        raise BadParameter(f"game {shorten(spec)} is longer than {LONGEST_SPEC} characters")
    text = spec.strip()
    head, bracket, rest = text.partition("(")
    if bracket and ":" not in head:
        if not rest.endswith(")"):
            raise BadParameter(f"game {shorten(spec)} lacks its closing bracket")
        name, body = head, rest[:-1]
    else:
        name, _, body = text.partition(":")
    given: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in body.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise BadParameter(
                f"bad parameter {shorten(part)} in {shorten(spec)}: expected name=value"
            )
        if key in given:
            raise BadParameter(f"parameter {shorten(key)} is given twice in {shorten(spec)}")
        given[key] = value
    return name.strip(), given


def split_file_spec(spec: str) -> tuple[Path, str] | None:
    """Split `folder/file.py:rest` into the file and the rest; None if it names no .py file."""
    head, dot_py, rest = spec.partition(".py")
    if not dot_py or (rest and rest[0] not in ":("):
        return None
    return Path(head + dot_py), rest.removeprefix(":")


def split_sheet_spec(spec: str) -> tuple[Path, str] | None:
    """Split `folder/file.kif:rest` into the file and the rest; None if it names no rulesheet."""
    for ending in (".kif", ".gdl"):
        head, found, rest = spec.partition(ending)
        if found and (not rest or rest[0] in ":("):
            return Path(head + found), rest
    return None


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


def read_value(text: str) -> Value:
    """Return a number, a truth or text: what a parameter is that nobody has declared."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.casefold(), text)
