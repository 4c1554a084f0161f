"""The rules of any circuit, as the functions every search calls.

Every role moves at every step of a rulesheet, but most have nothing to choose.  Roles that have
a choice are asked one after the other; what they chose waits in the state, unseen by the others,
and when the last one has chosen the step is made.

A state: the facts, as bits; the legal moves of all roles, as bits, which follow from them; a word
that says who acts; and the moves chosen so far, 16 bits a role.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game import rules as signatures
from trellis.game.bits import GOLDEN, ONE, ZERO, hash_pair, lowest_bit, mix, nth_bit, popcount
from trellis.game.rules import CHANCE, NOBODY, Moves, Reals, Rules, State, Tables
from trellis.gdl.circuit import layout as h
from trellis.gdl.evaluators.event import bit_of, evaluate, prepare, settle, turn
from trellis.gdl.evaluators.full import look_whole, pay_whole, step_whole
from trellis.gdl.evaluators.lane_playouts import play_leaves
from trellis.gdl.evaluators.lanes import pay

MOST_ROLES = 48
MOST_MOVES = 65_000  # of one role
LONGEST_FORCED = 10_000  # steps without a choice, one after the other

# the word that says who acts: a role, or one of these, in its low byte; above it who chooses
OVER = 0xFF
_ALL_CHOSE = 0xFE
STOPPED = 0xFD  # play cannot go on although the game is not over
_BYTE = np.uint64(0xFF)
_EIGHT = np.uint64(8)
_CHOICE = np.uint64(0xFFFF)


@kernel(lean=True)
def chosen(tables: Tables, state: State, role: int) -> int:
    """Return the move a role has chosen, or -1."""
    word = state[tables.ints[h.CONTROL_AT] + 1 + (role >> 2)]
    return np.int64((word >> np.uint64(16 * (role & 3))) & _CHOICE) - 1


@kernel(lean=True)
def count_legal(tables: Tables, state: State, role: int) -> int:
    """Count the legal moves of a role."""
    ints = tables.ints
    begin, end = ints[ints[h.ROLES_AT] + role], ints[ints[h.ROLES_AT] + role + 1]
    at = ints[h.LATCH_WORDS]
    count = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        count += popcount(state[at + word] & mask_between(64 * word, begin, end))
    return count


@kernel(lean=True)
def mask_between(first: int, begin: int, end: int) -> np.uint64:
    """Return the bits of a word, whose lowest is number `first`, from `begin` to before `end`."""
    mask = ~ZERO
    if begin > first:
        mask &= ~ZERO << np.uint64(begin - first)
    if end - first < 64:
        mask &= (ONE << np.uint64(max(end - first, 0))) - ONE
    return mask


@kernel(lean=True)
def first_legal(tables: Tables, state: State, role: int) -> int:
    """Return the number of a role's first legal move, counted over all roles; -1 without one.

    It could be `nth_legal` of 0, but it stands in every step: that costs 3 % of random games.
    """
    ints = tables.ints
    begin, end = ints[ints[h.ROLES_AT] + role], ints[ints[h.ROLES_AT] + role + 1]
    at = ints[h.LATCH_WORDS]
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = state[at + word] & mask_between(64 * word, begin, end)
        if bits != ZERO:
            return 64 * word + lowest_bit(bits)
    return -1


@kernel(lean=True)
def nth_legal(tables: Tables, state: State, role: int, number: int) -> int:
    """Return a role's legal move that has so many before it, counted over all roles."""
    ints = tables.ints
    begin, end = ints[ints[h.ROLES_AT] + role], ints[ints[h.ROLES_AT] + role + 1]
    at = ints[h.LATCH_WORDS]
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = state[at + word] & mask_between(64 * word, begin, end)
        here = popcount(bits)
        if number < here:
            return 64 * word + np.int64(nth_bit(bits, np.uint64(number)))
        number -= here
    return -1


@kernel(lean=True)
def bring_to(tables: Tables, state: State) -> None:
    """Bring the working memory to the facts of a position, except what follows from moves."""
    ints, words = tables.ints, tables.words
    values = ints[h.VALUES_AT] + (h.LATCH_SLOT >> 6)
    for word in range(ints[h.LATCH_WORDS]):
        differ = words[values + word] ^ state[word]
        while differ != ZERO:
            turn(tables, h.LATCH_SLOT + 64 * word + lowest_bit(differ))
            differ &= differ - ONE
    settle(tables, ints[h.FUTURE_SLOT])


@kernel(lean=True)
def set_move(tables: Tables, role: int, move: int) -> None:
    """Let a role make a move; the one it made before goes."""
    ints, words = tables.ints, tables.words
    before = np.int64(words[ints[h.MADE_AT] + role])
    if before != move + 1:
        first = ints[h.DOES_SLOT] + ints[ints[h.ROLES_AT] + role]
        if before > 0:
            turn(tables, first + before - 1)
        turn(tables, first + move)
        words[ints[h.MADE_AT] + role] = np.uint64(move + 1)


@kernel(lean=True)
def make_moves(tables: Tables, state: State) -> None:
    """Write the facts that follow from the moves set, and go there."""
    ints, words = tables.ints, tables.words
    settle(tables, ints[h.SLOTS])
    for word in range(ints[h.LATCH_WORDS]):
        state[word] = words[ints[h.OUTS_AT] + word]
    bring_to(tables, state)


@kernel(lean=True)
def evaluate_goals(tables: Tables) -> None:
    """Work out the goals in the position that the working memory was brought to."""
    evaluate(tables, tables.ints[h.FUTURE_END], tables.ints[h.PROGRAM_END])


@kernel(lean=True)
def pay_player(tables: Tables, player: int, out: Reals) -> tuple[np.uint64, np.uint64]:
    """Write what a player gets there; return whether it has no goal, and whether several."""
    return pay(tables, tables.words[tables.ints[h.VALUES_AT] :], player, ONE, out, 0, 0)


@kernel(lean=True)
def is_far(tables: Tables, state: State) -> bool:
    """Tell whether so many facts differ from the working memory that it is better to begin anew."""
    ints, words = tables.ints, tables.words
    values = ints[h.VALUES_AT] + (h.LATCH_SLOT >> 6)
    differ = 0
    for word in range(ints[h.LATCH_WORDS]):
        differ += popcount(words[values + word] ^ state[word])
    return differ >= ints[h.FAR]


@kernel(lean=True)
def _step(tables: Tables, state: State) -> None:
    """Make the chosen moves; who has not chosen makes the only move there is."""
    ints, words = tables.ints, tables.words
    far = is_far(tables, state)
    if not far:
        bring_to(tables, state)
    for role in range(ints[h.ROLES]):
        first = ints[ints[h.ROLES_AT] + role]
        move = chosen(tables, state, role)
        if move < 0:
            move = first_legal(tables, state, role) - first
        if far:
            words[ints[h.JOINT_AT] + role] = np.uint64(first + move)
        else:
            set_move(tables, role, move)
    if far:
        step_whole(tables, state, words[ints[h.JOINT_AT] : ints[h.JOINT_AT] + ints[h.ROLES]])
    else:
        make_moves(tables, state)


@kernel(lean=True)
def _arrive(tables: Tables, state: State) -> bool:
    """Write what follows from the facts of a state; tell whether anybody has to be asked."""
    ints, words = tables.ints, tables.words
    outs, latch_words, control = ints[h.OUTS_AT], ints[h.LATCH_WORDS], ints[h.CONTROL_AT]
    for word in range(control, ints[h.STATE_WORDS]):
        state[word] = ZERO
    if is_far(tables, state):
        over = look_whole(tables, state)
    else:
        bring_to(tables, state)
        over = bit_of(words, outs, ints[h.TERMINAL_OUT])
        for word in range(ints[h.LEGAL_WORDS]):
            state[latch_words + word] = words[outs + latch_words + word]
    if over:
        for word in range(ints[h.LEGAL_WORDS]):
            state[latch_words + word] = ZERO
        state[control] = np.uint64(OVER)
        return True
    asked, forced, choice = ZERO, ZERO, False
    for role in range(ints[h.ROLES]):
        count = count_legal(tables, state, role)
        if count != 1 or ints[ints[h.IDLE_AT] + first_legal(tables, state, role)] == 0:
            asked |= ONE << np.uint64(role)
        if count == 0:
            state[control] = np.uint64(STOPPED)
            return True
        if count == 1:
            forced |= ONE << np.uint64(role)
        else:
            choice = True
    if choice:  # then who has none is not asked
        asked &= ~forced
    state[control] = asked << _EIGHT
    _ask_next(tables, state)
    return asked != ZERO


@kernel(lean=True)
def _ask_next(tables: Tables, state: State) -> None:
    """Let the next role that has not chosen act: players in their order, then chance."""
    ints = tables.ints
    control = ints[h.CONTROL_AT]
    asked = state[control] >> _EIGHT
    acting = np.uint64(_ALL_CHOSE)
    for i in range(ints[h.ROLES] - 1, -1, -1):
        role = ints[ints[h.ORDER_AT] + i]
        if (asked >> np.uint64(role)) & ONE != ZERO and chosen(tables, state, role) < 0:
            acting = np.uint64(role)
    state[control] = (asked << _EIGHT) | acting


@kernel(lean=True)
def _go_on(tables: Tables, state: State) -> None:
    """Arrive at a position, and make steps in which nobody has a choice.

    Forced steps that come back to the same facts go round for ever.  Facts are compared with those
    after 1, 2, 4, 8, … steps: sooner or later those are on the cycle, and it is not longer than
    what comes until they are replaced.
    """
    ints, words = tables.ints, tables.words
    kept, since, power = ints[h.FORCED_AT], 0, 1
    for _ in range(LONGEST_FORCED):
        if _arrive(tables, state):
            return
        if since == 0:
            for word in range(ints[h.LATCH_WORDS]):
                words[kept + word] = state[word]
        _step(tables, state)
        other = ZERO
        for word in range(ints[h.LATCH_WORDS]):
            other |= words[kept + word] ^ state[word]
        if other == ZERO:
            break
        since += 1
        if since == power:
            since, power = 0, 2 * power
    state[tables.ints[h.CONTROL_AT]] = np.uint64(STOPPED)  # nobody can tell when it would end


@kernel(signatures.START)
def start(tables: Tables, state: State) -> None:
    prepare(tables)
    for word in range(len(state)):
        state[word] = ZERO
    for word in range(tables.ints[h.LATCH_WORDS]):
        state[word] = tables.words[tables.ints[h.FIRST_AT] + word]
    _go_on(tables, state)


@kernel(signatures.START)
def arrive_at(tables: Tables, state: State) -> None:
    """Turn words that hold nothing but facts into a position: whoever has a choice is asked."""
    prepare(tables)
    _go_on(tables, state)


@kernel(signatures.START)
def ask_again(tables: Tables, state: State) -> None:
    """Let those who have not chosen act in the order of these tables; they may be another's."""
    if np.int64(state[tables.ints[h.CONTROL_AT]] & _BYTE) < STOPPED:
        _ask_next(tables, state)


@kernel(signatures.ACTING)
def acting(tables: Tables, state: State) -> int:
    role = np.int64(state[tables.ints[h.CONTROL_AT]] & _BYTE)
    if role >= STOPPED:
        return NOBODY
    if role == tables.ints[h.CHANCE_ROLE]:
        return CHANCE
    return np.int64(tables.ints[tables.ints[h.PLAYER_AT] + role])


@kernel(signatures.MOVES)
def moves(tables: Tables, state: State, out: Moves) -> int:
    ints = tables.ints
    role = np.int64(state[ints[h.CONTROL_AT]] & _BYTE)
    begin, end = ints[ints[h.ROLES_AT] + role], ints[ints[h.ROLES_AT] + role + 1]
    count = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = state[ints[h.LATCH_WORDS] + word] & mask_between(64 * word, begin, end)
        while bits != ZERO:
            out[count] = 64 * word + lowest_bit(bits) - begin
            bits &= bits - ONE
            count += 1
    return count


@kernel(signatures.PLAY)
def play(tables: Tables, state: State, move: int) -> None:
    prepare(tables)
    ints = tables.ints
    control = ints[h.CONTROL_AT]
    role = np.int64(state[control] & _BYTE)
    state[control + 1 + (role >> 2)] |= np.uint64(move + 1) << np.uint64(16 * (role & 3))
    _ask_next(tables, state)
    if np.int64(state[control] & _BYTE) == _ALL_CHOSE:
        _step(tables, state)
        _go_on(tables, state)


@kernel(signatures.PAYOFFS)
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    prepare(tables)
    ints = tables.ints
    if is_far(tables, state):
        pay_whole(tables, state, out)
        return
    bring_to(tables, state)
    evaluate_goals(tables)
    for player in range(ints[h.PLAYERS]):
        pay_player(tables, player, out[player:])


@kernel(signatures.BOUNDS)
def bounds(tables: Tables, state: State, out: Reals) -> None:
    """Tell what an end pays, and nothing of other positions.

    Where play stopped because a role has no legal move, and where a role has no goal or several,
    the rules do not say what the players get: that may be anything.
    """
    ints = tables.ints
    players = ints[h.PLAYERS]
    for player in range(players):
        out[2 * player], out[2 * player + 1] = tables.reals[0], tables.reals[1]
    if np.int64(state[ints[h.CONTROL_AT]] & _BYTE) != OVER:
        return
    prepare(tables)
    bring_to(tables, state)
    evaluate_goals(tables)
    for player in range(players):
        none, several = pay_player(tables, player, out[2 * player :])
        if none | several == ZERO:
            out[2 * player + 1] = out[2 * player]
        else:
            out[2 * player], out[2 * player + 1] = tables.reals[0], tables.reals[1]


@kernel(lean=True)
def _hash_facts(tables: Tables, state: State) -> np.uint64:
    """Hash the facts that tell positions apart."""
    ints, words = tables.ints, tables.words
    result = GOLDEN
    for word in range(ints[h.LATCH_WORDS]):
        result = mix(result ^ (state[word] & words[ints[h.KEY_AT] + word])) + GOLDEN
    return result


@kernel(signatures.KEY)
def key(tables: Tables, state: State) -> np.uint64:
    """Hash facts and choices; the legal moves follow from them."""
    ints = tables.ints
    result = _hash_facts(tables, state)
    for word in range(ints[h.CONTROL_AT] + 1, ints[h.STATE_WORDS]):
        if state[word] != ZERO:
            result = hash_pair(result + np.uint64(word), state[word])
    return result


@kernel(signatures.VIEW)
def view(tables: Tables, state: State) -> np.uint64:
    """Hash what the acting role knows: the facts, and who acts."""
    ints = tables.ints
    return hash_pair(_hash_facts(tables, state), state[ints[h.CONTROL_AT]])


@kernel(signatures.CHANCES)
def chances(tables: Tables, state: State, out: Reals) -> None:
    count = count_legal(tables, state, tables.ints[h.CHANCE_ROLE])
    for i in range(count):
        out[i] = 1.0 / count


@kernel(signatures.ACTORS)
def actors(tables: Tables, state: State) -> np.uint64:
    """Tell which players choose at this moment."""
    ints = tables.ints
    if np.int64(state[ints[h.CONTROL_AT]] & _BYTE) >= STOPPED:
        return ZERO
    asked = state[ints[h.CONTROL_AT]] >> _EIGHT
    result = ZERO
    for role in range(ints[h.ROLES]):
        if (asked >> np.uint64(role)) & ONE != ZERO and role != ints[h.CHANCE_ROLE]:
            result |= ONE << np.uint64(ints[ints[h.PLAYER_AT] + role])
    return result


def rules(chance: bool, simultaneous: bool, open_ends: bool) -> Rules:
    """Return the functions, without those a game has no use for.

    `simultaneous`: several roles may have a choice at once.  `open_ends`: a role may be without
    a legal move, or without exactly one goal, or forced steps may have no end.
    """
    return Rules(
        start, acting, moves, play, payoffs, key,
        chances=chances if chance else None,
        actors=actors if simultaneous else None,
        view=view if simultaneous else None,
        bounds=bounds if open_ends else None,
        batch=play_leaves,
    )  # fmt: skip
