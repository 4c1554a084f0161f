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
from trellis.search.star import node as n
from trellis.search.star.frame import Child, Frame, Params, Stack, StarCalls


@kernel(hot=True)
def guess_from(params: Params, under: float, over: float) -> float:
    """Return what bounds of any depth make of a position; NOTHING_YET where they say nothing."""
    says_under, says_over = under > params.least, over < params.most
    if says_under and says_over:
        return 0.5 * (under + over)
    if says_under:
        return under
    return over if says_over else n.NOTHING_YET


@kernel(lean=True)
def take_aim(calls: StarCalls, tables: Tables, stack: Stack, top: int) -> bool:
    """Tell whether outcomes should be tested, given a guess of each; leave the aim.

    Where it says yes, `aim`, `ahead` and `untested` of the frame are set, each guess lies within
    the bounds of its outcome, and one player moves after every outcome that is open.
    """
    params, frame, first = stack.params[0], stack.frames[top], top * len(stack.buffer)
    acting = calls.acting
    # 1. The average of guesses, and who moves next.
    total = weight = 0.0
    mover = NOBODY
    for i in range(frame.count):
        child = stack.children[first + i]
        if child.high - child.low <= params.rounding or child.probability == 0.0:
            total += child.probability * child.low
            continue
        if child.guess == n.NOTHING_YET:
            return False
        child.guess = max(child.low, min(child.high, child.guess))
        total += child.probability * child.guess
        weight += child.probability
        n.to_child(calls, tables, stack, top, i)
        who = acting(tables, stack.state)
        if who < 0 or mover not in (NOBODY, who):
            return False  # there is no side that probing cannot show
        mover = who
    if mover == NOBODY:
        return False
    # 2. How far it lies beyond the window, on the side that is bad for who moves.
    aim = 1 if mover == 1 else -1
    frame.aim = aim
    frame.ahead = aim * (total - (frame.beta if aim > 0 else frame.alpha))
    frame.untested = weight
    return frame.ahead >= 0.0


@kernel(lean=True)
def ask_for_test(calls: StarCalls, tables: Tables, stack: Stack, top: int) -> bool:
    """Ask whether the next outcome is as far out as it has to be; False where tests are over."""
    params, frame, first = stack.params[0], stack.frames[top], top * len(stack.buffer)
    aim, narrowest = frame.aim, params.narrowest
    while frame.ahead >= 0.0 and frame.untested > 0.0:
        if frame.next >= frame.count:
            return False
        child = stack.children[first + frame.next]
        if child.high - child.low > params.rounding and child.probability > 0.0:
            # What the node is ahead is shared evenly by those to come.
            target = child.guess - aim * (frame.ahead / frame.untested)
            if (target > child.low) if aim > 0 else (target < child.high):
                n.to_child(calls, tables, stack, top, frame.next)
                floor = target - narrowest if aim > 0 else target
                n.ask(stack.registers[0], frame.depth - 1, 0, floor, floor + narrowest)
                return True
            take_test(frame, child)
        frame.next += 1
    return False


@kernel(hot=True)
def take_test(frame: Frame, child: Child) -> None:
    """Count what a tested outcome gives to those that come after it, or takes from them."""
    known = child.low if frame.aim > 0 else child.high
    frame.ahead += frame.aim * child.probability * (known - child.guess)
    frame.untested -= child.probability
