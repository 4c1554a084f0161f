"""What happens when a search comes to a position: it has an answer at once, or is taken apart."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import CHANCE, NOBODY, Reals, Tables
from trellis.search.star.chance_node import ask_for_outcomes, judge_outcomes, open_chance
from trellis.search.star.decision_node import ask_for_moves, judge_moves, open_decision
from trellis.search.star.frame import (
    ACTOR,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_DEPTH,
    BAD_CHANCES,
    BEST,
    BOTH_TO_END,
    BY_DEPTH,
    COUNT,
    DEPTH,
    ETC_CHANCE,
    ETC_MOVES,
    FAULT,
    FOUND_MARKS,
    KNOWN_HIGH,
    KNOWN_LOW,
    KNOWN_MARKS,
    LEAST,
    LEVEL_INTS,
    LEVEL_REALS,
    MOST,
    NEXT,
    NODES,
    PRUNE,
    REUSE_PROBE,
    ROUNDING,
    TESTING,
    TOO_DEEP,
    TOP,
    TT_AT_CHANCE,
    TT_AT_DECISIONS,
    USES_TABLE,
    Stack,
    StarCalls,
)
from trellis.search.star.frontier import judge_turns
from trellis.search.star.node import PUSHED, READY, answer, copy_state, judge, usable, uses_table
from trellis.search.star.table import BoundTable, key_to_depth, look_up, move_in


@kernel(lean=True)
def enter(calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable) -> int:
    """Look at the position that waits.

    Returns READY with an answer, PUSHED where it has become the top of the stack, or, below zero,
    what is wrong with the game or its evaluation.
    """
    registers, params = stack.registers, stack.params
    acting = calls.acting
    depth = registers[ASKED_DEPTH]
    who = NOBODY if depth == 0 else acting(tables, stack.state)
    if who == NOBODY:
        value = judge(calls, tables, weights, stack)
        answer(stack, value, value, registers[FOUND_MARKS])
        return READY if value >= stack.limits[LEAST] else -registers[FAULT]
    registers[NODES] += 1
    top = registers[TOP]
    if top >= len(stack.keys):
        return -TOO_DEEP
    level = top * LEVEL_INTS
    stack.levels[level + ACTOR] = who
    stack.levels[level + DEPTH] = depth
    if _ask_table(calls, tables, stack, table, who, top):
        return READY
    words = len(stack.state)
    copy_state(stack.state, 0, stack.states, top * words, words)
    moves = calls.moves
    count = moves(tables, stack.state, stack.buffer)
    stack.levels[level + COUNT] = count
    stack.levels[level + NEXT] = 0
    stack.levels[level + TESTING] = 0
    if who == CHANCE:
        if not open_chance(calls, tables, stack, top, depth == 1):
            return -BAD_CHANCES
        if depth == 1:
            return judge_outcomes(calls, tables, weights, stack, table, top)
        if params[ETC_CHANCE] != 0 and depth >= params[ETC_CHANCE]:
            if ask_for_outcomes(calls, tables, stack, table, top):
                return READY
        if depth == 2 and params[REUSE_PROBE] != 0:
            status = judge_turns(calls, tables, weights, stack, table, top)
            if status != PUSHED:
                return status
    else:
        open_decision(stack, top)
        if depth == 1:
            return judge_moves(calls, tables, weights, stack, table, top)
        if params[ETC_MOVES] != 0 and depth >= params[ETC_MOVES]:
            if ask_for_moves(calls, tables, stack, table, top):
                return READY
    registers[TOP] = top + 1
    return PUSHED


@kernel(lean=True)
def _ask_table(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, who: int, top: int
) -> bool:
    """Take what the table knows of a position; tell whether that answers the question.

    At the root a player wants the best move, and the one an entry has may be from another search.
    """
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    params, limits = stack.params, stack.limits
    low, high, marks, best = limits[LEAST], limits[MOST], BOTH_TO_END, -1
    depth = stack.levels[level + DEPTH]
    trusts = (
        params[TT_AT_CHANCE] != 0 if who == CHANCE else params[TT_AT_DECISIONS] != 0 and top != 0
    )
    uses = uses_table(stack, who, depth)
    stack.levels[level + USES_TABLE] = np.int64(uses)
    answers = False
    if uses:
        key = calls.key
        stack.keys[top] = key(tables, stack.state)
        if params[BY_DEPTH] != 0:
            stack.keys[top] = key_to_depth(stack.keys[top], depth)
        lower, upper, rest = look_up(table, stack.keys[top], stack.state, 0)
        best = move_in(rest)
        if rest != 0 and trusts:
            low, high, marks = usable(stack, lower, upper, rest, depth)
            answers = high - low <= limits[ROUNDING] or (
                params[PRUNE] != 0
                and (
                    low >= stack.real_registers[ASKED_BETA] - limits[ROUNDING]
                    or high <= stack.real_registers[ASKED_ALPHA] + limits[ROUNDING]
                )
            )
    if answers:
        answer(stack, low, high, marks)
    stack.levels[level + KNOWN_MARKS] = marks
    stack.levels[level + BEST] = best
    stack.values[values + KNOWN_LOW] = low
    stack.values[values + KNOWN_HIGH] = high
    return answers
