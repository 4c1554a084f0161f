"""Judging positions: a compiled function of the state with known bounds."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.errors import BadParameter
from trellis.game.rules import F64, TABLES, U64, Reals, State, Tables

# evaluate(weights, tables, state) -> what player 0 can expect
EVALUATE = nt.float64(F64, TABLES, U64)


@dataclass(frozen=True)
class Evaluation:
    """What a position is worth to player 0, in the game's own scale.

    `function(weights, tables, state)` is a kernel with the signature EVALUATE, or a plain Python
    function for a game that is written in Python.  It never leaves `low` to `high`; a search that
    catches it outside stops.
    """

    name: str
    function: Callable[[Reals, Tables, State], float]
    low: float
    high: float
    weights: Reals = field(default_factory=lambda: np.zeros(1), repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise BadParameter(
                f"bad bounds {self.low} to {self.high} of the evaluation {self.name}: "
                "expected two numbers, the lower one first"
            )


@kernel(EVALUATE)
def no_evaluation(weights: Reals, tables: Tables, state: State) -> float:
    """Stand in for an evaluation; never called."""
    return 0.0
