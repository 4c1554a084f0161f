"""Null windows at a chance node that is expected to fall outside its own.

Star2's probing shows cheaply that a chance node is good enough for the player who moves after it:
one good move of each outcome is a bound.  That the node is too *bad* for him takes all his moves,
and until most outcomes are known Star1 asks for each of them in a window so wide that nothing is
left out.  But often the table remembers all outcomes from an earlier, shallower search.  Where
their average lies beyond the window on that side, by `ahead`, it is enough to show of each outcome
that it is no better than its guess plus its part of `ahead`: a question of yes or no, asked with a
window of no width (a null window).  Where all say yes their bounds add up to the edge of the
window.  Where one says no, the tests end; what they found is kept, and the search goes on as ever.
"""

from trellis._kernel.jit import kernel
from trellis.game.rules import NOBODY, Tables
from trellis.search.star.frame import (
    AHEAD,
    AIM,
    ALPHA,
    BETA,
    COUNT,
    DEPTH,
    LEAST,
    LEVEL_INTS,
    LEVEL_REALS,
    MOST,
    NARROWEST,
    NEXT,
    ROUNDING,
    UNTESTED,
    Stack,
    StarCalls,
)
from trellis.search.star.node import NOTHING_YET, ask, to_child


@kernel(hot=True)
def guess_from(stack: Stack, under: float, over: float) -> float:
    """Return what bounds of any depth make of a position; NOTHING_YET where they say nothing."""
    says_under, says_over = under > stack.limits[LEAST], over < stack.limits[MOST]
    if says_under and says_over:
        return 0.5 * (under + over)
    if says_under:
        return under
    return over if says_over else NOTHING_YET


@kernel(lean=True)
def take_aim(calls: StarCalls, tables: Tables, stack: Stack, top: int) -> bool:
    """Tell whether outcomes should be tested, given a guess of each; leave the aim.

    The aim is 1 where the node should lie above its window, -1 below.
    """
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    acting = calls.acting
    total = weight = 0.0
    mover = NOBODY
    for child in range(stack.levels[level + COUNT]):
        at = first + child
        low, high, share = stack.lows[at], stack.highs[at], stack.chances[at]
        if high - low <= stack.limits[ROUNDING] or share == 0.0:
            total += share * low
            continue
        if stack.guesses[at] == NOTHING_YET:
            return False
        stack.guesses[at] = max(low, min(high, stack.guesses[at]))
        total += share * stack.guesses[at]
        weight += share
        to_child(calls, tables, stack, top, child)
        who = acting(tables, stack.state)
        if who < 0 or mover not in (NOBODY, who):
            return False  # there is no side that probing cannot show
        mover = who
    if mover == NOBODY:
        return False
    aim = 1 if mover == 1 else -1
    edge = stack.values[values + BETA] if aim > 0 else stack.values[values + ALPHA]
    stack.levels[level + AIM] = aim
    stack.values[values + AHEAD] = aim * (total - edge)
    stack.values[values + UNTESTED] = weight
    return stack.values[values + AHEAD] >= 0.0


@kernel(lean=True)
def ask_for_test(calls: StarCalls, tables: Tables, stack: Stack, top: int) -> bool:
    """Ask whether the next outcome is as far out as it has to be; False where tests are over."""
    level, values, first = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer)
    aim, narrowest = stack.levels[level + AIM], stack.limits[NARROWEST]
    while stack.values[values + AHEAD] >= 0.0 and stack.values[values + UNTESTED] > 0.0:
        child = stack.levels[level + NEXT]
        if child >= stack.levels[level + COUNT]:
            return False
        at = first + child
        low, high = stack.lows[at], stack.highs[at]
        if high - low > stack.limits[ROUNDING] and stack.chances[at] > 0.0:
            target = _target(stack, top, at)
            if (target > low) if aim > 0 else (target < high):
                to_child(calls, tables, stack, top, child)
                floor = target - narrowest if aim > 0 else target
                ask(stack, stack.levels[level + DEPTH] - 1, 0, floor, floor + narrowest)
                return True
            take_test(stack, top, child)
        stack.levels[level + NEXT] = child + 1
    return False


@kernel(hot=True)
def _target(stack: Stack, top: int, at: int) -> float:
    """Return what an outcome must reach: what is ahead is shared evenly by those to come."""
    values = top * LEVEL_REALS
    spare = stack.values[values + AHEAD] / stack.values[values + UNTESTED]
    return stack.guesses[at] - stack.levels[top * LEVEL_INTS + AIM] * spare


@kernel(hot=True)
def take_test(stack: Stack, top: int, child: int) -> None:
    """Count what a tested outcome gives to those that come after it, or takes from them."""
    level, values, at = top * LEVEL_INTS, top * LEVEL_REALS, top * len(stack.buffer) + child
    aim, share = stack.levels[level + AIM], stack.chances[at]
    known = stack.lows[at] if aim > 0 else stack.highs[at]
    stack.values[values + AHEAD] += aim * share * (known - stack.guesses[at])
    stack.values[values + UNTESTED] -= share
