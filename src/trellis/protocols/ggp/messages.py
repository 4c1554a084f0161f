"""Messages between game servers and players: written and read, within limits.

A message is one list in the Knowledge Interchange Format: `( START match1 white ( rules ) 30 10 )`.
Servers differ in letter case, spacing and what they send besides; what has a meaning is read, the
text of rules and moves is kept as it came, to the letter, since a server may compare letters.
Nothing here calls itself, so no message costs a stack.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

from trellis.game.errors import TrellisError, shorten
from trellis.gdl.language.kif import read, write_form

LONGEST = 8_000_000  # characters of a message
LONGEST_ID = 200  # characters of the name of a match
LONGEST_CLOCK = 1_000_000.0  # seconds
LONGEST_MOVE = 10_000  # characters of one move
_MOST_PARTS = 2_000  # of a message: a move for every role, and a few words
_DEEPEST = 64

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+) | (?P<comment>;[^\n]*) | (?P<open>\() | (?P<close>\))
      | (?<![^\s()])\|\|?(?![^\s()]) | "(?:[^"\\]|\\.)*" | \|(?:[^|\\]|\\.)*\|
      | (?P<quote>["|]) | [^\s();"|]+""",
    re.VERBOSE | re.DOTALL,
)
_STRANGE = re.compile(r"[\x00-\x08\x0e-\x1f]")


class BadMessage(TrellisError):
    """A message that means nothing."""


@dataclass(frozen=True)
class Info:
    """Somebody asks whether a player is there, and has time."""


@dataclass(frozen=True)
class Start:
    """A match begins: the rules, the role to play, and both clocks in seconds."""

    match: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True)
class Play:
    """The moves of all roles, in their order; None at the first step.  The next one is wanted."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True)
class Stop:
    """The last moves: the match is over."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True)
class Abort:
    """The match ends here, without a result."""

    match: str


@dataclass(frozen=True)
class Preview:
    """Rules to look at; no match need follow."""

    rules: str
    clock: float


Message = Info | Start | Play | Stop | Abort | Preview


# -- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A word or a list of a message: where it begins and ends in the text."""

    begin: int
    end: int
    is_list: bool

    def text(self, message: str) -> str:
        return message[self.begin : self.end]


def read_message(text: str) -> Message:
    """Read a message; raises `BadMessage`, with one line, where it is none.

    An empty one is a question whether anybody is there: some servers ask so.
    """
    if len(text) > LONGEST:
        raise BadMessage(f"a message of {len(text):,} characters: expected {LONGEST:,} at most")
    strange = _STRANGE.search(text)
    if strange is not None:
        raise BadMessage(f"this is not text: character {ord(strange.group())}")
    parts = split_list(text, whole=True)
    if not parts:
        return Info()
    words = [part.text(text) for part in parts]
    kind = words[0].upper()
    if kind in ("INFO", "PING"):
        return Info()
    read_kind = _KINDS.get(kind)
    if read_kind is None or parts[0].is_list:
        raise BadMessage(
            f"unknown message {shorten(words[0])}: expected INFO, START, PLAY, STOP, ABORT or "
            "PREVIEW"
        )
    return read_kind(parts, words)


def split_list(text: str, *, whole: bool = False) -> list[_Part]:
    """Return the parts of the first list of a text; of the `whole` text, it is the only one."""
    parts: list[_Part] = []
    depth, begun, over = 0, 0, False
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("space", "comment"):
            continue
        if kind == "quote":  # each more would be looked for to the end of the text
            raise BadMessage(f"{match.group()} is never closed")
        if over or (depth == 0 and kind != "open"):
            where = "after the message" if over else "before '('"
            raise BadMessage(f"{shorten(match.group())} {where}")
        if kind == "open":
            depth += 1
            if depth > _DEEPEST:
                raise BadMessage(f"more than {_DEEPEST} open parentheses")
            if depth == 2:
                begun = match.start()
        elif kind == "close":
            depth -= 1
            if depth == 1:
                parts.append(_Part(begun, match.end(), is_list=True))
            over = depth == 0
            if over and not whole:
                return parts
        elif depth == 1:
            parts.append(_Part(match.start(), match.end(), is_list=False))
        if len(parts) > _MOST_PARTS and whole:
            raise BadMessage(f"more than {_MOST_PARTS:,} parts")
    if depth:
        raise BadMessage(f"the message ends with {depth} open parentheses")
    return parts


def _expect(words: Sequence[str], least: int, form: str) -> None:
    if len(words) < least:
        raise BadMessage(f"{words[0].upper()} with {len(words) - 1} arguments: expected {form}")


def _start(parts: list[_Part], words: list[str]) -> Start:
    _expect(words, 6, "(START match role (rules) startclock playclock)")
    if not parts[3].is_list:
        raise BadMessage(f"START: expected a list of rules, found {shorten(words[3])}")
    if parts[2].is_list:
        raise BadMessage(f"START: expected a role, found {shorten(words[2])}")
    return Start(
        _id(parts, words), _word(words[2]), words[3][1:-1], _clock(words[4]), _clock(words[5])
    )


def _play(parts: list[_Part], words: list[str]) -> Play:
    _expect(words, 3, "(PLAY match (moves)) or (PLAY match nil)")
    return Play(_id(parts, words), _moves(parts[2], words[2]))


def _stop(parts: list[_Part], words: list[str]) -> Stop:
    _expect(words, 2, "(STOP match (moves))")
    return Stop(_id(parts, words), _moves(parts[2], words[2]) if len(parts) > 2 else None)


def _abort(parts: list[_Part], words: list[str]) -> Abort:
    _expect(words, 2, "(ABORT match)")
    return Abort(_id(parts, words))


def _preview(parts: list[_Part], words: list[str]) -> Preview:
    _expect(words, 2, "(PREVIEW (rules) clock)")
    if not parts[1].is_list:
        raise BadMessage(f"PREVIEW: expected a list of rules, found {shorten(words[1])}")
    return Preview(words[1][1:-1], _clock(words[2]) if len(words) > 2 else 0.0)


def _id(parts: list[_Part], words: list[str]) -> str:
    if parts[1].is_list:
        raise BadMessage(f"{words[0].upper()}: expected the name of a match, found a list")
    if len(words[1]) > LONGEST_ID:
        raise BadMessage(f"a match with a name of {len(words[1]):,} characters")
    return words[1]


def _word(text: str) -> str:
    """Return a word; `(white)` would be a list, and `|white|` is the same as `white`."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "|" else text


def _clock(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not (isfinite(seconds) and 0 <= seconds <= LONGEST_CLOCK):
        raise BadMessage(
            f"bad clock {shorten(text)}: expected seconds from 0 to {LONGEST_CLOCK:,.0f}"
        )
    return seconds


def _moves(part: _Part, text: str) -> tuple[str, ...] | None:
    if not part.is_list:  # Stanford's checker sends the move of a lone player without a list
        return None if text.casefold() == "nil" else (text,)
    moves = tuple(each.text(text) for each in split_list(text))
    if any(len(move) > LONGEST_MOVE for move in moves):
        raise BadMessage(f"a move of more than {LONGEST_MOVE:,} characters")
    return moves or None


_KINDS: dict[str, Callable[[list[_Part], list[str]], Message]] = {
    "START": _start, "PLAY": _play, "STOP": _stop, "ABORT": _abort, "PREVIEW": _preview,
}  # fmt: skip


# -- writing -------------------------------------------------------------------------------------


def flatten_rules(text: str) -> str:
    """Write rules on one line without comments, as servers send them."""
    reading = read(text)
    if reading.unbalanced:
        first = reading.findings[0]
        raise BadMessage(f"{first.line}:{first.column}: {first.message}")
    spellings: dict[str, str] = reading.spellings
    return " ".join(write_form(form, spellings) for form in reading.forms)


def write_message(message: Message) -> str:
    """Write a message as servers do."""
    match message:
        case Info():
            return "( INFO )"
        case Start(name, role, rules, start_clock, play_clock):
            return f"( START {name} {role} ( {rules} ) {start_clock:g} {play_clock:g} )"
        case Play(name, moves):
            return f"( PLAY {name} {_written(moves)} )"
        case Stop(name, moves):
            return f"( STOP {name} {_written(moves)} )"
        case Abort(name):
            return f"( ABORT {name} )"
        case Preview(rules, clock):
            return f"( PREVIEW ( {rules} ) {clock:g} )"


def _written(moves: tuple[str, ...] | None) -> str:
    return "NIL" if moves is None else f"( {' '.join(moves)} )"


def write_info(name: str, *, busy: bool) -> str:
    """Answer `INFO`."""
    status = "busy" if busy else "available"
    return f"( ( name {name} ) ( status {status} ) ( species computer ) )"
