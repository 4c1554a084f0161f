"""Where play cannot go on: no legal move, no end of forced steps, no goal or several."""

import pytest

from trellis.loading import load
from trellis.search.solve.proof import solve

# First x has a choice, then y: right ends the game, left leads into steps that nobody chooses.
BEGINS = """
(role x) (role y) (init (at s))
(<= (legal x a) (true (at s))) (<= (legal x b) (true (at s)))
(<= (legal x noop) (not (true (at s))))
(<= (legal y left) (true (at 0))) (<= (legal y right) (true (at 0)))
(<= (legal y noop) (not (true (at 0))))
(<= (next (at 0)) (true (at s)))
"""
GOES_ROUND = f"""{BEGINS}
(<= (next (at 1)) (does y left)) (<= (next (at 9)) (does y right))
(<= (next (at 2)) (true (at 1))) (<= (next (at 3)) (true (at 2))) (<= (next (at 1)) (true (at 3)))
(<= terminal (true (at 9)))
(goal x 70) (goal y 30)
"""
STUCK = GOES_ROUND.replace(
    "(<= (legal x noop) (not (true (at s))))",
    "(<= (legal x noop) (not (true (at s))) (not (true (at 2))))",
)
NO_GOAL = GOES_ROUND.replace(
    "(<= terminal (true (at 9)))", "(<= terminal (true (at 9))) (<= terminal (true (at 3)))"
).replace("(goal y 30)", "(<= (goal y 30) (true (at 9)))")
TWO_GOALS = NO_GOAL + "(<= (goal y 10) (true (at 3))) (<= (goal y 20) (true (at 3)))"


def counting(bits):
    """Write a sheet whose forced steps count up in binary and then end; y would lose by them.

    On the way there the goals say the opposite, which pays nobody: the game is not over.
    """
    count = "".join(
        f"(<= (carry {bit + 1}) (carry {bit}) (true (bit {bit})))"
        f"(<= (next (bit {bit})) (true (bit {bit})) (not (carry {bit})))"
        f"(<= (next (bit {bit})) (not (true (bit {bit}))) (carry {bit}))"
        for bit in range(bits)
    )
    return f"""{BEGINS}
(<= (next (at 9)) (does y right))
(<= (next (at 1)) (does y left)) (<= (next (at 1)) (true (at 1)))
(<= (carry 0) (true (at 1)))
{count}
(<= terminal (true (at 9))) (<= terminal (carry {bits}))
(<= (goal x 70) (true (at 9))) (<= (goal y 30) (true (at 9)))
(<= (goal x 100) (carry {bits})) (<= (goal y 0) (carry {bits}))
(<= (goal x 0) (not (true (at 9))) (not (carry {bits})))
(<= (goal y 100) (not (true (at 9))) (not (carry {bits})))
"""


@pytest.fixture
def game(tmp_path):
    def make(text, evaluator="circuit"):
        path = tmp_path / "sheet.kif"
        path.write_text(text, encoding="utf-8")
        return load(f"{path}:evaluator={evaluator}")

    return make


@pytest.mark.parametrize("text", [GOES_ROUND, STUCK, NO_GOAL, TWO_GOALS])
def test_what_the_rules_leave_open_is_worth_anything(game, text):
    found = solve(game(text), limit=2_000)
    assert found.bounds[1] == (30.0, 100.0)  # right is safe; left may be worth anything
    assert found.payoffs is None
    assert not found.solved


@pytest.mark.parametrize("text", [STUCK, NO_GOAL, TWO_GOALS])
def test_forward_chaining_leaves_the_same_open(game, text):
    assert solve(game(text, "forward"), limit=200).bounds == solve(game(text), limit=200).bounds


@pytest.mark.parametrize("text", [GOES_ROUND, STUCK])
def test_steps_that_nobody_chooses_stop_where_they_lead_nowhere(game, text):
    stopped = game(text).start().play("a", "left")
    assert stopped.is_over
    assert stopped.payoffs() == (70.0, 30.0)  # what random games count; bounds do not


@pytest.mark.parametrize("bits", [6, 14])
def test_forced_steps_that_are_given_up_on_the_way_to_a_certain_end_prove_nothing(game, bits):
    """2^14 steps are more than are followed, although they are proven to end."""
    sheet = game(counting(bits))
    assert sheet.known.max_steps.proven
    low, high = solve(sheet, limit=200).bounds[1]
    assert low == 30.0  # what right pays; left pays nothing
    assert high == (30.0 if bits == 6 else 100.0)


@pytest.mark.parametrize(
    ("goals", "bounds"),
    [
        ("(goal x 70) (goal x seventy)", (70.0, 70.0)),  # what is no number is no goal
        ("(goal x 70) (goal x 070)", (70.0, 70.0)),  # the same goal, written in two ways
        ("(goal x 70) (goal x ٧)", (70.0, 70.0)),
        ("(goal x 70) (goal x 999999999)", (70.0, 70.0)),  # more digits than a goal has
        ("(goal x 70) (goal x 80)", (0.0, 100.0)),
        ("(goal x 170)", (170.0, 170.0)),  # more than there should be, but said plainly
    ],
)
def test_evaluators_agree_on_what_a_goal_is(game, goals, bounds):
    """Without left all that y can do is to end the game."""
    text = STUCK.replace("(<= (legal y left) (true (at 0)))", "").replace("(goal x 70)", goals)
    for evaluator in ("circuit", "forward"):
        assert solve(game(text, evaluator), limit=200).bounds[0] == bounds
