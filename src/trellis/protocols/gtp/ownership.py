"""Who will own which point: what random games from here on say, and which stones that makes dead.

Statistics, not a proof: good enough to clear a board at the end of a game, where both players have
filled what matters, and to show on a board what a search expects.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO
from trellis.game.halting import stoppable
from trellis.game.rules import Random, Reals, State, Tables
from trellis.games.go.board import BIT_OF_CODE, PASSES, PASSES_AT, POINTS, STRIDE, WORDS
from trellis.games.go.playout import BLACK, COLOUR, WHITE, random_game
from trellis.protocols.gtp.go_board import EMPTY, GoBoard
from trellis.protocols.gtp.go_search import search_position
from trellis.protocols.gtp.rulesets import Ruleset

GAMES = 400
DEAD = -0.4  # a chain whose points the other side owns more often than that is dead
SEED = 1  # the same question has the same answer


@kernel(entry=True, later=True)
def count_owners(tables: Tables, state: State, rng: Random, games: int, out: Reals) -> None:
    """Play random games; add 1 to each point that black owns at the end, -1 to each of white's.

    An empty point belongs to the colour of all stones beside it.
    """
    m, stride = tables.words, np.uint64(tables.ints[STRIDE])
    for _ in range(games):
        random_game(tables, state, rng, state, False)
        for code in range(tables.ints[POINTS]):
            point = np.uint64(tables.ints[BIT_OF_CODE + code]) + stride + ONE
            colour = m[COLOUR + point]
            if colour not in (BLACK, WHITE):
                colour = ZERO
                for near in (point - ONE, point + ONE, point - stride, point + stride):
                    colour |= m[COLOUR + near] & (BLACK | WHITE)
            if colour == BLACK:
                out[code] += 1.0
            elif colour == WHITE:
                out[code] -= 1.0


def owners(board: GoBoard, colour: int, rules: Ruleset, games: int = GAMES) -> list[float]:
    """Return for each point how much black owns it, from -1 to 1, if a colour is to move."""
    plain = replace(rules, ko="SIMPLE")  # random games remember no boards
    position = search_position(board, colour, plain, komi=0.0)
    return owners_at(position.game.own_tables(), position.state, board.points, games)


def owners_at(tables: Tables, state: State, points: int, games: int = GAMES) -> list[float]:
    """Return for each point how much black owns it, from -1 to 1; their sum is the mean area.

    As if nobody had passed: the last move of a game is not the end of the question.
    """
    fresh, out = state.copy(), np.zeros(points)
    fresh[2 * tables.ints[WORDS]] &= ~(PASSES << PASSES_AT)
    count_owners(tables, fresh, stoppable(SEED), games, out)
    return [float(each) / games + 0.0 for each in out]


def from_the_top(owned: Sequence[float], columns: int, sign: int) -> list[float]:
    """Return who owns which point, row by row from the top, as front ends have it."""
    rows = [owned[first : first + columns] for first in range(0, len(owned), columns)]
    return [sign * each + 0.0 for row in reversed(rows) for each in row]


def dead_chains(board: GoBoard, colour: int, rules: Ruleset) -> list[list[int]]:
    """List the chains that random games take off, or that rules without agreement let live."""
    if not rules.dead_stones:
        return []
    owned, stones = owners(board, colour, rules), board.stones()
    found = []
    for chain in board.chains():
        sign = 1 if stones[chain[0]] == 0 else -1
        if sign * sum(owned[point] for point in chain) / len(chain) < DEAD:
            found.append(chain)
    return found


def settled_score(board: GoBoard, dead: list[list[int]]) -> int:
    """Return black's area minus white's once dead stones are taken off."""
    gone = {point for chain in dead for point in chain}
    left = [
        (colour, point)
        for point, colour in enumerate(board.stones())
        if colour != EMPTY and point not in gone
    ]
    cleared = GoBoard(board.rows, board.columns)
    cleared.set_up(left, board.to_move)
    return cleared.area()
