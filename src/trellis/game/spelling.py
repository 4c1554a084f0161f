"""Moves as people type them: several in one word, without marks, by another name of the game.

>>> from trellis.loading import load
>>> start = load("tic_tac_toe").start()
>>> [start.name(code) for code in spelled(start, "b2a1")]
['b2', 'a1']
"""

from collections.abc import Callable, Iterator

from trellis.game.errors import IllegalMove
from trellis.game.game import Position

_LONGEST = 400  # characters
_MOST = 4_000  # positions looked at
_MARKS = str.maketrans("", "", "-x*:/+=")  # which people leave out, or write in other places

Forms = Callable[[Position, int], Iterator[str]]


def spelled(position: Position, word: str) -> list[int]:
    """Return the moves that a word stands for, one after the other, by number.

    A move's own name goes before everything else.  Then come several moves in a row, as in `a1b2`,
    and names that a game has besides, as the numbers of columns; then the same without marks, as in
    `e4d5` for `e4xd5`, where that leaves only one move.
    """
    try:
        return [position.code_of(word)]
    except IllegalMove:
        typed = word.strip().casefold()
        found = None
        if len(typed) <= _LONGEST:
            found = _Reader(_names).read(position, typed)
            found = found or _Reader(_bare_names).read(position, typed.translate(_MARKS))
        if not found:
            raise
        return found


def _names(position: Position, code: int) -> Iterator[str]:
    yield position.name(code).casefold()
    if not position.is_chance:
        yield from position.game.other_names(code)


def _bare_names(position: Position, code: int) -> Iterator[str]:
    for name in _names(position, code):
        yield name.translate(_MARKS)


class _Reader:
    """Takes words apart; goes back where what is left is no move."""

    def __init__(self, forms: Forms) -> None:
        self._forms, self._looked = forms, 0

    def read(self, position: Position, rest: str) -> list[int] | None:
        if not rest:
            return []
        self._looked += 1
        if self._looked > _MOST:
            return None
        meant: dict[str, set[int]] = {}
        for code in position.move_codes():
            for form in self._forms(position, code):
                if form and rest.startswith(form):
                    meant.setdefault(form, set()).add(code)
        for form in sorted(meant, key=len, reverse=True):
            if len(meant[form]) > 1:
                continue
            [code] = meant[form]
            behind = self.read(position.play(code), rest[len(form) :])
            if behind is not None:
                return [code, *behind]
        return None
