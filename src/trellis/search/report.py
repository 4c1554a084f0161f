"""What a search has found out, for people and for JSON."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class MoveReport:
    """What a search knows of one root move; values are payoffs of the player to move."""

    move: str
    visits: int
    value: float  # mean payoff of the playouts that made this move
    low: float  # proven: at least this
    high: float  # proven: at most this
    adapted: float = 0.0  # the mean that selection uses
    count: float = 0.0  # the count that selection uses
    shared: int = 0  # playouts through the position after the move that came by other ways


@dataclass(frozen=True)
class Report:
    """What a search found out about a position."""

    game: str
    player: str
    best: str
    value: float  # of the best move: proven where solved, else the mean that selection uses
    sims: int
    seconds: float
    moves: tuple[MoveReport, ...]  # best first
    nodes: int
    edges: int
    transpositions: int
    bytes: int
    solved: bool = False
    low: float = 0.0
    high: float = 0.0
    line: tuple[str, ...] = ()  # the principal variation
    full: bool = False  # the memory was used up
    note: str = ""  # what the best move rests on, where no simulation was possible
    facts: dict[str, object] = field(default_factory=dict)

    @property
    def sims_per_second(self) -> float:
        """Return simulations per second."""
        return self.sims / self.seconds if self.seconds > 0 else 0.0
