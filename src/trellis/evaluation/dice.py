"""Dice for a network: 2 m² + 4 inputs, 54 on the usual board, and a fast way to ask it.

Inputs, as seen by the player who is to move (who rolls next, or has just rolled):

    cell by cell, 1 where he has a checker                      m²
    cell by cell, 1 where the other has one                     m²
    runs of two of his, runs of three of his                    2, scaled
    runs of two of the other's, runs of three of the other's    2, scaled

A run of two, or three, is a line of k cells on which one player has so many checkers and the other
none: one that can still become k in a row.  The paper that Dice is taken from only says "runs"; to
count any neighbours, blocked or not, made networks that won 72 of 100 games against random moves
where these win 80.

Who is to move is not an input.  The network always judges for the player to move, and for the other
player the sign is turned: exchanging the players then turns the value exactly.  With `lines=rc` the
second player gets columns, so for him the board is turned as well, that rows are always the mover's
lines.  What the die shows is not an input either: the network says what the position is worth
before the roll.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.evaluation.features import FEATURES, FeatureSet
from trellis.evaluation.network import judge, room_for, softsign
from trellis.game.bits import ONE, ZERO, popcount
from trellis.game.evaluation import EVALUATE
from trellis.game.rules import Reals, State, Tables
from trellis.games.dice import FROM, LINE, SIDE, STARTS, STATUS

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.game.game import Game

# Counts are brought to the size of the other inputs.
OF_TWO, OF_THREE = 0.25, 0.5

_TWO, _THREE = np.uint64(2), np.uint64(3)


# -- features -----------------------------------------------------------------------------------


@kernel(hot=True)
def _along(
    own: np.uint64, other: np.uint64, starts: np.uint64, step: np.uint64, length: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Find where runs of two and of three begin in one direction, of one player and of the other.

    The checkers of all lines are counted at once, in binary: `a` and `b` hold the low and the high
    digit for each place where a line may begin, `c` what does not fit.
    """
    a0 = b0 = c0 = a1 = b1 = c1 = ZERO
    for i in range(length):
        shift = np.uint64(i) * step
        here = own >> shift
        carry = a0 & here
        a0 ^= here
        c0 |= b0 & carry
        b0 ^= carry
        here = other >> shift
        carry = a1 & here
        a1 ^= here
        c1 |= b1 & carry
        b1 ^= carry
    mine = starts & b0 & ~(c0 | a1 | b1 | c1)
    theirs = starts & b1 & ~(c1 | a0 | b0 | c0)
    return mine & ~a0, mine & a0, theirs & ~a1, theirs & a1


@kernel(hot=True)
def _count_runs(
    own: np.uint64, other: np.uint64, side: np.uint64, length: int,
    across: np.uint64, up: np.uint64, rising: np.uint64, falling: np.uint64,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Count runs of two and of three of one player, then of the other; lines begin where told."""
    p, q, r, s = _along(own, other, across, ONE, length)
    t, u, v, w = _along(own, other, up, side, length)
    twos, threes = popcount(p) + popcount(t), popcount(q) + popcount(u)
    other_twos, other_threes = popcount(r) + popcount(v), popcount(s) + popcount(w)
    p, q, r, s = _along(own, other, rising, side + ONE, length)
    t, u, v, w = _along(own, other, falling, side - ONE, length)
    return (
        twos + popcount(p) + popcount(t),
        threes + popcount(q) + popcount(u),
        other_twos + popcount(r) + popcount(v),
        other_threes + popcount(s) + popcount(w),
    )


@kernel(FEATURES)
def dice_features(tables: Tables, state: State, out: Reals) -> int:
    """Write the inputs; return who is to move."""
    side = np.int64(tables.ints[SIDE])
    cells = side * side
    player = np.int64(state[STATUS] & ONE)
    turn = player == 1 and tables.ints[FROM + 1] != tables.ints[FROM]
    words = tables.words
    for which in range(2):
        board = state[player if which == 0 else 1 - player]
        for row in range(side):
            for column in range(side):
                bit = (board >> np.uint64(row * side + column)) & ONE
                cell = column * side + row if turn else row * side + column
                out[which * cells + cell] = np.float64(bit)
    # Turning the board turns lines into lines.
    twos, threes, other_twos, other_threes = _count_runs(
        state[player], state[1 - player], np.uint64(side), tables.ints[LINE],
        words[STARTS], words[STARTS + 1], words[STARTS + 2], words[STARTS + 3],
    )  # fmt: skip
    out[2 * cells] = OF_TWO * twos
    out[2 * cells + 1] = OF_THREE * threes
    out[2 * cells + 2] = OF_TWO * other_twos
    out[2 * cells + 3] = OF_THREE * other_threes
    return player  # type: ignore[return-value]


@kernel(EVALUATE, makes_arrays=True)
def plain_dice_network(weights: Reals, tables: Tables, state: State) -> float:
    """Ask a network input by input."""
    inputs, hidden = room_for(weights)
    return judge(weights, dice_features(tables, state, inputs), inputs, hidden)


# -- the fast way -------------------------------------------------------------------------------
#
# What the cells of one row add to the hidden units depends on the 2^m contents of that row alone.
# All of it is added up beforehand, for each side of the game, each of the two boards and each row;
# for the second player the weights are turned, so that no board has to be.  A judgement is then 2m
# vectors added up, the runs, and one division for each hidden unit.

# Weights: the value to begin with, the length of a vector, m, and a zero; then vectors of one
# number for each hidden unit, filled up with zeros: what each unit adds to the value; what a run of
# each of the four kinds adds to each unit; then the rows.
_OUTPUT = np.uint64(4)
_UNIT = 4  # vectors are as long as a multiple of this, which suits the processor

_FIVE = np.uint64(5)
_ACROSS, _UP, _RISING, _FALLING = (  # where lines of four begin on a board of side 5
    np.uint64(sum(1 << 5 * row + column for row in rows for column in columns))
    for rows, columns in (
        (range(5), range(2)), (range(2), range(5)), (range(2), range(2)), (range(2), range(3, 5)),
    )
)  # fmt: skip
_ROW_5 = np.uint64(31)


def _compact(network: "Network", *, turned: bool) -> Reals:
    """Add up what the rows of a board say to the hidden units of a network.

    `turned` for lines=rc, where the second player sees the board turned.
    """
    side = round(((network.inputs - 4) / 2) ** 0.5)
    hidden, cells = network.hidden, side * side
    padded = -(-hidden // _UNIT) * _UNIT
    columns = np.zeros((network.inputs + 2, padded))
    columns[:, :hidden] = network.weights[:-1].reshape(network.inputs + 2, hidden)
    boards, runs = columns[: 2 * cells].reshape(2, side, side, padded), columns[2 * cells : -2]
    contents = np.arange(1 << side)[:, None] >> np.arange(side) & 1
    rows = np.zeros((2, 2, side, 1 << side, padded))
    for player in range(2):
        for which in range(2):
            seen = boards[which].swapaxes(0, 1) if player and turned else boards[which]
            rows[player, which] = np.einsum("xc,rch->rxh", contents, seen)
    rows[:, 0, 0] += columns[-2]  # what the hidden units begin with
    scales = np.array([OF_TWO, OF_THREE, OF_TWO, OF_THREE])[:, None]
    head = np.zeros(int(_OUTPUT))
    head[:3] = network.weights[-1], padded, side
    return np.concatenate([head, columns[-1], (scales * runs).ravel(), rows.ravel()])


@kernel(hot=True, fastmath={"reassoc", "nsz"})  # sums may be taken in any order
def _judge_usual(weights: Reals, own: np.uint64, other: np.uint64, player: np.uint64) -> float:
    """Judge a board of side 5, four in a row, with 9 to 12 hidden units.

    Constants let the compiler unroll the loops and add up several hidden units at once.
    """
    twos, threes, other_twos, other_threes = _count_runs(
        own, other, _FIVE, 4, _ACROSS, _UP, _RISING, _FALLING
    )
    p, q, r, s = float(twos), float(threes), float(other_twos), float(other_threes)
    unit, row = np.uint64(12), np.uint64(32 * 12)
    runs = _OUTPUT + unit
    a = runs + np.uint64(4) * unit + player * np.uint64(10) * row
    b = a + _FIVE * row
    a0 = a + (own & _ROW_5) * unit
    a1 = a + row + ((own >> np.uint64(5)) & _ROW_5) * unit
    a2 = a + np.uint64(2) * row + ((own >> np.uint64(10)) & _ROW_5) * unit
    a3 = a + np.uint64(3) * row + ((own >> np.uint64(15)) & _ROW_5) * unit
    a4 = a + np.uint64(4) * row + ((own >> np.uint64(20)) & _ROW_5) * unit
    b0 = b + (other & _ROW_5) * unit
    b1 = b + row + ((other >> np.uint64(5)) & _ROW_5) * unit
    b2 = b + np.uint64(2) * row + ((other >> np.uint64(10)) & _ROW_5) * unit
    b3 = b + np.uint64(3) * row + ((other >> np.uint64(15)) & _ROW_5) * unit
    b4 = b + np.uint64(4) * row + ((other >> np.uint64(20)) & _ROW_5) * unit
    total = 0.0
    for i in range(12):
        j = np.uint64(i)
        boards = (
            (weights[a0 + j] + weights[a1 + j]) + (weights[a2 + j] + weights[a3 + j])
            + (weights[a4 + j] + weights[b0 + j]) + (weights[b1 + j] + weights[b2 + j])
            + (weights[b3 + j] + weights[b4 + j])
        )  # fmt: skip
        lines = (
            p * weights[runs + j] + q * weights[runs + unit + j]
            + r * weights[runs + _TWO * unit + j] + s * weights[runs + _THREE * unit + j]
        )  # fmt: skip
        total += weights[_OUTPUT + j] * softsign(boards + lines)
    return softsign(weights[0] + total)


@kernel(hot=True)
def _judge_any(
    weights: Reals, tables: Tables, own: np.uint64, other: np.uint64, player: np.uint64
) -> float:
    """Judge a board of any side with any number of hidden units."""
    unit, side, words = np.uint64(weights[1]), np.uint64(weights[2]), tables.words
    twos, threes, other_twos, other_threes = _count_runs(
        own, other, side, tables.ints[LINE],
        words[STARTS], words[STARTS + 1], words[STARTS + 2], words[STARTS + 3],
    )  # fmt: skip
    mask = (ONE << side) - ONE
    runs = _OUTPUT + unit
    first = runs + np.uint64(4) * unit + player * _TWO * (side * unit << side)
    total = weights[0]
    for i in range(np.int64(unit)):
        j = np.uint64(i)
        said = (
            twos * weights[runs + j] + threes * weights[runs + unit + j]
            + other_twos * weights[runs + _TWO * unit + j]
            + other_threes * weights[runs + _THREE * unit + j]
        )  # fmt: skip
        at = first + j
        for row in range(np.int64(side)):
            place = np.uint64(row) * side
            said += weights[at + ((own >> place) & mask) * unit]
            said += weights[at + (side * unit << side) + ((other >> place) & mask) * unit]
            at += unit << side
        total += weights[_OUTPUT + j] * softsign(said)
    return softsign(total)


@kernel(EVALUATE, lean=True)
def dice_network(weights: Reals, tables: Tables, state: State) -> float:
    """Ask a network whose rows were added up; the game is not over."""
    player = state[STATUS] & ONE
    own, other = state[0], state[1]
    if player != ZERO:
        own, other = other, own
    if weights[1] == 12.0 and weights[2] == 5.0 and tables.ints[LINE] == 4:
        said = _judge_usual(weights, own, other, player)
    else:
        said = _judge_any(weights, tables, own, other, player)
    return said if player == ZERO else -said


def dice_feature_set(game: "Game") -> FeatureSet:
    """Return the inputs of dice for this size of board."""
    side: Any = game.parameters["m"]
    return FeatureSet(
        name=f"dice: {side}x{side} cells of each player, open lines with 2 and 3",
        count=2 * side * side + 4,
        function=dice_features,
        evaluate=plain_dice_network,
        sees_chance=False,
        compact=(dice_network, partial(_compact, turned=game.parameters["lines"] == "rc")),
    )
