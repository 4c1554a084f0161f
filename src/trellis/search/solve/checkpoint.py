"""Checkpoints of long proofs: what was proven so far, in a file that is whole or not there.

A checkpoint holds the bounds, the labels of payoffs and the tables.  It does not hold what was
being searched: that begins again at the root and finds in the table what was done.  A file that was
cut off, damaged, or made by other rules is refused: rules are compared by their source and tables.
"""

import hashlib
import json
import zlib
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.files import write_whole_bytes
from trellis._kernel.jit import kernel_folder
from trellis.game.errors import BadParameter, BadRecord
from trellis.game.game import Game
from trellis.search.solve.portfolio import Portfolio, QuestionMember

_FORMAT = 1
_MOST_HEAD = 1 << 24  # bytes
_LEAST_BETWEEN = 60.0  # seconds between two checkpoints
_WORK_TO_WRITING = 20  # times as long is searched as is written


def fingerprint(game: Game) -> str:
    """Return what tells rules apart: the source of the rules, and the tables they read."""
    digest = hashlib.sha256(game.spec.encode())
    rule: Any = game.rules.play
    module = getattr(rule, "py_func", rule).__module__
    if game.compiled:
        digest.update(kernel_folder(module).name.encode())
    for array in game.tables:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _members(search: Portfolio) -> list[QuestionMember]:
    return [each for each in search.members if isinstance(each, QuestionMember)]


def save(search: Portfolio, path: Path) -> int:
    """Write a checkpoint; return its size in bytes."""
    members: list[dict[str, Any]] = []
    parts: list[npt.NDArray[np.uint64]] = []
    for member in _members(search):
        known, tables = member.search.snapshot()
        parts += tables.values()
        crcs = {target: zlib.crc32(table.data) for target, table in tables.items()}
        members.append({"name": member.name, "crcs": list(crcs.values()), **known})
    head = {
        "trellis_checkpoint": _FORMAT,
        "game": search.game.spec,
        "position": search.position.code,
        "rules": fingerprint(search.game),
        "low": search.low,
        "high": search.high,
        "proved_by": [search.proved_low, search.proved_high],
        "round": search.round,
        "seconds": search.seconds,
        "members": members,
    }
    line = json.dumps(head).encode() + b"\n"
    line = f"{zlib.crc32(line):08x} ".encode() + line
    write_whole_bytes(path, line, *(part.data for part in parts))
    return len(line) + sum(part.nbytes for part in parts)


def resume(search: Portfolio, path: Path) -> None:
    """Go on from a checkpoint of the same position, by rules that are still the same."""
    try:
        with path.open("rb") as file:
            head = _read_head(path, file.readline(_MOST_HEAD))
            _refuse_other(search, head, path)
            for told in head["members"]:
                tables = []
                for words, crc in zip(told["words"], told["crcs"], strict=True):
                    table = np.fromfile(file, np.uint64, words)
                    if len(table) != words or zlib.crc32(table.data) != crc:
                        raise BadRecord(f"{path} is damaged: a table is not what was written")
                    tables.append(table)
                own = [each for each in _members(search) if each.name == told["name"]]
                for member in own:
                    member.search.restore(told, tables)
    except OSError as error:
        raise BadRecord(f"cannot read {path}: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRecord(f"{path} is not a checkpoint of this version") from None
    search.restore(head["low"], head["high"], head["proved_by"], head["round"], head["seconds"])


def _read_head(path: Path, line: bytes) -> dict[str, Any]:
    check, _, text = line.partition(b" ")
    if not line.endswith(b"\n") or check != f"{zlib.crc32(text):08x}".encode():
        raise BadRecord(f"{path} is not a checkpoint, or is damaged")
    head: dict[str, Any] = json.loads(text)
    if head.get("trellis_checkpoint") != _FORMAT:
        raise BadRecord(f"{path} is not a checkpoint of this version")
    return head


def _refuse_other(search: Portfolio, head: dict[str, Any], path: Path) -> None:
    if (head["game"], head["position"]) != (search.game.spec, search.position.code):
        raise BadParameter(f"{path} is about another position, of {head['game']}")
    if head["rules"] != fingerprint(search.game):
        raise BadParameter(
            f"{path} was written by other rules of {head['game']}: expected the same"
        )


class Saver:
    """Writes a checkpoint now and then; most of the time is spent searching."""

    def __init__(self, search: Portfolio, path: Path, between: float = _LEAST_BETWEEN) -> None:
        self._search, self._path, self._between = search, path, between
        self._last, self.written = perf_counter(), 0

    def look(self) -> None:
        """Write if it is time to; only between two slices of a search."""
        if perf_counter() - self._last >= self._between:
            self.write()

    def write(self) -> None:
        """Write now."""
        began = perf_counter()
        save(self._search, self._path)
        self.written += 1
        self._last = perf_counter()
        self._between = max(self._between, _WORK_TO_WRITING * (self._last - began))
