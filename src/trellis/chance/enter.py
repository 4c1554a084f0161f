"""What happens when a search comes to a position: it has an answer at once, or is taken apart."""

import numpy as np

from trellis._jit import kernel
from trellis.chance.asking import PUSHED, READY, answer, copy_state, judge
from trellis.chance.deciding import ask_for_moves, judge_moves, open_decision
from trellis.chance.rolling import ask_for_outcomes, judge_outcomes, open_chance
from trellis.chance.stack import (
    ACTOR,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_DEPTH,
    AT_CHANCE,
    AT_DECISIONS,
    BAD_CHANCES,
    BAD_EVALUATION,
    BEST,
    BOTH_TO_END,
    BY_DEPTH,
    COUNT,
    DEEPER,
    DEPTH,
    FOUND_MARKS,
    HIGH_TO_END,
    KNOWN_HIGH,
    KNOWN_LOW,
    KNOWN_MARKS,
    LEAST,
    LEAST_DEPTH,
    LEVEL_INTS,
    LEVEL_REALS,
    LOW_TO_END,
    MOST,
    NEXT,
    NODES,
    PRUNE,
    RESUME,
    ROUNDING,
    SAMPLES,
    SUCCESSORS,
    SUCCESSORS_OF_MOVES,
    TABLE_CUTS,
    TABLE_MOVE,
    TESTING,
    TOO_DEEP,
    TOP,
    USES_TABLE,
    Stack,
    StarCalls,
)
from trellis.chance.table import (
    TO_THE_END,
    BoundTable,
    depths_at,
    find,
    key_to_depth,
    move_at,
    serves,
)
from trellis.chance.turns import judge_turns
from trellis.game.rules import CHANCE, NOBODY, Reals, Tables


@kernel(lean=True)
def enter(calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable) -> int:
    """Look at the position that waits.

    Returns READY with an answer, PUSHED where it has become the top of the stack, or, below zero,
    what is wrong with the game or its evaluation.
    """
    registers, knobs = stack.registers, stack.knobs
    acting = calls.acting
    depth = registers[ASKED_DEPTH]
    who = NOBODY if depth == 0 else acting(tables, stack.state)
    if who == NOBODY:
        value = judge(calls, tables, weights, stack)
        answer(stack, value, value, registers[FOUND_MARKS])
        return READY if value >= stack.limits[LEAST] else -BAD_EVALUATION
    registers[NODES] += 1
    top = registers[TOP]
    if top >= len(stack.keys):
        return -TOO_DEEP
    level = top * LEVEL_INTS
    stack.levels[level + ACTOR] = who
    stack.levels[level + DEPTH] = depth
    if _ask_table(calls, tables, stack, table, who, top):
        registers[TABLE_CUTS] += 1
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
        if knobs[SUCCESSORS] != 0 and depth >= knobs[SUCCESSORS]:
            if ask_for_outcomes(calls, tables, stack, table, top):
                return READY
        if depth == 2 and knobs[RESUME] != 0:
            status = judge_turns(calls, tables, weights, stack, table, top)
            if status != PUSHED:
                return status
    else:
        open_decision(stack, top)
        if depth == 1:
            return judge_moves(calls, tables, weights, stack, table, top)
        if knobs[SUCCESSORS_OF_MOVES] != 0 and depth >= knobs[SUCCESSORS_OF_MOVES]:
            if ask_for_moves(calls, tables, stack, table, top):
                return READY
    registers[TOP] = top + 1
    return PUSHED


@kernel(lean=True)
def _ask_table(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, who: int, top: int
) -> bool:
    """Take what the table knows of a position; tell whether that answers the question."""
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    knobs, limits = stack.knobs, stack.limits
    low, high, marks, best = limits[LEAST], limits[MOST], BOTH_TO_END, -1
    depth = stack.levels[level + DEPTH]
    trusts = knobs[AT_CHANCE] != 0 if who == CHANCE else knobs[AT_DECISIONS] != 0
    uses = depth >= knobs[LEAST_DEPTH] and (trusts or (who != CHANCE and knobs[TABLE_MOVE] != 0))
    stack.levels[level + USES_TABLE] = np.int64(uses)
    answers = False
    if uses or (who == CHANCE and knobs[SAMPLES] != 0):
        key = calls.key
        stack.keys[top] = key(tables, stack.state)
        if knobs[BY_DEPTH] != 0:
            stack.keys[top] = key_to_depth(stack.keys[top], depth)
    if uses:
        at = find(table, stack.keys[top])
        if at >= 0:
            deeper = knobs[DEEPER] != 0
            lower_depth, upper_depth = depths_at(table, at)
            if trusts and serves(lower_depth, depth, deeper):
                low = table.reals[at + 1]
                if lower_depth & TO_THE_END == 0:
                    marks &= ~LOW_TO_END
            if trusts and serves(upper_depth, depth, deeper):
                high = max(low, table.reals[at + 2])
                if upper_depth & TO_THE_END == 0:
                    marks &= ~HIGH_TO_END
            best = move_at(table, at)
            answers = high - low <= limits[ROUNDING] or (
                knobs[PRUNE] != 0
                and (
                    low >= stack.real_registers[ASKED_BETA] - limits[ROUNDING]
                    or high <= stack.real_registers[ASKED_ALPHA] + limits[ROUNDING]
                )
            )
    if answers:
        answer(stack, low, high, marks)
        if top == 0:
            stack.levels[level + BEST] = best
    stack.levels[level + KNOWN_MARKS] = marks
    stack.levels[level + BEST] = best
    stack.values[values + KNOWN_LOW] = low
    stack.values[values + KNOWN_HIGH] = high
    return answers
