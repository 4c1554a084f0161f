"""Games made from games: a search that gets one never needs to know.

unfolded(game)          positions remember the path: no transpositions, the game as a tree
folded(game)            one position for all mirror images
paranoid(game, player)  one player against all the others together
in_order(game, player)  who would choose at once chooses one after the other, for all to see
grouped(game)           a move becomes two: choose a group, then a move of it

Most add their own words behind the words of the game they are made from and wrap the functions in
closures.  For a compiled game the closures are compiled too, which takes a few seconds.
"""

from trellis.game.reductions.base import Reduction
from trellis.game.reductions.groups import Grouping, grouped
from trellis.game.reductions.one_against_all import Paranoid, in_order, paranoid
from trellis.game.reductions.trees import folded, unfolded

__all__ = [
    "Grouping", "Paranoid", "Reduction", "folded", "grouped", "in_order", "paranoid", "unfolded",
]  # fmt: skip
