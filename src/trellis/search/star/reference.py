"""The definition of what star searches compute, in plain Python: slow, and easy to believe."""

from collections.abc import Callable

from trellis.game.game import Position

Judge = Callable[[Position], float]


def expectimax(
    position: Position,
    depth: int,
    judge: Judge,
    known: dict[tuple[bytes, int], float] | None = None,
) -> float:
    """Return what player 0 can expect from a position, looking `depth` plies ahead.

    Chance and players alike take a ply each.  `judge` tells what a position is worth where the
    depth ends.  The same position to the same depth is worked out once.
    """
    known = {} if known is None else known
    if position.is_over:
        return position.payoffs()[0]
    if depth == 0:
        return judge(position)
    at = (position.state.tobytes(), depth)
    if at in known:
        return known[at]
    values = [
        expectimax(position.play(code), depth - 1, judge, known) for code in position.move_codes()
    ]
    if position.is_chance:
        value = sum(p * v for p, v in zip(position.probabilities(), values, strict=True))
    else:
        value = max(values) if position.acting == 0 else min(values)
    known[at] = value
    return value
