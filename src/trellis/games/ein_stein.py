"""EinStein würfelt nicht!: a die chooses which stone moves; reach the far corner or take all.

    0  1  2  3  4      black starts on 0 1 2 5 6 10 and heads for 24,
    5  6  7  8  9      white on 14 18 19 22 23 24, for 0
    10 11 12 13 14
    15 16 17 18 19     the stones of each are numbered 1 to 6; chance deals
    20 21 22 23 24     black's, then white's, then rolls; white moves first

Rules and numbers are OpenSpiel's.  There a number means a deal, a roll or a move, whatever the
position expects, so a mirror cannot be told of a number alone: the game offers no symmetries.
"""

from itertools import permutations

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import BYTE, GOLDEN, ONE, ZERO, hash_pair, mix, to_int
from trellis.game.boards import draw_board
from trellis.game.common_rules import pay_winner, pick, rule, start_empty
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

SIDE, CELLS, STONES, DEALS = 5, 25, 6, 720
BLACK, WHITE = 0, 1

# state: where black's stones stand, where white's, one byte a stone; then the status, which packs
#   bits 0-2: what comes next; bit 3: who moves; bits 4-6: the die
STATUS = 2
DEAL_BLACK, DEAL_WHITE, ROLLING, MOVING, OVER = 0, 1, 2, 3, 4  # OVER: bit 3 says who has won
GONE = 0x7F  # where a captured stone stands

# tables.ints
TARGETS = 0  # for each player, cell and direction: the cell there
OPTIONS = 150  # for each player and cell: how many directions stay on the board
ORDER = 200  # for each player, cell and n: the n-th direction that does
CHOICES = 350  # for each set of stones and roll: the stones that may move, 4 bits each, plus 1
# tables.words
DEALT = 0  # for each player and deal: the word of stones

_EIGHT = np.uint64(8)
_HALF = np.uint64(32)
_ONES = np.uint64(0x0101_0101_0101)
_SIGNS = np.uint64(0x8080_8080_8080)
_SEVEN = np.uint64(7)
_GONE_BITS = np.uint64(0x4040_4040_4040)

_STEPS = ((1, 1), (1, 0), (0, 1), (-1, 0), (-1, -1), (0, -1))  # three for black, three for white
_HOMES = ((0, 1, 2, 5, 6, 10), (14, 18, 19, 22, 23, 24))


@kernel()
def _standing(stones: np.uint64) -> int:
    """Gather, as a set of six bits, the stones that are still on the board.

    Bit 6 of a byte is set where the stone is gone; the product moves bit 8i to bit 40 + i.
    """
    left = ~(stones >> np.uint64(6)) & _ONES
    return to_int(((left * np.uint64(0x0102_0408_1020)) >> np.uint64(40)) & np.uint64(63))


@kernel()
def _cell(stones: np.uint64, stone: int) -> int:
    return to_int((stones >> np.uint64(8 * stone)) & BYTE)


@kernel()
def _hit(stones: np.uint64, cell: np.uint64) -> np.uint64:
    """Set the top bit of the byte of the stone on `cell`, if there is one."""
    return ~(((stones ^ (cell * _ONES)) | _SIGNS) - _ONES) & _SIGNS


@kernel()
def _without(stones: np.uint64, cell: np.uint64) -> np.uint64:
    """Take the stone on `cell`, if there is one, off the board."""
    hit = _hit(stones, cell)
    return stones | (hit - (hit >> _SEVEN))


@kernel()
def _who(state: State) -> int:
    """Return who moves, or has won."""
    return to_int((state[STATUS] >> np.uint64(3)) & ONE)


@rule
def acting(tables: Tables, state: State) -> int:
    phase = to_int(state[STATUS] & _SEVEN)
    if phase == OVER:
        return NOBODY
    return _who(state) if phase == MOVING else CHANCE


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    phase = to_int(state[STATUS] & _SEVEN)
    if phase != MOVING:
        outcomes = STONES if phase == ROLLING else DEALS
        for outcome in range(outcomes):
            out[outcome] = outcome
        return outcomes
    player = _who(state)
    die = to_int(state[STATUS] >> np.uint64(4))
    ints = tables.ints
    chosen = to_int(ints[CHOICES + _standing(state[player]) * STONES + die])
    count = 0
    while chosen != 0:
        cell = _cell(state[player], (chosen & 15) - 1)
        chosen >>= 4
        place = player * CELLS + cell
        for n in range(ints[OPTIONS + place]):
            direction = to_int(ints[ORDER + 3 * place + n])
            target = np.uint64(ints[TARGETS + 3 * place + direction])
            taken = _hit(state[0], target) | _hit(state[1], target)
            action = (cell * 6 + 3 * player + direction) * 2
            out[count] = action if taken == ZERO else action + 1
            count += 1
    return count


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    count = STONES if to_int(state[STATUS] & _SEVEN) == ROLLING else DEALS
    for outcome in range(count):
        out[outcome] = 1.0 / count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    phase = to_int(state[STATUS] & _SEVEN)
    who = state[STATUS] & _EIGHT
    if phase == DEAL_BLACK:
        state[BLACK] = tables.words[DEALT + move]
        state[STATUS] = np.uint64(DEAL_WHITE)
    elif phase == DEAL_WHITE:
        state[WHITE] = tables.words[DEALT + DEALS + move]
        state[STATUS] = np.uint64(ROLLING) | _EIGHT
    elif phase == ROLLING:
        state[STATUS] = np.uint64(MOVING) | who | (np.uint64(move) << np.uint64(4))
    else:
        player = to_int(who >> np.uint64(3))
        cell = np.uint64(move // 12)
        step = (move // 2) % 6
        target = np.uint64(tables.ints[TARGETS + 3 * (player * CELLS + move // 12) + step % 3])
        # The stone's own byte, by which `cell` and `target` differ, is found before captures.
        byte = _hit(state[player], cell) >> _SEVEN
        state[BLACK] = _without(state[BLACK], target)
        state[WHITE] = _without(state[WHITE], target)
        state[player] ^= (cell ^ target) * byte
        goal = np.uint64(CELLS - 1) if player == BLACK else ZERO
        if target == goal or _standing(state[1 - player]) == 0:
            state[STATUS] = np.uint64(OVER) | who
        else:
            state[STATUS] = np.uint64(ROLLING) | (who ^ _EIGHT)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay_winner(_who(state), out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    return hash_pair(state[BLACK] | (state[STATUS] << np.uint64(48)), state[WHITE])


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Roll and move with one random number: half of it for the die, half for the move."""
    ints = tables.ints
    seed = rng[0]
    plies = 0
    phase = to_int(state[STATUS] & _SEVEN)
    while phase < ROLLING:
        seed += GOLDEN
        deal = to_int(pick(mix(seed), np.uint64(DEALS)))
        play(tables, state, deal)
        plies += 1
        phase = to_int(state[STATUS] & _SEVEN)
    player = _who(state)
    die = to_int(state[STATUS] >> np.uint64(4))
    rolled = phase == MOVING
    own, other = state[player], state[1 - player]
    while phase != OVER:
        seed += GOLDEN
        draw = mix(seed)
        if rolled:
            rolled = False
        else:
            die = to_int(pick(draw << _HALF, np.uint64(STONES)))
            plies += 1
        chosen = to_int(ints[CHOICES + _standing(own) * STONES + die])
        stone = (chosen & 15) - 1
        second = (chosen >> 4) - 1
        cell = _cell(own, stone)
        options = to_int(ints[OPTIONS + player * CELLS + cell])
        more = 0
        if second >= 0:
            more = to_int(ints[OPTIONS + player * CELLS + _cell(own, second)])
        nth = to_int(pick(draw, np.uint64(options + more)))
        if nth >= options:
            nth -= options
            stone = second
            cell = _cell(own, stone)
        place = 3 * (player * CELLS + cell)
        target = np.uint64(ints[TARGETS + place + to_int(ints[ORDER + place + nth])])
        own = _without(own, target) ^ ((np.uint64(cell) ^ target) << np.uint64(8 * stone))
        other = _without(other, target)
        plies += 1
        if target == np.uint64((CELLS - 1) * (1 - player)) or other & _GONE_BITS == _GONE_BITS:
            phase = OVER
        else:
            own, other = other, own
            player = 1 - player
    rng[0] = seed
    state[player], state[1 - player] = own, other
    state[STATUS] = np.uint64(OVER) | (np.uint64(player) << np.uint64(3))
    payoffs(tables, state, out)
    return plies


RULES = Rules(start_empty, acting, moves, play, payoffs, key, chances=chances, playout=playout)


def _geometry() -> list[int]:
    """Make `tables.ints`."""
    targets, options, order = [], [], []
    for player in (BLACK, WHITE):
        for cell in range(CELLS):
            row, column = divmod(cell, SIDE)
            inside = []
            for direction, (rows, columns) in enumerate(_STEPS[3 * player : 3 * player + 3]):
                to_row, to_column = row + rows, column + columns
                if 0 <= to_row < SIDE and 0 <= to_column < SIDE:
                    inside.append(direction)
                    targets.append(SIDE * to_row + to_column)
                else:
                    targets.append(0)
            options.append(len(inside))
            order.extend([*inside, *[0] * (3 - len(inside))])
    return [*targets, *options, *order, *_choices()]


def _choices() -> list[int]:
    """List which stones a roll lets move: its own, else the next below and the next above."""
    choices = []
    for standing in range(1 << STONES):
        stones = [stone for stone in range(STONES) if standing >> stone & 1]
        for die in range(STONES):
            lower = [stone for stone in stones if stone < die][-1:]
            higher = [stone for stone in stones if stone > die][:1]
            may_move = [die] if die in stones else lower + higher
            choices.append(sum(stone + 1 << 4 * i for i, stone in enumerate(may_move)))
    return choices


def _deals() -> list[int]:
    """List the words of stones for all deals, in the order of a dictionary."""
    return [
        sum(cell << 8 * stone for cell, stone in zip(home, deal, strict=True))
        for home in _HOMES
        for deal in permutations(range(STONES))
    ]


_DEAL_NAMES = ["".join(deal) for deal in permutations("123456")]


class EinStein(Game):
    """EinStein würfelt nicht!: a die chooses which stone moves."""

    name = "ein_stein"
    notation = "a stone and where it goes: 3d2"
    symbols = ("b", "w")

    def __init__(self) -> None:
        super().__init__(
            RULES,
            tables(ints=_geometry(), words=_deals()),
            state_words=3,
            max_moves=DEALS,  # two stones have six moves at most; the deals are what counts
            move_codes=DEALS,
            # A stone d steps from its goal makes at most d - 1 moves that do not end the game:
            # 34 for the stones of each player, and one move ends it.  Each follows a roll.
            max_plies=2 + 2 * (34 + 34 + 1),
        )

    def move_name(self, state: State, move: int) -> str:
        """Name the stone and the cell it goes to, row 1 at the bottom."""
        cell, step = move // 12, move // 2 % 6
        player = step // 3
        row, column = divmod(cell, SIDE)
        to_row, to_column = row + _STEPS[step][0], column + _STEPS[step][1]
        stones = int(state[player])
        stone = next(i + 1 for i in range(STONES) if stones >> 8 * i & 255 == cell)
        return f"{stone}{'abcde'[to_column]}{SIDE - to_row}"

    def outcome_name(self, state: State, move: int) -> str:
        """Name a deal by the order of the stones, a roll by what the die shows."""
        return str(move + 1) if int(state[STATUS]) & 7 == ROLLING else _DEAL_NAMES[move]

    def board(self, state: State) -> str:
        """Draw the board with row 5 on top, and say who rolls or what was rolled."""
        cells = [" ."] * CELLS
        status = int(state[STATUS])
        for player in (BLACK, WHITE):
            if status & 7 > (DEAL_BLACK, DEAL_WHITE)[player]:
                for stone in range(STONES):
                    cell = int(state[player]) >> 8 * stone & 255
                    if cell < CELLS:
                        cells[cell] = f"{self.symbols[player]}{stone + 1}"
        who = self.symbols[status >> 3 & 1]
        said = {
            DEAL_BLACK: "the stones of b are dealt",
            DEAL_WHITE: "the stones of w are dealt",
            ROLLING: f"{who} rolls",
            MOVING: f"{who} has rolled {(status >> 4) + 1}",
            OVER: f"{who} has won",
        }
        return f"{draw_board(cells, SIDE)}\n{said[status & 7]}"
