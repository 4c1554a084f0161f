"""Games in a user's own file: `my_game.py`, `my_game.py:Subtraction`, with parameters if any."""

import importlib.util
import sys
from math import inf
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, TrellisError, nearest, shorten
from trellis.game.game import Game, Value
from trellis.game.python_game import REQUIRED, PythonGame
from trellis.game.spec import split_file_spec, split_sheet_spec, split_spec


def load_file(spec: str) -> Game:
    """Load a game from a Python file: a class with the four methods, or a `Game`."""
    path, rest = split_file_spec(spec) or (Path(spec), "")
    if not path.is_file():
        raise BadParameter(f"no such game file: {shorten(str(path))}")
    name, given = split_spec(f":{rest}" if "=" in rest.partition("(")[0] else rest)
    module = _run_file(path)
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
    settings = {key: _value(text) for key, text in given.items()}
    try:
        own: Any = made(**settings)
    except TrellisError:
        raise
    except (Exception, SystemExit) as error:
        raise BadParameter(f"{made.__name__} cannot be made: {error}") from error
    game = own if isinstance(own, Game) else PythonGame(own, settings)
    game.name = f"{path}:{made.__name__}"  # so that its spec loads again
    return game


def load_sheet_spec(spec: str) -> Game:
    """Load a rulesheet: `game.kif`, or `game.kif:evaluator=forward`."""
    path, rest = split_sheet_spec(spec) or (Path(spec), "")
    _, given = split_spec(f"sheet{rest}")
    from trellis.gdl.game import PROVE_SECONDS, load_sheet
    from trellis.gdl.ground import Limits, read_limits
    from trellis.gdl.loading import LOAD_SECONDS

    known = ("evaluator", "ground_limit", "ignore_step", "load_time", "prove_time")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BadParameter(
            f"a rulesheet has no parameter {shorten(unknown[0])}: expected {', '.join(known)}"
        )
    settings = {name: _value(text) for name, text in given.items()}
    ignore_step = settings.get("ignore_step", False)
    if not isinstance(ignore_step, bool):
        raise BadParameter(
            f"bad value {shorten(given['ignore_step'])} of ignore_step: expected true or false"
        )
    usual = {"load_time": LOAD_SECONDS, "prove_time": PROVE_SECONDS}
    seconds = {name: settings.get(name, usual[name]) for name in usual}
    for name, value in seconds.items():
        least = 0 if name == "prove_time" else 1e-9
        if not isinstance(value, int | float) or not least <= value < inf:
            raise BadParameter(
                f"bad value {shorten(given[name])} of {name}: expected seconds, "
                f"{'0 or more' if least == 0 else 'above 0'}"
            )
    return load_sheet(
        path,
        str(settings.get("evaluator", "auto")),
        read_limits(given["ground_limit"]) if "ground_limit" in given else Limits(),
        settings,
        ignore_step=ignore_step,
        seconds=float(seconds["load_time"]),
        prove_seconds=float(seconds["prove_time"]),
    )


def _is_game(value: type) -> bool:
    if issubclass(value, Game):
        return value is not Game
    return all(callable(getattr(value, name, None)) for name in REQUIRED)


def _run_file(path: Path) -> Any:
    """Import the file under its own name, so that its kernels can be cached."""
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


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.casefold(), text)
