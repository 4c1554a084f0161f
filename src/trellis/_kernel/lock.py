"""Locks that kernels of several threads can hold, which only machine code can have.

A lock is an entry of an array of words: 0 where nobody holds it.
"""

import threading
from typing import Any

import numba.types as nt
from llvmlite import ir
from numba.extending import intrinsic, overload

_python_lock = threading.Lock()  # of kernels that run as plain Python, one for all


@intrinsic  # type: ignore[untyped-decorator]
def _exchange(context: Any, array: Any, place: Any) -> Any:
    """Set an entry to 1 and return what it was, in one step that no other thread comes between."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(made.data, [arguments[1]])
        return builder.atomic_rmw("xchg", pointer, ir.Constant(ir.IntType(64), 1), "acquire")

    return nt.uint64(array, nt.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _clear(context: Any, array: Any, place: Any) -> Any:
    """Set an entry to 0 after everything that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(made.data, [arguments[1]])
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), pointer, "release", 8)
        return context.get_dummy_value()

    return nt.void(array, nt.int64), generate


def acquire(locks: Any, place: int) -> None:
    """Wait until nobody holds a lock, and take it."""
    _python_lock.acquire()


def release(locks: Any, place: int) -> None:
    """Give a lock back."""
    _python_lock.release()


@overload(acquire, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _acquire(locks: Any, place: Any) -> Any:
    def take(locks: Any, place: Any) -> Any:
        while _exchange(locks, place) != 0:
            pass

    return take


@overload(release, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _release(locks: Any, place: Any) -> Any:
    def give(locks: Any, place: Any) -> Any:
        return _clear(locks, place)

    return give
