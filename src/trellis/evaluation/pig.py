"""Pig for a network: the scores, what the turn has brought, and whether the die rolls.

Seen by the player whose turn it is, each as a fraction of the target:

    banked, banked by the other, brought by this turn, and what would be banked if he stopped now;
    then the same four once more while the die rolls, else zeros; then whether it rolls
"""

from typing import TYPE_CHECKING

import numpy as np

from trellis._kernel.jit import kernel
from trellis.evaluation.features import FEATURES, FeatureSet
from trellis.evaluation.network import judge, room_for
from trellis.game.bits import ONE
from trellis.game.evaluation import EVALUATE
from trellis.game.rules import Reals, State, Tables
from trellis.games.pig import PLAYERS, SCORES, TARGET, TURN

if TYPE_CHECKING:
    from trellis.game.game import Game

_POINTS = np.uint64(0xFFFF)
_WHO, _ROLLING, _FOUR_BITS = np.uint64(16), np.uint64(20), np.uint64(15)
COUNT = 9


@kernel(FEATURES)
def pig_features(tables: Tables, state: State, out: Reals) -> int:
    """Write the inputs; return whose turn it is."""
    turn = state[TURN]
    player = np.int64((turn >> _WHO) & _FOUR_BITS)
    scale = 1.0 / tables.ints[TARGET]
    scores = state[SCORES]  # of up to four players, 16 bits each
    own = np.float64((scores >> np.uint64(16 * player)) & _POINTS)
    other = 0.0
    if tables.ints[PLAYERS] > 1:
        other = np.float64((scores >> np.uint64(16 * (1 - player))) & _POINTS)
    brought = np.float64(turn & _POINTS)
    rolling = np.float64((turn >> _ROLLING) & ONE)
    out[0] = scale * own
    out[1] = scale * other
    out[2] = scale * brought
    out[3] = scale * (own + brought)
    for i in range(4):
        out[4 + i] = rolling * out[i]
    out[8] = rolling
    return player  # type: ignore[return-value]


@kernel(EVALUATE, makes_arrays=True)
def pig_network(weights: Reals, tables: Tables, state: State) -> float:
    """Ask a network."""
    inputs, hidden = room_for(weights)
    return judge(weights, pig_features(tables, state, inputs), inputs, hidden)


def pig_feature_set(game: "Game") -> FeatureSet:
    """Return the inputs of pig for one or two players."""
    return FeatureSet("pig: scores and the turn", COUNT, pig_features, pig_network, True)
