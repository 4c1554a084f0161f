"""The same game the fast way: functions on words, compiled once, serving every heap size."""

import numpy as np

from trellis.authoring import NOBODY, ONE, ZERO, Game, Rules, below, key_of_words, rule, tables

LEFT, TURN = 0, 1  # the words of a state
HEAP = 0  # in tables.ints


@rule
def start(tables, state):
    state[LEFT] = np.uint64(tables.ints[HEAP])
    state[TURN] = ZERO


@rule
def acting(tables, state):
    return NOBODY if state[LEFT] == ZERO else np.int64(state[TURN])


@rule
def moves(tables, state, out):
    count = min(3, np.int64(state[LEFT]))
    for i in range(count):
        out[i] = i  # move i takes i + 1
    return count


@rule
def play(tables, state, move):
    state[LEFT] -= np.uint64(move + 1)
    state[TURN] ^= ONE


@rule
def payoffs(tables, state, out):
    out[0] = -1.0 if state[TURN] == ZERO else 1.0
    out[1] = -out[0]


@rule
def playout(tables, state, rng, buffer, out):
    plies = 0
    while state[LEFT] != ZERO:
        play(tables, state, below(rng, min(3, np.int64(state[LEFT]))))
        plies += 1
    payoffs(tables, state, out)
    return plies


class FastSubtraction(Game):
    """What people hold: names, boards, facts."""

    name = "fast_subtraction"
    notation = "how many to take, 1 to 3"

    def __init__(self, heap=21):
        super().__init__(
            Rules(start, acting, moves, play, payoffs, key_of_words, playout=playout),
            tables(ints=[heap]),
            parameters={"heap": heap},
            state_words=2,
            max_moves=3,
            move_codes=3,
            max_plies=heap,
        )

    def move_name(self, state, move):
        return str(move + 1)

    def board(self, state):
        return "|" * int(state[LEFT]) or "(empty)"
