"""Games of matches in a file, one line of JSON each: a match goes on where it was left.

>>> import tempfile
>>> from trellis.players.match import run_match
>>> path = Path(tempfile.mkdtemp()) / "games.jsonl"
>>> run_match("nim", "random", "random", games=3, log=MatchFile(path)).games
3
>>> run_match("nim", "random", "random", games=5, log=MatchFile(path)).games
5
>>> len(path.read_text().splitlines())
5
"""

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, shorten
from trellis.players.match import BY_RULES, ENDINGS, GameResult, Match

_MOST_BYTES = 1 << 30
_OF_MATCH = {"game": str, "a": str, "b": str, "seed": int, "opening": int, "longest": int}
_OF_GAME = {
    "number": int, "score_a": float, "payoff_a": float, "payoff_b": float, "plies": int,
    "forfeit": str,
}  # fmt: skip
_MAY_BE_NULL = ("payoff_a", "payoff_b")
_BEGINNING = b'{"game": '  # of every line: what begins otherwise is somebody else's
_LISTS = ("opening_moves", "moves", "notes")


class MatchFile:
    """Games of any number of matches.

    Whoever plays a match with the same game, players, seed and openings gets the games that are
    known of it, and adds others.  A last line without its end was being written when the program
    ended; it is taken away.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._games: dict[Match, dict[int, GameResult]] = defaultdict(dict)
        try:
            if path.exists():
                self._read()
            with path.open("ab"):  # refused before anything is played
                pass
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BadParameter(f"cannot use {shorten(str(path))}: {reason}") from error

    def known(self, match: Match) -> list[GameResult]:
        """Return the games of a match that have been played."""
        return [*self._games[match].values()]

    def add(self, match: Match, result: GameResult) -> None:
        """Write a game at the end of the file."""
        line = {
            **asdict(match), "opening_moves": list(match.moves),
            **asdict(result), "moves": list(result.moves),
        }  # fmt: skip
        try:
            with self.path.open("ab") as file:
                file.write(json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise BadParameter(
                f"cannot write {shorten(str(self.path))}: {error.strerror}"
            ) from error
        self._games[match][result.number] = result

    def _read(self) -> None:
        if self.path.stat().st_size > _MOST_BYTES:
            raise BadParameter(
                f"{shorten(str(self.path))} is too large: expected at most "
                f"{_MOST_BYTES >> 20:,} MiB of recorded games"
            )
        whole = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and line.startswith(_BEGINNING[: len(line)]):
                    break
                match, result = self._read_line(number, line)
                self._games[match][result.number] = result
                whole += len(line)
        if whole < self.path.stat().st_size:
            with self.path.open("r+b") as file:
                file.truncate(whole)

    def _read_line(self, number: int, line: bytes) -> tuple[Match, GameResult]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or not _is_game(entry):
            raise BadParameter(
                f"bad file of games {shorten(str(self.path))}, line {number}: expected one that "
                "--record has written"
            )
        of_match: dict[str, Any] = {name: entry[name] for name in _OF_MATCH}
        of_game: dict[str, Any] = {name: entry[name] for name in _OF_GAME}
        opening, moves, notes = (tuple(entry[name]) for name in _LISTS)
        ended = entry.get("ended", BY_RULES)  # which older files do not say
        game = GameResult(**of_game, moves=moves, notes=notes, ended=ended)
        return Match(**of_match, moves=opening), game


def _is_game(entry: dict[str, Any]) -> bool:
    for name, kind in (_OF_MATCH | _OF_GAME).items():
        value = entry.get(name)
        if value is None and name in _MAY_BE_NULL and name in entry:
            continue
        if type(value) is not kind and not (kind is float and type(value) is int):
            return False
    if entry["score_a"] not in {0.0, 0.5, 1.0}:
        return False
    if entry.get("ended", BY_RULES) not in ENDINGS:
        return False
    return all(
        isinstance(entry.get(name), list) and all(isinstance(each, str) for each in entry[name])
        for name in _LISTS
    )
