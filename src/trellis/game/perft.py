"""Counting: how many games of each length there are, and how many *distinct positions* they meet.

A layer holds every position reachable in exactly so many moves, each once, with the number of
move sequences that lead to it.  Counting sequences over distinct positions is what makes deep
counts quick: Connect Four has 7^8 sequences of eight moves but 184,275 positions.
Positions are compared word by word, so the counts are exact, not "up to hash collisions".
"""

from collections.abc import Callable
from dataclasses import dataclass

import numba.types as nt
import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding, stop_asked
from trellis._kernel.jit import kernel, plain
from trellis.game.bits import ONE, ZERO, copy_words
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position
from trellis.game.playouts import heedful
from trellis.game.rules import (
    ACTING,
    I32,
    I64,
    KEY,
    MOVES,
    NOBODY,
    PLAY,
    TABLES,
    U64,
    Counts,
    Moves,
    State,
    Tables,
)

DEFAULT_MEMORY = 4 << 30  # bytes, about; decides how many positions a layer may hold
_SLICE = 2_000  # positions between two looks at the clock and the keyboard

_U64_2D = nt.Array(nt.uint64, 2, "C")
_function = nt.FunctionType


@dataclass(frozen=True)
class Ply:
    """What there is after exactly `ply` moves; chance outcomes count as moves."""

    ply: int
    games: int  # move sequences of exactly this length
    positions: int  # different positions they lead to
    ended: int  # those sequences after which the game is over


@kernel(nt.void(_U64_2D, I64, nt.int64))
def _index_again(rows: State, slots: Counts, used: int) -> None:
    """Fill an enlarged table of slots with the rows already stored."""
    mask = np.uint64(len(slots) - 1)
    for row in range(used):
        slot = rows[row, 0] & mask
        while slots[np.int64(slot)] >= 0:
            slot = (slot + ONE) & mask
        slots[np.int64(slot)] = row


# A row: key, count (low word), count (high word), then the words of the state.
KEY_AT, LOW_AT, HIGH_AT, STATE_AT = 0, 1, 2, 3


@kernel(
    nt.int64(
        _function(ACTING), _function(MOVES), _function(PLAY), _function(KEY), TABLES,
        _U64_2D, nt.int64, nt.int64, nt.boolean, _U64_2D, I64, I64, U64, I32, U64, U64,
    )
)  # fmt: skip
def _expand(
    acting: object, moves: object, play: object, key: object, tables: Tables,
    rows: State, first: int, last: int, only_look: bool, after: State, slots: Counts,
    used: Counts, ended: State, buffer: Moves, here: State, there: State,
) -> int:  # fmt: skip
    """Play every move of rows[first:last] into `after`; stop early where that runs full.

    Returns the first row not done.  `ended` adds up (as two words) the sequences that are over;
    with `only_look` nothing else is done.
    """
    words = rows.shape[1] - STATE_AT
    mask = np.uint64(len(slots) - 1)
    for row in range(first, last):
        if used[0] + len(buffer) > len(after):
            return row
        low, high = rows[row, LOW_AT], rows[row, HIGH_AT]
        for word in range(words):
            here[word] = rows[row, STATE_AT + word]
        if acting(tables, here) == NOBODY:  # type: ignore[operator]
            ended[0] += low
            ended[1] += high + (ONE if ended[0] < low else ZERO)
            continue
        if only_look:
            continue
        count = moves(tables, here, buffer)  # type: ignore[operator]
        for i in range(count):
            copy_words(here, there)
            play(tables, there, np.int64(buffer[i]))  # type: ignore[operator]
            code = np.uint64(key(tables, there))  # type: ignore[operator]
            slot = code & mask
            while True:
                found = np.int64(slots[np.int64(slot)])
                if found < 0:
                    found = used[0]
                    slots[np.int64(slot)] = found
                    used[0] = found + 1
                    after[found, KEY_AT] = code
                    after[found, LOW_AT] = low
                    after[found, HIGH_AT] = high
                    for word in range(words):
                        after[found, STATE_AT + word] = there[word]
                    break
                same = after[found, KEY_AT] == code
                for word in range(words):
                    same = same and after[found, STATE_AT + word] == there[word]
                if same:
                    after[found, LOW_AT] += low
                    carry = ONE if after[found, LOW_AT] < low else ZERO
                    after[found, HIGH_AT] += high + carry
                    break
                slot = (slot + ONE) & mask
    return last


def perft(
    game: Game | Position,
    depth: int,
    *,
    limit: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> list[Ply]:
    """Count games and distinct positions for each ply from 0 to `depth`.

    Fewer plies come back where every game ends sooner.  `progress(ply, share)` is called now and
    then; where somebody asks to stop, the plies that were counted whole come back.  `LimitReached`
    is raised before a layer would hold more than `limit` positions; without
    a limit, before it would take more than about four gigabytes.

    >>> from trellis.loading import load
    >>> [ply.positions for ply in perft(load("tic_tac_toe"), 3)]
    [1, 9, 72, 252]
    """
    if depth < 0:
        raise BadParameter(f"bad depth {depth}: expected 0 or more")
    start = game if isinstance(game, Position) else game.start()
    game = start.game
    limit = default_limit(game) if limit is None else limit
    if limit < 1:
        raise BadParameter(f"bad limit {limit}: expected 1 or more")
    most_rows = limit + game.max_moves
    rules = game.rules
    expand = _expand if game.compiled else plain(_expand)
    play = heedful(game, rules.play)
    words = game.state_words
    buffer = np.empty(game.max_moves, np.int32)
    here, there = np.empty(words, np.uint64), np.empty(words, np.uint64)

    rows = np.zeros((1, STATE_AT + words), np.uint64)
    rows[0, LOW_AT] = 1
    rows[0, STATE_AT:] = start.state
    plies: list[Ply] = []
    for ply in range(depth + 1):
        total = _total(rows[:, LOW_AT], rows[:, HIGH_AT])
        if ply < depth and total * game.max_moves >= 1 << 128:
            raise LimitReached(
                f"{game.spec} has more games than 128 bits can count after ply {ply}: "
                "expected a smaller depth"
            )
        wanted = 2 * max(game.max_moves, 0 if ply == depth else len(rows))
        after, slots = _layer(min(wanted, most_rows), words)
        used = np.zeros(1, np.int64)
        ended = np.zeros(2, np.uint64)
        row = 0
        while row < len(rows):
            try:
                with heeding(None):
                    done = expand(
                        rules.acting, rules.moves, play, rules.key, game.tables,
                        rows, row, min(row + _SLICE, len(rows)), ply == depth, after, slots, used,
                        ended, buffer, here, there,
                    )  # fmt: skip
            except TimeIsUp:
                return plies
            if stop_asked():
                return plies
            if done < min(row + _SLICE, len(rows)):
                if used[0] >= limit:
                    raise _too_many(game, ply, limit)
                after, slots = _enlarged(after, int(used[0]), min(2 * len(after), most_rows))
            row = int(done)
            if progress is not None:
                progress(ply, row / len(rows))
        if used[0] > limit:
            raise _too_many(game, ply, limit)
        plies.append(Ply(ply, total, len(rows), _big(ended)))
        rows = np.ascontiguousarray(after[: int(used[0])])
        if not len(rows):
            break
    return plies


def _too_many(game: Game, ply: int, limit: int) -> LimitReached:
    return LimitReached(
        f"{game.spec} has more than {limit:,} positions at ply {ply + 1}: "
        f"counted to ply {ply}; raise the limit or lower the depth"
    )


def default_limit(game: Game) -> int:
    """Return how many positions a layer may hold: two layers at once, each with its index."""
    bytes_each = 8 * (STATE_AT + game.state_words) + 32
    return DEFAULT_MEMORY // (2 * bytes_each)


def _layer(capacity: int, words: int) -> tuple[State, Counts]:
    slots = 16
    while slots < 2 * capacity:
        slots *= 2
    return np.empty((capacity, STATE_AT + words), np.uint64), np.full(slots, -1, np.int64)


def _enlarged(rows: State, used: int, capacity: int) -> tuple[State, Counts]:
    bigger, slots = _layer(capacity, rows.shape[1] - STATE_AT)
    bigger[:used] = rows[:used]
    _index_again(bigger, slots, used)
    return bigger, slots


def _big(pair: State) -> int:
    return int(pair[0]) + (int(pair[1]) << 64)


def _total(low: State, high: State) -> int:
    """Add up 128-bit counts in halves of 32 bits, so that no sum overflows."""
    total = 0
    for words, shift in ((low, 0), (high, 64)):
        total += int((words & np.uint64(0xFFFF_FFFF)).sum(dtype=np.uint64)) << shift
        total += int((words >> np.uint64(32)).sum(dtype=np.uint64)) << (shift + 32)
    return total
