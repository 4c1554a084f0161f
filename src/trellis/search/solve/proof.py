"""Proving what a position is worth, and writing down how to play it.

>>> from trellis.loading import load
>>> solve(load("tic_tac_toe")).outcome
'draw'
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any, Unpack

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, LimitReached, counted
from trellis.game.game import Game, Position, position_of
from trellis.game.reductions import paranoid
from trellis.search.budget import check_budget, refuse_over
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.make_params import can_bound, usable_symmetries
from trellis.search.mcts.reporting import EdgeLine, edge_lines
from trellis.search.mcts.settings import SearchOptions, Settings
from trellis.search.report import Pair, Report, mirrored, sum_of_two
from trellis.search.solve.each_player import each_report, secure_exactly, sides_of
from trellis.search.solve.settings import DEFAULT_LIMIT, SETTINGS
from trellis.search.solve.value_iteration import solve_exactly

_FIRST_TURN = 20_000  # playouts of each of several searches, before the next has its turn

Bounds = tuple[Pair, ...]


def solve_settings(game: Game, **changes: Unpack[SearchOptions]) -> Settings:
    """Return the settings that prove most with fewest playouts, where nothing else is asked for."""
    usual: dict[str, Any] = {
        # Shared counts starve edges whose child is popular elsewhere, and on a cycle all are.
        "select": "simple" if game.max_plies is not None else "uct1",
        "symmetry": len(usable_symmetries(game)) > 1,
    }
    return Settings().replace(**{**SETTINGS, **usual, **changes})


def solve(
    start: "Game | Position | str | Search | Searches",
    *,
    limit: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **changes: Unpack[SearchOptions],
) -> Report:
    """Search until the value is proven, or `limit` playouts or `seconds` have passed.

    Where players choose at once, or their payoffs are not known to add up to a constant, there is
    no one value: then the answer is what each player can secure, and what the others can hold it
    to (`Report.bounds`).  Where chance is to move there is nothing to choose: all positions are
    looked at, as `solve_exactly` does, and `limit` is how many there may be.
    """
    if not isinstance(start, Search | Searches):
        position = position_of(start)
        if position.is_chance:
            return _average(position, limit, seconds, progress, changes)
        start = prepare(position, seed=seed, **changes)
    search = start
    if limit is None and seconds is None:
        limit = DEFAULT_LIMIT
    if isinstance(search, Searches):
        return search.run(limit, seconds, progress)
    return search.report() if search.solved else search.run(limit, seconds, progress)


def _average(
    position: Position, limit: int | None, seconds: float | None, progress: Progress | None,
    changes: SearchOptions,
) -> Report:  # fmt: skip
    """Look at every position that may follow what chance does now."""
    game, until = position.game, None if seconds is None else perf_counter() + seconds

    def watch(fraction: float, note: str) -> None:
        if until is not None and perf_counter() > until:
            raise LimitReached(f"{game.spec} is not solved in {seconds:g} seconds")
        if progress is not None:
            progress(fraction, note)

    memory = solve_settings(game, **changes).memory
    exactly = solve_exactly if can_bound(game) else secure_exactly
    return exactly(position, memory, progress=watch, limit=limit)


def prepare(
    start: Game | Position | str, *, seed: int = 0, **changes: Unpack[SearchOptions]
) -> "Search | Searches":
    """Make a search that is about to prove something, or one for each player."""
    position = position_of(start)
    if not can_bound(position.game):
        return Searches(position, seed=seed, **changes)
    search = Search(position, solve_settings(position.game, **changes), seed=seed)
    if search.params.bounds == 0:
        raise BadParameter("cannot solve with bounds off: expected plain, cuts, guided or deep")
    return search


# -- games without one value -----------------------------------------------------------------------


class Searches:
    """What each player can secure, and be held to: a search of one against all for either.

    Where players take turns one search tells both.  Where several choose at once there are two
    for each player: in one it chooses before the others, who answer, in the other after them.
    The first can only prove less than the truth, the second more, so what lies between them is
    all that is proven.  Where the payoffs of two are known to add up to the least and the greatest
    one together, one player's bounds are the other's.
    """

    def __init__(
        self, position: Position, *, seed: int = 0, **changes: Unpack[SearchOptions]
    ) -> None:
        game = self.game = position.game
        refuse_over(position, "solve")
        self.position = position
        # Payoffs that add up to anything else say nothing of games that never end: one player may
        # get all there is while the other gets less than what is missing from the sum.
        self._total = sum_of_two(game)
        players = 1 if self._total is not None else game.players
        memory = changes.pop("memory", None) or SETTINGS["memory"]
        changes["memory"] = memory / (players * len(sides_of(game)))
        self.all: list[list[Any]] = [  # of searches: one against all is a game of two in turn
            [
                prepare(paranoid(game, player, first=first).lift(position), seed=seed, **changes)
                for first in sides_of(game)
            ]
            for player in range(players)
        ]

    @property
    def each(self) -> list[Search]:
        """List all searches."""
        return [search for pair in self.all for search in pair]

    @property
    def sims(self) -> int:
        """Return how many simulations there were in all searches."""
        return sum(search.sims for search in self.each)

    @property
    def bounds(self) -> Bounds:
        """Return what each player can secure and what it can be held to."""
        found = tuple((pair[0].bounds[0], pair[-1].bounds[1]) for pair in self.all)
        return found if self._total is None else (*found, mirrored(found[0], self._total))

    @property
    def solved(self) -> bool:
        """Tell whether bounds have met for all players."""
        return all(low == high for low, high in self.bounds)

    def run(
        self,
        limit: int | None,
        seconds: float | None,
        progress: Progress | None = None,
    ) -> Report:
        """Let the searches take turns, longer each time, until nothing is left to prove."""
        check_budget(limit, seconds)
        began, turn = perf_counter(), _FIRST_TURN
        while True:
            open_ = [search for search in self.each if not search.solved]
            for number, search in enumerate(open_):
                sims, left = turn, None
                if limit is not None:
                    sims = min(turn, (limit - self.sims) // (len(open_) - number))
                if seconds is not None:
                    left = (seconds - (perf_counter() - began)) / (len(open_) - number)
                if sims < 1 or (left is not None and left <= 0):
                    return self.report()
                search.run(sims=sims, seconds=left)
                if progress is not None:
                    fraction = self.sims / limit if limit else 0.0
                    if seconds:
                        fraction = max(fraction, (perf_counter() - began) / seconds)
                    progress(min(fraction, 1.0), counted(self.sims, "simulation"))
            if not open_ or stop_asked():
                return self.report()
            turn *= 2

    def best(self) -> str | None:
        """Name the move by which who acts secures most; None where no search looked for it."""
        acting = self.position.acting
        player = acting if 0 <= acting < len(self.all) else 0
        # Of two whose payoffs add up only the first was searched for: the other one is its foe.
        # Who is to be sure of something chooses before the others wherever they choose at once.
        own = self.all[player][0 if acting == player else -1]
        if own.position.acting != (acting != player):
            return None
        report = own.report()
        # What is proven may rest on both searches of a pair, while this one is still open: its
        # favourite need not be the move that keeps the proven payoff.
        sure = max(report.moves, key=lambda move: move.low)
        return sure.move if self.solved and sure.low > report.moves[0].low else report.best

    def report(self) -> Report:
        """Tell what is proven."""
        reports = [search.report() for search in self.each]
        return each_report(
            self.position, self.bounds, self.best(),
            sims=self.sims, nodes=sum(each.nodes for each in reports),
            seconds=sum(each.seconds for each in reports),
            bytes=sum(each.bytes for each in reports), full=any(each.full for each in reports),
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
