"""What kernels do around the judging of leaves: list what is asked, write down what was said."""

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import kernel
from trellis.game.rules import Counts, Reals, Tables
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.graph import (
    FULL,
    LIVE_EDGES,
    NONE,
    WAITING,
    Graph,
    block_length,
    set_child,
    take_block,
)
from trellis.search.mcts.leaf_batch import count_result
from trellis.search.mcts.params import BATCHED_PATH, Batch, Params, Path, Scratch


@kernel(entry=True, lean=True, later=True)
def list_leaves(
    calls: SearchCalls, tables: Tables, params: Params, batch: Batch, scratch: Scratch,
    legal: npt.NDArray[np.uint8], movers: Counts, move_codes: int,
) -> None:  # fmt: skip
    """List the moves of all leaves that wait and mark them in `legal`, [batch * move_codes]."""
    words, most = len(scratch.state), len(scratch.buffer)
    for number in range(batch.lengths[params.batch]):
        for word in range(words):
            scratch.state[word] = batch.states[number * words + word]
        movers[number] = calls.acting(tables, scratch.state)
        count = calls.candidates(tables, scratch.state, scratch.buffer)
        batch.counts[number] = count
        for i in range(count):
            move = np.int64(scratch.buffer[i])
            batch.moves[number * most + i] = move
            legal[number * move_codes + move] = np.uint8(1)


@kernel(entry=True, lean=True, later=True)
def take_answers(graph: Graph, params: Params, path: Path, batch: Batch, priors: Reals) -> None:
    """Count what was said of all leaves that wait, and give them edges with priors.

    `priors` are [batch * move_codes], 0 where a move is illegal and not below.
    """
    waiting = batch.lengths[params.batch]
    most = len(batch.moves) // len(batch.counts)
    codes = len(priors) // len(batch.counts)
    for number in range(waiting):
        count_result(graph, params, path, batch, number)
        leaf = np.int64(batch.nodes[number * BATCHED_PATH + batch.lengths[number]])
        graph.nodes[leaf]["flags"] &= ~WAITING
        if graph.nodes[leaf]["edges"] == 0:
            _add_edges(graph, params, batch, priors, leaf, number, most, codes)
    batch.lengths[params.batch] = 0


@kernel(lean=True)
def _add_edges(
    graph: Graph, params: Params, batch: Batch, priors: Reals, leaf: int, number: int, most: int,
    codes: int,
) -> None:  # fmt: skip
    """Give a node an edge for each of its moves; none of them leads anywhere yet."""
    count = np.int64(batch.counts[number])
    total = 0.0
    for i in range(count):
        total += priors[number * codes + np.int64(batch.moves[number * most + i])]
    first = take_block(graph, block_length(count, count))
    if first == NONE:  # no room: it will be asked about again
        graph.counters[FULL] += 1
        return
    nodes, edges, links = graph.nodes, graph.edges, graph.links
    nodes[leaf]["first"] = first
    nodes[leaf]["moves"] = count
    nodes[leaf]["edges"] = count
    graph.counters[LIVE_EDGES] += count
    for i in range(count):
        edge, move = first + i, np.int64(batch.moves[number * most + i])
        edges[edge]["sum"] = 0.0
        edges[edge]["visits"] = 0
        set_child(graph, edge, NONE)
        links[edge]["move"] = move
        links[edge]["parent"] = leaf
        links[edge]["next_in"] = NONE
        for place in range(edge * params.extra_stride, (edge + 1) * params.extra_stride):
            graph.extras[place] = 0.0
        prior = priors[number * codes + move] / total if total > 0.0 else 1.0 / count
        graph.extras[edge * params.extra_stride + params.prior_at] = prior
