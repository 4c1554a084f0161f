"""A state as text for people: relations that look like boards are drawn, the rest is listed.

A board is a relation of three arguments, two of them coordinates and one what stands there:
`(cell a 1 white)`.  Which two is told by the facts: no square holds two things, and the squares
fill most of a grid.
"""

import re
import textwrap
from collections.abc import Callable, Iterable
from typing import NamedTuple

from trellis.gdl.kif import write
from trellis.gdl.terms import Term, arguments, name_of

Write = Callable[[Term], str]

_PAIRS = ((0, 1), (1, 2), (0, 2))  # places of two coordinates, the likeliest first
_LARGEST = 100  # rows or columns
_LEAST_CELLS = 4
_BLANK = frozenset(["blank", "empty", "none", "nothing", "free", "vacant", "nil", "null"])
_SHORT_BLANK = frozenset(["b", "e"])
_WIDTH = 96
_PARTS = re.compile(r"[0-9]+|[^0-9]+")


class Board(NamedTuple):
    """A relation to draw: which arguments are column, row and piece."""

    name: str
    across: int
    up: int
    piece: int
    columns: tuple[Term, ...]
    rows: tuple[Term, ...]  # the highest last
    cells: frozenset[tuple[Term, Term]]
    signs: dict[Term, str]  # how each piece is shown


class Picture:
    """Draws the states of one game, all in the same way.

    `universe` are all facts that may ever hold, `first` those of some state.  Where nothing but a
    state is known, the picture shows what is in it.
    """

    def __init__(
        self, universe: Iterable[Term], first: Iterable[Term], text: Write = write
    ) -> None:
        self._text = text
        self.boards = find_boards(universe, first, text)
        self._by_name = {board.name: board for board in self.boards}

    def draw(self, facts: Iterable[Term]) -> str:
        """Draw the facts of a state."""
        drawn: dict[str, dict[tuple[Term, Term], Term]] = {name: {} for name in self._by_name}
        rest: list[Term] = []
        for fact in sorted(facts, key=natural):
            board = self._by_name.get(name_of(fact))
            given = arguments(fact)
            if board is None or len(given) != 3:
                rest.append(fact)
                continue
            cell = given[board.across], given[board.up]
            if cell in board.cells and cell not in drawn[board.name]:
                drawn[board.name][cell] = given[board.piece]
            else:
                rest.append(fact)
        parts = [_grid(board, drawn[board.name], self._text) for board in self.boards]
        if rest:
            listed = "  ".join(self._text(fact).replace(" ", "\0") for fact in rest)
            lines = textwrap.wrap(listed, _WIDTH, break_long_words=False, break_on_hyphens=False)
            parts.append("\n".join(lines).replace("\0", " "))
        return "\n".join(parts) or "(no facts)"


def draw(facts: Iterable[Term], text: Write = write) -> str:
    """Draw the facts of a state of which nothing else is known."""
    known = list(facts)
    return Picture(known, known, text).draw(known)


def natural(term: Term) -> tuple[tuple[int, int, str], ...]:
    """Order terms as people do: 2 before 10, c9 before c10."""
    if isinstance(term, tuple):
        return tuple(part for each in term for part in (*natural(each), (0, 0, "")))
    return tuple(
        (1, int(part), "") if part.isascii() and part.isdigit() and len(part) < 12
        else (2, 0, part)
        for part in _PARTS.findall(term)
    )  # fmt: skip


def find_boards(universe: Iterable[Term], first: Iterable[Term], text: Write) -> list[Board]:
    """Find the relations that can be drawn, in the order of their names."""
    possible = _by_relation(universe)
    present = _by_relation(first)
    boards = [
        board
        for name, facts in sorted(possible.items())
        if (board := _board(name, facts, present.get(name, []), text)) is not None
    ]
    names = [board.name for board in boards]
    return [board for board in boards if names.count(board.name) == 1]


def _by_relation(facts: Iterable[Term]) -> dict[str, list[tuple[Term, ...]]]:
    found: dict[str, list[tuple[Term, ...]]] = {}
    for fact in facts:
        if len(arguments(fact)) == 3:
            found.setdefault(name_of(fact), []).append(arguments(fact))
    return found


def _board(
    name: str, facts: list[tuple[Term, ...]], present: list[tuple[Term, ...]], text: Write
) -> Board | None:
    for across, up in _PAIRS:
        piece = 3 - across - up
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
            pieces = sorted({given[piece] for given in facts}, key=natural)
            signs = _signs(pieces, text)
            return Board(name, across, up, piece, tuple(columns), tuple(rows), cells, signs)
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
    return not numbers or max(numbers) - min(numbers) < 2 * len(names)


_NUMERALS = frozenset(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)


def _signs(pieces: list[Term], text: Write) -> dict[Term, str]:
    """Choose what each piece is shown as: its name where that is short, or its first letter."""
    names = {piece: text(piece) for piece in pieces}
    letter_b_is_a_colour = "w" in pieces
    signs: dict[Term, str] = {}
    for piece in pieces:
        if piece in _BLANK or (piece in _SHORT_BLANK and not letter_b_is_a_colour):
            signs[piece] = "."
    shown = [piece for piece in pieces if piece not in signs]
    letters = [names[piece][0] for piece in shown]
    short = all(len(names[piece]) <= 2 for piece in shown)
    if not short and len(set(letters)) == len(letters) and "." not in letters:
        signs.update(zip(shown, letters, strict=True))
    else:
        signs.update((piece, names[piece]) for piece in shown)
    return signs


def _grid(board: Board, drawn: dict[tuple[Term, Term], Term], text: Write) -> str:
    """Draw a board: rows from the highest down, names of rows and columns beside it."""
    titles = [text(column) for column in board.columns]
    width = max(map(len, (*titles, *board.signs.values())), default=1)
    side = max(len(text(row)) for row in board.rows)
    # Where empty squares are facts, a square without any is none of the board.
    nothing = " " if "." in board.signs.values() else "."
    lines = []
    for row in reversed(board.rows):
        squares = []
        for column in board.columns:
            piece = drawn.get((column, row))
            known = (column, row) in board.cells
            sign = board.signs.get(piece, "?") if piece is not None else nothing if known else " "
            squares.append(sign.ljust(width))
        lines.append(f"{text(row):>{side}} {' '.join(squares)}".rstrip())
    lines.append(f"{'':>{side}} {' '.join(title.ljust(width) for title in titles)}".rstrip())
    if board.name != "cell":
        lines.insert(0, f"{text(board.name)}:")
    return "\n".join(lines)
