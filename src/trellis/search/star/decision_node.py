"""A node where a player acts: alpha-beta, with an order of moves that cuts early."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import Reals, Tables
from trellis.search.star.frame import (
    ACTOR,
    ALPHA,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_LIMIT,
    BEST,
    BETA,
    BOTH_TO_END,
    COUNT,
    DEPTH,
    FAULT,
    FOUND_HIGH,
    FOUND_LOW,
    FOUND_MARKS,
    HIGH,
    HIGH_TO_END,
    HISTORY,
    KILLERS,
    KILLERS_KEPT,
    KNOWN_HIGH,
    KNOWN_LOW,
    KNOWN_MARKS,
    LEAST,
    LEVEL_INTS,
    LEVEL_REALS,
    LIMIT,
    LOW,
    LOW_TO_END,
    MARKS,
    MOST,
    NARROWEST,
    NEXT,
    ORDERED,
    PRUNE,
    PVS,
    ROUNDING,
    TABLE_MOVE,
    TESTING,
    USES_TABLE,
    Stack,
    StarCalls,
)
from trellis.search.star.node import (
    NOTHING_YET,
    READY,
    answer,
    ask,
    copy_state,
    judge,
    keep,
    name_children,
    to_child,
    turned,
    usable,
)
from trellis.search.star.table import BoundTable, look_up

# Moves are tried in this order: the table's, killers, the rest by history.
_FROM_TABLE, _KILLER = 1e18, 1e15
# a move that is only tested against the window, and one that has to be searched again
_TESTED, _AGAIN = 1, 2


@kernel(lean=True)
def open_decision(stack: Stack, top: int) -> None:
    """Lay out the moves of a player, and what speaks for trying each of them early."""
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    params, count, who = stack.params, stack.levels[level + COUNT], stack.levels[level + ACTOR]
    codes, depth = len(stack.history) // 2, stack.levels[level + DEPTH]
    best = stack.levels[level + BEST]
    ordered = False
    for i in range(count):
        move = np.int64(stack.buffer[i])
        score = 0.0
        if params[HISTORY] != 0:
            score = np.float64(stack.history[who * codes + move])
        if params[KILLERS] != 0:
            for k in range(KILLERS_KEPT):
                if stack.killers[depth * KILLERS_KEPT + k] == move:
                    score = _KILLER / (k + 1)
        if params[TABLE_MOVE] != 0 and move == best:
            score = _FROM_TABLE
        ordered |= score > 0.0
        stack.moves[first + i] = stack.buffer[i]
        stack.chances[first + i] = score
    stack.levels[level + ORDERED] = np.int64(ordered)
    limit = stack.registers[ASKED_LIMIT]
    stack.levels[level + LIMIT] = count if limit == 0 else min(limit, count)
    stack.levels[level + BEST] = -1
    stack.levels[level + MARKS] = HIGH_TO_END
    alpha = max(stack.real_registers[ASKED_ALPHA], stack.values[values + KNOWN_LOW])
    beta = min(stack.real_registers[ASKED_BETA], stack.values[values + KNOWN_HIGH])
    if who != 0:
        alpha, beta = -beta, -alpha
        low = stack.values[values + KNOWN_LOW]
        stack.values[values + KNOWN_LOW] = -stack.values[values + KNOWN_HIGH]
        stack.values[values + KNOWN_HIGH] = -low
        stack.levels[level + KNOWN_MARKS] = turned(stack.levels[level + KNOWN_MARKS])
    stack.values[values + ALPHA] = alpha
    stack.values[values + BETA] = beta
    stack.values[values + LOW] = NOTHING_YET
    stack.values[values + HIGH] = NOTHING_YET


@kernel(hot=True)
def to_front(stack: Stack, top: int, place: int, count: int) -> None:
    """Bring the move that is to be tried next to its place; among equals the first one listed."""
    first = top * len(stack.buffer)
    best = place
    for i in range(place + 1, count):
        if stack.chances[first + i] > stack.chances[first + best]:
            best = i
    move, score = stack.moves[first + best], stack.chances[first + best]
    for i in range(best, place, -1):  # shifted, so that the others keep their order
        stack.moves[first + i] = stack.moves[first + i - 1]
        stack.chances[first + i] = stack.chances[first + i - 1]
    stack.moves[first + place], stack.chances[first + place] = move, score


@kernel(hot=True)
def remember_cut(stack: Stack, top: int) -> None:
    """Let a move that was good enough be tried early elsewhere."""
    level = top * LEVEL_INTS
    depth, move = stack.levels[level + DEPTH], stack.levels[level + BEST]
    if stack.params[KILLERS] != 0:
        at = depth * KILLERS_KEPT
        if stack.killers[at] != move:
            for k in range(KILLERS_KEPT - 1, 0, -1):
                stack.killers[at + k] = stack.killers[at + k - 1]
            stack.killers[at] = move
    if stack.params[HISTORY] != 0:
        who = stack.levels[level + ACTOR]
        stack.history[who * (len(stack.history) // 2) + move] += depth * depth


@kernel(hot=True)
def finish_decision(stack: Stack, table: BoundTable, top: int, all_searched: bool) -> None:
    """Answer with the bounds of a player's node, as player 0 sees them, and keep them."""
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    low, marks = stack.values[values + LOW], stack.levels[level + MARKS]
    known = stack.levels[level + KNOWN_MARKS]
    if stack.values[values + KNOWN_LOW] > low:
        low = stack.values[values + KNOWN_LOW]
        marks = (marks & HIGH_TO_END) | (known & LOW_TO_END)
    high = stack.values[values + KNOWN_HIGH]
    if all_searched and stack.values[values + HIGH] < high:
        high = stack.values[values + HIGH]
    else:
        marks = (marks & LOW_TO_END) | (known & HIGH_TO_END)
    if low > high:  # by rounding
        low = high = 0.5 * (low + high)
    if stack.levels[level + ACTOR] != 0:
        low, high, marks = -high, -low, turned(marks)
    if stack.levels[level + USES_TABLE] != 0:
        depth, best = stack.levels[level + DEPTH], stack.levels[level + BEST]
        keep(stack, table, top, depth, low, high, marks, best)
    answer(stack, low, high, marks)


@kernel(lean=True)
def ask_for_moves(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Answer where the table knows a move that is good enough."""
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    first_player = stack.levels[level + ACTOR] == 0
    depth = stack.levels[level + DEPTH] - 1
    if stack.params[PRUNE] == 0:
        return False
    name_children(calls, tables, stack, table, top)
    for child in range(stack.levels[level + COUNT]):
        words = (first + child) * len(stack.state)
        lower, upper, rest = look_up(table, stack.names[first + child], stack.child_states, words)
        if rest == 0:
            continue
        low, high, marks = usable(stack, lower, upper, rest, depth)
        if not first_player:
            low, marks = -high, turned(marks)
        if low >= stack.values[values + BETA] - stack.limits[ROUNDING]:
            stack.values[values + LOW] = low
            stack.levels[level + BEST] = to_int(stack.moves[first + child])
            stack.levels[level + MARKS] = marks & LOW_TO_END
            finish_decision(stack, table, top, False)
            return True
    return False


@kernel(hot=True)
def note_move(stack: Stack, place: int, marks: int, low: float, high: float) -> None:
    """Keep what was found of a move of the root, as who moves sees it, to be told later."""
    stack.lows[place] = low
    stack.highs[place] = high
    stack.marks[place] = marks


@kernel(lean=True)
def judge_moves(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for a player's node with nothing but leaves below it.

    Where the level has a best move already, that one was judged before.
    """
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    limits, words = stack.limits, len(stack.state)
    count, limit = stack.levels[level + COUNT], stack.levels[level + LIMIT]
    first_player, prune = stack.levels[level + ACTOR] == 0, stack.params[PRUNE] != 0
    enough = stack.values[values + BETA] - limits[ROUNDING]
    low, best = stack.values[values + LOW], stack.levels[level + BEST]
    judged, low_marks, all_marks = best, 0, BOTH_TO_END
    if judged >= 0:
        low_marks = all_marks = stack.levels[level + MARKS]
    cut = prune and low >= enough
    play = calls.play
    ordered = stack.levels[level + ORDERED] != 0
    for place in range(0 if cut else limit):
        if ordered:
            to_front(stack, top, place, count)
        move = to_int(stack.moves[first + place])
        if move == judged:
            continue
        copy_state(stack.states, top * words, stack.state, 0, words)
        play(tables, stack.state, move)
        value = judge(calls, tables, weights, stack)
        if value < limits[LEAST]:
            return -stack.registers[FAULT]
        all_marks &= stack.registers[FOUND_MARKS]
        if top == 0:
            seen = value if first_player else -value
            note_move(stack, place, stack.registers[FOUND_MARKS], seen, seen)
            stack.levels[level + NEXT] = place + 1
        if not first_player:
            value = -value
        if value > low:
            low, best, low_marks = value, move, stack.registers[FOUND_MARKS]
            if prune and low >= enough:
                cut = True
                break
    stack.values[values + LOW] = stack.values[values + HIGH] = low
    stack.levels[level + BEST] = best
    stack.levels[level + MARKS] = (low_marks & LOW_TO_END) | (all_marks & HIGH_TO_END)
    if cut:
        remember_cut(stack, top)
    finish_decision(stack, table, top, not cut and limit == count)
    return READY


@kernel(lean=True)
def go_on_deciding(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Ask for the next move of a player, or answer; tell whether there is an answer."""
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    params, rounding = stack.params, stack.limits[ROUNDING]
    place, limit = stack.levels[level + NEXT], stack.levels[level + LIMIT]
    low, beta = stack.values[values + LOW], stack.values[values + BETA]
    prune = params[PRUNE] != 0
    if prune and low >= beta - rounding:
        remember_cut(stack, top)
        finish_decision(stack, table, top, False)
        return True
    if place >= limit:
        finish_decision(stack, table, top, limit == stack.levels[level + COUNT])
        return True
    again = stack.levels[level + TESTING] == _AGAIN
    if not again and stack.levels[level + ORDERED] != 0:
        to_front(stack, top, place, stack.levels[level + COUNT])
    to_child(calls, tables, stack, top, place)
    alpha = max(stack.values[values + ALPHA], low)
    stack.levels[level + TESTING] = 0
    if not prune:
        alpha, beta = stack.limits[LEAST], stack.limits[MOST]
    else:
        narrowest = stack.limits[NARROWEST]
        if params[PVS] != 0 and low > NOTHING_YET and not again and beta - alpha > 2 * narrowest:
            beta = alpha + narrowest
            stack.levels[level + TESTING] = _TESTED
        if stack.levels[level + ACTOR] != 0:
            alpha, beta = -beta, -alpha
    ask(stack, stack.levels[level + DEPTH] - 1, 0, alpha, beta)
    return False


@kernel(hot=True)
def take_move(stack: Stack, top: int) -> None:
    """Take what was found of a move."""
    level, values, rounding = top * LEVEL_INTS, top * LEVEL_REALS, stack.limits[ROUNDING]
    low, high = stack.real_registers[FOUND_LOW], stack.real_registers[FOUND_HIGH]
    marks = stack.registers[FOUND_MARKS]
    if stack.levels[level + ACTOR] != 0:
        low, high, marks = -high, -low, turned(marks)
    place = stack.levels[level + NEXT]
    if top == 0:
        note_move(stack, place, marks, low, high)
    before = max(stack.values[values + ALPHA], stack.values[values + LOW])
    if low > stack.values[values + LOW]:
        stack.values[values + LOW] = low
        move = stack.moves[top * len(stack.buffer) + place]
        stack.levels[level + BEST] = to_int(move)
        stack.levels[level + MARKS] = (stack.levels[level + MARKS] & HIGH_TO_END) | (
            marks & LOW_TO_END
        )
    if (
        stack.levels[level + TESTING] == _TESTED
        and high > before + rounding
        and high - low > rounding
        and low < stack.values[values + BETA] - rounding
    ):
        stack.levels[level + TESTING] = _AGAIN
        return
    stack.values[values + HIGH] = max(stack.values[values + HIGH], high)
    if marks & HIGH_TO_END == 0:
        stack.levels[level + MARKS] &= ~HIGH_TO_END
    stack.levels[level + NEXT] = place + 1
