"""Pig: roll a die as often as you dare; a 1 loses what this turn has brought, stopping banks it.

A position is what everybody has banked, what the turn has brought so far, whose turn it is and
whether the die is rolling.  With a horizon the number of decisions made belongs to it too;
without one it does not, and a game may come back to where it was.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, below, key_of_words, mix, next_random, to_int
from trellis.game.common_rules import pick, rule, start_empty
from trellis.game.errors import BadParameter
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

ROLL, STOP = 0, 1
# state: the turn, then four scores of 16 bits to a word.  The turn packs
#   bits 0-15: its points; 16-19: whose it is; 20: whether the die rolls; 32-63: decisions made
TURN, SCORES = 0, 1
# tables.ints
TARGET, FACES, PLAYERS, HORIZON = 0, 1, 2, 3

_POINTS = np.uint64(0xFFFF)
_WHO, _ROLLING, _DECISIONS = np.uint64(16), np.uint64(20), np.uint64(32)
_FOUR_BITS = np.uint64(15)
_HALF = np.uint64(32)
FOR_EVER = 0x7FFF_FFFF_FFFF_FFFF  # a horizon that no game reaches


@kernel()
def _score_of(state: State, player: int) -> int:
    return to_int((state[SCORES + (player >> 2)] >> np.uint64(16 * (player & 3))) & _POINTS)


@kernel()
def _bank(state: State, player: int, points: int) -> None:
    state[SCORES + (player >> 2)] += np.uint64(points) << np.uint64(16 * (player & 3))


@kernel()
def _pack(points: int, who: int, rolling: int, decisions: int) -> np.uint64:
    return (
        np.uint64(points)
        | (np.uint64(who) << _WHO)
        | (np.uint64(rolling) << _ROLLING)
        | (np.uint64(decisions) << _DECISIONS)
    )


@kernel()
def _winner(tables: Tables, state: State) -> int:
    for player in range(tables.ints[PLAYERS]):
        if _score_of(state, player) >= tables.ints[TARGET]:
            return player
    return -1


@rule
def acting(tables: Tables, state: State) -> int:
    turn = state[TURN]
    # At the horizon the game is over even while the die still rolls.
    if tables.ints[HORIZON] != 0 and turn >> _DECISIONS >= np.uint64(tables.ints[HORIZON]):
        return NOBODY
    if (turn >> _ROLLING) & ONE != ZERO:
        return CHANCE
    return NOBODY if _winner(tables, state) >= 0 else to_int((turn >> _WHO) & _FOUR_BITS)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    turn = state[TURN]
    if (turn >> _ROLLING) & ONE != ZERO:
        for face in range(tables.ints[FACES]):
            out[face] = face
        return to_int(tables.ints[FACES])
    who = to_int((turn >> _WHO) & _FOUR_BITS)
    if _score_of(state, who) + to_int(turn & _POINTS) >= tables.ints[TARGET]:
        out[0] = STOP
        return 1
    out[0] = ROLL
    out[1] = STOP
    return 2


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    for face in range(tables.ints[FACES]):
        out[face] = 1.0 / tables.ints[FACES]


@rule
def play(tables: Tables, state: State, move: int) -> None:
    turn = state[TURN]
    points = to_int(turn & _POINTS)
    who = to_int((turn >> _WHO) & _FOUR_BITS)
    decisions = to_int(turn >> _DECISIONS)
    rolling = 0
    if (turn >> _ROLLING) & ONE != ZERO:
        points += move + 1
        if move == 0:
            points = 0
            who = (who + 1) % tables.ints[PLAYERS]
    else:
        if tables.ints[HORIZON] != 0:
            decisions += 1
        if move == ROLL:
            rolling = 1
        else:
            _bank(state, who, points)
            points = 0
            who = (who + 1) % tables.ints[PLAYERS]
    state[TURN] = _pack(points, who, rolling, decisions)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    """Pay the winner 1, taken from the others in equal parts; nothing where nobody has won."""
    winner, players = _winner(tables, state), tables.ints[PLAYERS]
    for player in range(players):
        out[player] = 0.0
        if winner >= 0 and players > 1:
            out[player] = -1.0 / (players - 1)
    if winner >= 0:
        out[winner] = 1.0


@kernel()
def _random_pair(tables: Tables, state: State, rng: Random, horizon: int) -> int:
    """Play out a game of two from a decision, without a branch that chance decides.

    One random number serves a decision and its roll: the low half for the die, the top bit for
    rolling or stopping.  What either would lead to is computed, and a mask selects.
    """
    target = to_int(tables.ints[TARGET])
    faces = np.uint64(tables.ints[FACES])
    seed = rng[0]
    turn = state[TURN]
    points = to_int(turn & _POINTS)
    who = to_int((turn >> _WHO) & _FOUR_BITS)
    first = to_int(turn >> _DECISIONS)
    made = first
    own, other = _score_of(state, who), _score_of(state, 1 - who)
    rolls = 0
    last = horizon - 1
    while other < target and made < last:  # whoever has just banked is `other`
        seed += GOLDEN
        draw = mix(seed)
        face = to_int(pick(draw << _HALF, faces))
        roll = to_int(draw >> np.uint64(63))
        if own + points >= target:
            roll = 0
        made += 1
        rolls += roll
        # All bits or none: whether the player stopped, and whether the turn passes.
        stopped = roll - 1
        passed = stopped | (-1 if face == 0 else 0)
        own += points & stopped
        points = (points + face + 1) & ~passed
        change = (own ^ other) & passed
        own ^= change
        other ^= change
        who ^= passed & 1
    rolling = 0
    if other < target:  # one decision is left; if it is to roll, the die is never read
        seed += GOLDEN
        made += 1
        if own + points >= target or mix(seed) >> np.uint64(63) == ZERO:
            own, other = other, own + points
            who, points = 1 - who, 0
        else:
            rolling = 1
    rng[0] = seed
    if who == 0:
        state[SCORES] = np.uint64(own) | (np.uint64(other) << np.uint64(16))
    else:
        state[SCORES] = np.uint64(other) | (np.uint64(own) << np.uint64(16))
    state[TURN] = _pack(points, who, rolling, made if tables.ints[HORIZON] != 0 else 0)
    return made - first + rolls


@kernel()
def _random_any(tables: Tables, state: State, rng: Random, horizon: int) -> int:
    """Play out a game of any number of players from a decision."""
    players, target = to_int(tables.ints[PLAYERS]), to_int(tables.ints[TARGET])
    faces = np.uint64(tables.ints[FACES])
    turn = state[TURN]
    points = to_int(turn & _POINTS)
    who = to_int((turn >> _WHO) & _FOUR_BITS)
    first = to_int(turn >> _DECISIONS)
    made = first
    rolls, rolling = 0, 0
    while made < horizon:
        draw = next_random(rng)
        made += 1
        total = _score_of(state, who) + points
        if total >= target or draw >> np.uint64(63) == ZERO:
            _bank(state, who, points)
            points = 0
            who = who + 1 if who + 1 < players else 0
            if total >= target:
                break
        elif made == horizon:
            rolling = 1
        else:
            rolls += 1
            face = to_int(pick(draw << _HALF, faces))
            points += face + 1
            if face == 0:
                points = 0
                who = who + 1 if who + 1 < players else 0
    state[TURN] = _pack(points, who, rolling, made if tables.ints[HORIZON] != 0 else 0)
    return made - first + rolls


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies = 0
    who = acting(tables, state)
    if who == CHANCE:
        play(tables, state, below(rng, tables.ints[FACES]))
        plies = 1
    if who != NOBODY:
        horizon = to_int(tables.ints[HORIZON])
        if horizon == 0:
            horizon = FOR_EVER
        if tables.ints[PLAYERS] == 2:
            plies += _random_pair(tables, state, rng, horizon)
        else:
            plies += _random_any(tables, state, rng, horizon)
    payoffs(tables, state, out)
    return plies


RULES = Rules(
    start_empty, acting, moves, play, payoffs, key_of_words, chances=chances, playout=playout
)


class Pig(Game):
    """Pig: roll for points or bank them; a 1 loses the turn, `target` points win."""

    name = "pig"
    pieces = ()
    notation = "roll or stop"

    def __init__(
        self, target: int = 100, faces: int = 6, players: int = 2, horizon: int = 0
    ) -> None:
        if players == 1 and horizon == 0:
            raise BadParameter(
                "pig:players=1,horizon=0: nobody can lose; expected a horizon of 1 or more"
            )
        super().__init__(
            RULES,
            tables(ints=[target, faces, players, horizon]),
            parameters={"target": target, "faces": faces, "players": players, "horizon": horizon},
            players=players,
            payoff_range=(-1.0, 1.0) if players > 1 else (0.0, 1.0),
            constant_sum=0.0 if players > 1 else None,
            state_words=1 + (players + 3) // 4,
            max_moves=max(2, faces),
            move_codes=max(2, faces),
            # Every decision but the last may be followed by a roll.
            max_plies=2 * horizon - 1 if horizon else None,
        )
        self.target = target
        self.symbols = tuple(str(player + 1) for player in range(players))

    def move_name(self, state: State, move: int) -> str:
        """Name a decision."""
        return "roll" if move == ROLL else "stop"

    def outcome_name(self, state: State, move: int) -> str:
        """Name what the die shows."""
        return str(move + 1)

    def board(self, state: State) -> str:
        """List what everybody has banked, and what the turn has brought."""
        turn = int(state[TURN])
        lines = []
        for player in range(self.players):
            banked = int(state[SCORES + player // 4]) >> 16 * (player % 4) & 0xFFFF
            lines.append(f"player {player + 1}: {banked} of {self.target}")
        who = (turn >> 16 & 15) + 1
        doing = "rolls" if turn >> 20 & 1 else "to decide"
        lines.append(f"player {who} {doing}, {turn & 0xFFFF} this turn")
        if self.parameters["horizon"]:
            lines.append(f"decision {turn >> 32} of {self.parameters['horizon']}")
        return "\n".join(lines)
