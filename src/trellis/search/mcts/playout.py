"""The third step of a simulation: the game is finished at random, or nearly so.

Most searches use the game's own fast playout.  The loop here plays through the rules instead,
where somebody must know which moves were made (all-moves-as-first) or where a winning move is to
be taken and a losing one avoided (decisive moves, Teytaud and Teytaud).
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import below, copy_words, mark_made
from trellis.game.halting import HALTED, is_halted
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT, STUCK, draw_outcome
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, State, Tables
from trellis.search.mcts.graph import NONE
from trellis.search.mcts.params import Params, Scratch


@kernel(takes_rules=True, lean=True)
def wins_at_once(
    acting: object, play: object, payoffs: object, tables: Tables, params: Params,
    scratch: Scratch, state: State, move: int, image: State,
) -> bool:  # fmt: skip
    """Tell whether a move ends the game with the most its player can get; spoils `image`."""
    mover = acting(tables, state)
    copy_words(state, image)
    play(tables, image, np.int64(move))
    if acting(tables, image) != NOBODY:
        return False
    payoffs(tables, image, scratch.out)
    return scratch.out[mover] == params.greatest


@kernel(takes_rules=True, lean=True)
def _loses_at_once(
    acting: object, moves: object, play: object, payoffs: object, tables: Tables, params: Params,
    scratch: Scratch, state: State, move: int,
) -> bool:  # fmt: skip
    """Tell whether a move lets another player win with the very next one."""
    mover = acting(tables, state)
    trial, image = scratch.trial, scratch.image
    copy_words(state, trial)
    play(tables, trial, np.int64(move))
    replier = acting(tables, trial)
    if replier < 0 or replier == mover:
        return False
    for i in range(moves(tables, trial, scratch.replies)):
        reply = np.int64(scratch.replies[i])
        if wins_at_once(acting, play, payoffs, tables, params, scratch, trial, reply, image):
            return True
    return False


@kernel(takes_rules=True, lean=True)
def draw_move(
    acting: object, moves: object, play: object, payoffs: object, tables: Tables, params: Params,
    scratch: Scratch, state: State, rng: Random, buffer: Moves, count: int,
) -> int:  # fmt: skip
    """Draw one of the moves in `buffer`; a winning one first, a losing one last, where asked."""
    if not params.decisive:
        return np.int64(buffer[below(rng, count)])
    for i in range(count):
        move = np.int64(buffer[i])
        if wins_at_once(acting, play, payoffs, tables, params, scratch, state, move, scratch.trial):
            return move
    first = NONE
    for left in range(count, 0, -1):
        i = below(rng, left)
        move = np.int64(buffer[i])
        if first == NONE:
            first = move
        if not _loses_at_once(acting, moves, play, payoffs, tables, params, scratch, state, move):
            return move
        buffer[i] = buffer[left - 1]
    return first


@kernel(takes_rules=True, lean=True)
def careful_playout(
    acting: object, moves: object, play: object, payoffs: object, chances: object,
    tables: Tables, params: Params, scratch: Scratch, state: State, rng: Random,
) -> int:  # fmt: skip
    """Play to the end through the rules; mark who made which move; return as a playout does."""
    buffer, probabilities = scratch.buffer, scratch.probabilities
    record = params.amaf_at != NONE
    plies = 0
    while True:
        if is_halted(rng):
            return HALTED
        who = acting(tables, state)
        if who == NOBODY:
            payoffs(tables, state, scratch.out)
            return plies
        if plies == LONGEST_PLAYOUT:
            return ENDLESS
        count = moves(tables, state, buffer)
        if count < 1:
            return STUCK
        if who == CHANCE:
            chances(tables, state, probabilities)
            move = np.int64(buffer[draw_outcome(rng, probabilities, count)])
        else:
            move = draw_move(
                acting, moves, play, payoffs, tables, params, scratch, state, rng, buffer, count
            )
            if record:
                mark_made(scratch.made, who * (len(scratch.made) // params.players), move)
        play(tables, state, np.int64(move))
        plies += 1
