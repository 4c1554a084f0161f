"""What only machine code can do with memory: ask for it ahead of time, lock it, watch a word of it.

Each function is for kernels, and does for plain Python what makes sense there.  A lock is an entry
of an array of words: 0 where nobody holds it.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numba.types as nt
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, overload

_python_lock = threading.Lock()  # of kernels that run as plain Python, one for all
_WORD, _WHOLE, _BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
F = TypeVar("F", bound=Callable[..., Any])


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, place: Any) -> Any:
    """Return the address of an entry of an array, while an intrinsic is being compiled."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [place])


def _on_entry(result: Any, write: Callable[[Any, Any], Any]) -> Any:
    """Make an intrinsic of an array and a place; `write(builder, pointer)` writes its code."""

    @intrinsic  # type: ignore[untyped-decorator]
    def code(context: Any, array: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = pointer_to(context, builder, signature.args[0], *arguments)
            value = write(builder, pointer)
            return context.get_dummy_value() if result is nt.void else value

        return result(array, nt.int64), generate

    return code


def _write_prefetch(builder: Any, pointer: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTE, _WHOLE, _WHOLE, _WHOLE])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    near_read = [_WHOLE(0), _WHOLE(3), _WHOLE(1)]
    builder.call(function, [builder.bitcast(pointer, _BYTE), *near_read])


_prefetch = _on_entry(nt.void, _write_prefetch)
# Reads a word at this very moment.
_load = _on_entry(nt.uint64, lambda builder, at: builder.load_atomic(at, "monotonic", 8))
# Sets an entry to 1 and returns what it was, in one step that no other thread comes between.
_exchange = _on_entry(
    nt.uint64, lambda builder, at: builder.atomic_rmw("xchg", at, _WORD(1), "acquire")
)
# Sets an entry to 0 after everything that was written before.
_clear = _on_entry(nt.void, lambda builder, at: builder.store_atomic(_WORD(0), at, "release", 8))

# Sets the top bit of a word, or clears it, and leaves the others as they are.
_TOP_BIT = 1 << 63
_set_top = _on_entry(
    nt.uint64, lambda builder, at: builder.atomic_rmw("or", at, _WORD(_TOP_BIT), "acquire")
)
_clear_top = _on_entry(
    nt.uint64, lambda builder, at: builder.atomic_rmw("and", at, _WORD(_TOP_BIT - 1), "release")
)


def _compiled_as(machine_code: Callable[..., Any]) -> Callable[[F], F]:
    """Have kernels run something else than Python does."""

    def decorate(function: F) -> F:
        def look(array: Any, place: Any) -> Any:
            def run(array: Any, place: Any) -> Any:
                return machine_code(array, place)

            return run

        overload(function, jit_options={"_nrt": False})(look)
        return function

    return decorate


@_compiled_as(_prefetch)
def fetch(array: Any, place: int) -> None:
    """Ask for the cache line of a record that will be needed soon, without waiting for it."""


@_compiled_as(_load)
def word_at(array: Any, place: int) -> Any:
    """Read a word that another thread may write: at this very moment, not earlier."""
    return array[place]


def acquire(locks: Any, place: int) -> None:
    """Wait until nobody holds a lock, and take it."""
    _python_lock.acquire()


@overload(acquire, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _acquire(locks: Any, place: Any) -> Any:
    def take(locks: Any, place: Any) -> Any:
        while _exchange(locks, place) != 0:
            pass

    return take


@_compiled_as(_clear)
def release(array: Any, place: int) -> None:
    """Give a lock of an array back."""
    _python_lock.release()


def acquire_bit(array: Any, place: int) -> None:
    """Wait until nobody holds the lock that is the top bit of a word, and take it."""
    _python_lock.acquire()


@overload(acquire_bit, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _acquire_bit(array: Any, place: Any) -> Any:
    def take(array: Any, place: Any) -> Any:
        while _set_top(array, place) >= _HELD:
            pass

    return take


_HELD = np.uint64(_TOP_BIT)


@_compiled_as(_clear_top)
def release_bit(array: Any, place: int) -> None:
    """Give the lock that is the top bit of a word back."""
    _python_lock.release()
