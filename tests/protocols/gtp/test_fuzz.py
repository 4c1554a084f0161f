"""A few hundred fuzzed lines; `benchmarks/gtp_fuzz.py` sends as many as you like."""

import pytest

from protocols.gtp.talking import Talk
from trellis.protocols.gtp.fuzzing import complaint, fuzz


@pytest.mark.parametrize("game", ["go:board_size=5", "hex:board_size=4", "breakthrough", "othello"])
@pytest.mark.parametrize("player", ["random", "auto:sims=30,reuse=true"])
def test_every_answer_is_well_formed(game, player):
    talk = Talk(game, player)
    answered = 0
    for line, answer, wrong in fuzz(talk.engine, 300, seed=len(game) + len(player)):
        assert not wrong, (line, answer, wrong)
        answered += answer.startswith("=")
    assert answered > 30
    assert not talk.engine.quitting


def test_what_is_ill_formed_is_told():
    assert complaint("name", "Trellis\n\n")
    assert complaint("name", "= Trellis\n")
    assert complaint("name", "= a\n\nb\n\n")
    assert complaint("name", "? internal error: x\n\n")
    assert complaint("name", "= \x07\n\n")
    assert not complaint("name", "= Trellis\n\n")
