"""The stored graphs of P-games: levels of nodes, merging, minimax values, groups.

A level is an array of scores and, for every move of every node, the place in the next level
that the move leads to (its target).  Everything about a game follows from its seed.
"""

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import GOLDEN, ONE, ZERO, below, mix, next_random, to_int
from trellis.game.rules import I32, U64, Moves, Random, State

NUMBERS, MERGING, GROUPING = 0, 1, 2  # what a seed is used for

_SEVEN = np.uint64(7)
_SEVEN_BITS = np.uint64(127)
_MOST_TRIES = 30  # to find a partner for a node that is to be merged
_LOOKS = 8  # partners looked at before the one with the nearest parent is taken


@kernel()
def numbers_of(prefix: np.uint64, word: np.uint64, ply: int) -> np.uint64:
    """Hash a node: the numbers on its first nine moves, seven bits each."""
    return mix((prefix ^ word) + np.uint64(ply) * GOLDEN)


@kernel()
def number_on(numbers: np.uint64, move: np.uint64, ply: int) -> int:
    """Return the number on a move, with the sign of the player who makes it."""
    if move >= np.uint64(9):
        numbers = mix(numbers)
        move -= np.uint64(9)
    number = to_int((numbers >> (_SEVEN * move)) & _SEVEN_BITS)
    return number if ply & 1 == 0 else -number


@kernel(nt.void(I32, nt.int64, nt.int64, I32, I32))
def _solve_level(after: Moves, branching: int, side: int, targets: Moves, out: Moves) -> None:
    """Compute the minimax values of a level from those of the level after it."""
    for node in range(len(out)):
        best = -1
        for move in range(branching):
            best = max(best, side * after[targets[node * branching + move]])
        out[node] = side * best


# -- building -----------------------------------------------------------------------------


@kernel()
def _root(parents: Moves, node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = to_int(parents[node])
    return node


@kernel()
def _siblings_meet(after: Moves, one: int, other: int, branching: int) -> bool:
    """Tell whether a merged set would contain two moves of the same position.

    Members of a set are linked in a ring by `after`.
    """
    a = one
    while True:
        b = other
        while True:
            if a // branching == b // branching:
                return True
            b = to_int(after[b])
            if b == other:
                break
        a = to_int(after[a])
        if a == one:
            return False


@kernel()
def _merge(parents: Moves, after: Moves, one: int, other: int) -> None:
    low, high = min(one, other), max(one, other)
    parents[high] = low
    link = after[low]
    after[low] = after[high]
    after[high] = link


@kernel()
def _merge_nodes(scores: Moves, parents: Moves, after: Moves, wanted: int, rng: Random) -> int:
    """Merge `wanted` nodes of a new level into others; return how many it came to.

    The children of neighbours are neighbours, so a distance in the level is a distance in the
    graph: partners are drawn near more often than far (every power of two alike), and among
    several the one whose parent's score is nearest is taken.
    """
    slots = len(parents)
    branching = slots // len(scores)
    scales = 1
    while (1 << scales) < slots:
        scales += 1
    merged, tries = 0, 0
    while merged < wanted and tries < _MOST_TRIES * wanted + 100:
        tries += 1
        node = below(rng, slots)
        one = _root(parents, node)
        chosen, least = -1, 0
        for _ in range(_LOOKS):
            distance = 1 + below(rng, 1 << (1 + below(rng, scales)))
            near = node + distance if next_random(rng) & ONE == ZERO else node - distance
            if near < 0 or near >= slots:
                continue
            other = _root(parents, near)
            if other == one or _siblings_meet(after, one, other, branching):
                continue
            gap = abs(to_int(scores[node // branching]) - to_int(scores[near // branching]))
            if chosen < 0 or gap < least:
                chosen, least = other, gap
        if chosen >= 0:
            _merge(parents, after, one, chosen)
            merged += 1
    # Where chance has not found enough pairs (few nodes, many merges), look at all of them.
    for node in range(slots):
        for near in range(node + 1, min(slots, node + 2000)):
            if merged >= wanted:
                return merged
            one, other = _root(parents, node), _root(parents, near)
            if one != other and not _siblings_meet(after, one, other, branching):
                _merge(parents, after, one, other)
                merged += 1
    return merged


@kernel(
    nt.int64(I32, U64, nt.int64, nt.int64, nt.uint64, nt.int64, U64, I32, I32), makes_arrays=True
)
def _grow(
    scores: Moves, names: State, ply: int, branching: int, seed: np.uint64, wanted: int,
    rng: Random, targets: Moves, after_scores: Moves,
) -> int:  # fmt: skip
    """Make the level after one with these scores; return how many nodes it has.

    `names` are what the numbers on a node's moves are hashed from.
    """
    slots = len(targets)
    parents = np.arange(slots).astype(np.int32)
    if wanted > 0:
        _merge_nodes(scores, parents, parents.copy(), wanted, rng)
    count = 0
    for slot in range(slots):
        node, move = slot // branching, slot % branching
        number = number_on(numbers_of(seed, names[node], ply), np.uint64(move), ply)
        score = to_int(scores[node]) + number
        root = _root(parents, slot)
        if root == slot:  # the lowest of its set, so the first to be met
            targets[slot] = count
            after_scores[count] = score
            count += 1
        else:
            place = targets[root]
            targets[slot] = place
            best = to_int(after_scores[place])
            after_scores[place] = max(best, score) if ply & 1 == 0 else min(best, score)
    return count


@kernel(nt.void(I32, I32, nt.int64, nt.int64, nt.int64, nt.int64, U64, I32), makes_arrays=True)
def _choose_groups(
    after: Moves, targets: Moves, branching: int, side: int, size: int, bias: int, rng: Random,
    out: Moves,
) -> None:  # fmt: skip
    """Choose the biased group of every node of a level, given the values of the next level."""
    order = np.empty(branching, np.int64)
    for node in range(len(out)):
        good, bad = 0, branching
        for move in range(branching):  # winning moves to the front, the others to the back
            if side * after[targets[node * branching + move]] > 0:
                order[good] = move
                good += 1
            else:
                bad -= 1
                order[bad] = move
        winning = 0
        for _ in range(size):
            if below(rng, 100) < bias:
                winning += 1
        chosen = 0
        for i in range(min(winning, good)):
            other = i + below(rng, good - i)
            order[i], order[other] = order[other], order[i]
            chosen |= 1 << order[i]
        for i in range(min(size - winning, branching - good)):
            other = good + i + below(rng, branching - good - i)
            order[good + i], order[other] = order[other], order[good + i]
            chosen |= 1 << order[good + i]
        out[node] = chosen


class Graph:
    """A stored game: scores and targets level by level, minimax values on demand."""

    def __init__(self, branching: int, depth: int, combine: int, bits: int, seed: int) -> None:
        self.branching = branching
        self.seed = seed
        self.scores: list[Moves] = [np.zeros(1, np.int32)]
        self.targets: list[Moves] = []
        self._values: list[Moves] = []
        names = np.zeros(1, np.uint64)
        word = np.uint64(seed_word(seed, NUMBERS))
        rng = np.array([seed_word(seed, MERGING)], np.uint64)
        for ply in range(depth):
            scores = self.scores[-1]
            slots = len(scores) * branching
            targets = np.empty(slots, np.int32)
            after = np.empty(slots, np.int32)
            wanted = slots - _next_size(len(scores), branching, combine)
            count = _grow(scores, names, ply, branching, word, wanted, rng, targets, after)
            self.targets.append(targets)
            self.scores.append(np.ascontiguousarray(after[:count]))
            if combine:
                # A node of a graph has no path of its own: it is called by its place.
                names = np.arange(count, dtype=np.uint64) + np.uint64(1 << 32)
            else:
                # The same words as the path of a tree that is not stored: the same game.
                moves = np.tile(np.arange(branching, dtype=np.uint64), len(names))
                names = np.repeat(names, branching) | (moves << np.uint64(ply * bits))

    def all_scores(self) -> Moves:
        """Return the scores of all nodes, level after level."""
        return np.concatenate(self.scores)

    def all_targets(self) -> Moves:
        """Return the targets of all moves, with nodes numbered through all levels."""
        first, parts = 0, []
        for targets, scores in zip(self.targets, self.scores[:-1], strict=True):
            first += len(scores)
            parts.append(targets + np.int32(first))
        return np.concatenate(parts)

    def values(self) -> list[Moves]:
        """Return who wins every node with best play: 1 for MAX, -1 for MIN, 0 for neither."""
        if not self._values:
            values = [np.sign(self.scores[-1]).astype(np.int32)]
            for ply in reversed(range(len(self.targets))):
                out = np.empty(len(self.scores[ply]), np.int32)
                side = 1 - 2 * (ply & 1)
                _solve_level(values[-1], self.branching, side, self.targets[ply], out)
                values.append(out)
            self._values = values[::-1]
        return self._values

    def groups(self, size: int, bias: int) -> Moves:
        """Choose the biased group of every node that has moves, as a set of moves."""
        rng = np.array([seed_word(self.seed, GROUPING)], np.uint64)
        values, parts = self.values(), []
        for ply, targets in enumerate(self.targets):
            out = np.empty(len(self.scores[ply]), np.int32)
            side = 1 - 2 * (ply & 1)
            _choose_groups(values[ply + 1], targets, self.branching, side, size, bias, rng, out)
            parts.append(out)
        return np.concatenate(parts)

    def value(self, node: int, ply: int) -> int:
        """Return who wins one node, given by its number through all levels."""
        return int(self.values()[ply][node - sum(map(len, self.scores[:ply]))])


def seed_word(seed: int, purpose: int) -> int:
    """Turn a seed into a word; numbers, merging and groups each have their own."""
    return int(np.random.SeedSequence([seed, purpose]).generate_state(1, np.uint64)[0])


def _next_size(nodes: int, branching: int, combine: int) -> int:
    """Say how many nodes follow a level; moves of one node always lead to different ones."""
    slots = nodes * branching
    return max(branching, slots - (slots * combine + 50) // 100)


def level_sizes(branching: int, depth: int, combine: int) -> list[int]:
    sizes = [1]
    for _ in range(depth):
        sizes.append(_next_size(sizes[-1], branching, combine))
    return sizes
