"""Depth-first proof-number search: whether player 0 gets at least a payoff.

The proof number of a position says how many positions have yet to be proven, at least, until the
answer is yes; the disproof number how many until it is no.  The search goes to where least is
missing, and stays below a position until its numbers pass those of the second best move by a
quarter (1 + epsilon), so that it does not jump between two.  A position that nobody has looked at
begins with as many as whoever moves there has replies.

An entry of the table is about one question.  Where that is answered for a position, the entry holds
what follows: a bound that is the payoff of some end.
"""

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.rules import NEEDLESS, Tables
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions.children import (
    NO_FAILURE,
    count_replies,
    make_child,
    open_level,
    remember,
)
from trellis.search.solve.questions.layout import Level, QuestionCalls, Work
from trellis.search.solve.questions.table import ProofTable, cost_of, look_up, store

_MOST_NUMBER = y.INFINITE - 1  # that something unknown can have


@kernel(lean=True)
def _set_answer(work: Work, slot: int, yes: bool, low: int, high: int) -> None:
    """Note the answer for a position, with the bound that goes with it.

    Where the answer is yes the proof number is 0 and the other holds the lower bound; where it is
    no the disproof number is 0 and the other holds the upper bound.  Both are 0 only where the
    answer is no and the bound is the least there is.
    """
    if yes:
        work.lows[slot], work.highs[slot] = 0, low + y.MOST
    else:
        work.lows[slot], work.highs[slot] = high + y.MOST, 0


@kernel(lean=True)
def _numbers(work: Work, slot: int) -> tuple[int, int]:
    """Return the proof and the disproof number of a position."""
    pn, dn = work.lows[slot], work.highs[slot]
    if dn == 0:
        return y.INFINITE, to_int(0)
    if pn == 0:
        return to_int(0), y.INFINITE
    return pn, dn


@kernel(lean=True)
def _sum_up(work: Work, level: Level, first: int) -> tuple[int, int, int, int]:
    """Return both numbers as who moves sees them, the least but one, and the best move's slot.

    The first is how much is missing until who moves has what it wants: least of its moves.
    """
    least, second, best, total = y.INFINITE, y.INFINITE, first, to_int(0)
    for child in range(first, first + level.count):
        own, other = _numbers(work, child)
        if level.who != 0:
            own, other = other, own
        if own < least:
            least, second, best = own, least, child
        elif own < second:
            second = own
        total += other
    if least == 0:
        return to_int(0), y.INFINITE, second, best
    if least == y.INFINITE:
        return y.INFINITE, to_int(0), second, best
    return least, min(total, _MOST_NUMBER), second, best


@kernel(lean=True)
def _bound_of(work: Work, level: Level, first: int, yes: bool) -> tuple[int, int]:
    """Return the bound that follows for a position whose question is answered.

    And the slot of the move that it rests on, or -1 where it rests on all of them.
    """
    low, high = y.LEAST, y.MOST
    if yes == (level.who == 0):  # one move is enough: the best bound of those that do
        bound, best = (y.LEAST if yes else y.MOST), to_int(first)
        for child in range(first, first + level.count):
            pn, dn = _numbers(work, child)
            if yes and pn == 0 and work.highs[child] - y.MOST > bound:
                bound, best = work.highs[child] - y.MOST, to_int(child)
            elif not yes and dn == 0 and work.lows[child] - y.MOST < bound:
                bound, best = work.lows[child] - y.MOST, to_int(child)
        return bound, best
    bound = high if yes else low
    for child in range(first, first + level.count):
        if yes:
            bound = min(bound, work.highs[child] - y.MOST)
        else:
            bound = max(bound, work.lows[child] - y.MOST)
    return bound, to_int(-1)


@kernel(takes_rules=True, lean=True)
def _first_numbers(
    calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable, child: int, first: int
) -> None:
    """Give a position the numbers it begins with: from the table, from rules, or by its replies."""
    facts, now = work.facts[0], work.now[0]
    words, width = facts.words, facts.name_words
    found, pn, dn = look_up(table, work.hashes[child], work.names, child * width)
    if found:
        work.lows[child], work.highs[child] = pn, dn
    elif work.lows[child] >= now.target:  # the rules alone tell
        _set_answer(work, child, True, work.lows[child], y.MOST)
    elif work.highs[child] < now.target:
        _set_answer(work, child, False, y.LEAST, work.highs[child])
    else:
        pn = dn = 1
        if facts.replies:
            count = count_replies(calls, tables, work, child, first)
            if calls.acting(tables, work.states[child * words : (child + 1) * words]) == 0:
                dn = count
            else:
                pn = count
        work.lows[child], work.highs[child] = pn, dn


@kernel(takes_rules=True, lean=True)
def _open(calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable) -> int:
    """Open the position that waits: what is known of each of its moves; return a failure."""
    facts, now = work.facts[0], work.now[0]
    failure, won = open_level(calls, tables, work)
    if failure != NO_FAILURE:
        return failure
    level, first = work.levels[now.top], 1 + now.top * facts.wide
    level.pn, level.dn = now.asked_pn, now.asked_dn
    level.next = 1 if won else 0  # which of the moves wins at once nobody has said
    mover_gets = y.MOST if level.who == 0 else y.LEAST
    if won:
        level.count = 1
        _set_answer(work, first, level.who == 0, mover_gets, mover_gets)
    for child in range(first, first + level.count):
        if won:
            break
        if work.scores[child] == NEEDLESS:
            _set_answer(work, child, level.who != 0, -mover_gets, -mover_gets)
            continue
        made = make_child(calls, tables, work, table, level.slot, child)
        if made == y.OVER:
            bound = now.found_low
            _set_answer(work, child, bound >= now.target, bound, bound)
            work.scores[child] = NEEDLESS  # no line of the table is about it
        elif made == y.UNLABELLED:
            return y.NEW_PAYOFF
        elif made != y.OPEN:
            return made
    for child in range(first, first + level.count):
        if not won and work.scores[child] != NEEDLESS:
            _first_numbers(calls, tables, work, table, child, first)
    now.nodes += 1
    now.top += 1
    return NO_FAILURE


@kernel(lean=True)
def _leave(work: Work, table: ProofTable, level: Level, first: int, pn: int, dn: int) -> None:
    """Keep the numbers of the position on top, and go back to the one above it."""
    now, width, slot = work.now[0], work.facts[0].name_words, level.slot
    if pn == 0 or dn == 0:
        bound, best = _bound_of(work, level, first, pn == 0)
        if best >= 0 and level.next == 0:
            work.killers[now.top - 1] = work.moves[best]
        _set_answer(work, slot, pn == 0, bound, bound)
        now.found_low = bound if pn == 0 else y.LEAST
        now.found_high = y.MOST if pn == 0 else bound
    else:
        work.lows[slot], work.highs[slot] = pn, dn
    result = store(
        table, work.hashes[slot], work.names, slot * width, work.lows[slot], work.highs[slot],
        cost_of(now.nodes - level.began), False,
    )  # fmt: skip
    remember(work, result)
    now.top -= 1


@kernel(entry=True, lean=True)
def proof_numbers(
    calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable, budget: int
) -> int:
    """Go on for about so many positions; return ANSWERED, MORE, NEW_PAYOFF or a failure."""
    facts, now, levels = work.facts[0], work.now[0], work.levels
    until = now.nodes + budget
    while True:
        if now.entering:
            if now.nodes >= until or now.stored >= now.room:
                return y.MORE
            status = _open(calls, tables, work, table)
            if status != NO_FAILURE:
                return status
            now.entering = False
        level, first = levels[now.top - 1], 1 + (now.top - 1) * facts.wide
        own, other, second, best = _sum_up(work, level, first)
        most_own, most_other = level.pn, level.dn
        if level.who != 0:
            most_own, most_other = most_other, most_own
        if own != 0 and other != 0 and own < most_own and other < most_other:
            child_own, child_other = _numbers(work, best)
            if level.who != 0:
                child_own, child_other = child_other, child_own
            limit = min(most_own, second + 1 + second * facts.epsilon // 100, y.INFINITE)
            if most_other < y.INFINITE:
                most_other = min(most_other + child_other - other, y.INFINITE)
            most_other = max(most_other, child_other + 1)
            limit = max(limit, child_own + 1)
            now.asked_pn, now.asked_dn = limit, most_other
            if level.who != 0:
                now.asked_pn, now.asked_dn = most_other, limit
            now.entering, now.asked = True, best
            continue
        pn, dn = (own, other) if level.who == 0 else (other, own)
        _leave(work, table, level, first, pn, dn)
        if now.top == 0:
            return y.ANSWERED
