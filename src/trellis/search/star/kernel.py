"""Star1, Star2 and Star2-TT in one kernel; without pruning it is expectimax.

The value of a position to a depth is what the evaluation, or the end of the game, is worth at the
leaves, the average where chance acts, and the best where a player does.  A search is asked for that
value *within a window*: from alpha up to beta.  It answers with two bounds that hold in any case;
where the value lies inside the window they meet.

At a chance node with outcomes of probability p_i, of which l_i and h_i are known bounds,
    L = sum of p_i l_i  and  H = sum of p_i h_i
bound its value.  Once L >= beta or H <= alpha nothing more is needed.  An outcome is therefore
asked for within
    (alpha - (H - p_i h_i)) / p_i   below which the whole must be at most alpha, and
    (beta  - (L - p_i l_i)) / p_i   above which it must be at least beta.
That is Star1.  Star2 first has each outcome searched for its first move or moves only, which gives
a player's node a bound on one side cheaply.  Star2-TT first takes what a table knows of the node,
then of each outcome.
"""

from trellis._kernel.jit import kernel
from trellis.game.rules import CHANCE, NOBODY, Reals, Tables
from trellis.search.star import chance_node as chance
from trellis.search.star import decision_node as decision
from trellis.search.star import frame as f
from trellis.search.star import node as n
from trellis.search.star.frame import Stack, StarCalls
from trellis.search.star.frontier import judge_turns
from trellis.search.star.table import BoundTable, look_up, move_in


@kernel(lean=True)
def _ask_table(calls: StarCalls, tables: Tables, stack: Stack, table: BoundTable, top: int) -> bool:
    """Take what the table knows of a position; tell whether that answers the question.

    At the root a player wants the best move, and the one an entry has may be from another search.
    """
    params, registers, frame = stack.params[0], stack.registers[0], stack.frames[top]
    low, high, marks, table_move = params.least, params.most, f.BOTH_TO_END, -1
    who, depth, answers = frame.actor, frame.depth, False
    frame.uses_table = n.uses_table(params, who, depth)
    if frame.uses_table:
        frame.key = n.key_of(calls, tables, params, stack.state, depth)
        lower, upper, rest = look_up(table, frame.key, stack.state, 0)
        table_move = move_in(rest)
        trusts = params.tt_at_chance if who == CHANCE else params.tt_at_decisions and top != 0
        if rest != 0 and trusts:
            low, high, marks = n.usable(params, lower, upper, rest, depth)
            answers = high - low <= params.rounding or (
                params.prune
                and (
                    low >= registers.asked_beta - params.rounding
                    or high <= registers.asked_alpha + params.rounding
                )
            )
    if answers:
        n.answer(registers, low, high, marks)
    frame.table_move = table_move
    n.set_known(frame, low, high, marks)
    return answers


@kernel(lean=True)
def enter(calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable) -> int:
    """Look at the position that waits: it has an answer at once, or is taken apart.

    Returns READY with an answer, PUSHED where it has become the top of the stack, or, below zero,
    what is wrong with the game or its evaluation.
    """
    params, registers = stack.params[0], stack.registers[0]
    # 1. A leaf.
    acting, depth = calls.acting, registers.asked_depth
    who = NOBODY if depth == 0 else acting(tables, stack.state)
    if who == NOBODY:
        value, marks = n.judge(calls, tables, weights, stack)
        n.answer(registers, value, value, marks)
        return n.READY if value >= params.least else -registers.fault
    # 2. One that the table can answer for.
    registers.nodes += 1
    top = registers.top
    if top >= len(stack.frames):
        return -f.TOO_DEEP
    frame = stack.frames[top]
    frame.actor, frame.depth, frame.best = who, depth, -1
    if _ask_table(calls, tables, stack, table, top):
        return n.READY
    # 3. Its moves; those of the last ply are judged in one go.
    moves, words = calls.moves, len(stack.state)
    n.copy_state(stack.state, 0, stack.states, top * words, words)
    frame.count = moves(tables, stack.state, stack.buffer)
    frame.next = frame.test = 0
    if who == CHANCE:
        if not chance.open_chance(calls, tables, stack, top, depth == 1):
            return -f.BAD_CHANCES
        if depth == 1:
            return chance.judge_outcomes(calls, tables, weights, stack, table, top)
        # Enhanced transposition cutoffs, here and below: `etc_chance` and `etc_moves` are settings.
        if params.etc_chance != 0 and depth >= params.etc_chance:
            if chance.ask_for_outcomes(calls, tables, stack, table, top):
                return n.READY
        if depth == 2 and params.reuse_probe:
            status = judge_turns(calls, tables, weights, stack, table, top)
            if status != n.PUSHED:
                return status
    else:
        decision.open_decision(stack, top)
        if depth == 1:
            return decision.judge_moves(calls, tables, weights, stack, table, top)
        if params.etc_moves != 0 and depth >= params.etc_moves:
            if decision.ask_for_moves(calls, tables, stack, table, top):
                return n.READY
    # 4. It becomes the top of the stack.
    registers.top = top + 1
    return n.PUSHED


@kernel(entry=True, lean=True)
def run(
    calls: StarCalls, tables: Tables, weights: Reals, stack: Stack, table: BoundTable, stop: int
) -> int:
    """Search on until there is an answer or so many positions have been looked at in all.

    Returns DONE with the answer and the root's move in the registers, MORE where it can be called
    again to go on, or what is wrong with the game or its evaluation.
    """
    registers = stack.registers[0]
    while True:
        answered = False
        # 1. Look at the position that waits, if one does.
        if registers.entering:
            if registers.nodes >= stop:
                return f.MORE
            registers.entering = False
            status = enter(calls, tables, weights, stack, table)
            if status < 0:
                return -status
            answered = status == n.READY
        # 2. Else have the top of the stack ask for another one, or answer.
        if not answered:
            top = registers.top - 1
            if stack.frames[top].actor == CHANCE:
                answered = chance.advance_chance(calls, tables, stack, table, top)
            else:
                answered = decision.advance_decision(calls, tables, stack, table, top)
            if not answered:
                continue
            registers.top = top
        # 3. Tell an answer to the frame that asked.
        if registers.top == 0:
            registers.root_move = stack.frames[0].best
            return f.DONE
        top = registers.top - 1
        if stack.frames[top].actor == CHANCE:
            chance.take_outcome(stack, top)
        else:
            decision.take_move(stack, top)
