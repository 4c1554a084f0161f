"""The only file that configures Numba: one decorator, one cache folder per kernel file.

Numba's own cache looks at the file a function is written in and at nothing else, so a kernel
that calls a helper in another file keeps running the helper's *old* code after an edit.
Here every file with kernels gets a cache folder whose name is a fingerprint of its own source,
of the sources it imports, and of the flags that change machine code.  An edit therefore makes
exactly the files that depend on it compile again.
"""

import ast
import contextlib
import hashlib
import os
import pickle
import shutil
import signal
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite.binding.executionengine import ExecutionEngine
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from trellis._kernel.annotations import signature_of
from trellis._kernel.cache_home import cache_home
from trellis._kernel.garbage import uncollected

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
KEPT_FINGERPRINTS = 4  # per kernel file: enough to switch between branches without recompiling
FINISHED = "finished"  # marks a folder whose kernels were all compiled once

if JIT_DISABLED:
    # Hashes and random numbers wrap around on purpose; NumPy scalars would warn about it.
    np.seterr(over="ignore")

_listener: Callable[[str], None] | None = None
_cold_modules: set[str] = set()
_plain_too: list[Any] = []
_making = threading.RLock()  # the folder for compiled code is a setting of the whole process
_interrupted = False


def on_compile(listener: Callable[[str], None] | None) -> None:
    """Have `listener(module)` called once for each kernel file that is about to compile."""
    global _listener
    _listener = listener


_sources: dict[str, tuple[Path, str]] = {}


def _source(module: str) -> tuple[Path, str] | None:
    """Return the file of a loaded module and its text, if it is Python.

    Only what was found is remembered: a module that somebody names before it is loaded, as an
    import inside a function does, would be taken for one without a file for ever, and none of its
    kernels would be kept.
    """
    if module not in _sources:
        file = getattr(sys.modules.get(module), "__file__", None)
        if not file or not file.endswith(".py"):
            return None
        _sources[module] = Path(file), Path(file).read_text(encoding="utf-8", errors="replace")
    return _sources[module]


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Name every module that `module` may import: `from a import b` may mean a, or a.b."""
    source = _source(module)
    package = (getattr(sys.modules.get(module), "__package__", None) or "").split(".")
    names: list[str] = []
    for node in ast.walk(ast.parse(source[1] if source else "")):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return tuple(names)


def _sources_behind(module: str) -> dict[str, str]:
    """Return the text of `module` and of every module whose code it may contain.

    Those are ours, those of the same package, and, for a file outside any package, the files
    beside it.  Whatever a kernel calls has been imported by the time it is compiled.
    """
    own = _source(module)
    roots = {"trellis", module.partition(".")[0]}
    beside = own[0].parent if own and "." not in module else None
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        source = None if name in found else _source(name)
        if source is None:
            continue
        file, text = source
        if name.partition(".")[0] in roots or file.parent == beside:
            found[name] = text
            waiting.extend(_imports(name))
    return dict(sorted(found.items()))


@cache
def _flags() -> str:
    tuned = {k: v for k, v in os.environ.items() if k.startswith("NUMBA_") and "CACHE" not in k}
    parts = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, tuned)
    return repr(parts) + str(sysconfig.get_platform())


@cache
def kernel_folder(module: str) -> Path:
    """Return the cache folder of one kernel file in its present state."""
    digest = hashlib.sha256(_flags().encode())
    for name, text in _sources_behind(module).items():
        digest.update(f"{name}\0{text}\0".encode())
    family = cache_home() / f"kernels-{module}"
    folder = family / digest.hexdigest()[:16]
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # another process may be tidying up too
            by_age = sorted(family.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
            for old in by_age[KEPT_FINGERPRINTS:]:
                shutil.rmtree(old, ignore_errors=True)
    return folder


def heed_interrupts() -> None:
    """Let Ctrl-C end compiling wherever it is.

    While LLVM calls back it is only noted: Python would print the exception and drop it, and what
    LLVM then has no machine code of is called at address 0.
    """
    global _interrupted
    _interrupted = False  # what was answered before is over

    def remember(number: int, frame: FrameType | None) -> None:
        global _interrupted
        _interrupted = True
        if not _is_called_by_llvm(frame):
            raise KeyboardInterrupt

    def ignore(lost: Any) -> None:
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)

    on_main_thread = threading.current_thread() is threading.main_thread()
    if on_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, remember)
        if sys.unraisablehook is sys.__unraisablehook__:
            sys.unraisablehook = ignore


_CALLED_BY_LLVM = {
    getattr(getattr(ExecutionEngine, name, None), "__code__", None)
    for name in ("_raw_object_cache_notify", "_raw_object_cache_getbuffer")
} - {None}


def _is_called_by_llvm(frame: FrameType | None) -> bool:
    """Tell whether LLVM waits for this frame, or for one that it was called from."""
    while frame is not None:
        if frame.f_code in _CALLED_BY_LLVM:
            return True
        frame = frame.f_back
    return False


def _interruptible(make: Callable[[F], F], function: F) -> F:
    """Compile; say again that there was an interrupt if that got lost on the way."""
    try:
        with uncollected():
            compiled = make(function)
    except Exception:
        if _interrupted:
            raise KeyboardInterrupt from None
        raise
    if _interrupted:
        raise KeyboardInterrupt
    return compiled


# The two classes below lean on the inside of Numba, as it was when they were written and tested.
# With another version parts are compiled as everything is, which takes longer.
_LINKS_PARTS = numba.version_info.short == (0, 68)


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """The code of a kernel that only other kernels call, to be put into theirs.

    Numba would optimize it and translate it to machine code too, which nobody runs: about
    a quarter of the time that a search takes to compile.  Callers are optimized as a whole.
    """

    def finalize(self) -> None:
        """Gather the code of this kernel and of those that it calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)  # noqa: SLF001
            code = library._get_module_for_linking()  # noqa: SLF001
            self._final_module.link_in(code, preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_PartLibrary":
        """Return who would be told about Python objects that the code needs: there are none."""
        return self

    def set_env(self, name: str, env: object) -> None:
        """Do nothing."""


class _PartCompiler(Compiler):  # type: ignore[misc]  # Numba has no types
    """Compiles a kernel that only other kernels call."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, _PartLibrary(target.codegen(), "part"), *rest)


def _compile_once_for_all_constants(part: Any) -> None:
    """Have a part compiled for the types of its arguments, whatever constants they are.

    Numba makes a copy for every constant it meets on the way to the types of a loop's variables,
    most of which are never called; and those that are profit little from it.
    """
    template = part.get_call_template

    def for_types(arguments: Any, named: Any) -> Any:
        return template(
            [numba.types.unliteral(each) for each in arguments],
            {name: numba.types.unliteral(each) for name, each in dict(named).items()},
        )

    part.get_call_template = for_types


class _Later:
    """A kernel that is compiled, or looked for in the cache, when it is first called."""

    def __init__(self, function: Callable[..., Any], make: Callable[..., Any]) -> None:
        self.py_func = function
        self._make = make
        self._compiled: Any = None

    def ready(self) -> Any:
        """Return the compiled kernel."""
        with _making:
            if self._compiled is None:
                self._compiled = self._make(self.py_func)
            return self._compiled

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        return (self._compiled or self.ready())(*arguments)


def ready(compiled_later: F) -> F:
    """Compile what would be compiled when it is first called: before a clock runs."""
    return compiled_later.ready() if isinstance(compiled_later, _Later) else compiled_later


def _is_of_the_cache(error: BaseException) -> bool:
    """Tell whether Numba's cache raised an error, and not the function that was compiled."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_filename.endswith("caching.py") for frame, _ in frames)


def kernel(
    signature: Any = None,
    *,
    entry: bool = False,
    takes_rules: bool = False,
    plain_too: bool = False,
    lean: bool = False,
    hot: bool = False,
    makes_arrays: bool = False,
    later: bool = False,
    **options: Any,
) -> Callable[[F], F]:
    """Compile a function to machine code, cached on disk and free of the interpreter lock.

    With a `signature`, or the one that its annotations stand for where it is an `entry` from
    Python, it is compiled at import and can be passed to other kernels as a value; or, where it
    says `later`, when Python first calls it: for what most searches never need.
    Without either it is compiled into whichever kernel calls it.  A helper that is handed the rules
    of a game says `takes_rules=True`, so that its plain twin serves games written in Python.
    One that does so little that calling it from there is most of the work says `plain_too=True`:
    then a search in plain Python has nothing to load while its clock runs.

    Only kernels that say `makes_arrays=True`, or that are not ours, may make arrays: elsewhere
    nobody counts references, which costs an atomic operation for each array at each call.
    Written without brackets it is for parts that users write: a division by zero is no error there,
    but gives infinity or no number, and arrays cannot be made.
    `lean` is for parts of the search: called by other kernels only, and no test for zero before
    a division.  `hot` besides puts the code into the caller, whatever its size; use it where a
    call would be felt, since every caller takes longer to compile.
    """
    if isinstance(signature, FunctionType):  # `@kernel` alone, for a part that users write
        return kernel(error_model="numpy", _nrt=False)(signature)
    is_part = signature is None and not entry and (lean or hot)
    if lean or hot:
        options["error_model"] = "numpy"  # no test for zero before each division
        if is_part:  # called by other kernels only: no way in from Python is needed
            options["no_cpython_wrapper"] = options["no_cfunc_wrapper"] = True
            if _LINKS_PARTS:
                options["pipeline_class"] = _PartCompiler
    if hot:
        options["forceinline"] = True

    def decorate(function: F) -> F:
        if JIT_DISABLED:
            return function
        with _making:
            made: Any = _Later(function, make_kernel) if later else make_kernel(function)
            if takes_rules or plain_too or is_part:
                _plain_too.append(made)
            return made

    def make_kernel(function: F) -> F:
        module = function.__module__
        options.setdefault("_nrt", makes_arrays or not module.startswith("trellis."))
        folder = kernel_folder(module)
        if module not in _cold_modules and not (folder / FINISHED).exists():
            _cold_modules.add(module)
            if _listener is not None:
                _listener(module)
        numba.config.CACHE_DIR = str(folder)
        types = signature_of(function) if entry else signature
        arguments = () if types is None else (types,)
        keep = _source(module) is not None  # what was typed at a prompt cannot be kept
        keep &= not options.get("no_cpython_wrapper")  # parts of other kernels, kept with those
        make = numba.njit(*arguments, cache=keep, nogil=True, **options)
        try:
            compiled = _interruptible(make, function)
        except (EOFError, ValueError, KeyError, AttributeError, pickle.UnpicklingError) as error:
            if not _is_of_the_cache(error):
                raise
            # A damaged cache, of this file or of one whose kernels it calls.  Empty it (the
            # folders stay: other kernels of this process write to them) and compile again; if
            # that fails too, it was not the cache.
            for file in cache_home().glob("kernels-*/**/*.nb?"):
                file.unlink(missing_ok=True)
            compiled = _interruptible(make, function)
        if "pipeline_class" in options:
            _compile_once_for_all_constants(compiled)
        return compiled

    return decorate


def direct(function: F) -> F:
    """Return the way into a compiled kernel that does not look at what kinds of values it is given.

    Looking takes a microsecond for each bundle, and a kernel with one signature has nothing to
    choose from.  For callers who know that what they hand over is right: anything else may be
    read as what it is not.
    """
    compiled: Any = ready(function)
    signatures: Any = getattr(compiled, "nopython_signatures", ())
    if len(signatures) == 1:  # neither plain Python nor several to choose from
        compiled = compiled.get_compile_result(signatures[0]).entry_point
    result: F = compiled
    return result


def finish_compiling() -> None:
    """Mark what was compiled so far as warm, so that the next start says nothing."""
    with _making:
        for module in sorted(_cold_modules):
            if kernel_folder(module).exists():
                (kernel_folder(module) / FINISHED).touch()
        _cold_modules.clear()


@cache
def plain(function: F) -> F:
    """Return the Python function behind a kernel: its slow, debuggable twin.

    Compiled helpers take numbers and arrays from Python as well, so they stay compiled; replaced
    by their own twins are those that are handed the rules of a game, and those that can be called
    from kernels only.
    """
    own: Any = getattr(function, "py_func", function)
    used = {name: own.__globals__.get(name) for name in own.__code__.co_names}
    replaced = {name: _plain_twin(value) for name, value in used.items() if _has_twin(value)}
    if not replaced:
        return own
    names = own.__globals__ | replaced
    return FunctionType(own.__code__, names, own.__name__, own.__defaults__)  # type: ignore[return-value]


def _has_twin(value: Any) -> bool:
    """Tell whether plain kernels need something else in place of a global."""
    if isinstance(value, ModuleType):
        ours = value.__name__.startswith("trellis.")
        return ours and any(map(_is_replaced, vars(value).values()))
    return _is_replaced(value)


def _is_replaced(value: Any) -> bool:
    return any(value is helper for helper in _plain_too)


@cache
def _plain_twin(value: Any) -> Any:
    """Return the twin of a helper, or a module with the twins of all its helpers."""
    if not isinstance(value, ModuleType):
        return plain(value)
    inside = vars(value)
    twins = {name: plain(each) for name, each in inside.items() if _is_replaced(each)}
    return SimpleNamespace(**(inside | twins))
