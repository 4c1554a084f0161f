"""The rules of Go: Tromp and Taylor's, with three kinds of superko, with suicide or without.

What a search may take for one position is said by its key (`go:history=...`):

    ko     stones, who moves, the ko point, passes: positions with different pasts are one
    turn   the same and the number of moves made
    full   everything that can matter: with superko, every board that there was

Where superko is in force and the key forgets boards (`ko`, `turn`), the state still knows them.
"""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, hash_pair, hash_words, lowest_bit, mix, popcount, to_int
from trellis.game.common_rules import rule
from trellis.game.rules import NOBODY, Moves, Reals, State, Tables
from trellis.games.go.board import (
    BIT_OF_CODE,
    BITMAP,
    BOARD,
    BY_MARGIN,
    CAP,
    CODE_OF_BIT,
    HISTORY,
    HISTORY_WORDS,
    IMAGES,
    IN_ORDER,
    KEY_TURN,
    KO,
    KO_AT,
    KOMI,
    MOST,
    MOST_AT,
    MOST_BITS,
    NO_HISTORY,
    PASSES,
    PASSES_AT,
    PLIES_AT,
    POINTS,
    ROOM,
    SIDE,
    SITUATIONAL,
    SORTED,
    STACK,
    STRIDE,
    SUICIDE,
    SUPERKO,
    WEIGHTS,
    WORDS,
    area,
    beside,
    has,
    is_point,
    list_own,
    list_taken,
)

_S6, _S63, _S64 = np.uint64(6), np.uint64(63), np.uint64(64)
_TWO = np.uint64(2)


# -- history --------------------------------------------------------------------------------------


@kernel(inline="always")
def entry_of(tables: Tables, code: np.uint64, side: np.uint64) -> np.uint64:
    """Return what is remembered of a board: its code, and who moves where that matters."""
    if tables.ints[SUPERKO] == SITUATIONAL:
        return code * _TWO + side
    return code


@kernel()
def place_in_list(state: State, first: int, entry: np.uint64) -> int:
    """Return where an entry stands in a sorted list, or would."""
    low, high = 0, to_int(state[first - 1])
    while low < high:
        middle = (low + high) // 2
        if state[first + middle] < entry:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def was_before(tables: Tables, state: State, entry: np.uint64) -> bool:
    """Tell whether the game has been there."""
    first = to_int(2 * tables.ints[WORDS] + 3)
    kind = tables.ints[HISTORY]
    count = to_int(state[first - 1])
    if kind == BITMAP:
        return (state[first + np.int64(entry >> _S6)] >> (entry & _S63)) & ONE != ZERO
    if kind == SORTED:
        at = place_in_list(state, first, entry)
        return at < count and bool(state[first + at] == entry)
    for i in range(count - 1, -1, -1):  # noqa: SIM110  # what comes again was there not long ago
        if state[first + i] == entry:
            return True
    return False


@kernel()
def remember(tables: Tables, state: State, entry: np.uint64) -> None:
    """Add a board to the history."""
    first = to_int(2 * tables.ints[WORDS] + 3)
    kind = tables.ints[HISTORY]
    count = to_int(state[first - 1])
    if kind == BITMAP:
        state[first + np.int64(entry >> _S6)] |= ONE << (entry & _S63)
        return
    if count >= tables.ints[HISTORY_WORDS]:
        return  # there is room for every game; only who goes on after its end comes here
    at = count
    if kind == SORTED:
        at = place_in_list(state, first, entry)
        if at < count and state[first + at] == entry:
            return  # a pass may bring what was there before
        for i in range(count, at, -1):
            state[first + i] = state[first + i - 1]
    state[first + at] = entry
    state[first - 1] = np.uint64(count + 1)


# -- the rules ------------------------------------------------------------------------------------


@rule
def start(tables: Tables, state: State) -> None:
    state[:] = ZERO
    if tables.ints[HISTORY] != NO_HISTORY:
        remember(tables, state, ZERO)


@rule
def acting(tables: Tables, state: State) -> int:
    status = state[2 * tables.ints[WORDS]]
    if (status >> PASSES_AT) & PASSES >= _TWO:
        return NOBODY
    cap = np.uint64(tables.ints[CAP])
    if cap != ZERO and status >> PLIES_AT >= cap:
        return NOBODY
    return np.int64(status & SIDE)  # type: ignore[return-value]


@kernel()
def code_after(
    tables: Tables, state: State, side: np.uint64, bit: np.uint64
) -> tuple[np.uint64, bool]:
    """Return the code of the board after a stone, and whether the rules of taking allow it."""
    words = np.uint64(tables.ints[WORDS])
    own, other = side * words, (ONE - side) * words
    weights = np.uint64(WEIGHTS) + side * np.uint64(MOST_BITS)
    others = np.uint64(WEIGHTS) + (ONE - side) * np.uint64(MOST_BITS)
    code = state[_TWO * words + ONE]
    taken = list_taken(tables, state, own, other, bit)
    if taken > 0:
        code += tables.words[weights + bit]
        for i in range(taken):
            code -= tables.words[others + tables.words[STACK + i]]
        return code, True
    alive, chain = list_own(tables, state, own, other, bit)
    if alive:
        return code + tables.words[weights + bit], True
    for i in range(1, chain):  # the new stone was never there
        code -= tables.words[weights + tables.words[STACK + i]]
    return code, tables.ints[SUICIDE] != 0


@kernel(inline="always")
def _neighbours(
    tables: Tables, state: State, other: np.uint64, bit: np.uint64, stride: np.uint64
) -> tuple[bool, bool]:
    """Tell whether a point is beside an empty one, and whether beside a stone of the other side."""
    words = np.uint64(tables.ints[WORDS])
    empty = foe = False
    for direction in range(4):
        near = beside(bit, direction, stride)
        if is_point(tables, near):
            foe |= has(state, other, near)
            empty |= not (has(state, ZERO, near) or has(state, words, near))
    return empty, foe


@kernel(inline="always")
def _empty_points(tables: Tables, state: State, word: Any, words: np.uint64) -> np.uint64:
    """Return one word of the empty points; none beyond the board."""
    if word < 0 or word >= np.int64(words):
        return ZERO
    return tables.words[BOARD + word] & ~(state[word] | state[words + np.uint64(word)])


@kernel(inline="always")
def _beside_any(
    before: np.uint64, here: np.uint64, after: np.uint64, stride: np.uint64
) -> np.uint64:
    """Return the neighbours of a set in one word, from that word, the one before and after it.

    There is a free column between the ends of rows, so that nothing is carried around a corner.
    """
    return (
        (here << ONE) | (here >> ONE) | (here << stride) | (here >> stride)
        | (before >> _S63) | (before >> (_S64 - stride))
        | (after << _S63) | (after << (_S64 - stride))
    )  # fmt: skip


@kernel(inline="always")
def _beside_two(
    before: np.uint64, here: np.uint64, after: np.uint64, stride: np.uint64
) -> np.uint64:
    """Return the points of one word that are beside two members of a set, or more."""
    a, b = (here << ONE) | (before >> _S63), (here >> ONE) | (after << _S63)
    c = (here << stride) | (before >> (_S64 - stride))
    d = (here >> stride) | (after << (_S64 - stride))
    return (a & b) | (c & d) | ((a | b) & (c | d))


@kernel(inline="always")
def _list_weak(
    tables: Tables, state: State, other: np.uint64, words: np.uint64, stride: np.uint64
) -> None:
    """Write down the stones of the other side that one stone might take, and a few more.

    A stone beside two empty points is not among them.  An empty word stands before and after.
    """
    weak = tables.words
    weak[ROOM] = weak[ROOM + 1 + np.int64(words)] = ZERO
    before, here = ZERO, _empty_points(tables, state, 0, words)
    for word in range(words):
        after = _empty_points(tables, state, np.int64(word) + 1, words)
        alive = _beside_two(before, here, after, stride)
        weak[ROOM + 1 + np.int64(word)] = state[other + np.uint64(word)] & ~alive
        before, here = here, after


@kernel(inline="always")
def _list_moves(tables: Tables, state: State, out: Moves, remembers: bool) -> int:
    """List legal moves, the pass last; of what history forbids only if it `remembers`.

    A point beside an empty one is legal at once, unless a board may come again.  A stone that takes
    nothing makes a board of more stones than there are now, so it repeats none where there were
    never more; a stone beside none that is weak takes nothing.
    """
    words, stride = np.uint64(tables.ints[WORDS]), np.uint64(tables.ints[STRIDE])
    status = state[_TWO * words]
    side = status & SIDE
    ko = (status >> KO_AT) & KO
    stones = ZERO
    for word in range(_TWO * words):
        stones += np.uint64(popcount(state[word]))
    more_before = (status >> MOST_AT) & MOST > stones
    other = (ONE - side) * words
    if remembers and not more_before:
        _list_weak(tables, state, other, words, stride)
    count = 0
    before, here = ZERO, _empty_points(tables, state, 0, words)
    for word in range(words):
        place = np.int64(word)
        after = _empty_points(tables, state, place + 1, words)
        sure = _beside_any(before, here, after, stride)  # all points of the word at once
        if remembers:
            at = ROOM + place  # of the word before
            near_weak = _beside_any(
                tables.words[at], tables.words[at + 1], tables.words[at + 2], stride
            )
            sure = ZERO if more_before else sure & ~near_weak
        left = here
        if ko != ZERO and np.int64((ko - ONE) >> _S6) == place:
            left &= ~(ONE << ((ko - ONE) & _S63))
        while left != ZERO:
            low = left & (ZERO - left)
            left ^= low
            bit = np.uint64(64 * place + lowest_bit(low))
            if sure & low == ZERO:
                code, legal = code_after(tables, state, side, bit)
                if not legal:
                    continue
                if remembers and was_before(tables, state, entry_of(tables, code, side ^ ONE)):
                    continue
            out[count] = tables.ints[CODE_OF_BIT + np.int64(bit)]
            count += 1
        before, here = here, after
    out[count] = tables.ints[POINTS]
    return count + 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    return _list_moves(tables, state, out, tables.ints[HISTORY] != NO_HISTORY)


@rule
def candidates(tables: Tables, state: State, out: Moves) -> int:
    """List the moves that stones and the ko point allow, whichever boards there were."""
    return _list_moves(tables, state, out, False)


@rule
def allowed(tables: Tables, state: State, move: int) -> bool:
    """Tell whether a candidate brings no board back that history forbids."""
    if move == tables.ints[POINTS]:
        return True
    words, stride = np.uint64(tables.ints[WORDS]), np.uint64(tables.ints[STRIDE])
    status = state[_TWO * words]
    side = status & SIDE
    stones = ZERO
    for word in range(_TWO * words):
        stones += np.uint64(popcount(state[word]))
    bit = np.uint64(tables.ints[BIT_OF_CODE + move])
    own, other = side * words, (ONE - side) * words
    near_empty, near_other = _neighbours(tables, state, other, bit, stride)
    if (
        near_empty
        and (status >> MOST_AT) & MOST <= stones
        and not (near_other and list_taken(tables, state, own, other, bit) > 0)
    ):
        return True  # a board with more stones than ever
    code, _ = code_after(tables, state, side, bit)
    return not was_before(tables, state, entry_of(tables, code, side ^ ONE))


@kernel()
def _has_friend(tables: Tables, state: State, own: np.uint64, bit: np.uint64) -> bool:
    stride = np.uint64(tables.ints[STRIDE])
    for direction in range(4):
        near = beside(bit, direction, stride)
        if is_point(tables, near) and has(state, own, near):
            return True
    return False


@kernel()
def put_stone(tables: Tables, state: State, side: np.uint64, bit: np.uint64) -> np.uint64:
    """Put a stone, take what it takes, or what commits suicide; return the ko point + 1, or 0."""
    words = np.uint64(tables.ints[WORDS])
    at = _TWO * words
    own, other = side * words, (ONE - side) * words
    weights = np.uint64(WEIGHTS) + side * np.uint64(MOST_BITS)
    others = np.uint64(WEIGHTS) + (ONE - side) * np.uint64(MOST_BITS)
    taken = list_taken(tables, state, own, other, bit)
    state[own + (bit >> _S6)] |= ONE << (bit & _S63)
    state[at + ONE] += tables.words[weights + bit]
    last = ZERO
    for i in range(taken):
        last = tables.words[STACK + i]
        state[other + (last >> _S6)] ^= ONE << (last & _S63)
        state[at + ONE] -= tables.words[others + last]
    alive, chain = list_own(tables, state, own, other, bit)
    if taken == 0 and not alive:
        for i in range(chain):
            stone = tables.words[STACK + i]
            state[own + (stone >> _S6)] ^= ONE << (stone & _S63)
            state[at + ONE] -= tables.words[weights + stone]
        return ZERO
    if taken != 1 or _has_friend(tables, state, own, bit):
        return ZERO
    # One stone alone that has taken one, and has no liberty but that: it could be taken back.
    state[other + (last >> _S6)] ^= ONE << (last & _S63)
    free, _ = list_own(tables, state, own, other, bit)
    state[other + (last >> _S6)] ^= ONE << (last & _S63)
    return ZERO if free else last + ONE


@rule
def play(tables: Tables, state: State, move: int) -> None:
    words = np.uint64(tables.ints[WORDS])
    at = _TWO * words
    status = state[at]
    side = status & SIDE
    # Moves are counted only where that matters: a count would make every position a new one.
    counted = tables.ints[CAP] != 0 or tables.ints[KEY_TURN] != 0
    kept = (((status >> PLIES_AT) + (ONE if counted else ZERO)) << PLIES_AT) | (side ^ ONE)
    most = (status >> MOST_AT) & MOST
    if move == tables.ints[POINTS]:
        passes = ((status >> PASSES_AT) & PASSES) + ONE
        state[at] = kept | (most << MOST_AT) | (passes << PASSES_AT)
    else:
        bit = np.uint64(tables.ints[BIT_OF_CODE + move])
        ko = put_stone(tables, state, side, bit)
        stones = ZERO
        for word in range(at):
            stones += np.uint64(popcount(state[word]))
        # With superko, history says what the ko point would; only keys without it need the point.
        if tables.ints[HISTORY] > IN_ORDER:
            ko = ZERO
        most = max(most, stones) if tables.ints[HISTORY] != NO_HISTORY else ZERO
        state[at] = kept | (most << MOST_AT) | (ko << KO_AT)
    if tables.ints[CAP] != 0 and state[at] >> PLIES_AT >= np.uint64(tables.ints[CAP]):
        # The end must be known by its key, also where that forgets how many moves were made.
        state[at] = (state[at] & ~(PASSES << PASSES_AT)) | (_TWO << PASSES_AT)
    new = move != tables.ints[POINTS] or tables.ints[SUPERKO] == SITUATIONAL
    if tables.ints[HISTORY] != NO_HISTORY and new:
        remember(tables, state, entry_of(tables, state[at + ONE], side ^ ONE))


@kernel(inline="always")
def pay(tables: Tables, score: int, out: Reals) -> None:
    """Pay for a score before komi."""
    margin = score - tables.reals[KOMI]
    if tables.ints[BY_MARGIN] == 0:
        margin = 1.0 if margin > 0.0 else -1.0 if margin < 0.0 else 0.0
    out[0] = margin
    out[1] = -margin


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    pay(tables, area(tables, state), out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    words = 2 * np.int64(tables.ints[WORDS])
    status = state[words]
    known = status & ((KO << KO_AT) | (PASSES << PASSES_AT) | SIDE)
    if tables.ints[KEY_TURN] != 0:
        known |= (status >> PLIES_AT) << PLIES_AT
    result = hash_pair(mix(known), state[words + 1])
    if tables.ints[HISTORY] > IN_ORDER:
        result ^= hash_words(state[words + 2 :], to_int(1 + tables.ints[HISTORY_WORDS]))
    return result


@rule
def transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Turn or mirror a position that keeps no history."""
    words, points = np.int64(tables.ints[WORDS]), tables.ints[POINTS]
    images = IMAGES + index * (points + 1)
    out[:] = ZERO
    status = state[2 * words]
    ko = np.int64((status >> KO_AT) & KO)
    out[2 * words] = status & ~(KO << KO_AT)
    if ko != 0:
        image = tables.ints[images + tables.ints[CODE_OF_BIT + ko - 1]]
        out[2 * words] |= np.uint64(tables.ints[BIT_OF_CODE + image] + 1) << KO_AT
    for colour in range(2):
        for word in range(words):
            stones = state[colour * words + word]
            while stones != ZERO:
                code = tables.ints[CODE_OF_BIT + 64 * word + lowest_bit(stones)]
                stones &= stones - ONE
                bit = np.int64(tables.ints[BIT_OF_CODE + tables.ints[images + code]])
                out[colour * words + (bit >> 6)] |= ONE << np.uint64(bit & 63)
                out[2 * words + 1] += tables.words[WEIGHTS + colour * MOST_BITS + bit]


@rule
def map_move(tables: Tables, index: int, move: int) -> int:
    return tables.ints[IMAGES + index * (tables.ints[POINTS] + 1) + move]
