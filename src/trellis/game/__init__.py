"""What a game is: rules, tables, positions, and everything that can be done with any game."""
