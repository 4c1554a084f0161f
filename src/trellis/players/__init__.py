"""A search and a clock make a player; players and persons make a session."""
