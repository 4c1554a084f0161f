"""Backgammon: bring all checkers home and off the board; single ones may be hit on the way.

    12 13 14 15 16 17 | 18 19 20 21 22 23      x moves from 0 to 23 and then off,
    11 10  9  8  7  6 |  5  4  3  2  1  0      o from 23 to 0 and then off

Rules and numbers are OpenSpiel's: the first roll also says who begins, a play is one move that
holds two checker moves, and after doubles the same player makes a second such move.  As there, a
number means a roll or a play, whatever the position expects, so the game offers no symmetries.

Where ours differs: OpenSpiel lists both orders of two dice, both orders of the same two checker
moves, and both ways of one checker where nothing is hit between.  With `repeats=true` so do we;
usually of all rolls or plays that lead to the same position one is listed, which halves what a
search has to look at.  In the small game (`hyper`) OpenSpiel pays nobody; ours pays the winner.

All kernels count points from the mover's own side, as players do: 1 to 24, the bar is 25.
"""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, key_of_words, lowest_bit, mix, to_int
from trellis.game.common_rules import pick, rule
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables
from trellis.games.backgammon.board import (
    BAR,
    BAR_BIT,
    POINTS,
    add_checker,
    count_checkers,
    held_after,
    held_points,
    remove_checker,
    seen_from_the_other_side,
    sources,
    stacked_points,
    top_bit,
)
from trellis.games.backgammon.text import draw, name_play

# state: two words of checkers for each player (`backgammon_board`), then the status, which packs
#   bits 0-1: what comes next; bit 2: who moves, or moves when the dice are rolled;
#   bit 3: the second half of a double; bits 4-6: the lower die; 7-9: the higher;
#   bits 32-63: turns made, where they are counted
STATUS = 4
OPENING, ROLLING, MOVING, OVER = 0, 1, 2, 3
PASS = 1351  # a play without any checker move
NO_MOVE = 25  # the digit of a checker move that is not made
LOW_FIRST = 676  # added to plays that begin with the lower die
FIRST_ROLLS, ROLLS = 30, 36  # outcomes; of two different dice, 2i and 2i + 1 mean the same
# tables.ints
CHECKERS, LIMIT, SCORING, REPEATS = 0, 1, 2, 3
DIGIT = 4  # for each player and point: how plays write it
POINT = 56  # for each player and digit: which point that is
DICE = 108  # for each outcome of the dice: the lower one, the higher one
WINLOSS, GAMMONS, FULL = 0, 1, 2
# tables.words
SETUP = 0  # the checkers of a player at the start; both are alike, seen from their sides

_HALF = np.uint64(32)
_FAR_HOME = np.uint64(0x1F8_0000)  # points 19 to 24, the other player's home
_THREE = np.uint64(3)
_FOUR = np.uint64(4)
_SEVEN = np.uint64(7)
_S2 = np.uint64(2)


@kernel(inline="always")
def _list_points(
    ints: Any, digits: int, points: np.uint64, times: int, offset: int, out: Moves, count: int
) -> int:
    """List a play for each of some points, whose digits are multiplied and added to the rest."""
    while points != ZERO:
        out[count] = times * to_int(ints[digits + lowest_bit(points)]) + offset
        points &= points - ONE
        count += 1
    return count


@kernel()
def _list_double(
    ints: Any, digits: int, own: np.uint64, stacked: np.uint64, open_points: np.uint64,
    die: np.uint64, out: Moves,
) -> int:  # fmt: skip
    """List pairs of checker moves by the same number; the farther checker first, or both ways."""
    count = 0
    repeats = ints[REPEATS] != 0
    first = sources(own, open_points, die)
    left = first
    while left != ZERO:
        bit = top_bit(left)
        left ^= bit
        second = sources(held_after(own, stacked, bit, die), open_points, die)
        if not repeats:
            second &= bit | (bit - ONE)
        digit = to_int(ints[digits + lowest_bit(bit)])
        count = _list_points(ints, digits, second, 26, digit, out, count)
    if count == 0:
        count = _list_points(ints, digits, first, 1, 26 * NO_MOVE, out, count)
    return count


@kernel()
def _list_pair(
    ints: Any, digits: int, own: np.uint64, stacked: np.uint64, open_points: np.uint64,
    blots: np.uint64, low: np.uint64, high: np.uint64, out: Moves,
) -> int:  # fmt: skip
    """List plays of two different dice: the higher first, then what only the lower makes possible.

    A play is the point the higher die is used from and the point the lower one is used from.
    Where it leads depends on these two alone, not on their order; and two plays lead to the same
    position only if one checker makes both moves, either number first, and hits nothing between.
    (Both checkers off by either die is no exception: then the higher die can only take the farther
    one, or the lower die has done so first.)
    """
    count = 0
    repeats = ints[REPEATS] != 0
    first_high = sources(own, open_points, high)
    first_low = sources(own, open_points, low)
    # Points whose checker can use both dice, the higher first, with the same result either way.
    runners = ZERO
    left = first_high
    while left != ZERO:
        bit = top_bit(left)
        left ^= bit
        second = sources(held_after(own, stacked, bit, high), open_points, low)
        landing = (bit >> high) & POINTS
        if landing & second != ZERO and (landing | (bit >> low)) & blots == ZERO:
            runners |= bit
        if not repeats:
            # The lower die brings a runner to this point and the higher one takes it on from here.
            second &= ~(runners & (bit << low))
        digit = to_int(ints[digits + lowest_bit(bit)])
        count = _list_points(ints, digits, second, 26, digit, out, count)
    left = first_low
    while left != ZERO:
        bit = top_bit(left)
        left ^= bit
        second = sources(held_after(own, stacked, bit, low), open_points, high)
        if not repeats:
            landing = (bit >> low) & POINTS
            second &= ~first_high
            if landing == ZERO:
                second = ZERO  # both go off, as with the higher die first
            if bit & runners != ZERO:
                second &= ~landing
        digit = LOW_FIRST + to_int(ints[digits + lowest_bit(bit)])
        count = _list_points(ints, digits, second, 26, digit, out, count)
    if count == 0:
        # One die can be used, not both: the higher if possible.
        offset = 26 * NO_MOVE
        left = first_high
        if left == ZERO:
            left = first_low
            offset += LOW_FIRST
        count = _list_points(ints, digits, left, 1, offset, out, count)
    return count


@kernel()
def _list_plays(
    tables: Tables, state: State, player: int, low: np.uint64, high: np.uint64, out: Moves
) -> int:
    """List all plays of a player; there is always one, if only to pass."""
    other = 1 - player
    theirs = seen_from_the_other_side(
        (held_points(state, other) << _HALF) | stacked_points(state, other)
    )
    blocked = theirs & POINTS
    blots = (theirs >> _HALF) & ~blocked & POINTS
    own, stacked = held_points(state, player), stacked_points(state, player)
    open_points = ~blocked & POINTS
    digits = DIGIT + 26 * player
    if low == high:
        count = _list_double(tables.ints, digits, own, stacked, open_points, low, out)
    else:
        count = _list_pair(
            tables.ints, digits, own, stacked, open_points, blots, low, high, out
        )  # fmt: skip
    if count == 0:
        out[0] = PASS
        return 1
    return count


@kernel()
def _move_checker(state: State, player: int, point: int, die: np.uint64) -> None:
    """Move one checker; hit what stands alone where it lands."""
    bit = ONE << np.uint64(point)
    remove_checker(state, player, bit)
    landing = (bit >> die) & POINTS
    if landing != ZERO:
        add_checker(state, player, landing)
        theirs = ONE << (np.uint64(BAR) - np.uint64(point) + die)
        if held_points(state, 1 - player) & theirs != ZERO:
            remove_checker(state, 1 - player, theirs)
            add_checker(state, 1 - player, BAR_BIT)


@kernel()
def _make_play(
    ints: Any, state: State, player: int, low: np.uint64, high: np.uint64, move: int
) -> bool:
    """Make a play on the board; tell whether it used two dice."""
    if move >= LOW_FIRST:
        move -= LOW_FIRST
        low, high = high, low
    second = move // 26
    first = move - 26 * second
    points = POINT + 26 * player
    if first != NO_MOVE:
        _move_checker(state, player, to_int(ints[points + first]), high)
    if second != NO_MOVE:
        _move_checker(state, player, to_int(ints[points + second]), low)
    return second != NO_MOVE


@kernel()
def _next_status(
    ints: Any, state: State, player: int, low: np.uint64, high: np.uint64, half: bool,
    used_two: bool, turns: int,
) -> np.uint64:  # fmt: skip
    """Say what comes after a play; `half` where it was the second half of a double."""
    counted = ints[LIMIT] != 0
    if counted and not half:
        turns += 1
    clock = np.uint64(turns) << _HALF
    if state[2 * player] | state[2 * player + 1] == ZERO or (counted and turns > ints[LIMIT]):
        return np.uint64(OVER) | (np.uint64(player) << _S2) | clock
    if low == high and used_two and not half:
        dice = (low << _FOUR) | (high << _SEVEN)
        return np.uint64(MOVING) | (np.uint64(player) << _S2) | np.uint64(8) | dice | clock
    return np.uint64(ROLLING) | (np.uint64(1 - player) << _S2) | clock


@kernel()
def first_players_payoff(tables: Tables, state: State) -> float:
    """Say what the first player gets: nothing where turns ran out before all checkers were off."""
    for winner in range(2):
        if state[2 * winner] | state[2 * winner + 1] == ZERO:
            loser = 1 - winner
            value = 1.0
            if tables.ints[SCORING] != WINLOSS and (
                count_checkers(state, loser) == tables.ints[CHECKERS]
            ):
                value = 2.0
                far = held_points(state, loser) & (_FAR_HOME | BAR_BIT)
                if tables.ints[SCORING] == FULL and far != ZERO:
                    value = 3.0
            return value if winner == 0 else -value
    return 0.0


@rule
def start(tables: Tables, state: State) -> None:
    for player in range(2):
        state[2 * player] = tables.words[SETUP]
        state[2 * player + 1] = tables.words[SETUP + 1]
    state[STATUS] = ZERO


@rule
def acting(tables: Tables, state: State) -> int:
    phase = to_int(state[STATUS] & _THREE)
    if phase == OVER:
        return NOBODY
    return to_int((state[STATUS] >> _S2) & ONE) if phase == MOVING else CHANCE


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    status = state[STATUS]
    if status & _THREE != np.uint64(MOVING):
        first = status & _THREE == np.uint64(OPENING)
        count = 0
        for outcome in range(FIRST_ROLLS if first else ROLLS):
            if first or outcome % 2 == 0 or outcome >= FIRST_ROLLS or tables.ints[REPEATS] != 0:
                out[count] = outcome
                count += 1
        return count
    player = to_int((status >> _S2) & ONE)
    return _list_plays(
        tables, state, player, (status >> _FOUR) & _SEVEN, (status >> _SEVEN) & _SEVEN, out
    )


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    if state[STATUS] & _THREE == np.uint64(OPENING):
        for outcome in range(FIRST_ROLLS):
            out[outcome] = 1.0 / FIRST_ROLLS
    elif tables.ints[REPEATS] != 0:
        for outcome in range(ROLLS):
            out[outcome] = 1.0 / 36
    else:
        for outcome in range(21):  # the last six are doubles
            out[outcome] = 1.0 / 18 if outcome < 15 else 1.0 / 36


@rule
def play(tables: Tables, state: State, move: int) -> None:
    status = state[STATUS]
    phase = to_int(status & _THREE)
    player = to_int((status >> _S2) & ONE)
    if phase == MOVING:
        low, high = (status >> _FOUR) & _SEVEN, (status >> _SEVEN) & _SEVEN
        half = (status >> _THREE) & ONE != ZERO
        used_two = _make_play(tables.ints, state, player, low, high, move)
        state[STATUS] = _next_status(
            tables.ints, state, player, low, high, half, used_two, to_int(status >> _HALF)
        )
        return
    if phase == OPENING:
        player = move & 1
    low = np.uint64(tables.ints[DICE + 2 * move])
    high = np.uint64(tables.ints[DICE + 2 * move + 1])
    dice = (low << _FOUR) | (high << _SEVEN)
    state[STATUS] = (
        np.uint64(MOVING) | (np.uint64(player) << _S2) | dice | ((status >> _HALF) << _HALF)
    )


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    out[0] = first_players_payoff(tables, state)
    out[1] = -out[0]


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Roll and play with one random number: half of it for the dice, half for the play."""
    ints = tables.ints
    seed = rng[0]
    plies = 0
    phase = to_int(state[STATUS] & _THREE)
    while phase != OVER:
        seed += GOLDEN
        draw = mix(seed)
        if phase == OPENING:
            play(tables, state, to_int(pick(draw << _HALF, np.uint64(FIRST_ROLLS))))
            plies += 1
        elif phase == ROLLING:
            play(tables, state, to_int(pick(draw << _HALF, np.uint64(ROLLS))))
            plies += 1
        status = state[STATUS]
        low, high = (status >> _FOUR) & _SEVEN, (status >> _SEVEN) & _SEVEN
        player = to_int((status >> _S2) & ONE)
        count = _list_plays(tables, state, player, low, high, buffer)
        move = to_int(buffer[to_int(pick(draw, np.uint64(count)))])
        half = (status >> _THREE) & ONE != ZERO
        used_two = _make_play(ints, state, player, low, high, move)
        state[STATUS] = _next_status(
            ints, state, player, low, high, half, used_two, to_int(status >> _HALF)
        )
        plies += 1
        phase = to_int(state[STATUS] & _THREE)
    rng[0] = seed
    payoffs(tables, state, out)
    return plies


RULES = Rules(start, acting, moves, play, payoffs, key_of_words, chances=chances, playout=playout)

_STANDARD = {24: 2, 13: 5, 8: 3, 6: 5}
_HYPER = {24: 1, 23: 1, 22: 1}
# OpenSpiel's order of the dice: first the different ones, each pair twice, then the doubles.
_DICE = [(low, high) for low in range(1, 7) for high in range(low + 1, 7) for _ in range(2)]
_DICE += [(die, die) for die in range(1, 7)]


def _words(checkers: dict[int, int]) -> list[int]:
    """Pack the checkers of a player, given as {point: number}, into two words."""
    planes = [sum(1 << p for p, n in checkers.items() if n >> bit & 1) for bit in range(4)]
    return [planes[0] | planes[1] << 32, planes[2] | planes[3] << 32]


def _ints(checkers: int, limit: int, scoring: int, repeats: bool) -> list[int]:
    """Make `tables.ints`."""
    # Points seen from x's side are OpenSpiel's backwards, from o's side they are its own plus 1.
    digits = [*[24 - point for point in range(25)], 24, *[point - 1 for point in range(26)]]
    points = [*[24 - digit for digit in range(24)], BAR, 0, *[digit + 1 for digit in range(25)], 0]
    return [
        *[checkers, limit, scoring, repeats],
        *[max(digit, 0) for digit in digits],  # nobody asks for point 0
        *points,
        *[die for pair in _DICE for die in pair],
    ]


class Backgammon(Game):
    """Backgammon: race home and off, hit single checkers; `scoring` says what a gammon is worth."""

    name = "backgammon"
    notation = "checker moves joined by +, such as 13/7+8/7*, or pass"

    def __init__(
        self,
        scoring: str = "winloss",
        repeats: bool = False,
        hyper: bool = False,
        max_player_turns: int = 500,
    ) -> None:
        setup = _HYPER if hyper else _STANDARD
        checkers = sum(setup.values())
        kind = ("winloss", "gammons", "full").index(scoring)
        most = float((1, 2, 3)[kind])
        # On n points, m of them with several checkers, n + m <= checkers.  For the higher die from
        # one and the lower from another there are n(n-1) ways, m ways to use both dice from one
        # point, and n ways each to move one checker twice, the higher or the lower first.
        # Listed in both orders these are 2(n(n-1) + m + n).  Both are most where m = 0.
        ways = checkers * (checkers - 1)
        plays_at_most = 2 * (ways + checkers) if repeats else ways + 2 * checkers
        super().__init__(
            RULES,
            tables(ints=_ints(checkers, max_player_turns, kind, repeats), words=_words(setup)),
            parameters={
                "scoring": scoring, "repeats": repeats, "hyper": hyper,
                "max_player_turns": max_player_turns,
            },
            payoff_range=(-most, most),
            state_words=5,
            max_moves=max(ROLLS, plays_at_most),
            move_codes=PASS + 1,
            # A turn is a roll and one play, or two after a double; the last is cut short.
            max_plies=3 * max_player_turns + 2 if max_player_turns else None,
        )  # fmt: skip
        self.checkers = checkers

    def move_name(self, state: State, move: int) -> str:
        """Write a play as players do, from the mover's side and in the order it is played."""
        status = int(state[STATUS])
        theirs = self.counts(state, 1 - (status >> 2 & 1))
        return name_play(move, status >> 2 & 1, (status >> 4 & 7, status >> 7 & 7), theirs)

    def outcome_name(self, state: State, move: int) -> str:
        """Name the dice; the first roll also says who begins."""
        low, high = _DICE[move]
        if int(state[STATUS]) & 3 == OPENING:
            return f"{self.symbols[move % 2]}:{high}-{low}"
        # Where both orders are listed, their names differ.
        lower_first = self.parameters["repeats"] and move < FIRST_ROLLS and move % 2 == 0
        return f"{low}-{high}" if lower_first else f"{high}-{low}"

    def counts(self, state: State, player: int) -> list[int]:
        """Count the checkers of a player: off, on points 1 to 24 seen from his side, on the bar."""
        planes = [int(state[2 * player + bit // 2]) >> 32 * (bit % 2) for bit in range(4)]
        counts = [sum((planes[bit] >> k & 1) << bit for bit in range(4)) for k in range(26)]
        counts[0] = self.checkers - sum(counts)
        return counts

    def board(self, state: State) -> str:
        """Draw the board with x's home at the top right; points are numbered for who moves."""
        status = int(state[STATUS])
        mover = status >> 2 & 1
        dice = f"{status >> 7 & 7}-{status >> 4 & 7}"
        who = self.symbols[mover]
        winners = [player for player in (0, 1) if sum(self.counts(state, player)[1:]) == 0]
        said = {
            OPENING: "the first roll decides who begins",
            ROLLING: f"{who} rolls",
            MOVING: f"{who} has rolled {dice}" + (", second half" if status >> 3 & 1 else ""),
            OVER: f"{self.symbols[winners[0]]} has won" if winners else "turns have run out",
        }[status & 3]
        if self.parameters["max_player_turns"]:
            begun = status & 3 < OVER and not status >> 3 & 1  # a turn that is not yet counted
            said += f" (turn {(status >> 32) + begun})"
        return draw([self.counts(state, 0), self.counts(state, 1)], mover, said)
