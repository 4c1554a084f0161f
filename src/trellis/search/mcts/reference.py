"""The graph search once more, in plain Python: slow, short, written down from the definitions.

It is the twin that the kernels are tested against.  Given the same settings and the same seed it
takes the same decisions, simulation by simulation, so that the two graphs can be compared node by
node.  It shares with the kernels the settings, the rules of the game and the generator of random
numbers, and nothing else: nodes and edges are objects, and adapted values are computed from the
recursive definitions of the papers each time they are asked for.  Only `refresh` keeps any, since
values that wait to be refreshed are what it is about.

What it leaves out: memory has no limit here, so the policies for a full graph have no twin.

>>> from trellis.loading import load
>>> search = ReferenceSearch(load("tic_tac_toe"), select="uct2", seed=7)
>>> search.simulate(100), search.root.visits, len(search.nodes)
(100, 100, 101)
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trellis.game.bits import below, seeded
from trellis.game.errors import BadParameter, GameOver
from trellis.game.game import Game, Position
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT, draw_outcome
from trellis.game.rules import CHANCE, NOBODY
from trellis.search.mcts import params as k
from trellis.search.mcts.make_params import make_params, usable_symmetries
from trellis.search.mcts.settings import Settings

Window = tuple[float, float]  # what both sides are sure of already on the path

ANYTHING = (-math.inf, math.inf)
SMALL_NEWS = 1e-6  # of the range of payoffs; where bounds may close for ever, by less and less


@dataclass(eq=False, repr=False)  # a graph is nothing to print
class Node:
    """A position.  `totals` are payoffs scaled to 0..1, one a player; bounds are player 0's."""

    key: int
    player: int
    low: float
    high: float
    totals: list[float]
    own_totals: list[float]  # of the playouts that began here
    visits: int = 0
    own: int = 0
    moves: int = 0  # how many there are; 0 until somebody has looked
    edges: list["Edge"] = field(default_factory=list)  # in the order tried
    edges_in: list["Edge"] = field(default_factory=list)
    kept: dict[tuple[str, float, int], float] = field(default_factory=lambda: defaultdict(float))

    @property
    def solved(self) -> bool:
        """Tell whether the position's worth is proven."""
        return self.low == self.high


@dataclass(eq=False, repr=False)  # a graph is nothing to print
class Edge:
    """A move that was tried, and which image of the position after it is the child."""

    parent: Node
    child: Any  # a Node; None where the choice is hidden and leads to many positions
    move: int
    image: int
    share: float  # probability, where chance moves
    totals: list[float]
    own_totals: list[float]  # of the playouts that began at its end, having come along it
    amaf: list[list[float]]  # for each player: visits and payoffs as if the move had come first
    visits: int = 0
    own: int = 0
    squares: float = 0.0  # of the payoffs of who moves


@dataclass
class Path:
    """The way a simulation went."""

    nodes: list[Node]
    edges: list[Edge]
    position: Position
    repeated: bool = False  # the last node is one the path has passed before


class ReferenceSearch:
    """A search of one position.  `nodes` lists all positions in the order they were met."""

    def __init__(
        self,
        start: Game | Position,
        settings: Settings | None = None,
        *,
        seed: int = 0,
        **changes: Any,
    ) -> None:
        position = start if isinstance(start, Position) else start.start()
        if position.is_over:
            raise GameOver(f"nothing to search: the game of {position.game.spec} is over")
        self.settings = (settings or Settings()).replace(**changes)
        if self.settings.when_full != "stop" or self.settings.sequential_halving:
            raise BadParameter("the reference search knows neither policies nor halving")
        self.game = position.game
        self.params = make_params(self.settings, self.game)
        self.depths = self.settings.depths
        self._bounded = self.params.bounds != k.OFF
        self.rng = seeded(seed)
        self.nodes: list[Node] = []
        self.by_words: dict[int | bytes, Node] = {}
        self.repeats = 0
        self._images = usable_symmetries(self.game) if self.settings.symmetry else [0]
        self._played: set[tuple[int, int]] = set()  # who made which move in the simulation
        self._memo: dict[tuple[str, int, float, int], float] = {}
        self._start = self._turn(position, self._canonical(position))
        self.root, _ = self._reach(self._start)

    def simulate(self, count: int = 1) -> int:
        """Run up to `count` simulations; return how many there were before a proof."""
        for done in range(count):
            if self._bounded and self.root.solved:
                return done
            self._memo.clear()
            self._played.clear()
            path = self._descend()
            self._backpropagate(path, [self._scaled(payoff) for payoff in self._finish(path)])
        return count

    def _scaled(self, payoff: float) -> float:
        return (payoff - self.params.least) * self.params.scale

    # -- positions and their nodes -----------------------------------------------------------

    def _canonical(self, position: Position) -> int:
        """Return which image of a position all its images share: the one with the least key.

        Of different ones with one key, the one whose words come first.
        """
        turned = [self._turn(position, i) for i in range(len(self._images))]
        return min(
            range(len(turned)), key=lambda i: (turned[i].key, tuple(turned[i].state.tolist()))
        )

    def _turn(self, position: Position, image: int) -> Position:
        return position.image(self._images[image]) if image else position

    def _reach(self, position: Position) -> tuple[Node, bool]:
        """Return the node of a position and whether it is new."""
        hidden = self.game.is_simultaneous
        key = position.view_key if hidden else position.key
        words = key if hidden else (position.state & self.game.identity).tobytes()
        if self.params.share and words in self.by_words:
            return self.by_words[words], False
        nothing = [0.0] * self.game.players
        low, high = self._first_bounds(position)
        node = Node(key, position.acting, low, high, [*nothing], [*nothing])
        self.by_words[words] = node
        self.nodes.append(node)
        return node, True

    def _add_edge(self, node: Node, child: Node, move: int, image: int, share: float) -> Edge:
        nothing = [0.0] * self.game.players
        amaf = [[0.0, 0.0] for _ in nothing]
        linked = None if self.params.hidden else child
        edge = Edge(node, linked, move, image, share, [*nothing], [*nothing], amaf)
        node.edges.append(edge)
        if linked:
            linked.edges_in.append(edge)
        return edge

    # -- selection and expansion -------------------------------------------------------------

    def _descend(self) -> Path:
        """Go down from the root until a new node, or one that stays a leaf."""
        node = rave_source = self.root
        path = Path([node], [], self._start)
        window = ANYTHING
        while node.player != NOBODY and len(path.edges) < self.params.longest:
            if self._bounded and node.solved:
                break
            position = path.position
            codes = position.move_codes()
            node.moves = len(codes)
            move, share = -1, 0.0
            if node.player == CHANCE:
                window = ANYTHING  # an average needs all that lies below
                move, share = self._draw_outcome(position)
                edge = next((each for each in node.edges if each.move == move), None)
            else:
                if self.params.bounds == k.DEEP:
                    window = max(window[0], node.low), min(window[1], node.high)
                if node.visits >= self.params.grave:
                    rave_source = node
                tried = {each.move for each in node.edges}
                untried = [code for code in codes if code not in tried]
                edge, score = None, -math.inf
                if not untried or self.params.fpu < math.inf:  # first play urgency
                    edge, score = self._select(node, rave_source, window)
                if untried and score < self.params.fpu - k.TIE:
                    edge, move = None, self._draw(position, untried)
                elif edge is None:
                    break  # every move is cut

            after = position.play(edge.move if edge else move)
            image = edge.image if edge else self._canonical(after)
            path.position = self._turn(after, image)
            child, fresh = edge.child if edge else None, False
            if child is None:
                child, fresh = self._reach(path.position)
            if edge is None:
                edge = self._add_edge(node, child, move, image, share)
                if self._bounded and self._rebound(node):
                    self._spread(node)
            path.repeated = self.params.cyclic and child in path.nodes
            path.nodes.append(child)
            path.edges.append(edge)
            if fresh or path.repeated:
                break
            node = child
        self.repeats += path.repeated
        return path

    def _select(self, node: Node, rave_source: Node, window: Window) -> tuple[Edge | None, float]:
        """Return the most urgent edge and its score; no edge where all are cut."""
        open_ = [edge for edge in node.edges if not self._is_cut(edge, window)]
        if not open_:
            return None, -math.inf
        visits: float = sum(self.count(edge, self.depths[1]) for edge in node.edges)
        if self.params.parent_visits:
            visits = node.visits
        logarithm = math.log(max(1.0, visits))
        scores = [self._urgency(edge, rave_source, logarithm) for edge in open_]
        greatest = max(scores)
        best = [edge for edge, u in zip(open_, scores, strict=True) if u >= greatest - k.TIE]
        return best[below(self.rng, len(best)) if len(best) > 1 else 0], greatest

    def _urgency(self, edge: Edge, rave_source: Node, logarithm: float) -> float:
        """Return an edge's adapted mean for who moves, exploration, and what the options add."""
        params, mover = self.params, edge.parent.player
        mean = self.mean(edge, self.depths[0], mover)
        count = self.count(edge, self.depths[2])
        explore = logarithm / count
        if params.ucb1_tuned:
            own_mean = edge.totals[mover] / edge.visits
            spread = edge.squares / edge.visits - own_mean**2 + math.sqrt(2 * explore)
            explore *= min(0.25, spread)
        if params.amaf_at >= 0:
            mean = self._blend(mean, count, *self._amaf(edge, rave_source))
        score = mean + params.c * math.sqrt(max(0.0, explore))
        if self._bounded:
            low, high = self._scaled(edge.child.low), self._scaled(edge.child.high)
            pessimistic, optimistic = (low, high) if mover == 0 else (-high, -low)
            score += params.gamma * pessimistic + params.delta * optimistic
        return score

    def _blend(self, mean: float, visits: float, amaf_visits: float, amaf_sum: float) -> float:
        if not amaf_visits:
            return mean
        share = math.sqrt(self.params.rave / (3 * visits + self.params.rave))
        if self.params.rave_bias > 0:
            both = self.params.rave_bias * visits * amaf_visits
            share = amaf_visits / (visits + amaf_visits + both)
        return (1 - share) * mean + share * amaf_sum / amaf_visits

    def _amaf(self, edge: Edge, rave_source: Node) -> tuple[float, float]:
        """Return visits and payoffs, for who moves, of an edge's move as if it had come first."""
        node, mover = edge.parent, edge.parent.player
        sources = [rave_source if rave_source.player == mover or self.game.players == 2 else node]
        if self.params.rave_children:
            sources = [each.child for each in node.edges]
        known = [e.amaf[mover] for s in sources for e in s.edges if e.move == edge.move]
        return sum(visits for visits, _ in known), sum(total for _, total in known)

    # -- adapted values ----------------------------------------------------------------------

    def mean(self, edge: Edge, depth: float, player: int) -> float:
        """Return µ_depth of an edge for a player.

        An edge counts below a node once a playout has come along it, not when it is made.
        """
        if depth == 0:
            return edge.totals[player] / edge.visits
        name = ("mean", id(edge), depth, player)
        if name not in self._memo:
            total = self._mean_below(edge.child, depth, player)
            visits = self._visits_below(edge.child)
            if primed := self._primed(edge):
                total, visits = total + primed.own_totals[player], visits + primed.own
            if not visits:  # nothing behind it that counts
                total, visits = edge.totals[player], edge.visits
            self._memo[name] = total / visits
        return self._memo[name]

    def count(self, edge: Edge, depth: float) -> float:
        """Return n_depth of an edge."""
        if depth == 0:
            return edge.visits
        name = ("count", id(edge), depth, 0)
        if name not in self._memo:
            count = self._count_below(edge.child, depth)
            if primed := self._primed(edge):
                count += primed.own
            self._memo[name] = count or edge.visits
        return self._memo[name]

    def _primed(self, edge: Edge) -> Node | Edge | None:
        """Return what keeps the n' and µ' of an edge."""
        keepers = {k.PER_NODE: edge.child, k.PER_EDGE: edge}
        return keepers.get(self.params.own_playouts)

    def _visits_below(self, node: Node) -> int:
        if self.params.backup == k.ALL:  # a playout counts at many edges, but at a node once
            return node.visits - node.own
        return sum(edge.visits for edge in node.edges)

    def _mean_below(self, node: Node, depth: float, player: int) -> float:
        """Return the sum of µ_{depth-1} times n over the edges out of a node."""
        if self.params.backup == k.ALL:
            return node.totals[player] - node.own_totals[player]
        if self.params.backup == k.RECOMPUTE and depth > 1:
            return node.kept["mean", depth, player]
        return sum(self.mean(e, depth - 1, player) * e.visits for e in node.edges if e.visits)

    def _count_below(self, node: Node, depth: float) -> float:
        """Return the sum of n_{depth-1} over the edges out of a node."""
        if self.params.backup == k.RECOMPUTE and depth > 1:
            return node.kept["count", depth, 0]
        if depth == 1:
            return self._visits_below(node)
        return sum(self.count(edge, depth - 1) for edge in node.edges if edge.visits)

    def _refresh(self, node: Node) -> None:
        """Compute a node's sums anew from what its children keep."""
        for depth in _kept_depths(self.depths[0]):
            for player in range(self.game.players):
                self._memo.clear()
                node.kept["mean", depth, player] = sum(
                    self.mean(edge, depth - 1, player) * edge.visits for edge in node.edges
                )
        for depth in sorted({*_kept_depths(self.depths[1]), *_kept_depths(self.depths[2])}):
            self._memo.clear()
            node.kept["count", depth, 0] = sum(self.count(e, depth - 1) for e in node.edges)

    # -- playout -----------------------------------------------------------------------------

    def _finish(self, path: Path) -> list[float]:
        """Return what everybody gets: what is proven, or what a playout comes to."""
        params, game, leaf = self.params, self.game, path.nodes[-1]
        if self._bounded and leaf.solved and not path.repeated:
            return [leaf.low, params.least + params.greatest - leaf.low][: params.players]
        if game.rules.playout is None or params.decisive or params.amaf_at >= 0:
            payoffs = self._play_out(path.position)
        else:
            out, buffer = np.zeros(params.players), np.zeros(game.max_moves, np.int32)
            state = path.position.state
            plies = game.rules.playout(game.tables, state, self.rng, buffer, out)
            payoffs = None if plies == ENDLESS else out.tolist()
        return payoffs or [(params.least + params.greatest) / 2] * params.players

    def _play_out(self, position: Position) -> list[float] | None:
        """Play to the end through the rules; return nothing where there is none."""
        for _ in range(LONGEST_PLAYOUT):
            if position.is_over:
                break
            if position.is_chance:
                move = self._draw_outcome(position)[0]
            else:
                move = self._draw(position, position.move_codes())
                self._played.add((position.acting, move))
            position = position.play(move)
        return list(position.payoffs()) if position.is_over else None

    def _draw_outcome(self, position: Position) -> tuple[int, float]:
        """Draw what chance does; return how probable that was besides."""
        shares = position.probabilities()
        drawn = draw_outcome(self.rng, np.array(shares), len(shares))
        return position.move_codes()[drawn], shares[drawn]

    def _draw(self, position: Position, codes: list[int]) -> int:
        """Draw a move; with `decisive` a winning one first, a losing one last."""
        if not self.params.decisive:
            return codes[below(self.rng, len(codes))]
        for code in codes:
            if self._wins(position, code):
                return code
        left, drawn = [*codes], []
        while left:
            i = below(self.rng, len(left))
            drawn.append(left[i])
            after = position.play(left[i])
            others = after.acting >= 0 and after.acting != position.acting
            if not (others and any(self._wins(after, reply) for reply in after.move_codes())):
                return left[i]
            left[i] = left[-1]
            left.pop()
        return drawn[0]

    def _wins(self, position: Position, code: int) -> bool:
        """Tell whether a move ends the game with the most its player can get."""
        after = position.play(code)
        return after.is_over and after.payoffs()[position.acting] == self.params.greatest

    # -- backpropagation ---------------------------------------------------------------------

    def _backpropagate(self, path: Path, values: list[float]) -> None:
        along = path.nodes[:-1] if path.repeated else path.nodes  # each node once
        nodes, edges = along, path.edges
        if self.params.backup == k.ALL:
            nodes, edges = self._above(path.nodes[-1])
        for node in nodes:
            node.visits += 1
            _add(node.totals, values)
        for edge in edges:
            edge.visits += 1
            _add(edge.totals, values)
            edge.squares += values[edge.parent.player] ** 2 if edge.parent.player >= 0 else 0.0
        if not path.repeated:
            leaf = path.nodes[-1]
            leaf.own += 1
            _add(leaf.own_totals, values)
            if path.edges:
                path.edges[-1].own += 1
                _add(path.edges[-1].own_totals, values)
        if self.params.backup == k.RECOMPUTE:
            # In a cycle an edge may lead back to a node of the path that has its turn later.
            for edge in path.edges:
                for depth in _kept_depths(self.depths[0]):
                    for player, value in enumerate(values):
                        edge.parent.kept["mean", depth, player] += value
            for node in reversed(along):
                self._refresh(node)
        if self.params.amaf_at >= 0:
            self._update_amaf(path, values)

    @staticmethod
    def _above(leaf: Node) -> tuple[list[Node], list[Edge]]:
        """List a node, all its ancestors, and all edges between them, each once."""
        nodes = [leaf]
        for node in nodes:  # the list grows while it is walked
            nodes += {e.parent: 0 for e in node.edges_in if e.parent not in nodes}
        return nodes, [edge for node in nodes for edge in node.edges_in]

    def _update_amaf(self, path: Path, values: list[float]) -> None:
        """Count the playout at every move of the path's nodes that was made from there on."""
        for along in reversed(path.edges):
            if along.parent.player == CHANCE:
                continue
            self._played.add((along.parent.player, along.move))
            for edge in along.parent.edges:
                for player, value in enumerate(values):
                    if (player, edge.move) in self._played:
                        _add(edge.amaf[player], [1.0, value])

    # -- score bounds ------------------------------------------------------------------------

    def _first_bounds(self, position: Position) -> tuple[float, float]:
        """Return what is known of a position without search."""
        least, greatest = self.params.least, self.params.greatest
        low, high = least, greatest
        if self._bounded and self.game.rules.bounds is not None:
            out = np.zeros(2 * self.game.players)
            self.game.rules.bounds(self.game.tables, position.state, out)
            low, high = max(least, float(out[0])), min(greatest, float(out[1]))
        elif self._bounded and position.is_over:
            low = high = position.payoffs()[0]
        if position.is_over and self.params.win_loss and low == high and least < low < greatest:
            return least, greatest
        return low, high

    def _bounds_below(self, node: Node) -> tuple[float, float]:
        """Return the bounds that follow from a node's children, untried moves being open."""
        least, greatest = self.params.least, self.params.greatest
        pairs = [(edge.child.low, edge.child.high) for edge in node.edges]
        shares = [edge.share for edge in node.edges]
        if len(pairs) < node.moves:
            pairs.append((least, greatest))
            shares.append(max(0.0, 1.0 - sum(shares)))
        lows, highs = zip(*pairs, strict=True)
        if node.player == CHANCE:
            low, high = (
                sum(share * bound for share, bound in zip(shares, bounds, strict=True))
                for bounds in (lows, highs)
            )
            slack = 1e-12 * (greatest - least) if low != high else 0.0  # sums are rounded
            return low - slack, high + slack
        best = max if node.player == 0 else min
        return best(lows), best(highs)

    def _rebound(self, node: Node) -> bool:
        """Draw a node's bounds from its children's; tell whether that was worth it."""
        low, high = self._bounds_below(node)
        low, high = max(low, node.low), min(high, node.high)
        news = max(low - node.low, node.high - high)
        if node.player == CHANCE and self.params.cyclic and low != high:
            news -= SMALL_NEWS * (self.params.greatest - self.params.least)
        if node.solved or news <= 0:
            return False
        node.low, node.high = low, high
        return True

    def _spread(self, node: Node) -> None:
        """Tell all parents of a node whose bounds changed, and theirs, first come, first served."""
        waiting = [node]
        while waiting:
            for edge in reversed(waiting.pop(0).edges_in):
                if self._rebound(edge.parent) and edge.parent not in waiting:
                    waiting.append(edge.parent)

    def _is_cut(self, edge: Edge, window: Window) -> bool:
        """Tell whether looking along an edge cannot change what is known above it."""
        if not self._bounded:
            return False
        node, child = edge.parent, edge.child
        cut: bool = child.solved
        if self.params.bounds != k.PLAIN and node.player == 0:
            cut |= child.high <= max(window[0], node.low)
        elif self.params.bounds != k.PLAIN:
            cut |= child.low >= min(window[1], node.high)
        return cut


def _kept_depths(depth: float) -> list[float]:
    """List the depths whose sums `refresh` keeps, least first; depth 1 needs none."""
    return [depth] if depth == math.inf else [*range(2, int(depth) + 1)]


def _add(sums: list[float], values: list[float]) -> None:
    for i, value in enumerate(values):
        sums[i] += value
