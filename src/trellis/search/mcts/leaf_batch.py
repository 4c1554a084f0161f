"""Batches of leaves under virtual loss, where a game plays many positions at once.

Until a playout is known its path counts a visit that gave nothing to those who moved (a virtual
loss), so that the next descents look elsewhere.  When all are known they take the place of what
stood in for them: afterwards every sum is what it would be had each playout been counted at once.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.halting import HALTED
from trellis.game.playouts import ENDLESS
from trellis.game.rules import Random, Tables
from trellis.search.mcts.graph import ENDLESS_PLAYOUTS, NONE, Graph
from trellis.search.mcts.params import BATCHED_PATH, Batch, Params, Path, Scratch

MIDDLE = 0.5  # what a playout that is not known yet counts as, at nodes


@kernel(lean=True)
def let_wait(
    graph: Graph, params: Params, path: Path, scratch: Scratch, batch: Batch, length: int
) -> None:
    """Put the leaf of a path among those that wait; the path's values stand in for its playout."""
    number = batch.lengths[params.batch]
    at = number * BATCHED_PATH
    for i in range(length):
        node = path.nodes[i]
        batch.nodes[at + i] = node
        # A node's edges may move to a larger block meanwhile; their order stays.
        batch.edges[at + i] = path.edges[i] - graph.nodes[node]["first"]
    batch.nodes[at + length] = path.nodes[length]
    batch.lengths[number] = length
    batch.lengths[params.batch] = number + 1
    words = len(scratch.state)
    for word in range(words):
        batch.states[number * words + word] = scratch.state[word]
    for player in range(params.players):
        path.values[player] = MIDDLE


@kernel(lean=True)
def add_virtual_loss(graph: Graph, params: Params, path: Path, length: int) -> None:
    """Let every edge of a path look as if its playout had been lost."""
    for i in range(length):
        if graph.nodes[path.nodes[i]]["player"] >= 0:
            edge = np.int64(path.edges[i])
            graph.edges[edge]["sum"] -= MIDDLE
            if params.virtual_at != NONE:
                graph.extras[edge * params.extra_stride + params.virtual_at] += 1.0


@kernel(lean=True)
def count_result(graph: Graph, params: Params, path: Path, batch: Batch, number: int) -> None:
    """Put what a leaf came to in the place of what stood in for it, all along its path."""
    nodes, edges, players = graph.nodes, graph.edges, params.players
    for player in range(players):
        payoff = batch.results[number * players + player]
        path.values[player] = (payoff - params.least) * params.scale
    at = number * BATCHED_PATH
    length = batch.lengths[number]
    for i in range(length + 1):
        node = np.int64(batch.nodes[at + i])
        nodes[node]["sum"] += path.values[0] - MIDDLE
        for column in range(1, params.columns):
            place = node * params.level_stride + params.sums_at + column - 1
            graph.levels[place] += path.values[column] - MIDDLE
        mover = np.int64(nodes[node]["player"])
        if i < length and mover >= 0:
            edge = np.int64(nodes[node]["first"]) + batch.edges[at + i]
            value = path.values[mover]
            edges[edge]["sum"] += value
            if params.squares_at != NONE:
                at_squares = edge * params.extra_stride + params.squares_at
                graph.extras[at_squares] += value * value - MIDDLE * MIDDLE
            if params.virtual_at != NONE:
                graph.extras[edge * params.extra_stride + params.virtual_at] -= 1.0


@kernel(takes_rules=True, lean=True)
def play_waiting(
    play: object, tables: Tables, graph: Graph, params: Params, path: Path, batch: Batch,
    rng: Random,
) -> int:  # fmt: skip
    """Play out all leaves that wait, and put in what they came to; return 0 or a failure.

    Told to stop meanwhile, it returns HALTED, and all of them still wait.
    """
    waiting = batch.lengths[params.batch] if params.batch > 1 else 0
    if waiting == 0:
        return 0
    for i in range(waiting * params.players):
        batch.results[i] = (params.least + params.greatest) * 0.5
    failed = play(tables, batch.states, waiting, rng, batch.results)
    if failed == HALTED:
        return failed
    if failed == ENDLESS:
        graph.counters[ENDLESS_PLAYOUTS] += 1
    if failed >= 0 or failed == ENDLESS:
        failed = 0
    for number in range(waiting):
        count_result(graph, params, path, batch, number)
    batch.lengths[params.batch] = 0
    return failed
