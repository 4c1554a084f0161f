"""Stopping a playout in the middle: the word after a generator's state says so.

A playout may take 100,000 moves, and a move of a large rulesheet a millisecond.  So loops that play
on and on look at this word, which a timer or Ctrl-C sets from another thread; what they return then
counts for nothing.  A generator without that word is never told to stop.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis._kernel.memory import word_at
from trellis.game.bits import ZERO, seeded
from trellis.game.rules import Random

HALT_AT = 1  # in a generator
HALTED = -3  # what a playout returns that was told to stop


@kernel()
def is_halted(rng: Random) -> bool:
    """Tell whether whoever runs this has asked to stop."""
    return len(rng) > HALT_AT and word_at(rng, HALT_AT) != ZERO


def stoppable(seed: int) -> Random:
    """Make a generator, as `seeded` does, with a word that stops playouts."""
    return np.array([seeded(seed)[0], 0], np.uint64)
