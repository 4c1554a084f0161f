"""Nine men's morris, with the rules of OpenSpiel: three in a row, a mill, takes a man.

A point is bit 8 * ring + place, with the outer ring first and places around a ring from its top
left corner, so that a step around a ring is a rotation of bytes and a step between rings is a
shift by eight.  Moves carry OpenSpiel's numbers of points, by rows from the top:

    7  0-----------1-----------2        outer ring, places 0 1 2
       |           |           |                           7   3
    6  |   3-------4-------5   |                           6 5 4
       |   |       |       |   |
    5  |   |   6---7---8   |   |
       |   |   |       |   |   |
    4  9--10--11      12--13--14
       |   |   |       |   |   |
    3  |   |  15--16--17   |   |
       |   |       |       |   |
    2  |  18------19------20   |
       |           |           |
    1 21----------22----------23
       a   b   c   d   e   f   g

The state is one word: the men of both players, whether the mover has just closed a mill and must
take a man (a ply of its own), and the number of turns so far.  That number also tells who moves
and how many men are still to be placed, since players place one man a turn.

- Nine men each are placed, then they slide along the lines; who has three men left may fly.
- A new mill takes one man of the opponent, two new mills at once too; men in mills are safe as
  long as there are others.
- Who has two men left or cannot move loses; after `turn_limit` turns the game is a draw (unless
  the next player cannot move).  With `turn_limit=0` there is no limit and no clock: the number
  of turns stays at 18 or 19 after the men are placed, so that positions come up again.

The rulesheet merrills of the GGP community is another game: it ends after 60 plies and then pays
75 and 25 to whoever has more and fewer men; a player who cannot move passes; a mill takes nothing
if all opposing men are in mills; losing by men is judged only when all men are placed.
Colours cannot be exchanged in one word: the first player has always placed the first man.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    GOLDEN,
    ONE,
    ZERO,
    key_of_one_word,
    lowest_bit,
    mix,
    popcount,
    random_bit,
    to_int,
)
from trellis.game.common_rules import pay_winner, rule, start_empty
from trellis.game.game import Game, Symmetry
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

POINTS, MEN = 24, 9
PLACING = 2 * MEN  # turns in which men are placed
LONGEST_PLAYOUT = 20_000  # turns of a playout without a limit; then it counts as a draw
# state[0], from the low end: men of the first player, of the second, a mill to pay for, turns
_SECOND, _MILL, _TURNS = np.uint64(24), np.uint64(48), np.uint64(49)
# tables.ints: the limit, OpenSpiel's number of each bit and back, the move number of each slide,
# then the images of OpenSpiel's points under each symmetry
LIMIT, POINT_OF, BIT_OF, SLIDES, IMAGES = 0, 1, 25, 49, 113
# tables.words: the two other points of each of the two lines through each bit, then for each
# slide where it starts and ends, then where it ends
MATES, STEPS, TARGETS = 0, 48, 112

# A slide is a bit of a word, too: 24 clockwise ones by target, 24 the other way by target, then
# between the rings; odd bits one ring inwards by start, even bits one ring outwards by target.
_BOARD = np.uint64(0xFF_FFFF)
_FIRST_PLACES, _NOT_FIRST = np.uint64(0x01_0101), np.uint64(0xFE_FEFE)
_LAST_PLACES, _NOT_LAST = np.uint64(0x80_8080), np.uint64(0x7F_7F7F)
_CORNERS, _SIDES = np.uint64(0x55_5555), np.uint64(0xAA)
_OUTER_SIDES, _INNER_SIDES = np.uint64(0x00_AAAA), np.uint64(0xAA_AA00)
_S1, _S2, _S6, _S7, _S8, _S16 = (np.uint64(shift) for shift in (1, 2, 6, 7, 8, 16))
_S24, _S32, _S40, _S47 = (np.uint64(shift) for shift in (24, 32, 40, 47))
_FIRST_TWO, _NOT_FIRST_TWO = np.uint64(0x03_0303), np.uint64(0xFC_FCFC)
_LAST_TWO, _NOT_LAST_TWO = np.uint64(0xC0_C0C0), np.uint64(0x3F_3F3F)
_STEPS_AT, _TARGETS_AT = np.uint64(STEPS), np.uint64(TARGETS)  # unsigned: an index without a check


@kernel(inline="always")
def _turned(men: np.uint64) -> np.uint64:
    """Move all men one place clockwise."""
    return ((men << _S1) & _NOT_FIRST) | ((men >> _S7) & _FIRST_PLACES)


@kernel(inline="always")
def _turned_back(men: np.uint64) -> np.uint64:
    """Move all men one place against the clock."""
    return ((men >> _S1) & _NOT_LAST) | ((men << _S7) & _LAST_PLACES)


@kernel(inline="always")
def _slides(own: np.uint64, free: np.uint64) -> np.uint64:
    """Return all slides to neighbouring free points, one bit each."""
    inwards = ((own & _OUTER_SIDES) << _S8) & free
    outwards = ((own & _INNER_SIDES) >> _S8) & free
    return (
        (_turned(own) & free)
        | ((_turned_back(own) & free) << _S24)
        | (inwards << _S40)
        | (outwards << _S47)
    )


@kernel(inline="always")
def _closes(tables: Tables, own: np.uint64, bit: np.uint64) -> bool:
    """Tell whether a man on a point is in a mill."""
    first = tables.words[bit << _S1]
    second = tables.words[(bit << _S1) | ONE]
    return (own & first == first) | (own & second == second)


@kernel(inline="always")
def _victims(men: np.uint64) -> np.uint64:
    """Return the men that may be taken: those in no mill, or all if there are none."""
    two_on = ((men >> _S2) & _NOT_LAST_TWO) | ((men << _S6) & _LAST_TWO)
    starts = men & _turned_back(men) & two_on & _CORNERS
    ends = ((starts << _S2) & _NOT_FIRST_TWO) | ((starts >> _S6) & _FIRST_TWO)
    spokes = men & (men >> _S8) & (men >> _S16) & _SIDES
    mills = starts | _turned(starts) | ends | spokes | (spokes << _S8) | (spokes << _S16)
    single = men & ~mills
    return single if single != ZERO else men


@kernel()
def _after_turn(tables: Tables, turns: np.uint64) -> np.uint64:
    """Count one more turn; without a limit only as far as the position depends on it."""
    turns += ONE
    if tables.ints[LIMIT] == 0 and turns == np.uint64(PLACING + 2):
        turns = np.uint64(PLACING)
    return turns


@kernel()
def _packed(first: np.uint64, second: np.uint64, mill: np.uint64, turns: np.uint64) -> np.uint64:
    return first | (second << _SECOND) | (mill << _MILL) | (turns << _TURNS)


@kernel()
def _turns(state: State) -> int:
    return to_int(state[0] >> _TURNS)


@kernel()
def _men(state: State, player: int) -> int:
    """Count the men of a player on the board and still to be placed."""
    turns = _turns(state)
    placed = (turns + 1 - player) // 2
    if (state[0] >> _MILL) & ONE and turns & 1 == player:
        placed += 1  # the one that closed the mill
    placed = min(placed, MEN)
    return popcount((state[0] >> np.uint64(POINTS * player)) & _BOARD) + MEN - placed


@kernel()
def _stuck(state: State) -> bool:
    """Tell whether the mover has men on the board only and none of them can go anywhere."""
    turns = state[0] >> _TURNS
    if (state[0] >> _MILL) & ONE or turns < np.uint64(PLACING):
        return False
    first, second = state[0] & _BOARD, (state[0] >> _SECOND) & _BOARD
    own = second if turns & ONE else first
    return popcount(own) > 3 and _slides(own, ~(first | second) & _BOARD) == ZERO


@kernel()
def _over(tables: Tables, state: State) -> bool:
    limit = tables.ints[LIMIT]
    if (state[0] >> _MILL) & ONE:
        return False
    if limit and _turns(state) >= limit:
        return True
    return _men(state, 0) < 3 or _men(state, 1) < 3 or _stuck(state)


@rule
def acting(tables: Tables, state: State) -> int:
    return NOBODY if _over(tables, state) else _turns(state) & 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    turns = state[0] >> _TURNS
    first, second = state[0] & _BOARD, (state[0] >> _SECOND) & _BOARD
    own, other = (second, first) if turns & ONE else (first, second)
    free = ~(own | other) & _BOARD
    count = 0
    if (state[0] >> _MILL) & ONE or turns < np.uint64(PLACING):
        points = _victims(other) if (state[0] >> _MILL) & ONE else free
        while points != ZERO:
            out[count] = tables.ints[POINT_OF + lowest_bit(points)]
            points &= points - ONE
            count += 1
    elif popcount(own) > 3:
        slides = _slides(own, free)
        while slides != ZERO:
            out[count] = tables.ints[SLIDES + lowest_bit(slides)]
            slides &= slides - ONE
            count += 1
    else:
        while own != ZERO:
            source = tables.ints[POINT_OF + lowest_bit(own)]
            own &= own - ONE
            targets = free
            while targets != ZERO:
                target = tables.ints[POINT_OF + lowest_bit(targets)]
                out[count] = POINTS + source * POINTS + target
                targets &= targets - ONE
                count += 1
    return count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turns = state[0] >> _TURNS
    turn = turns & ONE
    first, second = state[0] & _BOARD, (state[0] >> _SECOND) & _BOARD
    own, other = (second, first) if turn else (first, second)
    mill = ZERO
    if (state[0] >> _MILL) & ONE:
        other ^= ONE << np.uint64(tables.ints[BIT_OF + move])
    else:
        if move >= POINTS:
            own ^= ONE << np.uint64(tables.ints[BIT_OF + move // POINTS - 1])
        bit = np.uint64(tables.ints[BIT_OF + move % POINTS])
        own |= ONE << bit
        if _closes(tables, own, bit):
            mill = ONE
    if mill == ZERO:
        turns = _after_turn(tables, turns)
    first, second = (other, own) if turn else (own, other)
    state[0] = _packed(first, second, mill, turns)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    winner = NOBODY
    if _stuck(state):
        winner = 1 - (_turns(state) & 1)
    elif _men(state, 0) < 3:
        winner = 1
    elif _men(state, 1) < 3:
        winner = 0
    pay_winner(winner, out)


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Play at random with both sets of men in registers; write them back at the end."""
    if _over(tables, state):
        payoffs(tables, state, out)
        return 0
    seed = rng[0]
    limit = int(tables.ints[LIMIT])
    turns = _turns(state)
    stop = limit or turns + LONGEST_PLAYOUT
    mill = (state[0] >> _MILL) & ONE != ZERO
    first, second = state[0] & _BOARD, (state[0] >> _SECOND) & _BOARD
    own, other = (second, first) if turns & 1 else (first, second)
    # Men on the board and still to come, of the mover and of the other.
    own_men, other_men = _men(state, turns & 1), _men(state, 1 - (turns & 1))
    plies = 0
    while True:
        if not mill:
            if turns == stop:
                break
            free = ~(own | other) & _BOARD
            seed += GOLDEN
            draw = mix(seed)
            if turns < PLACING:
                bit = random_bit(free, draw)
                own |= ONE << bit
            elif own_men > 3:
                slides = _slides(own, free)
                if slides == ZERO:
                    break
                slide = random_bit(slides, draw)
                own ^= tables.words[_STEPS_AT + slide]
                bit = tables.words[_TARGETS_AT + slide]
            else:
                # Any man to any free point: the two choices are independent.
                source = random_bit(own, draw << _S32)
                bit = random_bit(free, draw)
                own ^= (ONE << source) | (ONE << bit)
            plies += 1
            mill = _closes(tables, own, bit)
        if mill:
            seed += GOLDEN
            other ^= ONE << random_bit(_victims(other), mix(seed))
            mill = False
            plies += 1
            other_men -= 1
            if other_men < 3:
                turns += 1
                own, other = other, own
                break
        own, other = other, own
        own_men, other_men = other_men, own_men
        turns += 1
    rng[0] = seed
    first, second = (other, own) if turns & 1 else (own, other)
    if limit == 0 and turns >= PLACING:
        turns = PLACING + (turns & 1)
    state[0] = _packed(first, second, ZERO, np.uint64(turns))
    payoffs(tables, state, out)
    return plies


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    image = (state[0] >> _MILL) << _MILL
    men = state[0] ^ image
    while men != ZERO:
        bit = lowest_bit(men)
        men &= men - ONE
        point = tables.ints[POINT_OF + bit % POINTS]
        place = tables.ints[BIT_OF + tables.ints[IMAGES + POINTS * index + point]]
        image |= ONE << np.uint64(place + bit // POINTS * POINTS)
    out[0] = image


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    images = IMAGES + POINTS * index
    target = tables.ints[images + move % POINTS]
    if move < POINTS:
        return target
    return POINTS + tables.ints[images + move // POINTS - 1] * POINTS + target


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key_of_one_word,
    playout=playout, transform=transform, map_move=map_move,
)  # fmt: skip

# OpenSpiel's numbers of the points, ring by ring and clockwise from the top left corner.
_POINTS = (
    0, 1, 2, 14, 23, 22, 21, 9,
    3, 4, 5, 13, 20, 19, 18, 10,
    6, 7, 8, 12, 17, 16, 15, 11,
)  # fmt: skip
_BITS = [_POINTS.index(point) for point in range(POINTS)]
_NAMES = (
    "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4",
    "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
)  # fmt: skip
_SYMMETRY_NAMES = (
    "identity", "quarter turn", "half turn", "three-quarter turn",
    "diagonal mirror", "left-right mirror", "antidiagonal mirror", "top-bottom mirror",
)  # fmt: skip
_PICTURE = (
    ". - - . - - .", "| . - . - . |", "| | . . . | |", ". . .   . . .",
    "| | . . . | |", "| . - . - . |", ". - - . - - .",
)  # fmt: skip


def _mates(bit: int) -> list[int]:
    """Return the two other points of each of the two lines through a point."""
    ring, place = bit & ~7, bit & 7

    def on_ring(*steps: int) -> int:
        return sum(1 << ring + (place + step) % 8 for step in steps)

    if place % 2 == 0:
        return [on_ring(1, 2), on_ring(-1, -2)]
    return [on_ring(1, -1), sum(1 << other + place for other in (0, 8, 16) if other != ring)]


def _slide(index: int) -> tuple[int, int]:
    """Return the bits where a slide starts and ends."""
    if index < 2 * POINTS:
        target = index % POINTS
        step = -1 if index < POINTS else 1
        return (target & ~7) + (target + step) % 8, target
    side = index - 2 * POINTS
    return (side, side + 8) if side % 2 else (side + 9, side + 1)


def _image(index: int, point: int) -> int:
    """Return where a symmetry sends a point: turns, mirrors, and inner for outer ring."""
    ring, place = divmod(_BITS[point], 8)
    exchange, around = divmod(index, 8)
    # A mirror sends place p to -p, which leaves the top left corner where it is.
    place = (place if around < 4 else -place) + 2 * (around % 4)
    return _POINTS[8 * (2 - ring if exchange else ring) + place % 8]


class NineMensMorris(Game):
    """Nine men's morris: close mills to take men; two men left, or no move, loses."""

    name = "nine_mens_morris"
    notation = "a point to place on, as d6; a slide, as d6-d7; or a man to take, as xd6"

    def __init__(self, turn_limit: int = 200) -> None:
        slides = [_slide(index) for index in range(64)]
        super().__init__(
            RULES,
            tables(
                ints=[
                    turn_limit, *_POINTS, *_BITS,
                    *(POINTS + _POINTS[start] * POINTS + _POINTS[end] for start, end in slides),
                    *(_image(index, point) for index in range(16) for point in range(POINTS)),
                ],
                words=[
                    *(word for bit in range(POINTS) for word in _mates(bit)),
                    *(1 << start | 1 << end for start, end in slides),
                    *(end for _, end in slides),
                ],
            ),
            parameters={"turn_limit": turn_limit},
            state_words=1,
            exact_key=True,
            # Three men fly to any point that neither they nor three opposing men stand on.  Less
            # is possible otherwise: 24 points to place on, 32 lines to slide along, 9 men to take.
            max_moves=3 * (POINTS - 3 - 3),
            move_codes=POINTS + POINTS * POINTS,
            # A turn is one move, or two if it takes a man: at most seven of one side, six of the
            # other.
            max_plies=turn_limit + 13 if turn_limit else None,
            symmetries=[
                Symmetry(f"{name}{rings}", (0, 1))
                for rings in ("", " with rings exchanged")
                for name in _SYMMETRY_NAMES
            ],
        )  # fmt: skip

    def move_name(self, state: State, move: int) -> str:
        """Name a point by column letter and row number; a man that is taken gets an x."""
        if move >= POINTS:
            return f"{_NAMES[move // POINTS - 1]}-{_NAMES[move % POINTS]}"
        return f"x{_NAMES[move]}" if int(state[0]) >> 48 & 1 else _NAMES[move]

    def board(self, state: State) -> str:
        """Draw the board with row 1 at the bottom, and the men still in hand below it."""
        lines = [list(line) for line in _PICTURE]
        word = int(state[0])
        for point, name in enumerate(_NAMES):
            row, column = 7 - int(name[1]), 2 * "abcdefg".index(name[0])
            for player in (0, 1):
                if word >> POINTS * player + _BITS[point] & 1:
                    lines[row][column] = self.symbols[player]
        drawing = [f"{7 - row} {''.join(line)}" for row, line in enumerate(lines)]
        drawing.append("  a b c d e f g")
        turns = word >> 49
        if turns < PLACING:
            hands = []
            for player, symbol in enumerate(self.symbols):
                waiting = _men(state, player) - (word >> POINTS * player & 0xFF_FFFF).bit_count()
                hands.append(f"{symbol} {waiting}")
            drawing.append("  in hand: " + ", ".join(hands))
        return "\n".join(drawing)
