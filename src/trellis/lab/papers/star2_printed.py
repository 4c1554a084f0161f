"""Star2-TT as the paper prints it (figure 4.1), line by line, and with its faults repaired.

Nothing here is fast, and nothing is shared with the search that people use.  Three faults can be
repaired one by one:

- `undo`: successor probing returns, and stores, while the outcome of chance is still applied.
- `sides`: after an outcome was searched both of its bounds become the value that was found, which
  may be a bound on one side only where the search failed high or low; the test comes after that.
- `combine`: what the table says of an outcome replaces what is known of it already.

Scores are those of the player who moves next.  The paper does not print `negamax`; ours is the
usual one with a table, and its probing variant looks at one move.
"""

from dataclasses import dataclass, field

from trellis.game.errors import TrellisError
from trellis.game.game import Position
from trellis.games.dice import STATUS
from trellis.loading import load

LOWEST, HIGHEST = -1.0, 1.0  # L and U
REPAIRS = ("undo", "sides", "combine")


@dataclass
class Entry:
    """What the table has of a position."""

    lower: float
    upper: float
    lower_depth: int
    upper_depth: int


@dataclass
class Outcome:
    """What is known of an outcome of chance: an entry of `cinfo`."""

    probability: float
    lower: float = LOWEST
    upper: float = HIGHEST


@dataclass
class PrintedStar2:
    """The search of figure 4.1 on a board that is changed and changed back."""

    repairs: frozenset[str] = frozenset()
    table: dict[bytes, Entry] = field(default_factory=dict)
    line: list[Position] = field(default_factory=list)  # the board, and what it was before

    def value(self, position: Position, depth: int) -> float | None:
        """Search deeper and deeper with one table; None where the board was left in a mess."""
        found = 0.0
        for plies in range(1, depth + 1):
            self.line = [position]
            try:
                found = self.star2(LOWEST, HIGHEST, plies)
            except (TrellisError, IndexError):
                return None
        return found

    # -- the board and the table --------------------------------------------------------------

    @property
    def board(self) -> Position:
        """Return the board as it stands."""
        return self.line[-1]

    def apply(self, code: int) -> None:
        """Make a move, or let chance choose an outcome."""
        if code not in self.board.move_codes():
            raise TrellisError("a move of another position")
        self.line.append(self.board.play(code))

    def undo(self) -> None:
        """Take back whatever came last."""
        self.line.pop()

    def retrieve(self) -> Entry | None:
        """Return what the table has of the board."""
        return self.table.get(self.board.state.tobytes())

    def store(self, depth: int, lower: float, upper: float) -> None:
        """Write down what is known of the board."""
        self.table[self.board.state.tobytes()] = Entry(lower, upper, depth, depth)

    def evaluate(self) -> float:
        """Judge the board for whoever moves next."""
        number = judged(self.board)
        return number if int(self.board.state[STATUS]) & 1 == 0 else -number

    def terminal_score(self) -> float:
        """Return the result for the player who would move next."""
        return float(self.board.payoffs()[1 - self.line[-2].acting])

    # -- figure 4.1 ---------------------------------------------------------------------------

    def star2(self, alpha: float, beta: float, depth: int) -> float:
        """Search a chance node."""
        if self.board.is_over:
            return self.terminal_score()
        if depth == 0:
            return self.evaluate()
        if not self.board.is_chance:
            raise TrellisError("a roll where somebody moves")
        outcomes = [Outcome(probability) for probability in self.board.probabilities()]
        codes = self.board.move_codes()

        # transposition cutoffs
        entry = self.retrieve()
        if entry is not None:
            same = entry.lower == entry.upper and entry.lower_depth == entry.upper_depth
            if same and entry.upper_depth >= depth:
                return entry.upper
            if entry.lower_depth >= depth:
                if entry.lower >= beta:
                    return entry.lower
                alpha = max(alpha, entry.lower)
            if entry.upper_depth >= depth:
                if entry.upper <= alpha:
                    return entry.upper
                beta = min(beta, entry.upper)

        # successor probing using the transposition table
        for code, outcome in zip(codes, outcomes, strict=True):
            self.apply(code)
            decided = self._probe_table(outcome, outcomes, alpha, beta, depth)
            if decided is not None:
                if "undo" in self.repairs:
                    self.undo()
                self.store(depth, _sum(outcomes, "lower"), _sum(outcomes, "upper"))
                return decided
            self.undo()

        # Star2 probing phase
        for code, outcome in zip(codes, outcomes, strict=True):
            most = _child_max(outcomes, outcome, beta)
            self.apply(code)
            found = self.negamax(outcome.lower, min(HIGHEST, most), depth - 1, probe=True)
            self.undo()
            outcome.lower = max(outcome.lower, found)
            if found >= most:
                self.store(depth, _sum(outcomes, "lower"), _sum(outcomes, "upper"))
                return _sum(outcomes, "lower")

        # Star1 phase
        for code, outcome in zip(codes, outcomes, strict=True):
            least, most = _child_min(outcomes, outcome, alpha), _child_max(outcomes, outcome, beta)
            low, high = max(LOWEST, least), min(HIGHEST, most)
            self.apply(code)
            found = self.negamax(low, high, depth - 1)
            self.undo()
            self._learn(outcome, found, low, high)
            if found >= most:
                self.store(depth, _sum(outcomes, "lower"), _sum(outcomes, "upper"))
                return _sum(outcomes, "lower")
            if found <= least:
                self.store(depth, _sum(outcomes, "lower"), _sum(outcomes, "upper"))
                return _sum(outcomes, "upper")

        self.store(depth, _sum(outcomes, "lower"), _sum(outcomes, "upper"))
        return _sum(outcomes, "lower")

    def _probe_table(
        self, outcome: Outcome, outcomes: list[Outcome], alpha: float, beta: float, depth: int
    ) -> float | None:
        """Take what the table knows of an outcome; return what decides the node, or None."""
        entry = self.retrieve()
        if entry is None:
            return None
        combine = "combine" in self.repairs
        if entry.lower_depth >= depth - 1:
            outcome.lower = max(outcome.lower, entry.lower) if combine else entry.lower
            if _sum(outcomes, "lower") >= beta:
                return _sum(outcomes, "lower")
        if entry.upper_depth >= depth - 1:
            outcome.upper = min(outcome.upper, entry.upper) if combine else entry.upper
            if _sum(outcomes, "upper") <= alpha:
                return _sum(outcomes, "upper")
        return None

    def _learn(self, outcome: Outcome, found: float, low: float, high: float) -> None:
        """Take what a search of an outcome within a window has found."""
        if "sides" not in self.repairs:
            outcome.lower = outcome.upper = found
            return
        if found > low:  # it did not fail low: at least so much
            outcome.lower = max(outcome.lower, found)
        if found < high:
            outcome.upper = min(outcome.upper, found)

    def negamax(self, alpha: float, beta: float, depth: int, *, probe: bool = False) -> float:
        """Search a player's node; a probe looks at one move and finds a lower bound only."""
        if self.board.is_over:
            return self.terminal_score()
        if depth == 0:
            return self.evaluate()
        entry, first_alpha = self.retrieve(), alpha
        if entry is not None:
            if entry.lower_depth >= depth:
                if entry.lower >= beta or (entry.lower == entry.upper and not probe):
                    return entry.lower
                alpha = max(alpha, entry.lower)
            if entry.upper_depth >= depth and entry.upper <= alpha:
                return entry.upper
        best = LOWEST
        codes = self.board.move_codes()
        for code in codes[:1] if probe else codes:
            self.apply(code)
            best = max(best, -self.star2(-beta, -max(alpha, best), depth - 1))
            self.undo()
            if best >= beta:
                break
        before, above = LOWEST, HIGHEST
        if entry is not None and entry.lower_depth >= depth:
            before, above = entry.lower, entry.upper
        if best >= beta or (probe and len(codes) > 1):
            # A probe that fails low knows nothing but what its move is worth at most.
            lower = max(before, best) if best > first_alpha else before
            self.store(depth, lower, above)
        elif best <= alpha:
            self.store(depth, before, min(above, best))
        else:
            self.store(depth, best, best)
        return best


def judged(position: Position) -> float:
    """Return some number between -1 and 1 for the first player: any, but always the same."""
    return ((position.key >> 20) % 2_001 - 1_000) / 1_000


def _sum(outcomes: list[Outcome], side: str) -> float:
    """Return LB or UB: the bound of the chance node from those of its outcomes."""
    return sum(each.probability * float(getattr(each, side)) for each in outcomes)


def _child_min(outcomes: list[Outcome], outcome: Outcome, alpha: float) -> float:
    others = _sum(outcomes, "upper") - outcome.probability * outcome.upper
    return (alpha - others) / outcome.probability


def _child_max(outcomes: list[Outcome], outcome: Outcome, beta: float) -> float:
    others = _sum(outcomes, "lower") - outcome.probability * outcome.lower
    return (beta - others) / outcome.probability


def two_checkers() -> list[Position]:
    """Return rolls of Dice 3x3 after a move of either player, on every two cells."""
    start = load("dice:m=3,k=3").start()
    return [
        start.play(9 + first // 3).play(first).play(12 + second % 3).play(second)
        for first in range(9)
        for second in range(first + 1, 9)
    ]
