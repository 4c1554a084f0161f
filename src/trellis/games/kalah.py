"""Kalah with any number of houses and seeds; six houses with four seeds are OpenSpiel's mancala.

Pits are numbered around the board, and a move is the number of the pit it empties.  The first
player's houses are at the bottom, both sow to the right of where they sit:

        13 12 11 10  9  8       second player
     0                    7     stores: 0 of the second player, 7 of the first
         1  2  3  4  5  6       first player

Each player's side is one word with a byte for each house in the order of sowing and the store in
the top byte; at most 126 seeds leave the top bit of every byte clear, and the top bit of the
first word tells who moves.

A seed goes into every pit on the way, except the other player's store.  The last seed in the own
store gives another move.  The last seed in an empty house of one's own captures, together with
the seeds opposite, but only if there are any.  The game is over as soon as all houses of one
side are empty, whoever would move; then all seeds on a side count for its owner.
OpenSpiel also stops a game after 1,000 moves.  That is not done here, because positions would
have to carry a clock; random games with six houses take about 44 moves.
The rulesheets kalaha6x2x4 and kalaha_2009 of the GGP community are other games: every seed sown
is a move, a last seed in an empty house is taken even if there is nothing opposite, and the
player with seeds left must clear the houses one by one (kalaha_2009 has five houses of three
and stops after 90 such moves).
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import BYTE, BYTES, GOLDEN, ONE, ZERO, key_of_words, mix, to_int
from trellis.game.common_rules import packed_places, pay_lead, pick, rule
from trellis.game.game import Game, Symmetry
from trellis.game.rules import (
    NEEDLESS,
    NOBODY,
    Counts,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
    tables,
)

# tables.ints: houses a side, whether the lead in seeds is paid
HOUSES, BY_MARGIN = 0, 1
# tables.words: a full row of houses (bytes), the seeds of a row at the start, then for each set
# of houses that are not empty a list of them, then for each house and each of 128 numbers of
# seeds what sowing them adds
ROW, FIRST_ROW, LISTS, SOWN = 0, 1, 2, 130

STORE = 7  # the byte of the store
ELSEWHERE = 8  # stands for the houses of the other player
OUTSIDE = 128  # added to where the last seed fell, if that is not an own house
_TURN = np.uint64(63)
_NO_TURN = np.uint64(0x7FFF_FFFF_FFFF_FFFF)
_ROOM, _GATHER = np.uint64(0x7F7F_7F7F_7F7F_7F7F), np.uint64(0x0102_0408_1020_4080)
_LOW_56 = np.uint64(0x00FF_FFFF_FFFF_FFFF)
_S2, _S3, _S7, _S8, _S32, _S56 = (np.uint64(shift) for shift in (2, 3, 7, 8, 32, 56))
_LAST_SHIFT = np.uint64(63)
_OUTSIDE, _IN_STORE = np.uint64(OUTSIDE), np.uint64(OUTSIDE + STORE)
_LISTS_AT, _SOWN_AT = np.uint64(LISTS), np.uint64(SOWN)  # an unsigned index needs no check
_NIBBLE, _COUNT = np.uint64(15), np.uint64(60)


@kernel(inline="always")
def _sow(
    tables: Tables, own: np.uint64, other: np.uint64, house: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Empty a house and sow; return both sides and the byte where the last seed fell."""
    houses = np.uint64(tables.ints[HOUSES])
    place = house << _S3
    seeds = (own >> place) & BYTE
    entry = _SOWN_AT + (house << _S8) + (seeds << ONE)
    sown = tables.words[entry + ONE]
    last = sown >> _S56
    own = (own & ~(BYTE << place)) + tables.words[entry]
    other += sown & _LOW_56
    # One branch on what is taken, seldom and so cheap; where the last seed fell is hard to foresee.
    place = (last << _S3) & _LAST_SHIFT
    opposite = ((houses - ONE - last) << _S3) & _LAST_SHIFT
    alone = ((((own >> place) & BYTE) ^ ONE) | (last & _OUTSIDE)) - ONE >> _TURN
    taken = (other >> opposite) & (BYTE * alone)
    if taken != ZERO:
        own += ((taken + ONE) << _S56) - (ONE << place)
        other -= taken << opposite
    return own, other, last


@kernel(inline="always")
def _choices(row: np.uint64) -> np.uint64:
    """Return the set of houses, a bit for each, that have seeds."""
    return ((((row + _ROOM) >> _S7) & BYTES) * _GATHER) >> _S56


@kernel(inline="always")
def _total(side: np.uint64) -> np.uint64:
    """Add up the seeds of a side, store included: at most 126, so the top byte holds them."""
    return (side * BYTES) >> _S56


@rule
def start(tables: Tables, state: State) -> None:
    state[:] = tables.words[FIRST_ROW]


@rule
def acting(tables: Tables, state: State) -> int:
    row = tables.words[ROW]
    if state[0] & row == ZERO or state[1] & row == ZERO:
        return NOBODY
    return to_int(state[0] >> _TURN)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    houses = tables.ints[HOUSES]
    turn = np.int64(state[0] >> _TURN)
    count = 0
    for house in range(houses):
        if (state[turn] >> np.uint64(8 * house)) & BYTE:
            out[count] = turn * (houses + 1) + house + 1
            count += 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turn = np.int64(state[0] >> _TURN)
    state[0] &= _NO_TURN
    house = np.uint64(move - turn * (tables.ints[HOUSES] + 1) - 1)
    own, other, last = _sow(tables, state[turn], state[1 - turn], house)
    state[turn], state[1 - turn] = own, other
    after = turn if last == _IN_STORE else 1 - turn
    state[0] |= np.uint64(after) << _TURN


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    lead = to_int(_total(state[0] & _NO_TURN)) - to_int(_total(state[1]))
    pay_lead(lead, tables.ints[BY_MARGIN] != 0, out)


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Play at random with both sides in registers; write them back at the end."""
    seed = rng[0]
    row = tables.words[ROW]
    turn = state[0] >> _TURN
    first, second = state[0] & _NO_TURN, state[1]
    own, other = (second, first) if turn else (first, second)
    plies = 0
    while own & row != ZERO and other & row != ZERO:
        seed += GOLDEN
        # The list has four bits for each house and their number on top.
        choices = tables.words[_LISTS_AT + _choices(own & row)]
        index = pick(mix(seed), choices >> _COUNT)
        house = (choices >> (index << _S2)) & _NIBBLE
        own, other, last = _sow(tables, own, other, house)
        if last != _IN_STORE:
            own, other = other, own
            turn ^= ONE
        plies += 1
    rng[0] = seed
    state[0], state[1] = (other, own) if turn else (own, other)
    state[0] |= turn << _TURN
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    out[0], out[1] = state[0], state[1]
    if index == 1:
        turn = ONE - (state[0] >> _TURN)
        out[0], out[1] = state[1] | (turn << _TURN), state[0] & _NO_TURN


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    side = tables.ints[HOUSES] + 1
    return move if index == 0 else move + side if move < side else move - side


@rule
def bounds(tables: Tables, state: State, out: Reals) -> None:
    """Tell the lead that is safe: seeds in a store stay there.  Only where leads are paid."""
    first, second = state[0] & _NO_TURN, state[1]
    lead = to_int(_total(first)) - to_int(_total(second))
    low = high = lead
    if first & tables.words[ROW] != ZERO and second & tables.words[ROW] != ZERO:
        seeds = to_int(_total(first) + _total(second))
        low, high = 2 * to_int(first >> _S56) - seeds, seeds - 2 * to_int(second >> _S56)
    out[0], out[1] = 1.0 * low, 1.0 * high
    out[2], out[3] = 0.0 - out[1], 0.0 - out[0]


@rule
def hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Tell stores with more than half of all seeds; moves that sow on first, then what is won."""
    turn = to_int(state[0] >> _TURN)
    first, second = state[0] & _NO_TURN, state[1]
    own, other = (first, second) if turn == 0 else (second, first)
    seeds = _total(first) + _total(second)
    if tables.ints[BY_MARGIN] != 0:
        seeds += seeds  # no store is ever half as full as that
    if (own >> _S56) << ONE > seeds:
        return 1
    lost = (other >> _S56) << ONE > seeds
    for i in range(count):
        house = to_int(moves[i]) - turn * (to_int(tables.ints[HOUSES]) + 1) - 1
        after, _, last = _sow(tables, own, other, np.uint64(house))
        if (after >> _S56) << ONE > seeds:
            return 1
        scores[i] = 8 * to_int((after >> _S56) - (own >> _S56)) + house
        if last == _IN_STORE:
            scores[i] += 1024
        if lost:
            scores[i] = NEEDLESS
    return 0


RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words,
    playout=playout, transform=transform, map_move=map_move, hint=hint,
)  # fmt: skip
_BY_MARGIN = RULES._replace(bounds=bounds)


def _sown(houses: int, house: int, seeds: int) -> list[int]:
    """Return what sowing adds to the own side and to the other, with the last byte on top."""
    ring = [*range(houses), STORE, *(ELSEWHERE + 1 + far for far in range(houses))]
    added = [0, 0]
    last = ELSEWHERE
    for i in range(seeds):
        last = ring[(house + 1 + i) % len(ring)]
        added[last > ELSEWHERE] += 1 << 8 * (last - ELSEWHERE - 1 if last > ELSEWHERE else last)
    fell = last if last < STORE else OUTSIDE + min(last, ELSEWHERE)
    return [added[0], added[1] | fell << 56]


def _longest(houses: int, seeds: int) -> int:
    """Bound the length of a game.

    Let a seed at distance d from its owner's store weigh a + d, with a = houses (houses - 1),
    and nothing once it is in a store.  A move that puts no seed into the store moves all n of
    them closer and takes off at least 1.  Between two seeds that it puts into the store, and
    after the last one, it lays out at most one seed in each house of both sides, which adds at
    most houses (houses - 1) in distance to what those seeds weighed before; the seed in the
    store takes off a + 1 or more.  So every move takes off at least 1 of what all seeds weigh
    at the start.
    """
    heaviest = houses * (houses - 1)
    return 2 * seeds * sum(heaviest + distance for distance in range(1, houses + 1))


class Kalah(Game):
    """Kalah: sow seeds around the board; the player with more seeds at the end wins.

    With `score` the payoff is how many seeds more.
    """

    name = "kalah"
    symbols = ("1", "2")
    pieces = ()  # seeds belong to nobody

    def __init__(self, houses: int = 6, seeds: int = 4, score: bool = False) -> None:
        most = 2.0 * houses * seeds if score else 1.0
        sown = [
            word for house in range(houses) for n in range(128) for word in _sown(houses, house, n)
        ]
        super().__init__(
            _BY_MARGIN if score else RULES,
            tables(
                ints=[houses, int(score)],
                words=[
                    (1 << 8 * houses) - 1, sum(seeds << 8 * house for house in range(houses)),
                    *map(packed_places, range(128)), *sown,
                ],
            ),
            parameters={"houses": houses, "seeds": seeds, "score": score},
            payoff_range=(-most, most),
            state_words=2,
            max_moves=houses,
            move_codes=2 * (houses + 1),
            max_plies=_longest(houses, seeds),
            symmetries=(Symmetry("identity", (0, 1)), Symmetry("change of sides", (1, 0))),
        )  # fmt: skip
        self.houses = houses
        self.notation = (
            f"a pit, 1 to {houses} for the first player, "
            f"{houses + 2} to {2 * houses + 1} for the second"
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a house by the number of its pit."""
        return str(move)

    def other_names(self, move: int) -> tuple[str, ...]:
        """Return the number of a house of the second player, counted from 1."""
        return (str(move - self.houses - 1),) if move > self.houses else ()

    def tally(self, state: State) -> str:
        """Count what everybody has: the store, and what is left in the houses."""
        sides = int(state[0] & _NO_TURN), int(state[1])
        seeds = [sum(side.to_bytes(8, "little")) for side in sides]
        return f"seeds: 1 has {seeds[0]}, 2 has {seeds[1]}"

    def board(self, state: State) -> str:
        """Draw the board from above, the first player at the bottom."""
        first, second = int(state[0] & _NO_TURN), int(state[1])
        bottom = [first >> 8 * house & 0xFF for house in range(self.houses)]
        top = [second >> 8 * house & 0xFF for house in reversed(range(self.houses))]
        far = [f"({self.houses + 2 + house})" for house in reversed(range(self.houses))]
        near = [f"({house + 1})" for house in range(self.houses)]
        names = ["   " + "".join(f"{name:>4}" for name in side).rstrip() for side in (far, near)]
        row = "   " + "".join(f"{seeds:4d}" for seeds in top)
        stores = f"{second >> 56:3d}" + " " * (4 * self.houses) + f"{first >> 56:4d}"
        turn = f"player {1 + (int(state[0]) >> 63)} is the one to sow"
        own = "   " + "".join(f"{seeds:4d}" for seeds in bottom)
        return "\n".join([names[0], row, stores, own, names[1], turn])
