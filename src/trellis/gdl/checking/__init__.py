"""What a rule writer got wrong: against the specification, by the look of it, and by play."""
