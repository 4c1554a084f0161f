"""A few hundred mangled queries; `benchmarks/gtp_fuzz.py --json` sends as many as you like."""

from protocols.katago.asking import Asking
from trellis.protocols.katago.fields import write_json
from trellis.protocols.katago.fuzzing import Counting, complaint, fuzzed_queries


def test_every_answer_is_well_formed_and_none_is_missing():
    asking = Asking("auto:sims=20")
    counting = Counting(asking.service)
    done = 0
    for line in fuzzed_queries(500, seed=3):
        found = asking.send(line) + asking.work()
        assert found, line
        for answer in found:
            assert not complaint(write_json(answer)), (line, answer)
            counting.heard(answer)
            done += "moveInfos" in answer
    assert counting.owed == 0
    assert done > 100
    assert len(counting.asked) > 100


def test_what_is_ill_formed_is_told():
    assert complaint("x")
    assert complaint("[]")
    assert complaint('{"error":"internal error: x"}')
    assert complaint('{"x":1}')
    assert complaint('{"id":"a"}')
    assert not complaint('{"error":"x"}')
