"""Proving what a position is worth, and writing down how to play it.

>>> from trellis.games import load
>>> solve(load("tic_tac_toe")).outcome
'draw'
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position
from trellis.game.rules import CHANCE, NOBODY
from trellis.search import graph as g
from trellis.search.answer import EdgeLine, edge_lines
from trellis.search.engine import Search
from trellis.search.settings import Settings, can_bound, usable_symmetries

DEFAULT_LIMIT = 100_000_000


@dataclass(frozen=True)
class Solution:
    """What is proven about a position."""

    game: str
    solved: bool
    payoffs: tuple[float, ...] | None  # in the game's own scale; None where not solved
    outcome: str | None  # first, second, draw; None where not solved, or one player
    best: str
    playouts: int
    nodes: int
    seconds: float
    line: tuple[str, ...]
    low: float  # player 0 gets at least this
    high: float  # and at most this
    bytes: int
    full: bool


def solve_settings(game: Game, **changes: Any) -> Settings:
    """Return the settings that prove most with fewest playouts, where nothing else is asked for."""
    usual: dict[str, Any] = {
        # Shared counts starve edges whose child is popular elsewhere, and on a cycle all are.
        "select": "simple" if game.max_plies is not None else "uct1",
        "c": 0.2,
        "bounds": "deep",
        "delta": -0.1,
        "symmetry": len(usable_symmetries(game)) > 1,
        "memory": 1024.0,
        "policy": "collect",
    }
    return Settings(**(usual | changes))


def solve(
    start: Game | Position | Search,
    *,
    limit: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[float, Search], None] | None = None,
    **changes: Any,
) -> Solution:
    """Search until the value is proven, or `limit` playouts or `seconds` have passed."""
    search = start if isinstance(start, Search) else prepare(start, seed=seed, **changes)
    if limit is None and seconds is None:
        limit = DEFAULT_LIMIT
    if not search.solved:
        search.run(sims=limit, seconds=seconds, progress=progress)
    return solution(search)


def prepare(start: Game | Position, *, seed: int = 0, **changes: Any) -> Search:
    """Make a search that is about to prove something."""
    game = start.game if isinstance(start, Position) else start
    if not can_bound(game):
        raise BadParameter(
            f"cannot solve {game.spec}: a proof needs one player, or two in turn whose payoffs "
            "add up to a constant"
        )
    search = Search(start, solve_settings(game, **changes), seed=seed)
    if search.knobs.bounds == 0:
        raise BadParameter("cannot solve with bounds off: expected plain, cuts, guided or deep")
    return search


def solution(search: Search) -> Solution:
    """Tell what a search has proven."""
    report = search.report()
    low, high = search.bounds
    least, greatest = map(float, search.game.payoff_range)
    payoffs: tuple[float, ...] | None = None
    outcome = None
    if search.solved:
        payoffs = (low,)
        if search.game.players == 2:
            other = least + greatest - low + 0.0
            payoffs = (low, other)
            outcome = "draw" if low == other else "first" if low > other else "second"
    return Solution(
        report.game, search.solved, payoffs, outcome, report.best, report.sims, report.nodes,
        report.seconds, report.line if search.solved else (), low, high, report.bytes, report.full,
    )  # fmt: skip


# -- a weak solution: what to play, from the proof ----------------------------------------------


def strategy(search: Search, limit: int = 5_000_000) -> Iterator[tuple[Position, str]]:
    """Walk the proof and name a move for every position in which a player has to choose one.

    Each player follows the strategy against anything the other may do; so positions are those
    that can come up when at least one of them follows it.
    """
    if not search.solved:
        raise BadParameter("no strategy yet: the position is not solved")
    if search.game.max_plies is None:
        raise BadParameter(
            f"no strategy for {search.game.spec}: positions may come again, and a move that keeps "
            "what is proven need not come nearer to an end"
        )
    written: set[str] = set()
    for player in range(search.game.players):
        seen: set[str] = set()
        waiting = [(search.position, search.root)]
        while waiting:
            position, node = waiting.pop()
            if position.code in seen or search.graph.nodes[node]["edges"] == 0:
                continue
            seen.add(position.code)
            if len(seen) > limit:
                raise LimitReached(f"the strategy has more than {limit:,} positions")
            mover = int(search.graph.nodes[node]["player"])
            lines = edge_lines(search, node)
            if mover == player:
                best = max(lines, key=lambda line: _keeps(search, line, player))
                lines = [best]
                code = search.from_frame(position, best.code)
                if position.code not in written:
                    written.add(position.code)
                    yield position, position.name(code)
            for line in lines:
                after = position.play(search.from_frame(position, line.code))
                if line.child != g.NONE and not after.is_over:
                    waiting.append((after, line.child))


def _keeps(search: Search, line: EdgeLine, player: int) -> tuple[float, int]:
    """Return what is proven for a player after a move, and how well it was looked at."""
    child = search.graph.nodes[line.child]
    return float(child["low"] if player == 0 else -child["high"]), line.visits


# -- a strong solution: every position ------------------------------------------------------------


def solve_strongly(
    start: Game | Position,
    *,
    limit: int = 2_000_000,
    progress: Callable[[int], None] | None = None,
) -> dict[bytes, tuple[float, float]]:
    """Return what player 0 gets, at least and at most, from every position that can be reached.

    Backward from the ends of the game, by the rules alone: no search, no playouts.  The two
    numbers are equal except where both sides can go round for ever.
    Keys are the words of a position; `Position(game, np.frombuffer(key, np.uint64).copy())`.
    """
    position = start if isinstance(start, Position) else start.start()
    game = position.game
    if not can_bound(game):
        raise BadParameter(
            f"cannot solve {game.spec}: a proof needs one player, or two in turn whose payoffs "
            "add up to a constant"
        )
    children, values, shares, movers = _explore(position, limit, progress)
    parents: dict[bytes, list[bytes]] = {key: [] for key in children}
    for key, after in children.items():
        for child in after:
            parents[child].append(key)
    least, greatest = map(float, game.payoff_range)
    for key in children:
        values.setdefault(key, (least, greatest))

    def value_of(key: bytes) -> tuple[float, float]:
        below = [values[child] for child in children[key]]
        lows, highs = [low for low, _ in below], [high for _, high in below]
        if movers[key] == CHANCE:
            now = (float(np.dot(shares[key], lows)), float(np.dot(shares[key], highs)))
        elif movers[key] == 0:
            now = (max(lows), max(highs))
        else:
            now = (min(lows), min(highs))
        old = values[key]
        return max(old[0], now[0]), min(old[1], now[1])

    # A position all of whose followers are settled is settled itself, once and for all.
    left = {key: len(after) for key, after in children.items()}
    settled = [key for key, count in left.items() if not count]
    while settled:
        for parent in parents[settled.pop()]:
            left[parent] -= 1
            if not left[parent]:
                values[parent] = value_of(parent)
                settled.append(parent)
    # What remains leads into a cycle: go round until nothing changes.
    waiting = deque(key for key, count in left.items() if count)
    queued = set(waiting)
    while waiting:
        key = waiting.popleft()
        queued.discard(key)
        now = value_of(key)
        if now != values[key]:
            values[key] = now
            again = [parent for parent in parents[key] if left[parent] and parent not in queued]
            waiting.extend(again)
            queued.update(again)
    return values


_Explored = tuple[
    dict[bytes, list[bytes]],
    dict[bytes, tuple[float, float]],
    dict[bytes, list[float]],
    dict[bytes, int],
]


def _explore(position: Position, limit: int, progress: Callable[[int], None] | None) -> _Explored:
    """List all positions that can be reached, what follows each, and what the ends pay."""
    game, rules, tables = position.game, position.game.rules, position.game.tables
    children: dict[bytes, list[bytes]] = {}
    values: dict[bytes, tuple[float, float]] = {}
    shares: dict[bytes, list[float]] = {}
    movers: dict[bytes, int] = {}
    buffer = np.empty(game.max_moves, np.int32)
    weights = np.empty(game.max_moves, np.float64)
    out = np.zeros(game.players)
    waiting = [position.state.tobytes()]
    found = {waiting[0]}
    while waiting:
        key = waiting.pop()
        state = np.frombuffer(key, np.uint64).copy()
        mover = int(rules.acting(tables, state))
        movers[key] = mover
        children[key] = []
        if mover == NOBODY:
            rules.payoffs(tables, state, out)
            values[key] = (float(out[0]), float(out[0]))
            continue
        count = int(rules.moves(tables, state, buffer))
        if mover == CHANCE and rules.chances is not None:
            rules.chances(tables, state, weights)
            shares[key] = weights[:count].tolist()
        for move in buffer[:count].tolist():
            after = state.copy()
            rules.play(tables, after, move)
            child = after.tobytes()
            children[key].append(child)
            if child not in found:
                found.add(child)
                waiting.append(child)
                if len(found) > limit:
                    raise LimitReached(
                        f"{game.spec} has more than {limit:,} positions from here: too many to "
                        "list them all"
                    )
        if progress is not None and len(children) % 4096 == 0:
            progress(len(children))
    return children, values, shares, movers
