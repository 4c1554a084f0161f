"""Questions with two answers: whether player 0 gets at least so much from a position."""
