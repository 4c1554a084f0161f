"""What people ask of a position besides its moves: whose turn it is, who has won, a picture."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trellis.game.hooks import drawn

if TYPE_CHECKING:
    from trellis.game.game import Game, Position


@dataclass(frozen=True)
class Outcome:
    """How a game has ended: who got what, and who got most.

    `winner` is a player's number, or None where several got most.
    """

    payoffs: tuple[float, ...]
    winner: int | None
    name: str  # of the winner, or "draw"

    def __str__(self) -> str:
        paid = ", ".join(f"{payoff:g}" for payoff in self.payoffs)
        return f"{self.name if self.winner is None else self.name + ' wins'} ({paid})"


class Views:
    """Questions that a position answers by its rules."""

    __slots__ = ()

    if TYPE_CHECKING:
        game: Game

        @property
        def acting(self) -> int:
            """Return who is to move."""

        @property
        def is_over(self) -> bool:
            """Tell whether the game has ended."""

        def payoffs(self) -> tuple[float, ...]:
            """Return what everybody gets."""

        _origin: "Position | None"
        _played: tuple[int, ...]

    @property
    def turn(self) -> str | None:
        """Return the name of the player to move; None where chance moves, or nobody."""
        return self.game.player_name(self.acting) if self.acting >= 0 else None

    @property
    def history(self) -> list[str]:
        """List the moves played so far, and outcomes of chance, by name.

        They begin where play began: at the start, or where the position was read from a code.
        """
        position, names = self._origin, []
        for code in self._played:
            if position is not None:
                names.append(position.name(code))
                position = position.play(code)
        return names

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, or None while it goes on.

        >>> from trellis.loading import load
        >>> str(load("tic_tac_toe").start().play("a1", "b1", "a2", "b2", "a3").outcome())
        'x wins (1, -1)'
        """
        if not self.is_over:
            return None
        payoffs = self.payoffs()
        best = [player for player, each in enumerate(payoffs) if each == max(payoffs)]
        alone = len(best) == 1 and len(payoffs) > 1
        name = self.game.player_name(best[0]) if alone else "draw" if len(payoffs) > 1 else "over"
        return Outcome(payoffs, best[0] if alone else None, name)

    def _repr_svg_(self) -> str | None:
        """Return a picture, for notebooks."""
        return drawn(self)
