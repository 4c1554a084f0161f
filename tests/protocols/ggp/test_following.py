"""Following a match step by step, and searching in plain Python meanwhile."""

import pytest

from protocols.ggp.playing import NIM
from trellis.game.errors import BadParameter, IllegalMove
from trellis.protocols.ggp.following import CIRCUIT, FORWARD, Following
from trellis.protocols.ggp.light_search import LightSearch, _Node


@pytest.mark.parametrize("evaluator", [FORWARD, CIRCUIT])
def test_both_ways_follow_the_same_match(evaluator):
    following = Following.load(NIM, "LEFT", evaluator, seconds=60)
    assert following.roles == ["left", "right"]
    assert sorted(following.texts()) == ["(Take 1)", "(Take 2)"]
    following.play(["( take 1 )", "WAIT"])
    assert following.texts() == ["Wait"]
    for wrong in (["Wait", "Wait"], ["Wait"], ["Wait", ")("], ["Wait", "(Take 3)"]):
        with pytest.raises((IllegalMove, BadParameter)):
            following.play(wrong)
    following.play(["Wait", "(Take 2)"])
    assert not following.terminal
    following.play(["(Take 1)", "Wait"])
    assert following.terminal
    assert following.goals == [100, 0]
    assert following.texts() == []
    assert following.steps == 3


def test_roles_and_rules_that_do_not_fit_are_refused():
    with pytest.raises(BadParameter, match="not a role"):
        Following.load(NIM, "middle", FORWARD, seconds=60)
    with pytest.raises(BadParameter, match="imperfect"):
        Following.load(NIM + "(<= (sees ?p 1) (role ?p))", "left", FORWARD, seconds=60)
    with pytest.raises(BadParameter, match="chained forward"):
        _ = Following.load(NIM, "left", FORWARD, seconds=60).game


def test_a_position_is_that_of_the_facts():
    following = Following.load(NIM, "right", CIRCUIT, seconds=60)
    assert following.position == following.game.start()
    following.play(["(Take 1)", "Wait"])
    assert following.position == following.game.start().play("Take(1)")
    assert following.position.acting == 1
    assert following.named("Take(2)") == "(Take 2)"


def test_chance_is_no_player():
    rules = """(role random) (role me) (init new) (<= (legal random (roll 1)) (true new))
    (<= (legal random (roll 2)) (true new)) (legal me wait) (<= (next (got ?n)) (does random (roll ?n)))
    (<= terminal (true (got ?n))) (<= (goal me 100) (true (got 1))) (<= (goal me 0) (true (got 2)))
    (goal random 0)"""  # noqa: E501
    assert Following.load(rules, "me", FORWARD, seconds=60).player == 0
    assert Following.load(rules, "random", FORWARD, seconds=60).player is None


def test_the_light_search_finds_a_win():
    following = Following.load(NIM, "left", FORWARD, seconds=60)
    told = []
    search = LightSearch(3)
    search.ponder(following, 0.2)
    move = search.choose(following, 0.3, lambda *what: told.append(what))
    assert move == "(Take 1)"
    assert told[-1][0] == move
    assert told[-1][1] > 60
    following.play(["(Take 2)", "Wait"])  # not what it chose: it knows this, too
    following.play(["Wait", "(Take 1)"])
    assert search.choose(following, 0.1, lambda *_: None) == "(Take 1)"


def test_of_moves_tried_once_the_better_one_is_best():
    node = _Node([["a", "b", "c", "d"]])
    node.counts, node.sums = [[1, 1, 0, 1]], [[0.0, 100.0, 0.0, 50.0]]
    assert node.best(0) == 1
    node.counts[0][3] = 2
    assert node.best(0) == 3
    assert node.mean(0, 2) == -1


def test_the_light_search_has_a_move_without_any_time():
    following = Following.load(NIM, "left", FORWARD, seconds=60)
    assert LightSearch(1).choose(following, 0.0, lambda *_: None) in following.texts()
