"""What games ask of parts above them, which say so when they are loaded: names, pictures."""

from collections.abc import Callable
from typing import Any

_load: list[Callable[[str], Any]] = []
_draw: list[Callable[[Any], str | None]] = []


def offer(load: Callable[[str], Any], draw: Callable[[Any], str | None]) -> None:
    """Say how a game is loaded by its name, and how a position or a report is drawn."""
    _load[:], _draw[:] = [load], [draw]


def game_called(text: str) -> Any:
    """Return the game of a name, or None where nobody has said how games are loaded."""
    return _load[0](text) if _load else None


def way_to(text: str) -> tuple[Callable[[str], Any], tuple[str]]:
    """Return how a game is made again elsewhere: the function that loads it, and its name."""
    return _load[0], (text,)


def drawn(thing: Any) -> str | None:
    """Return a picture, or None where nobody knows how to draw one."""
    return _draw[0](thing) if _draw else None
