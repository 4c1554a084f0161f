"""What uniformly random play is worth, exactly: every position of a small game, in fractions."""

from collections.abc import Iterator
from fractions import Fraction

from trellis.game.errors import LimitReached
from trellis.game.game import Position

MOST_POSITIONS = 100_000
_FINEST = 1_000_000  # denominators of chances, which games give as floating point numbers

Row = tuple[Fraction, dict[int, Fraction]]  # a constant, and shares of positions by number


def random_play_value(start: Position, player: int = 0) -> Fraction:
    """Return what a player gets in the mean where everybody chooses any move with equal chances.

    Chances of chance are taken for the simplest fractions that they are close to.  Positions may
    come again, as long as random play ends some time.
    """
    numbers: dict[Position, int] = {}
    known: dict[int, Row] = {}
    for position, successors in _children_first(start, numbers):
        number = numbers[position]
        if not successors:
            known[number] = (Fraction(position.payoffs()[player]), {})
            continue
        constant, shares = _reduced(
            {numbers[child]: share for child, share in successors.items()}, known
        )
        # Whatever is left of the position itself comes back to it.
        back = 1 - shares.pop(number, Fraction(0))
        if back == 0:
            raise LimitReached(f"random play of {start.game.spec} never ends")
        known[number] = (constant / back, {each: part / back for each, part in shares.items()})
    constant, shares = known[numbers[start]]
    if shares:
        raise AssertionError("a position before the first one")
    return constant


def _reduced(shares: dict[int, Fraction], known: dict[int, Row]) -> Row:
    """Put in what is known, until only positions are left whose turn has not come yet."""
    constant = Fraction(0)
    while True:
        number = next((each for each in shares if each in known), None)
        if number is None:
            return constant, shares
        share = shares.pop(number)
        more, rest = known[number]
        constant += share * more
        for each, part in rest.items():
            shares[each] = shares.get(each, Fraction(0)) + share * part


def _children_first(
    start: Position, numbers: dict[Position, int]
) -> Iterator[tuple[Position, dict[Position, Fraction]]]:
    """Go through all positions, each after those it leads to that do not lead back to it."""
    numbers[start] = 0
    path = [(start, _successors(start), 0)]
    while path:
        position, successors, done = path.pop()
        children = list(successors)
        while done < len(children) and children[done] in numbers:
            done += 1
        if done == len(children):
            yield position, successors
            continue
        child = children[done]
        numbers[child] = len(numbers)
        if len(numbers) > MOST_POSITIONS:
            raise LimitReached(f"more than {MOST_POSITIONS:,} positions of {start.game.spec}")
        path += [(position, successors, done + 1), (child, _successors(child), 0)]


def _successors(position: Position) -> dict[Position, Fraction]:
    if position.is_over:
        return {}
    codes = position.move_codes()
    if position.is_chance:
        parts = [Fraction(share).limit_denominator(_FINEST) for share in position.probabilities()]
    else:
        parts = [Fraction(1, len(codes))] * len(codes)
    found: dict[Position, Fraction] = {}
    for code, part in zip(codes, parts, strict=True):
        after = position.play(code)
        found[after] = found.get(after, Fraction(0)) + part
    return found
