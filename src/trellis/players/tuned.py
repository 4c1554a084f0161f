"""Settings that were tuned for a game on this machine: what the player `auto` begins with.

They are kept in one file of JSON, by game; only what has passed a test against the default is ever
written there (`trellis tune`).
"""

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from trellis._kernel.files import write_whole
from trellis.game.errors import BadParameter, shorten
from trellis.game.options import options_of
from trellis.search.mcts.settings import Settings

_FILE = "tuned.json"
_MOST_BYTES = 1 << 20


def tuned_file() -> Path:
    """Return where tuned settings are kept; TRELLIS_DATA_DIR chooses another folder."""
    chosen = os.environ.get("TRELLIS_DATA_DIR")
    if chosen:
        return Path(chosen) / _FILE
    import platformdirs

    return platformdirs.user_data_path("trellis") / _FILE


def tuned_settings(game: str) -> dict[str, Any]:
    """Return the settings that are to be used in a game; nothing where it was never tuned."""
    path = tuned_file()
    try:
        about = path.stat()
    except OSError:
        return {}
    entry = _read(path, about.st_mtime_ns).get(game)
    return {} if entry is None else dict(entry["settings"])


def keep_tuned(game: str, settings: Mapping[str, str], evidence: Mapping[str, Any]) -> Path:
    """Write down settings of a game, and what speaks for them."""
    path = tuned_file()
    known = options_of(Settings)
    for name, value in settings.items():
        known[name].read(value)  # refuses what could not be read again
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = _read(path, path.stat().st_mtime_ns) if path.exists() else {}
        content = {**content, game: {"settings": dict(settings), "evidence": dict(evidence)}}
        write_whole(path, json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise BadParameter(f"cannot write {shorten(str(path))}: {error.strerror}") from error
    return path


@lru_cache(maxsize=2)  # players are made anew for every game
def _read(path: Path, changed: int) -> dict[str, Any]:
    shown = shorten(str(path), 200)
    wrong = BadParameter(f"{shown} is not a file of tuned settings: mend it, or take it away")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise wrong
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        raise wrong from None
    if not isinstance(content, dict):
        raise wrong
    known = options_of(Settings)
    for game, entry in content.items():
        settings = entry.get("settings") if isinstance(entry, dict) else None
        if not isinstance(settings, dict) or not all(
            name in known and isinstance(value, str) for name, value in settings.items()
        ):
            raise wrong
        entry["settings"] = {
            name: known[name].read(value, f"{shown}, {game}") for name, value in settings.items()
        }
    return content
