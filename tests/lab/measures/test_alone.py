"""Games for one: what a player gets, as a part of what there is."""

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.measures import measure_of

ALONE = measure_of("alone")


def taken(number=0, stream=1, **settings):
    made = ALONE.read({"game": "leftright:h=20", "player": "random", **settings})
    ALONE.check(made)
    return ALONE.take(made, stream, number)


def test_a_random_walk_goes_left_half_of_the_time():
    values = [taken(number)["value"] for number in range(300)]
    assert {round(value, 9) for value in values} <= {5.0 * lefts for lefts in range(21)}
    estimate = ALONE.sum_up([{"value": value} for value in values], 0.9999)
    assert estimate.low < 50 < estimate.high
    assert 3 < estimate.high - estimate.low < 12


def test_a_search_that_sees_everything_goes_left_always():
    sample = taken(player="uct2:sims=2000", game="leftright:h=6")
    assert sample["value"] == 100
    assert sample["plies"] == 6


def test_a_sample_depends_on_its_number_and_the_stream_alone():
    again = [taken(number, stream) for number in range(3) for stream in range(3)]
    assert again == [taken(number, stream) for number in range(3) for stream in range(3)]
    assert len({sample["value"] for sample in again}) > 1


def test_one_game_says_next_to_nothing():
    estimate = ALONE.sum_up([{"value": 70.0}], 0.95)
    assert (estimate.value, estimate.low, estimate.high) == (70, 0, 100)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "hex"}, "hex is not a game for one player"),
        ({"game": "leftright:h=0"}, "h"),
        ({"player": "nobody"}, "unknown player 'nobody'"),
        ({"sims": 0}, "sims"),
        ({"steps": 3}, "unknown setting 'steps'"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(BadParameter, match=message):
        taken(**settings)
