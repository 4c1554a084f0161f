"""Searches over any game; they never know which."""
