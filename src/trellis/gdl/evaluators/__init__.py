"""Ways to compute a circuit: by events, in lanes, all gates."""
