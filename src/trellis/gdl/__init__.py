"""Rulesheets in the Game Description Language: from text to a game every search can play."""
