"""Parts of a search that users write: functions decorated with `@trellis.kernel`, or in files.

What selection rules and backups have in common: they are compiled for one signature before a clock
runs, found in files by name, and refused in one line where they do not fit.
"""

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from numba.core.errors import NumbaError

from trellis._kernel.jit import JIT_DISABLED
from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.python_file import run_file
from trellis.game.spec import is_part


class OwnPart:
    """Base of what holds a function of the user's own; subclasses are frozen dataclasses."""

    kind: ClassVar[str]  # what messages call it
    call: ClassVar[str]  # how it is called, and what it returns
    arguments: ClassVar[int]
    signature: ClassVar[Any]

    function: Any
    name: str

    def name_it(self) -> None:
        """Take the name from the function, where none is given; refuse what is none."""
        plain = getattr(self.function, "py_func", self.function)
        if not callable(plain):
            raise BadParameter(f"bad {self.kind} {shorten(repr(plain))}: expected a function")
        if not self.name:
            object.__setattr__(self, "name", getattr(plain, "__name__", f"a {self.kind}"))

    @cached_property
    def compiled(self) -> Any:
        """Return the function as kernels take it; compiled at once, before a clock runs."""
        function = self.function
        if JIT_DISABLED:
            return function
        if not hasattr(function, "get_compile_result"):
            raise BadParameter(
                f"{self.kind} {self.name} is not compiled: expected it to be decorated with "
                "@trellis.kernel"
            )
        try:
            function.compile(self.signature)
        except (NumbaError, TypeError) as error:
            raise BadParameter(
                f"{self.kind} {self.name} does not compile: {_first_reason(error)}; expected "
                f"{self.call}"
            ) from error
        return function

    @classmethod
    def of(cls, given: Any) -> Self | None:
        """Return the part that a setting asks for, or None where it is one of ours."""
        if not is_part(given):
            return None
        if isinstance(given, str):
            return cls._from_file(given)
        return given if isinstance(given, cls) else cls(given)  # type: ignore[call-arg]

    @classmethod
    def _from_file(cls, text: str) -> Self:
        """Return the part that `file.py:name` is, or the only one that `file.py` defines."""
        head, _, name = text.partition(".py")
        path, name = Path(head + ".py"), name.removeprefix(":")
        if not path.is_file():
            raise BadParameter(f"no such file of {cls.kind}s: {shorten(str(path))}")
        module = run_file(path)
        found = {
            key: value for key, value in vars(module).items() if cls._is_own(value, module.__name__)
        }
        if not name and len(found) == 1:
            name = next(iter(found))
        if name not in found:
            asked = f"no {cls.kind} {shorten(name)}" if name else f"{len(found)} {cls.kind}s"
            raise BadParameter(
                f"{shorten(str(path))} has {asked}: expected {path}:NAME"
                f"{', one of ' + ', '.join(found) if found else ''}{nearest(name, found)}"
            )
        part = found[name]
        return part if isinstance(part, cls) else cls(part)  # type: ignore[call-arg]

    @classmethod
    def _is_own(cls, value: Any, module: str) -> bool:
        """Tell whether something is a part that a file defines, and not a helper it imports."""
        function = value.function if isinstance(value, cls) else value
        plain = getattr(function, "py_func", function if JIT_DISABLED else None)
        if plain is None or getattr(plain, "__module__", "") != module:
            return False
        code = getattr(plain, "__code__", None)
        fits = code is not None and code.co_argcount == cls.arguments
        return isinstance(value, cls) or fits


def _first_reason(error: Exception) -> str:
    """Return the line of Numba's explanation that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in", "-", "During", "File"))]
    return shorten(told[0] if told else "it has a type that kernels do not know")
