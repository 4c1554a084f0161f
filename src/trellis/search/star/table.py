"""A table of what is known of positions: a lower and an upper bound, each with its depth.

What an entry promises
    lower, depth     The value of a search of this position to exactly `depth` plies is at least
                     `lower`, whatever window it was found in.
    lower, to the end
                     The same, and no leaf it rests on was cut off by the depth: it holds for every
                     search to `depth` plies or more, and for the game itself.
    upper            Likewise, at most.

Values are those of player 0, in the game's own scale.  A bound may be wrong by rounding only.

An entry takes 32 bytes, two entries a line of the processor's cache.  A position goes to one of
the two places of its line.  Where both are taken by others, the one from an earlier search goes,
else the one that was searched less deep.  Threads may share a table without locks: the key is kept
mixed with the rest of its entry, so an entry that two of them wrote half each belongs to nobody.

That is good enough to search by, and not to prove by: two positions may have one key, and halves
that fit by accident are only very rare.  Where a value is to be called that of the game, the table
keeps the words of positions beside its entries and compares them, and threads lock a line before
they touch it.  `make_table(..., identity, locked)` makes such a table.
"""

from typing import Any

import numba.types as nt
import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel, plain
from trellis._kernel.lock import acquire, release
from trellis._kernel.prefetch import fetch
from trellis.game.bits import GOLDEN, ONE, ZERO, mix, to_int
from trellis.game.errors import BadParameter
from trellis.game.memory import refuse_too_much
from trellis.game.rules import State

ENTRY_WORDS = 4  # key, lower, upper, the rest
PLACES = 2

DEEPEST = (1 << 15) - 1
TO_THE_END = 1 << 15  # a bit beside the depth
_HALF = 0xFFFF
_MOVE_AT, _AGE_AT = 32, 56
_TURN, _BACK = np.uint64(29), np.uint64(35)  # bits
_MOVE_MASK = (1 << 24) - 1
MOST_MOVE_CODES = _MOVE_MASK  # a move is kept plus one: 0 is none


KEPT, LOCKED = 0, 1  # in `shape`


class BoundTable(Bundle, kinds=(nt.uint64, nt.uint64, nt.uint64, nt.uint64, nt.int64)):
    """All entries, one behind the other, and what a table besides has that proves something."""

    words: npt.NDArray[np.uint64]
    states: npt.NDArray[np.uint64]  # [entries * kept]: the words of positions, as far as they tell
    identity: npt.NDArray[np.uint64]  # [kept]: the bits that tell positions apart
    locks: npt.NDArray[np.uint64]  # one a line, where the table is locked
    shape: npt.NDArray[np.int64]  # words of a position that are kept, and whether lines are locked

    @property
    def entries(self) -> int:
        """Return how many positions it can hold."""
        return len(self.words) // ENTRY_WORDS

    def clear(self) -> None:
        """Forget everything."""
        self.words[:] = 0


BOUND_TABLE = BoundTable.kernel_type


def make_table(mebibytes: float, identity: State | None = None, locked: bool = False) -> BoundTable:
    """Make an empty table that takes at most so much memory; a power of two of lines.

    With `identity`, the bits that tell positions apart, it keeps words and compares them.
    """
    refuse_too_much(mebibytes)
    telling = np.zeros(0, np.uint64)
    if identity is not None:
        telling = identity[: int(np.flatnonzero(identity)[-1]) + 1].copy()
    kept = len(telling)
    lines = int(mebibytes * 2**20) // (8 * ((ENTRY_WORDS + kept) * PLACES + locked))
    if lines < 1:
        raise BadParameter(f"bad table of {mebibytes:g} MiB: expected room for one line at least")
    lines = 1 << lines.bit_length() - 1
    return BoundTable(
        np.zeros(lines * ENTRY_WORDS * PLACES, np.uint64),
        np.zeros(max(1, lines * kept * PLACES), np.uint64),
        telling if kept else np.zeros(1, np.uint64),
        np.zeros(lines if locked else 1, np.uint64),
        np.array([kept, locked], np.int64),
    )


@kernel()
def key_to_depth(key: np.uint64, depth: int) -> np.uint64:
    """Return the key of a position to one depth, for games that meet it at several."""
    return mix(key + np.uint64(depth) * GOLDEN)


@kernel(hot=True)
def _line(table: BoundTable, key: np.uint64) -> int:
    lines = np.uint64(len(table.words) // (ENTRY_WORDS * PLACES))
    return to_int((key & (lines - ONE)) * np.uint64(ENTRY_WORDS * PLACES))


@kernel(hot=True)
def _mixed(low: np.uint64, high: np.uint64, rest: np.uint64) -> np.uint64:
    """Mix the words of an entry; turned, since bounds that are equal would cancel each other."""
    return low ^ (high << _TURN) ^ (high >> _BACK) ^ rest


@kernel(hot=True)
def _is_of(table: BoundTable, at: int, state: State, begin: int) -> bool:
    """Tell whether an entry is that of the position whose words begin there, as far as kept."""
    kept = table.shape[KEPT]
    other = ZERO
    if kept != 0:
        first = (at // ENTRY_WORDS) * kept
        for i in range(kept):
            other |= table.states[first + i] ^ (state[begin + i] & table.identity[i])
    return other == ZERO


@kernel(hot=True)
def _lock(table: BoundTable, key: np.uint64) -> None:
    if table.shape[LOCKED] != 0:
        acquire(table.locks, _line(table, key) // (ENTRY_WORDS * PLACES))


@kernel(hot=True)
def _unlock(table: BoundTable, key: np.uint64) -> None:
    if table.shape[LOCKED] != 0:
        release(table.locks, _line(table, key) // (ENTRY_WORDS * PLACES))


@kernel(hot=True)
def _place_of(table: BoundTable, key: np.uint64, state: State, begin: int) -> int:
    """Return where the entry of a position begins, or -1."""
    at, words = _line(table, key), table.words
    for _ in range(PLACES):
        rest = words[at + 3]
        if rest != 0 and words[at] ^ _mixed(words[at + 1], words[at + 2], rest) == key:
            if _is_of(table, at, state, begin):
                return at
        at += ENTRY_WORDS
    return -1


@kernel(hot=True)
def look_up(
    table: BoundTable, key: np.uint64, state: State, begin: int
) -> tuple[float, float, int]:
    """Return the bounds of a position and the rest of its entry; a rest of 0 is no entry.

    The words of the position begin at state[begin]; they are read where the table keeps words.
    """
    _lock(table, key)
    found = _read(table, key, state, begin)
    _unlock(table, key)
    return found


@kernel(hot=True)
def _read(table: BoundTable, key: np.uint64, state: State, begin: int) -> tuple[float, float, int]:
    """Read an entry.

    Each word is read once, and what is returned is what was compared with the key: another thread
    may write another position into the same place at any moment.
    """
    at, words = _line(table, key), table.words
    for _ in range(PLACES):
        lower, upper, rest = words[at + 1], words[at + 2], words[at + 3]
        same = rest != 0 and words[at] ^ _mixed(lower, upper, rest) == key
        if same and _is_of(table, at, state, begin):
            low, high = np.uint64(lower).view(np.float64), np.uint64(upper).view(np.float64)
            return low, high, to_int(rest)
        at += ENTRY_WORDS
    return 0.0, 0.0, 0


@kernel(hot=True)
def fetch_line(table: BoundTable, key: np.uint64) -> None:
    """Ask for the line of a position that will be looked up soon."""
    fetch(table.words, _line(table, key))


@kernel(hot=True)
def depths_in(rest: int) -> tuple[int, int]:
    """Return the depths of both bounds of an entry, each with the bit TO_THE_END."""
    return rest & _HALF, (rest >> 16) & _HALF


@kernel(hot=True)
def move_in(rest: int) -> int:
    """Return the best move of an entry, or -1."""
    return ((rest >> _MOVE_AT) & _MOVE_MASK) - 1


@kernel()
def serves(found: int, depth: int, deeper: bool) -> bool:
    """Tell whether a bound of depth `found` holds for a search to `depth`.

    With `deeper`, what was searched deeper serves as well: a better judgement, another value.
    """
    known = found & DEEPEST
    if found & TO_THE_END != 0:
        return known <= depth or deeper
    return known == depth or (deeper and known > depth)


@kernel(hot=True)
def _place_for(table: BoundTable, key: np.uint64, state: State, begin: int, age: int) -> int:
    """Return where an entry is or may go."""
    found = _place_of(table, key, state, begin)
    if found >= 0:
        return found
    words = table.words
    chosen, least = -1, to_int(1 << 40)
    at = _line(table, key)
    for _ in range(PLACES):
        rest = to_int(words[at + 3])
        worth = to_int(0)
        if rest != 0:
            low, high = rest & DEEPEST, (rest >> 16) & DEEPEST
            worth = 1 + max(low, high)
            if (rest >> _AGE_AT) & 0x7F == age:
                worth += DEEPEST + 1
        if worth < least:
            chosen, least = at, worth
        at += ENTRY_WORDS
    return chosen


@kernel(hot=True)
def _old_stays(old: int, new: int, old_bound: float, new_bound: float, trivial: float) -> bool:
    """Tell whether an old lower bound stays, given both depths.

    Of two bounds that both hold for the new search the tighter one is kept.  Of two that do not
    meet, the one that says something; a bound to the end before one that is not; else the new one.
    (An upper bound is asked about with signs changed.)
    """
    if old == 0:
        return False
    if serves(old, new & DEEPEST, False):
        return old_bound > new_bound or (old_bound == new_bound and old & TO_THE_END != 0)
    return new_bound <= trivial or (old & TO_THE_END != 0 and new & TO_THE_END == 0)


@kernel(hot=True)
def store(
    table: BoundTable, key: np.uint64, state: State, begin: int, lower: float, upper: float,
    lower_depth: int, upper_depth: int, move: int, age: int, least: float, most: float,
) -> None:  # fmt: skip
    """Keep bounds of a position; `least` and `most` are the bounds that say nothing.

    A depth is at least 1, so that no entry is all zeros.  The words of the position begin at
    state[begin].
    """
    _lock(table, key)
    old_low, old_high, old = _read(table, key, state, begin)
    if old != 0:
        old_lower, old_upper = depths_in(old)
        if _old_stays(old_lower, lower_depth, old_low, lower, least):
            lower, lower_depth = old_low, old_lower
        if _old_stays(old_upper, upper_depth, -old_high, -upper, -most):
            upper, upper_depth = old_high, old_upper
        if move < 0:
            move = move_in(old)
    rest = np.uint64(
        lower_depth | (upper_depth << 16) | ((move + 1) << _MOVE_AT) | (age << _AGE_AT)
    )
    at, words = _place_for(table, key, state, begin, age), table.words
    low_word, high_word = np.float64(lower).view(np.uint64), np.float64(upper).view(np.uint64)
    words[at] = key ^ _mixed(low_word, high_word, rest)
    words[at + 1] = low_word
    words[at + 2] = high_word
    words[at + 3] = rest
    kept = table.shape[KEPT]
    for i in range(kept):
        table.states[(at // ENTRY_WORDS) * kept + i] = state[begin + i] & table.identity[i]
    _unlock(table, key)


def read(table: BoundTable, key: int, state: State) -> dict[str, Any] | None:
    """Return the entry of a position for people and tests, or None."""
    kept = int(table.shape[KEPT])
    lines = table.entries // PLACES
    first = (key & (lines - 1)) * ENTRY_WORDS * PLACES
    for at in range(first, first + ENTRY_WORDS * PLACES, ENTRY_WORDS):
        entry = table.words[at : at + ENTRY_WORDS]
        rest = int(entry[3])
        place = at // ENTRY_WORDS * kept
        same = np.array_equal(
            table.states[place : place + kept], state[:kept] & table.identity[:kept]
        )
        if rest and same and int(entry[0] ^ plain(_mixed)(*entry[1:])) == key:
            return {
                "lower": float(entry[1].view(np.float64)),
                "upper": float(entry[2].view(np.float64)),
                "lower_depth": rest & DEEPEST,
                "lower_to_the_end": bool(rest & TO_THE_END),
                "upper_depth": rest >> 16 & DEEPEST,
                "upper_to_the_end": bool(rest >> 16 & TO_THE_END),
                "move": (rest >> _MOVE_AT & _MOVE_MASK) - 1,
            }
    return None
