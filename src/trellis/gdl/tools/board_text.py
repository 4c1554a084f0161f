"""A state as text for people: relations that look like boards are drawn, the rest is listed.

A board is a relation of three arguments, two of them coordinates and one what stands there, or of
four where two say what it is: `(cell a 1 white)`, `(cell a 1 white rook)`.  Which two are the
coordinates is told by the facts: no square holds two things, and the squares fill most of a grid.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from trellis.gdl.language.kif import write
from trellis.gdl.language.terms import Term, arguments, name_of

Write = Callable[[Term], str]
Cell = tuple[Term, Term]
Piece = tuple[Term, ...]

# Places of two coordinates, by the number of arguments, the likeliest first.
_PAIRS = {3: ((0, 1), (1, 2), (0, 2)), 4: ((0, 1),)}
_LARGEST = 100  # rows or columns
_LEAST_CELLS = 4
_BLANK = frozenset(["blank", "empty", "none", "nothing", "free", "vacant", "nil", "null"])
_SHORT_BLANK = frozenset(["b", "e"])
_NUMERALS = frozenset(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)
_WIDTH = 96
_PARTS = re.compile(r"[0-9]+|[^0-9]+")


class Board(NamedTuple):
    """A relation to draw: which arguments are column and row; all others are the piece."""

    name: str
    arity: int
    across: int
    up: int
    columns: tuple[Term, ...]
    rows: tuple[Term, ...]  # the highest last
    cells: frozenset[Cell]
    signs: dict[Piece, str]  # how each piece is shown

    def split(self, given: tuple[Term, ...]) -> tuple[Cell, Piece]:
        """Split arguments into the square and what stands there."""
        piece = tuple(part for at, part in enumerate(given) if at not in (self.across, self.up))
        return (given[self.across], given[self.up]), piece


class Picture:
    """Draws the states of one game, all in the same way.

    `universe` are all facts that may ever hold, `first` those of some state.  Where nothing but a
    state is known, the picture shows what is in it.
    """

    def __init__(
        self, universe: Iterable[Term] | None, first: Iterable[Term], text: Write = write
    ) -> None:
        self._text = text
        self.boards = find_boards(universe, first, text)
        self._found = {(board.name, board.arity): board for board in self.boards}

    def draw(self, facts: Iterable[Term]) -> str:
        """Draw the facts of a state."""
        drawn: dict[tuple[str, int], dict[Cell, Piece]] = {key: {} for key in self._found}
        rest: list[Term] = []
        for fact in sorted(facts, key=natural):
            given = arguments(fact)
            key = name_of(fact), len(given)
            if key in self._found:
                cell, piece = self._found[key].split(given)
                if cell in self._found[key].cells and cell not in drawn[key]:
                    drawn[key][cell] = piece
                    continue
            rest.append(fact)
        parts = [_grid(board, drawn[key], self._text) for key, board in self._found.items()]
        if rest:
            listed = "  ".join(self._text(fact).replace(" ", "\0") for fact in rest)
            lines = textwrap.wrap(listed, _WIDTH, break_long_words=False, break_on_hyphens=False)
            parts.append("\n".join(lines).replace("\0", " "))
        return "\n".join(parts) or "(no facts)"


def natural(term: Term) -> tuple[tuple[int, int, str], ...]:
    """Order terms as people do: 2 before 10, c9 before c10."""
    if isinstance(term, tuple):
        return tuple(part for each in term for part in (*natural(each), (0, 0, "")))
    return tuple(
        (1, int(part), "") if part.isascii() and part.isdigit() and len(part) < 12
        else (2, 0, part)
        for part in _PARTS.findall(term)
    )  # fmt: skip


def find_boards(
    universe: Iterable[Term] | None, first: Iterable[Term], text: Write = write
) -> list[Board]:
    """Find the relations that can be drawn, in the order of their names."""
    present = _by_relation(first)
    possible = present if universe is None else _by_relation(universe)
    boards = [
        _board(name, arity, facts, present.get((name, arity), []), universe is None, text)
        for (name, arity), facts in sorted(possible.items())
    ]
    return [board for board in boards if board is not None]


def _by_relation(facts: Iterable[Term]) -> dict[tuple[str, int], list[tuple[Term, ...]]]:
    found: dict[tuple[str, int], list[tuple[Term, ...]]] = {}
    for fact in facts:
        given = arguments(fact)
        if len(given) in _PAIRS:
            found.setdefault((name_of(fact), len(given)), []).append(given)
    return found


def _board(
    name: str,
    arity: int,
    facts: list[tuple[Term, ...]],
    present: list[tuple[Term, ...]],
    alone: bool,
    text: Write,
) -> Board | None:
    """Make a board of a relation if it looks like one; `alone` where only one state is known."""
    for across, up in _PAIRS[arity]:
        cells = frozenset((given[across], given[up]) for given in facts)
        columns = sorted({cell[0] for cell in cells}, key=natural)
        rows = sorted({cell[1] for cell in cells}, key=natural)
        taken = [(given[across], given[up]) for given in present]
        if (
            2 <= len(columns) <= _LARGEST
            and 2 <= len(rows) <= _LARGEST
            and len(cells) >= max(_LEAST_CELLS, len(columns) * len(rows) // 2)
            and len(set(taken)) == len(taken)
            and _are_coordinates(columns)
            and _are_coordinates(rows)
        ):
            columns, rows = _without_gaps(columns), _without_gaps(rows)
            if alone:
                cells = frozenset((column, row) for column in columns for row in rows)
            board = Board(name, arity, across, up, tuple(columns), tuple(rows), cells, {})
            pieces = {board.split(given)[1] for given in facts}
            return board._replace(signs=_signs(sorted(pieces, key=natural), text))
    return None


def _are_coordinates(names: list[Term]) -> bool:
    """Tell whether names may number rows: numbers, letters, or both as in c4, without large gaps.

    So a, b, c may, and o and x are pieces.
    """
    numbers: list[int] = []
    for name in names:
        if isinstance(name, tuple):
            return False
        found = re.fullmatch(r"[a-z_]{0,4}([0-9]{1,6})", name)
        if found is not None:
            numbers.append(int(found[1]))
        elif re.fullmatch("[a-z]", name):
            numbers.append(ord(name))
        elif name not in _NUMERALS:
            return False
    return not numbers or max(numbers) - min(numbers) <= 2 * len(names)


def _without_gaps(names: list[Term]) -> list[Term]:
    """Add the numbers or letters between those there are: nothing may stand there just now."""
    words = [str(name) for name in names]
    if all(len(word) == 1 and word.isalpha() for word in words):
        return [chr(each) for each in range(ord(words[0]), ord(words[-1]) + 1)]
    stems = {word.rstrip("0123456789") for word in words}
    if len(stems) == 1 and all(word[-1:].isdigit() for word in words):
        stem = stems.pop()
        numbers = [word[len(stem) :] for word in words]
        if all(number == str(int(number)) for number in numbers):
            return [f"{stem}{each}" for each in range(int(numbers[0]), int(numbers[-1]) + 1)]
    return names


def _signs(pieces: list[Piece], text: Write) -> dict[Piece, str]:
    """Choose what each piece is shown as: its name where that is short, or how it begins."""
    b_is_a_colour = ("w",) in pieces
    signs: dict[Piece, str] = {}
    for piece in pieces:
        word = piece[0]
        if len(piece) == 1 and (word in _BLANK or (word in _SHORT_BLANK and not b_is_a_colour)):
            signs[piece] = "."
    shown = [piece for piece in pieces if piece not in signs]
    names = [sorted({text(piece[at]) for piece in shown}) for at in range(len(next(iter(pieces))))]
    short = len(names) == 1 and all(len(name) <= 2 for name in names[0])
    for piece in shown:
        parts = [text(part) for part in piece]
        signs[piece] = "".join(
            part if short else _beginning(part, known)
            for part, known in zip(parts, names, strict=True)
        )
    return signs


def _beginning(name: str, known: Sequence[str]) -> str:
    """Return how a name begins, as far as it takes to tell it from all others."""
    for length in range(1, len(name)):
        if not any(other != name and other.startswith(name[:length]) for other in known):
            return name[:length]
    return name


def _grid(board: Board, squares: dict[Cell, Piece], text: Write) -> str:
    """Draw a board: rows from the highest down, names of rows and columns beside it."""
    titles = [text(column) for column in board.columns]
    width = max(map(len, (*titles, *board.signs.values())))
    side = max(len(text(row)) for row in board.rows)
    # Where empty squares are facts, a square without any is none of the board.
    nothing = " " if "." in board.signs.values() else "."
    lines = []
    for row in reversed(board.rows):
        shown = []
        for column in board.columns:
            piece = squares.get((column, row))
            if piece is None:
                sign = nothing if (column, row) in board.cells else " "
            else:
                sign = board.signs.get(piece, "?")
            shown.append(sign.ljust(width))
        lines.append(f"{text(row):>{side}} {' '.join(shown)}".rstrip())
    lines.append(f"{'':>{side}} {' '.join(title.ljust(width) for title in titles)}".rstrip())
    if board.name != "cell":
        lines.insert(0, f"{text(board.name)}:")
    return "\n".join(lines)
