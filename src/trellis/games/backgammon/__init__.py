"""Backgammon: board, rules, a judgement of positions, notation."""

from trellis.games.backgammon.game import Backgammon

__all__ = ["Backgammon"]
