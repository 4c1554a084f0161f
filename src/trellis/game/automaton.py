"""The explicit automaton of a small game: every position a state, every move an edge.

Two games are *bisimilar* when no observer who sees whose turn it is, the names of moves, their
probabilities and the final payoffs could tell them apart.  A game and its unfolding always are;
the smallest automaton that is bisimilar to a game merges all states nobody could tell apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from trellis._kernel.progress import Progress
from trellis.game.enumerate import Enumeration
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position, position_of
from trellis.game.rules import CHANCE, NOBODY

DEFAULT_LIMIT = 100_000  # states
LARGEST_DRAWING = 500  # states; a drawing of more shows nothing and takes minutes


class Edge(NamedTuple):
    """A move: from which state, to which, called what, and how probable where chance acts."""

    source: int
    target: int
    move: str
    probability: float | None = None


@dataclass(frozen=True)
class Automaton:
    """States 0, 1, 2, … of which 0 is the start, and the edges between them."""

    name: str
    acting: tuple[int, ...]  # for each state: a player, CHANCE or NOBODY
    payoffs: tuple[tuple[float, ...] | None, ...]  # for each state: None before the end
    labels: tuple[str, ...]  # for each state: its board
    edges: tuple[Edge, ...]
    players: tuple[str, ...]

    @property
    def states(self) -> int:
        """Return the number of states."""
        return len(self.acting)

    def minimised(self) -> "Automaton":
        """Return the smallest automaton that cannot be told apart from this one."""
        blocks = _refine(self)
        members: dict[int, int] = {}  # block -> the first state in it
        for state, block in enumerate(blocks):
            members.setdefault(block, state)
        number = {block: i for i, block in enumerate(members)}
        firsts = list(members.values())
        edges = {
            edge._replace(source=number[blocks[edge.source]], target=number[blocks[edge.target]])
            for edge in self.edges
            if edge.source == members[blocks[edge.source]]
        }
        return Automaton(
            self.name,
            tuple(self.acting[state] for state in firsts),
            tuple(self.payoffs[state] for state in firsts),
            tuple(self.labels[state] for state in firsts),
            tuple(sorted(edges)),
            self.players,
        )

    def dot(self) -> str:
        """Return the automaton in the DOT language of Graphviz."""
        return str(self._graph().to_string())

    def svg(self) -> str:
        """Return a drawing of the automaton as SVG."""
        drawing: bytes = self._graph().draw(format="svg", prog="dot")
        return drawing.decode("utf-8")

    def save(self, path: str | Path) -> None:
        """Write a drawing: `.svg`, or `.dot` for Graphviz."""
        path = Path(path)
        if path.suffix not in {".svg", ".dot"}:
            raise BadParameter(f"bad drawing {str(path)!r}: expected a name ending in .svg or .dot")
        text = self.svg() if path.suffix == ".svg" else self.dot()
        path.write_text(text, encoding="utf-8")

    def _graph(self) -> Any:
        import pygraphviz

        if self.states > LARGEST_DRAWING:
            raise LimitReached(
                f"{self.name} has {self.states:,} states: too many to draw "
                f"(at most {LARGEST_DRAWING}); try a smaller game"
            )
        graph = pygraphviz.AGraph(directed=True, strict=False, name="automaton")
        graph.graph_attr.update(rankdir="TB", bgcolor="white")
        graph.node_attr.update(fontname="monospace", fontsize="10", style="filled")
        graph.edge_attr.update(fontname="sans-serif", fontsize="9", color="#555555")
        arrivals = [0] * self.states
        for edge in self.edges:
            arrivals[edge.target] += 1
        for state in range(self.states):
            payoffs = self.payoffs[state]
            label = self.labels[state]
            if payoffs is not None:
                label += "\n" + " ".join(f"{payoff:g}" for payoff in payoffs)
            graph.add_node(
                state,
                label=label,
                shape="box" if payoffs is not None else "ellipse",
                fillcolor=_colour(self.acting[state]),
                # Where paths meet again the outline is thick: the reason for all of this.
                penwidth="3" if arrivals[state] > 1 else "1",
            )
        for edge in self.edges:
            label = edge.move if edge.probability is None else f"{edge.move} {edge.probability:.3g}"
            graph.add_edge(edge.source, edge.target, label=label)
        return graph


_COLOURS = ("#bcd8f5", "#f9d9a8", "#c8e6c0", "#e6c8e6")


def _colour(acting: int) -> str:
    if acting == NOBODY:
        return "#eeeeee"
    return "#ffffff" if acting == CHANCE else _COLOURS[acting % len(_COLOURS)]


def automaton(
    game: Game | Position | str | Automaton,
    limit: int = DEFAULT_LIMIT,
    progress: Progress | None = None,
) -> Automaton:
    """Build the explicit automaton of everything reachable, breadth-first.

    >>> from trellis.loading import load
    >>> nim = automaton(load("nim:pile_sizes=5,max_take=3,is_misere=false"))
    >>> nim.states, len(nim.edges)
    (10, 18)
    """
    if isinstance(game, Automaton):
        return game
    start = position_of(game)
    found = Enumeration(start, None, limit, advice="too many for an explicit automaton")
    graph = found.run(progress)
    positions = [found.position(number) for number in range(found.positions)]
    edges = []
    for source, position in enumerate(positions):
        targets = graph.targets[graph.first[source] : graph.first[source + 1]].tolist()
        moves = position.moves_and_probabilities()
        for target, (move, probability) in zip(targets, moves, strict=True):
            edges.append(Edge(source, target, position.name(move), probability))
    return Automaton(
        start.game.spec,
        tuple(graph.actors[: found.positions].tolist()),
        tuple(position.payoffs() if position.is_over else None for position in positions),
        tuple(map(str, positions)),
        tuple(edges),
        tuple(start.game.player_name(player) for player in range(start.game.players)),
    )


def bisimilar(first: Game | Position | Automaton, second: Game | Position | Automaton) -> bool:
    """Tell whether two games cannot be told apart by playing them."""
    a, b = automaton(first), automaton(second)
    both = Automaton(
        "both",
        a.acting + b.acting,
        a.payoffs + b.payoffs,
        a.labels + b.labels,
        a.edges + tuple(e._replace(source=e.source + a.states, target=e.target + a.states)
                        for e in b.edges),
        a.players,
    )  # fmt: skip
    blocks = _refine(both)
    return blocks[0] == blocks[a.states]


def _refine(machine: Automaton) -> list[int]:
    """Split states into blocks until the states of a block agree in everything observable.

    At first a block is: who acts, and the payoffs.  Then, round by round, states part whose moves
    of the same name lead to different blocks; when a round splits nothing, blocks are final.
    """
    outgoing: list[list[Edge]] = [[] for _ in range(machine.states)]
    for edge in machine.edges:
        outgoing[edge.source].append(edge)
    blocks = _numbered(zip(machine.acting, machine.payoffs, strict=True))
    while True:
        finer = _numbered(
            (
                blocks[state],
                frozenset(
                    (edge.move, None if edge.probability is None else round(edge.probability, 12),
                     blocks[edge.target])
                    for edge in outgoing[state]
                ),
            )
            for state in range(machine.states)
        )  # fmt: skip
        if len(set(finer)) == len(set(blocks)):
            return blocks
        blocks = finer


def _numbered(items: Iterable[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(item, len(numbers)) for item in items]
