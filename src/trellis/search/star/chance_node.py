"""A node where chance acts: Star1, Star2, and what the table knows of its outcomes."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, mix, to_int
from trellis.game.rules import Reals, Tables
from trellis.search.star.frame import (
    ALPHA,
    ASKED_ALPHA,
    ASKED_BETA,
    BETA,
    BOTH_TO_END,
    CHANCE_NULL_WINDOW,
    COUNT,
    DEPTH,
    FAULT,
    FOUND_HIGH,
    FOUND_LOW,
    FOUND_MARKS,
    HIGH,
    HIGH_TO_END,
    KNOWN_HIGH,
    KNOWN_LOW,
    KNOWN_MARKS,
    LEAST,
    LEVEL_INTS,
    LEVEL_REALS,
    LOW,
    LOW_TO_END,
    MOST,
    NEXT,
    NUMBER,
    PHASE,
    PROBING,
    PRUNE,
    REUSE_PROBE,
    ROUNDING,
    SAMPLES,
    SEED,
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
    usable,
)
from trellis.search.star.null_window import ask_for_test, guess_from, take_aim, take_test
from trellis.search.star.table import BoundTable, look_up, move_in

_UNIT = 1.0 / 9007199254740992.0
_ELEVEN = np.uint64(11)
# phases
_OPENED, _TESTING, _PROBING, _SEARCHING = 0, 1, 2, 3


@kernel(lean=True)
def open_chance(calls: StarCalls, tables: Tables, stack: Stack, top: int, to_leaves: bool) -> bool:
    """Lay out the outcomes of a chance node; tell whether the probabilities make sense.

    Where all of them lead to leaves, nothing will be learned of one before the next is judged.
    """
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    limits, count = stack.limits, stack.levels[level + COUNT]
    chances = calls.chances
    chances(tables, stack.state, stack.reals)
    first = top * len(stack.buffer)
    total = 0.0
    for i in range(count):
        share = stack.reals[i]
        if not share >= 0.0:
            return False
        total += share
        at = first + _turn_of(stack.params[NUMBER], i, count)
        stack.moves[at] = stack.buffer[i]
        stack.chances[at] = share
    if not abs(total - 1.0) <= 1e-9:
        return False
    if stack.params[SAMPLES] != 0 and count > stack.params[SAMPLES]:
        count = _sample(calls, tables, stack, top, count)
        stack.levels[level + COUNT] = count
        total = 1.0
    if not to_leaves or top == 0:
        for i in range(count):
            stack.lows[first + i] = limits[LEAST]
            stack.highs[first + i] = limits[MOST]
            stack.marks[first + i] = BOTH_TO_END
        if stack.params[CHANCE_NULL_WINDOW] != 0 or stack.params[REUSE_PROBE] != 0:
            for i in range(count):
                stack.guesses[first + i] = NOTHING_YET
                stack.firsts[first + i] = -1
    stack.levels[level + PHASE] = _OPENED
    stack.values[values + LOW] = limits[LEAST] * total
    stack.values[values + HIGH] = limits[MOST] * total
    stack.values[values + ALPHA] = max(
        stack.real_registers[ASKED_ALPHA], stack.values[values + KNOWN_LOW]
    )
    stack.values[values + BETA] = min(
        stack.real_registers[ASKED_BETA], stack.values[values + KNOWN_HIGH]
    )
    return True


@kernel(hot=True)
def _turn_of(number: int, outcome: int, count: int) -> int:
    """Return when a thread comes to an outcome: some from the front, some from the back."""
    if number == 0:
        return outcome
    place = outcome + number // 2
    place = place if place < count else place % count
    return count - 1 - place if number & 1 != 0 else place


@kernel(lean=True)
def _sample(calls: StarCalls, tables: Tables, stack: Stack, top: int, count: int) -> int:
    """Replace the outcomes by so many draws; a position draws the same ones every time."""
    first, draws = top * len(stack.buffer), stack.params[SAMPLES]
    key = calls.key
    word = mix(np.uint64(key(tables, stack.state)) ^ mix(np.uint64(stack.params[SEED]) + GOLDEN))
    for i in range(count):
        stack.lows[first + i] = 0.0
    for _ in range(draws):
        word += GOLDEN
        left = np.float64(mix(word) >> _ELEVEN) * _UNIT
        i = 0
        while i < count - 1 and left >= stack.chances[first + i]:
            left -= stack.chances[first + i]
            i += 1
        stack.lows[first + i] += 1.0
    kept = 0
    for i in range(count):
        if stack.lows[first + i] > 0.0:
            stack.chances[first + kept] = stack.lows[first + i] / draws
            stack.moves[first + kept] = stack.moves[first + i]
            kept += 1
    return kept


@kernel(hot=True)
def learn(stack: Stack, top: int, child: int, low: float, high: float, marks: int) -> None:
    """Narrow what is known of an outcome, and with it the sums of the chance node."""
    values, at = top * LEVEL_REALS, top * len(stack.buffer) + child
    share = stack.chances[at]
    if low > stack.lows[at]:
        stack.values[values + LOW] += share * (low - stack.lows[at])
        stack.lows[at] = low
        stack.marks[at] = (stack.marks[at] & HIGH_TO_END) | (marks & LOW_TO_END)
    if high < stack.highs[at]:
        stack.values[values + HIGH] -= share * (stack.highs[at] - high)
        stack.highs[at] = high
        stack.marks[at] = (stack.marks[at] & LOW_TO_END) | (marks & HIGH_TO_END)


@kernel(hot=True)
def is_decided(stack: Stack, top: int) -> bool:
    """Tell whether a chance node is known to lie outside its window."""
    values, rounding = top * LEVEL_REALS, stack.limits[ROUNDING]
    return (
        stack.values[values + LOW] >= stack.values[values + BETA] - rounding
        or stack.values[values + HIGH] <= stack.values[values + ALPHA] + rounding
    )


@kernel(hot=True)
def window_below(stack: Stack, top: int, child: int) -> float:
    """Return below what an outcome makes the whole node fall below its window."""
    values, at = top * LEVEL_REALS, top * len(stack.buffer) + child
    share, high = stack.chances[at], stack.highs[at]
    others = stack.values[values + HIGH] - share * high
    return max(stack.lows[at], (stack.values[values + ALPHA] - others) / share)


@kernel(hot=True)
def window_above(stack: Stack, top: int, child: int) -> float:
    """Return above what an outcome makes the whole node rise above its window."""
    values, at = top * LEVEL_REALS, top * len(stack.buffer) + child
    share, low = stack.chances[at], stack.lows[at]
    others = stack.values[values + LOW] - share * low
    return min(stack.highs[at], (stack.values[values + BETA] - others) / share)


@kernel(hot=True)
def finish_chance(stack: Stack, table: BoundTable, top: int) -> None:
    """Answer with the bounds of a chance node, and keep them."""
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    marks = BOTH_TO_END
    for i in range(stack.levels[level + COUNT]):
        marks &= stack.marks[first + i]
    low, high = stack.values[values + LOW], stack.values[values + HIGH]
    answer_chance(stack, table, top, low, high, marks)


@kernel(hot=True)
def answer_chance(
    stack: Stack, table: BoundTable, top: int, low: float, high: float, marks: int
) -> None:
    """Answer for a chance node with what its outcomes or the table say, and keep it."""
    level, values = top * LEVEL_INTS, top * LEVEL_REALS
    known = stack.levels[level + KNOWN_MARKS]
    if stack.values[values + KNOWN_LOW] >= low:
        low = stack.values[values + KNOWN_LOW]
        marks = (marks & HIGH_TO_END) | (known & LOW_TO_END)
    if stack.values[values + KNOWN_HIGH] <= high:
        high = stack.values[values + KNOWN_HIGH]
        marks = (marks & LOW_TO_END) | (known & HIGH_TO_END)
    if low > high:  # by rounding
        low = high = 0.5 * (low + high)
    if stack.levels[level + USES_TABLE] != 0:
        depth = stack.levels[level + DEPTH]
        keep(stack, table, top, depth, low, high, marks, -1)
    answer(stack, low, high, marks)


@kernel(lean=True)
def ask_for_outcomes(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Take what the table knows of each outcome; answer where that decides the node."""
    level = top * LEVEL_INTS
    name_children(calls, tables, stack, table, top)
    for child in range(stack.levels[level + COUNT]):
        learn_from(stack, table, top, child)
        if stack.params[PRUNE] != 0 and is_decided(stack, top):
            finish_chance(stack, table, top)
            return True
    return False


@kernel(hot=True)
def learn_from(stack: Stack, table: BoundTable, top: int, child: int) -> None:
    """Take what the table knows of one outcome, that was named before."""
    at = top * len(stack.buffer) + child
    lower, upper, rest = look_up(table, stack.names[at], stack.child_states, at * len(stack.state))
    if rest != 0:
        stack.guesses[at] = guess_from(stack, lower, upper)
        stack.firsts[at] = move_in(rest)
        depth = stack.levels[top * LEVEL_INTS + DEPTH] - 1
        low, high, marks = usable(stack, lower, upper, rest, depth)
        learn(stack, top, child, low, high, marks)


@kernel(lean=True)
def judge_outcomes(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for a chance node with nothing but leaves below it."""
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    limits, prune, words = stack.limits, stack.params[PRUNE] != 0, len(stack.state)
    least, most = limits[LEAST], limits[MOST]
    low, high, marks = stack.values[values + LOW], stack.values[values + HIGH], BOTH_TO_END
    enough = stack.values[values + BETA] - limits[ROUNDING]
    too_little = stack.values[values + ALPHA] + limits[ROUNDING]
    play = calls.play
    for child in range(stack.levels[level + COUNT]):
        copy_state(stack.states, top * words, stack.state, 0, words)
        play(tables, stack.state, to_int(stack.moves[first + child]))
        value = judge(calls, tables, weights, stack)
        if value < least:
            return -stack.registers[FAULT]
        if top == 0:  # to be told later
            learn(stack, top, child, value, value, stack.registers[FOUND_MARKS])
        share = stack.chances[first + child]
        low += share * (value - least)
        high -= share * (most - value)
        marks &= stack.registers[FOUND_MARKS]
        if prune and (low >= enough or high <= too_little):
            break
    answer_chance(stack, table, top, low, high, marks)
    return READY


@kernel(lean=True)
def go_on_rolling(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Ask for the next outcome of a chance node, or answer; tell whether there is an answer."""
    level, first = top * LEVEL_INTS, top * len(stack.buffer)
    params, limits = stack.params, stack.limits
    prune, count = params[PRUNE] != 0, stack.levels[level + COUNT]
    depth = stack.levels[level + DEPTH] - 1
    if prune and is_decided(stack, top):
        finish_chance(stack, table, top)
        return True
    acting = calls.acting
    if stack.levels[level + PHASE] == _OPENED:
        stack.levels[level + PHASE] = _PROBING if prune and params[PROBING] != 0 else _SEARCHING
        if params[CHANCE_NULL_WINDOW] != 0 and depth > 1 and take_aim(calls, tables, stack, top):
            stack.levels[level + PHASE] = _TESTING
    if stack.levels[level + PHASE] == _TESTING:
        if ask_for_test(calls, tables, stack, top):
            return False
        stack.levels[level + PHASE] = _PROBING if params[PROBING] != 0 else _SEARCHING
        stack.levels[level + NEXT] = 0
    while True:
        child = stack.levels[level + NEXT]
        if child >= count:
            if stack.levels[level + PHASE] == _SEARCHING:
                finish_chance(stack, table, top)
                return True
            stack.levels[level + PHASE] = _SEARCHING
            stack.levels[level + NEXT] = 0
            continue
        low, high = stack.lows[first + child], stack.highs[first + child]
        share = stack.chances[first + child]
        if high - low <= limits[ROUNDING] or share == 0.0:
            stack.levels[level + NEXT] = child + 1
            continue
        to_child(calls, tables, stack, top, child)
        if not prune:
            ask(stack, depth, 0, limits[LEAST], limits[MOST])
            return False
        alpha, beta = window_below(stack, top, child), window_above(stack, top, child)
        if stack.levels[level + PHASE] == _SEARCHING:
            ask(stack, depth, 0, alpha, beta)
            return False
        who = acting(tables, stack.state)
        if who >= 0:  # a first move bounds the outcome on the side of who makes it
            ask(
                stack,
                depth,
                params[PROBING],
                low if who == 0 else alpha,
                beta if who == 0 else high,
            )
            return False
        stack.levels[level + NEXT] = child + 1  # no first move to look at


@kernel(hot=True)
def take_outcome(stack: Stack, top: int) -> None:
    """Take what was found of an outcome."""
    level = top * LEVEL_INTS
    child = stack.levels[level + NEXT]
    learn(
        stack, top, child, stack.real_registers[FOUND_LOW], stack.real_registers[FOUND_HIGH],
        stack.registers[FOUND_MARKS],
    )  # fmt: skip
    if stack.levels[level + PHASE] == _TESTING:
        take_test(stack, top, child)
    stack.levels[level + NEXT] = child + 1
