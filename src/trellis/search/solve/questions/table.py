"""A table of what is proven of positions: a lower and an upper bound, found by whole positions.

A line has four places, which begin at the start of a line of the processor's cache; a place holds
the name of a position and one word of data.  The name is the words that tell positions apart, or
a key that is one-to-one: two positions never share an entry, so what stands in it may be believed.
The hash only says in which line to look.

The data is two numbers of 26 bits, six bits for what the entry has cost (the entry that cost least
makes room for another one), and a lock: where threads share a table, whoever reads or writes a line
holds the top bit of its first data word, so nobody ever sees half an entry.

A table begins small and grows: all memory that it may ever take is asked for at once, which costs
nothing until it is touched, and only the first lines are used; when most places are taken, twice as
many are, and every entry moves to where it is looked for now.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel
from trellis._kernel.memory import acquire_bit, fetch, release_bit
from trellis._kernel.records import record_layout
from trellis.game.bits import GOLDEN, ZERO, mix, to_int
from trellis.game.errors import BadParameter
from trellis.game.memory import refuse_too_much
from trellis.game.rules import State

PLACES = 4  # a line
_LINE = 8  # words of a line of the cache
_PART = np.uint64((1 << 26) - 1)
_HIGH_AT, _COST_AT = np.uint64(26), np.uint64(52)
_COST_BITS = np.uint64(63)
_DATA = np.uint64((1 << 63) - 1)  # all but the lock
_FULL = 0.6  # of the places: more of them, and lines overflow
_CROWDED = 0.9  # of the places: and lines that overflow lose much
_FIRST_MIB = 0.25


class Shape:
    """How a table is laid out."""

    mask: int = 0  # lines in use, minus 1
    begin: int = 0  # where the first line begins
    width: int = 0  # words of a name
    locked: bool = False  # several threads share it
    most: int = 0  # lines there may be


SHAPE = record_layout(Shape)


class ProofTable(Bundle):
    """All entries, line by line."""

    shape: Annotated[Sequence[Shape], SHAPE]  # [1]
    entries: State

    @property
    def places(self) -> int:
        """Return how many entries there is room for now."""
        return int(self.shape[0].mask + 1) * PLACES

    @property
    def bytes(self) -> int:
        """Return how much memory is in use."""
        return self.places * (int(self.shape[0].width) + 1) * 8

    @property
    def can_grow(self) -> bool:
        """Tell whether it may have twice as many lines."""
        return 2 * int(self.shape[0].mask + 1) <= int(self.shape[0].most)

    @property
    def used(self) -> State:
        """Return the words of all lines in use."""
        shape = self.shape[0]
        words = (int(shape.mask) + 1) * PLACES * (int(shape.width) + 1)
        return self.entries[int(shape.begin) : int(shape.begin) + words]

    def load(self, words: State) -> None:
        """Have the entries of another table, of which these are the lines in use."""
        shape = self.shape[0]
        lines, rest = divmod(len(words), PLACES * (int(shape.width) + 1))
        if rest or lines < 1 or lines & (lines - 1):
            raise ValueError("not the lines of a table")
        if lines > int(shape.most):
            needed = 8 * len(words) / 2**20
            raise BadParameter(f"a table of {needed:,.0f} MiB does not fit: expected more --memory")
        shape.mask = lines - 1
        self.used[:] = words

    def allow(self, mebibytes: float) -> None:
        """Have it grow to so much memory at most, as far as was asked for when it was made."""
        shape = self.shape[0]
        line = PLACES * (int(shape.width) + 1)
        room = (len(self.entries) - int(shape.begin)) // line
        shape.most = min(room, int(mebibytes * 2**20) // (8 * line))

    @property
    def enough(self) -> int:
        """Return how many entries are as many as it should hold before it grows."""
        return int(_FULL * self.places)

    @property
    def too_many(self) -> int:
        """Return how many entries are too many where none may be lost."""
        return int(_CROWDED * self.places)


def make_table(mebibytes: float, width: int, *, locked: bool = False) -> ProofTable:
    """Make an empty table for names of so many words, which takes at most so much memory."""
    refuse_too_much(mebibytes)
    line = PLACES * (width + 1)
    lines = int(mebibytes * 2**20) // (8 * line)
    if lines < 1:
        raise BadParameter(f"bad table of {mebibytes:g} MiB: expected room for one line at least")
    lines = 1 << lines.bit_length() - 1
    entries = np.zeros(lines * line + _LINE, np.uint64)
    shape = np.zeros(1, SHAPE)
    shape[0].begin = -(entries.ctypes.data // 8) % _LINE
    first = int(_FIRST_MIB * 2**20) // (8 * line)
    shape[0].mask = min(lines, 1 << max(first, 1).bit_length() - 1) - 1
    shape[0].width, shape[0].locked, shape[0].most = width, locked, lines
    return ProofTable(shape, entries)


@kernel(hot=True)
def hash_name(names: State, first: int, width: int) -> np.uint64:
    """Return where to look for a name."""
    result = GOLDEN
    for i in range(first, first + width):
        result = mix(result ^ names[i]) + GOLDEN
    return result


@kernel(hot=True)
def line_of(table: ProofTable, hashed: np.uint64) -> int:
    """Return where the line of a position begins."""
    shape = table.shape[0]
    return shape.begin + (to_int(hashed) & shape.mask) * (PLACES * (shape.width + 1))


@kernel(hot=True)
def fetch_line(table: ProofTable, hashed: np.uint64) -> None:
    """Ask for the line of a position that will be looked up soon."""
    place = line_of(table, hashed)
    fetch(table.entries, place)
    if table.shape[0].width > 1:
        fetch(table.entries, place + _LINE)


@kernel(hot=True)
def _lock(table: ProofTable, line: int) -> None:
    if table.shape[0].locked:
        acquire_bit(table.entries, line + table.shape[0].width)


@kernel(hot=True)
def _unlock(table: ProofTable, line: int) -> None:
    if table.shape[0].locked:
        release_bit(table.entries, line + table.shape[0].width)


@kernel(hot=True)
def _find(table: ProofTable, line: int, names: State, first: int) -> int:
    """Return where the data of a position stands, or -1."""
    entries, width = table.entries, table.shape[0].width
    at = line
    for _ in range(PLACES):
        if entries[at] == names[first] and entries[at + width] & _DATA != ZERO:
            same = True
            for i in range(1, width):
                same &= entries[at + i] == names[first + i]
            if same:
                return at + width
        at += width + 1
    return -1


@kernel(hot=True)
def look_up(
    table: ProofTable, hashed: np.uint64, names: State, first: int
) -> tuple[bool, int, int]:
    """Return whether there is an entry of a position, and its two numbers."""
    line = line_of(table, hashed)
    _lock(table, line)
    at = _find(table, line, names, first)
    data = table.entries[at] if at >= 0 else ZERO
    _unlock(table, line)
    return at >= 0, to_int(data & _PART), to_int((data >> _HIGH_AT) & _PART)


@kernel(lean=True)
def cost_of(positions: int) -> int:
    """Return the order of magnitude of a number of positions, above 0."""
    cost = 1
    while positions > 0:
        positions >>= 1
        cost += 1
    return min(cost, 63)


@kernel(lean=True)
def _choose_place(table: ProofTable, line: int) -> int:
    """Return where the data of a new entry goes: the place that holds least."""
    entries, width = table.entries, table.shape[0].width
    place, least, at = line + width, to_int(1 << 40), line + width
    for _ in range(PLACES):
        cost = to_int((entries[at] >> _COST_AT) & _COST_BITS)
        if cost < least:
            place, least = at, cost
        at += width + 1
    return place


@kernel(lean=True)
def store(
    table: ProofTable, hashed: np.uint64, names: State, first: int,
    low: int, high: int, cost: int, tighten: bool,
) -> int:  # fmt: skip
    """Write two numbers of a position; return 1 where a free place was taken, -1 where a used one.

    With `tighten` they are bounds, and what an entry of that position says already stays where it
    says more.
    """
    entries, width = table.entries, table.shape[0].width
    line = line_of(table, hashed)
    _lock(table, line)
    at, result = _find(table, line, names, first), 0
    if at < 0:
        at = _choose_place(table, line)
        result = -1 if entries[at] & _DATA != ZERO else 1
        for i in range(width):
            entries[at - width + i] = names[first + i]
    elif tighten:
        data = entries[at]
        low = max(low, to_int(data & _PART))
        high = min(high, to_int((data >> _HIGH_AT) & _PART))
    lock = entries[at] & ~_DATA  # whoever holds the lock keeps it
    data = np.uint64(low) | (np.uint64(high) << _HIGH_AT) | (np.uint64(cost) << _COST_AT)
    entries[at] = data | lock
    _unlock(table, line)
    return result


@kernel(lean=True)
def _insert(table: ProofTable, hashed: np.uint64, at: int) -> None:
    """Copy an entry, whose data stands there, to a free place of another line."""
    entries, width = table.entries, table.shape[0].width
    place = line_of(table, hashed) + width
    for _ in range(PLACES):
        if entries[place] == ZERO:
            for i in range(width + 1):
                entries[place - i] = entries[at - i]
            return
        place += width + 1


@kernel(entry=True, lean=True)
def double(table: ProofTable, stored: int) -> int:
    """Use twice as many lines; every entry moves to where it is looked for now.

    An entry stays in its line or moves to the one as far behind it as there were lines, so no line
    overflows.
    """
    entries, shape = table.entries, table.shape[0]
    width, lines = shape.width, shape.mask + 1
    shape.mask = 2 * lines - 1
    for line in range(lines):
        at = shape.begin + line * PLACES * (width + 1) + width
        for _ in range(PLACES):
            if entries[at] != ZERO:
                hashed = hash_name(entries, at - width, width)
                if to_int(hashed) & shape.mask != line:
                    _insert(table, hashed, at)
                    entries[at] = ZERO
            at += width + 1
    return stored


@kernel(entry=True, lean=True)
def drop_cheapest(table: ProofTable, stored: int) -> int:
    """Forget at least half of the entries, those that cost least; return how many are left."""
    entries, shape = table.entries, table.shape[0]
    width, places = shape.width, (shape.mask + 1) * PLACES
    limit, left = to_int(1), stored
    while left > stored // 2:
        left = to_int(0)
        for place in range(places):
            at = shape.begin + place * (width + 1) + width
            cost = to_int((entries[at] >> _COST_AT) & _COST_BITS)
            if cost > limit:
                left += 1
            else:
                entries[at] = ZERO
        limit += 1
    return left


@kernel(entry=True, lean=True)
def clear(table: ProofTable) -> int:
    """Forget everything that is in the lines in use."""
    shape = table.shape[0]
    for at in range(shape.begin, shape.begin + (shape.mask + 1) * PLACES * (shape.width + 1)):
        table.entries[at] = ZERO
    return 0
