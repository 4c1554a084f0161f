"""Random automata: small games made of nothing but positions and moves, to test searches with.

Positions are numbered, the game starts in 0, and every other position can be reached.  A move
leads to a later position, near by, so that paths meet often; in a cyclic game it may lead
anywhere, but one move of every position still leads to a later one, so that an end can always
be reached.  The last position is an end, others may be.

In a position where all choose at once each player has moves of their own, and all choices
together decide where it goes; the choices made so far are part of the state, not of the view.
"""

from dataclasses import dataclass, field
from math import prod

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import BYTE, ONE, ZERO, below, hash_pair, key_of_words, to_int, uniform
from trellis.game.common_rules import rule, start_empty
from trellis.game.errors import BadParameter
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

ALL_CHOOSE = 100  # who acts, where all choose at once
MOST_TOGETHER = 256  # combinations of choices in one position
ENDS = 0.15  # fraction of positions that are ends, about

# state: the position; where all choose at once, their choices plus 1 so far, 8 bits each
NODE, CHOICES = 0, 1
# tables.ints: the number of players, then for each position
#   who acts, where its targets begin, and how many moves each player has (one number where a
#   single player or chance acts: the first)
PLAYERS, NODES = 0, 1
ACTOR, FIRST, COUNTS = 0, 1, 2
# tables.reals: for each target the probability that chance chooses it, then for each position
# what every player gets there; tables.words[0]: where these begin


@kernel()
def _row(tables: Tables, state: State) -> int:
    """Find where the numbers of a position begin."""
    return NODES + to_int(state[NODE]) * (COUNTS + to_int(tables.ints[PLAYERS]))


@kernel()
def _chosen(state: State) -> int:
    """Count the choices made so far."""
    count, choices = 0, state[CHOICES]
    while choices != ZERO:
        choices >>= np.uint64(8)
        count += 1
    return count


@rule
def acting(tables: Tables, state: State) -> int:
    who = to_int(tables.ints[_row(tables, state) + ACTOR])
    return _chosen(state) if who == ALL_CHOOSE else who


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    count = to_int(tables.ints[_row(tables, state) + COUNTS + _chosen(state)])
    for move in range(count):
        out[move] = move
    return count


@rule
def chances(tables: Tables, state: State, out: Reals) -> None:
    row = _row(tables, state)
    first = to_int(tables.ints[row + FIRST])
    for move in range(tables.ints[row + COUNTS]):
        out[move] = tables.reals[first + move]


@rule
def play(tables: Tables, state: State, move: int) -> None:
    ints = tables.ints
    players = to_int(ints[PLAYERS])
    row = _row(tables, state)
    targets = NODES + to_int(tables.words[1]) * (COUNTS + players)
    choice = move
    if ints[row + ACTOR] == ALL_CHOOSE:
        made = _chosen(state)
        state[CHOICES] |= np.uint64(move + 1) << np.uint64(8 * made)
        if made + 1 < players:
            return
        choice = 0
        for player in range(players):
            own = to_int((state[CHOICES] >> np.uint64(8 * player)) & BYTE) - 1
            choice = choice * to_int(ints[row + COUNTS + player]) + own
    state[NODE] = np.uint64(ints[targets + to_int(ints[row + FIRST]) + choice])
    state[CHOICES] = ZERO


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    players = to_int(tables.ints[PLAYERS])
    first = to_int(tables.words[0]) + to_int(state[NODE]) * players
    for player in range(players):
        out[player] = tables.reals[first + player]


@rule
def actors(tables: Tables, state: State) -> np.uint64:
    who = to_int(tables.ints[_row(tables, state) + ACTOR])
    if who == ALL_CHOOSE:
        return (ONE << np.uint64(tables.ints[PLAYERS])) - ONE
    return ZERO if who < 0 else ONE << np.uint64(who)


@rule
def view(tables: Tables, state: State) -> np.uint64:
    """Hash the position and who is asked, without what others have chosen."""
    return hash_pair(state[NODE], np.uint64(_chosen(state)))


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies = 0
    while True:
        row = _row(tables, state)
        who = to_int(tables.ints[row + ACTOR])
        if who == NOBODY:
            payoffs(tables, state, out)
            return plies
        if who == CHANCE:
            point = uniform(rng)
            first = to_int(tables.ints[row + FIRST])
            last = to_int(tables.ints[row + COUNTS]) - 1
            move = 0
            while move < last and point >= tables.reals[first + move]:
                point -= tables.reals[first + move]
                move += 1
        else:
            move = below(rng, tables.ints[row + COUNTS + _chosen(state)])
        play(tables, state, move)
        plies += 1


RULES = Rules(start_empty, acting, moves, play, payoffs, key_of_words, playout=playout)


@dataclass
class _Node:
    """One position while the game is made."""

    actor: int
    counts: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)  # for every combination of choices; -1: open

    @property
    def open_slots(self) -> list[int]:
        return [slot for slot, target in enumerate(self.targets) if target < 0]


class RandomAutomaton(Game):
    """A small random game for tests of searches."""

    name = "random_automaton"
    pieces = ()

    def __init__(
        self,
        seed: int = 0,
        states: int = 20,
        branching: int = 3,
        players: int = 2,
        chance: int = 0,
        simultaneous: int = 0,
        cyclic: bool = False,
        payoffs: int = 3,
        general: bool = False,
    ) -> None:
        if chance + simultaneous > 100:
            raise BadParameter(
                f"random_automaton:chance={chance},simultaneous={simultaneous}: together more "
                "than 100 percent; expected at most 100"
            )
        if simultaneous and players == 1:
            raise BadParameter(
                f"random_automaton:players=1,simultaneous={simultaneous}: nobody else chooses; "
                "expected 2 players or more"
            )
        random = np.random.default_rng([seed, states, branching, players])
        nodes = _nodes(random, states, branching, players, chance, simultaneous)
        _fill(random, nodes, branching, cyclic=cyclic)
        rules = RULES
        if chance:
            rules = rules._replace(chances=chances)
        if simultaneous:
            rules = rules._replace(actors=actors, view=view)
        super().__init__(
            rules,
            _tables(random, nodes, players, payoffs, general=general),
            parameters={
                "seed": seed, "states": states, "branching": branching, "players": players,
                "chance": chance, "simultaneous": simultaneous, "cyclic": cyclic,
                "payoffs": payoffs, "general": general,
            },
            players=players,
            payoff_range=(0.0, 1.0),
            constant_sum=1.0 if players == 2 and not general else None,
            state_words=2,
            max_moves=branching,
            move_codes=branching,
            max_plies=None if cyclic else _longest(nodes),
        )  # fmt: skip
        self.nodes = nodes
        self.notation = f"a move, 1 to {branching}"
        self.symbols = tuple(str(player + 1) for player in range(players))

    def move_name(self, state: State, move: int) -> str:
        """Name a move by its number, from 1."""
        return str(move + 1)

    def board(self, state: State) -> str:
        """Say which position it is, where its moves lead, and who has chosen."""
        number = int(state[NODE])
        node = self.nodes[number]
        if node.actor == NOBODY:
            return f"position {number}: the end"
        who = {CHANCE: "chance", ALL_CHOOSE: "all players"}.get(
            node.actor, f"player {node.actor + 1}"
        )
        text = f"position {number}: {who} to choose, then {_short(node.targets)}"
        made = int(_chosen(state))
        return f"{text}\n{made} of {self.players} have chosen" if made else text


def _short(targets: list[int]) -> str:
    shown = " ".join(map(str, targets[:16]))
    return shown if len(targets) <= 16 else f"{shown} …"


def _nodes(
    random: np.random.Generator,
    states: int,
    branching: int,
    players: int,
    chance: int,
    together: int,
) -> list[_Node]:
    """Make the positions, each but the first the target of an open move of an earlier one."""
    most = branching
    while most**players > MOST_TOGETHER:
        most -= 1
    nodes: list[_Node] = []
    waiting: list[int] = []  # positions with open moves
    for number in range(states):
        if number:
            # Near parents make long games whose paths meet; the oldest are not forgotten.
            place = -1 - int(random.integers(min(len(waiting), 2 * branching)))
            parent = nodes[waiting[place]]
            slots = parent.open_slots
            parent.targets[slots[int(random.integers(len(slots)))]] = number
            if len(slots) == 1:
                del waiting[place]
        is_last = number == states - 1
        if is_last or (number and waiting and random.random() < ENDS):
            nodes.append(_Node(NOBODY))
            continue
        drawn = int(random.integers(100))
        if drawn < chance:
            node = _Node(CHANCE, [int(random.integers(1, branching + 1))])
        elif drawn < chance + together:
            own = random.integers(1, most + 1, players)
            node = _Node(ALL_CHOOSE, [int(count) for count in own])
        else:
            who = int(random.integers(players))
            node = _Node(who, [int(random.integers(1, branching + 1))])
        node.targets = [-1] * prod(node.counts)
        nodes.append(node)
        waiting.append(number)
    return nodes


def _fill(random: np.random.Generator, nodes: list[_Node], branching: int, *, cyclic: bool) -> None:
    """Lead all moves that are still open somewhere: near by and later, or anywhere if cyclic."""
    for number, node in enumerate(nodes):
        near = min(len(nodes), number + 1 + 2 * branching)
        for slot in node.open_slots:
            only_back = all(target <= number for target in node.targets)
            if not cyclic or only_back:
                node.targets[slot] = int(random.integers(number + 1, near))
            else:
                # Anywhere but here: a move must change something.
                step = int(random.integers(1, len(nodes)))
                node.targets[slot] = (number + step) % len(nodes)


def _tables(
    random: np.random.Generator, nodes: list[_Node], players: int, payoffs: int, *, general: bool
) -> Tables:
    rows: list[int] = []
    targets: list[int] = []
    odds: list[float] = []
    pays: list[float] = []
    for node in nodes:
        rows += [node.actor, len(targets), *node.counts, *[0] * (players - len(node.counts))]
        weights = random.integers(1, 9, len(node.targets)).astype(float)
        odds += (weights / weights.sum()).tolist() if node.actor == CHANCE else weights.tolist()
        targets += node.targets
        own = random.integers(payoffs, size=players) / (payoffs - 1)
        pays += [own[0], 1.0 - own[0]] if players == 2 and not general else own.tolist()
    return tables(
        ints=[players, *rows, *targets], words=[len(odds), len(nodes)], reals=[*odds, *pays]
    )


def _longest(nodes: list[_Node]) -> int:
    """Return the length of the longest game of an acyclic automaton, in moves."""
    longest = [0] * len(nodes)
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        if node.targets:
            longest[number] = len(node.counts) + max(longest[target] for target in node.targets)
    return longest[0]
