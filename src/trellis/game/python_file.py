"""Games in a user's own Python file: `my_game.py`, `my_game.py:Subtraction`, with parameters."""

import importlib.util
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, TrellisError, nearest, shorten
from trellis.game.game import Game
from trellis.game.python_game import REQUIRED, PythonGame
from trellis.game.spec import Spec, read_value


def load_file(spec: Spec) -> Game:
    """Load a game from a Python file: a class with the four methods, or a `Game`."""
    path, name, given = spec.file or Path(), spec.name, spec.given
    if not path.is_file():
        raise BadParameter(f"no such game file: {shorten(str(path))}")
    module = run_file(path)
    candidates = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and _is_game(value)
    }
    if not candidates:
        raise BadParameter(
            f"{shorten(str(path))} defines no game: expected a class with the methods "
            f"{', '.join(REQUIRED)}"
        )
    if not name and len(candidates) > 1:
        raise BadParameter(
            f"{shorten(str(path))} defines {', '.join(candidates)}: expected one of them "
            f"after the file, {path}:{next(iter(candidates))}"
        )
    if name and name not in candidates:
        raise BadParameter(
            f"{shorten(str(path))} has no game {shorten(name)}: expected "
            f"{', '.join(candidates)}{nearest(name, candidates)}"
        )
    made = candidates[name or next(iter(candidates))]
    settings = {key: read_value(text) for key, text in given.items()}
    try:
        own: Any = made(**settings)
    except TrellisError:
        raise
    except (Exception, SystemExit) as error:
        raise BadParameter(f"{made.__name__} cannot be made: {error}") from error
    game = own if isinstance(own, Game) else PythonGame(own, settings)
    game.name = f"{path}:{made.__name__}"  # so that its spec loads again
    return game


def _is_game(value: type) -> bool:
    if issubclass(value, Game):
        return value is not Game
    return all(callable(getattr(value, name, None)) for name in REQUIRED)


def run_file(path: Path) -> Any:
    """Import the file under its own name, so that its kernels can be cached."""
    return _run(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _run(path: Path, _changed: int) -> Any:
    name = f"trellis_own_{path.stem}"
    module_spec = importlib.util.spec_from_file_location(name, path)
    if module_spec is None or module_spec.loader is None:
        raise BadParameter(f"cannot read {shorten(str(path))} as Python")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    try:
        module_spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise BadParameter(
            f"{shorten(str(path))} does not run: {type(error).__name__}: {error}"
        ) from error
    return module
