"""From ground rules to an and-inverter graph, and to the tables that evaluators read."""
