"""What people ask of a rulesheet: show, measure, compare, replay it."""
