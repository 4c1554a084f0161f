"""From rules with variables to propositions, within limits."""
