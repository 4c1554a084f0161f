"""P-games: numbers on the edges of a random tree or graph; the sign of their sum decides.

Every move of the first player (MAX) carries a number from 0 to 127, every move of the second
(MIN) one from -127 to 0.  After `depth` moves the first player has won if the numbers along the
path add up to more than zero, the second if to less; zero is a draw.

As a *tree* nothing is stored: a position is its path, and a hash of the path says the numbers
on the moves, so a tree of depth 40 costs nothing.  A game is *stored*, node by node, where that
is needed: for graphs (`combine` percent of the nodes of each level are merged into others) and
for groups of moves, which depend on who wins with which move.

Stored nodes carry their score, the sum along any path that leads to them, and the number on a
move is the difference between two scores: so every path to a node has the same sum.  Where nodes
are merged the new one takes the best score for the player who has just moved, so no move ever
counts against its own player.

Move groups, after Childs, Brodeur and Kocsis: the *biased* group has `group_size` places, each
given to a winning move with `bias` percent probability and to another move otherwise, as far as
there are any; the *ungrouped* group holds all the other moves, or all moves with `overlap`.
Winning is meant by minimax.  There are groups where they would not hold every move (group_size
less than branching) and the game can be stored.
"""

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, hash_words, mix, to_int
from trellis.game.common_rules import pay_winner, pick, rule
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.rules import NOBODY, TABLES, U64, Moves, Random, Reals, Rules, State, Tables
from trellis.games.pgame.graphs import NUMBERS, Graph, level_sizes, number_on, numbers_of, seed_word

MOST_BYTES = 200_000_000  # of a stored game
LARGEST = 127  # number on a move

# state of a tree: ply and sum, then the path, move by move in as few bits as moves need;
# state of a stored game: the node and, 32 bits up, the ply.  In both the ply is read the same way.
HERE, PATH = 0, 1
# tables.ints
BRANCHING, DEPTH, BITS, STORED, NODES, OVERLAP, SCORES = 0, 1, 2, 3, 4, 5, 6
# After SCORES: the score of every node; the nodes that its moves lead to, for all that have
# moves; then, for these, the set of moves in the biased group.
# tables.words
SEED = 0

BIASED, UNGROUPED = ONE, np.uint64(2)

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
_ZERO_SUM = 1 << 20  # sums are stored with this added, so that they are never negative


@kernel()
def _fold(prefix: np.uint64, word: np.uint64) -> np.uint64:
    """Add a word of the path that is full to the hash of those before it."""
    return mix(prefix ^ word) + GOLDEN


@kernel()
def _prefix(tables: Tables, state: State, words: int) -> np.uint64:
    """Hash the words of the path that are full."""
    prefix = tables.words[SEED]
    for i in range(words):
        prefix = _fold(prefix, state[PATH + i])
    return prefix


@kernel()
def _ply(state: State) -> int:
    return to_int(state[HERE] >> _HALF)


@kernel()
def _sum(tables: Tables, state: State) -> int:
    here = to_int(state[HERE] & _LOW)
    if tables.ints[STORED] != 0:
        return to_int(tables.ints[SCORES + here])
    return here - _ZERO_SUM


@kernel()
def _packed(total: int, ply: int) -> np.uint64:
    return np.uint64(total + _ZERO_SUM) | (np.uint64(ply) << _HALF)


@rule
def start(tables: Tables, state: State) -> None:
    state[:] = ZERO
    if tables.ints[STORED] == 0:
        state[HERE] = _packed(0, 0)


@rule
def acting(tables: Tables, state: State) -> int:
    ply = _ply(state)
    return NOBODY if ply == tables.ints[DEPTH] else ply & 1


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    for move in range(tables.ints[BRANCHING]):
        out[move] = move
    return to_int(tables.ints[BRANCHING])


@rule
def play(tables: Tables, state: State, move: int) -> None:
    ply = _ply(state)
    if tables.ints[STORED] != 0:
        first = SCORES + to_int(tables.ints[NODES])
        node = to_int(state[HERE] & _LOW) * to_int(tables.ints[BRANCHING]) + move
        state[HERE] = np.uint64(tables.ints[first + node]) | (np.uint64(ply + 1) << _HALF)
        return
    place = ply * to_int(tables.ints[BITS])
    words = place >> 6
    prefix = _prefix(tables, state, words)
    numbers = numbers_of(prefix, state[PATH + words], ply)
    total = _sum(tables, state) + number_on(numbers, np.uint64(move), ply)
    state[PATH + words] |= np.uint64(move) << np.uint64(place & 63)
    state[HERE] = _packed(total, ply + 1)


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    total = _sum(tables, state)
    pay_winner(0 if total > 0 else 1 if total < 0 else NOBODY, out)


@rule
def key(tables: Tables, state: State) -> np.uint64:
    return mix(state[HERE]) if len(state) == 1 else hash_words(state, len(state))


@rule
def groups(tables: Tables, state: State, move: int) -> np.uint64:
    ints = tables.ints
    nodes, branching = to_int(ints[NODES]), to_int(ints[BRANCHING])
    # Every node but those of the last level has moves, so the sets begin behind all moves.
    inner = (len(ints) - SCORES - nodes) // (branching + 1)
    biased = to_int(ints[SCORES + nodes + inner * branching + to_int(state[HERE] & _LOW)])
    if (biased >> move) & 1 == 0:
        return UNGROUPED
    return BIASED | UNGROUPED if ints[OVERLAP] != 0 else BIASED


@kernel()
def _random_tree(tables: Tables, state: State, rng: Random) -> None:
    """Walk down a tree with the path in a register.

    Where moves fill their bits, one random number serves sixteen of them.
    """
    depth, bits = to_int(tables.ints[DEPTH]), to_int(tables.ints[BITS])
    branching = np.uint64(tables.ints[BRANCHING])
    even = branching == ONE << np.uint64(bits)
    seed, pool = rng[0], ZERO
    ply, total = _ply(state), _sum(tables, state)
    words, place = (ply * bits) >> 6, (ply * bits) & 63
    prefix = _prefix(tables, state, words)
    word = state[PATH + words]
    for i in range(depth - ply):
        if even:
            if i & 15 == 0:
                seed += GOLDEN
                pool = mix(seed)
            move = pool & (branching - ONE)
            pool >>= np.uint64(bits)
        else:
            seed += GOLDEN
            move = pick(mix(seed), branching)
        total += number_on(numbers_of(prefix, word, ply), move, ply)
        word |= move << np.uint64(place)
        place += bits
        ply += 1
        if place == 64:
            state[PATH + words] = word
            prefix = _fold(prefix, word)
            words += 1
            word = ZERO
            place = 0
    if place > 0:
        state[PATH + words] = word
    state[HERE] = _packed(total, ply)
    rng[0] = seed


@kernel()
def _random_stored(tables: Tables, state: State, rng: Random) -> None:
    depth, branching = to_int(tables.ints[DEPTH]), to_int(tables.ints[BRANCHING])
    first = SCORES + to_int(tables.ints[NODES])
    node = to_int(state[HERE] & _LOW)
    seed = rng[0]
    for _ in range(depth - _ply(state)):
        seed += GOLDEN
        move = to_int(pick(mix(seed), np.uint64(branching)))
        node = to_int(tables.ints[first + node * branching + move])
    state[HERE] = np.uint64(node) | (np.uint64(depth) << _HALF)
    rng[0] = seed


@rule
def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    plies = to_int(tables.ints[DEPTH]) - _ply(state)
    if plies > 0 and tables.ints[STORED] != 0:
        _random_stored(tables, state, rng)
    elif plies > 0:
        _random_tree(tables, state, rng)
    payoffs(tables, state, out)
    return plies


@kernel(nt.int64(TABLES, U64), makes_arrays=True)
def solve_tree(tables: Tables, state: State) -> int:
    """Return who wins a position of a tree with best play: 1 for MAX, -1 for MIN, 0 for neither.

    Depth first, with a stack.  A node is left as soon as its mover has a winning move, or as
    soon as the moves that remain cannot change the sign of the sum.
    """
    depth, bits = to_int(tables.ints[DEPTH]), to_int(tables.ints[BITS])
    branching = to_int(tables.ints[BRANCHING])
    top = _ply(state)
    sums = np.zeros(depth + 1, np.int64)
    tried = np.zeros(depth + 1, np.int64)  # moves of the node on the stack that are done
    best = np.zeros(depth + 1, np.int64)  # of those, for the mover
    prefixes = np.zeros(depth + 1, np.uint64)
    words = np.zeros(depth + 1, np.uint64)
    ply = top
    index = (ply * bits) >> 6
    sums[ply] = _sum(tables, state)
    prefixes[ply] = _prefix(tables, state, index)
    words[ply] = state[PATH + index] if ply < depth else ZERO
    best[ply] = -2
    while True:
        side = 1 if ply & 1 == 0 else -1
        left = depth - ply
        mine, theirs = (left + 1) // 2, left // 2  # moves to come of the mover, of the other
        total = side * sums[ply]
        done, value = False, 0
        if tried[ply] == 0 and (left == 0 or total - LARGEST * theirs > 0):
            done, value = True, (1 if total > 0 else (-1 if total < 0 else 0))
        elif tried[ply] == 0 and total + LARGEST * mine < 0:
            done, value = True, -1
        elif left == 1:
            numbers = numbers_of(prefixes[ply], words[ply], ply)
            for last in range(branching):
                after = total + side * number_on(numbers, np.uint64(last), ply)
                best[ply] = max(best[ply], 1 if after > 0 else (-1 if after < 0 else 0))
            done, value = True, best[ply]
        elif best[ply] == 1 or tried[ply] == branching:
            done, value = True, best[ply]
        if done:
            value *= side
            if ply == top:
                return value
            ply -= 1
            best[ply] = max(best[ply], value if ply & 1 == 0 else -value)
            continue
        move = np.uint64(tried[ply])
        tried[ply] += 1
        numbers = numbers_of(prefixes[ply], words[ply], ply)
        sums[ply + 1] = sums[ply] + number_on(numbers, move, ply)
        place = (ply * bits) & 63
        word = words[ply] | (move << np.uint64(place))
        prefixes[ply + 1], words[ply + 1] = prefixes[ply], word
        if place + bits == 64:
            prefixes[ply + 1], words[ply + 1] = _fold(prefixes[ply], word), ZERO
        ply += 1
        tried[ply] = 0
        best[ply] = -2


RULES = Rules(start, acting, moves, play, payoffs, key, playout=playout)
GROUPED_RULES = RULES._replace(groups=groups)


class PGame(Game):
    """A P-game: a random tree or graph whose moves carry numbers; the sign of the sum wins."""

    name = "pgame"
    symbols = ("+", "-")
    pieces = ()

    def __init__(
        self,
        branching: int = 2,
        depth: int = 20,
        combine: int = 0,
        seed: int = 0,
        group_size: int = 5,
        bias: int = 50,
        overlap: bool = False,
    ) -> None:
        # One, two or four bits a move, so that no move of a path lies across two words.
        bits = 1 if branching == 2 else 2 if branching <= 4 else 4
        sizes = level_sizes(branching, depth, combine)
        size = _stored_bytes(sizes, branching)
        if combine and size > MOST_BYTES:
            raise BadParameter(
                f"pgame:branching={branching},depth={depth},combine={combine} has "
                f"{_large(sum(sizes))} nodes and would take {_large(size // 1_000_000)} MB; "
                f"expected at most {MOST_BYTES // 1_000_000} MB"
            )
        has_groups = group_size < branching and size <= MOST_BYTES
        self.graph: Graph | None = None
        ints = [branching, depth, bits, 0, 0, overlap]
        parts: list[Moves] = []
        if combine or has_groups:
            self.graph = Graph(branching, depth, combine, bits, seed)
            parts = [self.graph.all_scores(), self.graph.all_targets()]
            ints[STORED], ints[NODES] = 1, len(parts[0])
            if has_groups:
                parts.append(self.graph.groups(group_size, bias))
        super().__init__(
            GROUPED_RULES if has_groups else RULES,
            Tables(
                np.ascontiguousarray(np.concatenate([np.array(ints, np.int32), *parts])),
                np.array([seed_word(seed, NUMBERS)], np.uint64),
                np.zeros(1, np.float64),
            ),
            parameters={
                "branching": branching, "depth": depth, "combine": combine, "seed": seed,
                "group_size": group_size, "bias": bias, "overlap": overlap,
            },
            state_words=1 if parts else 1 + (depth * bits + 63) // 64,
            max_moves=branching,
            move_codes=branching,
            max_plies=depth,
            exact_key=bool(parts),
            group_names=("biased", "ungrouped") if has_groups else (),
        )  # fmt: skip
        self.branching = branching
        self.depth = depth
        self.notation = f"a move, 1 to {branching}"

    # -- for experiments ----------------------------------------------------------------------

    def value(self, position: Position) -> int:
        """Return who wins with best play: 1 for the first player, -1 for the second, 0: a draw."""
        state = position.state
        if self.graph is None:
            return int(solve_tree(self.tables, state))
        return self.graph.value(int(state[HERE]) & 0xFFFF_FFFF, int(state[HERE]) >> 32)

    def best_moves(self, position: Position) -> list[int]:
        """List the moves that keep what the player to move can get with best play."""
        side = 1 if position.acting == 0 else -1
        values = [side * self.value(position.play(move)) for move in position.move_codes()]
        return [move for move, value in enumerate(values) if value == max(values)]

    # -- notation -----------------------------------------------------------------------------

    def move_name(self, state: State | None, move: int) -> str:
        """Name a move by its number, from 1."""
        return str(move + 1)

    def board(self, state: State) -> str:
        """Say how the sum stands, and show the numbers on the moves."""
        ply, total = _ply(state), _sum(self.tables, state)
        if len(state) == 1:
            where = f"node {int(state[HERE]) & 0xFFFF_FFFF}"
        else:
            bits = int(self.tables.ints[BITS])
            path = [
                int(state[PATH + i * bits // 64]) >> i * bits % 64 & (1 << bits) - 1
                for i in range(ply)
            ]
            where = "path " + ("-".join(str(move + 1) for move in path) or "empty")
        lines = [f"move {ply} of {self.depth}, {where}", f"sum {int(total):+d}"]
        if ply < self.depth:
            numbers = []
            for move in range(self.branching):
                after = state.copy()
                self.rules.play(self.tables, after, move)
                numbers.append(f"{move + 1}: {int(_sum(self.tables, after) - total):+d}")
            lines.append("  ".join(numbers))
        return "\n".join(lines)


def _stored_bytes(sizes: list[int], branching: int) -> int:
    """Say what a stored game takes: a score a node; targets and a group where there are moves."""
    return 4 * (sum(sizes) + sum(sizes[:-1]) * (branching + 1))


def _large(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{float(number):.1e}"
