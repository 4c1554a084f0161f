"""Where play cannot go on: no legal move, no end of forced steps, no goal or several."""

import pytest

from trellis.games import load
from trellis.search.solve import solve

GOES_ROUND = """
(role x) (role y) (init (at 0)) (legal y noop)
(<= (legal x left) (true (at 0))) (<= (legal x right) (true (at 0)))
(<= (legal x on) (not (true (at 0))))
(<= (next (at 1)) (does x left)) (<= (next (at 9)) (does x right))
(<= (next (at 2)) (true (at 1))) (<= (next (at 3)) (true (at 2))) (<= (next (at 1)) (true (at 3)))
(<= terminal (true (at 9)))
(goal x 70) (goal y 30)
"""
STUCK = GOES_ROUND.replace(
    "(<= (legal x on) (not (true (at 0))))", "(<= (legal x on) (true (at 1)))"
)
NO_GOAL = GOES_ROUND.replace(
    "(true (at 9)))\n", "(true (at 9)))\n(<= terminal (true (at 3)))\n"
).replace("(goal x 70)", "(<= (goal x 70) (true (at 9)))")
TWO_GOALS = NO_GOAL + "(<= (goal x 10) (true (at 3))) (<= (goal x 20) (true (at 3)))"


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
    assert found.bounds[0] == (70.0, 100.0)  # right is safe; left may be worth anything
    assert not found.solved


@pytest.mark.parametrize("text", [STUCK, NO_GOAL, TWO_GOALS])
def test_forward_chaining_leaves_the_same_open(game, text):
    assert solve(game(text, "forward"), limit=200).bounds == solve(game(text), limit=200).bounds


def test_forced_steps_that_go_round_stop_play(game):
    sheet = game(GOES_ROUND)
    assert sheet.start().play("left").is_over
    assert sheet.rules.bounds is not None


def test_random_games_pay_what_holds_where_play_stops(game):
    sheet = game(STUCK)
    assert sheet.start().play("left").payoffs() == (70.0, 30.0)
