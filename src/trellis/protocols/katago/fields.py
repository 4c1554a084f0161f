"""Fields of a query, read strictly: what is wrong is told with the name of the field.

Numbers are not truths, `19.0` is no whole number, and a list has what it should: as in KataGo.
"""

import json
import math
import re
from typing import Any, NoReturn

from trellis.game.errors import TrellisError, shorten
from trellis.protocols.gtp.go_board import PASS
from trellis.protocols.gtp.parsing import PASS as PASS_WORD
from trellis.protocols.gtp.parsing import read_colour, read_point

_PAIR = re.compile(r"\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)")
Json = dict[str, Any]


class QueryError(TrellisError):
    """What is wrong with a query, and in which field."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise ValueError(f"{shorten(word)} is too large")
    return number


def read_json(text: str) -> Any:
    """Read a line; everything that is no JSON, or nested too deep, is a ValueError."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError:
        raise ValueError("a number is none, or too large") from None


def write_json(found: Json) -> str:
    """Write an answer as one line without characters that are not ASCII."""
    return json.dumps(found, allow_nan=False, sort_keys=True, separators=(",", ":"))


def is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number, and no truth."""
    return isinstance(value, int) and not isinstance(value, bool)


class Fields:
    """The fields of a query, or of an object inside the field `within`, read one by one."""

    def __init__(self, found: Json, within: str = "") -> None:
        self.found, self._within = found, within

    def __contains__(self, name: str) -> bool:
        return name in self.found

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise what is to be said of a field."""
        raise QueryError(self._within or name, expected)

    def whole(self, name: str, low: int, high: int, bounds: str = "") -> int:
        """Return a whole number."""
        value: Any = self.found.get(name)
        if not is_whole(value) or not low <= value <= high:
            self.refuse(name, f"Must be an integer from {bounds or f'{low} to {high}'}")
        return int(value)

    def real(self, name: str, low: float, high: float) -> float:
        """Return a number."""
        value: Any = self.found.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            self.refuse(name, f"Must be a number from {low:g} to {high:g}")
        return float(value)

    def truth(self, name: str) -> bool:
        """Return whether something is wanted; what is not there is not."""
        value: Any = self.found.get(name, False)
        if not isinstance(value, bool):
            self.refuse(name, "Must be a boolean")
        return value

    def colour(self, name: str) -> int:
        """Return a colour."""
        value: Any = self.found.get(name)
        colour = read_colour(value) if isinstance(value, str) else None
        if colour is None:
            self.refuse(name, 'Must be "b" or "w"')
        return colour

    def wholes(self, name: str, low: int, high: int) -> list[int]:
        """Return a list of whole numbers."""
        value: Any = self.found.get(name)
        if not isinstance(value, list) or not all(map(is_whole, value)):
            self.refuse(name, "Must be an array of integers")
        for each in value:
            if not low <= each <= high:
                self.refuse(name, f"Invalid number {shorten(str(each))}: expected {low} to {high}")
        return value

    def points(self, name: str, rows: int, columns: int) -> list[int]:
        """Return a list of points and passes."""
        value: Any = self.found.get(name)
        if not isinstance(value, list):
            self.refuse(name, "Must be an array of GTP board vertices")
        return [self._point(name, each, rows, columns) for each in value]

    def pairs(
        self, name: str, rows: int, columns: int, *, most: int, passes: bool
    ) -> tuple[tuple[int, int], ...]:
        """Return a list of colours and points."""
        value: Any = self.found.get(name)
        expected = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
        if not isinstance(value, list):
            self.refuse(name, expected)
        if len(value) > most:
            self.refuse(name, f"{len(value)} are too many: expected at most {most}")
        found = []
        for pair in value:
            if not isinstance(pair, list) or len(pair) != 2:
                self.refuse(name, expected)
            colour = read_colour(pair[0]) if isinstance(pair[0], str) else None
            if colour is None:
                self.refuse(name, f"Could not parse player: {_told(pair[0])}")
            point = self._point(name, pair[1], rows, columns)
            if point == PASS and not passes:
                self.refuse(name, f"Could not parse board location: {_told(pair[1])}")
            found.append((colour, point))
        return tuple(found)

    def _point(self, name: str, value: Any, rows: int, columns: int) -> int:
        word = value if isinstance(value, str) else ""
        if word.casefold() == PASS_WORD:
            return PASS
        place = read_point(word, rows, columns)
        counted = _PAIR.fullmatch(word)  # from the left, and from the top
        if counted:
            place = rows - 1 - int(counted[2]), int(counted[1])
        if place is None or not (0 <= place[0] < rows and 0 <= place[1] < columns):
            self.refuse(name, f"Could not parse board location: {_told(value)}")
        return place[0] * columns + place[1]


def _told(value: Any) -> str:
    return shorten(value if isinstance(value, str) else str(value)[:200])
