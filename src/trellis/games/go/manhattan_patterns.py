"""Random games of Go with move groups that answer the last move, in a file of their own.

Only who asks for them has them compiled.
"""

from trellis._kernel.jit import kernel
from trellis.game.rules import PLAYOUT, Moves, Random, Reals, State, Tables
from trellis.games.go.manhattan import inner_words, leave_group
from trellis.games.go.pattern_playout import pattern_playout


@kernel(PLAYOUT)
def grouped_pattern_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals
) -> int:
    """Make the move for which a group has been chosen, then play as without groups."""
    first = leave_group(tables, state, rng, buffer)
    plies = pattern_playout(tables, state[: inner_words(tables)], rng, buffer, out)
    return first + plies if plies >= 0 else plies
