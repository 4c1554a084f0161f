"""A search in plain Python over facts: what plays while nothing faster is ready.

UCT for any number of roles that choose at once: at every state each role keeps its own counts and
chooses by them alone (decoupled UCT).  It needs no compiled code, so it is there at once; a few
hundred games a second are all it gets.
"""

import math
import random
from dataclasses import dataclass, field
from time import perf_counter

from trellis._kernel.deadline import stop_asked
from trellis.gdl.language.terms import Term
from trellis.protocols.ggp.following import Following, Tell

_C = 0.7  # of payoffs from 0 to 1
_BEST_GOAL = 100.0
_LONGEST = 400  # steps of a random game
_MOST_NODES = 50_000
_TELL_EVERY = 0.2  # seconds
_LEAST_SHARE = 0.1

Facts = frozenset[Term]


@dataclass
class _Node:
    legal: list[list[Term]]  # of each role
    visits: int = 0
    counts: list[list[int]] = field(default_factory=list)
    sums: list[list[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [[0] * len(moves) for moves in self.legal]
        self.sums = [[0.0] * len(moves) for moves in self.legal]

    def mean(self, role: int, move: int) -> float:
        """Return what a move has brought its role on average; -1 where it was not tried."""
        count = self.counts[role][move]
        return self.sums[role][move] / count if count else -1.0

    def best(self, role: int) -> int:
        """Return the move that was tried most; of several, the one that has brought most."""
        counts = self.counts[role]
        return max(range(len(counts)), key=lambda move: (counts[move], self.mean(role, move)))


class LightSearch:
    """Searches from where a match stands; what it knows of later states is kept."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._nodes: dict[Facts, _Node] = {}
        self._until = 0.0

    @property
    def knows_everything(self) -> bool:
        """Tell whether more thinking could find out nothing more; that is never known here."""
        return False

    def ponder(self, following: Following, seconds: float | None) -> None:
        """Think without an answer."""
        self._search(following, 1e6 if seconds is None else seconds, lambda *_: None)

    def choose(self, following: Following, seconds: float, tell: Tell) -> str:
        """Choose a move within some seconds."""
        self._search(following, seconds, tell)
        node = self._nodes.get(following.facts)
        moves = following.legal
        if node is None or not any(node.counts[following.role]):
            return following.write(self._dice.choice(moves))
        counts, index = node.counts[following.role], node.best(following.role)
        if sum(len(legal) > 1 for legal in node.legal) > 1:  # others choose as well: be no book
            weights = [n if n >= _LEAST_SHARE * max(counts) else 0 for n in counts]
            index = self._dice.choices(range(len(counts)), weights)[0]
        move = following.write(moves[index])
        tell(move, node.mean(following.role, index), node.visits)
        return move

    def _search(self, following: Following, seconds: float, tell: Tell) -> None:
        self._until = perf_counter() + seconds
        if len(self._nodes) > _MOST_NODES:
            self._nodes.clear()
        told = perf_counter()
        while not self._is_up():
            self._simulate(following)
            if perf_counter() - told > _TELL_EVERY:
                told = perf_counter()
                node = self._nodes[following.facts]
                best = node.best(following.role)
                worth = node.mean(following.role, best)
                tell(following.write(following.legal[best]), worth, node.visits)

    def _is_up(self) -> bool:
        return perf_counter() >= self._until or stop_asked()

    def _simulate(self, following: Following) -> None:
        """Play one game; where the time is up in the midst of it, it counts for nothing."""
        machine, facts = following.machine, following.facts
        path: list[tuple[_Node, list[int]]] = []
        while not self._is_up() and not machine.terminal(facts):
            node = self._nodes.get(facts)
            is_new = node is None
            if node is None:
                node = self._nodes[facts] = _Node(machine.legal(facts))
            if not all(node.legal):
                return
            chosen = [
                self._select(node, role, following.roles[role] == "random")
                for role in range(len(node.legal))
            ]
            path.append((node, chosen))
            joint = [moves[i] for moves, i in zip(node.legal, chosen, strict=True)]
            facts = machine.next(facts, joint)
            if is_new:
                break
        goals = self._play_out(following, facts)
        if goals is None:
            return
        for node, chosen in path:
            node.visits += 1
            for role, index in enumerate(chosen):
                node.counts[role][index] += 1
                node.sums[role][index] += goals[role]

    def _select(self, node: _Node, role: int, by_chance: bool) -> int:
        counts, sums = node.counts[role], node.sums[role]
        if len(counts) == 1:
            return 0
        untried = [i for i, count in enumerate(counts) if count == 0]
        if by_chance or untried:
            return (
                self._dice.choice(untried)
                if untried and not by_chance
                else (self._dice.randrange(len(counts)))
            )
        log = math.log(node.visits + 1)
        scores = [
            total / count / _BEST_GOAL + _C * math.sqrt(log / count)
            for count, total in zip(counts, sums, strict=True)
        ]
        return scores.index(max(scores))

    def _play_out(self, following: Following, facts: Facts) -> list[float] | None:
        machine = following.machine
        for _ in range(_LONGEST):
            if self._is_up():
                return None
            if machine.terminal(facts):
                break
            legal = machine.legal(facts)
            if not all(legal):
                break
            facts = machine.next(facts, [self._dice.choice(moves) for moves in legal])
        return [float(goal or 0) for goal in machine.goals(facts)]
