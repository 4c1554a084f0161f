"""P-games: trees and graphs with random values on their edges."""

from trellis.games.pgame.game import PGame

__all__ = ["PGame"]
