"""Annotations say what kernels take and return."""

from collections.abc import Callable
from types import GenericAlias
from typing import Annotated, Any, TypeVar

import numba.types as nt
import numpy as np
import numpy.typing as npt
import pytest

from trellis._kernel.annotations import numba_type, register_record, signature_of
from trellis._kernel.jit import JIT_DISABLED, plain
from trellis.game.rules import Tables
from trellis.search.star import kernel, node

POINT = np.dtype([("x", np.float64), ("y", np.int32)], align=True)


class Point:
    """Somewhere."""


def test_every_kind_of_annotation():
    assert numba_type(npt.NDArray[np.int8]) == nt.Array(nt.int8, 1, "C")
    assert numba_type(tuple[int, int]) == nt.UniTuple(nt.int64, 2)
    assert numba_type(tuple[np.uint64, bool]) == nt.Tuple((nt.uint64, nt.boolean))
    assert numba_type(Tables) is Tables.kernel_type
    assert numba_type(Callable[[int], None]) == nt.FunctionType(nt.void(nt.int64))
    assert numba_type(Annotated[object, POINT]).dtype.typeof("y") == nt.int32
    for unknown in (str, list[int], object):
        with pytest.raises(TypeError, match="no type of kernels is called"):
            numba_type(unknown)


class Alias:
    """What an alias of Python 3.12 looks like from outside, as `npt.NDArray` is since NumPy 2.5."""

    __value__ = np.ndarray[Any, np.dtype[TypeVar("Item", bound=np.generic)]]


def test_aliases_are_looked_through():
    assert numba_type(GenericAlias(Alias, (np.int8,))) == nt.Array(nt.int8, 1, "C")


def test_a_class_can_stand_for_a_record():
    register_record(Point, POINT)

    def move(point: Point, by: float) -> None: ...

    assert signature_of(move).args[0].typeof("x") == nt.float64
    assert signature_of(move).return_type == nt.void


@pytest.mark.skipif(JIT_DISABLED, reason="everything is plain already")
def test_plain_kernels_call_the_twins_of_helpers_in_modules():
    twins = plain(kernel.run).__globals__["decision"]
    assert twins.take_move is plain(twins.take_move)
    inside = plain(kernel.enter).__globals__["n"]
    assert inside.judge is plain(node.judge)
    assert inside.READY == node.READY
