"""Tournaments over rulesheets: every player in every role, against every other, and ratings.

What was played is one line of JSON a match, so that a tournament goes on where it was left.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, shorten
from trellis.lab.ratings import Rating, rate

MOST_SEATINGS = 24  # of one group of players at one sheet
RANDOM_ROLE = "random"


@dataclass(frozen=True)
class Pairing:
    """A match to play: which sheet, and which player, by number, has which role."""

    sheet: str
    seats: tuple[int, ...]
    round: int

    @property
    def key(self) -> str:
        """Return what finds the match again in a record."""
        return f"{self.sheet} {','.join(map(str, self.seats))} {self.round}"


def seatings(players: int, roles: int) -> Iterator[tuple[int, ...]]:
    """Yield who plays which role: all orders of all groups, or turns where those are many.

    >>> list(seatings(3, 2))
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    """
    for group in combinations(range(players), roles):
        orders = list(permutations(group)) if roles <= 4 else []
        if not orders or len(orders) > MOST_SEATINGS:
            orders = [group[i:] + group[:i] for i in range(roles)]
        yield from orders


def schedule(sheets: dict[str, int], players: int, rounds: int) -> list[Pairing]:
    """List the matches of sheets with so many roles each, sheets taking turns."""
    for name, roles in sheets.items():
        if roles > players:
            raise BadParameter(f"{name} has {roles} roles: expected as many players, not {players}")
    return [
        Pairing(name, seats, number)
        for number in range(rounds)
        for name, roles in sheets.items()
        for seats in seatings(players, roles)
    ]


class TournamentFile:
    """What was played, a line of JSON a match; the first line says what of."""

    def __init__(self, path: Path, players: Sequence[str], sheets: dict[str, str]) -> None:
        self.path = path
        digests = {
            name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in sheets.items()
        }
        self._head = {"players": list(players), "sheets": digests}
        self.played: dict[str, dict[str, Any]] = {}
        if path.exists():
            self._read()
        else:
            self._write(self._head)

    def _read(self) -> None:
        lines = self.path.read_text("utf-8").splitlines(keepends=True)
        try:
            head = json.loads(lines[0]) if lines else None
        except ValueError:
            head = None
        if head != self._head:
            raise BadParameter(
                f"{shorten(str(self.path))} is not a record of this tournament: expected the same "
                "players and sheets, or another file"
            )
        for line in lines[1:]:
            try:
                match = json.loads(line)
                self.played[match["key"]] = match
            except (ValueError, KeyError, TypeError):
                continue  # a line that was cut off: its match is played again
        if lines and not lines[-1].endswith("\n"):
            self._append("\n")

    def add(self, pairing: Pairing, result: dict[str, Any]) -> None:
        """Write a match down."""
        match = {"key": pairing.key, "sheet": pairing.sheet, "seats": pairing.seats, **result}
        self.played[pairing.key] = match
        self._write(match)

    def _write(self, content: dict[str, Any]) -> None:
        self._append(json.dumps(content) + "\n")

    def _append(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


@dataclass(frozen=True)
class Standing:
    """How a player did over all its matches."""

    player: str
    matches: int
    mean_goal: float
    errors: int  # moves that were replaced


def standings(players: Sequence[str], matches: Sequence[dict[str, Any]]) -> list[Standing]:
    """Return how all players did."""
    found = []
    for number, name in enumerate(players):
        goals, errors = [], 0
        for match in matches:
            for seat, goal, failed in zip(
                match["seats"], match["goals"], match["errors"], strict=True
            ):
                if seat == number:
                    goals.append(goal or 0)
                    errors += failed
        mean = sum(goals) / len(goals) if goals else 0.0
        found.append(Standing(name, len(goals), mean, errors))
    return found


def ratings(players: Sequence[str], matches: Sequence[dict[str, Any]]) -> list[Rating]:
    """Rate players: in each match, who got more has beaten who got less.

    Two matches of two players at one sheet make a pair, as ratings want them; a match that is left
    over counts twice, as if the other had ended the same.
    """
    results: dict[tuple[int, int], dict[str, list[float]]] = {}
    for match in matches:
        seats, goals = match["seats"], match["goals"]
        for i, j in combinations(range(len(seats)), 2):
            a, b = seats[i], seats[j]
            first, second = goals[i] or 0, goals[j] or 0
            score = 0.5 if first == second else float(first > second)
            if a > b:
                a, b, score = b, a, 1 - score
            results.setdefault((a, b), {}).setdefault(match["sheet"], []).append(score)
    pairs: dict[tuple[int, int], list[float]] = {}
    for who, by_sheet in results.items():
        for scores in by_sheet.values():
            even = scores if len(scores) % 2 == 0 else [*scores, scores[-1]]
            pairs.setdefault(who, []).extend(even[i] + even[i + 1] for i in range(0, len(even), 2))
    return rate(players, pairs) if pairs else []
