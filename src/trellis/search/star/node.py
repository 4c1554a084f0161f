"""What all nodes of a search share: asking for a position, judging a leaf, answering."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import CHANCE, NOBODY, Reals, State, Tables
from trellis.search.star.frame import (
    AGE,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_DEPTH,
    ASKED_LIMIT,
    BAD_EVALUATION,
    BAD_PAYOFF,
    BOTH_TO_END,
    BY_DEPTH,
    COUNT,
    DEEPER,
    DEPTH,
    ENTERING,
    FAULT,
    FOUND_HIGH,
    FOUND_LOW,
    FOUND_MARKS,
    HAS_EVALUATION,
    HIGH_TO_END,
    LEAST,
    LEAST_DEPTH,
    LEAVES,
    LEVEL_INTS,
    LOW_TO_END,
    MIDDLE,
    MOST,
    NODES,
    SUM,
    TABLE_MOVE,
    TT_AT_CHANCE,
    TT_AT_DECISIONS,
    Stack,
    StarCalls,
)
from trellis.search.star.table import (
    KEPT,
    TO_THE_END,
    BoundTable,
    depths_in,
    fetch_line,
    key_to_depth,
    serves,
    store,
)

READY, PUSHED = 0, 1
NOTHING_YET = -1e300  # less than any value
_SUM_ROUNDING = 1e-6


@kernel(hot=True)
def answer(stack: Stack, low: float, high: float, marks: int) -> None:
    """Leave what was found of a position, as player 0 sees it."""
    stack.real_registers[FOUND_LOW] = low
    stack.real_registers[FOUND_HIGH] = high
    stack.registers[FOUND_MARKS] = marks


@kernel(hot=True)
def turned(marks: int) -> int:
    """Exchange the marks of lower and upper bound, as when the other player looks."""
    return ((marks & LOW_TO_END) << 1) | ((marks & HIGH_TO_END) >> 1)


@kernel(hot=True)
def uses_table(stack: Stack, who: int, depth: int) -> bool:
    """Tell whether positions in which somebody acts go into the table; depth is plies left."""
    params = stack.params
    if depth < params[LEAST_DEPTH]:
        return False
    if who == CHANCE:
        return params[TT_AT_CHANCE] != 0
    return params[TT_AT_DECISIONS] != 0 or params[TABLE_MOVE] != 0


@kernel(hot=True)
def usable(
    stack: Stack, lower: float, upper: float, rest: int, depth: int
) -> tuple[float, float, int]:
    """Return what the entry of a position says of a search to a depth, and to the end or not."""
    low, high, marks = stack.limits[LEAST], stack.limits[MOST], BOTH_TO_END
    deeper = stack.params[DEEPER] != 0
    lower_depth, upper_depth = depths_in(rest)
    if serves(lower_depth, depth, deeper):
        low = lower
        if lower_depth & TO_THE_END == 0:
            marks &= ~LOW_TO_END
    if serves(upper_depth, depth, deeper):
        high = max(low, upper)
        if upper_depth & TO_THE_END == 0:
            marks &= ~HIGH_TO_END
    return low, high, marks


@kernel(hot=True)
def keep(
    stack: Stack, table: BoundTable, top: int, depth: int, low: float, high: float, marks: int,
    move: int,
) -> None:  # fmt: skip
    """Write the bounds of the position of a level into the table."""
    store(
        table, stack.keys[top], stack.states, top * len(stack.state), low, high,
        depth | (TO_THE_END if marks & LOW_TO_END != 0 else 0),
        depth | (TO_THE_END if marks & HIGH_TO_END != 0 else 0),
        move, stack.params[AGE], stack.limits[LEAST], stack.limits[MOST],
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
def ask(stack: Stack, depth: int, limit: int, alpha: float, beta: float) -> None:
    """Have the position in `state` looked at next."""
    stack.registers[ENTERING] = 1
    stack.registers[ASKED_DEPTH] = depth
    stack.registers[ASKED_LIMIT] = limit
    stack.real_registers[ASKED_ALPHA] = alpha
    stack.real_registers[ASKED_BETA] = beta


@kernel(hot=True)
def to_child(calls: StarCalls, tables: Tables, stack: Stack, top: int, child: int) -> None:
    """Put the position after a move or outcome where it will be looked at."""
    play, words = calls.play, len(stack.state)
    copy_state(stack.states, top * words, stack.state, 0, words)
    play(tables, stack.state, to_int(stack.moves[top * len(stack.buffer) + child]))


@kernel(hot=True)
def name_children(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> None:
    """Work out the keys of all positions after a move or outcome, and fetch their lines.

    Of a table larger than the processor's cache each line takes long to arrive; asked for
    together, they come together.
    """
    key, play = calls.key, calls.play
    first, words = top * len(stack.buffer), len(stack.state)
    depth, by_depth = stack.levels[top * LEVEL_INTS + DEPTH] - 1, stack.params[BY_DEPTH] != 0
    for child in range(stack.levels[top * LEVEL_INTS + COUNT]):
        copy_state(stack.states, top * words, stack.trial, 0, words)
        play(tables, stack.trial, to_int(stack.moves[first + child]))
        name = np.uint64(key(tables, stack.trial))
        stack.names[first + child] = key_to_depth(name, depth) if by_depth else name
        fetch_line(table, stack.names[first + child])
        if table.shape[KEPT] != 0:
            copy_state(stack.trial, 0, stack.child_states, (first + child) * words, words)


@kernel(hot=True)
def _inside(stack: Stack, value: float, fault: int) -> float:
    if value >= stack.limits[LEAST] and value <= stack.limits[MOST]:
        return value
    stack.registers[FAULT] = fault
    return NOTHING_YET


@kernel(hot=True)
def judge(calls: StarCalls, tables: Tables, weights: Reals, stack: Stack) -> float:
    """Return what a leaf is worth, in any case where the game is over; mark whether it is.

    A value outside the bounds comes back as less than any value, with the FAULT in a register.
    """
    registers, limits = stack.registers, stack.limits
    acting = calls.acting
    registers[NODES] += 1
    if acting(tables, stack.state) == NOBODY:
        payoffs = calls.payoffs
        payoffs(tables, stack.state, stack.payoffs)
        registers[FOUND_MARKS] = BOTH_TO_END
        value = stack.payoffs[0]
        if len(stack.payoffs) == 2 and abs(value + stack.payoffs[1] - limits[SUM]) > _SUM_ROUNDING:
            value = NOTHING_YET
        return _inside(stack, value, BAD_PAYOFF)
    registers[LEAVES] += 1
    registers[FOUND_MARKS] = 0
    if stack.params[HAS_EVALUATION] == 0:
        return limits[MIDDLE]
    evaluate = calls.evaluate
    return _inside(stack, evaluate(weights, tables, stack.state), BAD_EVALUATION)
