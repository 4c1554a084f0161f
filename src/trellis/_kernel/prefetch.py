"""Asking for memory ahead of time, which only machine code can do."""

from typing import Any

import numba.types as nt
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, overload


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(context: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line of a record without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = ir.IntType(8).as_pointer()
        whole = ir.IntType(32)
        pointer = builder.bitcast(builder.gep(made.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [pointer, whole(0), whole(3), whole(1)])
        return context.get_dummy_value()

    return nt.void(array, nt.int64), generate


def fetch(array: Any, place: int) -> None:
    """Ask for a record that will be needed soon; plain Python has no cache lines to ask for."""


@overload(fetch, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _fetch(array: Any, place: Any) -> Any:
    def ask(array: Any, place: Any) -> Any:
        return _prefetch(array, place)

    return ask
