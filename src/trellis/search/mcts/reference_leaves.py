"""Leaves that are judged, in plain Python: what waits, what is said of it, and PUCT.

The twin of `leaf_batch`, `leaf_answers` and `puct`, from the definitions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from trellis.game.game import Position
from trellis.search.mcts.params import BATCHED_PATH, Params
from trellis.search.mcts.reference_graph import Edge, Node, Path, add_to

MIDDLE = 0.5
# What everybody gets, and how likely each legal move is, by its code.
Judge = Callable[[Position], tuple[list[float], dict[int, float]]]


@dataclass
class ReferenceLeaves:
    """The leaves that wait to be judged, and who judges them."""

    judge: Judge
    batch: int
    params: Params
    sims: int = 0
    waiting: list[Path] = field(default_factory=list)

    def stops(self, node: Node, depth: int) -> bool:
        """Tell whether a descent ends at a node where somebody chooses."""
        asked = not node.edges or node.waiting or depth == BATCHED_PATH - 1
        return node.player >= 0 and asked

    def wait(self, path: Path) -> None:
        """Let a leaf wait; its path has counted a half for everybody, and now loses."""
        path.nodes[-1].waiting = True
        self.waiting.append(path)
        for edge in path.edges:
            if edge.parent.player >= 0:
                edge.totals[edge.parent.player] -= MIDDLE
                edge.virtual += 1

    @property
    def enough(self) -> bool:
        """Tell whether so many wait that somebody should be asked."""
        return len(self.waiting) >= min(self.batch, 1 + (self.sims >> 3))

    def answer(self) -> None:
        """Judge what waits: every sum becomes what it would be, had it been known at once."""
        params, waiting, self.waiting = self.params, self.waiting, []
        for path in waiting:
            payoffs, priors = self.judge(path.position)
            news = [(payoff - params.least) * params.scale - MIDDLE for payoff in payoffs]
            for node in path.nodes:
                add_to(node.totals, news)
            for edge in path.edges:
                add_to(edge.totals, news)
                mover = edge.parent.player
                if mover >= 0:
                    edge.totals[mover] += MIDDLE
                    edge.squares += (news[mover] + MIDDLE) ** 2 - MIDDLE**2
                    edge.virtual -= 1
            leaf = path.nodes[-1]
            leaf.waiting = False
            if not leaf.edges:
                total, leaf.moves = sum(priors.values()), len(priors)
                for move, prior in priors.items():
                    share = prior / total if total > 0 else 1 / len(priors)
                    leaf.edges.append(new_edge(leaf, move, share, len(payoffs)))

    def value_so_far(self, node: Node) -> list[float]:
        """Return what everybody has got at a node on average."""
        if not node.visits:
            return [MIDDLE] * len(node.totals)
        return [total / node.visits for total in node.totals]


def new_edge(parent: Node, move: int, prior: float, players: int) -> Edge:
    """Return an edge that leads nowhere yet."""
    return Edge(
        parent=parent, child=None, move=move, image=0, probability=0.0, prior=prior,
        amaf=[[0.0, 0.0] for _ in range(players)], totals=[0.0] * players,
        own_totals=[0.0] * players,
    )  # fmt: skip


def asked_means(node: Node, depth: float, fpu: float) -> list[float]:
    """Return the mean of each edge as PUCT sees it: what is not known yet counts as lost."""
    mover = node.player
    tried = sum(edge.prior for edge in node.edges if edge.visits)
    urgency = fpu
    if fpu == math.inf:
        urgency = node.totals[mover] / max(1, node.visits) - 0.1 * math.sqrt(tried)
    means = []
    for edge in node.edges:
        child = edge.child
        if depth > 0 and child is not None and child.visits:
            lost = MIDDLE * edge.virtual
            means.append(max(0.0, (child.totals[mover] - lost) / child.visits))
        else:
            means.append(edge.totals[mover] / edge.visits if edge.visits else urgency)
    return means


def puct_scores(node: Node, depth: float, fpu: float, c: float) -> list[float]:
    """Return the PUCT score of each edge of a node."""
    explore = c * math.sqrt(max(1, sum(edge.visits for edge in node.edges)))
    means = asked_means(node, depth, fpu)
    return [
        mean + explore * edge.prior / (1 + edge.visits)
        for mean, edge in zip(means, node.edges, strict=True)
    ]
