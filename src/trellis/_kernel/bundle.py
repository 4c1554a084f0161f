"""Arrays or functions that go together, handed to kernels as one pointer.

Numba passes a tuple of arrays by value: seven words for each array, at every call that is not
inlined, and a search calls the rules of its game several times a microsecond.  A `Bundle` is
passed as one word, the address of a table with the place and the length of each array.  Of a
function the table holds both addresses Numba knows, which are otherwise looked up at every call.

In Python a bundle is an object with the arrays as attributes; in kernels the same attributes give
the same arrays.

>>> import numpy as np
>>> from numba import njit
>>> class Pair(Bundle):
...     left: npt.NDArray[np.int32]
...     right: npt.NDArray[np.float64]
>>> pair = Pair(np.arange(3, dtype=np.int32), np.ones(2))
>>> njit(lambda pair: len(pair.left) + pair.right[1])(pair)
4.0
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, Self

import numba
import numba.types as nt
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils
from numba.core.datamodel.models import OpaqueModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

from trellis._kernel.annotations import numba_type


class BundleType(nt.Type):  # type: ignore[misc]
    """The type of a bundle in kernels: its name and the arrays it holds."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        super().__init__(name=f"{name}({', '.join(f'{key}:{kind}' for key, kind in fields)})")


class Bundle:
    """Base of bundles: a subclass names what it holds, besides what its own base does."""

    kernel_type: ClassVar[BundleType] = BundleType("Bundle", ())

    def __init_subclass__(cls) -> None:
        own = [(name, numba_type(kind)) for name, kind in cls.__annotations__.items()]
        cls.kernel_type = BundleType(cls.__name__, (*cls.kernel_type.fields, *own))
        typeof_impl.register(cls)(lambda bundle, _: bundle.kernel_type)

    @classmethod
    def make(cls, **given: Any) -> Self:
        """Make a bundle by names: where a length is given, an array of so many zeros."""

        def item(name: str, kind: Any) -> Any:
            value = given.pop(name)
            return np.zeros(value, as_dtype(kind.dtype)) if isinstance(value, int) else value

        items = [item(*field) for field in cls.kernel_type.fields]
        return cls(*items, **given)  # refuses what is left

    def __init__(self, *items: Any) -> None:
        for (name, kind), item in zip(self.kernel_type.fields, items, strict=True):
            if isinstance(kind, nt.Array) and numba.typeof(item) != kind:
                wrong = numba.typeof(item)
                raise TypeError(f"{type(self).__name__}.{name} must be {kind}, not {wrong}")
            setattr(self, name, item)

    def _make_table(self) -> npt.NDArray[np.uint64]:
        """Make what kernels read: two words for each field."""
        words: list[int] = []
        for (_, kind), item in zip(self.kernel_type.fields, self, strict=True):
            if isinstance(kind, nt.Array):
                words += [item.ctypes.data, len(item)]
            else:
                compiled = item.get_compile_result(kind.signature)
                names = compiled.fndesc.llvm_cfunc_wrapper_name, compiled.fndesc.llvm_func_name
                words += [compiled.library.get_pointer_to_function(name) for name in names]
        return np.array(words, np.uint64)

    @cached_property
    def _address(self) -> int:
        # Of two threads that come here at once both must use the table that is kept.
        table = self.__dict__.setdefault("_table", self._make_table())
        return int(table.ctypes.data)

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name, _ in self.kernel_type.fields)

    def __reduce__(self) -> Any:  # addresses do not travel
        return type(self), tuple(self)


register_model(BundleType)(OpaqueModel)


@unbox(BundleType)  # type: ignore[untyped-decorator]
def _unbox(kind: BundleType, bundle: Any, context: Any) -> NativeValue:
    number = context.pyapi.object_getattr_string(bundle, "_address")
    address = context.pyapi.long_as_ulonglong(number)
    context.pyapi.decref(number)
    return NativeValue(context.builder.inttoptr(address, cgutils.voidptr_t))


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = BundleType

    def generic_resolve(self, kind: BundleType, name: str) -> Any:
        return dict(kind.fields).get(name)


@lower_getattr_generic(BundleType)  # type: ignore[untyped-decorator]
def _get_field(context: Any, builder: Any, kind: BundleType, bundle: Any, name: str) -> Any:
    """Build an array from its place and length, or a function from its addresses.

    They never change while a kernel runs, and saying so lets the compiler read them once.
    """
    index = [key for key, _ in kind.fields].index(name)
    field_type = kind.fields[index][1]

    def read(at: int, as_type: Any) -> Any:
        table = builder.bitcast(bundle, as_type.as_pointer())
        value = builder.load(builder.gep(table, [ir.Constant(ir.IntType(32), at)]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(field_type, nt.FunctionType):
        function = cgutils.create_struct_proxy(field_type)(context, builder)
        function.c_addr = read(2 * index, cgutils.voidptr_t)
        function.jit_addr = read(2 * index + 1, cgutils.voidptr_t)
        return function._getvalue()  # noqa: SLF001 - Numba's own idiom
    array = context.make_array(field_type)(context, builder)
    itemsize = context.get_abi_sizeof(context.get_data_type(field_type.dtype))
    step = context.get_constant(nt.intp, itemsize)
    populate_array(
        array,
        data=read(2 * index, array.data.type),
        shape=[read(2 * index + 1, context.get_value_type(nt.intp))],
        strides=[step],
        itemsize=step,
        meminfo=None,
    )
    return array._getvalue()  # noqa: SLF001 - Numba's own idiom
