"""Random rulesheets and what is true of them, to attack proofs with; the tests use them too."""
