"""What the compiled half of a game is: functions with fixed signatures, plus tables.

A search kernel takes these functions as values (Numba first-class functions), so it is compiled
once and serves every game; a game's functions take everything that differs between its sizes
from `Tables`, so they are compiled once and serve every size.

Signatures
    start(tables, state)                      write the start position
    acting(tables, state) -> player           or CHANCE, or NOBODY when the game is over
    moves(tables, state, out) -> count        legal moves of who acts (outcomes, for chance)
    play(tables, state, move)                 in place; the move must be legal
    payoffs(tables, state, out)               one number a player; only when nobody acts
    key(tables, state) -> hash                equal positions have equal keys, others differ as
                                              often as a hash can make them; always, where the
                                              game says `exact_key`
    chances(tables, state, out)               probabilities, in the order of `moves`
    actors(tables, state) -> set of players   as bits: all who choose at this moment
    view(tables, state) -> hash               as `key`, without choices others have just hidden
    playout(tables, state, rng, buffer, out)  random moves to the end; -> moves played
    marked_playout(tables, state, rng, buffer, made, out)
                                              as `playout`; besides, sets bit `move` in the words
                                              of `made` that belong to who makes a move: so many
                                              words a player as `move_codes` bits take, all zero
                                              before
    candidates(tables, state, out) -> count   moves that are legal here in some past: as `moves`,
                                              from what the key tells alone
    allowed(tables, state, move) -> bool      whether a candidate is legal in this past
    transform(tables, state, index, out)      the image of a position under a symmetry
    map_move(tables, index, move) -> move     the image of a move under a symmetry
    groups(tables, state, move) -> groups     as bits: the move groups a legal move belongs to
    bounds(tables, state, out)                what each player gets at least and at most from here
    batch(tables, states, count, rng, out)    as `playout` from many positions at once; payoffs of
                                              each in turn; -> moves played, or a failure
    hint(tables, state, moves, count, scores) -> wins
                                              what a solver may be told of the moves that `moves`
                                              listed: 1 where the mover gets the greatest payoff;
                                              else `scores` holds how early to try each, at most
                                              2^20 either way, or NEEDLESS for a move that need
                                              not be looked at, since a move that is not left out
                                              gives the mover as much (if all are left out, the
                                              mover gets the least payoff)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numba.types as nt
import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle

State = npt.NDArray[np.uint64]  # [state_words]: the whole position, and nothing but the position
Moves = npt.NDArray[np.int32]  # [max_moves]
Reals = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Random = npt.NDArray[np.uint64]  # [1]: the state of a random number generator

CHANCE = -1
NOBODY = -2


class Tables(Bundle):
    """What the functions of a game need to know about *this* game (its size, its geometry)."""

    ints: npt.NDArray[np.int32]
    words: npt.NDArray[np.uint64]
    reals: npt.NDArray[np.float64]


def tables(ints: Any = (), words: Any = (), reals: Any = ()) -> Tables:
    """Make `Tables` with the exact types kernels expect, never empty."""
    return Tables(
        np.ascontiguousarray([*ints] or [0], dtype=np.int32),
        np.ascontiguousarray([*words] or [0], dtype=np.uint64),
        np.ascontiguousarray([*reals] or [0], dtype=np.float64),
    )


# The array types of kernel signatures.
I32 = nt.Array(nt.int32, 1, "C")
I64 = nt.Array(nt.int64, 1, "C")
U64 = nt.Array(nt.uint64, 1, "C")
F64 = nt.Array(nt.float64, 1, "C")
TABLES = Tables.kernel_type

START = nt.void(TABLES, U64)
ACTING = nt.int64(TABLES, U64)
MOVES = nt.int64(TABLES, U64, I32)
PLAY = nt.void(TABLES, U64, nt.int64)
PAYOFFS = nt.void(TABLES, U64, F64)
KEY = nt.uint64(TABLES, U64)
CHANCES = nt.void(TABLES, U64, F64)
ACTORS = nt.uint64(TABLES, U64)
VIEW = KEY
PLAYOUT = nt.int64(TABLES, U64, U64, I32, F64)
MARKED_PLAYOUT = nt.int64(TABLES, U64, U64, I32, U64, F64)
TRANSFORM = nt.void(TABLES, U64, nt.int64, U64)
MAP_MOVE = nt.int64(TABLES, nt.int64, nt.int64)
GROUPS = nt.uint64(TABLES, U64, nt.int64)
BOUNDS = nt.void(TABLES, U64, F64)
BATCH = nt.int64(TABLES, U64, nt.int64, U64, F64)
ALLOWED = nt.boolean(TABLES, U64, nt.int64)
HINT = nt.int64(TABLES, U64, I32, nt.int64, I64)
NEEDLESS = -(1 << 40)  # what a hint says of a move that need not be looked at


class Rules(NamedTuple):
    """The functions of a game.  Those after `key` are None where a game has no use for them.

    `bounds` writes what each player gets at least and at most, two numbers a player, as far as
    that follows from the position alone.  Where a game has it, it is also asked at the ends: what
    `payoffs` says there is only believed as far as `bounds` agrees.
    """

    start: Callable[[Tables, State], None]
    acting: Callable[[Tables, State], int]
    moves: Callable[[Tables, State, Moves], int]
    play: Callable[[Tables, State, int], None]
    payoffs: Callable[[Tables, State, Reals], None]
    key: Callable[[Tables, State], Any]
    chances: Callable[[Tables, State, Reals], None] | None = None
    actors: Callable[[Tables, State], Any] | None = None
    view: Callable[[Tables, State], Any] | None = None
    playout: Callable[[Tables, State, Random, Moves, Reals], int] | None = None
    transform: Callable[[Tables, State, int, State], None] | None = None
    map_move: Callable[[Tables, int, int], int] | None = None
    groups: Callable[[Tables, State, int], Any] | None = None
    bounds: Callable[[Tables, State, Reals], None] | None = None
    batch: Callable[[Tables, State, int, Random, Reals], int] | None = None
    marked_playout: Callable[[Tables, State, Random, Moves, State, Reals], int] | None = None
    candidates: Callable[[Tables, State, Moves], int] | None = None
    allowed: Callable[[Tables, State, int], bool] | None = None
    hint: Callable[[Tables, State, Moves, int, Counts], int] | None = None


SIGNATURES = Rules(
    START, ACTING, MOVES, PLAY, PAYOFFS, KEY, CHANCES, ACTORS, VIEW, PLAYOUT,
    TRANSFORM, MAP_MOVE, GROUPS, BOUNDS, BATCH, MARKED_PLAYOUT, MOVES, ALLOWED, HINT,
)  # fmt: skip


class Calls(Bundle):
    """The functions a kernel calls, none missing: see `calls_of`."""

    start: Callable[[Tables, State], None]
    acting: Callable[[Tables, State], int]
    moves: Callable[[Tables, State, Moves], int]
    play: Callable[[Tables, State, int], None]
    payoffs: Callable[[Tables, State, Reals], None]
    key: Callable[[Tables, State], np.uint64]
    chances: Callable[[Tables, State, Reals], None]
    playout: Callable[[Tables, State, Random, Moves, Reals], int]
    transform: Callable[[Tables, State, int, State], None]
    bounds: Callable[[Tables, State, Reals], None]
    batch: Callable[[Tables, State, int, Random, Reals], int]
    marked_playout: Callable[[Tables, State, Random, Moves, State, Reals], int]
    allowed: Callable[[Tables, State, int], bool]
    candidates: Callable[[Tables, State, Moves], int]


def words_of_codes(codes: int) -> int:
    """Return how many words a player's moves take in `made`."""
    return (codes + 63) // 64
