"""Random play of 256 games at once: refutes what is false and easy to see, and suggests the rest.

Games that end, or in which a role is stuck, begin anew, so every lane always holds a state that
play can reach.  The same seed plays the same games: the moves of a lane are found by playing again.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, seeded
from trellis.game.rules import F64, TABLES, U64, Random, Reals, State, Tables
from trellis.gdl.circuit import layout as h
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.evaluators.lanes import choose_moves, evaluate_records, go_on, literal_word, pay
from trellis.gdl.language.terms import Term
from trellis.gdl.proving.facts import Play
from trellis.gdl.proving.solver import Clock

LANES, WORDS = 256, 4
_WIDTH = (0, 0, 0, 0)
# what a look at the lanes tells, a bit for each lane
OVER, STUCK, TOGETHER, AMISS = range(4)
_TOLD = {"always_a_move": STUCK, "turn_taking": TOGETHER, "one_goal": AMISS}

MOST_STEPS = 1_000  # for all lanes together
WORK = 150_000_000  # gates for all lanes together: half a second or so
MOST_BYTES = 1 << 25  # of states that are kept


@kernel(nt.void(TABLES, U64, U64, F64))
def look_at_lanes(tables: Tables, values: State, told: State, sums: Reals) -> None:
    """Work out what holds in all lanes; tell where games are over, stuck and so on.

    `sums` are payoffs added up, where it is over.
    """
    ints = tables.ints
    size, paid = len(_WIDTH), tables.reals[h.PAID_AT :]
    evaluate_records(tables, values, 0, ints[h.PRESENT_END], _WIDTH)
    evaluate_records(tables, values, ints[h.FUTURE_END], ints[h.PROGRAM_END], _WIDTH)
    for k in range(size):
        over = literal_word(values, ints[h.TERMINAL_AT], k, size)
        stuck, chooses, together, amiss = ZERO, ZERO, ZERO, ZERO
        for lane in range(64):
            sums[64 * k + lane] = 0.0
        for role in range(ints[h.ROLES]):
            one, two = ZERO, ZERO
            for move in range(ints[ints[h.ROLES_AT] + role], ints[ints[h.ROLES_AT] + role + 1]):
                legal = literal_word(values, ints[ints[h.LEGAL_AT] + move], k, size)
                two |= one & legal
                one |= legal
            stuck |= ~one
            if role == ints[h.CHANCE_ROLE]:
                continue
            together |= chooses & two
            chooses |= two
            none, several = pay(tables, values, ints[ints[h.PLAYER_AT] + role], over, paid, k, size)
            amiss |= none | several
            left = over
            while left != ZERO:
                lane = lowest_bit(left)
                sums[64 * k + lane] += paid[lane]
                left &= left - ONE
        told[size * OVER + k] = over
        told[size * STUCK + k] = stuck & ~over
        told[size * TOGETHER + k] = together & ~over
        told[size * AMISS + k] = amiss


@kernel(nt.void(TABLES, U64, U64, U64, U64))
def step_lanes(tables: Tables, values: State, rows: State, live: State, rng: Random) -> None:
    """Make random moves in the lanes that live; the others begin anew."""
    choose_moves(tables, values, rows, live, rng, _WIDTH)
    go_on(tables, values, rows, live, True, tables.words[tables.ints[h.FIRST_AT] :], _WIDTH)


def lanes_of(words: State) -> np.ndarray:
    """Return which lanes have their bit set."""
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


class Lanes:
    """Working memory for play in 256 lanes."""

    def __init__(self, circuit: Circuit, tables: Tables) -> None:
        self.circuit, self.tables = circuit, tables
        ints = tables.ints
        self.values = np.zeros(WORDS * int(ints[h.SLOTS]), np.uint64)
        self._latches = self.values.reshape(-1, WORDS)[h.LATCH_SLOT :][: int(ints[h.LATCHES])]
        self._does = self.values.reshape(-1, WORDS)[int(ints[h.DOES_SLOT]) :]
        moves = int(ints[int(ints[h.ROLES_AT]) + int(ints[h.ROLES])])
        self._rows = np.zeros(max(moves + 128, WORDS * int(ints[h.LATCHES])) + 64, np.uint64)
        self.told = np.zeros((4, WORDS), np.uint64)
        self.sums = np.zeros(LANES)
        first = np.array([latch.first for latch in circuit.latches], bool)
        self._first = np.where(first, ~ZERO, ZERO).astype(np.uint64)[:, None]

    def begin(self) -> None:
        """Put the first state into all lanes."""
        self._latches[:] = self._first

    def look(self) -> None:
        """Work out `told` and `sums`."""
        look_at_lanes(self.tables, self.values, self.told.reshape(-1), self.sums)

    def step(self, rng: Random) -> State:
        """Make random moves, after a look; return the lanes in which a game went on."""
        live = ~(self.told[OVER] | self.told[STUCK])
        step_lanes(self.tables, self.values, self._rows, live, rng)
        return live

    def facts(self) -> State:
        """Return the facts of all lanes: four words for each latch."""
        return self._latches.copy()

    def move_of(self, lane: int) -> tuple[Term, ...]:
        """Return the moves that were made last in a lane."""
        joint, at = [], 0
        for moves in self.circuit.moves:
            words = self._does[at : at + len(moves), lane >> 6]
            at += len(moves)
            joint.append(moves[np.flatnonzero(words >> np.uint64(lane & 63) & ONE)[0]].term)
        return tuple(joint)

    def after(self, facts: np.ndarray, rng: Random) -> np.ndarray:
        """Return states that follow from one by random moves: a row each, none where it is over."""
        self._latches[:] = np.where(facts, ~ZERO, ZERO).astype(np.uint64)[:, None]
        self.look()
        live = self.step(rng)
        if not live.any():
            return np.zeros((0, len(facts)), bool)
        bits = np.unpackbits(self._latches.view(np.uint8), axis=1, bitorder="little")
        return np.ascontiguousarray(bits.T.astype(bool))


@dataclass
class Seen:
    """What random play showed."""

    states: np.ndarray  # words of bits for each latch: states that were met
    steps: int = 0  # of all lanes together
    games: int = 0  # that were over
    longest: int = 0  # steps in a game, whether it ended or not
    total: float | None = None  # what the payoffs of the first game that ended added up to
    plays: dict[str, Play] = field(default_factory=dict)  # what was refuted, and by which play


class _Met(NamedTuple):
    """A lane worth playing again: its moves between two steps."""

    lane: int
    begin: int
    end: int


def watch_play(lanes: Lanes, clock: Clock, seed: int = 0) -> Seen:
    """Play at random for a while.  `plays` may hold `first_sum`: a play that ended with `total`."""
    latches = len(lanes.circuit.latches)
    size = int(lanes.tables.ints[h.SLOTS])
    steps = max(20, min(MOST_STEPS, WORK // (WORDS * size)))
    every = -(-steps * latches * WORDS * 8 // MOST_BYTES) or 1
    rng, born = seeded(seed), np.zeros(LANES, np.int64)
    kept: list[State] = []
    met: dict[str, _Met] = {}
    seen = Seen(np.zeros((latches, 0), np.uint64))
    lanes.begin()
    anchor = lanes.facts()  # a state each lane had before, to see whether it comes back to it
    anchored = np.full(LANES, -1, np.int64)
    made = 0
    for made in range(steps):
        if made % 16 == 0 and clock.left <= 0.0:
            break
        facts = lanes.facts()
        if made % every == 0:
            kept.append(facts)
        _look_for_returns(facts, anchor, anchored, born, made, met)
        lanes.look()
        for name, kind in _TOLD.items():
            if name not in met and lanes.told[kind].any():
                lane = int(lanes_of(lanes.told[kind])[0])
                met[name] = _Met(lane, int(born[lane]), made)
        for lane in lanes_of(lanes.told[OVER]) if lanes.told[OVER].any() else ():
            seen.games += 1
            if seen.total is None:
                seen.total = float(lanes.sums[lane])
                met["first_sum"] = _Met(int(lane), int(born[lane]), made)
            elif "constant_sum" not in met and lanes.sums[lane] != seen.total:
                met["constant_sum"] = _Met(int(lane), int(born[lane]), made)
        seen.longest = max(seen.longest, made - int(born.min()))
        live = lanes.step(rng)
        dead = lanes_of(~live)
        seen.steps += LANES - len(dead)
        born[dead] = made + 1
        anchored[dead] = -1
    if kept:
        seen.states = np.concatenate(kept, axis=1)
    seen.plays = _play_again(lanes, met, seed)
    return seen


def _look_for_returns(
    facts: State, anchor: State, anchored: np.ndarray, born: np.ndarray, made: int,
    met: dict[str, _Met],
) -> None:  # fmt: skip
    """Note a lane that has come back to a state of its game: that game need never end."""
    if "max_steps" in met:
        return
    differ = np.bitwise_or.reduce(facts ^ anchor, axis=0) if len(facts) else np.zeros(4, np.uint64)
    for lane in lanes_of(~differ) if (~differ).any() else ():
        if anchored[lane] >= 0:
            met["max_steps"] = _Met(int(lane), int(born[lane]), made)
            return
    age = made - born
    again = np.flatnonzero((age & (age - 1)) == 0)  # at 0, 1, 2, 4, 8 and so on
    if len(again):
        bits = np.zeros(LANES, np.uint8)
        bits[again] = 1
        mask = np.packbits(bits, bitorder="little").view(np.uint64)
        anchor[:] = (anchor & ~mask) | (facts & mask)
        anchored[again] = made


def _play_again(lanes: Lanes, met: dict[str, _Met], seed: int) -> dict[str, Play]:
    """Find the moves that led to what was met."""
    found: dict[str, list[tuple[Term, ...]]] = {name: [] for name in met}
    rng = seeded(seed)
    lanes.begin()
    for made in range(max((each.end for each in met.values()), default=0)):
        lanes.look()
        lanes.step(rng)
        for name, (lane, begin, end) in met.items():
            if begin <= made < end:
                found[name].append(lanes.move_of(lane))
    return {name: tuple(play) for name, play in found.items()}
