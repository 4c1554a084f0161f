"""Small random games with chance, judged at random, and what they are worth by definition."""

from functools import cache

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import mix
from trellis.game.evaluation import EVALUATE, Evaluation
from trellis.loading import load
from trellis.search.star.reference import expectimax

DEEPEST = 8
KINDS = (
    "states=40,branching=3,chance=40",
    "states=80,branching=4,chance=60",
    "states=60,branching=3,chance=50,cyclic=true",
    "states=60,branching=3,chance=50,players=1",
    "states=60,branching=3,chance=0",
)


@kernel(EVALUATE)
def judge_kernel(weights, tables, state):
    """Judge a position by its number: anything from -1 to 1, in no order."""
    word = mix(state[0] + np.uint64(weights[0]))
    return np.float64(word >> np.uint64(11)) / 4503599627370496.0 - 1.0


def judge_by(evaluation):
    """Return the evaluation as a function of positions."""
    return lambda position: float(
        evaluation.function(evaluation.weights, position.game.tables, position.state)
    )


@cache
def random_game(kind, seed):
    """Return a game, and how to judge its positions."""
    game = load(f"random_automaton:seed={seed},{kind}")
    return game, Evaluation("scrambled", judge_kernel, -1.0, 1.0, np.array([float(seed)]))


@cache
def values_of(kind, seed):
    """Return a function from a position and a depth to the value by definition."""
    _, evaluation = random_game(kind, seed)
    known, judge = {}, judge_by(evaluation)
    return lambda position, depth: expectimax(position, depth, judge, known)


def positions_of(game):
    """List all positions that can be reached and are not over."""
    found, waiting = {}, [game.start()]
    while waiting:
        position = waiting.pop()
        if position.code in found or position.is_over:
            continue
        found[position.code] = position
        waiting += [position.play(code) for code in position.move_codes()]
    return list(found.values())
