"""An and-inverter graph: the shape rules have once nothing in them varies.

A node is an input or the conjunction of literals; a literal is twice the node's number, plus one
where it is negated.  Nodes are made once: the same conjunction is the same node.  Literal 0 never
holds, literal 1 always does.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

FALSE, TRUE = 0, 1


class FlatNet(NamedTuple):
    """A net as plain numbers: how many literals each node has, INPUT for none, and all literals."""

    sizes: "np.ndarray"  # int32 [nodes]
    literals: "np.ndarray"  # int32, in the order of the nodes


INPUT = -1  # instead of a size


class Net:
    """Nodes in an order in which each stands after all it depends on.

    `fan[node]` are the literals of a conjunction, or None for an input.  Groups of inputs of which
    exactly one holds (the moves of a role) make many conjunctions simpler.
    """

    def __init__(self, kept: FlatNet | None = None) -> None:
        """Begin an empty net, or take one that was finished earlier, to be looked at only."""
        self.kept = kept
        self._known: dict[tuple[int, ...], int] = {}
        self._group: dict[int, int] = {}  # input -> its group
        self._members: list[frozenset[int]] = []  # literals of each group

    @cached_property
    def fan(self) -> list[tuple[int, ...] | None]:
        """The literals of each node; half a million tuples are made only where somebody looks."""
        if self.kept is None:
            return [()]  # node 0 is constant
        literals = iter(self.kept.literals.tolist())
        sizes = self.kept.sizes.tolist()
        return [None if size == INPUT else tuple(islice(literals, size)) for size in sizes]

    def literals_of(self, node: int) -> tuple[int, ...] | None:
        """Return the literals of one node, None for an input."""
        if self.kept is None:
            return self.fan[node]
        begin, size = self._begins[node], int(self.kept.sizes[node])
        return None if size == INPUT else tuple(self.kept.literals[begin : begin + size].tolist())

    @cached_property
    def _begins(self) -> "np.ndarray":
        """Where the literals of each node begin."""
        sizes = self.flat().sizes.clip(0)
        return sizes.cumsum() - sizes

    def flat(self) -> FlatNet:
        """Return the net as plain numbers."""
        import numpy as np

        if self.kept is not None:
            return self.kept
        sizes = (INPUT if fan is None else len(fan) for fan in self.fan)
        literals = chain.from_iterable(fan for fan in self.fan if fan)
        return FlatNet(np.fromiter(sizes, np.int32), np.fromiter(literals, np.int32))

    def add_input(self) -> int:
        """Make an input; return its literal."""
        self.fan.append(None)
        return 2 * (len(self.fan) - 1)

    def add_group(self, literals: Iterable[int]) -> None:
        """Declare that of these inputs exactly one holds."""
        members = frozenset(literals)
        for literal in members:
            self._group[literal] = len(self._members)
        self._members.append(members)

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that holds where all of these do."""
        wanted = set(literals)
        wanted.discard(TRUE)
        if FALSE in wanted or any(literal ^ 1 in wanted for literal in wanted):
            return FALSE
        if self._group:
            wanted = self._use_groups(wanted)
            if FALSE in wanted:
                return FALSE
        if len(wanted) < 2:
            return next(iter(wanted), TRUE)
        key = tuple(sorted(wanted))
        found = self._known.get(key)
        if found is None:
            self.fan.append(key)
            found = self._known[key] = 2 * (len(self.fan) - 1)
        return found

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that holds where one of these does."""
        return self.conjunction(literal ^ 1 for literal in literals) ^ 1

    def _use_groups(self, wanted: set[int]) -> set[int]:
        """Simplify by what is known of inputs that exclude each other."""
        denied: dict[int, list[int]] = {}
        for literal in wanted:
            group = self._group.get(literal & ~1)
            if group is not None and literal & 1:
                denied.setdefault(group, []).append(literal)
        chosen: dict[int, int] = {}
        for literal in wanted:
            group = self._group.get(literal)
            if group is not None and chosen.setdefault(group, literal) != literal:
                return {FALSE}  # two moves at once
        for group, literals in denied.items():
            members = self._members[group]
            if group in chosen:
                wanted = wanted.difference(literals)  # said already by the one that holds
            elif 2 * len(literals) > len(members) and len(literals) > 2:
                # None of these: one of the others.  The fewer are named, the better.
                others = members.difference(literal ^ 1 for literal in literals)
                wanted = wanted.difference(literals)
                wanted = wanted | {self.disjunction(others) if others else FALSE}
        return wanted


def needed(
    net: Net, outputs: Iterable[int], behind: Mapping[int, Sequence[int]] = MappingProxyType({})
) -> list[bool]:
    """Tell of every node whether some output depends on it; what is `behind` inputs is too."""
    found = [False] * len(net.fan)
    work = [literal >> 1 for literal in outputs]
    while work:
        node = work.pop()
        if not found[node]:
            found[node] = True
            work += [literal >> 1 for literal in net.fan[node] or behind.get(node, ())]
    return found


def rebuild(
    net: Net, outputs: Sequence[int], replaced: dict[int, int], groups: Iterable[Iterable[int]]
) -> tuple[Net, dict[int, int]]:
    """Copy what outputs need into a new net; inputs in `replaced` become constants.

    A conjunction that is part of one other and of nothing else is merged into it.  Returns the
    net and the new literal of every old positive literal kept; inputs are kept in their order.
    """
    alive = needed(net, outputs)
    uses = [0] * len(net.fan)
    for node, fan in enumerate(net.fan):
        if alive[node]:
            for literal in fan or ():
                uses[literal >> 1] += 2 if literal & 1 else 1
    for literal in outputs:
        uses[literal >> 1] += 2
    made = Net()
    where: dict[int, int] = {FALSE: FALSE}
    for node, fan in enumerate(net.fan):
        if node and fan is None:
            constant = replaced.get(2 * node)
            where[2 * node] = made.add_input() if constant is None else constant
    for group in groups:
        made.add_group(where[literal] for literal in group if where[literal] > TRUE)
    merged: dict[int, list[int]] = {}
    for node, fan in enumerate(net.fan):
        if not fan or not alive[node]:
            continue
        literals: list[int] = []
        for literal in fan:
            if literal in merged:
                literals += merged.pop(literal)
            else:
                literals.append(where[literal & ~1] ^ (literal & 1))
        if uses[node] == 1:  # once, and not negated
            merged[2 * node] = literals
        else:
            where[2 * node] = made.conjunction(literals)
    return made, where


def never_changing(net: Net, latches: Sequence[tuple[int, int, bool]]) -> dict[int, int]:
    """Return the latches that keep their first value whatever is played, and that value.

    A latch is its input, the literal of its next value, its first value.  All start as constants;
    whatever may come to differ from its first value is unknown from then on, and so on until
    nothing changes: what is still constant stays so in play.
    """
    constant: list[int | None] = [None] * len(net.fan)  # 0, 1 or unknown
    constant[0] = 0
    for held, _, first in latches:
        constant[held >> 1] = int(first)
    users: list[list[int]] = [[] for _ in net.fan]
    for node, fan in enumerate(net.fan):
        for literal in fan or ():
            users[literal >> 1].append(node)
        if fan:
            constant[node] = _value(fan, constant)
    by_next: dict[int, list[tuple[int, int, bool]]] = {}
    for latch in latches:
        by_next.setdefault(latch[1] >> 1, []).append(latch)

    def differs(latch: tuple[int, int, bool]) -> bool:
        held, following, first = latch
        now = constant[following >> 1]
        return constant[held >> 1] is not None and (now is None or now ^ (following & 1) != first)

    work = [latch[0] >> 1 for latch in latches if differs(latch)]
    for node in work:
        constant[node] = None
    while work:
        changed = work.pop()
        for latch in by_next.get(changed, ()):
            if differs(latch):
                constant[latch[0] >> 1] = None
                work.append(latch[0] >> 1)
        for node in users[changed]:
            if constant[node] is not None:
                if _value(net.fan[node] or (), constant) != constant[node]:
                    constant[node] = None
                    work.append(node)
    return {held: int(first) for held, _, first in latches if constant[held >> 1] is not None}


def _value(fan: tuple[int, ...], constant: Sequence[int | None]) -> int | None:
    """Return what a conjunction comes to where parts of it are unknown."""
    found: int | None = 1
    for literal in fan:
        value = constant[literal >> 1]
        if value is None:
            found = None
        elif value ^ (literal & 1) == 0:
            return 0
    return found
