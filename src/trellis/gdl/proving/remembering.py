"""What was found out about a circuit, kept beside the compiled kernels: proofs take seconds.

A file is found by a hash of the whole circuit, of the prover's own source and of the solver's
version, so an edit of any of them asks again.  What was not settled because time ran out is asked
again when there is more of it.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from trellis._kernel.cache_home import PROOFS, cache_home
from trellis._kernel.files import write_whole
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.circuit.storing import digest_of
from trellis.gdl.proving.facts import NAMES, PROVEN, REFUTED, Fact, Facts
from trellis.gdl.proving.prover import prove

_MOST_FILES = 2_000


def prove_once(circuit: Circuit, *, seconds: float) -> Facts:
    """Prove what can be proven of a circuit, or recall what was."""
    path = cache_home() / PROOFS / f"{_digest(circuit)}.json"
    known = _recall(path)
    if known is not None:
        facts, spent = known
        settled = all(getattr(facts, name).status in (PROVEN, REFUTED) for name in NAMES)
        if settled or spent >= seconds:
            return facts
    found = prove(circuit, seconds=seconds)
    _keep(path, found, seconds)
    return found


@cache
def _own_digest() -> bytes:
    """Hash the source of the prover and the version of its solver."""
    digest = hashlib.sha256(version("python-sat").encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.digest()


def _digest(circuit: Circuit) -> str:
    return hashlib.sha256(_own_digest() + digest_of(circuit)).hexdigest()


def _recall(path: Path) -> tuple[Facts, float] | None:
    """Read what was kept; nothing where there is nothing, or nothing that makes sense."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        facts = {name: _fact(kept["facts"][name]) for name in NAMES}
        return Facts(**facts, seconds=float(kept["seconds"])), float(kept["limit"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _fact(kept: dict[str, Any]) -> Fact:
    play, other = (_as_tuples(kept[name]) for name in ("play", "other"))
    return Fact(kept["value"], str(kept["status"]), play, str(kept["how"]), other)


def _as_tuples(kept: Any) -> Any:
    """Turn lists, which is what JSON makes of terms and plays, into tuples again."""
    return tuple(map(_as_tuples, kept)) if isinstance(kept, list) else kept


def _keep(path: Path, found: Facts, limit: float) -> None:
    """Write what was found, whole or not at all; a folder that cannot be written is no loss."""
    facts = {name: vars(getattr(found, name)) for name in NAMES}
    text = json.dumps({"facts": facts, "seconds": found.seconds, "limit": limit})
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        files = list(path.parent.glob("*.json"))
        if len(files) > _MOST_FILES:  # then the older half goes
            files.sort(key=lambda file: file.stat().st_mtime)
            for old in files[: _MOST_FILES // 2]:
                old.unlink(missing_ok=True)
        write_whole(path, text)
