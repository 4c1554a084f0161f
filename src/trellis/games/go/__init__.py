"""Go: board, rules, random games, notation."""

from trellis.games.go.game import Go

__all__ = ["Go"]
