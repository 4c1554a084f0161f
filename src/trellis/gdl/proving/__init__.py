"""What follows from the rules of a sheet: proven with a SAT solver, or refuted with a play."""

from trellis.gdl.proving.facts import Fact, Facts
from trellis.gdl.proving.prover import prove
from trellis.gdl.proving.remembering import prove_once
from trellis.gdl.proving.replaying import replay_refutation

__all__ = ["Fact", "Facts", "prove", "prove_once", "replay_refutation"]
