"""How many positions each star search looks at, on many positions of Dice at once.

Fifty positions of Dice 5x5, four in a row, from games that the shipped network played against
itself, from the opening to the end.  In each a player has rolled and is to move.  Depth counts
chance and players alike: 13 plies are seven choices and the six rolls between them.  A position
counts whenever a search comes to it, whether it is then searched, judged, or found in the table,
and all depths up to the last one count where a search deepens step by step.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import resources
from queue import SimpleQueue
from random import Random
from statistics import mean, median, pstdev
from typing import TYPE_CHECKING

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.search.star.engine import StarSearch
from trellis.search.star.settings import StarSettings
from trellis.search.star.table import BoundTable, make_table

if TYPE_CHECKING:
    from trellis.game.evaluation import Evaluation
    from trellis.game.game import Game, Position

COUNT = 50
_STORED = "dice_positions.txt"
_OPENING = 2  # moves before the first position
_AT_RANDOM = 0.25  # of all moves are drawn at random, so that games differ

STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "min": min, "median": median, "max": max, "mean": mean, "std": pstdev,
}  # fmt: skip


def stored_positions(game: "Game") -> "list[Position]":
    """Return the positions that come with the package."""
    text = (resources.files("trellis.evaluation") / "weights" / _STORED).read_text("ascii")
    return [game.position(line) for line in text.split()]


def self_play_positions(
    game: "Game", evaluation: "Evaluation", seed: int = 0, count: int = COUNT
) -> "list[Position]":
    """Draw positions in which a player is to move, as many from each part of the game.

    A position is the n-th of a game for an n that goes round evenly; players choose the move that
    is judged best, or, now and then, any.
    """
    dice = Random(seed)
    found: list[Position] = []
    cells = game.m * game.m  # type: ignore[attr-defined]
    while len(found) < count:
        wanted = _OPENING + len(found) * (cells - 1 - _OPENING) // count
        position = _after(game, evaluation, dice, wanted)
        if position is not None:
            found.append(position)
    return found


def self_play_position(
    game: "Game", evaluation: "Evaluation", seed: int, number: int, count: int = COUNT
) -> "Position":
    """Draw one such position by itself: the `number`-th of `count` parts of the game."""
    dice, cells = Random(seed), game.m * game.m  # type: ignore[attr-defined]
    wanted = _OPENING + number * (cells - 1 - _OPENING) // count
    while True:
        position = _after(game, evaluation, dice, wanted)
        if position is not None:
            return position


def _after(game: "Game", evaluation: "Evaluation", dice: Random, wanted: int) -> "Position | None":
    """Play a game until so many moves were made; None where it ends before, or has no choice."""
    position, made = game.start(), 0
    while not position.is_over:
        if position.is_chance:
            position = position.play(dice.choice(position.move_codes()))
            continue
        if made == wanted:
            return position if len(position.move_codes()) > 1 else None
        position = _greedy(position, evaluation, dice)
        made += 1
    return None


def _greedy(position: "Position", evaluation: "Evaluation", dice: Random) -> "Position":
    after = [position.play(code) for code in position.move_codes()]
    if dice.random() < _AT_RANDOM:
        return dice.choice(after)
    sign = 1.0 if position.acting == 0 else -1.0

    def worth(child: "Position") -> float:
        if child.is_over:
            return sign * child.payoffs()[0]
        return sign * float(evaluation.function(evaluation.weights, child.game.tables, child.state))

    return max(after, key=worth)


@dataclass
class Work:
    """What one search did on all positions."""

    search: str
    values: list[float]
    nodes: list[float]
    seconds: list[float]
    by_depth: list[float]  # mean nodes up to each depth, from 1

    @property
    def nodes_per_second(self) -> float:
        """Return positions looked at in a second."""
        return sum(self.nodes) / max(sum(self.seconds), 1e-9)


class _Crew:
    """Searches that are going on in threads, and may all have to end."""

    def __init__(self) -> None:
        self._searches: list[StarSearch] = []
        self._halted = False

    def join(self, search: StarSearch) -> StarSearch:
        self._searches.append(search)
        if self._halted:  # looked at when it can be found already: nobody slips through
            search.halted = True
        return search

    def halt(self) -> None:
        self._halted = True
        for search in self._searches:
            search.halted = True


def count_nodes(
    positions: "list[Position]",
    evaluation: "Evaluation | None",
    searches: Mapping[str, StarSettings],
    depth: int,
    memory: float = 256.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Work]:
    """Search all positions with each of some searches, so many at once.

    A table serves one position after the other and is emptied in between, off the clock.
    Where somebody asks to stop, the searches that are through with all positions come back.
    """
    found: list[Work] = []
    tables: SimpleQueue[BoundTable] = SimpleQueue()
    for _ in range(jobs):
        tables.put(make_table(memory))
    for number, (name, settings) in enumerate(searches.items()):
        crew = _Crew()
        with ThreadPoolExecutor(jobs) as pool:
            runs = {
                pool.submit(_one, position, evaluation, settings, depth, tables, crew): place
                for place, position in enumerate(positions)
            }
            results: list[tuple[float, float, float, list[int]]] = [(0.0, 0.0, 0.0, [])] * len(runs)
            try:
                for done, run in enumerate(as_completed(runs), start=1):
                    results[runs[run]] = run.result()
                    if stop_asked():  # what was going on did not come to its end
                        pool.shutdown(wait=False, cancel_futures=True)
                        return found
                    if progress is not None:
                        share = (number + done / len(runs)) / len(searches)
                        progress(share, f"{name}, {done} of {len(runs)} positions")
            except BaseException:  # Ctrl-C: nobody waits for what is going on
                pool.shutdown(wait=False, cancel_futures=True)
                crew.halt()
                raise
        values, nodes, seconds, counts = zip(*results, strict=True)
        by_depth = [mean(each[d] for each in counts) for d in range(depth)]
        found.append(Work(name, [*values], [*nodes], [*seconds], by_depth))
    return found


def _one(
    position: "Position",
    evaluation: "Evaluation | None",
    settings: StarSettings,
    depth: int,
    tables: "SimpleQueue[BoundTable]",
    crew: _Crew,
) -> tuple[float, float, float, list[int]]:
    """Return value, nodes and seconds of a search to a depth, and nodes up to each depth."""
    table = tables.get()

    def fresh() -> StarSearch:
        if settings.uses_table:
            table.clear()
        return crew.join(StarSearch(position, settings, evaluation, table=table))

    try:
        counts = []
        if not settings.iterative_deepening:  # a search for each depth; only the last is timed
            counts = [fresh().run(depth=plies).nodes for plies in range(1, depth)]
        search = fresh()
        report = search.run(depth=depth)
    finally:
        tables.put(table)
    if settings.iterative_deepening:
        counts = list(search.nodes_by_depth[:-1])
        counts += [report.nodes] * (depth - 1 - len(counts))  # it was over before
    return report.value, float(report.nodes), report.seconds, [*counts, report.nodes]
