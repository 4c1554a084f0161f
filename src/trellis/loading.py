"""Loading games: `load` turns a name with parameters, a file or an object into a game."""

import importlib
from typing import TYPE_CHECKING, Any

from trellis.game.spec import (
    Entry,
    Value,
    find_entry,
    split_file_spec,
    split_sheet_spec,
    split_spec,
)
from trellis.games.catalogue import ENTRIES

if TYPE_CHECKING:
    from trellis.game.game import Game


def registered_games() -> tuple[Entry, ...]:
    """List what is known of every built-in game, without loading any."""
    return ENTRIES


def check_spec(spec: str) -> tuple[Entry, dict[str, Value]] | None:
    """Refuse a bad name or parameter; None where a file of the user's has to decide."""
    if split_sheet_spec(spec.strip()) is not None:
        return None
    if split_file_spec(spec.strip()) is not None:
        return None
    name, given = split_spec(spec)
    entry = find_entry(name, ENTRIES)
    return entry, entry.settings(given)


def load(game: Any, *, seconds: float | None = None, **parameters: Value) -> "Game":
    """Make a game.

    From text: a built-in game with parameters, `hex:board_size=5` or `hex(board_size=5)`, or a
    class in a Python file of your own, `my_game.py:MyGame`, or a rulesheet, `my_game.kif`;
    parameters may also be given by name.
    Or from an object of a class of your own.

    `seconds` is what a rulesheet may take to load; where its circuit is not finished by then it
    is played by forward chaining, or refused.  Other games take no time worth a limit.

    >>> load("connect_four", rows=5).spec
    'connect_four:rows=5'
    """
    if not isinstance(game, str):
        from trellis.game.game import Game
        from trellis.game.python_game import PythonGame

        return game if isinstance(game, Game) else PythonGame(game)
    spec = game.strip()
    if seconds is not None and split_sheet_spec(spec) is not None:
        parameters["load_time"] = seconds
    if parameters:
        settings = ",".join(f"{name}={value}" for name, value in parameters.items())
        joint = "," if "=" in spec else ":"
        spec = f"{spec}{joint}{settings}"
    known = check_spec(spec)
    if known is None:
        if split_sheet_spec(spec):
            from trellis.gdl.spec import load_sheet_spec

            return load_sheet_spec(spec)
        from trellis.game.python_file import load_file

        return load_file(spec)
    entry, chosen = known
    module = importlib.import_module(f"trellis.games.{entry.name}")
    made: Game = getattr(module, entry.class_name)(**chosen)
    return made
