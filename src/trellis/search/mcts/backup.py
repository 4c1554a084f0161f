"""The fourth step of a simulation: what the playout says goes up the graph.

`credit` does what every search does, along the path alone.  After it, each of these keeps the
adapted values of depth 2 and more in its own way:

    credit_ancestors   (`all`)      every edge above the leaf counts the playout, once
    update_levels      (`exact`)    exact at all times: after each playout the stored sums equal
                                    the recursive definitions
    recompute_levels   (`recompute`)  nodes on the path are computed anew from their children;
                                    other parents are stale until a path touches them

`backups` has them by name; `backup_kernels` makes them values that searches call.

How the exact update works.  A playout changes n and µ of the edges it went along, hence the sums
at every node of the path.  An edge into a changed node, wherever it comes from, has a new
adapted value, so the sums of its parent change too, one depth higher; and so on.  The change of
a parent's sum is the edge's new contribution less its old one, so nothing is ever summed up anew.
At infinite depth a node is both the effect and a cause: work goes from the deepest node to the
root, each node once.
"""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.search.mcts import graph as g
from trellis.search.mcts import values as v
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.params import INFINITE, PER_NODE, Lists, Params, Path

MOST_WAYS = 1e300  # of a count of depth 2 and more, which counts ways: still a number when added up


@kernel(hot=True)
def credit_node(graph: Graph, params: Params, path: Path, node: int) -> int:
    """Count a playout at a node; return how many there are."""
    values = path.values
    visits = np.int64(graph.nodes[node]["visits"]) + 1
    graph.nodes[node]["visits"] = min(visits, g.MOST_VISITS)
    graph.nodes[node]["sum"] += values[0]
    for column in range(1, params.columns):
        graph.levels[node * params.level_stride + params.sums_at + column - 1] += values[column]
    return visits


@kernel(hot=True)
def credit_own(graph: Graph, params: Params, path: Path, node: int, edge: int) -> int:
    """Count a playout that began at `node`, where `edge` led to; return how many there are."""
    own = np.int64(graph.nodes[node]["own"]) + 1
    graph.nodes[node]["own"] = min(own, g.MOST_VISITS)
    if params.own_at != g.NONE:
        at = node * params.level_stride + params.own_at
        for column in range(params.columns):
            graph.levels[at + column] += path.values[column]
    if params.edge_own_at != g.NONE and edge >= 0:
        at = edge * params.extra_stride + params.edge_own_at
        graph.extras[at] += 1.0
        graph.extras[at + 1] += path.values[0]
    return own


@kernel(hot=True)
def credit_edge(graph: Graph, params: Params, path: Path, edge: int) -> int:
    """Count a playout at an edge, for who moves there; return how many there are."""
    edges = graph.edges
    visits = np.int64(edges[edge]["visits"]) + 1
    edges[edge]["visits"] = min(visits, g.MOST_VISITS)
    mover = np.int64(graph.nodes[graph.links[edge]["parent"]]["player"])
    if mover < 0:  # chance: the sum is the probability
        return visits
    value = path.values[mover]
    edges[edge]["sum"] += value
    if params.squares_at != g.NONE:
        graph.extras[edge * params.extra_stride + params.squares_at] += value * value
    return visits


@kernel(hot=True)
def _heed_end(graph: Graph, most: int) -> None:
    """Have all counts halved before the next simulation, where one has come near its end."""
    if most >= g.NEARLY_MOST:
        graph.counters[g.CROWDED] = 1


@kernel(hot=True)
def credit(graph: Graph, params: Params, path: Path, length: int, repeated: bool) -> None:
    """Count a playout along the path of `length` edges; a repeated last node counts it once."""
    most = np.int64(0)
    for i in range(length):
        most = max(most, credit_node(graph, params, path, np.int64(path.nodes[i])))
        most = max(most, credit_edge(graph, params, path, np.int64(path.edges[i])))
    if not repeated:
        leaf = np.int64(path.nodes[length])
        edge = np.int64(path.edges[length - 1]) if length > 0 else g.NONE
        most = max(most, credit_node(graph, params, path, leaf))
        most = max(most, credit_own(graph, params, path, leaf, edge))
    _heed_end(graph, most)


@kernel(lean=True)
def credit_ancestors(
    graph: Graph, params: Params, path: Path, lists: Lists, length: int, repeated: bool
) -> None:
    """Count a playout once at every edge and node above the leaf, whichever way it came."""
    nodes, work = graph.nodes, lists.work
    leaf = np.int64(path.nodes[length])
    most = np.int64(0)
    if not repeated:
        last = np.int64(path.edges[length - 1]) if length > 0 else g.NONE
        most = max(most, credit_own(graph, params, path, leaf, last))
    nodes[leaf]["flags"] |= g.MARKED
    work[0] = leaf
    count, i = 1, 0
    while i < count:
        node = np.int64(work[i])
        most = max(most, credit_node(graph, params, path, node))
        edge = np.int64(nodes[node]["first_in"])
        while edge != g.NONE:
            most = max(most, credit_edge(graph, params, path, edge))
            parent = np.int64(graph.links[edge]["parent"])
            if not nodes[parent]["flags"] & g.MARKED:
                nodes[parent]["flags"] |= g.MARKED
                work[count] = parent
                count += 1
            edge = np.int64(graph.links[edge]["next_in"])
        i += 1
    for i in range(count):
        nodes[work[i]]["flags"] &= ~g.MARKED
    graph.counters[g.UPDATES] += count - 1 - length
    _heed_end(graph, most)


# -- recomputing the path from its children ---------------------------------------------------


@kernel(lean=True)
def _recompute_quickly(graph: Graph, params: Params, node: int) -> None:
    """Compute the mean's numerator of infinite depth anew, where nothing else is kept."""
    nodes, edges, levels = graph.nodes, graph.edges, graph.levels
    stride, own_at, mean_at = params.level_stride, params.own_at, params.mean_at
    total = 0.0
    first, end = g.edges_of(graph, node)
    for edge in range(first, end):
        at = g.child_of(graph, edge) * stride
        whole = levels[at + mean_at] + levels[at + own_at]
        visits = np.float64(nodes[g.child_of(graph, edge)]["visits"])
        total += np.float64(edges[edge]["visits"]) * whole / max(visits, 1.0)
    levels[node * stride + mean_at] = total


@kernel(lean=True)
def recompute_node(graph: Graph, params: Params, node: int) -> None:
    """Compute the sums of a node anew from its edges, all depths."""
    levels, edges = graph.levels, graph.edges
    counts = params.count_levels > 0 or params.infinite_count_at != g.NONE
    if params.adapted and params.d1 == INFINITE and not counts and params.when_full != g.DRAKE:
        _recompute_quickly(graph, params, node)
        return
    for level in range(params.mean_levels):
        depth = INFINITE if params.d1 == INFINITE else level + 2
        for column in range(params.columns):
            total = 0.0
            first, end = g.edges_of(graph, node)
            for edge in range(first, end):
                visits = np.float64(edges[edge]["visits"])
                if visits > 0.0:
                    below = depth if depth == INFINITE else depth - 1
                    total += visits * v.adapted_mean(graph, params, edge, below, column)
            levels[v.mean_slot(params, node, depth, column)] = total
    infinite = params.infinite_count_at != g.NONE
    for level in range(params.count_levels + (1 if infinite else 0)):
        depth = INFINITE if level == params.count_levels else level + 2
        below = depth if depth == INFINITE else depth - 1
        total = 0.0
        first, end = g.edges_of(graph, node)
        for edge in range(first, end):
            total += v.adapted_count(graph, params, edge, below)
        # Round a cycle counts of infinite depth grow without end.
        levels[v.count_slot(params, node, depth)] = min(total, MOST_WAYS)


@kernel(lean=True)
def count_ahead(graph: Graph, params: Params, path: Path, length: int) -> None:
    """Count the playout in the sums of the path's nodes, which are then computed anew."""
    if params.cyclic:
        # An edge may lead back to a node of the path that has its turn later.  Its visits count
        # the playout already, so its sums must, or it would pass for a loss of the first player.
        for i in range(length):
            node = np.int64(path.nodes[i])
            for level in range(params.mean_levels):
                depth = INFINITE if params.d1 == INFINITE else level + 2
                for column in range(params.columns):
                    graph.levels[v.mean_slot(params, node, depth, column)] += path.values[column]


@kernel(lean=True)
def recompute_levels(graph: Graph, params: Params, path: Path, length: int, repeated: bool) -> None:
    """Compute the sums of the path's nodes anew, from the leaf up."""
    count_ahead(graph, params, path, length)
    for i in range(length - 1 if repeated else length, -1, -1):
        recompute_node(graph, params, np.int64(path.nodes[i]))


# -- the exact update --------------------------------------------------------------------------


@kernel(lean=True)
def _contributions_of_edge(
    graph: Graph, params: Params, path: Path, edge: int, child: int, place: int, length: int,
    repeated: bool, depth: int, column: int, old_sum: float,
) -> tuple[float, float]:  # fmt: skip
    """Return what an edge adds to its parent's sum now, and what it added before the playout.

    `depth` is that of the edge's value, 1 or more, and `old_sum` the child's sum for it before
    the playout.  `place` is where on the path the child lies, or NONE.  A `column` of NONE asks
    for counts.
    """
    nodes, edges = graph.nodes, graph.edges
    visits = np.float64(edges[edge]["visits"])
    if place == g.NONE and params.own_playouts == PER_NODE and column != g.NONE:
        # Most edges lead to nodes off the path, of which nothing but the sum has changed.
        part = visits / max(np.float64(nodes[child]["visits"]), 1.0)
        own_total = v.own_sum(graph, params, child, column)
        now_sum = v.mean_sum(graph, params, child, depth, column)
        return part * (now_sum + own_total), part * (old_sum + own_total)
    own = np.float64(nodes[child]["own"])
    below = np.float64(nodes[child]["visits"]) - own
    traversed = place > 0 and np.int64(path.edges[place - 1]) == edge
    if repeated and place >= 0 and np.int64(path.edges[length - 1]) == edge:
        traversed = True  # the edge that closed a cycle
    began = place == length and not repeated  # the playout began at the child
    was_visits = visits - 1.0 if traversed else visits
    was_own = own - 1.0 if began else own
    was_below = below - 1.0 if place >= 0 and not began else below
    # The edge's own n' and µ' changed with the playout: put them back while looking at the past.
    own_at = edge * params.extra_stride + params.edge_own_at
    back = params.edge_own_at != g.NONE and traversed and began
    if column == g.NONE:
        now_sum = v.count_sum(graph, params, child, depth)
        now = v.count_with_own(graph, params, edge, now_sum, own, visits)
        if was_visits == 0.0:
            return now, 0.0
        if back:
            graph.extras[own_at] -= 1.0
        was = v.count_with_own(graph, params, edge, old_sum, was_own, was_visits)
        if back:
            graph.extras[own_at] += 1.0
        return now, was
    value = path.values[column]
    own_total = v.own_sum(graph, params, child, column)
    was_own_total = own_total - value if began else own_total
    total = v.edge_total(graph, params, edge, column)
    was_total = total - value if traversed else total
    if place >= 0 and np.int64(nodes[graph.links[edge]["parent"]]["player"]) < 0:
        # An edge of chance goes by the mean of its child, which the playout has changed.
        before = max(np.int64(nodes[child]["visits"]) - 1, 1)
        was_total = was_visits * (v.node_sum(graph, params, child, column) - value) / before
    now_sum = v.mean_sum(graph, params, child, depth, column)
    now = visits * v.mean_with_own(
        graph, params, edge, now_sum, below, own_total, own, total, visits,
    )  # fmt: skip
    if was_visits == 0.0:
        return now, 0.0
    if back:
        graph.extras[own_at] -= 1.0
        graph.extras[own_at + 1] -= value
    was = was_visits * v.mean_with_own(
        graph, params, edge, old_sum, was_below, was_own_total, was_own, was_total, was_visits,
    )  # fmt: skip
    if back:
        graph.extras[own_at] += 1.0
        graph.extras[own_at + 1] += value
    return now, was


@kernel(lean=True)
def _slot(params: Params, node: int, depth: int, column: int) -> int:
    """Return where a node keeps its count, or its mean of a column, of a depth."""
    if column == g.NONE:
        return v.count_slot(params, node, depth)
    return v.mean_slot(params, node, depth, column)


@kernel(lean=True)
def _update_finite(
    graph: Graph, params: Params, path: Path, lists: Lists, length: int, repeated: bool,
    levels: int, column: int,
) -> None:  # fmt: skip
    """Update the sums of depth 2 to levels + 1, one depth after the other."""
    nodes, work, olds = graph.nodes, lists.work, lists.olds
    on_path = length if repeated else length + 1  # different nodes on the path
    here, there = 0, len(work) // 2
    # Depth 1 follows from visits and payoffs, so the path is all that changed there.
    for i in range(on_path):
        node = np.int64(path.nodes[i])
        work[here + i] = node
        if column == g.NONE:
            old = v.count_sum(graph, params, node, 1) - (1.0 if i < length else 0.0)
        else:
            old = v.mean_sum(graph, params, node, 1, column)
            old -= path.values[column] if i < length else 0.0
        olds[here + i] = old
    count = on_path
    for level in range(levels):
        depth = level + 2
        # The path comes first, in order, so that a place in the list is a place on the path.
        for i in range(on_path):
            node = np.int64(path.nodes[i])
            work[there + i] = node
            olds[there + i] = graph.levels[_slot(params, node, depth, column)]
            nodes[node]["flags"] |= g.MARKED
        following = on_path
        for i in range(count):
            child = np.int64(work[here + i])
            place = i if i < on_path else g.NONE
            edge = np.int64(nodes[child]["first_in"])
            while edge != g.NONE:
                now, was = _contributions_of_edge(
                    graph, params, path, edge, child, place, length, repeated, depth - 1,
                    column, olds[here + i],
                )  # fmt: skip
                if now != was:
                    parent = np.int64(graph.links[edge]["parent"])
                    slot = _slot(params, parent, depth, column)
                    if not nodes[parent]["flags"] & g.MARKED:
                        nodes[parent]["flags"] |= g.MARKED
                        work[there + following] = parent
                        olds[there + following] = graph.levels[slot]
                        following += 1
                    graph.levels[slot] += now - was
                edge = np.int64(graph.links[edge]["next_in"])
        for i in range(following):
            nodes[work[there + i]]["flags"] &= ~g.MARKED
        graph.counters[g.UPDATES] += following - on_path
        here, there = there, here
        count = following


@kernel(lean=True)
def _update_infinite(
    graph: Graph, params: Params, path: Path, lists: Lists, length: int, column: int
) -> None:
    """Update the sums of infinite depth, from the deepest node that changed to the root.

    Nodes wait in buckets by `turn`, deeper ones first.  Where a parent lies as deep as its child
    (paths of different length may lead to a position) it is put back and taken up again: what it
    passes on then is the further change, so the order costs time but never correctness.
    """
    nodes, levels = graph.nodes, graph.levels
    work, olds, links, buckets = lists.work, lists.olds, lists.links, lists.buckets
    turn = np.int64(0)
    for i in range(length + 1):
        node = np.int64(path.nodes[i])
        work[i] = node
        olds[i] = levels[_slot(params, node, INFINITE, column)]
        nodes[node]["flags"] |= g.MARKED
        bucket = np.int64(nodes[node]["turn"])
        links[i] = buckets[bucket]
        buckets[bucket] = i
        turn = max(turn, bucket)
    used = waiting = length + 1
    free = np.int64(g.NONE)  # places of the list to be used again
    while waiting > 0:
        while buckets[turn] == g.NONE:
            turn -= 1
        i = np.int64(buckets[turn])
        buckets[turn] = links[i]
        waiting -= 1
        child = np.int64(work[i])
        nodes[child]["flags"] &= ~g.MARKED
        place = i if i <= length else g.NONE
        edge = np.int64(nodes[child]["first_in"])
        while edge != g.NONE:
            now, was = _contributions_of_edge(
                graph, params, path, edge, child, place, length, False, INFINITE, column, olds[i]
            )
            if abs(now - was) > params.tolerance:
                parent = np.int64(graph.links[edge]["parent"])
                slot = _slot(params, parent, INFINITE, column)
                if not nodes[parent]["flags"] & g.MARKED:
                    nodes[parent]["flags"] |= g.MARKED
                    entry = free
                    if entry == g.NONE:
                        entry = np.int64(used)
                        used += 1
                    else:
                        free = np.int64(links[entry])
                    work[entry] = parent
                    olds[entry] = levels[slot]
                    bucket = np.int64(nodes[parent]["turn"])
                    links[entry] = buckets[bucket]
                    buckets[bucket] = entry
                    turn = max(turn, bucket)
                    waiting += 1
                    graph.counters[g.UPDATES] += 1
                levels[slot] += now - was
            edge = np.int64(graph.links[edge]["next_in"])
        if i > length:
            links[i] = free
            free = i


@kernel(lean=True)
def update_levels(
    graph: Graph, params: Params, path: Path, lists: Lists, length: int, repeated: bool
) -> None:
    """Make all stored sums equal the recursive definitions again, after `credit`."""
    if params.mean_levels > 0:
        for column in range(params.columns):
            if params.d1 == INFINITE:
                _update_infinite(graph, params, path, lists, length, column)
            else:
                _update_finite(
                    graph, params, path, lists, length, repeated, params.mean_levels, column
                )
    if params.count_levels > 0:
        _update_finite(graph, params, path, lists, length, repeated, params.count_levels, g.NONE)
    if params.infinite_count_at != g.NONE:
        _update_infinite(graph, params, path, lists, length, g.NONE)
