"""Circuits that were built once, kept beside the compiled kernels: large sheets take long to build.

A file is found by a hash of the text of the sheet, of the source of all that made the circuit, and
of clingo's version.  It holds numbers and names, never code, and is checked before it is used: one
that is not what it should be is built anew.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from trellis._kernel.cache_home import CIRCUITS, cache_home
from trellis._kernel.files import write_whole_bytes
from trellis._kernel.garbage import uncollected
from trellis.gdl.circuit.build import Circuit

_WORTH_SECONDS = 0.5  # of building: less is not worth a file
_MOST_BYTES = 128 << 20  # of one circuit
_MOST_BYTES_IN_ALL = 1 << 30
_MADE_BY = ("language", "grounding", "circuit")


def build_once(text: str, rules: int, build: Callable[[], Circuit]) -> Circuit:
    """Recall the circuit of a text, grounded to so many rules at most, or build and keep it."""
    path = cache_home() / CIRCUITS / f"{_digest(text, rules)}.bin"
    with uncollected():
        kept = _recall(path)
        if kept is not None:
            return kept
        began = perf_counter()
        circuit = build()
        if perf_counter() - began >= _WORTH_SECONDS and not circuit.loops:
            _keep(path, circuit)
        return circuit


def _digest(text: str, rules: int) -> str:
    digest = hashlib.sha256(_own_digest())
    digest.update(f"{rules}\n{text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@cache
def _own_digest() -> bytes:
    """Hash the source of what makes circuits, and the version of what grounds."""
    digest = hashlib.sha256(version("clingo").encode())
    for folder in _MADE_BY:
        for file in sorted((Path(__file__).parent / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.digest()


def _recall(path: Path) -> Circuit | None:
    """Read what was kept; nothing where there is nothing, or nothing that makes sense."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    from trellis.gdl.circuit.storing import Mangled, from_bytes

    try:
        circuit = from_bytes(data)
    except (Mangled, ValueError):
        return None
    with suppress(OSError):
        os.utime(path)  # what was used last goes last
    return circuit


def _keep(path: Path, circuit: Circuit) -> None:
    """Write a circuit, whole or not at all; a folder that cannot be written is no loss."""
    from trellis.gdl.circuit.storing import to_bytes

    data = to_bytes(circuit)
    if len(data) > _MOST_BYTES:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_room(path.parent, len(data))
        write_whole_bytes(path, data)


def _make_room(folder: Path, size: int) -> None:
    """Remove what was not used for longest, until there is room for one more."""
    files = sorted(((file.stat().st_mtime, file) for file in folder.glob("*.bin")), reverse=True)
    for _, file in files:
        size += file.stat().st_size
        if size > _MOST_BYTES_IN_ALL:
            file.unlink(missing_ok=True)
