"""A chance node with one move and then leaves below each outcome, searched in one go.

Most positions of a search lie here.  Taken apart like any other node, an outcome whose probed move
was not good enough has that move judged again when all are searched.  Here its judgement is kept,
and the outcome goes on with its other moves.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import CHANCE, NOBODY, Reals, Tables
from trellis.search.star.chance_node import (
    finish_chance,
    is_decided,
    learn,
    learn_from,
    window_above,
    window_below,
)
from trellis.search.star.decision_node import judge_moves, open_decision
from trellis.search.star.frame import (
    ACTOR,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_LIMIT,
    BEST,
    COUNT,
    DEPTH,
    ETC_CHANCE,
    FAULT,
    FOUND_HIGH,
    FOUND_LOW,
    FOUND_MARKS,
    KNOWN_HIGH,
    KNOWN_LOW,
    KNOWN_MARKS,
    LEAST,
    LEVEL_INTS,
    LEVEL_REALS,
    LOW,
    MARKS,
    NODES,
    PROBING,
    ROUNDING,
    TT_AT_DECISIONS,
    USES_TABLE,
    Stack,
    StarCalls,
)
from trellis.search.star.node import PUSHED, READY, copy_state, judge, name_children, uses_table
from trellis.search.star.table import BoundTable, look_up, move_in


@kernel(lean=True)
def judge_turns(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for such a node; PUSHED where an outcome is followed by another roll."""
    level, first, words = top * LEVEL_INTS, top * len(stack.buffer), len(stack.state)
    acting, play = calls.acting, calls.play
    probes = stack.params[PROBING] != 0
    if uses_table(stack, 0, 1) and not 0 < stack.params[ETC_CHANCE] <= 2:
        _look_up_turns(calls, tables, stack, table, top)
    for again in range(0 if probes else 1, 2):
        for child in range(stack.levels[level + COUNT]):
            at = first + child
            if stack.highs[at] - stack.lows[at] <= stack.limits[ROUNDING]:
                continue
            if stack.chances[at] == 0.0:
                continue
            copy_state(stack.states, top * words, stack.state, 0, words)
            play(tables, stack.state, to_int(stack.moves[at]))
            who = acting(tables, stack.state)
            if who == CHANCE:
                return PUSHED
            if who == NOBODY:
                value = judge(calls, tables, weights, stack)
                if value < stack.limits[LEAST]:
                    return -stack.registers[FAULT]
                learn(stack, top, child, value, value, stack.registers[FOUND_MARKS])
            else:
                stack.registers[NODES] += 1
                _open_turn(calls, tables, stack, top, child, who, again == 0)
                if again != 0 and probes:
                    _resume_turn(stack, top, child)
                status = judge_moves(calls, tables, weights, stack, table, top + 1)
                if status < 0:
                    return status
                if again == 0:
                    _keep_turn(stack, top, child)
                learn(
                    stack, top, child, stack.real_registers[FOUND_LOW],
                    stack.real_registers[FOUND_HIGH], stack.registers[FOUND_MARKS],
                )  # fmt: skip
            if is_decided(stack, top):
                finish_chance(stack, table, top)
                return READY
    finish_chance(stack, table, top)
    return READY


@kernel(lean=True)
def _look_up_turns(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> None:
    """Ask the table about outcomes as each would be asked about when the search came to it."""
    name_children(calls, tables, stack, table, top)
    for child in range(stack.levels[top * LEVEL_INTS + COUNT]):
        if stack.params[TT_AT_DECISIONS] != 0:
            learn_from(stack, table, top, child)
        else:
            at = top * len(stack.buffer) + child
            words = at * len(stack.state)
            _, _, rest = look_up(table, stack.names[at], stack.child_states, words)
            stack.firsts[at] = move_in(rest)


@kernel(hot=True)
def _open_turn(
    calls: StarCalls, tables: Tables, stack: Stack, top: int, child: int, who: int, probing: bool
) -> None:
    """Lay out the moves of an outcome one level further up the stack."""
    at, below, words = top * len(stack.buffer) + child, top + 1, len(stack.state)
    level, values = below * LEVEL_INTS, below * LEVEL_REALS
    moves = calls.moves
    copy_state(stack.state, 0, stack.states, below * words, words)
    stack.levels[level + ACTOR] = who
    stack.levels[level + DEPTH] = 1
    stack.levels[level + COUNT] = moves(tables, stack.state, stack.buffer)
    stack.levels[level + BEST] = stack.firsts[at]
    stack.levels[level + KNOWN_MARKS] = stack.marks[at]
    stack.values[values + KNOWN_LOW] = stack.lows[at]
    stack.values[values + KNOWN_HIGH] = stack.highs[at]
    stack.levels[level + USES_TABLE] = np.int64(uses_table(stack, who, 1))
    stack.keys[below] = stack.names[at]
    alpha, beta = window_below(stack, top, child), window_above(stack, top, child)
    if probing and who == 0:
        alpha = stack.lows[at]
    elif probing:
        beta = stack.highs[at]
    stack.registers[ASKED_LIMIT] = 1 if probing else 0
    stack.real_registers[ASKED_ALPHA] = alpha
    stack.real_registers[ASKED_BETA] = beta
    open_decision(stack, below)


@kernel(hot=True)
def _keep_turn(stack: Stack, top: int, child: int) -> None:
    """Keep what the probed move of an outcome is worth, as who moves sees it."""
    at, below = top * len(stack.buffer) + child, top + 1
    stack.firsts[at] = stack.levels[below * LEVEL_INTS + BEST]
    stack.first_marks[at] = stack.levels[below * LEVEL_INTS + MARKS]
    stack.guesses[at] = stack.values[below * LEVEL_REALS + LOW]


@kernel(hot=True)
def _resume_turn(stack: Stack, top: int, child: int) -> None:
    """Let an outcome begin with what its probed move is worth."""
    at, below = top * len(stack.buffer) + child, top + 1
    stack.levels[below * LEVEL_INTS + BEST] = stack.firsts[at]
    stack.levels[below * LEVEL_INTS + MARKS] = stack.first_marks[at]
    stack.values[below * LEVEL_REALS + LOW] = stack.guesses[at]
