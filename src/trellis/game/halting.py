"""Stopping a playout in the middle: the word after a generator's state says so.

A playout may take 100,000 moves, and a move of a large rulesheet a millisecond.  So loops that play
on and on look at this word, which a timer or Ctrl-C sets from another thread; what they return then
counts for nothing.  A generator without that word is never told to stop.
"""

from typing import Any

import numba.types as nt
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload

from trellis._kernel.jit import kernel
from trellis.game.bits import ZERO, seeded
from trellis.game.rules import Random

HALT_AT = 1  # in a generator
HALTED = -3  # what a playout returns that was told to stop


@intrinsic  # type: ignore[untyped-decorator]
def _load(context: Any, array: Any, place: Any) -> Any:
    """Read a word that another thread may write: at this very moment, not earlier."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(made.data, [arguments[1]])
        assert isinstance(pointer.type, ir.PointerType)  # noqa: S101 - what an array's data is
        return builder.load_atomic(pointer, ordering="monotonic", align=8)

    return nt.uint64(array, nt.int64), generate


def _word_at(array: Any, place: int) -> Any:
    """Read a word; in plain Python every reading is one."""
    return array[place]


@overload(_word_at, jit_options={"_nrt": False})  # type: ignore[untyped-decorator]
def _word_at_in_kernels(array: Any, place: Any) -> Any:
    def read(array: Any, place: Any) -> Any:
        return _load(array, place)

    return read


@kernel()
def is_halted(rng: Random) -> bool:
    """Tell whether whoever runs this has asked to stop."""
    return len(rng) > HALT_AT and _word_at(rng, HALT_AT) != ZERO


def stoppable(seed: int) -> Random:
    """Make a generator, as `seeded` does, with a word that stops playouts."""
    return np.array([seeded(seed)[0], 0], np.uint64)
