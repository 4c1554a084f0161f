"""Strong solutions: what every position is worth, by the rules alone, without any search.

>>> from trellis.loading import load
>>> game = load("tic_tac_toe")
>>> solve_strongly(game)[game.start().play("b2", "a2")]
(1.0, 1.0)
"""

import numpy as np

from trellis._kernel.progress import Progress
from trellis.game.enumerate import Enumeration
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position, position_of
from trellis.game.reductions import paranoid
from trellis.search.mcts.make_params import can_bound
from trellis.search.solve import value_iteration as v
from trellis.search.solve.each_player import sides_of

_FOR_EVER = 1 << 62
DEFAULT_LIMIT = 2_000_000  # positions


def solve_strongly(
    start: Game | Position | str, *, limit: int = DEFAULT_LIMIT, progress: Progress | None = None
) -> v.PositionValues:
    """Return what player 0 gets, at least and at most, from every position that can be reached.

    The two numbers are equal except where both sides can go round for ever.  Without chance they
    are payoffs, nothing is rounded.
    """
    position = position_of(start)
    game = position.game
    if not can_bound(game):
        raise BadParameter(
            f"{game.spec} has no single value: that needs one player, or two in turn whose payoffs "
            "add up to a constant; `secure_everywhere` tells what each can secure"
        )
    found = Enumeration(
        position, None, limit, later=v.bytes_later(game), advice="too many to list them all"
    )
    # Without chance there are only so many values that bounds can take.  With it, they may
    # approach a value for ever, and are bounds wherever that ends.
    patience = v.PATIENCE if game.has_chance else _FOR_EVER
    return v.PositionValues(found, v.settle_all(found, 0.0, patience, progress)[0], 0.0)


def secure_everywhere(
    start: Game | Position | str, *, limit: int = DEFAULT_LIMIT, progress: Progress | None = None
) -> dict[Position, tuple[tuple[float, float], ...]]:
    """Return what each player can secure, and be held to, in every position that can be reached.

    As `solve_strongly`, for games of any number of players, who may choose at once; positions in
    which some have chosen and others not are left out.
    """
    position = position_of(start)
    game = position.game
    sides = sides_of(game)
    found: dict[bytes, list[tuple[float, float]]] = {}
    for player in range(game.players):
        for first in sides:
            against = paranoid(game, player, first=first)
            values = solve_strongly(against.lift(position), limit=limit, progress=progress)
            for lifted, (low, high) in values.items():
                inside = against.lower(lifted.state)
                if inside is None:
                    continue
                pairs = found.setdefault(inside.tobytes(), [game.payoff_range] * game.players)
                least, greatest = pairs[player]
                pairs[player] = low if first else least, high if first == sides[-1] else greatest
    return {
        Position(game, np.frombuffer(words, np.uint64)): tuple(pairs)
        for words, pairs in found.items()
    }
