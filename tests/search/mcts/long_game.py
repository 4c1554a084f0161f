"""A game whose random play takes a million moves: nobody waits for the end of a playout."""

import numpy as np

from trellis.authoring import (
    ACTING,
    MOVES,
    NOBODY,
    ONE,
    PAYOFFS,
    PLAY,
    START,
    Game,
    Rules,
    kernel,
    key_of_words,
    mix,
    tables,
)  # fmt: skip

LENGTH = 1_000_000
LABOUR = 2_000  # a move takes some microseconds


@kernel(START)
def start(tables, state):
    state[0] = np.uint64(0)
    state[1] = np.uint64(0)


@kernel(ACTING)
def acting(tables, state):
    return NOBODY if state[0] >= np.uint64(LENGTH) else np.int64(state[0] & ONE)


@kernel(MOVES)
def moves(tables, state, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel(PLAY)
def play(tables, state, move):
    word = state[1] + np.uint64(move) + ONE
    for _ in range(LABOUR):
        word = mix(word)
    state[0] += ONE
    state[1] = word


@kernel(PAYOFFS)
def payoffs(tables, state, out):
    out[0] = 1.0
    out[1] = -1.0


class LongGame(Game):
    """Two moves, a million times."""

    name = "long"

    def __init__(self):
        super().__init__(
            Rules(start, acting, moves, play, payoffs, key_of_words), tables(),
            state_words=2, max_moves=2, move_codes=2, max_plies=LENGTH,
        )  # fmt: skip
