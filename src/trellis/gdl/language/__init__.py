"""The text of a rulesheet: terms, parsing, rewriting, what depends on what."""
