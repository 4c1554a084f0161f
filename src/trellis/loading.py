"""Loading games: `load` turns a name with parameters, a file or an object into a game."""

import importlib
from typing import TYPE_CHECKING, Any

from trellis.game import hooks
from trellis.game.errors import BadParameter
from trellis.game.spec import Entry, Spec, Value, find_entry, split_spec
from trellis.games.catalogue import ENTRIES

if TYPE_CHECKING:
    from trellis.game.game import Game


def registered_games() -> tuple[Entry, ...]:
    """List what is known of every built-in game, without loading any."""
    return ENTRIES


def check_spec(spec: Spec) -> tuple[Entry, dict[str, Value]] | None:
    """Refuse a bad name or parameter; None where a file of the user's has to decide."""
    if spec.file is not None:
        return None
    entry = find_entry(spec.name, ENTRIES)
    return entry, entry.settings(spec.given)


def load(game: Any, *, seconds: float | None = None, **parameters: Value) -> "Game":
    """Make a game.

    From text, split already or not: a built-in game with parameters, `hex:board_size=5` or
    `hex(board_size=5)`, a class in a Python file of your own, `my_game.py:MyGame`, a rulesheet,
    `my_game.kif`, or a problem of Go, `problem.sgf`; parameters may also be given by name.
    Or from an object of a class of your own.

    `seconds` is what a rulesheet may take to load; where its circuit is not finished by then it
    is played by forward chaining, or refused.  Other games take no time worth a limit.

    >>> load("connect_four", rows=5).spec
    'connect_four:rows=5'
    """
    if isinstance(game, str) and game.startswith("openspiel:"):
        from trellis.bridges.openspiel_game import load_openspiel

        if parameters:
            raise BadParameter(
                "parameters of OpenSpiel's games stand in their names: expected "
                "openspiel:NAME(parameter=value)"
            )
        return load_openspiel(game)
    spec = split_spec(game) if isinstance(game, str) else game
    if not isinstance(spec, Spec):
        from trellis.game.game import Game
        from trellis.game.python_game import PythonGame

        return game if isinstance(game, Game) else PythonGame(game)
    if seconds is not None and spec.is_sheet:
        parameters["load_time"] = seconds
    spec = spec.with_parameters({name: str(value) for name, value in parameters.items()})
    known = check_spec(spec)
    if known is None:
        if spec.is_sheet:
            from trellis.gdl.spec import load_sheet_spec

            return load_sheet_spec(spec)
        if spec.is_problem:
            from trellis.sgf.problem_file import load_problem

            return load_problem(spec)
        from trellis.game.python_file import load_file

        return load_file(spec)
    entry, chosen = known
    module = importlib.import_module(f"trellis.games.{entry.name}")
    made: Game = getattr(module, entry.class_name)(**chosen)
    return made


def _draw(thing: Any) -> str | None:
    if hasattr(thing, "moves") and hasattr(thing, "sentence"):  # a report
        from trellis.drawing.reports import table

        return table(thing)
    from trellis.drawing.boards import draw

    return draw(thing)


hooks.offer(load, _draw)
