"""Proofs: what a position is worth, by search or by looking at every position."""
