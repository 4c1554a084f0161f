"""Other systems, met on their own terms."""
