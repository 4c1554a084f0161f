r"""Lines of the Go Text Protocol, version 2: what a command is, what a reply looks like.

>>> read_line("12 play  B\tc3 # a comment\r\n")
Line(number='12', name='play', words=('B', 'c3'))
>>> reply("12", "")
'=12\n\n'
>>> vertex_name(2, 2)
'C3'
"""

import re
from dataclasses import dataclass

from trellis.game.errors import TrellisError, shorten
from trellis.game.spec import read_real

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # without I, which looks like 1
BLACK, WHITE = 0, 1
COLOURS = ("black", "white")
PASS = "pass"  # noqa: S105  # a move, not a password
RESIGN = "resign"
MOST_DIGITS = 9
LONGEST_LINE = 1 << 20  # characters; a line that has so many is refused
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_VERTEX = re.compile(r"([a-zA-Z])([0-9]{1,3})")


class CommandError(TrellisError):
    """What is wrong with a command; the reply to it says so."""


@dataclass(frozen=True)
class Line:
    """A command: its number as it was written or nothing, its name, what follows."""

    number: str
    name: str
    words: tuple[str, ...] = ()


def read_line(text: str) -> Line | None:
    """Read a line; None where there is nothing but blanks and a comment in it.

    Control characters do not count, tabs are blanks, and `#` begins a comment.
    """
    words = _CONTROL.sub("", text.replace("\t", " ")).partition("#")[0].split()
    if not words:
        return None
    number = ""
    if words[0].isascii() and words[0].isdigit():
        number = words.pop(0)
    return Line(number, words[0] if words else "", tuple(words[1:]))


def is_interrupt(text: str) -> bool:
    """Tell whether a line is the comment by which GoGui asks for a command to end."""
    return text.strip().startswith("#") and text.strip(" #\t\r\n").casefold() == "interrupt"


def reply(number: str, text: str, *, failed: bool = False) -> str:
    """Return a reply: no line of it is empty but the last, which ends it."""
    first, *rest = (_CONTROL.sub("", line).rstrip() for line in text.split("\n"))
    head = f"{'?' if failed else '='}{number}"
    return "\n".join([f"{head} {first}".rstrip(), *filter(None, rest), "", ""])


def vertex_name(row: int, column: int) -> str:
    """Name a point: a letter for the column, and the row, 1 at the bottom."""
    return f"{LETTERS[column]}{row + 1}"


def other(colour: int) -> int:
    """Return the other colour."""
    return 1 - colour


class Words:
    """The words that follow a command, read one after the other."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self._taken = 0

    def __len__(self) -> int:
        return len(self._words) - self._taken

    @property
    def next_word(self) -> str:
        """Return the next word without taking it; empty where there is none."""
        return self._words[self._taken] if len(self) else ""

    def word(self, expected: str) -> str:
        """Take the next word; `expected` says what it should be."""
        if not len(self):
            raise CommandError(f"syntax error: expected {expected}")
        self._taken += 1
        return self._words[self._taken - 1]

    def rest(self) -> str:
        """Take all that is left, as text."""
        text = " ".join(self._words[self._taken :])
        self._taken = len(self._words)
        return text

    def colour(self) -> int:
        """Take a colour."""
        word = self.word("a color, b or w")
        colour = read_colour(word)
        if colour is None:
            raise CommandError(f"syntax error: {shorten(word)} is not a color, b or w")
        return colour

    def point(self, rows: int, columns: int) -> tuple[int, int]:
        """Take a point as row and column."""
        word = self.word("a vertex")
        point = read_point(word, rows, columns)
        if point is None:
            raise CommandError(f"invalid coordinate {shorten(word)} on {columns}x{rows}")
        return point

    def whole(self, expected: str) -> int:
        """Take a whole number, which front ends may write as 5.0."""
        word = self.word(expected)
        number = read_real(word)
        if number is None or not number.is_integer() or abs(number) >= 10**MOST_DIGITS:
            raise CommandError(f"syntax error: {shorten(word)} is not {expected}")
        return int(number)

    def real(self, expected: str) -> float:
        """Take a finite number."""
        word = self.word(expected)
        number = read_real(word)
        if number is None or abs(number) >= 10**MOST_DIGITS:
            raise CommandError(f"syntax error: {shorten(word)} is not {expected}")
        return number


def read_colour(word: str) -> int | None:
    """Read a colour; None where it is not one."""
    return {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}.get(word.casefold())


def read_point(word: str, rows: int, columns: int) -> tuple[int, int] | None:
    """Read a point as row and column; None where there is no such point."""
    found = _VERTEX.fullmatch(word)
    if not found:
        return None
    column, row = LETTERS.find(found[1].upper()), int(found[2]) - 1
    return (row, column) if 0 <= column < columns and 0 <= row < rows else None
