"""Players in Python: whatever has `choose(position)`, and `bot.py:Bot(depth=3)` as text.

The move may be a name or a number.  A player that raises, plays what is illegal or does not answer
loses its game, as another program would; the match goes on.

>>> from trellis.loading import load
>>> class First:
...     def choose(self, position):
...         return position.moves()[0]
>>> PythonPlayer(First()).choose(load("tic_tac_toe").start(), 0)
'a3'
"""

import inspect
import threading
from collections.abc import Callable
from typing import Any

from trellis.game.errors import BadParameter, PlayerFailed, PlayerResigns, nearest, shorten
from trellis.game.game import Position
from trellis.game.python_file import run_file
from trellis.game.spec import read_value, split_spec

TIMEOUT = 600.0  # seconds without an answer after which a game is lost

_objects: dict[str, Any] = {}  # players that were handed over as objects, by the names they got


class PythonPlayer:
    """Somebody's object as a player."""

    def __init__(self, own: Any, name: str = "", timeout: float = TIMEOUT) -> None:
        choose = getattr(own, "choose", None)
        if not callable(choose):
            raise BadParameter(
                f"{shorten(type(own).__name__)} is not a player: expected a method choose(position)"
            )
        self.own, self.timeout = own, timeout
        self.name = name or type(own).__name__
        self._takes_player = _positional(choose) >= 2
        self._stuck = False  # it never answered: who knows what it is doing

    def choose(self, position: Position, player: int) -> str:
        """Ask the object; refuse what is illegal."""
        if self._stuck:
            raise PlayerFailed("it is still at work on an earlier move")
        arguments = (position, player) if self._takes_player else (position,)
        move = self._answer(lambda: self.own.choose(*arguments))
        if move is None:
            raise PlayerResigns("resigned")
        names = position.moves()
        if not isinstance(move, str):
            try:
                code = int(move)
            except (TypeError, ValueError):
                raise PlayerFailed(f"illegal move {shorten(repr(move))}") from None
            if code not in position.move_codes():
                raise PlayerFailed(f"illegal move {code}")
            return position.name(code)
        if move not in names:
            raise PlayerFailed(f"illegal move {shorten(move)}")
        return move

    def _answer(self, ask: Callable[[], Any]) -> Any:
        """Ask in a thread, which is left alone when it does not come back."""
        found: dict[str, Any] = {}

        def run() -> None:
            try:
                found["move"] = ask()
            except BaseException as error:  # noqa: BLE001 - whatever happens is its own fault
                found["error"] = error

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self.timeout)
        if thread.is_alive():
            self._stuck = True
            raise PlayerFailed(f"no answer in {self.timeout:g} seconds")
        error = found.get("error")
        if isinstance(error, PlayerFailed):
            raise error
        if error is not None:
            told = shorten(str(error).splitlines()[0]) if str(error) else "no message"
            raise PlayerFailed(f"{type(error).__name__}: {told}") from error
        return found["move"]

    def close(self) -> None:
        """Let the object know that the game is over, where it wants to."""
        ended = getattr(self.own, "close", None)
        if callable(ended):
            self._answer(ended)


def _positional(function: Callable[..., Any]) -> int:
    """Count the arguments that a function needs, or may take, by position."""
    try:
        kinds = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    required = [
        each
        for each in kinds
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.default is each.empty
    ]
    return len(required)


def is_python(text: str) -> bool:
    """Tell whether the text of a player is a class in a file, or the name of an object.

    >>> is_python("bots/bot.py:Bot(depth=3)"), is_python("uct:select=my_rules.py:my_rule")
    (True, False)
    """
    head, found, rest = text.partition(".py")
    named = bool(head and found) and "=" not in head and rest[:1] in ("", ":", "(")
    return text in _objects or named


def text_of(player: Any) -> str:
    """Return a player as text: an object gets a name by which this process knows it."""
    if isinstance(player, str):
        return player
    PythonPlayer(player)  # refuses what is none
    for name, known in _objects.items():
        if known is player:
            return name
    name = f"{type(player).__name__}#{len(_objects) + 1}"
    _objects[name] = player
    return name


def is_object(text: str) -> bool:
    """Tell whether a text names an object of this process."""
    return text in _objects


def python_player(text: str) -> PythonPlayer:
    """Make the player that a text stands for: `bot.py:Bot`, `bot.py:Bot(depth=3)`, or an object."""
    if text in _objects:
        return PythonPlayer(_objects[text], text)
    spec = split_spec(text)
    if spec.file is None or not spec.file.is_file():
        raise BadParameter(f"no such file of a player: {shorten(str(spec.file or text))}")
    module = run_file(spec.file)
    found = {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and callable(getattr(each, "choose", None))
    }
    name = spec.name or (next(iter(found)) if len(found) == 1 else "")
    if name not in found:
        raise BadParameter(
            f"{shorten(str(spec.file))} has no player {shorten(name)}: expected "
            f"{', '.join(found) or 'a class with a method choose(position)'}{nearest(name, found)}"
        )
    settings = {key: read_value(value) for key, value in spec.given.items()}
    try:
        own = found[name](**settings)
    except (Exception, SystemExit) as error:
        raise BadParameter(f"{name} cannot be made: {error}") from error
    return PythonPlayer(own, text)
