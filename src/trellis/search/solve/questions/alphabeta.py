"""Alpha-beta with an empty window: whether player 0 gets at least a payoff.

All moves of a position are played when it is opened.  Ends answer at once; then all others are
named and their lines of the table fetched together, and only then is the table asked about any of
them, so that nobody waits for memory and an answer that the table has is found before anything is
searched (enhanced transposition cutoffs).  What is left is searched, best first.

Bounds are as tight as what was seen allows (fail-soft): a question that is answered tells of other
questions as well, and every bound is the payoff of some end.

Where several threads search one position they share the table.  A move that another thread is
searching is put off until the others were searched (deferred, as in ABDADA): by then its answer may
be there.  That changes the order of moves and nothing else.
"""

from trellis._kernel.jit import kernel
from trellis._kernel.memory import word_at
from trellis.game.bits import ZERO, to_int
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

# Parts of the score of a move: a hint, then what random games or earlier cutoffs suggest.
_HINT_AT = 36
_KILLER = 1 << 35
_REPLY_AT = 26
_CREDIT = 25  # for a move that was good enough
_MOST_CREDIT = 1 << 32  # then all credits are halved
_DEFERRED = 1 << 58  # taken off the score of a move that another thread is searching
_SEARCHED_MASK = (1 << 12) - 1


@kernel(lean=True)
def ask_table(work: Work, table: ProofTable, slot: int) -> bool:
    """Put what is known of a position into the last answer; tell whether it answers."""
    now, width = work.now[0], work.facts[0].name_words
    found, low, high = look_up(table, work.hashes[slot], work.names, slot * width)
    now.found_low, now.found_high = work.lows[slot], work.highs[slot]
    if found:
        now.found_low = max(now.found_low, low - y.MOST)
        now.found_high = min(now.found_high, high - y.MOST)
    return now.found_low >= now.target or now.found_high < now.target


@kernel(lean=True)
def _finish(work: Work, table: ProofTable, level: Level) -> None:
    """Answer for a position, and keep the answer."""
    now, width = work.now[0], work.facts[0].name_words
    low, high = level.low, level.high
    if level.who != 0:
        low, high = -high, -low
    low, high = max(low, level.known_low), min(high, level.known_high)
    now.found_low, now.found_high = low, high
    slot, cost = level.slot, cost_of(now.nodes - level.began)
    result = store(
        table, work.hashes[slot], work.names, slot * width, low + y.MOST, high + y.MOST, cost, True
    )
    remember(work, result)


@kernel(lean=True)
def _learn(work: Work, table: ProofTable, level: Level, move: int) -> bool:
    """Take the answer of a move; True where it is good enough, with the position's own ready."""
    facts, now, who = work.facts[0], work.now[0], level.who
    low, high, aim = now.found_low, now.found_high, now.target
    if who != 0:
        low, high, aim = -high, -low, 1 - aim
    level.low, level.high = max(low, level.low), max(high, level.high)
    if low < aim:
        return False
    level.high = y.MOST  # not all moves were looked at
    if facts.history:
        at = who * facts.codes + move
        work.history[at] += _CREDIT
        if work.history[at] > _MOST_CREDIT:
            for i in range(len(work.history)):
                work.history[i] >>= 1
    work.killers[now.top] = move
    _finish(work, table, level)
    return True


@kernel(takes_rules=True, lean=True)
def _score(
    calls: QuestionCalls, tables: Tables, work: Work, level: Level, child: int, first: int
) -> int:
    """Return how early to search a move."""
    facts, move = work.facts[0], to_int(work.moves[child])
    hint = min(max(work.scores[child], -y.GREATEST_HINT), y.GREATEST_HINT)
    score = hint << _HINT_AT
    at = level.who * facts.codes + move
    if facts.rated:
        score += work.rated[at]
    if facts.history:
        score += work.history[at]
    if facts.replies:
        score -= count_replies(calls, tables, work, child, first) << _REPLY_AT
    if work.killers[work.now[0].top] == move:
        score += _KILLER
    return score


@kernel(takes_rules=True, lean=True)
def _play_moves(
    calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable, level: Level
) -> int:
    """Play all moves; return a status, OVER where one of them is good enough already."""
    facts, now = work.facts[0], work.now[0]
    first = 1 + now.top * facts.wide
    for child in range(first, first + level.count):
        if work.scores[child] == NEEDLESS:
            continue
        made = make_child(calls, tables, work, table, level.slot, child)
        if made == y.OPEN:
            continue
        if made != y.OVER:
            return made
        work.scores[child] = NEEDLESS  # nothing is left to be searched
        if _learn(work, table, level, to_int(work.moves[child])):
            return y.OVER
    return y.OPEN


@kernel(takes_rules=True, lean=True)
def _open(calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable) -> tuple[int, bool]:
    """Look at the position that waits; return a failure or NEW_PAYOFF, and whether it is answered.

    What is not answered is the top of the stack.  Until then nothing is lost if rules in plain
    Python are left in the middle: it is opened again.
    """
    facts, now = work.facts[0], work.now[0]
    failure, won = open_level(calls, tables, work)
    if failure != NO_FAILURE:
        return failure, False
    level, first = work.levels[now.top], 1 + now.top * facts.wide
    level.known_low, level.known_high = now.asked_low, now.asked_high
    level.low = level.high = y.LEAST
    if won:
        now.found_low = now.found_high = y.MOST if level.who == 0 else y.LEAST
        now.nodes += 1
        return NO_FAILURE, True
    made = _play_moves(calls, tables, work, table, level)
    if made != y.OPEN:
        if made == y.UNLABELLED:
            return y.NEW_PAYOFF, False
        now.nodes += 1
        return (NO_FAILURE, True) if made == y.OVER else (made, False)
    left = 0
    for child in range(first, first + level.count):
        if work.scores[child] == NEEDLESS:
            continue
        if ask_table(work, table, child):
            if _learn(work, table, level, to_int(work.moves[child])):
                now.nodes += 1
                return NO_FAILURE, True
            continue
        work.scores[child] = _score(calls, tables, work, level, child, first)
        work.order[first + left] = child
        left += 1
    level.count, level.next = left, 0
    now.nodes += 1
    now.top += 1
    return NO_FAILURE, False


@kernel(lean=True)
def _select(work: Work, place: int, end: int) -> None:
    """Bring the slot that is to be searched next to its place in the order."""
    order, scores = work.order, work.scores
    best = place
    for i in range(place + 1, end):
        if scores[order[i]] > scores[order[best]]:
            best = i
    order[place], order[best] = order[best], order[place]


@kernel(lean=True)
def _choose(work: Work, level: Level, first: int) -> int:
    """Return the slot of the move to be searched now; one that others search now comes later."""
    place, end = first + level.next, first + level.count
    _select(work, place, end)
    if work.facts[0].threads > 1 and level.next > 0:
        for _ in range(end - place - 1):
            slot = work.order[place]
            busy = work.searching[to_int(work.hashes[slot]) & _SEARCHED_MASK]
            if busy != work.hashes[slot] or work.scores[slot] < -_DEFERRED // 2:
                break
            work.scores[slot] -= _DEFERRED
            _select(work, place, end)
    return work.order[place]


@kernel(entry=True, lean=True)
def alpha_beta(
    calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable, budget: int
) -> int:
    """Go on for about so many positions; return ANSWERED, MORE, NEW_PAYOFF or a failure."""
    facts, now, levels = work.facts[0], work.now[0], work.levels
    until, several = now.nodes + budget, facts.threads > 1
    while True:
        answered = True
        if now.entering:
            if now.nodes >= until or now.stored >= now.room:
                return y.MORE
            if several and word_at(work.stop, 0) != ZERO:
                return y.MORE
            status, answered = _open(calls, tables, work, table)
            if status != NO_FAILURE:
                return status
            now.entering = False
        if now.top == 0:
            return y.ANSWERED
        level, first = levels[now.top - 1], 1 + (now.top - 1) * facts.wide
        if answered:
            slot = work.order[first + level.next - 1]
            if several:
                at = to_int(work.hashes[slot]) & _SEARCHED_MASK
                if work.searching[at] == work.hashes[slot]:
                    work.searching[at] = ZERO
            now.top -= 1  # `_learn` is about the level that it is told
            if _learn(work, table, level, to_int(work.moves[slot])):
                continue
            now.top += 1
        if level.next == level.count:
            now.top -= 1
            _finish(work, table, level)
            continue
        slot = _choose(work, level, first)
        level.next += 1
        now.asked = slot
        now.entering = not ask_table(work, table, slot)
        now.asked_low, now.asked_high = now.found_low, now.found_high
        if several and now.entering:
            work.searching[to_int(work.hashes[slot]) & _SEARCHED_MASK] = work.hashes[slot]
