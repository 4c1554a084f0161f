"""The built-in games.  `load` turns a name with parameters into a game."""

import importlib
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import Entry, Value, find_entry, split_file_spec, split_spec
from trellis.games.catalogue import ENTRIES

if TYPE_CHECKING:
    from trellis.game.game import Game


def entries() -> tuple[Entry, ...]:
    """List what is known of every built-in game, without loading any."""
    return ENTRIES


def check_spec(spec: str) -> tuple[Entry, dict[str, Value]] | None:
    """Refuse a bad name or parameter; None where a file of the user's has to decide."""
    if ".kif" in spec:
        raise BadParameter(
            f"cannot load {shorten(spec)}: rulesheets (.kif) are not supported yet; "
            "expected a name that `trellis games` lists, or a .py file"
        )
    if split_file_spec(spec.strip()) is not None:
        return None
    name, given = split_spec(spec)
    entry = find_entry(name, ENTRIES)
    return entry, entry.settings(given)


def load(spec: str) -> "Game":
    """Make a game from text.

    A built-in game with parameters, `hex:board_size=5` or `hex(board_size=5)`, or a class in a
    Python file of your own, `my_game.py:MyGame`.
    """
    known = check_spec(spec)
    if known is None:
        from trellis.games.files import load_file

        return load_file(spec.strip())
    entry, settings = known
    module = importlib.import_module(f"trellis.games.{entry.name}")
    game: Game = getattr(module, entry.class_name)(**settings)
    return game
