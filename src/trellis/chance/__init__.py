"""Search in games of chance: expectimax, Star1, Star2 and Star2-TT, over any game."""
