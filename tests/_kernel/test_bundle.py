"""Bundles: the same arrays and functions inside kernels as outside."""

import pickle
from collections.abc import Callable

import numba
import numba.types as nt
import numpy as np
import numpy.typing as npt
import pytest

from trellis._kernel.bundle import Bundle
from trellis.game.rules import Calls, tables
from trellis.loading import load

SUM = nt.int64(nt.int64, nt.int64)


class Pair(Bundle):
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.float64]


class Sums(Bundle):
    plus: Callable[[int, int], int]
    minus: Callable[[int, int], int]


class Triple(Pair):
    third: npt.NDArray[np.uint64]


def make_pair(size=3):
    return Pair(np.arange(size, dtype=np.int32), np.full(size, 0.5))


def test_kernels_read_and_write_the_arrays_themselves():
    @numba.njit
    def move(pair):
        for i in range(len(pair.left)):
            pair.right[i] += pair.left[i]
        return pair.right.sum()

    pair = make_pair()
    assert move(pair) == 4.5
    assert pair.right.tolist() == [0.5, 1.5, 2.5]
    assert move(make_pair(5)) == 12.5  # another length, the same code


def test_functions_are_called_in_the_order_named():
    plus = numba.njit(SUM)(lambda a, b: a + b)
    minus = numba.njit(SUM)(lambda a, b: a - b)

    @numba.njit
    def both(sums):
        first = sums.plus
        return 10 * first(5, 3) + sums.minus(5, 3)

    assert both(Sums(plus, minus)) == 82
    assert both(Sums(minus, plus)) == 28


@pytest.mark.parametrize(
    "wrong", [np.zeros(3), np.zeros((2, 2), np.int32), np.zeros(6, np.int32)[::2]]
)
def test_arrays_of_another_kind_are_refused(wrong):
    with pytest.raises(TypeError, match=r"Pair\.left must be"):
        Pair(wrong, np.zeros(1))
    with pytest.raises(ValueError, match="shorter"):
        Pair(np.zeros(3, np.int32))


def test_a_bundle_travels_without_its_addresses():
    there = pickle.loads(pickle.dumps(tables(ints=[1, 2], words=[3])))
    assert [array.tolist() for array in there] == [[1, 2], [3], [0.0]]
    game = load("tic_tac_toe")
    assert game.rules.key(there, game.start().state) == game.rules.key(
        game.tables, game.start().state
    )


def test_functions_that_are_not_compiled_stay_functions():
    count = len(Calls.kernel_type.fields)
    calls = Calls(*[lambda number=number: number for number in range(count)])
    assert calls.start() == 0
    assert calls.bounds() == 9


def test_lengths_become_arrays_of_zeros():
    pair = Pair.make(right=np.ones(2), left=3)
    assert [array.tolist() for array in pair] == [[0, 0, 0], [1.0, 1.0]]
    with pytest.raises(TypeError, match="middle"):
        Pair.make(left=1, middle=1, right=1)
    with pytest.raises(KeyError, match="right"):
        Pair.make(left=1)


def test_a_bundle_may_hold_more_than_its_base():
    @numba.njit
    def whole(triple):
        return len(triple.left) + 10 * len(triple.right) + 100 * len(triple.third)

    assert whole(Triple.make(left=1, right=2, third=3)) == 321
