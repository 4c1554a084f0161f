"""Games whose keys collide on purpose: another game with all but a few bits of its key cut off."""

from functools import cache

import numba
import numpy as np

import trellis
from trellis._kernel.jit import JIT_DISABLED
from trellis.game.reductions import Reduction
from trellis.game.rules import KEY
from trellis.loading import load


def colliding(game, bits=2):
    """Return a game like another with keys of so many bits; with 0 bits all have the same."""
    inner, mask = game.rules.key, np.uint64((1 << bits) - 1)

    def key(tables, state):
        return np.uint64(inner(tables, state)) & mask

    if game.compiled and not JIT_DISABLED:
        key = numba.njit(KEY, nogil=True)(key)
    return Reduction(game, "colliding", game.rules._replace(key=key), symmetries=game.symmetries)


@cache
def collider(spec, bits=2):
    """Return a built-in game with short keys, compiled once."""
    return colliding(load(spec), bits)


class Take:
    """Take 1, 2 or 3 of a heap, or none at all once; who takes the last one wins."""

    max_plies = 20
    max_moves = 4

    def start(self):
        return (10, 1, 0)

    def acting(self, state):
        return state[2] if state[0] else None

    def moves(self, state):
        heap, passes, _ = state
        return [take for take in (1, 2, 3) if take <= heap] + [0] * passes

    def play(self, state, move):
        heap, passes, mover = state
        return (heap - move, passes if move else 0, 1 - mover)

    def payoffs(self, state):
        return -1 if state[2] == 0 else 1


def python_game(bits=1):
    """Return a game written in Python with short keys."""
    return colliding(trellis.PythonGame(Take()), bits)
