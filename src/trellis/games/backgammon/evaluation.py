"""A simple judgement of backgammon positions, for searches that cannot look to the end.

It knows the race, single checkers that can be hit, points made at home, and the bar.  It is bounded
by construction: the hyperbolic tangent of a sum.  The weights are round numbers set by hand, which
a one-move player with them tests by winning nearly all of its games against random plays.
"""

import math

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, popcount
from trellis.game.rules import TABLES, U64, State, Tables
from trellis.games.backgammon.board import (
    BAR_BIT,
    POINTS,
    count_on_bar,
    count_pips,
    held_points,
    seen_from_the_other_side,
    stacked_points,
)
from trellis.games.backgammon.game import OPENING, OVER, SCORING, STATUS, first_players_payoff

EVALUATION = nt.float64(TABLES, U64)

ROLL = 4.0  # pips that being next to move is worth: half an average roll
RACE = 2.0  # a lead as large as what both together have left, on average, times this
BLOT = 0.06  # a single checker that somebody may still hit
HOME_POINT = 0.10  # a point made at home
ON_BAR = 0.12  # a checker on the bar, for each point the other side has made at home, and one more
_HOME = np.uint64(0x7E)
_TWO, _HALF = np.uint64(2), np.uint64(32)


@kernel()
def _shape(state: State, player: int) -> float:
    """Judge where a player's checkers stand, the race apart."""
    own, stacked = held_points(state, player), stacked_points(state, player)
    other = held_points(state, 1 - player)
    theirs = seen_from_the_other_side(other) & POINTS
    waiting = other & BAR_BIT != ZERO
    # Their checkers move towards our higher points: whatever is above their last one may be hit.
    lowest = theirs & (~theirs + ONE)
    reached = POINTS if waiting else POINTS & ~(lowest | (lowest - ONE))
    if theirs == ZERO and not waiting:
        reached = ZERO
    blots = popcount(own & ~stacked & reached)
    made = popcount(stacked & _HOME)
    against = popcount(stacked_points(state, 1 - player) & _HOME)
    bar = count_on_bar(state, player)
    return HOME_POINT * made - BLOT * blots - ON_BAR * bar * (1 + against)


@kernel(EVALUATION)
def evaluation_kernel(tables: Tables, state: State) -> float:
    """Estimate what the first player will get, as a fraction of the greatest payoff: -1 to 1.

    Where the game is over this is what he got.  Otherwise it stays within a plain win and a plain
    loss: gammons are not foreseen.
    """
    most = 1.0 + tables.ints[SCORING]  # winloss, gammons, full: 1, 2, 3
    phase = np.int64(state[STATUS] & np.uint64(3))
    if phase == OVER:
        return first_players_payoff(tables, state) / most
    own, other = count_pips(state, 0), count_pips(state, 1)
    lead = float(other - own)
    if phase != OPENING:
        lead += ROLL if (state[STATUS] >> _TWO) & ONE == ZERO else -ROLL
    race = RACE * 2.0 * lead / (own + other + 10.0)
    return math.tanh(race + _shape(state, 0) - _shape(state, 1)) / most
