"""General Game Playing over HTTP: messages, a player, a game master."""
