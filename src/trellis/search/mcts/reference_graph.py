"""The graph of the plain-Python search: nodes and edges are objects that hold each other."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trellis.game.game import Position


def add_to(sums: list[float], values: list[float]) -> None:
    """Add values to sums, one by one."""
    for i, value in enumerate(values):
        sums[i] += value


@dataclass(eq=False, repr=False, kw_only=True)  # a graph is nothing to print
class Seen:
    """What has seen playouts.  Totals are payoffs scaled to 0..1, one a player."""

    totals: list[float]
    own_totals: list[float]  # of the playouts that began here
    visits: int = 0
    own: int = 0

    def count(self, values: list[float]) -> None:
        """Count a playout that came through here."""
        self.visits += 1
        add_to(self.totals, values)

    def count_own(self, values: list[float]) -> None:
        """Count a playout that began here: at a node, or at the end of an edge it came along."""
        self.own += 1
        add_to(self.own_totals, values)


@dataclass(eq=False, repr=False, kw_only=True)
class Node(Seen):
    """A position.  Bounds are player 0's."""

    key: int
    player: int
    low: float
    high: float
    moves: int = 0  # how many there are; 0 until somebody has looked
    waiting: bool = False  # to be judged
    edges: list["Edge"] = field(default_factory=list)  # in the order tried
    edges_in: list["Edge"] = field(default_factory=list)
    kept: dict[tuple[str, float, int], float] = field(default_factory=lambda: defaultdict(float))

    @property
    def solved(self) -> bool:
        """Tell whether the position's worth is proven."""
        return self.low == self.high


@dataclass(eq=False, repr=False, kw_only=True)
class Edge(Seen):
    """A move that was tried, and which image of the position after it is the child."""

    parent: Node
    child: Any  # a Node; None where the choice is hidden and leads to many positions
    move: int
    image: int
    probability: float  # where chance moves
    amaf: list[list[float]]  # for each player: visits and payoffs as if the move had come first
    squares: float = 0.0  # of the payoffs of who moves
    prior: float = 0.0  # how likely the move is said to be
    virtual: int = 0  # playouts along it that are not known yet


@dataclass
class Path:
    """The way a simulation went."""

    nodes: list[Node]
    edges: list[Edge]
    position: Position
    repeated: bool = False  # the last node is one the path has passed before


@dataclass(frozen=True)
class ReferenceRule:
    """A selection rule in plain Python: the scores of a node's edges, in the order tried."""

    scores: Callable[[Any, Node], list[float]]  # of the search and the node
    squares: bool = False  # stands for what `Selection` says of it


# A backup of somebody's own in plain Python: what a node is worth to who moves there, 0 to 1.
ReferenceBackup = Callable[[Any, Node], float]


def order_source_of(path: Path) -> Node | None:
    """Return the nearest node above the last one where the same player moves."""
    *above, node = path.nodes
    return next((each for each in reversed(above) if each.player == node.player), None)


def most_promising(codes: list[int], order_source: Node) -> list[int]:
    """Keep the moves that another node thinks best of; those it does not know come last."""
    known = {edge.move: edge.amaf[order_source.player] for edge in order_source.edges}
    means = {code: total / visits for code, (visits, total) in known.items() if visits}
    best = max(means.get(code, -1.0) for code in codes)
    return [code for code in codes if means.get(code, -1.0) == best]


def ancestors(leaf: Node) -> tuple[list[Node], list[Edge]]:
    """List a node, all its ancestors, and all edges between them, each once."""
    nodes = [leaf]
    for node in nodes:  # the list grows while it is walked
        nodes += {e.parent: 0 for e in node.edges_in if e.parent not in nodes}
    return nodes, [edge for node in nodes for edge in node.edges_in]
