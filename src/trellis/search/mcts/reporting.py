"""Reading a search graph: what each move is worth, which one is best, how play would go on."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from trellis.game.bits import hash_pair
from trellis.game.calls import is_quick
from trellis.game.game import Position
from trellis.game.glance import glance
from trellis.game.rules import CHANCE, NOBODY
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.decide import final_rule
from trellis.search.report import MoveReport, Report, proven_of_all, sum_of_two

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search

_LONGEST_LINE = 60
_FEWEST_VISITS = 2  # a line of play goes on while more playouts than this stand behind it


@dataclass(slots=True)
class EdgeLine:
    """What a node knows of one of its moves; values are of who moves, in the game's scale."""

    code: int  # the move as the node numbers it
    edge: int
    child: int
    visits: int
    value: float
    low: float
    high: float
    adapted: float
    count: float
    shared: int

    @property
    def solved(self) -> bool:
        """Tell whether the move's worth is proven."""
        return self.low == self.high


def edge_lines(search: "Search", node: int, position: Position | None = None) -> list[EdgeLine]:
    """List what a node knows of the moves it has tried; with a position, those legal in it.

    All edges at once: a node of Pentago has 288, and a line of play goes through many nodes.
    """
    graph, params = search.graph, search.params
    record = graph.nodes[node]
    mover, first = int(record["player"]), int(record["first"])
    end = first + int(record["edges"])
    if first == end:
        return []
    visits = graph.edges["visits"][first:end].astype(np.int64)
    child = graph.children(first, end)
    there = child != g.NONE
    below = graph.nodes[np.where(there, child, node)]
    least, greatest = params.least, params.greatest
    low, high = np.full(len(child), least), np.full(len(child), greatest)
    if params.columns == 1:
        low[there], high[there] = below["low"][there] + 0.0, below["high"][there] + 0.0  # no -0.0
        if mover == 1 and params.players == 2:
            low[there], high[there] = (
                least + greatest - high[there] + 0.0,
                least + greatest - low[there] + 0.0,
            )
    shared = np.where(there, np.maximum(0, below["visits"].astype(np.int64) - visits), 0)
    value, count = np.full(len(child), np.nan), visits.astype(np.float64)
    if mover >= 0:
        seen = visits > 0
        np.divide(graph.edges["sum"][first:end], visits, out=value, where=seen)
    else:  # chance keeps the probability there: the child's mean
        seen = (visits > 0) & there
        np.divide(below["sum"], np.maximum(1, below["visits"]), out=value, where=seen)
    adapted = value.copy()
    if mover >= 0 and (params.d1 or params.d3):
        means, counts = search.adapted(node)
        # Where all that came to the child came this way, both have seen the same.
        other = seen & there & ~((shared == 0) & bool(params.sums))
        adapted[other], count[other] = means[other], counts[other]
    codes = graph.links["move"][first:end].astype(np.int64) & g.MOVE_MASK
    tried = np.flatnonzero((visits > 0) | (params.bounds != k.OFF))
    columns = (
        codes, np.arange(first, end), child, visits, least + value / params.scale, low, high,
        least + adapted / params.scale, count, shared,
    )  # fmt: skip
    lists = (column[tried].tolist() for column in columns)
    found = [EdgeLine(*line) for line in zip(*lists, strict=True)]
    if position is not None and (params.forgets or search.game.group_names):
        # The path that came first has tried them: others may forbid them, or be near other moves.
        legal = set(position.move_codes())
        return [line for line in found if line.code in legal]
    return found


def choose(search: "Search", lines: list[EdgeLine]) -> EdgeLine:
    """Pick the best of some moves: what is proven first, then as the settings say.

    `choose.choose_edge` is the same as a kernel.
    """
    proven = max(line.low for line in lines)
    open_ = [line for line in lines if line.high > proven]
    safe = [line for line in lines if line.low == proven and line.high == proven]
    rule, c = final_rule(search), max(search.params.c, 1e-9)

    def worth(line: EdgeLine) -> float:
        if not line.visits:
            return -math.inf
        if rule == "robust":
            return line.visits
        if rule == "max":
            return line.adapted
        return line.adapted - c / (search.params.scale * math.sqrt(line.visits))

    if not open_:  # nothing can beat what is proven
        least = max(line.low for line in safe or lines)
        return _best(search, [line for line in safe or lines if line.low == least], worth)
    best = _best(search, open_, worth)
    # A move that is at least as good by proof beats one that is known to be no better, whatever
    # playouts said of the latter before it was proven; else the proof competes with the mean.
    if safe and best.low < proven and not best.adapted > proven:
        return _best(search, safe, worth)
    return best


def best_move(search: "Search") -> int:
    """Return the best move so far; without a simulation, what one look at each move shows."""
    lines = edge_lines(search, search.root, search.position)
    if not lines or (not search.solved and not any(line.visits for line in lines)):
        return glance(search.position, quick=is_quick(search.calls)).best
    return search.from_frame(search.position, choose(search, lines).code)


def _best(search: "Search", lines: list[EdgeLine], worth: Callable[[EdgeLine], float]) -> EdgeLine:
    """Return the line of most worth; ties are broken by lot."""
    worths = [worth(line) for line in lines]
    most = max(worths)
    ties = [line for line, each in zip(lines, worths, strict=True) if each == most]
    return ties[0] if len(ties) == 1 else max(ties, key=lambda line: _lot(search, line))


def _lot(search: "Search", line: EdgeLine) -> int:
    """Return a number that breaks ties: the same for the same seed, no favour to any move."""
    return int(hash_pair(search.rng[0], np.uint64(line.code)))


def principal_variation(
    search: "Search", position: Position, node: int, known: list[EdgeLine]
) -> list[str]:
    """Return the principal variation from here; `known` is what the node knows of its moves."""
    names: list[str] = []
    graph = search.graph
    seen = {node}
    while len(names) < _LONGEST_LINE:
        player = int(graph.nodes[node]["player"])
        lines = edge_lines(search, node, position) if names else known
        if player in (CHANCE, NOBODY) or not lines:
            break
        best = choose(search, lines)
        if names and best.visits <= _FEWEST_VISITS and not best.solved:
            break
        code = search.from_frame(position, best.code)
        names.append(position.name(code))
        if not search.game.compiled and perf_counter() > search.until:
            break  # every move of such rules takes its time
        position = position.play(code)
        node = best.child
        if node == g.NONE or node in seen:
            break
        seen.add(node)
    return names


def make_report(search: "Search", player: int | None = None) -> Report:
    """Put together what a search has found out about its position."""
    game, params, graph = search.game, search.params, search.graph
    position, node = search.node_of_player(player)
    mover = int(graph.nodes[node]["player"]) if node != g.NONE else position.acting
    lines = edge_lines(search, node, position) if node != g.NONE else []
    known = {line.code: line for line in lines}
    least, greatest = map(float, game.payoff_range)
    frame = search.frame_of(position)
    reports: list[tuple[tuple[float, ...], MoveReport]] = []
    best = choose(search, lines) if lines else None
    shown = None
    if not search.solved and not any(line.visits for line in lines):
        shown, best = glance(position, quick=is_quick(search.calls)), None
    for place, code in enumerate(position.move_codes()):
        line = known.get(search.to_frame(position, code, frame))
        name = position.name(code)
        if shown is not None:
            low, high = shown.bounds.get(code, (least, greatest))
            value = low if low == high else math.nan
            report = MoveReport(name, low, high, value, low == high, adapted=value)
            order: tuple[float, ...] = (-1 if code == shown.best else 0, place)
        elif line is None:
            report, order = MoveReport(name, least, greatest), (1, 0, place)
        else:
            report = MoveReport(
                name, line.low, line.high, line.value, line.solved, line.visits, line.adapted,
                line.count, line.shared,
            )  # fmt: skip
            order = (-1 if line is best else 0, -line.visits, place)
        reports.append((order, report))
    reports.sort(key=lambda pair: pair[0])
    moves = tuple(report for _, report in reports)
    total, solved, values_of = sum_of_two(game), search.solved, max(mover, 0)
    bounds, payoffs, outcome = proven_of_all(
        game,
        search.bounds if params.columns == 1 else None,
        total,
        search.bounds[0] if solved else None,
    )
    low, high = bounds[values_of]
    value = moves[0].adapted
    if solved:
        value = low
    elif moves[0].low == moves[0].high:
        value = moves[0].low
    counters = graph.counters
    details = {
        "select": search.settings.select,
        "when_full": search.settings.when_full,
        "collections": search.collections,
        "repeats": int(counters[g.REPEATS]),
        "deepest": int(counters[g.DEEPEST]),
        "endless_playouts": int(counters[g.ENDLESS_PLAYOUTS]),
    }
    return Report(
        game.spec, game.player_name(mover), values_of, moves[0].move, value, low, high, bounds,
        solved, moves,
        tuple(principal_variation(search, position, node, lines)) if node != g.NONE else (),
        payoffs, outcome, total, sims=search.sims, seconds=search.seconds,
        nodes=int(counters[g.LIVE_NODES]), edges=int(counters[g.LIVE_EDGES]),
        transpositions=int(counters[g.TRANSPOSITIONS]), bytes=search.bytes, full=search.full,
        note="" if shown is None else shown.note, details=details,
    )  # fmt: skip
