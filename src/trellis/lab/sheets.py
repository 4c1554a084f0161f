"""Rulesheets by name: from a folder of the user's, or those that come with the package.

The environment variable TRELLIS_SHEETS names the folder.  A result must say by which rules it was
measured, so the settings of a cell hold the digest of its sheet, and another sheet is refused.
"""

import hashlib
import os
from pathlib import Path

import trellis
from trellis.game.errors import BadParameter, shorten

FOLDER = "TRELLIS_SHEETS"
_OWN = Path(trellis.__file__).parent / "gdl" / "sheets"


def find_sheet(name: str) -> Path:
    """Return where a rulesheet such as `breakthrough.kif` lies: the user's own one comes first."""
    folder = os.environ.get(FOLDER, "")
    if folder and not Path(folder).is_dir():
        raise BadParameter(f"bad value {shorten(folder)} for {FOLDER}: expected a folder")
    for place in [Path(folder), _OWN] if folder else [_OWN]:
        if (place / name).is_file():
            return place / name
    raise BadParameter(f"no rulesheet {shorten(name)}: expected it in the folder {FOLDER} names")


def digest_of_sheet(name: str) -> str:
    """Return what tells the rules of a sheet from those of another one.

    >>> digest_of_sheet("breakthrough.kif") == digest_of_sheet("knightthrough.kif")
    False
    """
    path = find_sheet(name)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except OSError as error:
        raise BadParameter(f"cannot read {shorten(str(path))}: {error.strerror}") from error


def placed_sheet(game: str, digest: str) -> str:
    """Return a game text whose sheet is looked for by its name; refuse a sheet of other rules."""
    name, ending, rest = game.partition(".kif")
    found = digest_of_sheet(name + ending)
    if found != digest:
        raise BadParameter(
            f"{shorten(name + ending)} is another rulesheet here, {found}: expected {digest}"
        )
    return f"{find_sheet(name + ending)}{rest}"
