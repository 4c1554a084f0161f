"""Goofspiel: everybody bids a card for a prize, all at once; the highest bid takes it.

Players are asked one after the other, but a bid stays hidden until all have bid: it is part of
the position, not of what a chooser may know (`view`), and the moves do not depend on it.  With
the last bid the round is resolved.  When one card is left in each hand there is nothing to
choose, and the last round is played together with the one before it.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    BYTE,
    GOLDEN,
    ONE,
    ZERO,
    below,
    hash_pair,
    key_of_words,
    lowest_bit,
    mix,
    popcount,
    to_int,
)
from trellis.game.common_rules import list_bits, packed_places, pick, rule
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

RANDOM, DESCENDING, ASCENDING = 0, 1, 2
ORDERS = ("random", "descending", "ascending")

# state: the hands, 16 bits each; the points, 16 bits each; then the table, which packs
#   bits 0-15: prizes not yet bid for; 16-23: the prize on the table plus 1, 0 where there is none;
#   32-63: the bids so far, in the order of the players, 8 bits each: the card plus 1
HANDS, POINTS, TABLE = 0, 1, 2
# tables.ints
CARDS, PLAYERS, ORDER = 0, 1, 2
# tables.words: for each set of cards, `packed_places`

_SIXTEEN = np.uint64(16)
_CARDS = np.uint64(0xFFFF)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_FOUR = np.uint64(4)
_FIFTEEN = np.uint64(15)


@kernel()
def _bids_made(table: np.uint64) -> int:
    count = 0
    bids = table >> _HALF
    while bids != ZERO:
        bids >>= np.uint64(8)
        count += 1
    return count


@kernel()
def _hand(hands: np.uint64, player: int) -> np.uint64:
    return (hands >> np.uint64(16 * player)) & _CARDS


@kernel()
def _next_prize(tables: Tables, prizes: np.uint64) -> np.uint64:
    """Lay the next prize on the table; with random prizes leave that to chance."""
    if prizes == ZERO or tables.ints[ORDER] == RANDOM:
        return prizes
    card = lowest_bit(prizes)
    if tables.ints[ORDER] == DESCENDING:
        card = popcount(prizes) - 1  # the lowest prizes are always those that are left
    return (prizes & ~(ONE << np.uint64(card))) | (np.uint64(card + 1) << _SIXTEEN)


@kernel()
def _award(tables: Tables, state: State, bids: np.uint64, value: np.uint64) -> None:
    """Take the bids out of the hands, and give the prize to the one highest bid, if one is."""
    best, winner = ZERO, -1
    for player in range(tables.ints[PLAYERS]):
        bid = (bids >> np.uint64(8 * player)) & BYTE
        state[HANDS] &= ~(ONE << (bid - ONE + np.uint64(16 * player)))
        if bid > best:
            best, winner = bid, player
        elif bid == best:
            winner = -1
    if winner >= 0:
        state[POINTS] += value << np.uint64(16 * winner)


@kernel()
def _finish(tables: Tables, state: State, prizes: np.uint64) -> None:
    """Play the last card of every hand for the last prize."""
    bids = ZERO
    for player in range(tables.ints[PLAYERS]):
        card = lowest_bit(_hand(state[HANDS], player))
        bids |= np.uint64(card + 1) << np.uint64(8 * player)
    _award(tables, state, bids, np.uint64(lowest_bit(prizes) + 1))


@rule
def start(tables: Tables, state: State) -> None:
    cards = (ONE << np.uint64(tables.ints[CARDS])) - ONE
    state[:] = ZERO
    for player in range(tables.ints[PLAYERS]):
        state[HANDS] |= cards << np.uint64(16 * player)
    state[TABLE] = _next_prize(tables, cards)


@rule
def acting(tables: Tables, state: State) -> int:
    if state[HANDS] == ZERO:
        return NOBODY
    if (state[TABLE] >> _SIXTEEN) & BYTE == ZERO:
        return CHANCE
    return _bids_made(state[TABLE])


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    if (state[TABLE] >> _SIXTEEN) & BYTE == ZERO:
        return list_bits(state[TABLE] & _CARDS, 0, out, 0)
    return list_bits(_hand(state[HANDS], _bids_made(state[TABLE])), 0, out, 0)


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    count = popcount(state[TABLE] & _CARDS)
    for i in range(count):
        out[i] = 1.0 / count


@rule
def play(tables: Tables, state: State, move: int) -> None:
    table = state[TABLE]
    prize = (table >> _SIXTEEN) & BYTE
    if prize == ZERO:
        state[TABLE] = (table & ~(ONE << np.uint64(move))) | (np.uint64(move + 1) << _SIXTEEN)
        return
    made = _bids_made(table)
    table |= np.uint64(move + 1) << np.uint64(32 + 8 * made)
    if made + 1 < tables.ints[PLAYERS]:
        state[TABLE] = table
        return
    _award(tables, state, table >> _HALF, prize)
    prizes = table & _CARDS
    if popcount(prizes) == 1:
        _finish(tables, state, prizes)
        prizes = ZERO
    state[TABLE] = _next_prize(tables, prizes)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    """Share 1 among those with most points, and the loss of 1 among the others."""
    players = to_int(tables.ints[PLAYERS])
    most = ZERO
    for player in range(players):
        most = max(most, _hand(state[POINTS], player))
    winners = 0
    for player in range(players):
        if _hand(state[POINTS], player) == most:
            winners += 1
    for player in range(players):
        if winners == players:
            out[player] = 0.0
        elif _hand(state[POINTS], player) == most:
            out[player] = 1.0 / winners
        else:
            out[player] = -1.0 / (players - winners)


@rule
def actors(tables: Tables, state: State) -> np.uint64:
    """Return all players while bids are being made, nobody otherwise."""
    if state[HANDS] == ZERO or (state[TABLE] >> _SIXTEEN) & BYTE == ZERO:
        return ZERO
    return (ONE << np.uint64(tables.ints[PLAYERS])) - ONE


@rule
def view(tables: Tables, state: State) -> np.uint64:
    """Hash what is on the table and who is asked, without the bids already made."""
    asked = np.uint64(_bids_made(state[TABLE]))
    return hash_pair(
        hash_pair(state[HANDS], state[POINTS]), (state[TABLE] & _LOW) | (asked << _HALF)
    )


@kernel()
def _dealt(cards: np.uint64, nth: np.uint64) -> np.uint64:
    """Take the n-th card out of a list of cards; those above it move down."""
    under = (ONE << (_FOUR * nth)) - ONE
    return (cards & under) | ((cards >> _FOUR) & ~under)


@kernel()
def _drawn(cards: np.uint64, nth: np.uint64) -> np.uint64:
    """Return the n-th card of a list, plus 1."""
    return ((cards >> (_FOUR * nth)) & _FIFTEEN) + ONE


@kernel()
def _random_rounds(tables: Tables, state: State, rng: Random) -> int:
    """Play out a game from where nobody has bid yet.

    Hands and prizes are lists of 4 bits a card in one word each, so that drawing is shifting.
    The third and fourth player of a smaller game bid 0 and never win.
    """
    words, order = tables.words, tables.ints[ORDER]
    players = to_int(tables.ints[PLAYERS])
    seed = rng[0]
    first, second = words[_hand(state[HANDS], 0)], words[_hand(state[HANDS], 1)]
    third, fourth = words[_hand(state[HANDS], 2)], words[_hand(state[HANDS], 3)]
    left = np.uint64(popcount(_hand(state[HANDS], 0)))
    prizes = words[state[TABLE] & _CARDS]
    prize = (state[TABLE] >> _SIXTEEN) & BYTE
    # The last card of a hand plays itself, and that is not a move; a hand of one is played.
    rounds = to_int(left) - 1 if left > ONE else 1
    plies = players * rounds
    if order == RANDOM:
        plies += rounds - 1 if prize != ZERO else rounds
    points = ZERO
    c, d = ZERO, ZERO
    while left > ZERO:
        if prize == ZERO:
            nth = left - ONE if order == DESCENDING else ZERO
            if order == RANDOM:
                seed += GOLDEN
                nth = pick(mix(seed), left)
            prize = _drawn(prizes, nth)
            prizes = _dealt(prizes, nth)
        seed += GOLDEN
        draw = mix(seed)
        nth = pick(draw, left)
        a = _drawn(first, nth)
        first = _dealt(first, nth)
        nth = pick(draw << _HALF, left)
        b = _drawn(second, nth)
        second = _dealt(second, nth)
        if players > 2:
            seed += GOLDEN
            draw = mix(seed)
            nth = pick(draw, left)
            c = _drawn(third, nth)
            third = _dealt(third, nth)
            if players > 3:
                nth = pick(draw << _HALF, left)
                d = _drawn(fourth, nth)
                fourth = _dealt(fourth, nth)
        best = max(a, b, c, d)
        # Whoever bid highest adds its place in the word of points; two of them add nothing.
        winners = ZERO
        winners += ONE if a == best else ZERO
        winners += np.uint64(1 << 16) if b == best else ZERO
        winners += np.uint64(1 << 32) if c == best else ZERO
        winners += np.uint64(1 << 48) if d == best else ZERO
        points += prize * winners if winners & (winners - ONE) == ZERO else ZERO
        prize = ZERO
        left -= ONE
    rng[0] = seed
    state[HANDS] = ZERO
    state[POINTS] += points
    state[TABLE] = ZERO
    return plies


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies = 0
    while state[TABLE] >> _HALF != ZERO:  # finish the round in which somebody has bid
        cards = _hand(state[HANDS], _bids_made(state[TABLE]))
        nth = np.uint64(below(rng, popcount(cards)))
        play(tables, state, to_int(_drawn(tables.words[cards], nth)) - 1)
        plies += 1
    if state[HANDS] != ZERO:
        plies += _random_rounds(tables, state, rng)
    payoffs(tables, state, out)
    return plies


FIXED_RULES = Rules(
    start, acting, moves, play, payoffs, key_of_words, actors=actors, view=view, playout=playout
)
RULES = FIXED_RULES._replace(chances=chances)


class Goofspiel(Game):
    """Goofspiel: all bid a card at once; the highest bid takes the prize."""

    name = "goofspiel"
    pieces = ()

    def __init__(self, num_cards: int = 4, players: int = 2, points_order: str = "random") -> None:
        by_chance = points_order == "random"
        rounds = max(1, num_cards - 1)
        super().__init__(
            RULES if by_chance else FIXED_RULES,
            tables(
                ints=[num_cards, players, ORDERS.index(points_order)],
                words=map(packed_places, range(1 << num_cards)),
            ),
            parameters={
                "num_cards": num_cards, "players": players, "points_order": points_order,
            },
            players=players,
            state_words=3,
            max_moves=num_cards,
            move_codes=num_cards,
            max_plies=rounds * (players + by_chance),
        )  # fmt: skip
        self.num_cards = num_cards
        self.notation = f"a card, 1 to {num_cards}"
        self.symbols = tuple(str(player + 1) for player in range(players))

    def move_name(self, state: State | None, move: int) -> str:
        """Name a card, or a prize, by its value."""
        return str(move + 1)

    def tally(self, state: State) -> str:
        """Say who has how many points."""
        points = [int(state[1]) >> 16 * player & 0xFFFF for player in range(self.players)]
        return f"points: {', '.join(f'{i + 1} has {each}' for i, each in enumerate(points))}"

    def board(self, state: State) -> str:
        """List hands and points, the prize that is bid for, and who has bid."""
        hands, points, table = (int(word) for word in state)
        lines = []
        for player in range(self.players):
            cards = hands >> 16 * player
            hand = " ".join(str(card + 1) for card in range(self.num_cards) if cards >> card & 1)
            bid = ", has bid" if table >> 32 + 8 * player & 255 else ""
            lines.append(f"player {player + 1}: {points >> 16 * player & 0xFFFF} points{bid}")
            lines.append(f"  cards {hand or '-'}")
        prizes = [str(card + 1) for card in range(self.num_cards) if table >> card & 1]
        lines.append(f"prizes to come: {' '.join(prizes) or '-'}")
        prize = table >> 16 & 255
        return "\n".join([*lines, f"bidding for {prize}"] if prize else lines)
