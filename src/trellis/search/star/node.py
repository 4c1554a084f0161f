"""What all nodes of a search share: asking for a position, judging a leaf, answering."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import CHANCE, NOBODY, Reals, State, Tables
from trellis.search.star import frame as f
from trellis.search.star import table as t
from trellis.search.star.frame import Frame, Params, Registers, Stack, StarCalls
from trellis.search.star.table import BoundTable

READY, PUSHED = 0, 1  # what became of a position: it has an answer, or is the top of the stack
NOTHING_YET = -1e300  # less than any value
_SUM_ROUNDING = 1e-6


@kernel(hot=True)
def answer(registers: Registers, low: float, high: float, marks: int) -> None:
    """Leave what was found of a position, as player 0 sees it."""
    registers.found_low = low
    registers.found_high = high
    registers.found_marks = marks


@kernel(hot=True)
def turned(marks: int) -> int:
    """Exchange the marks of lower and upper bound, as when the other player looks.

    What one player gets at least is what the other gets at most: l <= v <= h is -h <= -v <= -l.
    """
    return ((marks & f.LOW_TO_END) << 1) | ((marks & f.HIGH_TO_END) >> 1)


@kernel(hot=True)
def joined(low_marks: int, high_marks: int) -> int:
    """Return the mark of one lower bound and that of another upper bound."""
    return (low_marks & f.LOW_TO_END) | (high_marks & f.HIGH_TO_END)


@kernel(hot=True)
def set_known(frame: Frame, low: float, high: float, marks: int) -> None:
    """Tell a frame what is known of it already, as who acts there sees it."""
    if frame.actor == 1:
        low, high, marks = -high, -low, turned(marks)
    frame.known_low = low
    frame.known_high = high
    frame.known_marks = marks


@kernel(hot=True)
def uses_table(params: Params, who: int, depth: int) -> bool:
    """Tell whether positions in which somebody acts go into the table; depth is plies left."""
    if depth < params.least_depth:
        return False
    if who == CHANCE:
        return params.tt_at_chance
    return params.tt_at_decisions or params.table_move


@kernel(hot=True)
def usable(
    params: Params, lower: float, upper: float, rest: int, depth: int
) -> tuple[float, float, int]:
    """Return what the entry of a position says of a search to a depth, and to the end or not."""
    low, high, marks = params.least, params.most, f.BOTH_TO_END
    lower_depth, upper_depth = t.depths_in(rest)
    if t.serves(lower_depth, depth, params.deeper):
        low = lower
        if lower_depth & t.TO_THE_END == 0:
            marks &= ~f.LOW_TO_END
    if t.serves(upper_depth, depth, params.deeper):
        high = max(low, upper)
        if upper_depth & t.TO_THE_END == 0:
            marks &= ~f.HIGH_TO_END
    return low, high, marks


@kernel(hot=True)
def keep(
    stack: Stack, table: BoundTable, top: int, low: float, high: float, marks: int, move: int
) -> None:
    """Write the bounds of the position of a frame into the table."""
    params, frame = stack.params[0], stack.frames[top]
    t.store(
        table, frame.key, stack.states, top * len(stack.state), low, high,
        frame.depth | (t.TO_THE_END if marks & f.LOW_TO_END != 0 else 0),
        frame.depth | (t.TO_THE_END if marks & f.HIGH_TO_END != 0 else 0),
        move, stack.registers[0].age, params.least, params.most,
    )  # fmt: skip


@kernel(hot=True)
def copy_state(source: State, begin: int, target: State, at: int, count: int) -> None:
    """Copy a position from one array to another; a loop would be made for long ones."""
    target[at] = source[begin]
    if count > 1:
        target[at + 1] = source[begin + 1]
    if count > 2:
        target[at + 2] = source[begin + 2]
    for i in range(3, count):
        target[at + i] = source[begin + i]


@kernel(hot=True)
def ask(registers: Registers, depth: int, limit: int, alpha: float, beta: float) -> None:
    """Have the position in `state` looked at next, within a window as player 0 sees it."""
    registers.entering = True
    registers.asked_depth = depth
    registers.asked_limit = limit
    registers.asked_alpha = alpha
    registers.asked_beta = beta


@kernel(hot=True)
def to_child(calls: StarCalls, tables: Tables, stack: Stack, top: int, child: int) -> None:
    """Put the position after a move or outcome where it will be looked at."""
    play, words = calls.play, len(stack.state)
    copy_state(stack.states, top * words, stack.state, 0, words)
    play(tables, stack.state, to_int(stack.moves[top * len(stack.buffer) + child]))


@kernel(hot=True)
def key_of(calls: StarCalls, tables: Tables, params: Params, state: State, depth: int) -> np.uint64:
    """Return what the table knows a position by, searched to a depth."""
    key = calls.key
    name = np.uint64(key(tables, state))
    return np.uint64(t.key_to_depth(name, depth)) if params.by_depth else name


@kernel(hot=True)
def name_children(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> None:
    """Work out the keys of all positions after a move or outcome, and fetch their lines.

    Of a table larger than the processor's cache each line takes long to arrive; asked for
    together, they come together.
    """
    params, frame, play = stack.params[0], stack.frames[top], calls.play
    first, words, depth = top * len(stack.buffer), len(stack.state), frame.depth - 1
    for at in range(first, first + frame.count):
        copy_state(stack.states, top * words, stack.trial, 0, words)
        play(tables, stack.trial, to_int(stack.moves[at]))
        name = key_of(calls, tables, params, stack.trial, depth)
        stack.children[at].key = name
        t.fetch_line(table, name)
        if len(table.identity) != 0:
            copy_state(stack.trial, 0, stack.child_states, at * words, words)


@kernel(hot=True)
def _inside(stack: Stack, value: float, fault: int) -> float:
    """Return a value that keeps the promised bounds; note the fault of one that does not."""
    params = stack.params[0]
    if value >= params.least and value <= params.most:
        return value
    stack.registers[0].fault = fault
    return NOTHING_YET


@kernel(hot=True)
def judge(calls: StarCalls, tables: Tables, weights: Reals, stack: Stack) -> tuple[float, int]:
    """Return what the leaf in `state` is worth, and marks: whether the game is over there.

    A value outside the bounds comes back as NOTHING_YET, with the fault in a register.
    """
    params, registers = stack.params[0], stack.registers[0]
    acting = calls.acting
    registers.nodes += 1
    if acting(tables, stack.state) == NOBODY:
        payoffs, out = calls.payoffs, stack.payoffs
        payoffs(tables, stack.state, out)
        value = out[0]
        if len(out) == 2 and abs(value + out[1] - params.constant_sum) > _SUM_ROUNDING:
            value = NOTHING_YET
        return _inside(stack, value, f.BAD_PAYOFF), f.BOTH_TO_END
    registers.leaves += 1
    if not params.has_evaluation:
        return params.middle, 0
    evaluate = calls.evaluate
    return _inside(stack, evaluate(weights, tables, stack.state), f.BAD_EVALUATION), 0
