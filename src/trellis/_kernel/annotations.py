"""From the annotations of Python to the types of Numba: what is said once is not said again.

>>> import numpy.typing as npt
>>> def shared(counts: npt.NDArray[np.int32], by: float) -> tuple[int, bool]: ...
>>> signature_of(shared)
(Array(int32, 1, 'C', False, aligned=True), float64) -> Tuple(int64, bool)
"""

from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin

import numba
import numba.types as nt
import numpy as np

_TYPES: dict[Any, Any] = {
    None: nt.void, bool: nt.boolean, int: nt.int64, float: nt.float64, np.uint64: nt.uint64,
}  # fmt: skip


def register_record(record: type, layout: np.dtype[Any]) -> None:
    """Have arguments that are annotated as a class taken for records of a layout."""
    _TYPES[record] = numba.from_dtype(layout)


def numba_type(annotation: Any) -> Any:
    """Return the type that an annotation names.

    Arrays have one dimension; `Annotated[..., dtype]` is an array of records.
    """
    if annotation in _TYPES:
        return _TYPES[annotation]
    if hasattr(annotation, "kernel_type"):
        return annotation.kernel_type
    origin, parts = get_origin(annotation), get_args(annotation)
    if hasattr(origin, "__value__"):  # an alias of Python 3.12, as NDArray is since NumPy 2.5
        return numba_type(origin.__value__[parts])
    if origin is Annotated:
        return nt.Array(numba.from_dtype(parts[1]), 1, "C")
    if origin is np.ndarray:
        return nt.Array(numba.from_dtype(np.dtype(get_args(parts[1])[0])), 1, "C")
    if origin is tuple:
        return nt.Tuple([numba_type(part) for part in parts])
    if origin is Callable:
        arguments, result = parts
        return nt.FunctionType(numba_type(result)(*map(numba_type, arguments)))
    raise TypeError(f"no type of kernels is called {annotation}")


def signature_of(function: Callable[..., Any]) -> Any:
    """Return the signature that the annotations of a function stand for."""
    *arguments, result = map(numba_type, function.__annotations__.values())
    return result(*arguments)
