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

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel, plain
from trellis._kernel.memory import acquire, fetch, release
from trellis.game.bits import GOLDEN, ONE, ZERO, mix, to_int
from trellis.game.errors import BadParameter
from trellis.game.memory import refuse_too_much
from trellis.game.rules import State

ENTRY = np.dtype(
    [
        ("key", np.uint64),  # mixed with all the others
        ("lower", np.float64),
        ("upper", np.float64),
        ("rest", np.uint64),  # both depths, 16 bits each, the move and the age; 0 is no entry
    ],
)
PLACES = 2  # a line

DEEPEST = (1 << 15) - 1
TO_THE_END = 1 << 15  # a bit beside the depth
_HALF = 0xFFFF
_MOVE_AT, _AGE_AT = 32, 56
_TURN, _BACK = np.uint64(29), np.uint64(35)  # bits
_MOVE_MASK = (1 << 24) - 1
MOST_MOVE_CODES = _MOVE_MASK  # a move is kept plus one: 0 is none


class BoundTable(Bundle):
    """All entries, line by line, and what a table besides has that proves something."""

    entries: Annotated[npt.NDArray[np.void], ENTRY]
    states: State  # [entries * words that are kept]: the words of positions, as far as they tell
    identity: State  # the bits that tell positions apart, a word each; empty where none are kept
    locks: State  # one a line; empty where lines are not locked

    @property
    def words_kept(self) -> int:
        """Return how many words of a position are kept."""
        return len(self.identity)

    @property
    def is_locked(self) -> bool:
        """Tell whether threads lock a line before they touch it."""
        return len(self.locks) > 0

    def clear(self) -> None:
        """Forget everything."""
        self.entries.view(np.uint8)[:] = 0


def make_table(mebibytes: float, identity: State | None = None, locked: bool = False) -> BoundTable:
    """Make an empty table that takes at most so much memory; a power of two of lines.

    With `identity`, the bits that tell positions apart, it keeps words and compares them.
    """
    refuse_too_much(mebibytes)
    telling = np.zeros(0, np.uint64)
    if identity is not None:
        telling = identity[: int(np.flatnonzero(identity)[-1]) + 1].copy()
    line_bytes = (ENTRY.itemsize + telling.nbytes) * PLACES + (8 if locked else 0)
    lines = int(mebibytes * 2**20) // line_bytes
    if lines < 1:
        raise BadParameter(f"bad table of {mebibytes:g} MiB: expected room for one line at least")
    lines = 1 << lines.bit_length() - 1
    entries = lines * PLACES
    return BoundTable.make(
        entries=entries, states=entries * len(telling), identity=telling,
        locks=lines if locked else 0,
    )  # fmt: skip


@kernel(plain_too=True)
def key_to_depth(key: np.uint64, depth: int) -> np.uint64:
    """Return the key of a position to one depth, for games that meet it at several."""
    return mix(key + np.uint64(depth) * GOLDEN)


@kernel(hot=True)
def _line(table: BoundTable, key: np.uint64) -> int:
    """Return the line of the table in which a key has its places."""
    return to_int(key & (np.uint64(len(table.entries) // PLACES) - ONE))


@kernel(hot=True)
def _mixed(lower: float, upper: float, rest: np.uint64) -> np.uint64:
    """Mix all but the key; turned, since bounds that are equal would cancel each other."""
    low, high = np.float64(lower).view(np.uint64), np.float64(upper).view(np.uint64)
    return low ^ (high << _TURN) ^ (high >> _BACK) ^ rest


@kernel(hot=True)
def _is_of(table: BoundTable, place: int, state: State, begin: int) -> bool:
    """Tell whether an entry is that of the position whose words begin there, as far as kept."""
    kept = len(table.identity)
    other = ZERO
    for i in range(kept):
        other |= table.states[place * kept + i] ^ (state[begin + i] & table.identity[i])
    return other == ZERO


@kernel(hot=True)
def _lock(table: BoundTable, key: np.uint64) -> None:
    """Keep other threads out of a key's line; nothing to do where there is one thread."""
    if len(table.locks) != 0:
        acquire(table.locks, _line(table, key))


@kernel(hot=True)
def _unlock(table: BoundTable, key: np.uint64) -> None:
    """Let other threads into a key's line again."""
    if len(table.locks) != 0:
        release(table.locks, _line(table, key))


@kernel(hot=True)
def _find(
    table: BoundTable, key: np.uint64, state: State, begin: int
) -> tuple[int, float, float, int]:
    """Return the place of a position, or -1, its bounds and the rest of its entry.

    Each word is read once, and what is returned is what was compared with the key: another thread
    may write another position into the same place at any moment.
    """
    first = _line(table, key) * PLACES
    for place in range(first, first + PLACES):
        entry = table.entries[place]
        lower, upper, rest = entry["lower"], entry["upper"], entry["rest"]
        if rest != 0 and entry["key"] ^ _mixed(lower, upper, rest) == key:
            if _is_of(table, place, state, begin):
                return place, lower, upper, to_int(rest)
    return -1, 0.0, 0.0, 0


@kernel(hot=True)
def look_up(
    table: BoundTable, key: np.uint64, state: State, begin: int
) -> tuple[float, float, int]:
    """Return the bounds of a position and the rest of its entry; a rest of 0 is no entry.

    The words of the position begin at state[begin]; they are read where the table keeps words.
    """
    _lock(table, key)
    _, lower, upper, rest = _find(table, key, state, begin)
    _unlock(table, key)
    return lower, upper, rest


@kernel(hot=True)
def fetch_line(table: BoundTable, key: np.uint64) -> None:
    """Ask for the line of a position that will be looked up soon."""
    fetch(table.entries, _line(table, key) * PLACES)


@kernel(hot=True)
def depths_in(rest: int) -> tuple[int, int]:
    """Return the depths of both bounds of an entry, each with the bit TO_THE_END."""
    return rest & _HALF, (rest >> 16) & _HALF


@kernel(hot=True)
def move_in(rest: int) -> int:
    """Return the best move of an entry, or -1."""
    return ((rest >> _MOVE_AT) & _MOVE_MASK) - 1


@kernel(plain_too=True)
def serves(found: int, depth: int, deeper: bool) -> bool:
    """Tell whether a bound of depth `found` holds for a search to `depth`.

    With `deeper`, what was searched deeper serves as well: a better judgement, another value.
    """
    known = found & DEEPEST
    if found & TO_THE_END != 0:
        return known <= depth or deeper
    return known == depth or (deeper and known > depth)


@kernel(hot=True)
def _place_for(table: BoundTable, key: np.uint64, age: int) -> int:
    """Return where a new entry goes: to a free place, an old entry's, or the least deep one's."""
    first = _line(table, key) * PLACES
    chosen, least = -1, to_int(1 << 40)
    for place in range(first, first + PLACES):
        rest = to_int(table.entries[place]["rest"])
        worth = to_int(0)
        if rest != 0:
            low, high = rest & DEEPEST, (rest >> 16) & DEEPEST
            worth = 1 + max(low, high)
            if (rest >> _AGE_AT) & 0x7F == age:
                worth += DEEPEST + 1
        if worth < least:
            chosen, least = place, worth
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
    place, old_low, old_high, old = _find(table, key, state, begin)
    if place < 0:
        place = _place_for(table, key, age)
    else:
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
    entry = table.entries[place]
    entry["key"] = key ^ _mixed(lower, upper, rest)
    entry["lower"] = lower
    entry["upper"] = upper
    entry["rest"] = rest
    kept = len(table.identity)
    for i in range(kept):
        table.states[place * kept + i] = state[begin + i] & table.identity[i]
    _unlock(table, key)


def read(table: BoundTable, key: int, state: State) -> dict[str, Any] | None:
    """Return the entry of a position for people and tests, or None."""
    place, lower, upper, rest = plain(_find)(table, np.uint64(key), state, 0)
    if place < 0:
        return None
    return {
        "lower": float(lower),
        "upper": float(upper),
        "lower_depth": int(rest & DEEPEST),
        "lower_to_the_end": bool(rest & TO_THE_END),
        "upper_depth": int(rest >> 16 & DEEPEST),
        "upper_to_the_end": bool(rest >> 16 & TO_THE_END),
        "move": int(rest >> _MOVE_AT & _MOVE_MASK) - 1,
    }
