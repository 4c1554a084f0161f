"""Which version of the code has measured something, and on which machine.

A version is the fingerprint of everything that can change a result: the rules, the searches, the
players and the measures, not the commands or the way results are shown.
"""

import hashlib
import os
import platform
import subprocess
from functools import cache
from pathlib import Path

import trellis
from trellis.lab.measures import measure_of

_MATTERS = (
    "_kernel", "authoring.py", "evaluation", "game", "games", "gdl", "lab/jobs.py", "lab/measures",
    "loading.py", "players", "search", "sgf",
)  # fmt: skip
_SUFFIXES = {".py", ".kif", ".json", ".txt"}  # of source, rulesheets, weights of networks


@cache
def version(measure: str = "") -> str:
    """Return the package's version and the fingerprint of what results of a measure depend on."""
    home = Path(trellis.__file__).parent
    digest = hashlib.sha256()
    for name in (*_MATTERS, *(measure_of(measure).sources if measure else ())):
        place = home / name
        files = [place] if place.suffix else place.rglob("*")
        for file in sorted(each for each in files if each.suffix in _SUFFIXES):
            digest.update(f"{file.relative_to(home).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return f"{trellis.__version__}+{digest.hexdigest()[:12]}"


@cache
def commit() -> str:
    """Return the commit of a checkout, with a + where files were changed; nothing elsewhere."""
    home = Path(trellis.__file__).parent
    if not (home.parent.parent / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=9", "--exclude=*"],  # noqa: S607
            cwd=home, capture_output=True, text=True, check=False, timeout=10,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


@cache
def machine() -> str:
    """Say in a few words what kind of machine this is; its name is nobody's business."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
