"""The definition of what questions are about, in plain Python: slow, short and easy to believe.

No table of bounds, no window, no order of moves: the value of a position is the best of those of
the positions after it, for whoever moves there.
"""

from trellis.game.game import Position


def value_of(position: Position, known: dict[Position, float] | None = None) -> float:
    """Return what player 0 gets from a position if both play well, by looking at all that follow.

    >>> from trellis.loading import load
    >>> value_of(load("nim:heaps=1-2").start())
    1.0
    """
    known = {} if known is None else known
    waiting = [position]
    while waiting:
        here = waiting[-1]
        if here in known:
            waiting.pop()
            continue
        if here.is_over:
            known[here] = here.payoffs()[0]
            continue
        after = [here.play(move) for move in here.move_codes()]
        missing = [each for each in after if each not in known]
        if missing:
            waiting += missing
            continue
        best = max if here.acting == 0 else min
        known[here] = best(known[each] for each in after)
    return known[position]
