"""Every mistake a caller can make has one class here, and a message that fits on one line."""

import difflib
from collections.abc import Iterable


class TrellisError(Exception):
    """Base of all errors that name a caller's mistake; the command line prints them as one line."""


class UnknownGame(TrellisError):
    """A game of that name does not exist."""


class BadParameter(TrellisError):
    """A parameter of a game, player or command is unknown, malformed or out of range."""


class IllegalMove(TrellisError):
    """The move is not legal in the position, or is not a move at all."""


class GameOver(TrellisError):
    """A move was asked of a position where nobody acts."""


class LimitReached(TrellisError):
    """A stated bound on memory, size or length was met."""


class PlayerFailed(TrellisError):
    """A player cannot go on: its game is lost, and the message says why."""


class PlayerResigns(PlayerFailed):
    """A player gives its game up."""


class BrokenContract(TrellisError):
    """A game breaks a promise that every game makes; the message says which and where."""


class BadRecord(TrellisError):
    """A recorded game cannot be read, or replays differently."""


def shorten(text: str, length: int = 60) -> str:
    """Quote text from outside for an error message: printable, on one line, not too long."""
    quoted = repr(text)
    return quoted if len(quoted) <= length else quoted[: length - 2] + "…" + quoted[-1]


def counted(number: int, thing: str) -> str:
    """Return how many there are of a thing: `1 move`, `1,200 moves`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the known word most like `word`, as a phrase to end a message with, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {shorten(close[0])}?" if close else ""


def internal_error(error: Exception) -> str:
    """Return the line that is said of a fault of ours, with how to see where it is."""
    return (
        f"internal error, please report it: {type(error).__name__}: {' '.join(str(error).split())} "
        "(TRELLIS_DEBUG=1 shows where)"
    )
