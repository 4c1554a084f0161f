"""Boards of any game as points: read from the text that the game draws, and from names of moves.

A game names a point by a letter, i among them, and a row.  GoGui has no column I, and its row 1 is
at the bottom; a game whose row 1 is on top is shown upside down there, with the same names.
"""

import re
from dataclasses import dataclass

from trellis.game.game import Game, Position
from trellis.players.gtp_player import first_is_white
from trellis.protocols.gtp.parsing import LETTERS, vertex_name

Point = tuple[int, int]  # row and column, both from 0

_POINT = re.compile(r"([a-z]),?([0-9]{1,2})")  # as in a4, or in move(a,4,b,5)
_COLUMN = re.compile(r"(?:\w+\()?([a-z])\)?")  # as in a, or in drop(a)
_EMPTY = frozenset(".+_")
_LARGEST = len(LETTERS)


@dataclass(frozen=True)
class Cells:
    """What stands on each point: a player, EMPTY, or nothing that is a point of the game."""

    rows: int
    columns: int
    content: dict[Point, str]  # X of black, O of white, . or ?

    def picture(self) -> str:
        """Return the board as GoGui reads it: row by row, the highest number first."""
        return "\n".join(
            " ".join(self.content.get((row, column), "?") for column in range(self.columns))
            for row in reversed(range(self.rows))
        )


def read_cells(position: Position) -> Cells | None:
    """Read the board that a game draws; None where there is no board in what it draws."""
    lines = str(position).split("\n")
    found = [(number, _letters(line)) for number, line in enumerate(lines)]
    headed = [(number, places) for number, places in found if places]
    if not headed:
        return None
    header, places = headed[0]
    pieces = _pieces(position.game)
    rows = _rows(lines, header, places, sheared=position.game.name == "hex")
    content = {
        (row, column): _content(character, pieces)
        for row, characters in rows.items()
        for column, character in enumerate(characters)
    }
    if not rows or max(rows) >= _LARGEST or len(places) > _LARGEST:
        return None
    return Cells(max(rows) + 1, len(places), content)


def _pieces(game: Game) -> list[str]:
    """Return the characters of black's pieces, and of white's."""
    own = game.pieces or ("", "")
    pieces = [own[player] or game.symbols[player][:1] for player in range(2)]
    return pieces[::-1] if first_is_white(game) else pieces


def _letters(line: str) -> list[int]:
    """Return where the letters of the columns stand in a line that is nothing but these."""
    words = line.split()
    if len(words) < 2 or words != [chr(ord("a") + index) for index in range(len(words))]:
        return []
    return [line.index(word) for word in words]


def _rows(lines: list[str], header: int, places: list[int], *, sheared: bool) -> dict[int, str]:
    """Return the characters of each row; rows without numbers count upwards from the last."""
    numbered: dict[int, str] = {}
    others: list[str] = []
    for number, line in enumerate(lines):
        if number == header:
            continue
        labels = re.findall(r"\d+", line[: places[0]] if not sheared else line)
        if sheared:
            cells = "".join(line.split()[1:])
        else:
            cells = "".join(line[place : place + 1] or " " for place in places)
        if labels and len(cells) == len(places):
            numbered[int(labels[-1]) - 1] = cells
        elif not labels and number < header and cells.strip():
            others.append(cells)
    if numbered:
        return numbered
    return {len(others) - 1 - number: cells for number, cells in enumerate(others)}


def _content(character: str, pieces: list[str]) -> str:
    for mark, own in zip("XO", pieces, strict=True):
        if character in own:
            return mark
    return "." if character in _EMPTY else "?"


def points_of(move: str) -> list[Point]:
    """Return the points that the name of a move consists of.

    >>> points_of("a4b5*"), points_of("xd6"), points_of("pass")
    ([(3, 0), (4, 1)], [(5, 3)], [])
    """
    return [
        (int(row) - 1, ord(letter) - ord("a")) for letter, row in _POINT.findall(move.casefold())
    ]


def steps_of(position: Position, move: str, cells: Cells | None) -> list[str]:
    """Return a move as the points that somebody would click on, or its name where it has none."""
    points = points_of(move)
    falls = _COLUMN.fullmatch(move)
    if not points and cells is not None and falls:
        column = ord(falls[1]) - ord("a")  # a piece falls to the lowest point that is free
        free = [row for row in range(cells.rows) if cells.content.get((row, column)) == "."]
        points = [(free[0], column)] if free else []
    if not points:
        return [move]
    return [vertex_name(row, column) for row, column in points if column < _LARGEST]


def is_playable(game: Game) -> bool:
    """Tell whether two take turns, without dice: what the protocol has words for."""
    return game.players == 2 and not game.has_chance and not game.is_simultaneous
