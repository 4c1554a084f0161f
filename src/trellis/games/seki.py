"""Seki: two strings with liberties of their own and some that they share; nobody may have to win.

    Max has `max` liberties of its own, Min has `min`, `shared` are liberties of both; Max begins

A move fills a liberty of any kind, or passes.  A string without liberties is taken, that of the
other player first; leaving one's own string without any is illegal unless that takes the other.
Two passes in a row are a draw: a seki.  Of equal liberties it does not matter which is filled: a
position is how many of each kind there are.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, key_of_one_word, to_int
from trellis.game.common_rules import pay_winner, rule
from trellis.game.game import Game
from trellis.game.rules import NOBODY, Moves, Reals, Rules, State, Tables, tables

# Kinds of liberties, and the places of their numbers in tables.ints
MAX, MIN, SHARED = 0, 1, 2
# The state is one word: a byte for each kind of liberty, bit 24 who moves, bits 25-26 passes in a
# row, bits 27-28 who has won, + 1.
_BYTE = np.uint64(0xFF)
_SIDE, _PASSES, _WINNER = np.uint64(24), np.uint64(25), np.uint64(27)
_TWO_BITS = np.uint64(3)


@kernel()
def _left(state: State, kind: int) -> int:
    return to_int((state[0] >> np.uint64(8 * kind)) & _BYTE)


@kernel()
def _passes(state: State) -> int:
    return to_int((state[0] >> _PASSES) & _TWO_BITS)


@kernel()
def _is_legal(state: State, side: int, kind: int) -> bool:
    """Tell whether filling a liberty of a kind leaves the own string one, or takes the other."""
    if _left(state, kind) == 0:
        return False
    shared = _left(state, SHARED) - (kind == SHARED)
    others = _left(state, 1 - side) - (kind == 1 - side)
    own = _left(state, side) - (kind == side)
    return others + shared == 0 or own + shared > 0


@rule
def start(tables: Tables, state: State) -> None:
    state[0] = (
        np.uint64(tables.ints[MAX])
        | (np.uint64(tables.ints[MIN]) << np.uint64(8))
        | (np.uint64(tables.ints[SHARED]) << np.uint64(16))
    )


@rule
def acting(tables: Tables, state: State) -> int:
    if state[0] >> _WINNER != ZERO or _passes(state) >= 2:
        return NOBODY
    return to_int((state[0] >> _SIDE) & ONE)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    side = to_int((state[0] >> _SIDE) & ONE)
    count, first = 0, 0
    for kind in range(3):
        if _is_legal(state, side, kind):
            for liberty in range(_left(state, kind)):
                out[count] = first + liberty
                count += 1
        first += to_int(tables.ints[kind])
    out[count] = first
    return count + 1


@rule
def play(tables: Tables, state: State, move: int) -> None:
    side = to_int((state[0] >> _SIDE) & ONE)
    kind, first = 0, to_int(tables.ints[MAX])
    while kind < 3 and move >= first:
        kind += 1
        if kind < 3:
            first += to_int(tables.ints[kind])
    if kind == 3:
        state[0] += ONE << _PASSES
    else:
        state[0] &= ~(_TWO_BITS << _PASSES)
        state[0] -= ONE << np.uint64(8 * kind)
        for player in (1 - side, side):  # where neither has a liberty, who moves takes the other
            if _left(state, 1 - player) + _left(state, SHARED) == 0:
                state[0] &= ~(_TWO_BITS << _WINNER)
                state[0] |= np.uint64(player + 1) << _WINNER
    state[0] ^= ONE << _SIDE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(to_int(state[0] >> _WINNER) - 1, out)


RULES = Rules(start, acting, moves, play, payoffs, key_of_one_word)


class Seki(Game):
    """Seki: take the other string by filling its liberties, or leave it at a draw by passing."""

    name = "seki"
    pieces = ()
    symbols = ("Max", "Min")
    notation = "a liberty to fill, a1 of Max, b1 of Min or s1 of both, or pass"

    def __init__(self, max: int = 3, min: int = 4, shared: int = 2) -> None:  # noqa: A002
        liberties = max + min + shared
        super().__init__(
            RULES,
            tables(ints=[max, min, shared]),
            parameters={"max": max, "min": min, "shared": shared},
            state_words=1,
            exact_key=True,
            max_moves=liberties + 1,
            move_codes=liberties + 1,
            # A pass may come before each filling, and two after the last one.
            max_plies=2 * liberties + 2,
        )
        self.liberties = (max, min, shared)

    def move_name(self, state: State, move: int) -> str:
        """Name a liberty by whose it is."""
        for kind, count in zip("abs", self.liberties, strict=True):
            if move < count:
                return f"{kind}{move + 1}"
            move -= count
        return "pass"

    def board(self, state: State) -> str:
        """Say how many liberties of each kind are left, and whose turn it is."""
        word = int(state[0])
        a, b, shared = (word >> 8 * kind & 255 for kind in range(3))
        line = f"Max has {a} liberties of its own, Min {b}, {shared} shared: "
        if word >> 27:
            return f"{line}{self.symbols[(word >> 27) - 1]} has won"
        if word >> 25 & 3 == 2:
            return f"{line}a draw"
        passed = ", the other one has passed" if word >> 25 & 3 else ""
        return f"{line}{self.symbols[word >> 24 & 1]} to move{passed}"
