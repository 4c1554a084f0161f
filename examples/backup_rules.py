"""Backups written through the door that `Search(game, backup=…)` opens.

    trellis analyze connect_four --backup examples/backup_rules.py:power_mean
    trellis match nim uct:backup=examples/backup_rules.py:power_mean,sims=500 uct:sims=500

`docs/doors.md` explains what a backup is told, and what the search does besides.
"""

import math

import trellis
from trellis.parts import backup, edge_count, own_mean, own_visits, selection, uniform

POWER = 4.0  # 1 is the mean; the greater, the nearer to the best move
HEAT = 0.1  # the temperature of softmax: near 0 it is the best move, far above it the mean
CURIOSITY = 0.1  # share of moves that are drawn blindly, at first


@backup
def power_mean(graph, params, node, edges):
    """Power-UCT (Dam, Klink, D'Eramo, Peters and Pajarinen, 2019): a mean that leans upwards.

    The playout that began at the node is one more thing that it has seen.
    """
    visits = own_visits(graph, node)
    total = visits * own_mean(graph, params, node) ** POWER
    for i in range(edge_count(graph, node)):
        visits += edges.visits[i]
        total += edges.visits[i] * max(edges.means[i], 0.0) ** POWER
    return (total / visits) ** (1.0 / POWER)


@backup
def soft_max(graph, params, node, edges):
    """A softmax of what the edges lead to, as MENTS (Xiao and others, 2019) backs up.

    With the mean of the exponentials in the place of their sum, so that it stays from 0 to 1.
    """
    count = edge_count(graph, node)
    best = 0.0
    for i in range(count):
        best = max(best, edges.means[i])
    total = 0.0
    for i in range(count):
        total += math.exp((edges.means[i] - best) / HEAT)
    return max(0.0, best + HEAT * math.log(total / count))


@selection("ucd:inf,0,1")
def e2w(graph, params, node, edges, rng):
    """Draw moves as MENTS does, by the exponentials of their worth, and now and then blindly.

    What has the greatest sum of a number and Gumbel noise is drawn by the exponential of the
    number.  For `Search(game, select=e2w, backup=soft_max)`.
    """
    count = edge_count(graph, node)
    seen = 1.0
    for i in range(count):
        seen += edges.visits[i]
    blind = uniform(rng) < CURIOSITY * count / math.log(seen + 1.0)
    for i in range(count):
        worth = 0.0 if blind else edges.means[i] / HEAT
        edges.scores[i] = worth - math.log(-math.log(1.0 - uniform(rng)))


@trellis.kernel
def most_visited(graph, params, node, edges):
    """What the move is worth that was taken most often."""
    best = 0
    for i in range(edge_count(graph, node)):
        if edges.visits[i] > edges.visits[best]:
            best = i
    return edges.means[best]
