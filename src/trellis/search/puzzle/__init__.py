"""Games for one player: looking for the best way to an end."""
