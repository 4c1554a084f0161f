"""Depth-first search with chance nodes: expectimax, Star1, Star2, Star2-TT, alpha-beta."""
