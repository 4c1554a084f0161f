"""What games tell solvers is true: who wins, and that moves left out were not needed.

A wrong hint is a false proof, so hints are compared with the plain rules: in every position of
small boards, and in random positions of larger ones, where alpha-beta without hints says what
positions are worth (it is compared with backward induction elsewhere).
TRELLIS_HINTED_POSITIONS=5000 looks at as many random positions of each.
"""

import os
from collections import Counter
from random import Random

import numpy as np
import pytest

from trellis._kernel.jit import JIT_DISABLED
from trellis.game.contract import check_game
from trellis.game.errors import BrokenContract
from trellis.game.rules import NEEDLESS
from trellis.loading import load
from trellis.search.solve.questions.engine import Questions
from trellis.search.solve.questions.reference import value_of
from trellis.search.solve.questions.settings import QuestionSettings

POSITIONS = int(os.environ.get("TRELLIS_HINTED_POSITIONS", "50"))
# Boards of which every position is looked at.
WHOLE = [
    "hex:board_size=2",
    "hex:board_size=3",
    "gomoku:m=3,n=3,k=3",
    "gomoku:m=4,n=2,k=2",
    "kalah:houses=2,seeds=2",
    "kalah:houses=3,seeds=2",
    "breakthrough:rows=4,columns=3",
]
# Boards of random positions, and how many moves before them leave few enough positions.
RANDOM = {
    "hex:board_size=4": (2, 9),
    "hex:board_size=5": (9, 18),
    "hex:board_size=6": (22, 30),
    "gomoku:m=4,n=4,k=4": (4, 12),
    "gomoku:m=5,n=4,k=3": (2, 9),
    "gomoku:m=9,n=9,k=6": (70, 74),
    "connect_four:rows=4,columns=5": (6, 14),
    "kalah:houses=4,seeds=3": (6, 20),
    "kalah:houses=5,seeds=3": (16, 30),
    "knightthrough:rows=4,columns=4": (0, 6),
    "knightthrough:rows=5,columns=5": (2, 10),
    "knightthrough:rows=6,columns=4": (8, 14),
    "breakthrough:rows=5,columns=5": (8, 16),
    "othello:board_size=6": (24, 30),
}


def hinted(position):
    """Ask the game; return whether the mover wins, and the score of each move."""
    game, codes = position.game, np.array(position.move_codes(), np.int32)
    scores = np.zeros(len(codes), np.int64)
    wins = game.rules.hint(game.tables, position.state, codes, len(codes), scores)
    return bool(wins), dict(zip(codes.tolist(), scores.tolist(), strict=True))


def compare(position, value, seen):
    """Compare a hint with the values of positions, as player 0 sees them."""
    wins, scores = hinted(position)
    sign = 1 if position.acting == 0 else -1
    worth = sign * value(position)
    if wins:
        seen["wins"] += 1
        assert worth == 1, str(position)
        return
    kept = [code for code, score in scores.items() if score != NEEDLESS]
    best = max((sign * value(position.play(code)) for code in kept), default=-1)
    seen["left out"] += len(scores) - len(kept)
    assert best == worth, str(position)


def everything_after(position):
    """List every position that can be reached."""
    seen, waiting = {position}, [position]
    for here in waiting:
        for code in here.move_codes():
            after = here.play(code)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return waiting


@pytest.mark.skipif(JIT_DISABLED, reason="too many positions for plain Python")
@pytest.mark.parametrize("spec", WHOLE)
def test_hints_hold_in_every_position_of_a_small_board(spec):
    start, known, seen = load(spec).start(), {}, Counter()
    value_of(start, known)
    for position in everything_after(start):
        if not position.is_over:
            compare(position, known.__getitem__, seen)
    assert seen["wins"] + seen["left out"]


@pytest.mark.skipif(JIT_DISABLED, reason="searches too much for plain Python")
@pytest.mark.parametrize("spec", RANDOM)
def test_hints_hold_in_random_positions(spec):
    game, random, seen = load(spec), Random(spec), Counter()
    truth = Questions(game, QuestionSettings(hints=False, memory=16.0, rating_games=50))

    def value(position):
        if position.is_over:
            return position.payoffs()[0]
        for target in (truth.labels.label(1.0), truth.labels.label(0.0)):
            low, high = truth.ask(position.state, target, 10_000_000)
            if low >= target:
                return truth.labels.payoff(low)
        return truth.labels.payoff(high)

    truth.labels.add(0.0)
    looked = 0
    while looked < POSITIONS:
        position, left = game.start(), random.randint(*RANDOM[spec])
        while left and not position.is_over:
            position, left = position.play(random.choice(position.move_codes())), left - 1
        if not position.is_over:
            compare(position, value, seen)
            looked += 1
    assert spec.startswith("othello") or seen["wins"]


def hinting(spec, say):
    """Return a game whose hints are what a function makes of the true ones."""
    game = load(spec)
    true = game.rules.hint

    def hint(tables, state, moves, count, scores):
        return say(true(tables, state, moves, count, scores), scores[:count])

    game.rules = game.rules._replace(hint=hint)
    return game


def nothing_is_needed(wins, scores):
    scores[:] = NEEDLESS
    return 0


def too_early(wins, scores):
    scores[0] = 1 << 30
    return 0


@pytest.mark.parametrize(
    ("say", "why"),
    [
        (lambda wins, scores: 1, "the mover wins"),
        (nothing_is_needed, "leaves out all moves"),
        (too_early, "scores"),
    ],
)
@pytest.mark.parametrize("spec", ["hex:board_size=3", "kalah:houses=2,seeds=2"])
def test_the_check_of_a_game_finds_false_hints(spec, say, why):
    with pytest.raises(BrokenContract, match=why):
        check_game(hinting(spec, say), games=20, walk=100)


def test_a_hint_solves_what_is_linked():
    """The second row of an empty board is linked to both sides by bridges, so no one plays on."""
    search = Questions(load("hex:board_size=3"))
    search.run()
    assert search.bounds == (1.0, 1.0)
    assert search.nodes == 1
