"""Evaluations of positions: networks, their training, what ships with the package."""
