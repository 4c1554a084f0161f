"""Positions that star searches look at, against counting in plain Python."""

from statistics import mean, pstdev

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.measures import measure_of
from trellis.lab.measures.star_nodes import position_of_sample
from trellis.lab.star_counts import stored_positions
from trellis.loading import load

MEASURE = measure_of("star_nodes")
SEARCHES = ("expectimax", "star1", "star2", "star2tt", "star2tt+")


def samples_of(count, **settings):
    read = MEASURE.read({"memory": 1.0, **settings})
    MEASURE.check(read)
    return [MEASURE.take(read, 0, number) for number in range(count)]


def tree(position, depth):
    """Count the positions of a tree, the first one with them."""
    if depth == 0 or position.is_over:
        return 1
    return 1 + sum(tree(position.play(code), depth - 1) for code in position.move_codes())


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_expectimax_looks_at_the_whole_tree(depth):
    for number, sample in enumerate(samples_of(8, search="expectimax", depth=depth)):
        assert sample["value"] == tree(position_of_sample("dice", number), depth)


def test_all_searches_find_the_same_values_and_pruning_saves_positions():
    found = {search: samples_of(10, search=search, depth=7) for search in SEARCHES}
    for worths in zip(*([each["worth"] for each in samples] for samples in found.values()),
                      strict=True):  # fmt: skip
        assert max(worths) - min(worths) < 1e-9
    means = [mean(each["value"] for each in found[search]) for search in SEARCHES[:4]]
    assert means == sorted(means, reverse=True)


def test_the_first_samples_are_the_stored_positions_and_others_are_drawn():
    stored = stored_positions(load("dice"))
    assert len(stored) == 50
    assert [position_of_sample("dice", n).code for n in range(50)] == [p.code for p in stored]
    drawn = [position_of_sample("dice", number) for number in range(50, 70)]
    assert [p.code for p in drawn] == [position_of_sample("dice", n).code for n in range(50, 70)]
    assert len({p.code for p in drawn}) > 15
    for number, position in enumerate(drawn, start=50):
        checkers = sum(int(word).bit_count() for word in position.state[:2])
        assert checkers == 2 + number % 50 * 22 // 50  # from everywhere in the game
        assert not position.is_chance
        assert len(position.move_codes()) > 1


def test_statistics_are_those_of_the_samples():
    values = [3.0, 1.0, 8.0]
    estimate = MEASURE.sum_up([{"value": value} for value in values], 0.95)
    assert estimate.value == 4.0
    assert estimate.facts == {"min": 1.0, "median": 3.0, "max": 8.0, "std": pstdev(values)}
    assert estimate.low == 0.0  # below it nothing can be


def test_seconds_are_of_the_same_searches():
    seconds = measure_of("star_seconds")
    assert seconds.timed
    assert not MEASURE.timed
    read = seconds.read({"search": "star2tt", "depth": 5, "memory": 1.0})
    for number, sample in enumerate(samples_of(3, search="star2tt", depth=5)):
        timed = seconds.take(read, 0, number)
        assert timed["nodes"] == sample["value"]
        assert timed["value"] > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "uct"}, "expected one of expectimax"),
        ({"search": "star2:depth=3"}, "settings of their own"),
        ({"search": "star2", "game": "pig"}, "expected dice"),
    ],
)
def test_what_cannot_be_searched_is_refused(settings, message):
    with pytest.raises(BadParameter, match=message):
        MEASURE.check(MEASURE.read(settings))
