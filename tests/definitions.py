"""What adapted values are by definition, and whether those that a graph stores are."""

import math

from trellis._kernel.jit import plain
from trellis.game.rules import CHANCE
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.values import adapted_count, adapted_mean, count_slot, mean_slot


class Definition:
    """What the papers say the values of a graph are, from n and w of edges and n', w' of nodes.

    A column of None stands for counts.  Sums of payoffs are player 0's, or of the player of the
    column.  An edge of chance keeps no payoffs; where they are needed its child's mean serves.
    """

    def __init__(self, search):
        graph, self.params = search.graph, search.params
        self.graph = graph
        count = int(graph.counters[g.NODES])
        self.nodes = graph.nodes[:count].copy()
        self.edges = graph.edges
        self.out = [
            range(int(first), int(first) + int(edges))
            for first, edges in zip(self.nodes["first"], self.nodes["edges"], strict=True)
        ]
        self.memo = {}

    def total(self, node, column):
        if column == 0:
            return float(self.nodes[node]["sum"])
        at = node * self.params.level_stride + self.params.sums_at
        return float(self.graph.levels[at + column - 1])

    def own_total(self, node, column):
        if self.params.own_at >= 0:
            at = node * self.params.level_stride + self.params.own_at
            return float(self.graph.levels[at + column])
        return self.total(node, column) - sum(
            self.mean(e, 0, column) * self.visits(e) for e in self.out[node]
        )

    def visits(self, edge):
        return int(self.edges[edge]["visits"])

    def child(self, edge):
        return self.graph.child(edge)

    def mover(self, edge):
        return int(self.nodes[int(self.graph.links[edge]["parent"])]["player"])

    def own_playouts(self, edge, column):
        """Return n' and n'µ' of an edge."""
        child = self.child(edge)
        if self.params.own_playouts == k.PER_NODE:
            own = int(self.nodes[child]["own"])
            return own, 0.0 if column is None else self.own_total(child, column)
        if self.params.own_playouts == k.PER_EDGE:
            at = edge * self.params.extra_stride + self.params.edge_own_at
            return self.graph.extras[at], self.graph.extras[at + 1]
        return 0, 0.0

    def mean(self, edge, depth, column):
        if depth == 0:
            child, mover = self.child(edge), self.mover(edge)
            if mover == CHANCE:
                return self.total(child, column) / int(self.nodes[child]["visits"])
            mean = float(self.edges[edge]["sum"]) / self.visits(edge)
            if self.params.columns > 1:
                # An edge keeps the payoffs of who moves; the others' follow from depth 1 alone.
                assert mover == column
                return mean
            return mean if mover == 0 else 1.0 - mean
        name = ("mean", edge, depth, column)
        if name not in self.memo:
            child = self.child(edge)
            visits, total = self.own_playouts(edge, column)
            visits += sum(self.visits(f) for f in self.out[child])
            total += self.mean_sum(child, depth, column)
            self.memo[name] = total / visits if visits else self.mean(edge, 0, column)
        return self.memo[name]

    def mean_sum(self, node, depth, column):
        """Return the sum of µ_{depth-1} times n over the edges out of a node."""
        split = self.params.columns > 1 or int(self.nodes[node]["player"]) == CHANCE
        if depth == 1 and split:  # edges do not say; payoffs not the node's own came along them
            return self.total(node, column) - self.own_total(node, column)
        return sum(self.mean(f, depth - 1, column) * self.visits(f) for f in self.out[node])

    def count(self, edge, depth):
        if depth == 0:
            return self.visits(edge)
        name = ("count", edge, depth)
        if name not in self.memo:
            count = self.own_playouts(edge, None)[0] + self.count_sum(self.child(edge), depth)
            self.memo[name] = count or self.visits(edge)
        return self.memo[name]

    def count_sum(self, node, depth):
        return sum(self.count(f, depth - 1) for f in self.out[node])


def near(one, other):
    return abs(one - other) <= 1e-9 * max(1.0, abs(other))


def in_kernels(depth):
    return k.INFINITE if depth == math.inf else depth


def stored_depths(params, *depths):
    """List the depths of 2 or more whose sums the nodes keep."""
    finite = [int(d) for d in depths if d != k.INFINITE]
    infinite = [math.inf] if k.INFINITE in depths else []
    return [*range(2, max(finite, default=0) + 1), *infinite]


def assert_exact(search):
    """Compare all that is stored with the definitions."""
    graph, params, truth = search.graph, search.params, Definition(search)
    mean_of, count_of = plain(adapted_mean), plain(adapted_count)
    place_of_mean, place_of_count = plain(mean_slot), plain(count_slot)
    for node in range(len(truth.nodes)):
        for depth in stored_depths(params, params.d1):
            for column in range(params.columns):
                stored = graph.levels[place_of_mean(params, node, in_kernels(depth), column)]
                assert near(stored, truth.mean_sum(node, depth, column)), (node, depth, column)
        for depth in stored_depths(params, params.d2, params.d3):
            stored = graph.levels[place_of_count(params, node, in_kernels(depth))]
            assert near(stored, truth.count_sum(node, depth)), (node, depth)
        for edge in truth.out[node]:
            for depth in {params.d2, params.d3}:
                wanted = truth.count(edge, math.inf if depth == k.INFINITE else depth)
                assert near(count_of(graph, params, edge, depth), wanted), (edge, depth)
            if params.d1 == 0:
                continue
            for column in range(params.columns):
                wanted = truth.mean(edge, search.settings.depths[0], column)
                assert near(mean_of(graph, params, edge, params.d1, column), wanted), edge
