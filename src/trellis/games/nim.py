"""Nim: heaps of objects; a move takes some of one heap, and the last object decides.

Each heap is one byte of a word, the first heap lowest: 1;3;5;7 starts as 07 05 03 01.
Move `(take - 1) * heaps + heap` takes `take` objects of heap number `heap`.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import BYTE_TOPS, BYTES, GOLDEN, ONE, ZERO, mix, popcount, to_int, unmix
from trellis.game.common_rules import pay_winner, pick, rule
from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game, Symmetry
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

MOST_HEAPS, MOST_OBJECTS = 8, 255

# state: the heaps, who moves
HEAPS, MOVER = 0, 1
# tables.ints
COUNT, CAP, MISERE = 0, 1, 2  # CAP: most objects a move may take
# tables.words
FULL = 0

_BYTE, _EIGHT = np.uint64(255), np.uint64(8)
_TOP = np.uint64(56)
_MOVER_AT = np.uint64(63)


@kernel()
def _size(heaps: np.uint64, heap: int) -> int:
    return to_int((heaps >> np.uint64(8 * heap)) & _BYTE)


@rule
def start(tables: Tables, state: State) -> None:
    state[HEAPS] = tables.words[FULL]
    state[MOVER] = ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    return NOBODY if state[HEAPS] == ZERO else to_int(state[MOVER])


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    heaps, cap = to_int(tables.ints[COUNT]), to_int(tables.ints[CAP])
    count = 0
    for take in range(1, cap + 1):
        before = count
        for heap in range(heaps):
            if _size(state[HEAPS], heap) >= take:
                out[count] = (take - 1) * heaps + heap
                count += 1
        if count == before:
            break  # no heap is so large
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    heaps = to_int(tables.ints[COUNT])
    state[HEAPS] -= np.uint64(move // heaps + 1) << np.uint64(8 * (move % heaps))
    state[MOVER] ^= ONE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    """Pay at the end, where the player to move has not taken the last object."""
    mover = to_int(state[MOVER])
    pay_winner(mover if tables.ints[MISERE] != 0 else 1 - mover, out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    """Scramble the heaps with who moves on top: one-to-one where no heap needs that bit."""
    if tables.words[FULL] >> _MOVER_AT == ZERO:
        return mix(state[HEAPS] | (state[MOVER] << _MOVER_AT))
    return mix(mix(state[HEAPS]) + state[MOVER])


@kernel(inline="always")
def _random_small(heaps: np.uint64, seed: np.uint64) -> tuple[int, np.uint64]:
    """Play out heaps of at most 127 objects together, none of them protected by a cap.

    Byte i of `upto` holds the objects in heaps 0 to i, so the top byte counts them all, and
    a draw `r` among all objects belongs to the first heap whose byte exceeds it.  The moves of
    a heap are its objects: taking the r-th object stands for taking it and those before it.
    """
    upto = heaps * BYTES
    plies = 0
    while upto != ZERO:
        seed += GOLDEN
        draw = pick(mix(seed), upto >> _TOP)
        passed = ((draw * BYTES) | BYTE_TOPS) - upto  # a sign bit stays where the byte is <= draw
        shift = _EIGHT * np.uint64(popcount(passed & BYTE_TOPS))
        # The byte below, or 0 below the first heap: shifting in two steps never shifts by 64.
        below = ((upto << _EIGHT) >> shift) & _BYTE
        take = draw - below + ONE
        upto -= (take * BYTES) << shift
        plies += 1
    return plies, seed


@kernel(inline="always")
def _random_any(heaps: np.uint64, seed: np.uint64, count: int, cap: int) -> tuple[int, np.uint64]:
    """Play out any heaps: count the moves of each, draw one, find its heap."""
    plies = 0
    while heaps != ZERO:
        total = 0
        for heap in range(count):
            total += min(cap, _size(heaps, heap))
        seed += GOLDEN
        draw = to_int(pick(mix(seed), np.uint64(total)))
        heap = 0
        here = min(cap, _size(heaps, heap))
        while draw >= here:
            draw -= here
            heap += 1
            here = min(cap, _size(heaps, heap))
        heaps -= np.uint64(draw + 1) << np.uint64(8 * heap)
        plies += 1
    return plies, seed


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    heaps, cap = state[HEAPS], to_int(tables.ints[CAP])
    count = to_int(tables.ints[COUNT])
    objects, largest = 0, 0
    for heap in range(count):
        objects += _size(heaps, heap)
        largest = max(largest, _size(heaps, heap))
    if objects <= 127 and largest <= cap:
        plies, seed = _random_small(heaps, rng[0])
    else:
        plies, seed = _random_any(heaps, rng[0], count, cap)
    rng[0] = seed
    state[HEAPS] = ZERO
    state[MOVER] ^= np.uint64(plies & 1)
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Move every heap `index % heaps` places on; beyond the first round, exchange the players."""
    count = to_int(tables.ints[COUNT])
    out[HEAPS] = ZERO
    for heap in range(count):
        size = np.uint64(_size(state[HEAPS], heap))
        out[HEAPS] |= size << np.uint64(8 * ((heap + index) % count))
    out[MOVER] = state[MOVER] ^ np.uint64(index // count)


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    count = to_int(tables.ints[COUNT])
    heap = move % count
    return move - heap + (heap + index) % count


RULES = Rules(
    start, acting, moves, play, payoffs, key,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip


class Nim(Game):
    """Nim: take objects from one heap; the last object loses (misère) or wins."""

    name = "nim"
    symbols = ("1", "2")
    pieces = ()

    def __init__(
        self, pile_sizes: str = "1;3;5;7", is_misere: bool = True, max_take: int = 0
    ) -> None:
        sizes = _sizes(pile_sizes)
        cap = min(max_take or MOST_OBJECTS, max(sizes))
        symmetries = [
            Symmetry(
                "identity" if shift == 0 and not swap
                else f"heaps {shift} on{', players exchanged' if swap else ''}",
                (1, 0) if swap else (0, 1),
            )
            for swap in (False, True)
            for shift in range(len(sizes))
        ]  # fmt: skip
        full = sum(size << 8 * heap for heap, size in enumerate(sizes))
        super().__init__(
            RULES,
            tables(ints=[len(sizes), cap, is_misere], words=[full]),
            parameters={"pile_sizes": pile_sizes, "is_misere": is_misere, "max_take": max_take},
            state_words=2,
            # Every object of a heap stands for one move, and heaps only shrink.
            max_moves=sum(min(size, cap) for size in sizes),
            move_codes=cap * len(sizes),
            max_plies=sum(sizes),
            exact_key=full >> int(_MOVER_AT) == 0,
            symmetries=symmetries,
        )
        self.sizes = sizes
        last = self.move_name(None, cap * len(sizes) - 1)
        self.notation = f"a heap and how many to take, a1 to {last}"

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: who moves is the top bit."""
        packed, mover = unmix(key), int(_MOVER_AT)
        return [packed & (1 << mover) - 1, packed >> mover]

    def move_name(self, state: State | None, move: int) -> str:
        """Name the heap by its letter, then how many objects are taken."""
        return f"{chr(ord('a') + move % len(self.sizes))}{move // len(self.sizes) + 1}"

    def board(self, state: State) -> str:
        """Draw each heap as a row of objects with their number."""
        lines = []
        for heap in range(len(self.sizes)):
            size = int(state[HEAPS]) >> 8 * heap & 255
            lines.append(f"{chr(ord('a') + heap)} {size:3} {'|' * size}".rstrip())
        if not state[HEAPS]:
            return "\n".join([*lines, "nothing is left"])
        return "\n".join([*lines, f"player {int(state[MOVER]) + 1} to move"])


def _sizes(text: str) -> list[int]:
    parts = text.split(";")
    # int() also takes "1_0" and digits of other scripts; heaps are plain numbers.
    good = [part.isascii() and part.isdigit() and len(part) <= 3 for part in parts]
    sizes = [int(part) for part in parts] if all(good) else []
    if not 1 <= len(sizes) <= MOST_HEAPS or not all(1 <= size <= MOST_OBJECTS for size in sizes):
        raise BadParameter(
            f"bad value {shorten(text)} for nim:pile_sizes: expected 1 to {MOST_HEAPS} heaps "
            f"of 1 to {MOST_OBJECTS} objects, separated by ';'"
        )
    return sizes
