"""A chance node with one move and then leaves below each outcome, searched in one go.

Most positions of a search lie here.  Taken apart like any other node, an outcome whose probed move
was not good enough has that move judged again when all are searched.  Here its judgement is kept,
and the outcome goes on with its other moves.
"""

from trellis._kernel.jit import kernel
from trellis.game.rules import CHANCE, NOBODY, Reals, Tables
from trellis.search.star import chance_node as chance
from trellis.search.star import node as n
from trellis.search.star.decision_node import judge_moves, open_decision
from trellis.search.star.frame import Child, Frame, Stack, StarCalls
from trellis.search.star.table import BoundTable, look_up, move_in


@kernel(lean=True)
def judge_turns(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, top: int
) -> int:
    """Answer for such a node; PUSHED where an outcome is followed by another roll.

    Below zero it returns what is wrong with a leaf.  The frame above `top` is overwritten.
    """
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    below, first, acting = stack.frames[top + 1], top * len(stack.buffer), calls.acting
    probes = params.probing != 0
    # 1. What the table knows, unless that was asked already.
    if n.uses_table(params, 0, 1) and not 0 < params.etc_chance <= 2:
        _look_up_turns(calls, tables, stack, table, top)
    # 2. One move of each outcome, then all others.
    for again in range(0 if probes else 1, 2):
        for i in range(frame.count):
            child = stack.children[first + i]
            if child.high - child.low <= params.rounding or child.probability == 0.0:
                continue
            n.to_child(calls, tables, stack, top, i)
            who = acting(tables, stack.state)
            if who == CHANCE:
                return n.PUSHED
            if who == NOBODY:
                value, marks = n.judge(calls, tables, weights, stack)
                if value < params.least:
                    return -registers.fault
                chance.learn(frame, child, value, value, marks)
            else:
                registers.nodes += 1
                _open_turn(calls, tables, stack, top, child, who, again == 0)
                if again != 0 and probes:
                    _resume_turn(below, child)
                status = judge_moves(calls, tables, weights, stack, table, top + 1)
                if status < 0:
                    return status
                if again == 0:
                    _keep_turn(below, child)
                low, high = registers.found_low, registers.found_high
                chance.learn(frame, child, low, high, registers.found_marks)
            if chance.is_decided(params, frame):
                chance.finish_chance(stack, table, top)
                return n.READY
    chance.finish_chance(stack, table, top)
    return n.READY


@kernel(lean=True)
def _look_up_turns(
    calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int
) -> None:
    """Ask the table about outcomes as each would be asked about when the search came to it."""
    n.name_children(calls, tables, stack, table, top)
    for i in range(stack.frames[top].count):
        if stack.params[0].tt_at_decisions:
            chance.learn_from(stack, table, top, i)
        else:
            at = top * len(stack.buffer) + i
            child, words = stack.children[at], at * len(stack.state)
            _, _, rest = look_up(table, child.key, stack.child_states, words)
            child.table_move = move_in(rest)


@kernel(hot=True)
def _open_turn(
    calls: StarCalls, tables: Tables, stack: Stack, top: int, child: Child, who: int, probing: bool
) -> None:
    """Lay out the moves of an outcome one frame further up the stack."""
    registers, frame, below = stack.registers[0], stack.frames[top], stack.frames[top + 1]
    moves, words = calls.moves, len(stack.state)
    # 1. The position, and what is known of it.
    n.copy_state(stack.state, 0, stack.states, (top + 1) * words, words)
    below.actor, below.depth = who, 1
    below.count = moves(tables, stack.state, stack.buffer)
    below.uses_table, below.key = n.uses_table(stack.params[0], who, 1), child.key
    below.table_move = child.table_move
    n.set_known(below, child.low, child.high, child.marks)
    # 2. The window: a probed move bounds the outcome on the side of who makes it.
    alpha, beta = chance.window_below(frame, child), chance.window_above(frame, child)
    registers.asked_limit = 1 if probing else 0
    registers.asked_alpha = child.low if probing and who == 0 else alpha
    registers.asked_beta = child.high if probing and who != 0 else beta
    open_decision(stack, top + 1)


@kernel(hot=True)
def _keep_turn(below: Frame, child: Child) -> None:
    """Keep what the probed move of an outcome is worth, as who moves sees it."""
    child.probed_move, child.probed_low, child.probed_marks = below.best, below.low, below.marks


@kernel(hot=True)
def _resume_turn(below: Frame, child: Child) -> None:
    """Let an outcome begin with what its probed move is worth."""
    below.best, below.low, below.marks = child.probed_move, child.probed_low, child.probed_marks
