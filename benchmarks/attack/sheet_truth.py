"""What is true of a small rulesheet, by definition: all states, by forward chaining.

No circuit and no search has a part in it, so both can be compared with it.  The one thing taken
from the circuit is its convention for sheets that are not valid: which of several goals counts.

>>> from trellis.gdl.sheet import Sheet
>>> sheet = Sheet('''(role a) (init (n 0)) (legal a go) (<= (next (n 1)) (does a go))
... (<= terminal (true (n 1))) (goal a 70)''')
>>> find_truth(sheet).secure, find_truth(sheet).longest
((70,), 1)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from trellis.game.errors import LimitReached
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.forward.machine import State
from trellis.gdl.language.terms import Term
from trellis.gdl.sheet import Sheet

from attack.truth import Graph, Number, Pair, Spot

MOST_STATES = 50_000
LEAST, GREATEST = 0, 100  # what goals are between

Joint = tuple[Term, ...]


@dataclass
class SheetTruth:
    """All states of a sheet, and what follows from them; players are the roles but `random`."""

    roles: list[str]  # of players
    states: list[State]  # the first one first
    places: dict[State, int]
    graph: Graph
    ways: list[tuple[int, Joint] | None]  # how each state was reached first
    goals: list[list[list[int]] | None]  # at ends: all goals of each player

    # --- values

    def values(self, state: State | None = None) -> list[Pair]:
        """Return (secure, hold) of each player in a state, in the first by default."""
        place = 0 if state is None else self.places[state]
        return [self.graph.values(player)[place] for player in range(len(self.roles))]

    @property
    def secure(self) -> tuple[Number, ...]:
        """What each player can be sure of, in pure play, whatever the others know."""
        return tuple(secure for secure, _ in self.values())

    @property
    def hold(self) -> tuple[Number, ...]:
        """What the others together can hold each player to, if that player knows their choice."""
        return tuple(hold for _, hold in self.values())

    # --- facts, each with where to see it; -1 where there is nothing to see

    @cached_property
    def choosing_together(self) -> int:
        """A state in which several players have a choice."""
        return self._first(spot.choosing > 1 for spot in self.graph.spots)

    @cached_property
    def stuck(self) -> int:
        """A state that is not over, in which a role has no move."""
        return self._first(spot.is_stuck for spot in self.graph.spots)

    @cached_property
    def odd_goals(self) -> int:
        """An end at which a player has no goal, or several."""
        return self._first(
            goals is not None and any(len(each) != 1 for each in goals) for goals in self.goals
        )

    @cached_property
    def sums(self) -> dict[Number, int]:
        """What the payoffs of an end add up to, and such an end."""
        found: dict[Number, int] = {}
        for place, spot in enumerate(self.graph.spots):
            if spot.pays is not None:
                found.setdefault(sum(spot.pays), place)
        return found

    @property
    def constant_sum(self) -> Number | None:
        """What payoffs always add up to, if they do."""
        return next(iter(self.sums)) if len(self.sums) == 1 else None

    @property
    def is_turn_taking(self) -> bool:
        """Tell whether never more than one player has a choice."""
        return self.choosing_together < 0

    @property
    def longest(self) -> int | None:
        """The steps of the longest game; None where positions come again."""
        return self.graph.longest()

    @staticmethod
    def _first(found: Iterator[bool]) -> int:
        return next((place for place, yes in enumerate(found) if yes), -1)

    def way_to(self, place: int) -> list[Joint]:
        """Return the joint moves that lead to a state."""
        moves: list[Joint] = []
        while (way := self.ways[place]) is not None:
            place, joint = way
            moves.append(joint)
        return moves[::-1]


def find_truth(sheet: Sheet, limit: int = MOST_STATES) -> SheetTruth:
    """Look at all states of a sheet."""
    machine = sheet.forward
    names = [str(role) for role in machine.roles]
    players = [number for number, name in enumerate(names) if name != RANDOM]
    chance = names.index(RANDOM) if RANDOM in names else -1
    first = machine.initial()
    states, places = [first], {first: 0}
    ways: list[tuple[int, Joint] | None] = [None]
    spots: list[Spot] = []
    goals: list[list[list[int]] | None] = []
    for place, state in enumerate(states):  # grows meanwhile
        if machine.terminal(state):
            held = machine.all_goals(state)
            goals.append([held[player] for player in players])
            pays = tuple(_goal_that_counts(sheet, names[each], held[each]) for each in players)
            spots.append(Spot(pays=pays))
            continue
        goals.append(None)
        legal = machine.legal(state)
        counts = tuple(len(legal[player]) for player in players)
        draws = len(legal[chance]) if chance >= 0 else 1
        shares = tuple(Fraction(1, draws) for _ in range(draws)) if draws > 1 else (1,)
        targets: list[int] = []
        for joint in _joint_moves(legal, players, chance):
            after = machine.next(state, joint)
            if after not in places:
                places[after] = len(states)
                states.append(after)
                ways.append((place, joint))
            targets.append(places[after])
        if len(states) > limit:
            raise LimitReached(f"{sheet.name} has more than {limit:,} states")
        spots.append(Spot(counts, shares, tuple(targets)))
    graph = Graph(spots, len(players), LEAST, GREATEST)
    return SheetTruth([names[each] for each in players], states, places, graph, ways, goals)


def _joint_moves(legal: list[list[Term]], players: Sequence[int], chance: int) -> Iterator[Joint]:
    """List all joint moves, in the order of roles; those of chance change fastest."""
    order = [*players, chance] if chance >= 0 else list(players)
    for chosen in product(*(legal[role] for role in order)):
        joint: list[Term] = [""] * len(legal)
        for role, move in zip(order, chosen, strict=True):
            joint[role] = move
        yield tuple(joint)


def _goal_that_counts(sheet: Sheet, role: str, held: list[int]) -> int:
    """Return what a role gets: 0 without a goal, of several the one that circuits pay."""
    if len(held) > 1:
        circuit = sheet.circuit
        order = [value for value, _ in circuit.goals[circuit.roles.index(role)]]
        return min(held, key=order.index)
    return held[0] if held else 0
