"""Move groups of Go: near the last two moves, or anywhere.

A move becomes two, a group and then a move of it.  Near are points within Manhattan distance 2 of
one of the last two stones, and the pass; as long as there were none, all moves.  The other group is
all moves, so the groups overlap, and whatever group it was chosen by, a move leads to the same
position.

    state   the words of Go, the last two moves, the group that was chosen

The last two moves decide what is near, but not what a position is worth: whoever wants to can
choose among all moves.  So a position is the same by whatever moves it came about (those words are
outside of `identity`), and in a search of the graph its near moves are those of the way on which
they were first looked at.  Where the near group was chosen the moves it is near to belong to the
position.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ALL, ZERO, below, hash_pair, to_int
from trellis.game.common_rules import rule
from trellis.game.rules import PLAYOUT, Moves, Random, Reals, Rules, State, Tables
from trellis.games.go import rules as go
from trellis.games.go.board import COLUMNS, HISTORY_WORDS, POINTS, WORDS
from trellis.games.go.playout import playout as go_playout
from trellis.games.go.small_playout import small_playout

NEAR, ANYWHERE = 0, 1  # the groups; as moves they come after all points and the pass
GROUP_NAMES = ("near", "all")
DISTANCE = 2
ADDED_WORDS = 2
IDENTITY = (ZERO, ALL)
# Behind the words of Go: the last two moves, 16 bits each, + 1, the last one in the low bits;
# then 0, or the chosen group + 1 and, in the bits above, the moves it is near to.
_LAST, _CHOSEN = 0, 1
_MOVE_BITS, _MOVE = np.uint64(16), np.uint64(0xFFFF)
_BOTH = np.uint64(0xFFFF_FFFF)
_GROUP_BITS, _GROUP = np.uint64(8), np.uint64(0xFF)


@kernel(inline="always")
def inner_words(tables: Tables) -> int:
    """Return how many words the position of Go has."""
    return to_int(2 * tables.ints[WORDS] + 3 + tables.ints[HISTORY_WORDS])


@kernel()
def is_near(tables: Tables, last: np.uint64, move: int) -> bool:
    """Tell whether a move is near the last ones."""
    points, columns = to_int(tables.ints[POINTS]), to_int(tables.ints[COLUMNS])
    if move == points:
        return True
    none = True
    for i in range(2):
        stone = to_int((last >> (_MOVE_BITS * np.uint64(i))) & _MOVE) - 1
        if stone < 0 or stone == points:
            continue
        none = False
        down = abs(stone // columns - move // columns)
        if down + abs(stone % columns - move % columns) <= DISTANCE:
            return True
    return none


@rule
def start(tables: Tables, state: State) -> None:
    state[:] = ZERO
    go.start(tables, state[: inner_words(tables)])


@rule
def acting(tables: Tables, state: State) -> int:
    return go.acting(tables, state[: inner_words(tables)])


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    words = inner_words(tables)
    chosen = state[words + _CHOSEN]
    if chosen == ZERO:
        out[0] = tables.ints[POINTS] + 1 + NEAR
        out[1] = tables.ints[POINTS] + 1 + ANYWHERE
        return 2
    count = go.moves(tables, state[:words], out)
    if to_int(chosen & _GROUP) - 1 == ANYWHERE:
        return count
    kept = 0
    for i in range(count):
        if is_near(tables, chosen >> _GROUP_BITS, out[i]):
            out[kept] = out[i]
            kept += 1
    return kept


@rule
def play(tables: Tables, state: State, move: int) -> None:
    words = inner_words(tables)
    group = move - tables.ints[POINTS] - 1
    if group >= 0:
        near = state[words + _LAST] << _GROUP_BITS if group == NEAR else ZERO
        state[words + _CHOSEN] = near | np.uint64(group + 1)
        return
    go.play(tables, state[:words], move)
    state[words + _LAST] = ((state[words + _LAST] << _MOVE_BITS) | np.uint64(move + 1)) & _BOTH
    state[words + _CHOSEN] = ZERO


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    go.payoffs(tables, state[: inner_words(tables)], out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    words = inner_words(tables)
    inside = go.key(tables, state[:words])
    chosen = state[words + _CHOSEN]
    return inside if chosen == ZERO else hash_pair(inside, chosen)


@kernel()
def leave_group(tables: Tables, state: State, rng: Random, buffer: Moves) -> int:
    """Make the move for which a group has been chosen, where one has; return how many it were."""
    if state[inner_words(tables) + _CHOSEN] == ZERO:
        return 0
    play(tables, state, to_int(buffer[below(rng, moves(tables, state, buffer))]))
    return 1


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    first = leave_group(tables, state, rng, buffer)
    plies = go_playout(tables, state[: inner_words(tables)], rng, buffer, out)
    return first + plies if plies >= 0 else plies


@kernel(PLAYOUT)
def playout_on_small(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    first = leave_group(tables, state, rng, buffer)
    plies = small_playout(tables, state[: inner_words(tables)], rng, buffer, out)
    return first + plies if plies >= 0 else plies


RULES = Rules(start, acting, moves, play, payoffs, key)


def with_groups(inner: Rules) -> Rules:
    """Return the rules of Go with these groups, and with the uniform random games it has."""
    return RULES._replace(playout=playout_on_small if inner.playout is small_playout else playout)
