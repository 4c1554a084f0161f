"""Selection rules written through the door that `Search(game, select=…)` opens.

    trellis analyze connect_four --select examples/selection_rules.py:kl_ucb
    trellis match nim uct:select=examples/selection_rules.py:thompson,sims=500 uct:sims=500

`docs/doors.md` explains what a rule is told, and what the search does besides.
"""

import math

import trellis
from trellis.parts import beta, edge_count, parent_visits, root_of_log, selection, variance_of


@selection("uct1")
def uct(graph, params, node, edges, rng):
    """UCT on a graph: what each edge has seen itself, and UCB1."""
    explore = params.c * root_of_log(edges, parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        edges.scores[i] = edges.means[i] + explore * edges.roots[i]


@trellis.kernel
def adapted(graph, params, node, edges, rng):
    """UCB1 on adapted values, of whatever depths the search has."""
    explore = params.c * root_of_log(edges, parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        edges.scores[i] = edges.means[i] + explore * edges.roots[i]


@selection("uct1", squares=True)
def ucb1_tuned(graph, params, node, edges, rng):
    """UCB1-tuned (Auer, Cesa-Bianchi and Fischer, 2002): the variance bounds the exploration."""
    logarithm = math.log(parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        share = logarithm / edges.visits[i]
        spread = min(0.25, variance_of(graph, params, node, i) + math.sqrt(2.0 * share))
        edges.scores[i] = edges.means[i] + params.c * math.sqrt(share * spread)


@selection("uct1", squares=True)
def ucb_v(graph, params, node, edges, rng):
    """UCB-V (Audibert, Munos and Szepesvári, 2009): Bernstein's bound, for payoffs of 0 to 1."""
    logarithm = params.c * math.log(parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        share = logarithm / edges.visits[i]
        spread = math.sqrt(2.0 * variance_of(graph, params, node, i) * share)
        edges.scores[i] = edges.means[i] + spread + 3.0 * share


@trellis.kernel
def thompson(graph, params, node, edges, rng):
    """Thompson sampling: a draw from what each move may be worth, after so many wins and losses."""
    for i in range(edge_count(graph, node)):
        wins = edges.visits[i] * edges.means[i]
        edges.scores[i] = beta(rng, wins, edges.visits[i] - wins)


@trellis.kernel
def kl_ucb(graph, params, node, edges, rng):
    """KL-UCB (Garivier and Cappé, 2011): the greatest mean that what was seen does not rule out."""
    logarithm = params.c * math.log(parent_visits(graph, params, node))
    for i in range(edge_count(graph, node)):
        mean = min(max(edges.means[i], 1e-9), 1.0 - 1e-9)
        allowed = logarithm / edges.visits[i]
        low, high = mean, 1.0
        for _ in range(16):  # halving: to the fifth digit
            q = 0.5 * (low + high)
            distance = mean * math.log(mean / q) + (1.0 - mean) * math.log((1.0 - mean) / (1.0 - q))
            if distance <= allowed:
                low = q
            else:
                high = q
        edges.scores[i] = low
