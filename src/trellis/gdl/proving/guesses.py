"""What may be true of every state: guessed from the shape of facts, kept where play agrees.

A wrong guess costs time, never truth: nothing here is believed before it is proven.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from trellis.gdl.circuit.build import Circuit
from trellis.gdl.language.terms import Term

SMALL = 12  # facts of a relation that says whose turn it is, or what phase
MOST_SMALL = 64  # facts of all such relations, for guesses about pairs of them
MOST_ARGUMENTS = 4  # of a relation, all of whose sets of arguments are tried
WORDS_FOR_PAIRS = 1_000  # of 64 states
MOST_PARTS = 400_000  # facts in all guesses together


class Guess(NamedTuple):
    """One of some literals of facts holds; or at most one of some facts does.

    A literal is twice the number of the latch, plus one where it is negated.
    """

    literals: tuple[int, ...]
    at_most_one: bool = False


class Guesses:
    """Guesses, with their literals in one array: all are looked up in many states at once."""

    def __init__(self, guesses: Sequence[Guess]) -> None:
        self.all = list(guesses)
        sizes = [len(guess.literals) for guess in self.all]
        self._literals = np.array([each for guess in self.all for each in guess.literals], np.int64)
        self._starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, np.int64)
        self._at_most_one = np.array([guess.at_most_one for guess in self.all], bool)

    def holding(self, states: np.ndarray) -> np.ndarray:
        """Tell which guesses hold in all of some states, a row of truths each."""
        result = np.ones(len(self.all), bool)
        if not self.all:
            return result
        rows = max(1, 4_000_000 // len(self._literals))
        for begin in range(0, len(states), rows):
            part = states[begin : begin + rows]
            both = np.empty((len(part), 2 * part.shape[1]), np.uint8)
            both[:, 0::2], both[:, 1::2] = part, ~part
            held = np.add.reduceat(both[:, self._literals], self._starts, axis=1, dtype=np.int32)
            result &= np.where(self._at_most_one, held <= 1, held >= 1).all(axis=0)
        return result


def relations(circuit: Circuit) -> list[list[int]]:
    """Return the latches of each relation, small ones first; facts without arguments are one."""
    found: dict[tuple[Term, int], list[int]] = defaultdict(list)
    for place, latch in enumerate(circuit.latches):
        fact = latch.fact
        found[("", 0) if isinstance(fact, str) else (fact[0], len(fact))].append(place)
    return sorted(found.values(), key=len)


def about_groups(circuit: Circuit, relation: Iterable[int], states: np.ndarray) -> list[Guess]:
    """Guess of facts that differ in some arguments only: one of them holds, no two of them do."""
    found: dict[Guess, None] = {}
    everywhere = _everywhere(states)
    parts = 0
    for group in _groups(circuit, list(relation)):
        if parts > MOST_PARTS:
            break
        seen, two = _ladder(states, group)
        literals = tuple(2 * latch for latch in group)
        if not two.any():
            found[Guess(literals, at_most_one=True)] = None
            parts += len(group)
        if (seen == everywhere).all():
            found[Guess(literals)] = None
            parts += len(group)
    return list(found)


def about_constants(relation: Iterable[int], states: np.ndarray) -> list[Guess]:
    """Guess that facts are as they always were."""
    everywhere, found = _everywhere(states), []
    for latch in relation:
        if not states[latch].any():
            found.append(Guess((2 * latch + 1,)))
        elif (states[latch] == everywhere).all():
            found.append(Guess((2 * latch,)))
    return found


def about_pairs(latches: Sequence[int], states: np.ndarray, most: int) -> list[Guess]:
    """Guess all clauses of two literals that held in all states, up to so many.

    Some of the states do: there are many pairs.
    """
    states = np.ascontiguousarray(states[:, :: max(1, states.shape[1] // WORDS_FOR_PAIRS)])
    found: list[Guess] = []
    everywhere = _everywhere(states)
    ever: np.ndarray = np.bitwise_or.reduce(states, axis=1) != 0
    always: np.ndarray = np.equal(states, everywhere).all(axis=1)
    varied = [latch for latch in latches if ever[latch] and not always[latch]]
    for place, a in enumerate(varied):
        rest = np.array(varied[place + 1 :], np.int64)
        if not len(rest):
            break
        those, this = states[rest], states[a]
        for negated, mine in ((0, ~this), (1, this)):  # where this half of the clause fails
            for other, theirs in ((0, ~those), (1, those)):
                held = ~np.bitwise_and(theirs, mine).any(axis=1)
                mine_as = 2 * a + negated
                found += [Guess((mine_as, 2 * b + other)) for b in rest[held].tolist()]
        if len(found) > most:
            return found[:most]
    return found


def _everywhere(states: np.ndarray) -> np.ndarray:
    return np.full(states.shape[1], ~np.uint64(0))


def _groups(circuit: Circuit, relation: list[int]) -> list[list[int]]:
    """Return groups of facts that differ in chosen arguments only."""
    found: dict[tuple[Term | tuple[int, ...], ...], list[int]] = defaultdict(list)
    for latch in relation:
        fact = circuit.latches[latch].fact
        if isinstance(fact, str):
            found[()].append(latch)
            continue
        places = range(1, len(fact))
        if len(places) > MOST_ARGUMENTS:
            chosen = [(place,) for place in places] + [tuple(places)]
        else:
            chosen = [free for size in places for free in combinations(places, size)]
        for free in chosen:
            kept = tuple(part for place, part in enumerate(fact) if place not in free)
            found[(free, *kept)].append(latch)
    different = {tuple(group) for group in found.values() if len(group) > 1}
    return [list(group) for group in sorted(different, key=lambda group: (len(group), group))]


def _ladder(states: np.ndarray, group: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return where one of some facts holds, and where two do."""
    seen = states[group[0]].copy()
    two = np.zeros_like(seen)
    for latch in group[1:]:
        two |= seen & states[latch]
        seen |= states[latch]
    return seen, two
