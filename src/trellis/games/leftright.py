"""LeftRight: so many steps, each to the left or to the right; the payoff is the share to the left.

One player and hardly a game, but paths meet everywhere: a position is the number of steps done
and how many of them went left, so h steps have 2^h games and (h + 1)(h + 2) / 2 positions.
"""

import numpy as np

from trellis.game.bits import ALL, GOLDEN, ONE, ZERO, mix, popcount, to_int, unmix
from trellis.game.common_rules import rule, start_empty
from trellis.game.game import Game
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

LEFT, RIGHT = 0, 1
# state
STEPS, LEFTS = 0, 1
# tables.ints
LENGTH = 0

_HALF = np.uint64(32)
_WORD = np.uint64(64)


@rule
def acting(tables: Tables, state: State) -> int:
    return NOBODY if state[STEPS] == np.uint64(tables.ints[LENGTH]) else 0


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    out[0] = LEFT
    out[1] = RIGHT
    return 2


@rule
def play(tables: Tables, state: State, move: int) -> None:
    state[STEPS] += ONE
    if move == LEFT:
        state[LEFTS] += ONE


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    out[0] = np.float64(state[LEFTS]) / np.float64(tables.ints[LENGTH])


@rule
def bounds(tables: Tables, state: State, out: Reals) -> None:
    """Count what is safe, the steps to the left so far, and what can still come."""
    length = np.float64(tables.ints[LENGTH])
    lefts = np.float64(state[LEFTS])
    out[0] = lefts / length
    out[1] = (length - (np.float64(state[STEPS]) - lefts)) / length


@rule
def key(tables: Tables, state: State) -> np.uint64:
    return mix((state[STEPS] << _HALF) + state[LEFTS])


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Take 64 steps at once: the bits of a random word that are set went left."""
    seed = rng[0]
    left = np.uint64(tables.ints[LENGTH]) - state[STEPS]
    plies = to_int(left)
    lefts = 0
    while left >= _WORD:
        seed += GOLDEN
        lefts += popcount(mix(seed))
        left -= _WORD
    if left > ZERO:
        seed += GOLDEN
        lefts += popcount(mix(seed) & (ALL >> (_WORD - left)))
    rng[0] = seed
    state[STEPS] = np.uint64(tables.ints[LENGTH])
    state[LEFTS] += np.uint64(lefts)
    payoffs(tables, state, out)
    return plies


RULES = Rules(start_empty, acting, moves, play, payoffs, key, playout=playout, bounds=bounds)


class LeftRight(Game):
    """LeftRight: step left or right; the payoff is the share of steps left."""

    name = "leftright"
    notation = "a step, L or R"
    symbols = ("L",)
    pieces = ()

    def __init__(self, h: int = 300) -> None:
        super().__init__(
            RULES,
            tables(ints=[h]),
            parameters={"h": h},
            players=1,
            payoff_range=(0.0, 1.0),
            constant_sum=None,
            state_words=2,
            exact_key=True,
            max_moves=2,
            move_codes=2,
            max_plies=h,
        )
        self.h = h

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: steps in the high half, steps to the left in the low one."""
        return [unmix(key) >> 32, unmix(key) & 0xFFFF_FFFF]

    def move_name(self, state: State, move: int) -> str:
        """Name a step by its first letter."""
        return "LR"[move]

    def board(self, state: State) -> str:
        """Say how far the walk has come and how much of it went left."""
        steps, lefts = int(state[STEPS]), int(state[LEFTS])
        return f"step {steps} of {self.h}: {lefts} left, {steps - lefts} right"
