"""A circuit as plain numbers: the tables that both evaluators read.

Every input and gate has a slot.  Slots of latches begin at a multiple of 64, so that the words of
a state are words of the slots' bits; gates come in the order in which they are evaluated.

In `ints`, after a header of offsets: records of six numbers, one for each group of gates or loop;
the slots each gate asks; what each slot is asked by; moves, goals.  The working memory of the
event-driven evaluator comes last, in `ints` and `words`: a copy of the tables is another one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from trellis.game.rules import State, Tables
from trellis.gdl.circuit.aig import FlatNet
from trellis.gdl.circuit.build import RANDOM, Circuit, Group, Move, Stretch
from trellis.gdl.circuit.schedule import FUTURE, PHASES, schedule

# places in the header
(
    SLOTS, LATCHES, LATCH_WORDS, ROLES, LEGAL_WORDS, OUT_WORDS, TERMINAL_OUT,
    PROGRAM, PRESENT_END, FUTURE_END, PROGRAM_END, FAN_AT, ASKED_AT, ROLES_AT, LANES,
    UNSATISFIED_AT, FIRST_AT, VALUES_AT, DIRTY_AT, OUTS_AT, SUMMARY_AT, DOES_SLOT, CHANCE_ROLE,
    STATE_WORDS, CONTROL_AT, NEXT_AT, TERMINAL_AT, LEGAL_AT, IDLE_AT, READY_AT, PLAYER_AT, OLD_AT,
    FUTURE_SLOT, MADE_AT, SLICES_AT, PLAYERS, JOINT_AT, FAR, KEY_AT, ORDER_AT, PAYS_AT,
    FORCED_AT,
) = range(42)  # fmt: skip
HEADER = 48
RECORD = 6
GROUP, LOOP = 0, 1  # kinds of records
LATCH_SLOT = 64
PAID_AT = 2  # in the reals, behind the range of payoffs
_MOST_WIDE = 1 << 15  # slots: 256 lanes of more leave the caches, and take too much room


@dataclass
class Layout:
    """Where things are, while tables are made."""

    net: FlatNet
    slot_of: np.ndarray  # by node, -1 where nothing needs it
    ints: list[int] = field(default_factory=lambda: [0] * HEADER)
    records: list[list[int]] = field(default_factory=list)
    gates: list[np.ndarray] = field(default_factory=list)  # nodes, in the order of their slots
    fans: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    asking: int = 0  # places in `fans` that gates have taken so far
    loops: list[int] = field(default_factory=list)
    slots: int = 0

    def literal(self, given: int) -> int:
        """Return a literal of the circuit as twice its slot, plus one where negated."""
        return 2 * int(self.slot_of[given >> 1]) + (given & 1)

    def literals(self, given: Iterable[int]) -> np.ndarray:
        """Do the same with many."""
        literals = np.fromiter(given, np.int64)
        return 2 * self.slot_of[literals >> 1] + (literals & 1)

    def give_slot(self, node: int) -> None:
        """Give a node the next slot."""
        self.slot_of[node] = self.slots
        self.slots += 1


def lay_out(circuit: Circuit, lanes: int | None = None) -> Tables:
    """Turn a circuit into tables, with room for random games in 64 or 256 lanes."""
    net = circuit.net.flat()
    made = Layout(net, np.full(len(net.sizes), -1, np.int64))
    _number_inputs(made, circuit)
    _Emission(made, circuit).run()
    return _tables(made, circuit, lanes or (256 if made.slots <= _MOST_WIDE else 64))


def leave_out_of_keys(tables: Tables, latches: Iterable[int]) -> None:
    """Let positions that differ in these facts alone be the same."""
    for latch in latches:
        place = int(tables.ints[KEY_AT]) + latch // 64
        tables.words[place] &= ~np.uint64(1 << (latch % 64))


def goal_range(circuit: Circuit) -> tuple[float, float]:
    """Return the least and the greatest goal that any role may get, 0 and 100 among them."""
    values = [value for goals in circuit.goals for value, _ in goals]
    return float(min([0, *values])), float(max([100, *values]))


def telling_bits(tables: Tables) -> State:
    """Return which bits of a state tell positions apart; legal moves follow from the facts."""
    ints = tables.ints
    bits = np.zeros(ints[STATE_WORDS], np.uint64)
    facts, control = int(ints[LATCH_WORDS]), int(ints[CONTROL_AT])
    bits[:facts] = tables.words[ints[KEY_AT] : ints[KEY_AT] + facts]
    bits[control:] = ~np.uint64(0)  # who is asked, and the choices made so far
    return bits


def round_up(count: int) -> int:
    """Round up to whole words."""
    return (count + 63) // 64 * 64


def _number_inputs(made: Layout, circuit: Circuit) -> None:
    made.slot_of[0] = 0
    made.slots = LATCH_SLOT
    for latch in circuit.latches:
        made.give_slot(latch.held >> 1)
    made.slots = made.ints[DOES_SLOT] = round_up(made.slots)
    for moves in circuit.moves:
        for move in moves:
            made.give_slot(move.does >> 1)
    made.slots = round_up(made.slots)


class _Emission:
    """Writes the program: records of groups and loops, phase by phase."""

    def __init__(self, made: Layout, circuit: Circuit) -> None:
        self.made, self.circuit = made, circuit
        self.phases = schedule(circuit)

    def run(self) -> None:
        made, ends = self.made, []
        for phase in PHASES:
            if phase == FUTURE:
                made.ints[FUTURE_SLOT] = made.slots
            for stretch in self.phases[phase]:
                self._stretch(stretch)
            ends.append(len(made.records))
        for place, end in zip((PRESENT_END, FUTURE_END, PROGRAM_END), ends, strict=True):
            made.ints[place] = end
        made.fans = _fans(made)

    def _stretch(self, stretch: Stretch) -> None:
        made = self.made
        if not stretch.loops:
            for group in stretch.groups:
                self._group(group)
            return
        # A slot of its own marks the loop as waiting; its atoms and gates come right after it.
        pairs = [
            pair for loop in stretch.loops for pair in zip(loop.atoms, loop.fed_from, strict=True)
        ]
        header = [LOOP, len(stretch.groups), len(made.loops), len(pairs), made.slots, 0]
        made.records.append(header)
        made.slots += 1
        for atom, _ in pairs:
            made.give_slot(atom >> 1)
        for group in stretch.groups:
            self._group(group)
        header[5] = made.slots
        for atom, fed_from in pairs:
            made.loops += [int(made.slot_of[atom >> 1]), made.literal(fed_from)]

    def _group(self, group: Group) -> None:
        made, count = self.made, len(group.gates)
        made.records.append([GROUP, group.positive, group.negative, made.slots, count, made.asking])
        gates = np.array(group.gates, np.int64)
        made.slot_of[gates] = np.arange(made.slots, made.slots + count)
        made.gates.append(gates)
        made.slots += count
        made.asking += count * (group.positive + group.negative)


def _fans(made: Layout) -> np.ndarray:
    """Return the slots that each gate asks: those that must hold first, then the others."""
    gates = np.concatenate([np.zeros(0, np.int64), *made.gates])
    sizes = made.net.sizes[gates].astype(np.int64)
    starts = np.cumsum(np.maximum(made.net.sizes, 0)) - np.maximum(made.net.sizes, 0)
    places = np.arange(sizes.sum()) + np.repeat(starts[gates] - (np.cumsum(sizes) - sizes), sizes)
    literals = made.net.literals[places]
    owner = np.repeat(np.arange(len(gates)), sizes)
    order = np.argsort(2 * owner + (literals & 1), kind="stable")
    return made.slot_of[literals[order] >> 1]


class _Ints:
    """The array of numbers while it is made: a header, and parts one after the other."""

    def __init__(self, header: list[int]) -> None:
        self.header = header
        self.parts: list[np.ndarray] = []
        self.length = len(header)

    def add(self, numbers: Iterable[int] | np.ndarray) -> int:
        """Add numbers; return where they begin."""
        if not isinstance(numbers, np.ndarray):
            numbers = np.fromiter(numbers, np.int64)
        at = self.length
        self.parts.append(numbers)
        self.length += len(numbers)
        return at

    def array(self) -> np.ndarray:
        """Return everything."""
        return np.concatenate([np.array(self.header), *self.parts]).astype(np.int32)


def _tables(made: Layout, circuit: Circuit, lanes: int) -> Tables:
    """Put everything into two arrays."""
    ints, literal = made.ints, made.literal
    written = _Ints(ints)
    moves = [move for each in circuit.moves for move in each]
    latches = len(circuit.latches)
    latch_words = max(1, round_up(latches) // 64)
    legal_words = round_up(len(moves)) // 64 or 1
    roles = len(circuit.roles)
    ints[SLOTS] = made.slots
    ints[LATCHES], ints[LATCH_WORDS], ints[LEGAL_WORDS] = latches, latch_words, legal_words
    ints[ROLES] = roles
    ints[FAR] = 4 + made.slots // 96  # turning a latch costs about as much as so many gates
    ints[PLAYERS] = sum(role != RANDOM for role in circuit.roles)
    ints[OUT_WORDS] = latch_words + legal_words + 1
    ints[TERMINAL_OUT] = 64 * (latch_words + legal_words)
    ints[CHANCE_ROLE] = circuit.roles.index(RANDOM) if RANDOM in circuit.roles else -1
    # A state: latches, legal moves, who acts, and the moves chosen but not yet made.
    ints[CONTROL_AT] = latch_words + legal_words
    ints[STATE_WORDS] = latch_words + legal_words + 1 + (roles + 3) // 4

    records = np.array(made.records, np.int64).reshape(-1, RECORD)
    ints[PROGRAM] = written.add(records.ravel())
    ints[FAN_AT] = written.add(made.fans)
    loops_at = written.add(made.loops)
    is_loop = records[:, 0] == LOOP
    records[~is_loop, 5] += ints[FAN_AT]
    records[is_loop, 2] += loops_at
    written.parts[0] = records.ravel()

    ints[NEXT_AT] = written.add(made.literals(latch.following for latch in circuit.latches))
    ints[TERMINAL_AT] = literal(circuit.terminal)
    ints[LEGAL_AT] = written.add(made.literals(move.legal for move in moves))
    ints[IDLE_AT] = written.add([0] * len(moves))
    # The first move of each role, and the end.
    ints[ROLES_AT] = written.add(accumulate(map(len, circuit.moves), initial=0))
    players = [role for role in circuit.roles if role != RANDOM]
    ints[PLAYER_AT] = written.add(  # the player each role is
        players.index(role) if role != RANDOM else -1 for role in circuit.roles
    )
    ints[ORDER_AT] = written.add(  # in which order roles are asked: chance comes last
        sorted(range(roles), key=lambda role: circuit.roles[role] == RANDOM)
    )
    # What each player gets; last, if there is chance, its goals, which nobody is paid.
    goals = [[(value, literal(given)) for value, given in each] for each in circuit.goals]
    by_player = sorted(zip(circuit.roles, goals, strict=True), key=lambda pair: pair[0] == RANDOM)
    ints[PAYS_AT] = written.add(_pays([(0, each) for _, each in by_player], written.length))
    lengths, entries = _asked(made, moves, circuit)
    ints[ASKED_AT] = written.add(np.cumsum([written.length + len(lengths) + 1, *lengths]))
    written.add(entries)

    unsatisfied = np.zeros(made.slots, np.int64)
    loops = np.flatnonzero(is_loop)
    unsatisfied[records[loops, 4]] = -1 - loops  # the evaluator looks its record up here
    ints[UNSATISFIED_AT] = written.add(unsatisfied)
    words = _words(ints, circuit, lanes)
    reals = np.array([*goal_range(circuit), *([0.0] * 64)])  # and a payoff in each of 64 lanes
    return Tables(written.array(), words, reals)


def _words(ints: list[int], circuit: Circuit, lanes: int) -> np.ndarray:
    """Make the words: what holds at first, what tells positions apart, and working memory."""
    latches, latch_words, slots = ints[LATCHES], ints[LATCH_WORDS], ints[SLOTS]
    bits = round_up(slots) // 64
    first = np.zeros(64 * latch_words, np.uint8)
    first[:latches] = [latch.first for latch in circuit.latches]
    ints[FIRST_AT] = 0
    ints[VALUES_AT] = latch_words
    ints[DIRTY_AT] = ints[VALUES_AT] + bits
    ints[SUMMARY_AT] = ints[DIRTY_AT] + bits
    ints[OUTS_AT] = ints[SUMMARY_AT] + round_up(bits) // 64
    ints[OLD_AT] = ints[OUTS_AT] + ints[OUT_WORDS]
    ints[MADE_AT] = ints[OLD_AT] + bits
    ints[JOINT_AT] = ints[MADE_AT] + ints[ROLES]
    ints[KEY_AT] = ints[JOINT_AT] + ints[ROLES]  # which facts tell positions apart
    ints[FORCED_AT] = ints[KEY_AT] + latch_words  # facts that forced steps may come back to
    ints[SLICES_AT] = ints[FORCED_AT] + latch_words
    ints[LANES] = lanes
    width = lanes // 64
    rows = max(round_up(max(len(each) for each in circuit.moves)), width * latches) + 64
    # Room for many positions at once: slots, which leaf each lane plays and since when, who lives
    # and the like, and rows.
    words = np.zeros(ints[SLICES_AT] + width * (slots + 132) + rows + 1, np.uint64)
    words[:latch_words] = np.packbits(first, bitorder="little").view(np.uint64)
    words[ints[KEY_AT] : ints[KEY_AT] + latch_words] = ~np.uint64(0)
    ints[READY_AT] = len(words) - 1  # whether the working memory means something yet
    return words


def _pays(players: list[tuple[int, list[tuple[int, int]]]], begin: int) -> list[int]:
    """Write where the goals of each player are, then how many, what none pays, and each of them."""
    places: list[int] = []
    entries: list[int] = []
    for none, goals in players:
        places.append(begin + len(players) + len(entries))
        entries += [len(goals), none, *(number for goal in goals for number in goal)]
    return places + entries


def goals_of(tables: Tables) -> list[list[tuple[int, int]]]:
    """Return the goals of each role, each with the literal that says whether it holds."""
    ints = tables.ints
    found = []
    for role in range(ints[ROLES]):
        player = ints[PLAYERS] if role == ints[CHANCE_ROLE] else ints[ints[PLAYER_AT] + role]
        at = int(ints[ints[PAYS_AT] + player])
        numbers = ints[at + 2 : at + 2 + 2 * ints[at]].tolist()
        found.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
    return found


def set_against_all(tables: Tables, role: int, total: int, *, first: bool) -> Tables:
    """Return tables in which a role is player 0 and all the others together are player 1.

    Player 1 gets what is missing from the role's goal to `total`.  Where several choose at once,
    the role chooses before the others, who see what it chose, or after them.
    """
    ints, roles = tables.ints, int(tables.ints[ROLES])
    chance = int(ints[CHANCE_ROLE])
    others = [each for each in range(roles) if each not in (role, chance)]
    order = [role, *others] if first else [*others, role]
    own = goals_of(tables)[role]
    others_get = [(total - goal, literal) for goal, literal in own]
    pays = _pays([(0, own), (total, others_get)], len(ints))
    made = np.concatenate([ints, np.array(pays, np.int32)])
    made[PAYS_AT], made[PLAYERS] = len(ints), 2
    at = int(ints[ORDER_AT])
    made[at : at + roles] = [*order, *([chance] if chance >= 0 else [])]
    at = int(ints[PLAYER_AT])
    made[at : at + roles] = [-1 if i == chance else int(i != role) for i in range(roles)]
    return Tables(made, tables.words.copy(), tables.reals.copy())


_GATES, _NEGATED, _GIVEN_OUT, _LOOPS = range(4)
_LISTS = 4  # for each slot


def _asked(made: Layout, moves: list[Move], circuit: Circuit) -> tuple[np.ndarray, np.ndarray]:
    """Return for every slot what changes with it, in four lists: their lengths, and their entries.

    Gates that ask for it, gates that ask for its negation, bits given out, loops.
    """
    ints = made.ints
    lists: list[np.ndarray] = []  # four times a slot, plus which list
    entries: list[np.ndarray] = []

    def note(kind: int, slots: np.ndarray, what: np.ndarray) -> None:
        lists.append(_LISTS * slots + kind)
        entries.append(what)

    inner = range(0)  # slots of the loop that is being looked at
    left = 0
    for record in made.records[: ints[FUTURE_END]]:
        if record[0] == LOOP:
            _, left, pairs, count, begin, end = record
            inner = range(begin, end)
            slots = np.array(made.loops[pairs + 1 : pairs + 2 * count : 2], np.int64) >> 1
            _note_loop(note, slots, inner)
            continue
        _, positive, negative, first, count, fan = record
        size = positive + negative
        asked = made.fans[fan : fan + count * size].reshape(count, size)
        if left:
            _note_loop(note, asked.ravel(), inner)
            left -= 1
            continue
        gates = np.arange(first, first + count)
        note(_GATES, asked[:, :positive].ravel(), np.repeat(gates, positive))
        note(_NEGATED, asked[:, positive:].ravel(), np.repeat(gates, negative))
    given_out = [latch.following for latch in circuit.latches]
    given_out += [0] * (64 * ints[LATCH_WORDS] - len(given_out))
    given_out += [move.legal for move in moves]
    given_out += [0] * (ints[TERMINAL_OUT] - len(given_out))
    given_out.append(circuit.terminal)
    note(_GIVEN_OUT, made.literals(given_out) >> 1, np.arange(len(given_out)))
    keys, values = np.concatenate(lists), np.concatenate(entries)
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    # A loop is noted by each of its groups that asks for a slot, and meant once.
    again = np.zeros(len(keys), bool)
    again[1:] = (keys[1:] == keys[:-1]) & (values[1:] == values[:-1])
    keys, values = keys[~again], values[~again]
    return np.bincount(keys, minlength=_LISTS * made.slots), values


def _note_loop(
    note: Callable[[int, np.ndarray, np.ndarray], None], slots: np.ndarray, inner: range
) -> None:
    """Note that a loop asks for slots outside it."""
    outside = np.unique(slots[(slots < inner.start) | (slots >= inner.stop)])
    note(_LOOPS, outside, np.full(len(outside), inner.start))
