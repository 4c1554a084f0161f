"""The graph search once more, in plain Python: slow, short, written down from the definitions.

It is the twin that the kernels are tested against.  Given the same settings and the same seed it
takes the same decisions, simulation by simulation, so that the two graphs can be compared node by
node.  It shares with the kernels the settings, the rules of the game and the generator of random
numbers, and nothing else: nodes and edges are objects, and adapted values are computed from the
recursive definitions of the papers each time they are asked for.  Only the backup `recompute` keeps
any, since values that are out of date for a while are what it is about.

Memory has no limit here, so what is done when it is full has no twin.

>>> from trellis.loading import load
>>> search = ReferenceSearch(load("tic_tac_toe"), select="uct2", seed=7)
>>> search.simulate(100), search.root.visits, len(search.nodes)
(100, 100, 101)
"""

import math
from operator import mul
from typing import Any

import numpy as np

from trellis.game.bits import below, seeded
from trellis.game.errors import BadParameter
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game, Position, position_of
from trellis.game.rules import CHANCE, NOBODY
from trellis.search.budget import refuse_over
from trellis.search.mcts import params as k
from trellis.search.mcts.make_params import backup_of, make_params, usable_symmetries
from trellis.search.mcts.reference_graph import (
    Edge,
    Node,
    Path,
    ReferenceBackup,
    ReferenceRule,
    add_to,
    most_promising,
    order_source_of,
)
from trellis.search.mcts.reference_graph import ancestors as ancestors_of
from trellis.search.mcts.reference_leaves import Judge, ReferenceLeaves
from trellis.search.mcts.reference_playouts import ReferencePlayouts
from trellis.search.mcts.settings import Settings

Window = tuple[float, float]  # what both sides are sure of already on the path

ANYTHING = (-math.inf, math.inf)
SMALL_NEWS = 1e-6  # of the range of payoffs; where bounds may close for ever, by less and less


class ReferenceSearch(ReferencePlayouts):
    """A search of one position.  `nodes` lists all positions in the order they were met."""

    def __init__(
        self,
        start: Game | Position | str,
        *,
        seed: int = 0,
        rule: ReferenceRule | None = None,
        worth: ReferenceBackup | None = None,
        judge: Judge | None = None,
        evaluation: Evaluation | None = None,
        **settings: Any,
    ) -> None:
        position = position_of(start)
        refuse_over(position)
        self.settings = Settings().replace(**settings)
        if self.settings.when_full != "stop" or self.settings.sequential_halving:
            raise BadParameter(
                "the reference search has no limit of memory and no sequential halving: "
                "expected when_full=stop and sequential_halving=false"
            )
        self.game = position.game
        self.rule, self.evaluation = rule, evaluation
        leaves = k.ASKED if judge else k.JUDGED if evaluation else k.PLAYED
        self.params = make_params(self.settings, self.game, rule, leaves)
        self.leaves = judge and ReferenceLeaves(judge, self.settings.batch, self.params)
        self.depths, self.worth = self.settings.depths, worth
        self.backup = backup_of(self.settings, self.game)
        self._bounded = self.params.bounds != k.OFF
        self.rng = seeded(seed)
        self.nodes: list[Node] = []
        self.by_words: dict[int | bytes, Node] = {}
        self.repeats = 0
        self._images = usable_symmetries(self.game) if self.settings.symmetry else [0]
        self._played = set()
        self._memo: dict[tuple[str, int, float, int], float] = {}
        self._start = self._turn(position, self._canonical(position))
        self.root, _ = self._reach(self._start)

    def simulate(self, count: int = 1) -> int:
        """Run up to `count` simulations; return how many there were before a proof."""
        if self.leaves:
            return self._simulate_asking(self.leaves, count)
        for done in range(count):
            if self._bounded and self.root.solved:
                return done
            self._memo.clear()
            self._played.clear()
            path = self._descend()
            self._backpropagate(path, [self._scaled(payoff) for payoff in self._finish(path)])
        return count

    def _simulate_asking(self, leaves: ReferenceLeaves, count: int) -> int:
        """Do the same where leaves wait to be judged."""
        done = 0
        while done < count and not (self._bounded and self.root.solved):
            self._memo.clear()
            path = self._descend()
            leaf = path.nodes[-1]
            if leaf.waiting:  # the same leaf again: first hear what it is worth
                leaves.answer()
                continue
            done, leaves.sims = done + 1, leaves.sims + 1
            known = leaf.player == NOBODY or (self._bounded and leaf.solved and not path.repeated)
            if known:
                self._backpropagate(path, [self._scaled(each) for each in self._finish(path)])
            elif path.repeated:
                self._backpropagate(path, leaves.value_so_far(leaf))
            else:
                self._backpropagate(path, [0.5] * self.game.players)
                leaves.wait(path)
                if leaves.enough:
                    leaves.answer()
        leaves.answer()
        return done

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
        if self.params.transpositions and words in self.by_words:
            return self.by_words[words], False
        low, high = self._first_bounds(position)
        node = Node(key=key, player=position.acting, low=low, high=high, **self._nothing())
        self.by_words[words] = node
        self.nodes.append(node)
        return node, True

    def _add_edge(self, node: Node, child: Node, move: int, image: int, probability: float) -> Edge:
        amaf = [[0.0, 0.0] for _ in range(self.game.players)]
        edge = Edge(
            parent=node, child=None if self.params.hidden else child, move=move, image=image,
            probability=probability, amaf=amaf, **self._nothing(),
        )  # fmt: skip
        node.edges.append(edge)
        if edge.child:
            edge.child.edges_in.append(edge)
        return edge

    def _nothing(self) -> dict[str, Any]:
        return {name: [0.0] * self.game.players for name in ("totals", "own_totals")}

    # -- selection and expansion -------------------------------------------------------------

    def _descend(self) -> Path:
        """Go down from the root until a new node, or one that stays a leaf."""
        node = rave_source = self.root
        path = Path([node], [], self._start)
        window = ANYTHING
        while node.player != NOBODY and len(path.edges) < self.params.longest:
            if self._bounded and node.solved:
                break
            if self.leaves and self.leaves.stops(node, len(path.edges)):
                break
            position = path.position
            if position.is_over:
                break  # by what the key leaves out
            codes = position.move_codes()
            node.moves = self._count_moves(position)
            move, probability = -1, 0.0
            if node.player == CHANCE:
                window = ANYTHING  # an average needs all that lies below
                move, probability = self._draw_outcome(position)
                edge = next((each for each in node.edges if each.move == move), None)
            else:
                if self.params.bounds == k.DEEP:
                    window = max(window[0], node.low), min(window[1], node.high)
                if node.visits >= self.params.grave:
                    rave_source = node
                tried = {each.move for each in node.edges}
                untried = [code for code in codes if code not in tried]
                edge, score = None, -math.inf
                order_source = order_source_of(path) if self.params.rave_order else None
                fpu = math.inf if self.params.rave_order and not order_source else self.params.fpu
                if not untried or fpu < math.inf:  # first play urgency
                    edge, score = self._select(node, rave_source, window, codes)
                if untried and score < fpu - k.TIE:
                    edge = None
                    if order_source:
                        untried = most_promising(untried, order_source)
                    move = (
                        untried[0]
                        if order_source and len(untried) == 1
                        else self._draw(position, untried)
                    )
                elif edge is None:
                    break  # every move is cut

            after = position.play(edge.move if edge else move)
            leads = edge is not None and (edge.child is not None or self.params.hidden)
            image = edge.image if edge and leads else self._canonical(after)
            path.position = self._turn(after, image)
            child, fresh = edge.child if edge else None, False
            if child is None:
                child, fresh = self._reach(path.position)
            if edge is None:
                edge = self._add_edge(node, child, move, image, probability)
                leads = False
            elif not leads:  # an edge that was there from the start
                edge.child, edge.image = child, image
                child.edges_in.append(edge)
            if not leads and self._bounded and self._update_bounds(node):
                self._spread(node)
            path.repeated = self.params.cyclic and child in path.nodes
            path.nodes.append(child)
            path.edges.append(edge)
            goes_on = (
                self.params.leaves != k.PLAYED and child.player == CHANCE
            )  # chance is not asked about: it moves
            if (fresh and not goes_on) or path.repeated:
                break
            node = child
        self.repeats += path.repeated
        return path

    def _select(
        self, node: Node, rave_source: Node, window: Window, codes: list[int]
    ) -> tuple[Edge | None, float]:
        """Return the best-scoring edge and its score; no edge where all are cut."""
        open_ = [edge for edge in node.edges if not self._is_cut(edge, window)]
        if not open_:
            return None, -math.inf
        visits: float = sum(self.count(edge, self.depths[1]) for edge in node.edges)
        if self.params.parent_visits:
            visits = node.visits
        logarithm = math.log(max(1.0, visits))
        if self.rule:
            given = zip(node.edges, self.rule.scores(self, node), strict=True)
            scores = {edge: score for edge, score in given if edge in open_}
        else:
            scores = {edge: self._score(edge, rave_source, logarithm) for edge in open_}
        while scores:
            greatest = max(scores.values())
            best = [edge for edge, score in scores.items() if score >= greatest - k.TIE]
            chosen = best[below(self.rng, len(best)) if len(best) > 1 else 0]
            if chosen.move in codes or self.params.symmetries > 1:
                return chosen, greatest
            del scores[chosen]  # what the past forbids: another path has tried it
        return None, -math.inf

    def _count_moves(self, position: Position) -> int:
        """Count the moves that a node may have, whichever path leads there."""
        candidates = self.game.rules.candidates
        if not self.params.forgets or candidates is None:
            return len(position.move_codes())
        buffer = np.zeros(self.game.max_moves, np.int32)
        return candidates(self.game.tables, position.state, buffer)

    def _score(self, edge: Edge, rave_source: Node, logarithm: float) -> float:
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
        weight = math.sqrt(self.params.rave / (3 * visits + self.params.rave))
        if self.params.rave_bias > 0:
            both = self.params.rave_bias * visits * amaf_visits
            weight = amaf_visits / (visits + amaf_visits + both)
        return (1 - weight) * mean + weight * amaf_sum / amaf_visits

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
        if self.params.everywhere:  # a playout counts at many edges, but at a node once
            return node.visits - node.own
        return sum(edge.visits for edge in node.edges)

    def _mean_below(self, node: Node, depth: float, player: int) -> float:
        """Return the sum of µ_{depth-1} times n over the edges out of a node."""
        if self.params.everywhere:
            return node.totals[player] - node.own_totals[player]
        if self.backup.anew and depth > 1:
            return node.kept["mean", depth, player]
        return sum(self.mean(e, depth - 1, player) * e.visits for e in node.edges if e.visits)

    def _count_below(self, node: Node, depth: float) -> float:
        """Return the sum of n_{depth-1} over the edges out of a node."""
        if self.backup.anew and depth > 1:
            return node.kept["count", depth, 0]
        if depth == 1:
            return self._visits_below(node)
        return sum(self.count(edge, depth - 1) for edge in node.edges if edge.visits)

    def _recompute(self, node: Node) -> None:
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
        if self.worth and node.player >= 0 and node.edges:
            self._memo.clear()
            value = self.worth(self, node)  # to who moves
            for player in range(self.game.players):
                mean = value if player == node.player else 1.0 - value
                total = mean * node.visits - node.own_totals[player]
                node.kept["mean", math.inf, player] = total

    # -- backpropagation ---------------------------------------------------------------------

    def _backpropagate(self, path: Path, values: list[float]) -> None:
        along = path.nodes[:-1] if path.repeated else path.nodes  # each node once
        nodes, edges = along, path.edges
        if self.params.everywhere:
            nodes, edges = ancestors_of(path.nodes[-1])
        for seen in (*nodes, *edges):
            seen.count(values)
        for edge in edges:
            edge.squares += values[edge.parent.player] ** 2 if edge.parent.player >= 0 else 0.0
        if not path.repeated:
            for last in (path.nodes[-1], *path.edges[-1:]):
                last.count_own(values)
        if self.backup.anew:
            # In a cycle an edge may lead back to a node of the path that has its turn later.
            for edge in path.edges:
                for depth in _kept_depths(self.depths[0]):
                    for player, value in enumerate(values):
                        edge.parent.kept["mean", depth, player] += value
            for node in reversed(along):
                self._recompute(node)
        if self.params.amaf_at >= 0:
            self._update_amaf(path, values)

    def _update_amaf(self, path: Path, values: list[float]) -> None:
        """Count the playout at every move of the path's nodes that was made from there on."""
        for along in reversed(path.edges):
            if along.parent.player == CHANCE:
                continue
            self._played.add((along.parent.player, along.move))
            for edge in along.parent.edges:
                for player, value in enumerate(values):
                    if (player, edge.move) in self._played:
                        add_to(edge.amaf[player], [1.0, value])

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
        lows = [e.child.low if e.child else least for e in node.edges]
        highs = [e.child.high if e.child else greatest for e in node.edges]
        probabilities = [edge.probability for edge in node.edges]
        if len(probabilities) < node.moves:
            lows, highs = [*lows, least], [*highs, greatest]
            probabilities.append(max(0.0, 1.0 - sum(probabilities)))
        if node.player == CHANCE:
            low, high = (sum(map(mul, probabilities, bounds)) for bounds in (lows, highs))
            slack = 1e-12 * (greatest - least) if low != high else 0.0  # sums are rounded
            return low - slack, high + slack
        best = max if node.player == 0 else min
        return best(lows), best(highs)

    def _update_bounds(self, node: Node) -> bool:
        """Draw bounds from the children's; tell whether that was worth it."""
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
                if self._update_bounds(edge.parent) and edge.parent not in waiting:
                    waiting.append(edge.parent)

    def _is_cut(self, edge: Edge, window: Window) -> bool:
        """Tell whether looking along an edge cannot change what is known above it."""
        if not self._bounded or edge.child is None:
            return False
        node, child = edge.parent, edge.child
        cut: bool = child.solved
        if self.params.bounds != k.PLAIN and node.player == 0:
            cut |= child.high <= max(window[0], node.low)
        elif self.params.bounds != k.PLAIN:
            cut |= child.low >= min(window[1], node.high)
        return cut


def _kept_depths(depth: float) -> list[float]:
    """List the depths whose sums `recompute` keeps, least first; depth 1 needs none."""
    return [depth] if depth == math.inf else [*range(2, int(depth) + 1)]
