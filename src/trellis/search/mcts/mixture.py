"""What to do where others choose at the same time: several moves, each with a probability.

Whoever always makes the same move there can be read.  Decoupled UCT tries moves about as often as
they are worth it against what the others try, so shares of the visits are what it has to offer.
In matrix games they come near to the equilibrium; that they do so in general is not proven.
"""

from collections.abc import Sequence

import numpy as np

from trellis.game.rules import Reals

LEAST_SHARE = 0.1  # of the most visits: moves with fewer are not mixed in


def mixture_of(visits: Sequence[int]) -> Reals:
    """Return the probabilities of moves that were tried so often."""
    weights = np.array(visits, float)
    weights[weights < LEAST_SHARE * weights.max()] = 0.0
    if not weights.any():
        weights[:] = 1.0
    return weights / weights.sum()
