"""Positions after a move: played, named, looked at as far as the rules alone tell what they pay."""

from trellis._kernel.jit import kernel
from trellis.game.bits import to_int
from trellis.game.playouts import BAD_PAYOFFS, STUCK, TOO_LONG, TOO_MANY
from trellis.game.rules import NOBODY, Tables
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions.layout import QuestionCalls, Work
from trellis.search.solve.questions.table import ProofTable, fetch_line, hash_name

NO_FAILURE = 0


@kernel(takes_rules=True, lean=True)
def name_slot(calls: QuestionCalls, tables: Tables, work: Work, slot: int) -> None:
    """Name a position after the least of its images, so that all of them share what is known."""
    facts, image, trial, identity = work.facts[0], work.image, work.trial, work.identity
    words, width = facts.words, facts.name_words
    state = work.states[slot * words : (slot + 1) * words]
    for i in range(words):
        image[i] = state[i]
    for index in range(1, facts.images):
        calls.transform(tables, state, work.symmetries[index], trial)
        for i in range(words):
            ours, other = image[i] & identity[i], trial[i] & identity[i]
            if ours != other:
                if other < ours:
                    for j in range(words):
                        image[j] = trial[j]
                break
    if facts.exact_key:
        work.names[slot] = calls.key(tables, image)
    else:
        for i in range(width):
            word = work.kept[i]
            work.names[slot * width + i] = image[word] & identity[word]
    work.hashes[slot] = hash_name(work.names, slot * width, width)


@kernel(lean=True)
def label_of(work: Work, payoff: float) -> tuple[bool, int]:
    """Return whether a payoff has a label, and the place of the last one that is not above it."""
    low, high = 0, len(work.payoffs)
    while high - low > 1:
        middle = (low + high) >> 1
        if work.payoffs[middle] <= payoff:
            low = middle
        else:
            high = middle
    return work.payoffs[low] == payoff, to_int(low)


@kernel(takes_rules=True, lean=True)
def read_end(calls: QuestionCalls, tables: Tables, work: Work, slot: int) -> int:
    """Put what an end pays into the last answer; return OVER, UNLABELLED or a failure."""
    facts, now, pays = work.facts[0], work.now[0], work.pays
    state = work.states[slot * facts.words : (slot + 1) * facts.words]
    calls.payoffs(tables, state, pays)
    payoff, added, last = pays[0], pays[0] + pays[1], len(work.payoffs) - 1
    if not abs(added - facts.constant_sum) <= facts.slack:
        return BAD_PAYOFFS
    if not work.payoffs[0] - facts.slack <= payoff <= work.payoffs[last] + facts.slack:
        return BAD_PAYOFFS
    # What misses the range by a rounding counts as its end, here and in the graph search.
    payoff = min(max(payoff, work.payoffs[0]), work.payoffs[last])
    if facts.bounded:
        calls.bounds(tables, state, pays)
        if not (pays[0] == payoff and pays[1] == payoff):
            return y.OPEN_END
    known, place = label_of(work, payoff)
    if not known:
        now.payoff = payoff
        return y.UNLABELLED
    now.found_low = now.found_high = work.labels[place]
    return y.OVER


@kernel(takes_rules=True, lean=True)
def make_child(
    calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable, parent: int, slot: int
) -> int:
    """Play the move of a slot; return OPEN, OVER with what it pays, UNLABELLED or a failure.

    The line of the table that is about an open position is asked for, and its name is known.
    """
    facts = work.facts[0]
    words = facts.words
    for i in range(words):
        work.states[slot * words + i] = work.states[parent * words + i]
    state = work.states[slot * words : (slot + 1) * words]
    calls.play(tables, state, to_int(work.moves[slot]))
    if calls.acting(tables, state) == NOBODY:
        return read_end(calls, tables, work, slot)
    name_slot(calls, tables, work, slot)
    fetch_line(table, work.hashes[slot])
    work.lows[slot], work.highs[slot] = y.LEAST, y.MOST
    if facts.bounded:
        calls.bounds(tables, state, work.pays)
        _, place = label_of(work, work.pays[0])
        work.lows[slot] = work.labels[place]
        known, place = label_of(work, work.pays[1])
        if not known:
            place = min(place + 1, len(work.labels) - 1)
        work.highs[slot] = work.labels[place]
    return y.OPEN


@kernel(takes_rules=True, lean=True)
def count_replies(calls: QuestionCalls, tables: Tables, work: Work, slot: int, first: int) -> int:
    """Count the moves after a move; they are listed where the next level will list its own."""
    facts = work.facts[0]
    state = work.states[slot * facts.words : (slot + 1) * facts.words]
    return calls.moves(tables, state, work.moves[first + facts.wide : first + 2 * facts.wide])


@kernel(takes_rules=True, lean=True)
def open_level(calls: QuestionCalls, tables: Tables, work: Work) -> tuple[int, bool]:
    """List the moves of the position that waits; return a failure, and whether a move wins now."""
    facts, now = work.facts[0], work.now[0]
    if now.top >= facts.deepest:
        return TOO_LONG, False
    slot, first, level = now.asked, 1 + now.top * facts.wide, work.levels[now.top]
    state = work.states[slot * facts.words : (slot + 1) * facts.words]
    listed = work.moves[first : first + facts.wide]
    scores = work.scores[first : first + facts.wide]
    for i in range(facts.wide):
        scores[i] = 0
    level.slot, level.who, level.began = slot, calls.acting(tables, state), now.nodes
    level.count = count = calls.moves(tables, state, listed)
    if count < 1:
        return STUCK, False
    if count > facts.wide:
        return TOO_MANY, False
    won = facts.hinted and calls.hint(tables, state, listed, count, scores) != 0
    return NO_FAILURE, won


@kernel(hot=True)
def remember(work: Work, result: int) -> None:
    """Count entries of the table."""
    if result > 0:
        work.now[0].stored += 1
    elif result < 0:
        work.now[0].replaced += 1
