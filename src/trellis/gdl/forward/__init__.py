"""Forward chaining: a rulesheet played without grounding it."""
