"""Experiments: what was published, and the same measured here."""
