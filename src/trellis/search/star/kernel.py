"""Star1, Star2 and Star2-TT in one kernel; without pruning it is expectimax.

The value of a position to a depth is what the evaluation, or the end of the game, is worth at the
leaves, the average where chance acts, and the best where a player does.  A search is asked for that
value *within a window*: from alpha up to beta.  It answers with two bounds that hold in any case;
where the value lies inside the window they meet.

At a chance node with outcomes of probability p_i, of which l_i and h_i are known bounds,
    L = sum of p_i l_i  and  H = sum of p_i h_i
bound its value.  Once L >= beta or H <= alpha nothing more is needed.  An outcome is therefore
asked for within
    (alpha - (H - p_i h_i)) / p_i   below which the whole must be at most alpha, and
    (beta  - (L - p_i l_i)) / p_i   above which it must be at least beta.
That is Star1.  Star2 first has each outcome searched for its first move or moves only, which gives
a player's node a bound on one side cheaply.  Star2-TT first takes what a table knows of the node,
then of each outcome.
"""

import numba.types as nt

from trellis._kernel.jit import kernel
from trellis.game.rules import CHANCE, F64, TABLES, Reals, Tables
from trellis.search.star.chance_node import go_on_rolling, take_outcome
from trellis.search.star.decision_node import go_on_deciding, take_move
from trellis.search.star.enter import enter
from trellis.search.star.frame import (
    ACTOR,
    BEST,
    DONE,
    ENTERING,
    LEVEL_INTS,
    MORE,
    NODES,
    ROOT_MOVE,
    STACK,
    STAR_CALLS,
    TOP,
    Stack,
    StarCalls,
)
from trellis.search.star.node import READY
from trellis.search.star.table import BOUND_TABLE, BoundTable


@kernel(nt.int64(STAR_CALLS, TABLES, F64, STACK, BOUND_TABLE, nt.int64), lean=True)
def run(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, stop: int
) -> int:
    """Search on until there is an answer or so many positions have been looked at in all."""
    registers = stack.registers
    while True:
        answered = False
        if registers[ENTERING] != 0:
            if registers[NODES] >= stop:
                return MORE
            registers[ENTERING] = 0
            status = enter(calls, tables, weights, stack, table)
            if status < 0:
                return -status
            answered = status == READY
            if answered and registers[TOP] == 0:
                registers[ROOT_MOVE] = stack.levels[BEST]
                return DONE
        if not answered:
            top = registers[TOP] - 1
            if stack.levels[top * LEVEL_INTS + ACTOR] == CHANCE:
                answered = go_on_rolling(calls, tables, stack, table, top)
            else:
                answered = go_on_deciding(calls, tables, stack, table, top)
            if not answered:
                continue
            registers[TOP] = top
            if top == 0:
                registers[ROOT_MOVE] = stack.levels[BEST]
                return DONE
        top = registers[TOP] - 1
        if stack.levels[top * LEVEL_INTS + ACTOR] == CHANCE:
            take_outcome(stack, top)
        else:
            take_move(stack, top)
