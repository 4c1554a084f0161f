"""Step counters: facts that go from one to the next at every step, whatever is played.

A state with a counter is never met again by another path, so a search finds no transpositions.
What is found here is proven on the circuit: each fact of the chain holds exactly where the one
before it held a step ago.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from trellis.gdl.circuit.build import Circuit
from trellis.gdl.language.terms import Term, name_of

SHORTEST = 3  # facts in a chain; less is a phase of the game


@dataclass(frozen=True)
class Counter:
    """Facts in the order in which they hold, from the first state on.

    `latches` are their places among the latches of the `circuit`.
    """

    facts: tuple[Term, ...]
    latches: tuple[int, ...]
    circuit: Circuit = field(repr=False, compare=False)

    @cached_property
    def feeds(self) -> tuple[str, ...]:
        """What else looks at the facts: "legal", "terminal", "goal", "next"; rarely asked for."""
        return _feeds(self.circuit, self.latches)


def step_counters(circuit: Circuit) -> list[Counter]:
    """Find all chains of facts of one relation that nothing can hold up."""
    by_held = {latch.held: place for place, latch in enumerate(circuit.latches)}
    after: dict[int, int] = {}
    for place, latch in enumerate(circuit.latches):
        before = by_held.get(_source(circuit, latch.following, by_held))
        if before is not None and _alike(circuit.latches[before].fact, latch.fact):
            # Two facts that follow one are not a chain.
            after[before] = -1 if before in after else place
    found: list[Counter] = []
    for place, latch in enumerate(circuit.latches):
        if not latch.first:
            continue
        chain = [place]
        while (following := after.get(chain[-1], -1)) >= 0 and following not in chain:
            chain.append(following)
        facts = [circuit.latches[each] for each in chain]
        # A ring of facts is whose turn it is; a chain that another fact enters counts no steps.
        ring = after.get(chain[-1], -1) in chain
        entered = latch.following != 0 or any(each.first for each in facts[1:])
        if len(chain) >= SHORTEST and not ring and not entered:
            names = tuple(each.fact for each in facts)
            found.append(Counter(names, tuple(chain), circuit))
    return found


def _source(circuit: Circuit, following: int, held: dict[int, int]) -> int:
    """Return the one literal a fact follows from before the end of the game; else -1."""
    if following in held:
        return following
    fan = circuit.net.literals_of(following >> 1)
    if following & 1 or not fan:
        return -1
    goes_on = {circuit.terminal ^ 1}
    ended = circuit.net.literals_of(circuit.terminal >> 1)
    if ended and not circuit.terminal & 1 and len(ended) == 1:
        goes_on |= {ended[0] ^ 1}
    elif ended and circuit.terminal & 1:
        goes_on |= set(ended)  # over where one of these fails, so all hold while it goes on
    sources = [literal for literal in fan if literal in held and literal not in goes_on]
    rest = [literal for literal in fan if literal not in sources]
    return sources[0] if len(sources) == 1 and goes_on.issuperset(rest) else -1


def _alike(fact: Term, other: Term) -> bool:
    """Tell whether two facts are of one relation and differ in one argument."""
    if isinstance(fact, str) or isinstance(other, str):
        return False
    same_shape = name_of(fact) == name_of(other) and len(fact) == len(other)
    return same_shape and sum(a != b for a, b in zip(fact, other, strict=True)) == 1


def _feeds(circuit: Circuit, chain: Iterable[int]) -> tuple[str, ...]:
    """Tell what depends on latches, besides each other."""
    own = set(chain)
    nodes = {circuit.latches[place].held >> 1 for place in own}
    outputs = {
        "legal": circuit.legal,
        "terminal": [circuit.terminal],
        "goal": circuit.gained,
        "next": [each.following for i, each in enumerate(circuit.latches) if i not in own],
    }
    cones = {name: circuit.cone(literals) for name, literals in outputs.items()}
    return tuple(name for name, cone in cones.items() if any(cone[node] for node in nodes))
