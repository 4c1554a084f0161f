"""An order of moves for a whole search, from random games: what each move of each player led to.

One order for all positions is worth more than a better one for each: then lines of play meet in the
table.  It is about which move is tried first, and proves nothing.
"""

from trellis._kernel.jit import kernel
from trellis.game.bits import below, to_int
from trellis.game.playouts import STUCK, TOO_LONG
from trellis.game.rules import NOBODY, Random, Reals, Tables
from trellis.search.solve.questions.layout import QuestionCalls, Work


@kernel(entry=True, lean=True)
def rate_moves(
    calls: QuestionCalls, tables: Tables, work: Work, rng: Random, games: int, begin: int,
    sums: Reals, counts: Reals, ends: Reals,
) -> int:  # fmt: skip
    """Play random games from the root; add up what each move led to, and note what ends paid.

    The payoff of game number i is written to `ends[begin + i]`.  Returns 0 or a failure.
    """
    facts = work.facts[0]
    words, codes, wide = facts.words, facts.codes, facts.wide
    state = work.states[words : 2 * words]
    for game in range(games):
        for i in range(words):
            state[i] = work.states[i]
        plies, who = 0, calls.acting(tables, state)
        while who != NOBODY:
            if plies >= facts.deepest:
                return TOO_LONG
            count = calls.moves(tables, state, work.moves[: 1 + wide])
            if count < 1:
                return STUCK
            move = to_int(work.moves[below(rng, count)])
            work.order[plies] = who * codes + move
            calls.play(tables, state, move)
            plies, who = plies + 1, calls.acting(tables, state)
        calls.payoffs(tables, state, work.pays)
        ends[begin + game] = work.pays[0]
        for i in range(plies):
            at = work.order[i]
            mover = 0 if at < codes else 1
            sums[at] += work.pays[mover]
            counts[at] += 1.0
    return 0
