"""A node where a player acts: alpha-beta, with an order of moves that cuts early."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import Reals, Tables
from trellis.search.star import frame as f
from trellis.search.star import node as n
from trellis.search.star.frame import Child, Stack, StarCalls
from trellis.search.star.table import BoundTable, look_up

# Moves are tried in this order: the table's, killers, the rest by history.
_FROM_TABLE, _KILLER = 1e18, 1e15
# Of principal variation search: a move that is only tested against the window, and one that has to
# be searched again.
_NO_TEST, _TESTED, _AGAIN = 0, 1, 2


@kernel(lean=True)
def open_decision(stack: Stack, top: int) -> None:
    """Lay out the moves of a player, and what speaks for trying each of them early."""
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    first, count, who, depth = top * len(stack.buffer), frame.count, frame.actor, frame.depth
    codes, table_move = len(stack.history) // 2, frame.table_move
    # 1. Moves and their scores.
    ordered = False
    for i in range(count):
        move = np.int64(stack.buffer[i])
        score = 0.0
        if params.history:
            score = np.float64(stack.history[who * codes + move])
        if params.killers:
            for k in range(f.KILLERS_KEPT):
                if stack.killers[depth * f.KILLERS_KEPT + k] == move:
                    score = _KILLER / (k + 1)
        if params.table_move and move == table_move:
            score = _FROM_TABLE
        ordered |= score > 0.0
        stack.moves[first + i] = stack.buffer[i]
        stack.scores[first + i] = score
    frame.ordered = ordered
    frame.limit = count if registers.asked_limit == 0 else min(registers.asked_limit, count)
    # 2. The window as who moves sees it, and nothing known of any move.
    alpha, beta = registers.asked_alpha, registers.asked_beta
    if who != 0:
        alpha, beta = -beta, -alpha
    frame.alpha = max(alpha, frame.known_low)
    frame.beta = min(beta, frame.known_high)
    frame.low = frame.high = n.NOTHING_YET
    frame.best = -1
    frame.marks = f.HIGH_TO_END


@kernel(hot=True)
def to_front(stack: Stack, top: int, place: int) -> None:
    """Bring the move that is to be tried next to its place; among equals the first one listed."""
    first, count = top * len(stack.buffer), stack.frames[top].count
    best = place
    for i in range(place + 1, count):
        if stack.scores[first + i] > stack.scores[first + best]:
            best = i
    move, score = stack.moves[first + best], stack.scores[first + best]
    for i in range(best, place, -1):  # shifted, so that the others keep their order
        stack.moves[first + i] = stack.moves[first + i - 1]
        stack.scores[first + i] = stack.scores[first + i - 1]
    stack.moves[first + place], stack.scores[first + place] = move, score


@kernel(hot=True)
def remember_cut(stack: Stack, top: int) -> None:
    """Let a move that was good enough be tried early elsewhere."""
    params, frame = stack.params[0], stack.frames[top]
    depth, move = frame.depth, frame.best
    if params.killers:
        at = depth * f.KILLERS_KEPT
        if stack.killers[at] != move:
            for k in range(f.KILLERS_KEPT - 1, 0, -1):
                stack.killers[at + k] = stack.killers[at + k - 1]
            stack.killers[at] = move
    if params.history:
        stack.history[frame.actor * (len(stack.history) // 2) + move] += depth * depth


@kernel(hot=True)
def finish_decision(stack: Stack, table: BoundTable, top: int, all_searched: bool) -> None:
    """Answer with the bounds of a player's node, as player 0 sees them, and keep them.

    One move bounds the node from below; from above only all of them do, or the table.
    """
    frame = stack.frames[top]
    low, low_marks = frame.low, frame.marks
    if frame.known_low > low:
        low, low_marks = frame.known_low, frame.known_marks
    high, high_marks = frame.known_high, frame.known_marks
    if all_searched and frame.high < high:
        high, high_marks = frame.high, frame.marks
    marks = n.joined(low_marks, high_marks)
    if low > high:  # by rounding
        low = high = 0.5 * (low + high)
    if frame.actor != 0:
        low, high, marks = -high, -low, n.turned(marks)
    if frame.uses_table:
        n.keep(stack, table, top, low, high, marks, frame.best)
    n.answer(stack.registers[0], low, high, marks)


@kernel(lean=True)
def ask_for_moves(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Answer where the table knows a move that is good enough; tell whether it does.

    Enhanced transposition cutoffs at players' nodes, as in programs that search by alpha-beta.
    """
    params, frame, first = stack.params[0], stack.frames[top], top * len(stack.buffer)
    if not params.prune:
        return False
    n.name_children(calls, tables, stack, table, top)
    for at in range(first, first + frame.count):
        lower, upper, rest = look_up(
            table, stack.children[at].key, stack.child_states, at * len(stack.state)
        )
        if rest == 0:
            continue
        low, high, marks = n.usable(params, lower, upper, rest, frame.depth - 1)
        if frame.actor != 0:
            low, marks = -high, n.turned(marks)
        if low >= frame.beta - params.rounding:
            frame.low = low
            frame.best = to_int(stack.moves[at])
            frame.marks = n.joined(marks, 0)
            finish_decision(stack, table, top, False)
            return True
    return False


@kernel(hot=True)
def note_move(child: Child, low: float, high: float, marks: int) -> None:
    """Keep what was found of a move of the root, as who moves sees it, to be told later."""
    child.low = low
    child.high = high
    child.marks = marks


@kernel(lean=True)
def judge_moves(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for a player's node with nothing but leaves below it.

    Where the frame has a best move already, that one was judged before.  Returns READY or, below
    zero, what is wrong with a leaf.
    """
    params, frame, first = stack.params[0], stack.frames[top], top * len(stack.buffer)
    prune, least, words = params.prune, params.least, len(stack.state)
    first_player, ordered, limit = frame.actor == 0, frame.ordered, frame.limit
    enough = frame.beta - params.rounding
    # 1. What is known of a move that was judged before.
    low, best = frame.low, frame.best
    judged, low_marks, all_marks = best, 0, f.BOTH_TO_END
    if judged >= 0:
        low_marks = all_marks = frame.marks
    cut = prune and low >= enough
    # 2. All others, until one is good enough.
    play = calls.play
    for place in range(0 if cut else limit):
        if ordered:
            to_front(stack, top, place)
        move = to_int(stack.moves[first + place])
        if move == judged:
            continue
        n.copy_state(stack.states, top * words, stack.state, 0, words)
        play(tables, stack.state, move)
        value, marks = n.judge(calls, tables, weights, stack)
        if value < least:
            return -stack.registers[0].fault
        all_marks &= marks
        if not first_player:
            value = -value
        if top == 0:
            note_move(stack.children[place], value, value, marks)
            frame.next = place + 1
        if value > low:
            low, best, low_marks = value, move, marks
            if prune and low >= enough:
                cut = True
                break
    # 3. The answer.
    frame.low = frame.high = low
    frame.best = best
    frame.marks = n.joined(low_marks, all_marks)
    if cut:
        remember_cut(stack, top)
    finish_decision(stack, table, top, not cut and limit == frame.count)
    return n.READY


@kernel(lean=True)
def advance_decision(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> bool:
    """Ask for the next move of a player, or answer; tell whether there is an answer."""
    params, frame = stack.params[0], stack.frames[top]
    place, low, beta, prune = frame.next, frame.low, frame.beta, params.prune
    # 1. A move is good enough, or all have been searched.
    if prune and low >= beta - params.rounding:
        remember_cut(stack, top)
        finish_decision(stack, table, top, False)
        return True
    if place >= frame.limit:
        finish_decision(stack, table, top, frame.limit == frame.count)
        return True
    # 2. The next move, within what is left of the window.
    again = frame.test == _AGAIN
    if not again and frame.ordered:
        to_front(stack, top, place)
    n.to_child(calls, tables, stack, top, place)
    alpha = max(frame.alpha, low)
    frame.test = _NO_TEST
    if not prune:
        alpha, beta = params.least, params.most
    else:
        narrowest = params.narrowest
        if params.pvs and low > n.NOTHING_YET and not again and beta - alpha > 2 * narrowest:
            beta = alpha + narrowest
            frame.test = _TESTED
        if frame.actor != 0:
            alpha, beta = -beta, -alpha
    n.ask(stack.registers[0], frame.depth - 1, 0, alpha, beta)
    return False


@kernel(hot=True)
def take_move(stack: Stack, top: int) -> None:
    """Take what was found of a move."""
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    low, high, marks = registers.found_low, registers.found_high, registers.found_marks
    if frame.actor != 0:
        low, high, marks = -high, -low, n.turned(marks)
    at = top * len(stack.buffer) + frame.next
    if top == 0:
        note_move(stack.children[at], low, high, marks)
    # 1. The best move so far.
    before = max(frame.alpha, frame.low)
    if low > frame.low:
        frame.low = low
        frame.best = to_int(stack.moves[at])
        frame.marks = n.joined(marks, frame.marks)
    # 2. One that a null window has shown to be better is searched again.
    if (
        frame.test == _TESTED
        and high > before + params.rounding
        and high - low > params.rounding
        and low < frame.beta - params.rounding
    ):
        frame.test = _AGAIN
        return
    # 3. What all moves together are worth at most.
    frame.high = max(frame.high, high)
    if marks & f.HIGH_TO_END == 0:
        frame.marks &= ~f.HIGH_TO_END
    frame.next += 1
