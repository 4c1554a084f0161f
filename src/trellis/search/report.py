"""What a search, or a solver, has found out about a position, for people and for JSON.

>>> import trellis
>>> report = trellis.solve(trellis.load("tic_tac_toe"))
>>> report.value, report.outcome, report.bounds
(0.0, 'draw', ((0.0, 0.0), (0.0, 0.0)))
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from trellis.game.errors import BadParameter
from trellis.game.hooks import drawn

if TYPE_CHECKING:
    from trellis.game.game import Game
    from trellis.search.solve.value_iteration import PositionValues

Pair = tuple[float, float]  # at least and at most

_ORDINALS = ("first", "second")


def mirrored(ends: Pair, total: float) -> Pair:
    """Return what one of two players gets where the other gets `ends` and both get `total`."""
    low, high = ends
    return total - high + 0.0, total - low + 0.0  # adding 0 makes 0.0 of -0.0, which reads badly


def _rest(total: float, value: float) -> float:
    """Return what is left for the other player; what is not known stays so."""
    return value if math.isnan(value) else total - value + 0.0


def sum_of_two(game: "Game", *, always_paid: bool = False) -> float | None:
    """Return what the payoffs of two players add up to, however play goes on; else None.

    Play that goes round for ever, or stops without an end, pays nobody: unless it is known that
    this does not happen, only where the sum is that of the least and the greatest payoff does one
    player's least stand for the other's greatest.
    """
    total = game.constant_sum if game.players == 2 else None
    return total if always_paid or total == sum(game.payoff_range) else None


Proven = tuple[tuple[Pair, ...], tuple[float, ...] | None, str | None]


def proven_of_all(
    game: "Game", ends: Pair | None, total: float | None, value: float | None
) -> Proven:
    """Return bounds, payoffs and outcome of all players, as reports have them.

    They follow from what is proven of player 0 (its bounds, and its value where that is known) and
    from what the payoffs of two add up to.  Where chance takes part nobody can be said to win.
    """
    least, greatest = map(float, game.payoff_range)
    bounds: tuple[Pair, ...] = ((least, greatest),) * game.players
    if ends is not None:
        others = bounds[1:] if total is None else (mirrored(ends, total),)
        bounds = (ends, *others)
    if value is None or (game.players > 1 and total is None):
        return bounds, None, None
    payoffs = (value,) if total is None else (value, total - value + 0.0)
    return bounds, payoffs, outcome_of(game, payoffs)


def outcome_of(game: "Game", payoffs: tuple[float, ...]) -> str | None:
    """Return who of two players wins; None where they are not two, or chance has a say."""
    if len(payoffs) != 2 or game.has_chance:
        return None
    first, second = payoffs
    return "draw" if first == second else "first" if first > second else "second"


class _Record:
    """Compares field by field; numbers that are not known (not a number) are equal.

    Python's own comparison of dataclasses holds that to be so until 3.12, and not since.
    """

    def __eq__(self, other: object) -> bool:
        """Tell whether two records of one kind say the same."""
        return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash of what is compared."""
        return hash(_compared(self))


@dataclass(frozen=True, eq=False)
class MoveReport(_Record):
    """What is known of one move, or outcome of chance; values are of the report's player."""

    move: str
    low: float  # at least and at most this, as `low` and `high` of the report
    high: float
    value: float = math.nan  # of the playouts that made this move their mean, else what it is worth
    solved: bool = False  # it is proven what the move is worth
    visits: int = 0
    adapted: float = math.nan  # the mean that selection uses
    count: float = 0.0  # the count that selection uses
    shared: int = 0  # playouts through the position after the move that came by other ways
    probability: float | None = None  # where chance acts


@dataclass(frozen=True, eq=False)
class Report(_Record):
    """What was found out about a position.

    Values are payoffs of the player to move, and those of player 0 where chance is to move or what
    the other one gets does not follow from it: `values_of` is the player's number, and
    `for_player(0)` the same report with the values of player 0.  `bounds` are of all players.
    """

    game: str
    player: str  # who is to move
    values_of: int
    best: str | None  # None where nobody chooses, or nothing is known
    value: float  # of the best move: proven where solved, else an estimate; not a number if unknown
    low: float  # at least this: of the game, or, where a depth says so, of a search so deep
    high: float  # at most this
    # For each player, proven: what it can secure whatever the others do, what they can hold it to.
    bounds: tuple[Pair, ...]
    solved: bool = False  # the value of the position is proven, or those of all players
    moves: tuple[MoveReport, ...] = ()  # best first
    line: tuple[str, ...] = ()  # the principal variation
    payoffs: tuple[float, ...] | None = None  # what everybody gets if all play well; proven or None
    outcome: str | None = None  # first, second or draw; None where unknown, or left to chance
    constant_sum: float | None = None  # what values of two add up to, however play goes on
    sims: int = 0
    seconds: float = 0.0
    nodes: int = 0  # positions: in the graph, listed, or looked at depth first
    edges: int | None = None
    transpositions: int | None = None
    bytes: int = 0
    full: bool = False  # the memory was used up
    depth: int | None = None  # plies that were searched whole, by a depth-first search
    leaves: int | None = None  # positions that were judged where the depth ended
    cycles: int | None = None  # strongly connected components in which positions come back
    sweeps: int | None = None  # over the one that took most
    endless: bool = False  # play may go on for ever, and it matters what that counts
    note: str = ""  # what the best move rests on, where nothing could be searched
    details: Mapping[str, object] = field(default_factory=dict)  # of the kind of search
    values: "PositionValues | None" = field(default=None, repr=False, compare=False)

    @property
    def sims_per_second(self) -> float:
        """Return simulations per second."""
        return self.sims / self.seconds if self.seconds > 0 else 0.0

    @property
    def nodes_per_second(self) -> float:
        """Return positions per second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def for_player(self, player: int) -> "Report":
        """Return the same report with the values of a player by number, 0 the first.

        That is possible where payoffs of two add up to a constant; elsewhere only `bounds` tell of
        all players.
        """
        if player == self.values_of:
            return self
        total = self.constant_sum
        if total is None or player not in (0, 1):
            raise BadParameter(
                f"values of player {player} do not follow from those of player {self.values_of} "
                f"in {self.game}"
            )
        low, high = mirrored((self.low, self.high), total)
        moves = []
        for line in self.moves:
            least, most = mirrored((line.low, line.high), total)
            value, adapted = _rest(total, line.value), _rest(total, line.adapted)
            moves.append(replace(line, low=least, high=most, value=value, adapted=adapted))
        value = _rest(total, self.value)
        return replace(self, values_of=player, value=value, low=low, high=high, moves=tuple(moves))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, as `--json` prints it; what is unknown is None.

        The values of all positions are left out.
        """
        found = _facts(self)
        del found["values"], found["details"]
        rates = {
            "sims_per_second": self.sims_per_second, "nodes_per_second": self.nodes_per_second
        }  # fmt: skip
        return found | rates | {"moves": [_facts(line) for line in self.moves]} | {**self.details}

    def to_pandas(self) -> Any:
        """Return what is known of every move as a frame of pandas, best first."""
        try:
            import pandas as pd
        except ImportError:
            raise BadParameter('frames need pandas: pip install "trellis-games[lab]"') from None
        return pd.DataFrame([_facts(line) for line in self.moves]).set_index("move")

    def plot(self, axes: Any = None) -> Any:
        """Draw visits and values of the moves, best first; return the axes of matplotlib."""
        from matplotlib import pyplot as plt

        if axes is None:
            _, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
        names = [line.move for line in self.moves]
        axes.bar(names, [line.visits for line in self.moves], color="#3b74d1")
        axes.set_ylabel("visits")
        values = axes.twinx()
        values.plot(names, [line.adapted for line in self.moves], "o", color="#dd4b3e")
        values.set_ylabel(f"value for {self.player}")
        axes.set_title(self.sentence(), fontsize=10)
        return axes

    def _repr_html_(self) -> str | None:
        """Return the report as a table with bars, for notebooks."""
        return drawn(self)

    def sentence(self) -> str:
        """Say in one line what the position is worth."""
        who = f"its {_ORDINALS[self.values_of]} player" if self.values_of < 2 else self.player
        if self.solved:
            return f"{self.game} is worth {self.value:.10g} to {who}"
        between = f"{self.game} is worth {self.low:.10g} to {self.high:.10g} to {who}"
        if self.endless:
            return f"{between}, depending on what a game that goes round for ever counts"
        slowly = ": the bounds approach each other too slowly to say more"
        return between + (slowly if self.cycles else "")


def _known(value: object) -> object:
    """Return a value; None for what is not a number."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _facts(record: Report | MoveReport) -> dict[str, Any]:
    """Return the fields of a record; what is not a number becomes None."""
    return {each.name: _known(getattr(record, each.name)) for each in fields(record)}


def _compared(record: Any) -> tuple[object, ...]:
    return tuple(_known(getattr(record, each.name)) for each in fields(record) if each.compare)
