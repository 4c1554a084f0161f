"""CrissCross: a small Chinese Checkers on a cross two squares wide, four stones a side.

            c6 d6                 . .       Red (r) goes right, along rows 3 and 4, and wants
            c5 d5                 . .       all its stones on e3, e4, f3, f4.
      a4 b4 c4 d4 e4 f4       r r . . . .   Teal (t) goes up, along columns c and d, and wants
      a3 b3 c3 d3 e3 f3       r r . . . .   all its stones on c5, d5, c6, d6.
            c2 d2                 t t
            c1 d1                 t t

A stone steps onto the next square of its lane if that is empty, or jumps over one stone of
either colour onto the square behind it, or makes two such jumps in one move.  A player none of
whose stones can move passes.  The rules, clock and payoffs are those of the game of that name
among general game players:

- The game ends when both players are home, or after 39 moves.
- To be home while the other is not makes a player *first*, from the next position on.
- The first player gets 100, and the other 25 when home, 15, 10, 5 or 0 for what is missing.
- Where nobody is first at the end, both get 100, 75, 50, 25 or 0 likewise.
  Missing: one inner square, one outer square, both inner squares, anything else.

Each player has two lanes of six squares, bits 0 .. 5 and 8 .. 13 in the direction of travel;
only the four squares in the middle belong to lanes of both.  The state is one word: red lanes,
teal lanes, clock, and who was first.  The clock tells who moves; exchanging the colours
would need the other parity, so the game offers no symmetry.

A move is numbered 16 * kind + bit: a step, a jump, a double jump.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, key_of_one_word, mix, popcount, to_int
from trellis.game.common_rules import list_bits, pick, rule
from trellis.game.game import Game
from trellis.game.rules import NOBODY, Moves, Random, Reals, Rules, State, Tables, tables
from trellis.games.squares import nth_square

# The state, from the low end: 16 bits red, 16 bits teal, 6 bits clock, 2 bits first.
TEAL_AT, CLOCK_AT, FIRST_AT = np.uint64(16), np.uint64(32), np.uint64(38)
LANES = np.uint64(0b00111111_00111111)
HOME = np.uint64(0b00000011_00000011)
GOAL = np.uint64(0b00110000_00110000)
LAST = np.uint64(40)  # the clock starts at 1
PASS = 48

_S1, _S2, _S3, _S4, _S7 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(7)
_LOW_2, _LOW_6, _LOW_16 = np.uint64(0x3), np.uint64(0x3F), np.uint64(0xFFFF)
# The middle squares in lanes of one colour: two have the same bits in the lanes of the other.
_SAME = np.uint64(1 << 2 | 1 << 11)
_LOWER, _UPPER = np.uint64(1 << 3), np.uint64(1 << 10)
_INNER, _OUTER = np.uint64(1 << 4 | 1 << 12), np.uint64(1 << 5 | 1 << 13)


@kernel()
def _across(stones: np.uint64) -> np.uint64:
    """Return those stones that stand in the lanes of the other colour, as bits of those lanes."""
    return (stones & _SAME) | ((stones >> _S7) & _LOWER) | ((stones << _S7) & _UPPER)


@kernel()
def _movable(own: np.uint64, other: np.uint64) -> np.uint64:
    """Return all moves as one set: stones that can step, jump, double jump, 16 bits each."""
    taken = own | _across(other)
    empty = LANES & ~taken
    step = own & (empty >> _S1)
    jump = own & (taken >> _S1) & (empty >> _S2)
    double = jump & (taken >> _S3) & (empty >> _S4)
    return step | (jump << np.uint64(16)) | (double << np.uint64(32))


@kernel()
def _reached(own: np.uint64) -> int:
    """Return how much of its goal a player has reached: 100, 75, 50, 25 or 0."""
    inner, outer = popcount(own & _INNER), popcount(own & _OUTER)
    if outer == 2:
        return 100 if inner == 2 else 75 if inner == 1 else 25
    return 50 if outer == 1 and inner == 2 else 0


@kernel()
def _consolation(own: np.uint64) -> int:
    """Return what a player gets when the other was first: 25, 15, 10, 5 or 0."""
    reached = _reached(own)
    return 25 if reached == 100 else reached // 5


@kernel()
def _score(red: np.uint64, teal: np.uint64, first: np.uint64, out: Reals) -> None:
    if first == ZERO:
        out[0], out[1] = _reached(red), _reached(teal)
    elif first == ONE:
        out[0], out[1] = 100.0, _consolation(teal)
    else:
        out[0], out[1] = _consolation(red), 100.0


@kernel()
def _first(red: np.uint64, teal: np.uint64, first: np.uint64) -> np.uint64:
    """Return who is first in the next position: 1 for red, 2 for teal, as set bits."""
    if red == GOAL and teal != GOAL:
        first |= np.uint64(1)
    if teal == GOAL and red != GOAL:
        first |= np.uint64(2)
    return first


@kernel()
def _over(red: np.uint64, teal: np.uint64, clock: np.uint64, first: np.uint64) -> bool:
    return (
        clock == LAST
        or (first & np.uint64(1) != ZERO and teal == GOAL)
        or (first & np.uint64(2) != ZERO and red == GOAL)
    )


@kernel()
def _parts(word: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Take a state apart: red, teal, clock, first."""
    return (
        word & _LOW_16,
        (word >> TEAL_AT) & _LOW_16,
        (word >> CLOCK_AT) & _LOW_6,
        (word >> FIRST_AT) & _LOW_2,
    )


@kernel()
def _joined(red: np.uint64, teal: np.uint64, clock: np.uint64, first: np.uint64) -> np.uint64:
    return red | (teal << TEAL_AT) | (clock << CLOCK_AT) | (first << FIRST_AT)


@kernel()
def _moved(own: np.uint64, move: np.uint64) -> np.uint64:
    """Move one stone: 1, 2 or 4 squares, for a step, a jump or a double jump."""
    stone = ONE << (move & np.uint64(15))
    return own ^ (stone | (stone << (ONE << (move >> np.uint64(4)))))


@rule
def start(tables: Tables, state: State) -> None:
    state[0] = _joined(HOME, HOME, ONE, ZERO)


@rule
def acting(tables: Tables, state: State) -> int:
    red, teal, clock, first = _parts(state[0])
    if _over(red, teal, clock, first):
        return NOBODY
    return 1 - to_int(clock & ONE)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    red, teal, clock, _ = _parts(state[0])
    if clock & ONE:
        movable = _movable(red, teal)
    else:
        movable = _movable(teal, red)
    if movable == ZERO:
        out[0] = PASS
        return 1
    return list_bits(movable, 0, out, 0)


@rule
def play(tables: Tables, state: State, move: int) -> None:
    red, teal, clock, first = _parts(state[0])
    first = _first(red, teal, first)
    if move != PASS:
        if clock & ONE:
            red = _moved(red, np.uint64(move))
        else:
            teal = _moved(teal, np.uint64(move))
    state[0] = _joined(red, teal, clock + ONE, first)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    red, teal, _, first = _parts(state[0])
    _score(red, teal, first, out)


@kernel(inline="always")
def _random_move(own: np.uint64, other: np.uint64, point: np.uint64) -> np.uint64:
    """Move a stone at random, every legal move as likely as any other; or pass."""
    movable = _movable(own, other)
    count = np.uint64(popcount(movable))
    if count == ZERO:
        return own
    chosen = nth_square(movable, pick(point, count))
    step, jump = chosen & _LOW_16, (chosen >> np.uint64(16)) & _LOW_16
    double = chosen >> np.uint64(32)
    return own ^ (step | (step << _S1) | jump | (jump << _S2) | double | (double << _S4))


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Play at random with the whole position in registers; write it back at the end."""
    seed = rng[0]
    red, teal, clock, first = _parts(state[0])
    began = clock
    while not _over(red, teal, clock, first):
        seed += GOLDEN
        first = _first(red, teal, first)
        if clock & ONE:
            red = _random_move(red, teal, mix(seed))
        else:
            teal = _random_move(teal, red, mix(seed))
        clock += ONE
    state[0] = _joined(red, teal, clock, first)
    rng[0] = seed
    _score(red, teal, first, out)
    return to_int(clock - began)


RULES = Rules(start, acting, moves, play, payoffs, key_of_one_word, playout=playout)

_RED_SQUARES = [f"{'abcdef'[bit % 8]}{3 + bit // 8}" if bit % 8 < 6 else "" for bit in range(16)]
_TEAL_SQUARES = [f"{'cd'[bit // 8]}{bit % 8 + 1}" if bit % 8 < 6 else "" for bit in range(16)]


class CrissCross(Game):
    """CrissCross: bring four stones across before the other side does."""

    name = "crisscross"
    notation = "two squares, as a3c3, or pass"
    symbols = ("r", "t")

    def __init__(self) -> None:
        super().__init__(
            RULES,
            tables(),
            payoff_range=(0.0, 100.0),
            constant_sum=None,
            state_words=1,
            # A stone that can step cannot jump, so it has two moves at most (a jump and a
            # double jump), and then another stone of its lane or the other player blocks it;
            # trying all placements shows that six is the most.
            max_moves=6,
            move_codes=PASS + 1,
            max_plies=int(LAST) - 1,
            exact_key=True,
        )

    def move_name(self, state: State, move: int) -> str:
        """Name a move by the squares it leads from and to."""
        if move == PASS:
            return "pass"
        _, _, clock, _ = _parts(state[0])
        squares = _RED_SQUARES if int(clock) & 1 else _TEAL_SQUARES
        bit = move % 16
        return f"{squares[bit]}{squares[bit + (1 << move // 16)]}"

    def board(self, state: State) -> str:
        """Draw the cross with row 1 at the bottom, then the clock and who was first."""
        red, teal, clock, first = (int(part) for part in _parts(state[0]))
        shown = dict.fromkeys([*_RED_SQUARES, *_TEAL_SQUARES], ".")
        for squares, stones, symbol in zip(
            (_RED_SQUARES, _TEAL_SQUARES), (red, teal), self.symbols, strict=True
        ):
            shown |= {name: symbol for bit, name in enumerate(squares) if stones >> bit & 1}
        lines = []
        for row in reversed(range(1, 7)):
            cells = [shown.get(f"{column}{row}", " ") for column in "abcdef"]
            lines.append(f"{row} {' '.join(cells)}".rstrip())
        lines.append("  a b c d e f")
        been = f", {self.symbols[first - 1]} was first" if first else ""
        return "\n".join([*lines, f"clock {clock} of {int(LAST)}{been}"])
