"""The built-in games.  `load` turns a name with parameters into a game."""

import importlib
from typing import TYPE_CHECKING

from trellis.game.spec import Entry, find_entry, split_spec
from trellis.games.catalogue import ENTRIES

if TYPE_CHECKING:
    from trellis.game.game import Game


def entries() -> tuple[Entry, ...]:
    """List what is known of every built-in game, without loading any."""
    return ENTRIES


def load(spec: str) -> "Game":
    """Make a built-in game from text such as `hex:board_size=5`."""
    name, given = split_spec(spec)
    entry = find_entry(name, ENTRIES)
    settings = entry.settings(given)
    module = importlib.import_module(f"trellis.games.{entry.name}")
    game: Game = getattr(module, entry.class_name)(**settings)
    return game
