"""A node where chance acts: Star1, Star2, and what the table knows of its outcomes."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, mix, to_int
from trellis.game.rules import Reals, Tables
from trellis.search.star import node as n
from trellis.search.star.frame import BOTH_TO_END, Child, Frame, Params, Stack, StarCalls
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
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    first, count = top * len(stack.buffer), frame.count
    # 1. The outcomes in the order of this thread, or a sample of them.
    chances = calls.chances
    chances(tables, stack.state, stack.probabilities)
    total = 0.0
    for i in range(count):
        probability = stack.probabilities[i]
        if not probability >= 0.0:
            return False
        total += probability
        at = first + _turn_of(registers.thread, i, count)
        stack.moves[at] = stack.buffer[i]
        stack.children[at].probability = probability
    if not abs(total - 1.0) <= 1e-9:
        return False
    if params.samples != 0 and count > params.samples:
        count = frame.count = _sample(calls, tables, stack, top)
        total = 1.0
    # 2. Nothing is known of them.
    if not to_leaves or top == 0:
        for at in range(first, first + count):
            child = stack.children[at]
            child.low, child.high, child.marks = params.least, params.most, BOTH_TO_END
            child.guess, child.table_move = n.NOTHING_YET, -1
    # 3. Hence of the node no more than what the table said.
    frame.phase = _OPENED
    frame.low = params.least * total
    frame.high = params.most * total
    frame.alpha = max(registers.asked_alpha, frame.known_low)
    frame.beta = min(registers.asked_beta, frame.known_high)
    return True


@kernel(hot=True)
def _turn_of(thread: int, outcome: int, count: int) -> int:
    """Return when a thread comes to an outcome: some from the front, some from the back."""
    if thread == 0:
        return outcome
    place = outcome + thread // 2
    place = place if place < count else place % count
    return count - 1 - place if thread & 1 != 0 else place


@kernel(lean=True)
def _sample(calls: StarCalls, tables: Tables, stack: Stack, top: int) -> int:
    """Replace the outcomes by draws and return how many are left of them.

    A position draws the same ones every time.
    """
    first, count, params = top * len(stack.buffer), stack.frames[top].count, stack.params[0]
    key, draws = calls.key, stack.probabilities
    word = mix(np.uint64(key(tables, stack.state)) ^ mix(np.uint64(params.seed) + GOLDEN))
    for i in range(count):
        draws[i] = 0.0
    for _ in range(params.samples):
        word += GOLDEN
        left = np.float64(mix(word) >> _ELEVEN) * _UNIT
        i = 0
        while i < count - 1 and left >= stack.children[first + i].probability:
            left -= stack.children[first + i].probability
            i += 1
        draws[i] += 1.0
    kept = 0
    for i in range(count):
        if draws[i] > 0.0:
            stack.children[first + kept].probability = draws[i] / params.samples
            stack.moves[first + kept] = stack.moves[first + i]
            kept += 1
    return kept


@kernel(hot=True)
def learn(frame: Frame, child: Child, low: float, high: float, marks: int) -> None:
    """Narrow what is known of an outcome, and with it the sums of the chance node.

    The sums L of p_i l_i and H of p_i h_i stay what they are: a bound that moves by d moves its sum
    by p_i d.
    """
    if low > child.low:
        frame.low += child.probability * (low - child.low)
        child.low = low
        child.marks = n.joined(marks, child.marks)
    if high < child.high:
        frame.high -= child.probability * (child.high - high)
        child.high = high
        child.marks = n.joined(child.marks, marks)


@kernel(hot=True)
def is_decided(params: Params, frame: Frame) -> bool:
    """Tell whether a chance node is known to lie outside its window."""
    rounding = params.rounding
    return frame.low >= frame.beta - rounding or frame.high <= frame.alpha + rounding


@kernel(hot=True)
def window_below(frame: Frame, child: Child) -> float:
    """Return below what an outcome makes the whole node fall below its window: Star1's alpha_i."""
    others = frame.high - child.probability * child.high
    return max(child.low, (frame.alpha - others) / child.probability)


@kernel(hot=True)
def window_above(frame: Frame, child: Child) -> float:
    """Return above what an outcome makes the whole node rise above its window: Star1's beta_i."""
    others = frame.low - child.probability * child.low
    return min(child.high, (frame.beta - others) / child.probability)


@kernel(hot=True)
def finish_chance(stack: Stack, table: BoundTable, top: int) -> None:
    """Answer with the bounds of a chance node, and keep them."""
    frame, first = stack.frames[top], top * len(stack.buffer)
    marks = BOTH_TO_END
    for at in range(first, first + frame.count):
        marks &= stack.children[at].marks
    answer_chance(stack, table, top, frame.low, frame.high, marks)


@kernel(hot=True)
def answer_chance(
    stack: Stack, table: BoundTable, top: int, low: float, high: float, marks: int
) -> None:
    """Answer for a chance node with what its outcomes or the table say, and keep it."""
    frame = stack.frames[top]
    if frame.known_low >= low:
        low, marks = frame.known_low, n.joined(frame.known_marks, marks)
    if frame.known_high <= high:
        high, marks = frame.known_high, n.joined(marks, frame.known_marks)
    if low > high:  # by rounding
        low = high = 0.5 * (low + high)
    if frame.uses_table:
        n.keep(stack, table, top, low, high, marks, -1)
    n.answer(stack.registers[0], low, high, marks)


@kernel(lean=True)
def ask_for_outcomes(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Take what the table knows of each outcome; answer where that decides the node.

    Enhanced transposition cutoffs at chance nodes: successors are looked up before any is searched.
    """
    params, frame = stack.params[0], stack.frames[top]
    n.name_children(calls, tables, stack, table, top)
    for i in range(frame.count):
        learn_from(stack, table, top, i)
        if params.prune and is_decided(params, frame):
            finish_chance(stack, table, top)
            return True
    return False


@kernel(hot=True)
def learn_from(stack: Stack, table: BoundTable, top: int, outcome: int) -> None:
    """Take what the table knows of one outcome, that was named before."""
    params, frame, at = stack.params[0], stack.frames[top], top * len(stack.buffer) + outcome
    child = stack.children[at]
    lower, upper, rest = look_up(table, child.key, stack.child_states, at * len(stack.state))
    if rest != 0:
        child.guess = guess_from(params, lower, upper)
        child.table_move = move_in(rest)
        low, high, marks = n.usable(params, lower, upper, rest, frame.depth - 1)
        learn(frame, child, low, high, marks)


@kernel(lean=True)
def judge_outcomes(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for a chance node with nothing but leaves below it.

    Returns READY or, below zero, what is wrong with a leaf.  Only at the root are the outcomes
    left in `children`.
    """
    params, frame, first = stack.params[0], stack.frames[top], top * len(stack.buffer)
    least, most, prune, words = params.least, params.most, params.prune, len(stack.state)
    low, high, marks = frame.low, frame.high, BOTH_TO_END
    enough, too_little = frame.beta - params.rounding, frame.alpha + params.rounding
    play = calls.play
    for at in range(first, first + frame.count):
        n.copy_state(stack.states, top * words, stack.state, 0, words)
        play(tables, stack.state, to_int(stack.moves[at]))
        value, leaf_marks = n.judge(calls, tables, weights, stack)
        if value < least:
            return -stack.registers[0].fault
        child = stack.children[at]
        if top == 0:  # to be told later
            learn(frame, child, value, value, leaf_marks)
        low += child.probability * (value - least)
        high -= child.probability * (most - value)
        marks &= leaf_marks
        if prune and (low >= enough or high <= too_little):
            break
    answer_chance(stack, table, top, low, high, marks)
    return n.READY


@kernel(lean=True)
def advance_chance(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Ask for the next outcome of a chance node, or answer; tell whether there is an answer."""
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    first, prune, depth = top * len(stack.buffer), params.prune, frame.depth - 1
    # 1. Enough is known.
    if prune and is_decided(params, frame):
        finish_chance(stack, table, top)
        return True
    # 2. Null windows, where the node should fall outside its own.
    after_tests = _PROBING if prune and params.probing != 0 else _SEARCHING
    if frame.phase == _OPENED:
        frame.phase = after_tests
        if params.chance_null_window and depth > 1 and take_aim(calls, tables, stack, top):
            frame.phase = _TESTING
    if frame.phase == _TESTING:
        if ask_for_test(calls, tables, stack, top):
            return False
        frame.phase = after_tests
        frame.next = 0
    # 3. Star2's probing of all outcomes, then Star1's search of all that are still open.
    acting = calls.acting
    while True:
        if frame.next >= frame.count:
            if frame.phase == _SEARCHING:
                finish_chance(stack, table, top)
                return True
            frame.phase = _SEARCHING
            frame.next = 0
            continue
        child = stack.children[first + frame.next]
        if child.high - child.low <= params.rounding or child.probability == 0.0:
            frame.next += 1
            continue
        n.to_child(calls, tables, stack, top, frame.next)
        if not prune:
            n.ask(registers, depth, 0, params.least, params.most)
            return False
        alpha, beta = window_below(frame, child), window_above(frame, child)
        if frame.phase == _SEARCHING:
            n.ask(registers, depth, 0, alpha, beta)
            return False
        who = acting(tables, stack.state)
        if who == 0:  # a first move bounds the outcome on the side of who makes it
            n.ask(registers, depth, params.probing, child.low, beta)
            return False
        if who == 1:
            n.ask(registers, depth, params.probing, alpha, child.high)
            return False
        frame.next += 1  # no first move to look at


@kernel(hot=True)
def take_outcome(stack: Stack, top: int) -> None:
    """Take what was found of an outcome."""
    registers, frame = stack.registers[0], stack.frames[top]
    child = stack.children[top * len(stack.buffer) + frame.next]
    learn(frame, child, registers.found_low, registers.found_high, registers.found_marks)
    if frame.phase == _TESTING:
        take_test(frame, child)
    frame.next += 1
