"""What random play shows of a circuit: who has choices, and what the players get.

Nothing that is seen here decides what a rule means; it decides which roles are asked where they
have one move only, and what is said of a game.
"""

from dataclasses import dataclass

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import below, seeded
from trellis.game.rules import F64, I64, TABLES, U64, Counts, Random, Reals, State, Tables
from trellis.gdl import rules
from trellis.gdl.circuit import layout as h
from trellis.gdl.evaluators.event import bit_of, prepare

# what is counted, after one number for each move of each role
STEPS, GAMES, STUCK, UNENDED, TOGETHER, NO_GOAL, MANY_GOALS = range(7)
COUNTED = 7
ALONE, AMONG, WHILE_OTHERS_CHOOSE = 1, 2, 4  # how a move was legal


@kernel()
def _note_goals(tables: Tables, counts: Counts, sums: Reals, moves: int) -> None:
    """Note what the players got, added up, and whether goals were as they should be."""
    rules.evaluate_goals(tables)
    total, paid = 0.0, tables.reals[h.PAID_AT :]
    for player in range(tables.ints[h.PLAYERS]):
        none, several = rules.pay_player(tables, player, paid)
        total += paid[0]
        counts[moves + NO_GOAL] += np.int64(none)
        counts[moves + MANY_GOALS] += np.int64(several)
    sums[0] = min(sums[0], total)
    sums[1] = max(sums[1], total)


@kernel(nt.void(TABLES, U64, U64, I64, F64, nt.int64, nt.int64))
def _survey(
    tables: Tables, state: State, rng: Random, counts: Counts, sums: Reals, steps: int, longest: int
) -> None:
    """Play at random for so many steps; note what is seen."""
    ints, words = tables.ints, tables.words
    prepare(tables)
    latch_words, roles = ints[h.LATCH_WORDS], ints[h.ROLES]
    moves = np.int64(ints[ints[h.ROLES_AT] + roles])
    length = longest
    for _ in range(steps):
        # Before the first step the working memory holds no state of the game yet.
        over = counts[moves + STEPS] > 0 and bit_of(words, ints[h.OUTS_AT], ints[h.TERMINAL_OUT])
        if over or length >= longest:
            if over:
                counts[moves + GAMES] += 1
                _note_goals(tables, counts, sums, moves)
            elif counts[moves + STEPS] > 0 and length == longest:
                counts[moves + UNENDED] += 1
            for word in range(latch_words):
                state[word] = words[ints[h.FIRST_AT] + word]
            length = 0
            rules.bring_to(tables, state)
            if bit_of(words, ints[h.OUTS_AT], ints[h.TERMINAL_OUT]):
                counts[moves + GAMES] += 1
                return
        for word in range(ints[h.LEGAL_WORDS]):
            state[latch_words + word] = words[ints[h.OUTS_AT] + latch_words + word]
        choosing, chance_chooses = 0, 0
        for role in range(roles):
            count = rules.count_legal(tables, state, role)
            if count > 1 and role == ints[h.CHANCE_ROLE]:
                chance_chooses = 1
            elif count > 1:
                choosing += 1
            if count == 0:
                counts[moves + STUCK] += 1
                length = longest + 1  # stopped, and not for its length
        if choosing > 1:
            counts[moves + TOGETHER] += 1
        if length >= longest:
            continue
        for role in range(roles):
            count = rules.count_legal(tables, state, role)
            if count == 1:
                seen = ALONE + (WHILE_OTHERS_CHOOSE if choosing + chance_chooses > 0 else 0)
                counts[rules.nth_legal(tables, state, role, 0)] |= seen
            else:
                for i in range(count):
                    counts[rules.nth_legal(tables, state, role, i)] |= AMONG
            number = rules.nth_legal(tables, state, role, below(rng, count))
            rules.set_move(tables, role, number - ints[ints[h.ROLES_AT] + role])
        rules.make_moves(tables, state)
        counts[moves + STEPS] += 1
        length += 1


@dataclass
class Survey:
    """What was seen; what is counted comes in the order of the counts."""

    idle: list[bool]  # of each move: it is what a role does while others choose
    sum_of_goals: tuple[float, float] | None  # least and greatest
    steps: int
    games: int
    stuck: int = 0  # states in which a role has no legal move
    unended: int = 0  # games that were stopped
    together: int = 0  # states in which several players choose
    no_goal: int = 0
    many_goals: int = 0


def survey(tables: Tables, seed: int = 0, steps: int = 2_000, longest: int = 1_000) -> Survey:
    """Play a circuit at random."""
    ints = tables.ints
    moves = int(ints[int(ints[h.ROLES_AT]) + int(ints[h.ROLES])])
    counts = np.zeros(moves + COUNTED, np.int64)
    sums = np.array([np.inf, -np.inf])
    state = np.zeros(int(ints[h.LATCH_WORDS]) + int(ints[h.LEGAL_WORDS]), np.uint64)
    _survey(tables, state, seeded(seed), counts, sums, steps, longest)
    seen = counts[moves:].tolist()
    idle = [(how & AMONG) == 0 and (how & WHILE_OTHERS_CHOOSE) != 0 for how in counts[:moves]]
    paid = (float(sums[0]), float(sums[1])) if seen[GAMES] and sums[0] < np.inf else None
    return Survey(idle, paid, *seen)
