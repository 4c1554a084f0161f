"""What a network is told of a position: a fixed number of inputs, written by a kernel.

A *feature function* is `features(tables, state, out) -> player`: it writes the inputs and returns
from whose side they are seen.  Positions that are the same but for the names of the players
should give the same inputs; what the network then says is what that player can expect, so it never
has to learn anything twice.  A game that does not care about sides always returns 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numba.types as nt

from trellis.game.rules import F64, TABLES, U64, Reals, State, Tables

if TYPE_CHECKING:
    from trellis.evaluation.network import Network

FEATURES = nt.int64(TABLES, U64, F64)


@dataclass(frozen=True)
class FeatureSet:
    """The feature function of one game, and what goes with it.

    name         tells the inputs of one kind of network from those of another
    count        how many inputs there are
    function     the kernel, with the signature FEATURES
    evaluate     a kernel with the signature EVALUATE that asks any network with these inputs: see
                 `network.judge`
    sees_chance  whether the inputs can change when chance acts; where they cannot, there is
                 nothing to be learned from what it does
    compact      where there is a faster way than `evaluate`: a kernel with the same signature,
                 and what makes its weights of a network
    """

    name: str
    count: int
    function: Callable[[Tables, State, Reals], int]
    evaluate: Callable[[Reals, Tables, State], float]
    sees_chance: bool
    compact: tuple[Callable[[Reals, Tables, State], float], Callable[["Network"], Reals]] | None = (
        None
    )
