"""What is proven of the position that questions are about, and what to ask next."""

from trellis.game.errors import BrokenContract
from trellis.game.game import Game, Position
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions.payoffs import Labels


class Root:
    """Bounds of a position, as labels, and the move they rest on."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.game: Game = position.game
        self.labels = Labels(*self.game.payoff_range)
        self.low, self.high = y.LEAST, y.MOST
        self.question: int | None = None  # a label to ask about before all others
        self.ends: list[float] = []  # what random games paid
        self._best = y.LEAST - 1, -1  # what who moves is sure of, and by which move

    def add_payoff(self, payoff: float) -> None:
        """Give a payoff a label, where it has none."""
        self.labels.add(payoff)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return what player 0 gets at least and at most, proven."""
        return self.labels.payoff(self.low), self.labels.payoff(self.high)

    @property
    def solved(self) -> bool:
        """Tell whether the value is known."""
        return self.low == self.high

    def label_of_end(self, position: Position) -> int:
        """Return the label of what an end pays player 0."""
        payoff = position.payoffs()[0]
        least, greatest = self.game.payoff_range
        payoff = min(max(payoff, least), greatest)  # what misses the range by a rounding
        self.add_payoff(payoff)
        return self.labels.label(payoff)

    def tighten(self, low: float, high: float) -> None:
        """Take bounds that somebody else has proven; those that have no label yet get one."""
        least, greatest = self.game.payoff_range
        for payoff in (low, high):
            if least <= payoff <= greatest:
                self.add_payoff(payoff)
        self.take(
            self.labels.label(low) if low >= least else y.LEAST,
            self.labels.label(high) if high <= greatest else y.MOST,
        )

    def take(self, low: int, high: int) -> None:
        """Take bounds that are proven, as labels; refuse those that contradict others."""
        self.low, self.high = max(self.low, low), min(self.high, high)
        if self.low > self.high:
            raise BrokenContract(
                f"{self.game.spec} contradicts itself: a position is worth at least "
                f"{self.labels.payoff(self.low):g} and at most {self.labels.payoff(self.high):g}; "
                "trellis check may tell why"
            )

    def next_targets(self) -> list[int]:
        """Return one or two labels to ask about in turns: what random games paid, and a neighbour.

        Which of two questions is easier nobody knows: of "does it win?" and "does it not lose?"
        one may take a hundred times as long as the other.
        """
        if self.question is not None and self.low < self.question <= self.high:
            return [self.question]
        known = self.labels.between(self.low, self.high)
        inside = [end for end in self.ends if self.low < self.labels.label(end) <= self.high]
        if inside:
            middle = sum(inside) / len(inside)
            at = min(range(len(known)), key=lambda i: abs(self.labels.payoff(known[i]) - middle))
        else:
            at = len(known) // 2
        return known[max(at - 1, 0) : max(at - 1, 0) + 2]

    def note_best(self, target: int, low: int, high: int, code: int) -> None:
        """Remember the move by which who moves at the root gets what was just proven."""
        mover = self.position.acting
        sure = low if mover == 0 else -high
        if code in self.position.move_codes() and sure > self._best[0]:
            if (low >= target) == (mover == 0):
                self._best = sure, code

    def best(self, value: float) -> int | None:
        """Return a move by which who moves gets a value, by its number; None if unknown."""
        codes, first = self.position.move_codes(), self.position.acting == 0
        least, greatest = self.game.payoff_range
        if value == (least if first else greatest):
            return codes[0]  # nobody gets less
        self.add_payoff(value)
        label = self.labels.label(value)
        sure, code = self._best
        return code if sure >= (label if first else -label) else None

    def ask_first(self, payoff: float) -> None:
        """Ask before anything else whether player 0 gets at least so much."""
        self.add_payoff(payoff)
        self.question = self.labels.label(payoff)
