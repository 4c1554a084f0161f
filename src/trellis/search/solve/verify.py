"""Checking a certificate with nothing but the rules of the game.

This file shares no code with whatever wrote the certificate: it knows the rules, how to read the
file, and how to walk (`certificate` describes both).  A file from elsewhere is input like any
other: what it may take is bounded before it is read.

A strategy keeps what it claims if every end that can be reached by it pays at least, or at most, as
much, and every game comes to an end: a walk that comes back to a position it has not left yet is
refused, since going round for ever pays nobody.
"""

import hashlib
import json
import zlib
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from trellis._kernel.progress import Progress
from trellis.game.errors import BadRecord, LimitReached, TrellisError, shorten
from trellis.game.game import Game, Position
from trellis.game.rules import CHANCE, NOBODY, State

_MOST_HEAD = 1 << 16  # bytes
_MOST_CHOICES = 200_000_000
_MOST_MOVES = 10_000
_MOST_POSITIONS = 100_000_000
_FIELDS = {"trellis_certificate", "game", "moves", "at_least", "at_most", "choices", "sha256"}
_OPEN, _LEFT = 0, 1  # a position that the walk is below, and one that is done


@dataclass(frozen=True)
class ClaimedValue:
    """What player 0 is said to get from the position after some moves."""

    game: str
    moves: tuple[str, ...]
    at_least: float | None
    at_most: float | None


@dataclass(frozen=True)
class Certificate(ClaimedValue):
    """What a file claims, and the choices that are to show it."""

    choices: tuple[Any, Any]  # of player 0, and of the other one


@dataclass(frozen=True)
class Verified(ClaimedValue):
    """What was shown to hold."""

    positions: int  # looked at


def read_certificate(path: Path) -> Certificate:
    """Read a certificate; whatever is wrong with the file is one line."""
    try:
        with path.open("rb") as file:
            line = file.readline(_MOST_HEAD + 1)
            if len(line) > _MOST_HEAD or not line.endswith(b"\n"):
                raise BadRecord(f"{path} is not a certificate: no line of JSON at the top")
            head = _head(path, line)
            count = sum(head["choices"])
            packed = file.read(2 * count + (1 << 16))  # zlib adds little to what it cannot pack
            if file.read(1):
                raise BadRecord(f"{path} holds more than {count:,} choices")
    except OSError as error:
        raise BadRecord(f"cannot read {path}: {error.strerror or error}") from None
    opener = zlib.decompressobj()
    try:
        body = opener.decompress(packed, 2 * count + 1)
    except zlib.error:
        raise BadRecord(f"{path} is damaged: its choices cannot be unpacked") from None
    if len(body) != 2 * count or not opener.eof or opener.unused_data:
        raise BadRecord(f"{path} is damaged: it does not hold {count:,} choices")
    told = head.pop("sha256")
    if hashlib.sha256(json.dumps(head).encode() + body).hexdigest() != told:
        raise BadRecord(f"{path} was changed after it was written: its checksum is another one")
    numbers = np.frombuffer(body, "<u2")
    first = head["choices"][0]
    return Certificate(
        head["game"], tuple(head["moves"]), head["at_least"], head["at_most"],
        (numbers[:first], numbers[first:]),
    )  # fmt: skip


def _head(path: Path, line: bytes) -> dict[str, Any]:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRecord(f"{path} is not a certificate: no line of JSON at the top") from None
    if not isinstance(head, dict) or set(head) != _FIELDS or head["trellis_certificate"] != 1:
        raise BadRecord(f"{path} is not a certificate of a kind that is known here")
    moves, choices = head["moves"], head["choices"]
    fits = isinstance(head["game"], str) and isinstance(head["sha256"], str)
    fits &= isinstance(moves, list) and len(moves) <= _MOST_MOVES
    fits = fits and all(isinstance(move, str) for move in moves)
    fits = fits and isinstance(choices, list) and len(choices) == 2
    fits = fits and all(type(each) is int and 0 <= each <= _MOST_CHOICES for each in choices)
    for name in ("at_least", "at_most"):
        value = head[name]
        real = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        fits = fits and (value is None or real)
    if not fits:
        raise BadRecord(f"{path} is not a certificate: its first line says what it may not")
    if json.dumps(head).encode() + b"\n" != line:  # the same said otherwise, as with more spaces
        raise BadRecord(f"{path} was changed after it was written: its first line is another one")
    return head


def verify(game: Game, certificate: Certificate, progress: Progress | None = None) -> Verified:
    """Check every claim of a certificate; raise BadRecord where one does not hold."""
    if certificate.game != game.spec:
        raise BadRecord(
            f"the certificate is about {shorten(certificate.game)}, not about {game.spec}"
        )
    if certificate.at_least is None and certificate.at_most is None:
        raise BadRecord("the certificate claims nothing")
    position = game.start()
    try:
        for move in certificate.moves:
            position = position.play(move)
    except TrellisError as error:
        raise BadRecord(f"the certificate begins with moves that cannot be made: {error}") from None
    looked_at = 0
    for player, claim in enumerate((certificate.at_least, certificate.at_most)):
        choices = certificate.choices[player]
        if claim is None:
            if len(choices):
                raise BadRecord("the certificate holds choices for a claim that it does not make")
            continue
        looked_at += _Walk(game, player, float(claim), choices, progress).check(position)
    return Verified(
        game.spec, certificate.moves, certificate.at_least, certificate.at_most, looked_at
    )


class _Walk:
    """One walk through one strategy."""

    def __init__(
        self, game: Game, player: int, claim: float, choices: Any, progress: Progress | None
    ) -> None:
        self.game, self.player, self.claim, self.choices = game, player, claim, choices
        self.rules, self.tables = game.direct_rules, game.tables
        self.progress = progress
        self.buffer = np.empty(game.max_moves, np.int32)
        self.pays = np.zeros(max(game.players, 2), np.float64)
        self.bounds = np.zeros(2 * max(game.players, 2), np.float64)
        self.used = 0

    def check(self, start: Position) -> int:
        """Walk; return how many positions were entered."""
        marks: dict[bytes, int] = {}
        waiting: list[tuple[State, bool]] = [(start.state, False)]
        while waiting:
            state, done = waiting.pop()
            name = state.tobytes()
            if done:
                marks[name] = _LEFT
                continue
            if int(self.rules.acting(self.tables, state)) == NOBODY:
                self._check_end(state)
                continue
            mark = marks.get(name)
            if mark == _OPEN:
                raise self._wrong("a game that goes round for ever", state)
            if mark == _LEFT:
                continue
            if len(marks) >= _MOST_POSITIONS:
                raise LimitReached(
                    f"the certificate leads to more than {_MOST_POSITIONS:,} positions"
                )
            marks[name] = _OPEN
            waiting.append((state, True))
            waiting += [(after, False) for after in reversed(self._after(state))]
            if self.progress is not None and len(marks) % 1024 == 0:
                part = self.used / max(1, len(self.choices))
                self.progress(part, f"{len(marks):,} positions")
        if self.used != len(self.choices):
            raise BadRecord(
                f"the certificate is damaged: "
                f"{len(self.choices) - self.used:,} choices are left over"
            )
        return len(marks)

    def _play(self, state: State, code: int) -> State:
        after = state.copy()
        self.rules.play(self.tables, after, code)
        return after

    def _after(self, state: State) -> list[State]:
        """Return the positions that are to be looked at after one."""
        who = int(self.rules.acting(self.tables, state))
        if who == CHANCE or who not in (0, 1):
            raise self._wrong("a position in which neither of two players moves", state)
        actors = self.rules.actors
        if actors is not None and int(actors(self.tables, state)).bit_count() > 1:
            raise self._wrong("a position in which several choose at once", state)
        count = int(self.rules.moves(self.tables, state, self.buffer))
        if not 1 <= count <= len(self.buffer):
            raise self._wrong("a position without legal moves", state)
        after = [self._play(state, int(code)) for code in self.buffer[:count].tolist()]
        if who != self.player or count == 1:
            return after
        for each in after:
            if int(self.rules.acting(self.tables, each)) == NOBODY and self._is_kept(each):
                return [each]
        if self.used >= len(self.choices):
            raise self._wrong("a position for which there is no choice", state)
        choice = int(self.choices[self.used])
        self.used += 1
        if choice >= count:
            raise self._wrong(f"a choice of move {choice} of {count}", state)
        return [after[choice]]

    def _is_kept(self, state: State) -> bool:
        """Tell whether an end pays what is claimed."""
        self.rules.payoffs(self.tables, state, self.pays)
        low = high = float(self.pays[0])
        if self.rules.bounds is not None:  # the rules may leave open what an end pays
            self.rules.bounds(self.tables, state, self.bounds)
            low, high = min(low, float(self.bounds[0])), max(high, float(self.bounds[1]))
        return low >= self.claim if self.player == 0 else high <= self.claim

    def _check_end(self, state: State) -> None:
        if not self._is_kept(state):
            least = "at least" if self.player == 0 else "at most"
            raise self._wrong(f"an end that does not pay {least} {self.claim:g}", state)

    def _wrong(self, what: str, state: State) -> BadRecord:
        code = Position(self.game, state).code
        return BadRecord(f"the certificate does not hold: it leads to {what} (position {code})")
