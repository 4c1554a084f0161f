"""What a depth-first search keeps in memory while it runs: an explicit stack of positions.

Kernels do not recurse; a search can therefore stop after any position and go on later, which is
how clocks and Ctrl-C are heard.  Each level of the stack holds a position that is being searched:
who acts there, the window, what is known of its value so far, its moves, and, where chance acts,
what is known of each outcome.

At chance and in results, values are those of player 0.  Where a player acts, the level holds them
from that player's side, so that every player looks for the greatest value.
"""

from collections.abc import Callable
from typing import Any

import numba.types as nt
import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis.game.evaluation import EVALUATE
from trellis.game.rules import (
    ACTING,
    CHANCES,
    KEY,
    MOVES,
    PAYOFFS,
    PLAY,
    Moves,
    Reals,
    State,
    Tables,
)


class StarCalls(Bundle, kinds=(ACTING, MOVES, PLAY, PAYOFFS, KEY, CHANCES, EVALUATE)):
    """The functions a search calls, none missing."""

    acting: Callable[[Tables, State], int]
    moves: Callable[[Tables, State, Moves], int]
    play: Callable[[Tables, State, int], None]
    payoffs: Callable[[Tables, State, Reals], None]
    key: Callable[[Tables, State], Any]
    chances: Callable[[Tables, State, Reals], None]
    evaluate: Callable[[Reals, Tables, State], float]


STAR_CALLS = StarCalls.kernel_type

# Settings of a search, whole numbers; 0 is off.
(
    PRUNE,  # leave out what cannot matter to the window
    PROBING,  # moves of each outcome that Star2 looks at first
    TT_AT_DECISIONS,  # take bounds from the table where a player acts
    TT_AT_CHANCE,  # the same where chance acts
    ETC_CHANCE,  # enhanced transposition cutoffs: look outcomes up first, from this depth on
    ETC_MOVES,  # the same where a player acts
    TABLE_MOVE,  # begin with the move the table remembers, whatever it knows besides
    KILLERS,  # then with moves that cut other positions of the same ply
    HISTORY,  # then by how much moves have cut anywhere
    PVS,  # principal variation search: null windows for all moves but the first
    CHANCE_NULL_WINDOW,  # null windows where a chance node should fall outside its own
    REUSE_PROBE,  # do not judge a probed move again where only leaves lie below
    SAMPLES,  # search so many draws where chance has more outcomes
    DEEPER,  # take what the table knows from deeper searches
    LEAST_DEPTH,  # the table is not used for searches less deep
    HAS_EVALUATION,  # else leaves are worth MIDDLE
    BY_DEPTH,  # a position has an entry for each depth
    AGE,  # of entries written to the table
    SEED,  # of samples
    NUMBER,  # of the thread: how it goes through outcomes
    PARAMS,
) = range(21)
# Settings that are not whole.
LEAST, MOST, MIDDLE, ROUNDING, NARROWEST, SUM, REAL_PARAMS = range(7)

# A level of the stack, whole numbers.
(
    ACTOR,  # a player, or CHANCE
    PHASE,  # of a chance node
    AIM,  # 1 where a chance node should be above its window, -1 below
    NEXT,  # the child to come, or being searched
    COUNT,  # moves or outcomes
    DEPTH,  # plies left
    LIMIT,  # moves to be searched
    BEST,  # the best move so far
    MARKS,  # which of the bounds known so far hold to the end of the game
    KNOWN_MARKS,  # the same of what the table said
    TESTING,  # the child being searched is only tested against the window
    USES_TABLE,
    ORDERED,  # something speaks for trying one move before another
    LEVEL_INTS,
) = range(14)
# A level, other numbers.
(
    ALPHA,
    BETA,
    LOW,  # at chance: the sum of what is known of the outcomes; else of the moves searched
    HIGH,
    KNOWN_LOW,  # what the table said
    KNOWN_HIGH,
    AHEAD,  # how far beyond the window a chance node is expected to be
    UNTESTED,  # the probability of the outcomes that were not tested yet
    LEVEL_REALS,
) = range(9)

LOW_TO_END, HIGH_TO_END, BOTH_TO_END = 1, 2, 3

# What is going on, whole numbers; a search that was interrupted goes on from these.
(
    TOP,  # levels in use
    ENTERING,  # a position waits to be looked at
    ASKED_DEPTH,
    ASKED_LIMIT,
    FOUND_MARKS,
    NODES,  # positions looked at
    LEAVES,  # of these, judged by the evaluation
    ROOT_MOVE,
    FAULT,  # what is wrong with a leaf
    REGISTERS,
) = range(10)
ASKED_ALPHA, ASKED_BETA, FOUND_LOW, FOUND_HIGH, REAL_REGISTERS = range(5)

# How a run ended.
DONE, MORE, BAD_EVALUATION, BAD_PAYOFF, BAD_CHANCES, TOO_DEEP = range(6)
KILLERS_KEPT = 2


class Stack(
    Bundle,
    kinds=(
        nt.int64, nt.float64, nt.int64, nt.float64, nt.int64, nt.float64, nt.uint64, nt.uint64,
        nt.int32, nt.float64, nt.float64, nt.float64, nt.float64, nt.int64, nt.int64, nt.int64,
        nt.uint64, nt.uint64, nt.uint64, nt.int32, nt.float64, nt.float64, nt.int64, nt.int64,
        nt.uint64,
    ),
):  # fmt: skip
    """Settings, registers, levels, and room to work in."""

    params: npt.NDArray[np.int64]
    limits: npt.NDArray[np.float64]
    registers: npt.NDArray[np.int64]
    real_registers: npt.NDArray[np.float64]
    levels: npt.NDArray[np.int64]  # [deepest * LEVEL_INTS]
    values: npt.NDArray[np.float64]  # [deepest * LEVEL_REALS]
    keys: npt.NDArray[np.uint64]  # [deepest]
    states: npt.NDArray[np.uint64]  # [deepest * state_words]
    moves: npt.NDArray[np.int32]  # [deepest * max_moves], as all that follow up to `state`
    chances: npt.NDArray[np.float64]  # at chance the probability, else how early to try a move
    lows: npt.NDArray[np.float64]
    highs: npt.NDArray[np.float64]
    guesses: npt.NDArray[np.float64]  # what an outcome may be worth, or what its probed move is
    marks: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]  # the move of an outcome to be tried first, or -1
    first_marks: npt.NDArray[np.int64]
    names: npt.NDArray[np.uint64]  # keys of the positions after each move or outcome
    state: npt.NDArray[np.uint64]  # the position that waits to be looked at
    trial: npt.NDArray[np.uint64]  # one to try things on
    buffer: npt.NDArray[np.int32]  # [max_moves]
    reals: npt.NDArray[np.float64]  # [max_moves]
    payoffs: npt.NDArray[np.float64]  # [players]
    killers: npt.NDArray[np.int64]  # [(deepest + 1) * KILLERS_KEPT], by plies left
    history: npt.NDArray[np.int64]  # [2 * move_codes]
    child_states: npt.NDArray[np.uint64]  # [deepest * max_moves * state_words] of those in `names`,
    # where the table compares words


STACK = Stack.kernel_type


def make_stack(
    deepest: int, state_words: int, max_moves: int, move_codes: int, players: int,
    keeps_words: bool = False,
) -> Stack:  # fmt: skip
    """Make an empty stack for searches to so many plies."""
    children = deepest * max_moves
    return Stack(
        np.zeros(PARAMS, np.int64),
        np.zeros(REAL_PARAMS, np.float64),
        np.zeros(REGISTERS, np.int64),
        np.zeros(REAL_REGISTERS, np.float64),
        np.zeros(deepest * LEVEL_INTS, np.int64),
        np.zeros(deepest * LEVEL_REALS, np.float64),
        np.zeros(deepest, np.uint64),
        np.zeros(deepest * state_words, np.uint64),
        np.zeros(children, np.int32),
        np.zeros(children, np.float64),
        np.zeros(children, np.float64),
        np.zeros(children, np.float64),
        np.zeros(children, np.float64),
        np.zeros(children, np.int64),
        np.full(children, -1, np.int64),
        np.zeros(children, np.int64),
        np.zeros(children, np.uint64),
        np.zeros(state_words, np.uint64),
        np.zeros(state_words, np.uint64),
        np.zeros(max_moves, np.int32),
        np.zeros(max_moves, np.float64),
        np.zeros(max(players, 1), np.float64),
        np.full((deepest + 1) * KILLERS_KEPT, -1, np.int64),
        np.zeros(2 * max(move_codes, 1), np.int64),
        np.zeros(children * state_words if keeps_words else 1, np.uint64),
    )
