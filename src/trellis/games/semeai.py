"""Semeai: two strings that cannot both live; whoever first has no liberty left is taken.

    black has `own` liberties, white `opponent`; none is shared, black begins

A move fills one liberty, of either string; all that are left are moves, so that random play is what
dynamic programming over liberties says.  A string with one liberty is taken at once, the only move
there is; filling one's own last liberty loses.  Of equal liberties it does not matter which is
filled: a position is how many there are.

With `elsewhere` above 0 chance decides before each choice whether the player has to play elsewhere
on a large board instead; then the other one is next.  A string with one liberty is taken all the
same.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, key_of_one_word, to_int
from trellis.game.common_rules import pay_winner, rule
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Reals, Rules, State, Tables, tables

HERE, ELSEWHERE = 0, 1
# tables.ints
BLACK, WHITE, HAS_CHANCE = 0, 1, 2
# tables.reals
ELSEWHERE_PROBABILITY = 0
# The state is one word: bits 0-7 black's liberties, 8-15 white's, 16 who moves, 17 whether chance
# decides now, 18-19 who has won, + 1.
_BYTE, _EIGHT = np.uint64(0xFF), np.uint64(8)
_SIDE, _CHANCE, _WINNER = np.uint64(16), np.uint64(17), np.uint64(18)


@kernel()
def _liberties(state: State, player: int) -> int:
    return to_int((state[0] >> np.uint64(8 * player)) & _BYTE)


@kernel()
def _side(state: State) -> int:
    return to_int((state[0] >> _SIDE) & ONE)


@kernel()
def _write(tables: Tables, state: State, black: int, white: int, side: int, winner: int) -> None:
    """Write a position; chance comes first unless there is something to take."""
    others = white if side == 0 else black
    draws = tables.ints[HAS_CHANCE] != 0 and winner < 0 and others > 1
    state[0] = (
        np.uint64(black)
        | (np.uint64(white) << _EIGHT)
        | (np.uint64(side) << _SIDE)
        | ((ONE if draws else ZERO) << _CHANCE)
        | (np.uint64(winner + 1) << _WINNER)
    )


@rule
def start(tables: Tables, state: State) -> None:
    _write(tables, state, to_int(tables.ints[BLACK]), to_int(tables.ints[WHITE]), 0, -1)


@rule
def acting(tables: Tables, state: State) -> int:
    if state[0] >> _WINNER != ZERO:
        return NOBODY
    return CHANCE if (state[0] >> _CHANCE) & ONE != ZERO else _side(state)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    if (state[0] >> _CHANCE) & ONE != ZERO:
        out[0] = HERE
        out[1] = ELSEWHERE
        return 2
    side = _side(state)
    first = to_int(tables.ints[BLACK])
    if _liberties(state, 1 - side) == 1:
        out[0] = first if side == 0 else 0
        return 1
    count = 0
    for player in range(2):
        for liberty in range(_liberties(state, player)):
            out[count] = player * first + liberty
            count += 1
    return count


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    out[HERE] = 1.0 - tables.reals[ELSEWHERE_PROBABILITY]
    out[ELSEWHERE] = tables.reals[ELSEWHERE_PROBABILITY]


@rule
def play(tables: Tables, state: State, move: int) -> None:
    black, white, side = _liberties(state, 0), _liberties(state, 1), _side(state)
    if (state[0] >> _CHANCE) & ONE != ZERO:
        if move == ELSEWHERE:
            _write(tables, state, black, white, 1 - side, -1)
        else:
            state[0] ^= ONE << _CHANCE
        return
    if move < tables.ints[BLACK]:
        black -= 1
    else:
        white -= 1
    winner = 0 if white == 0 else 1 if black == 0 else -1
    _write(tables, state, black, white, 1 - side, winner)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(to_int(state[0] >> _WINNER) - 1, out)


RULES = Rules(start, acting, moves, play, payoffs, key_of_one_word)


class Semeai(Game):
    """Semeai, a race of two strings: fill liberties until the other string has none left."""

    name = "semeai"
    pieces = ()
    notation = "a liberty to fill, b1 of black or w1 of white"

    def __init__(self, own: int = 9, opponent: int = 9, elsewhere: float = 0.0) -> None:
        super().__init__(
            RULES._replace(chances=chances) if elsewhere else RULES,
            tables(ints=[own, opponent, elsewhere > 0], reals=[elsewhere]),
            parameters={"own": own, "opponent": opponent, "elsewhere": elsewhere},
            state_words=1,
            exact_key=True,
            max_moves=max(2, own + opponent),
            move_codes=max(2, own + opponent),
            # Every move fills a liberty; how often play is elsewhere is not known.
            max_plies=None if elsewhere else own + opponent,
        )
        self.own, self.opponent = own, opponent

    def player_name(self, player: int) -> str:
        """Name the colours."""
        return ("black", "white")[player]

    def move_name(self, state: State, move: int) -> str:
        """Name a liberty by whose it is."""
        return f"b{move + 1}" if move < self.own else f"w{move - self.own + 1}"

    def outcome_name(self, state: State, move: int) -> str:
        """Name where the player has to play."""
        return ("here", "elsewhere")[move]

    def board(self, state: State) -> str:
        """Say how many liberties are left, and whose turn it is."""
        word = int(state[0])
        line = f"black has {word & 255} of {self.own} liberties, white {word >> 8 & 255} of "
        line += f"{self.opponent}"
        if word >> 18:
            return f"{line}: {self.player_name((word >> 18) - 1)} has won"
        return f"{line}: {self.player_name(word >> 16 & 1)} to move"
